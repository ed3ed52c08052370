/** What is known so far, and what is still to come -> whether anything to come could change the outcome. */

import { type Facts, isMissing } from '../facts/fact.ts';
import {
  asksWhenUnknown,
  type Condition,
  OUTCOMES,
  type Outcome,
  type Policy,
  type Rule,
  type Test,
} from '../policy/language.ts';
import { bandOf, strictness } from './meaning/outcome.ts';
import { evaluateTest, FALSE, factAt, negate, TRUE, type Truth, UNKNOWN } from './meaning/truth.ts';

/** The truths that something can have, whatever the facts to come turn out to be: never empty, perhaps too many. */
type Truths = ReadonlySet<Truth>;

const ANY: Truths = new Set([TRUE, UNKNOWN, FALSE]);
/** `known` is always true or false. */
const TRUE_OR_FALSE: Truths = new Set([TRUE, FALSE]);

/** What is known so far. */
export interface Known {
  readonly facts: Facts;
  /** Whether a fact is still to come: it may turn out to have any value, or to be missing. */
  isToCome(path: string): boolean;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
}

/**
 * Whether the outcome is the same for every value, and for the absence, of all facts to come. Tests are taken to be
 * independent of each other: where this says yes it is right; where it says no it may be wrong, which costs a call and
 * never a decision.
 */
export function isOutcomeDecided(policy: Policy, rules: readonly Rule[], known: Known): boolean {
  const counted = rules.filter((rule) => !rule.shadow);
  const truths = counted.map((rule) => possibleTruths(rule.when, known));
  return possibleOutcomes(policy, counted, truths).size === 1;
}

function possibleTruths(condition: Condition, known: Known): Truths {
  if (condition.kind === 'test') return testTruths(condition, known);
  const parts = condition.of.map((part) => possibleTruths(part, known));
  switch (condition.kind) {
    case 'all':
      return combine(parts, TRUE, Math.min);
    case 'any':
      return combine(parts, FALSE, Math.max);
    case 'not':
      return new Set([...(parts[0] ?? ANY)].map(negate));
    case 'named':
      return parts[0] ?? ANY;
    case 'atLeastOf':
      return countTruths(parts, condition.count);
  }
}

function testTruths(test: Test, { facts, isToCome, day }: Known): Truths {
  const paths = test.other === undefined ? [test.fact] : [test.fact, test.other];
  if (!paths.some(isToCome)) {
    const other = test.other === undefined ? undefined : factAt(facts, test.other);
    return new Set([evaluateTest(test, factAt(facts, test.fact), other, day)]);
  }
  if (test.operator === 'known') return TRUE_OR_FALSE;
  // A test against a fact that is missing for good stays unknown.
  const isUnknown = paths.some((path) => !isToCome(path) && isMissing(factAt(facts, path)));
  return isUnknown ? new Set([UNKNOWN]) : ANY;
}

/** The combinations of one truth from each part, as `all` (the least) or `any` (the greatest) has them. */
function combine(parts: readonly Truths[], empty: Truth, pick: (one: Truth, other: Truth) => number): Truths {
  let all: Truths = new Set([empty]);
  for (const part of parts) {
    const combined = new Set<Truth>();
    for (const one of all) for (const other of part) combined.add(pick(one, other) as Truth);
    all = combined;
  }
  return all;
}

/** `atLeastOf`: how many parts can be true, and how many can be other than false. */
function countTruths(parts: readonly Truths[], count: number): Truths {
  const parting = (holds: (part: Truths) => boolean) => parts.filter(holds).length;
  const leastTrue = parting((part) => part.size === 1 && part.has(TRUE));
  const mostTrue = parting((part) => part.has(TRUE));
  const leastPossible = parting((part) => !part.has(FALSE));
  const mostPossible = parting((part) => part.has(TRUE) || part.has(UNKNOWN));
  const truths = new Set<Truth>();
  if (mostTrue >= count) truths.add(TRUE);
  if (leastPossible < count) truths.add(FALSE);
  if (leastTrue < count && mostPossible >= count && parts.some((part) => part.has(UNKNOWN))) truths.add(UNKNOWN);
  return truths;
}

