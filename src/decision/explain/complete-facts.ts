/** A model with open facts and an outcome -> a known value of each open fact, which together lead to the outcome. */

import { isMissing } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import { outcomeBit } from '../meaning/outcome-range.ts';
import type { Constraint } from './model/constraints.ts';
import { type Assignment, boundsIn, type Model } from './model/model.ts';
import { eitherOf, type TruthBounds } from './model/truth-bounds.ts';
import type { Variable } from './model/variable.ts';
import type { Steps } from './steps.ts';

/** The indexes of the choices with which a fact is known; those without a sample too. */
export function knownChoices({ choices }: Variable): readonly number[] {
  return [...choices.keys()].filter((i) => {
    const fact = choices[i]?.fact;
    return fact === undefined || !isMissing(fact);
  });
}

/** An assignment with some facts open: each may have any value, but is known. */
export function openKnown({ variables }: Model, at: Assignment, open: readonly number[]): Assignment {
  const opened = [...at];
  for (const i of open) {
    const { choices } = variables[i] as Variable;
    opened[i] = eitherOf(
      knownChoices(variables[i] as Variable).map((choice) => choices[choice]?.bounds as TruthBounds),
    );
  }
  return opened;
}

/** Whether facts lead to an outcome and can be so together. All of them have values. */
export function leadsTo(model: Model, at: readonly number[], to: Outcome): boolean {
  const isSampled = at.every((choice, i) => model.variables[i]?.choices[choice]?.fact !== undefined);
  return isSampled && model.judge.outcome(boundsIn(model, at)) === to && violatedBy(model, at).length === 0;
}

/** The constraints that facts violate whatever the open ones are. */
function violatedBy({ variables, constraints }: Model, at: Assignment): readonly Constraint[] {
  const facts = new Map(
    variables.map(({ path, choices }, i) => {
      const choice = at[i];
      return [path, typeof choice === 'number' ? choices[choice]?.fact : undefined];
    }),
  );
  return constraints.filter(({ allows }) => !allows((path) => facts.get(path)));
}

/** The choice of every fact. `none`: there is no such value of each. `unknown`: that was not found out. */
export type Completion = readonly number[] | 'none' | 'unknown';

/** What to complete, and where to stop. */
export interface Incomplete {
  /** Facts that are open are among `open`, the indexes of their variables. */
  readonly at: Assignment;
  readonly open: readonly number[];
  readonly isOver: () => boolean;
}

/** Tries the values of one open fact after the other, the nearest first, as long as the outcome is possible. */
export function* completeFacts(model: Model, { at, open, isOver }: Incomplete, to: Outcome): Steps<Completion> {
  const { judge, variables } = model;
  yield;
  if (isOver()) return 'unknown';
  if ((judge.possible(boundsIn(model, at)) & outcomeBit(to)) === 0) return 'none';
  const violated = violatedBy(model, at);
  if (violated.length > 0) {
    const isSampled = ({ path }: Variable) => violated.some(({ sampled }) => sampled.includes(path));
    return variables.some(isSampled) ? 'unknown' : 'none';
  }
  const [index, ...rest] = open;
  if (index === undefined) {
    return judge.outcome(boundsIn(model, at)) === to ? (at as readonly number[]) : 'none';
  }
  let result: 'none' | 'unknown' = 'none';
  const variable = variables[index] as Variable;
  for (const choice of knownChoices(variable)) {
    const { fact, bounds } = variable.choices[choice] as Variable['choices'][number];
    const isSampled = fact !== undefined;
    const next = at.with(index, isSampled ? choice : bounds);
    const found = isSampled
      ? yield* completeFacts(model, { at: next, open: rest, isOver }, to)
      : (judge.possible(boundsIn(model, next)) & outcomeBit(to)) === 0
        ? 'none'
        : 'unknown';
    if (typeof found !== 'string') return found;
    if (found === 'unknown') result = 'unknown';
    if (isOver()) return 'unknown';
  }
  return result;
}
