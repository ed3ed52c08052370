/** A policy, facts and a day -> why the outcome is what it is, why no other rule fired, and what would change it. */

import { givenFacts } from '../../facts/compute.ts';
import { readDay } from '../../facts/day.ts';
import type { Facts } from '../../facts/fact.ts';
import { asRead } from '../../facts/fact-reader.ts';
import type { Geodata } from '../../platform/formats/geo/geodata.ts';
import { type Kind, type Kinds, MAP, oneOf, readArgument } from '../../platform/given/options.ts';
import { conditionFacts, isActive, type Outcome, type Policy } from '../../policy/language.ts';
import { POLICY } from '../../policy/source-map.ts';
import { matcherOf } from '../matcher/matcher.ts';
import { type RuleTruth, settle } from '../meaning/outcome.ts';
import { factAt, TRUE, UNKNOWN } from '../meaning/truth.ts';
import type { Verdict } from '../meaning/verdict.ts';
import { findChanges, findRetries } from './changes.ts';
import type { Changes, ExplainedShadow, Explanation, Failures, StandsOn } from './explanation.ts';
import { conjunctiveFormOf } from './model/conjunctive-form.ts';
import { createModel, type Model } from './model/model.ts';
import { type DeclaredSource, missingSources } from './sources.ts';
import { type Steps, Work } from './steps.ts';
import { findSufficientFacts } from './sufficient.ts';
import { findMissedRules, findOpenRules, stateOf } from './unfired-rules.ts';

/** The options of an explanation. */
export interface ExplainOptions {
  /** The outcome for which `changes` are sought. Default: accept. */
  readonly to?: Outcome;
  /** The mapping that read the facts. It names the sources that failed; without it, they are `phone`, `email`, `ip`. */
  readonly mapping?: { readonly sources: readonly DeclaredSource[] };
}

const WITH_SOURCES: Kind = {
  expected: 'a mapping, as loadMapping returns it',
  is: (value) => Array.isArray((value as ExplainOptions['mapping'])?.sources),
};

/** The kinds of `ExplainOptions`. */
export const EXPLAIN_OPTIONS: Kinds<ExplainOptions> = {
  'to?': oneOf(['accept', 'review', 'reject']),
  'mapping?': WITH_SOURCES,
};

/** The options of an explanation, and geodata. Without them, a location may be in any country. */
interface ExplainContext extends ExplainOptions {
  readonly geodata: Geodata | undefined;
}

/** The most steps to find the tests that stopped each rule: half a second. */
const MOST_FIX_STEPS = 5e7;

/** Explains the outcome of a policy for facts on a day, step by step. */
export function* explainSteps(
  policy: Policy,
  rawFacts: Facts,
  day: string,
  { to = 'accept', mapping, geodata }: ExplainContext,
): Steps<Explanation> {
  const { facts: table } = readArgument('the policy', POLICY, policy);
  const facts = asRead(readArgument('the facts', MAP, rawFacts), table, readDay(day));
  const verdict = matcherOf(policy).verdict(facts, day);
  yield;
  const { outcome, reasons, score, undetermined } = verdict;
  const work = new Work();
  const { cells, form } = conjunctiveFormOf(policy, day);
  yield;
  const context = { table: policy.facts, cells, facts, day, work, limit: work.limit(MOST_FIX_STEPS) };
  const open = yield* findOpenRules(policy, undetermined, context);
  const notFired = yield* findMissedRules(policy, verdict, context);
  const model = form && (yield* createModel(form, facts, { day, work, geodata }));
  const standsOn = yield* describeSufficient(policy, model, facts, outcome);
  const sources = sourcesOf(policy, facts, day, mapping);
  const retries = yield* findRetries(model, sources, { facts, day, outcome });
  const { name, version, digest, score: bands } = policy;
  const decidedBy = finalRulesOf(policy, verdict);
  return {
    policy: { name, version, digest },
    day,
    outcome,
    ...(decidedBy.length === 0 ? {} : { decidedBy }),
    reasons,
    score,
    bands: Object.fromEntries(Object.entries(bands).filter(([, from]) => from !== undefined)),
    ...retries,
    undetermined: open,
    shadow: explainShadows(policy, verdict),
    notFired,
    standsOn,
    changes: yield* changesTo(to),
  };

  function* changesTo(to: Outcome): Steps<Changes> {
    if (outcome === to) return { to, result: 'there', size: 0, sets: [], more: 0, isExact: true };
    if (!model) return { to, result: 'stopped', size: 0, sets: [], more: 0, isExact: false };
    return yield* findChanges(model, sources, { facts, day, to });
  }
}

