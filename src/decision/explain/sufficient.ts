/** A model -> facts that force the present outcome for any values of all others; none of them can be left out. */

import { isMissing } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import { countBits } from '../matcher/program.ts';
import { outcomeBit } from '../meaning/outcome-range.ts';
import { type Assignment, boundsIn, type Model } from './model/model.ts';
import type { TruthBounds } from './model/truth-bounds.ts';
import type { Limit, Steps } from './steps.ts';

export interface SufficientFacts {
  /** The facts, by the indexes of their variables, ascending. */
  readonly indexes: readonly number[];
  /** Whether every one of them was shown to be needed: without it, another outcome is possible. */
  readonly isIrreducible: boolean;
}

/** The most questions about one fact in the first pass: nearly all facts that can be decided need fewer. */
const QUICK_QUERIES = 200;
/** The most steps of the whole search: a third of a second. */
const MOST_STEPS = 3e7;
/** The most questions about all undecided facts together in the second pass: about 30 ms with 300 rules. */
const THOROUGH_QUERIES = 5000;

/**
 * Starts from all facts and drops each one while the others still force the outcome. A fact that is needed
 * stays needed when further facts are dropped, so one attempt for each is enough. Facts that could not
 * be decided within the first limit are tried once more at the end, where fewer facts remain.
 */
export function* findSufficientFacts(model: Model, outcome: Outcome): Steps<SufficientFacts> {
  const { judge, variables } = model;
  const kept = new Set(dropOrder(model));
  const work = model.work.limit(MOST_STEPS);
  const dropFrom = function* (candidates: readonly number[], mostQueries: () => number): Steps<readonly number[]> {
    const undecided: number[] = [];
    for (const candidate of candidates) {
      kept.delete(candidate);
      const open = order.filter((i) => !kept.has(i));
      const assignment = variables.map(({ anyBounds }, i) => (kept.has(i) ? 0 : anyBounds));
      const limits = { mostQueries: mostQueries(), work };
      const isNeeded = yield* canDiffer(model, outcome, assignment, open, limits);
      if (isNeeded !== false) kept.add(candidate);
      if (isNeeded === undefined) undecided.push(candidate);
    }
    return undecided;
  };
  const order = [...kept];
  const undecided = yield* dropFrom(order, () => judge.queries + QUICK_QUERIES);
  const most = judge.queries + THOROUGH_QUERIES;
  const isIrreducible = (yield* dropFrom(undecided, () => most)).length === 0;
  return { indexes: [...kept].sort((a, b) => a - b), isIrreducible };
}

/** Missing facts first, so that known ones are kept; then the facts that now rule out the fewest conjunctions. */
function dropOrder({ variables, form: { mask } }: Model): readonly number[] {
  const weights = variables.map(({ choices: [now] }) => {
    if (!now?.fact || isMissing(now.fact)) return -1;
    return mask.reduce((sum, word, i) => sum + countBits(word & ~(now.bounds[i] as number)), 0);
  });
  return [...variables.keys()].sort((a, b) => (weights[a] as number) - (weights[b] as number));
}

/** The limits of a search: questions to the judge, and work. */
interface Limits {
  readonly mostQueries: number;
  readonly work: Limit;
}

/**
 * Whether some values of the open facts lead to another outcome; undefined if one of the limits was reached first.
 * `open` are the indexes of the open facts of the assignment.
 */
function* canDiffer(
  model: Model,
  outcome: Outcome,
  assignment: Assignment,
  open: readonly number[],
  limits: Limits,
): Steps<boolean | undefined> {
  const { judge, variables } = model;
  const isOver = () => judge.queries >= limits.mostQueries || limits.work.isReached();
  yield;
  // At the limit of the work, not even one more fact is looked at.
  if (limits.work.isReached()) return undefined;
  const possible = judge.possible(boundsIn(model, assignment));
  if (possible === outcomeBit(outcome)) return false;
  if ((possible & outcomeBit(outcome)) === 0) return true;
  if (isOver()) return undefined;
  const [index, ...others] = open;
  if (index === undefined) {
    // Texts without a sample have bounds instead of a choice.
    const isSampled = assignment.every((assigned) => typeof assigned === 'number');
    return isSampled ? judge.outcome(boundsIn(model, assignment)) !== outcome : undefined;
  }
  let result: false | undefined = false;
  // The present state is tried last: the others are likelier to lead elsewhere.
  const choices = [...(variables[index]?.choices ?? []).entries()];
  for (const [choice, { fact, bounds }] of [...choices.slice(1), ...choices.slice(0, 1)]) {
    const assigned: number | TruthBounds = fact ? choice : bounds;
    const difference = yield* canDiffer(model, outcome, assignment.with(index, assigned), others, limits);
    // Texts without a sample may not exist, so they can prove that nothing differs, but not that something does.
    if (difference === undefined || (difference && !fact)) result = undefined;
    else if (difference) return true;
    if (isOver()) return undefined;
  }
  return result;
}
