/** A model and an assignment of its facts -> the bounds of every conjunction. */

import type { Model } from './model.ts';
import type { TruthBounds } from './truth-bounds.ts';

/** By variable: the index of its choice, or the bounds of an open fact. */
export type Assignment = readonly (number | TruthBounds)[];

/** The bounds of every fact, then those of every joint test. */
export function boundsIn({ variables, jointTests }: Model, assignment: Assignment): TruthBounds[] {
  const bounds: TruthBounds[] = [];
  for (let i = 0; i < variables.length; i++) {
    const assigned = assignment[i] as number | TruthBounds;
    bounds.push(typeof assigned === 'number' ? (variables[i]?.choices[assigned]?.bounds as TruthBounds) : assigned);
  }
  for (const joint of jointTests) bounds.push(joint.boundsFor(joint.indexes.map((i) => choiceIn(assignment[i]))));
  return bounds;
}

function choiceIn(assigned: number | TruthBounds | undefined): number | undefined {
  return typeof assigned === 'number' ? assigned : undefined;
}

/** Every fact as it is now. */
export function present({ variables }: Model): number[] {
  return variables.map(() => 0);
}
