/** A model and an outcome -> what would lead to it: changes, or answers of failed sources; each is checked again. */

import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { matcherOf } from '../matcher/matcher.ts';
import {
  type ChangeSet,
  completeFacts,
  leadsTo,
  openKnown,
  searchCounterfactuals,
  type Unit,
} from './counterfactuals.ts';
import { describeNeeds, withChanges } from './describe-change.ts';
import type { Changes, FailedSource, Failures, NeededFact, Retry } from './explanation.ts';
import type { LookUp } from './model/constraints.ts';
import { queryBudget } from './model/judge.ts';
import { type Model, present } from './model/model.ts';
import type { Variable } from './model/variable.ts';
import type { MissingSource } from './sources.ts';
import type { Limit, Steps } from './steps.ts';

/** The most steps to describe sets: a third of a second. After that, only examples are shown. */
const MOST_STEPS = 3e7;

/** The most sets that are shown. */
const MOST_SETS = 10;

/** Finds what would change the outcome to `to`. INVARIANT: the present outcome is not `to`. */
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
  // Larger sets were not searched, so neither `found` nor `moreThanThree` would be true.
  if (result === 'found' && confirmed.length === 0)
    return { to, result: 'stopped', size: 0, sets: [], more: 0, isExact: false };
  const shownSets = confirmed
    .map(inTableOrder)
    .sort((one, other) => knownIn(one, model) - knownIn(other, model) || compareIndexes(one, other))
    .slice(0, MOST_SETS);
  const limit = model.work.limit(MOST_STEPS);
  const needs: (readonly NeededFact[])[] = [];
  for (const first of shownSets) {
    const nearest = yield* nearestExamples(model, first, to, limit);
    const set = isConfirmed(nearest) ? nearest : first;
    const needed = yield* describeNeeds(model, set, { to, day, limit });
    needs.push(missingFirst(needed.map((each) => withSource(each, sources))));
  }
  return {
    to,
    // Sets without samples were not checked: one of them may lead to the outcome.
    result: result === 'notFound' ? (isExact ? 'moreThanThree' : 'stopped') : result,
    size,
    sets: needs,
    more: confirmed.length - shownSets.length,
    isExact: isExact && confirmed.length === sets.length,
  };
}

/**
 * Replaces the value of each fact of a set by the nearest one that leads to the outcome while the others keep theirs.
 * The search itself ends with the first values that do.
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

/** Whether a fact has a value, and its values have an order. */
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
  const source = sources.find(({ facts }) => facts.length > 1 && facts.includes(needed.fact));
  return source ? { ...needed, source: source.source } : needed;
}

function missingFirst(needed: readonly NeededFact[]): readonly NeededFact[] {
  const isKnown = ({ is }: NeededFact) => Number(!('missing' in is));
  const rank = ({ source = '' }: NeededFact) => needed.findIndex((each) => each.source === source);
  return [...needed].sort((one, other) => isKnown(one) - isKnown(other) || rank(one) - rank(other));
}

/** The most steps for all retries: a tenth of a second. */
const MOST_RETRY_STEPS = 1e7;

/** The decision that is made again. `outcome` is the present one. */
interface RetryContext {
  readonly facts: Facts;
  readonly day: string;
  readonly outcome: Outcome;
}

/** The outcomes to which each source's answer could lead, and all answers together, which is absent without any. */
export function* findRetries(
  model: Model | undefined,
  sources: readonly MissingSource[],
  context: RetryContext,
): Steps<Failures> {
  const failed = sources.filter(({ cause }) => cause === 'sourceFailed');
  const failedSources: FailedSource[] = [];
  const limited = { ...context, limit: model?.work.limit(MOST_RETRY_STEPS) };
  for (const { cause, ...source } of failed) {
    failedSources.push({ ...source, retry: yield* retryOf(model, source.facts, limited) });
  }
  const [first, ...others] = failedSources;
  if (!first) return { failedSources };
  if (others.length === 0) return { failedSources, retry: first.retry };
  const all = failed.flatMap(({ facts }) => facts);
  return { failedSources, retry: yield* retryOf(model, all, limited) };
}

/** The facts of a model among `paths`. */
export function unitOf({ variables }: Model, paths: readonly string[]): Unit {
  return [...variables.keys()].filter((i) => paths.includes(variables[i]?.path ?? ''));
}

/** The model of the same applicant: facts that no rule reads keep their values too, unless they are missing. */
function sameApplicant(model: Model, facts: Facts): Model {
  const held = (path: string): Fact | undefined => {
    const fact = facts.get(path);
    return fact && isMissing(fact) ? undefined : fact;
  };
  const constraints = model.constraints.map((constraint) => ({
    ...constraint,
    allows: (factOf: LookUp) => constraint.allows((path) => factOf(path) ?? held(path)),
  }));
  return { ...model, constraints };
}

function* retryOf(
  whole: Model | undefined,
  paths: readonly string[],
  { facts, day, outcome, limit }: RetryContext & { readonly limit: Limit | undefined },
): Steps<Retry> {
  if (!whole || !limit) return { outcomes: [], isComplete: false, needs: [] };
  const model = sameApplicant(whole, facts);
  const { judge, form, variables } = model;
  const open = unitOf(model, paths);
  if (open.length === 0) return { outcomes: [outcome], isComplete: true, needs: [] };
  const at = openKnown(model, present(model), open);
  const matcher = matcherOf(model.policy);
  const mostQueries = judge.queries + queryBudget(form.mask.length, variables.length);
  const isOver = () => judge.queries > mostQueries || limit.isReached();
  const outcomes: Outcome[] = [];
  let isComplete = true;
  let needs: readonly NeededFact[] = [];
  for (const to of OUTCOMES) {
    const completed = yield* completeFacts(model, { at, open, isOver }, to);
    if (completed === 'unknown') isComplete = false;
    if (typeof completed === 'string') continue;
    const set: ChangeSet = new Map(open.map((i) => [i, completed[i] as number]));
    if (matcher.outcome(withChanges(facts, model, set), day).outcome !== to) {
      isComplete = false;
      continue;
    }
    if (outcomes.length === 0) needs = yield* describeNeeds(model, set, { to, day, limit });
    outcomes.push(to);
  }
  return { outcomes, isComplete, needs: outcomes.length === 1 && isComplete ? [] : needs };
}
