/** A model and an outcome -> what would lead to that outcome, each set decided again with its sample values. */

import { type Facts, isMissing } from '../../facts/fact.ts';
import type { Outcome } from '../../policy/language.ts';
import { matcherOf } from '../matcher/matcher.ts';
import { leadsTo } from './complete-facts.ts';
import { type ChangeSet, searchCounterfactuals } from './counterfactuals.ts';
import { describeNeeds, withChanges } from './describe-change.ts';
import type { Changes, NeededFact } from './explanation.ts';
import type { Model } from './model/model.ts';
import type { Variable } from './model/variable.ts';
import { unitOf } from './retries.ts';
import type { MissingSource } from './sources.ts';
import type { Limit, Steps } from './steps.ts';

/** The most steps to describe them: a third of a second. Beyond, only examples are shown. */
const MOST_STEPS = 3e7;

/** The most sets that are shown. */
const MOST_SETS = 10;

/** What would lead from the present outcome to another. INVARIANT: the present outcome is not `to`. */
export function* findChanges(
  model: Model,
  sources: readonly MissingSource[],
  { facts, day, to }: { readonly facts: Facts; readonly day: string; readonly to: Outcome },
): Steps<Changes> {
  const units = sources.map(({ facts: paths }) => unitOf(model, paths));
  const { result, size, sets, isExact } = yield* searchCounterfactuals(model, to, units);
  const matcher = matcherOf(model.policy);
  const isConfirmed = (set: ChangeSet) => matcher.outcome(withChanges(facts, model, set), day).outcome === to;
  const confirmed = sets.filter(isConfirmed);
  // Nothing was shown about larger sets, so that neither `found` nor `moreThanThree` is true.
  if (result === 'found' && confirmed.length === 0)
    return { to, result: 'stopped', size: 0, sets: [], more: 0, isExact: false };
  const shown = confirmed
    .map(inTableOrder)
    .sort((one, other) => knownIn(one, model) - knownIn(other, model) || compareIndexes(one, other))
    .slice(0, MOST_SETS);
  const limit = model.work.limit(MOST_STEPS);
  const needs: (readonly NeededFact[])[] = [];
  for (const first of shown) {
    const nearest = yield* nearestExamples(model, first, to, limit);
    const set = isConfirmed(nearest) ? nearest : first;
    const needed = yield* describeNeeds(model, set, { to, day, limit });
    needs.push(missingFirst(needed.map((each) => withSource(each, sources))));
  }
  return {
    to,
    // Of sets without samples nothing is known: they may be enough.
    result: result === 'notFound' ? (isExact ? 'moreThanThree' : 'stopped') : result,
    size,
    sets: needs,
    more: confirmed.length - shown.length,
    isExact: isExact && confirmed.length === sets.length,
  };
}

/**
 * The set with the nearest value of each fact that leads to the outcome while the others have theirs. The search finds
 * a set with the first values that do.
 */
function* nearestExamples(model: Model, set: ChangeSet, to: Outcome, limit: Limit): Steps<ChangeSet> {
  const { variables } = model;
  const at: number[] = variables.map((_, i) => set.get(i) ?? 0);
  const ordered = [...set.keys()].filter((i) => hasNearest(variables[i] as Variable));
  for (let isMoved = true; isMoved; ) {
    isMoved = false;
    for (const i of ordered) {
      for (let choice = 1; choice < (at[i] as number); choice++) {
        yield;
        if (limit.isReached()) return set;
        if (!leadsTo(model, at.with(i, choice), to)) continue;
        at[i] = choice;
        isMoved = true;
      }
    }
  }
  return new Map([...set.keys()].map((i) => [i, at[i] as number]));
}

/** Whether the values of a fact are in an order, and it has one. */
function hasNearest({ definition: { type }, choices: [now] }: Variable): boolean {
  return ['number', 'integer', 'level', 'date'].includes(type) && now?.fact !== undefined && !isMissing(now.fact);
}

/** How many facts of a set are known. Missing facts can be obtained without any known fact being different. */
function knownIn(set: ChangeSet, { variables }: Model): number {
  const facts = [...set.keys()].flatMap((index) => variables[index]?.choices[0]?.fact ?? []);
  return facts.filter((fact) => !isMissing(fact)).length;
}

/** The facts of a set in the order of the policy's fact table. */
function inTableOrder(set: ChangeSet): ChangeSet {
  return new Map([...set].sort(([one], [other]) => one - other));
}

function compareIndexes(one: ChangeSet, other: ChangeSet): number {
  const indexes = [...other.keys()];
  return [...one.keys()].map((index, i) => index - (indexes[i] ?? index)).find((difference) => difference !== 0) ?? 0;
}

function withSource(needed: NeededFact, sources: readonly MissingSource[]): NeededFact {
  const found = sources.find(({ facts }) => facts.length > 1 && facts.includes(needed.fact));
  return found ? { ...needed, source: found.source } : needed;
}

function missingFirst(needed: readonly NeededFact[]): readonly NeededFact[] {
  const isKnown = ({ is }: NeededFact) => Number(!('missing' in is));
  const rank = ({ source = '' }: NeededFact) => needed.findIndex((each) => each.source === source);
  return [...needed].sort((one, other) => isKnown(one) - isKnown(other) || rank(one) - rank(other));
}
