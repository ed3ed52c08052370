/** A model and what some of its facts are -> what is left of every conjunction. */

import type { Model } from './model.ts';
import type { TruthBounds } from './truth-bounds.ts';

/** What each fact is: the place of its choice, or the leeway of an open one. */
export type Assignment = readonly (number | TruthBounds)[];

/** The leeway of every fact, and of what looks at several of them. */
export function boundsIn({ variables, ties }: Model, situation: Assignment): TruthBounds[] {
  const leeways: TruthBounds[] = [];
  for (let i = 0; i < variables.length; i++) {
    const is = situation[i] as number | TruthBounds;
    leeways.push(typeof is === 'number' ? (variables[i]?.choices[is]?.leeway as TruthBounds) : is);
  }
  for (const tie of ties) leeways.push(tie.leeway(tie.variables.map((place) => chosen(situation[place]))));
  return leeways;
}

function chosen(is: number | TruthBounds | undefined): number | undefined {
  return typeof is === 'number' ? is : undefined;
}

/** Everything as it is now. */
export function present({ variables }: Model): number[] {
  return variables.map(() => 0);
}

/** The same with another choice of one fact. */
export function withChoice(at: readonly number[], place: number, choice: number): number[] {
  const changed = [...at];
  changed[place] = choice;
  return changed;
}
