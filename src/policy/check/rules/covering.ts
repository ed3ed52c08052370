/** Rules by cells -> the pairs of which one rule is active and fires whenever the other does. */

import { isWithin, type Region } from '../../cells/conjunctions.ts';
import { OUTCOMES, type Rule } from '../../language.ts';
import type { Check, RuleRegions } from '../context.ts';

/** Looks at a rule and one that fires whenever it does; gives whether it reported the first. */
export type PairCheck = (covered: RuleRegions, covering: RuleRegions, check: Check) => boolean;

/** Comparing this many pairs of rules takes about a second; a policy that needs more is not looked at to the end. */
const MAX_COMPARISONS = 2_000_000;

/** Runs the checks on each rule with each that covers it, until one reports the rule. */
export function checkPairs(check: Check, checks: readonly PairCheck[]): void {
  const { regions, identify, reported } = check;
  const live = regions.filter(({ rule, certain }) => !rule.shadow && certain.length > 0);
  const findCandidates = candidateFinder(live);
  let comparisons = 0;
  for (const covered of live) {
    if (reported.has(covered.rule) || covered.rule.then === undefined) continue;
    for (const covering of findCandidates(covered)) {
      if (++comparisons > MAX_COMPARISONS) return;
      const isSame = identify(covering.rule.when) === identify(covered.rule.when);
      if (isSame || !firesWith(covering, covered)) continue;
      if (checks.some((run) => run(covered, covering, check))) break;
    }
  }
}

/** Whether one rule is active and fires whenever another does. Sound: where it cannot tell, it says no. */
export function firesWith(covering: RuleRegions, covered: RuleRegions): boolean {
  return isActiveWith(covering.rule, covered.rule) && areWithin(covered.certain, covering.certain);
}

/** Whether each region lies in one of the others. */
export function areWithin(inner: readonly Region[], outer: readonly Region[]): boolean {
  return inner.every((region) => outer.some((other) => isWithin(region, other)));
}

/** How strict the outcome is that a rule asks for: higher is stricter, -1 for a rule that asks for none. */
export function strictnessOf({ then }: Rule): number {
  return then === undefined ? -1 : OUTCOMES.indexOf(then);
}

/** Finds rules that may cover one: some conjunction of theirs asks only about facts that the rule asks about too. */
function candidateFinder(rules: readonly RuleRegions[]): (covered: RuleRegions) => Iterable<RuleRegions> {
  const bySubject = new Map<string, RuleRegions[]>();
  const unconditional: RuleRegions[] = [];
  for (const each of rules) {
    for (const subject of new Set(each.certain.map(firstSubject))) {
      const list = subject === undefined ? unconditional : (bySubject.get(subject) ?? []);
      list.push(each);
      if (subject !== undefined) bySubject.set(subject, list);
    }
  }
  return ({ certain }) => {
    const subjects = new Set([...(certain[0]?.sets.keys() ?? [])].map(({ subject }) => subject));
    return new Set([...unconditional, ...[...subjects].flatMap((subject) => bySubject.get(subject) ?? [])]);
  };
}

function firstSubject({ sets }: Region): string | undefined {
  for (const { subject } of sets.keys()) return subject;
  return undefined;
}

function isActiveWith(covering: Rule, covered: Rule): boolean {
  const begins = covering.from === undefined || (covered.from !== undefined && covering.from <= covered.from);
  return begins && (covering.until === undefined || (covered.until !== undefined && covered.until <= covering.until));
}
