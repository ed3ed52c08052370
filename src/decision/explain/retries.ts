/** A model and the sources that did not answer -> what their answers could lead to. */

import { type Fact, type Facts, isMissing } from '../../facts/fact.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import { matcherOf } from '../matcher/matcher.ts';
import { completeFacts, openKnown } from './complete-facts.ts';
import type { ChangeSet, Unit } from './counterfactuals.ts';
import { describeNeeds, withChanges } from './describe-change.ts';
import type { FailedSource, Failures, NeededFact, Retry } from './explanation.ts';
import type { LookUp } from './model/constraints.ts';
import { queryBudget } from './model/judge.ts';
import { type Model, present } from './model/model.ts';
import type { MissingSource } from './sources.ts';
import type { Limit, Steps } from './steps.ts';

/** The most steps for all of them: a tenth of a second. */
const MOST_STEPS = 1e7;

/** What is decided again. `outcome` is the present one. */
interface RetryContext {
  readonly facts: Facts;
  readonly day: string;
  readonly outcome: Outcome;
}

/** What the answer of each source could lead to, and what all of them together could; the latter absent without any. */
export function* findRetries(
  model: Model | undefined,
  sources: readonly MissingSource[],
  context: RetryContext,
): Steps<Failures> {
  const failed = sources.filter(({ cause }) => cause === 'sourceFailed');
  const failedSources: FailedSource[] = [];
  const limited = { ...context, limit: model?.work.limit(MOST_STEPS) };
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
    const found = yield* completeFacts(model, { at, open, isOver }, to);
    if (found === 'unknown') isComplete = false;
    if (typeof found === 'string') continue;
    const set: ChangeSet = new Map(open.map((i) => [i, found[i] as number]));
    if (matcher.outcome(withChanges(facts, model, set), day).outcome !== to) {
      isComplete = false;
      continue;
    }
    if (outcomes.length === 0) needs = yield* describeNeeds(model, set, { to, day, limit });
    outcomes.push(to);
  }
  return { outcomes, isComplete, needs: outcomes.length === 1 && isComplete ? [] : needs };
}
