/** A policy and a mutant -> the verdicts of the mutant as a policy of its own, and what of them a test can see. */

import { compile } from '../../../src/decision/matcher/matcher.ts';
import { firedReasons, type Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { FactTable } from '../../../src/facts/catalog.ts';
import { setComputed } from '../../../src/facts/compute.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import type { Mutant } from '../../../src/lab/mutate/mutants.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { keepData } from '../../../src/policy/source-map.ts';

/** A matcher of the mutant, for facts as they are read for the policy. */
export function compileMutant(policy: Policy, { change }: Mutant): { verdict(given: Facts, day: string): Verdict } {
  const rules = policy.rules.flatMap((rule, i) => (change.rules.has(i) ? (change.rules.get(i) ?? []) : rule));
  const own: FactTable = change.facts ?? new Map();
  const facts = new Map([...policy.facts, ...own]);
  const changed = { ...policy, rules, facts, default: change.default, score: change.score };
  const matcher = compile(keepData(changed, '{}'));
  return {
    verdict(given, day) {
      const all = new Map(given);
      setComputed(all, own);
      return matcher.verdict(all, day);
    },
  };
}

/** What a test can expect of a verdict, beside notices. */
export function expectable({ outcome, score, undetermined, ...verdict }: Verdict): unknown {
  const rules = firedReasons(verdict).map(({ rule }) => rule);
  return [outcome, score.least, score.most, rules.sort(), undetermined.map(({ rule }) => rule)];
}

/** The notices that a verdict gives, as JSON. */
export function toldBy({ reasons }: Verdict): readonly string[] {
  return reasons.flatMap((each) => (each.decisive && 'notice' in each ? [JSON.stringify(each.notice)] : [])).sort();
}

/** Whether a test that expects what the first verdict says fails on the second. */
export function isSeen(one: Verdict, other: Verdict): boolean {
  const [before, after] = [toldBy(one), toldBy(other)];
  const isTold = before.length === 0 ? after.length === 0 : before.every((notice) => after.includes(notice));
  return JSON.stringify(expectable(one)) !== JSON.stringify(expectable(other)) || !isTold;
}