/** Only the part of an explanation about sources that did not answer. INVARIANT: the facts come from a reader. */
export function* failureSteps(
  policy: Policy,
  facts: Facts,
  day: string,
  { mapping, geodata }: Pick<ExplainContext, 'mapping' | 'geodata'>,
): Steps<Failures> {
  const sources = sourcesOf(policy, facts, day, mapping);
  if (!sources.some(({ cause }) => cause === 'sourceFailed')) return { failedSources: [] };
  const { form } = conjunctiveFormOf(policy, day);
  const model = form && (yield* createModel(form, facts, { day, work: new Work(), geodata }));
  const outcome = matcherOf(policy).outcome(facts, day).outcome;
  return yield* findRetries(model, sources, { facts, day, outcome });
}

/** The sources of the missing facts that active rules read. */
function sourcesOf(policy: Policy, facts: Facts, day: string, mapping: ExplainOptions['mapping']) {
  const read = givenFacts(conditionFacts(policy.rules.filter((rule) => isActive(rule, day))), policy.facts);
  const paths = [...policy.facts.keys()].filter((path) => read.has(path));
  return missingSources(paths, facts, policy.facts, mapping?.sources);
}

/** The shadow rules, each with the outcome if it were live. */
function explainShadows(policy: Policy, verdict: Verdict): readonly ExplainedShadow[] {
  const byId = new Map(policy.rules.map((rule) => [rule.id, rule]));
  const truthOf = (id: string, truth: RuleTruth['truth']): readonly RuleTruth[] => {
    const rule = byId.get(id);
    return rule ? [{ rule: { ...rule, shadow: false }, truth }] : [];
  };
  const live = [
    ...verdict.reasons.flatMap((reason) => (reason.because === 'fired' ? truthOf(reason.rule, TRUE) : [])),
    ...verdict.undetermined.flatMap(({ rule }) => truthOf(rule, UNKNOWN)),
  ];
  return verdict.shadow.map((each) => {
    const truths = [...live, ...truthOf(each.rule, each.result === 'fires' ? TRUE : UNKNOWN)];
    return { ...each, wouldBe: settle(policy, truths).outcome };
  });
}

/** The final rules that decided alone: the decisive ones, if any fired. */
function finalRulesOf({ rules }: Policy, { reasons }: Verdict): readonly string[] {
  const finals = new Set(rules.filter(({ final }) => final).map(({ id }) => id));
  const ofFinals = reasons.filter((reason) => 'rule' in reason && finals.has(reason.rule));
  if (!ofFinals.some(({ because }) => because === 'fired')) return [];
  return ofFinals.flatMap((reason) => ('rule' in reason && reason.decisive ? [reason.rule] : []));
}

/** Facts that settle the outcome; without a model, all facts that the rules read. */
function* describeSufficient(
  policy: Policy,
  model: Model | undefined,
  facts: Facts,
  outcome: Outcome,
): Steps<StandsOn> {
  const sufficient = model && (yield* findSufficientFacts(model, outcome));
  const paths = sufficient
    ? sufficient.indexes.map((index) => model?.variables[index]?.path ?? '')
    : [...conditionFacts(policy.rules)].filter((path) => policy.facts.has(path));
  const table = { table: policy.facts };
  return {
    facts: paths.map((fact) => ({ fact, is: stateOf(fact, factAt(facts, fact), table) })),
    isIrreducible: sufficient?.isIrreducible ?? false,
  };
}
