/** A policy, facts and a day -> why the outcome is what it is, why no other rule fired, and what would change it. */

import type { Facts } from '../../facts/fact.ts';
import type { Outcome, Policy } from '../../policy/language.ts';
import { matcherOf } from '../matcher/matcher.ts';
import { factAt } from '../meaning/truth.ts';
import type { Verdict } from '../meaning/verdict.ts';
import { findChanges } from './changes.ts';
import type { Explanation, StandsOn } from './explanation.ts';
import { createModel, type Model } from './model/model.ts';
import { findSufficientFacts } from './sufficient.ts';
import { findMissedRules, findOpenRules, stateOf } from './unfired-rules.ts';

export interface ExplainOptions {
  /** The outcome for which `changes` are sought. Default: accept. */
  readonly to?: Outcome;
}

/**
 * Explains the outcome of a policy for facts, as `readFacts` returns them, on a day (yyyy-MM-dd). It requests
 * no signals. The day and the applicant's phone number, email and IP are taken as given: no change of them is
 * considered.
 */
export function explain(policy: Policy, facts: Facts, day: string, options: ExplainOptions = {}): Explanation {
  const { to = 'accept' } = options;
  const verdict = matcherOf(policy).verdict(facts, day);
  const { outcome, reasons, score, undetermined, shadow } = verdict;
  const model = createModel(policy, facts, day);
  const context = { table: policy.facts, cells: model.form.cells, facts, day };
  const { name, version, digest, score: bands } = policy;
  const decidedBy = finalRuleOf(policy, verdict);
  return {
    policy: { name, version, digest },
    day,
    outcome,
    ...(decidedBy === undefined ? {} : { decidedBy }),
    reasons,
    score,
    bands: Object.fromEntries(Object.entries(bands).filter(([, from]) => from !== undefined)),
    undetermined: findOpenRules(policy, undetermined, context),
    shadow,
    notFired: findMissedRules(policy, verdict, context),
    standsOn: describeSufficient(model, facts, outcome),
    changes:
      outcome === to ? { to, result: 'there', sets: [], more: 0, isExact: true } : findChanges(model, facts, day, to),
  };
}

/**
 * The final rule that decided alone: the first that fired, unless an undetermined final rule before it asks
 * for an outcome.
 */
function finalRuleOf({ rules }: Policy, { reasons }: Verdict): string | undefined {
  const because = new Map(reasons.flatMap((reason) => ('rule' in reason ? [[reason.rule, reason.because]] : [])));
  const first = rules.find(({ id, final }) => final && because.has(id));
  return first && because.get(first.id) === 'fired' ? first.id : undefined;
}

function describeSufficient(model: Model, facts: Facts, outcome: Outcome): StandsOn {
  const { indexes, isIrreducible } = findSufficientFacts(model, outcome);
  const paths = indexes.map((index) => model.variables[index]?.path ?? '');
  const table = { table: model.policy.facts };
  return { facts: paths.map((fact) => ({ fact, is: stateOf(fact, factAt(facts, fact), table) })), isIrreducible };
}
