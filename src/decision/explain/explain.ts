/** A policy, facts and a day -> why the decision comes out as it does, why not otherwise, and what would change it. */

import { type Facts, isMissing } from '../../facts/fact.ts';
import type { Outcome, Policy } from '../../policy/language.ts';
import { matcherOf } from '../matcher/matcher.ts';
import { factAt } from '../meaning/truth.ts';
import type { Verdict } from '../meaning/verdict.ts';
import { type ChangeSet, searchCounterfactuals } from './counterfactuals.ts';
import { describeNeeds, withChanges } from './describe-change.ts';
import type { Changes, Explanation, NeededFact, StandsOn } from './explanation.ts';
import { createModel, type Model } from './model/model.ts';
import { findSufficientFacts } from './sufficient.ts';
import { missedRules, openRules, stateOf } from './unfired-rules.ts';

/** What an explanation is of, beside policy, facts and day. */
export interface ExplainOptions {
  /** The outcome that is asked about: what would lead to it. Default: accept. */
  readonly to?: Outcome;
}

/**
 * Explains the decision of a policy on facts, as `readFacts` gives them, on a day (yyyy-MM-dd). Nothing is asked of anybody:
 * the day stays what it is, and the applicant's phone number, email and IP stay theirs.
 */
export function explain(policy: Policy, facts: Facts, day: string, options: ExplainOptions = {}): Explanation {
  const { to = 'accept' } = options;
  const verdict = matcherOf(policy).verdict(facts, day);
  const { outcome, reasons, score, undetermined, shadow } = verdict;
  const model = createModel(policy, facts, day);
  const world = { table: policy.facts, cells: model.form.cells, facts, day };
  const { name, version, digest, score: bands } = policy;
  const decidedBy = finalRule(policy, verdict);
  return {
    policy: { name, version, digest },
    day,
    outcome,
    ...(decidedBy === undefined ? {} : { decidedBy }),
    reasons,
    score,
    bands: {
      ...(bands.review === undefined ? {} : { review: bands.review }),
      ...(bands.reject === undefined ? {} : { reject: bands.reject }),
    },
    undetermined: openRules(policy, undetermined, world),
    shadow,
    notFired: missedRules(policy, verdict, world),
    standsOn: standsOn(model, facts, outcome),
    changes:
      outcome === to ? { to, result: 'there', sets: [], more: 0, isExact: true } : changes(model, facts, day, to),
  };
}

/** The final rule that decided alone: the first that fired, unless one before it asks though it could not be decided. */
function finalRule({ rules }: Policy, { reasons }: Verdict): string | undefined {
  const because = new Map(reasons.flatMap((reason) => ('rule' in reason ? [[reason.rule, reason.because]] : [])));
  const first = rules.find(({ id, final }) => final && because.has(id));
  return first && because.get(first.id) === 'fired' ? first.id : undefined;
}

function standsOn(model: Model, facts: Facts, outcome: Outcome): StandsOn {
  const { places, least } = findSufficientFacts(model, outcome);
  const paths = places.map((place) => model.variables[place]?.path ?? '');
  const table = { table: model.policy.facts };
  return { facts: paths.map((fact) => ({ fact, is: stateOf(fact, factAt(facts, fact), table) })), least };
}

/** So many sets are shown. */
const MOST_SETS = 10;

function changes(model: Model, facts: Facts, day: string, to: Outcome): Changes {
  const { result, sets, isExact } = searchCounterfactuals(model, to);
  const isConfirmed = (set: ChangeSet) =>
    matcherOf(model.policy).outcome(withChanges(facts, model, set), day).outcome === to;
  const confirmed = sets.filter(isConfirmed);
  const shown = confirmed
    .map(inOrder)
    .sort((one, other) => knownIn(one, model) - knownIn(other, model) || comparePlaces(one, other))
    .slice(0, MOST_SETS)
    .map((set) => describeNeeds(model, set, to, day));
  return {
    to,
    result: result === 'notFound' || (result === 'found' && shown.length === 0) ? 'moreThanThree' : result,
    sets: shown.map(missingFirst),
    more: confirmed.length - shown.length,
    isExact: isExact && confirmed.length === sets.length,
  };
}

/** How many facts of a set are known: what is missing can be had without anybody being other than they are. */
function knownIn(set: ChangeSet, { variables }: Model): number {
  const facts = [...set.keys()].flatMap((place) => variables[place]?.choices[0]?.fact ?? []);
  return facts.filter((fact) => !isMissing(fact)).length;
}

function inOrder(set: ChangeSet): ChangeSet {
  return new Map([...set].sort(([one], [other]) => one - other));
}

/** As their facts stand in the policy's table. */
function comparePlaces(one: ChangeSet, other: ChangeSet): number {
  const places = [...other.keys()];
  for (const [i, place] of [...one.keys()].entries()) {
    const difference = place - (places[i] ?? place);
    if (difference !== 0) return difference;
  }
  return 0;
}

function missingFirst(needed: readonly NeededFact[]): readonly NeededFact[] {
  const isKnown = ({ is }: NeededFact) => Number(!('missing' in is));
  return [...needed].sort((one, other) => isKnown(one) - isKnown(other));
}
