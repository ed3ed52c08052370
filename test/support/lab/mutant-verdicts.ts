/** A policy and a mutant -> the mutant as a policy of its own, and what of its verdicts a test can see. */

import { firedReasons, type Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Mutant } from '../../../src/lab/mutation/mutant.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { keepData } from '../../../src/policy/source-map.ts';

/** The mutant as a policy of its own, for the matcher. */
export function asPolicy(policy: Policy, { change }: Mutant): Policy {
  const rules = policy.rules.flatMap((rule, i) => (change.rules.has(i) ? (change.rules.get(i) ?? []) : rule));
  return keepData({ ...policy, rules, default: change.default, score: change.score }, {});
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