/** The outcomes that the rules can come to: by a final rule that decides, or by the strictest of what is asked for. */
function possibleOutcomes(policy: Policy, rules: readonly Rule[], truths: readonly Truths[]): ReadonlySet<Outcome> {
  const outcomes = new Set<Outcome>();
  let reachesEnd = true;
  let mayEndUndecided = false;
  for (const [i, rule] of rules.entries()) {
    if (!rule.final || rule.then === undefined) continue;
    const can = truths[i] ?? ANY;
    const stopsWhenUnknown = asksWhenUnknown(rule) !== null;
    if (can.has(TRUE)) outcomes.add(rule.then);
    if (can.has(UNKNOWN) && stopsWhenUnknown) mayEndUndecided = true;
    reachesEnd = can.has(FALSE) || (can.has(UNKNOWN) && !stopsWhenUnknown);
    if (!reachesEnd) break;
  }
  if (reachesEnd || mayEndUndecided) for (const outcome of askedOutcomes(policy, rules, truths)) outcomes.add(outcome);
  return outcomes;
}

/** Less than any outcome: nothing is asked for. */
const NOTHING = -1;

/** From the mildest to the strictest outcome that can come of what is asked for. */
function askedOutcomes(policy: Policy, rules: readonly Rule[], truths: readonly Truths[]): readonly Outcome[] {
  const score = scoreRange(policy, rules, truths);
  let least = score.least;
  let most = score.most;
  let isCertainAsked = score.isBandSure;
  let mayCertainBeAsked = score.isBandPossible;
  for (const [i, rule] of rules.entries()) {
    const can = truths[i] ?? ANY;
    const asked = [...can].map((truth) => asks(rule, truth));
    least = Math.max(least, Math.min(...asked));
    most = Math.max(most, ...asked);
    if (rule.then === undefined || !can.has(TRUE)) continue;
    mayCertainBeAsked = true;
    if (can.size === 1) isCertainAsked = true;
  }
  // The default is asked for where nothing certain is.
  if (!mayCertainBeAsked) least = Math.max(least, strictness(policy.default));
  if (!isCertainAsked) most = Math.max(most, strictness(policy.default));
  return OUTCOMES.filter((outcome) => strictness(outcome) >= least && strictness(outcome) <= most);
}

function asks(rule: Rule, truth: Truth): number {
  const asked = truth === TRUE ? rule.then : truth === UNKNOWN ? asksWhenUnknown(rule) : null;
  return asked === null || asked === undefined ? NOTHING : strictness(asked);
}

/** The least and the most that the score can ask for, and whether its lower end surely, or perhaps, reaches a band. */
function scoreRange({ score: bands }: Policy, rules: readonly Rule[], truths: readonly Truths[]) {
  const ends = { leastLow: 0, leastHigh: 0, mostLow: 0, mostHigh: 0 };
  for (const [i, rule] of rules.entries()) {
    const { points = 0, whenUnknown } = rule;
    if (points === 0) continue;
    const widens = whenUnknown === 'ignore' ? 0 : points;
    const of = (truth: Truth, unknown: number) => (truth === TRUE ? points : truth === UNKNOWN ? unknown : 0);
    const least = [...(truths[i] ?? ANY)].map((truth) => of(truth, Math.min(widens, 0)));
    const most = [...(truths[i] ?? ANY)].map((truth) => of(truth, Math.max(widens, 0)));
    ends.leastLow += Math.min(...least);
    ends.leastHigh += Math.max(...least);
    ends.mostLow += Math.min(...most);
    ends.mostHigh += Math.max(...most);
  }
  const asked = (band: Outcome | null) => (band === null ? NOTHING : strictness(band));
  const review = (points: number) => (bandOf(bands, points) === null ? NOTHING : strictness('review'));
  return {
    // A band that the upper end reaches asks for review at least, whatever the lower end does.
    least: Math.max(asked(bandOf(bands, ends.leastLow)), review(ends.mostLow)),
    most: Math.max(asked(bandOf(bands, ends.leastHigh)), review(ends.mostHigh)),
    isBandSure: bandOf(bands, ends.leastLow) !== null,
    isBandPossible: bandOf(bands, ends.leastHigh) !== null,
  };
}
