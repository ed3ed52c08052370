/**
 * A condition and facts, as texts and plain values -> its truth and evidence, by the live runner: the whole way
 * from YAML.
 */

import { runLive } from '../../../src/decision/live/live.ts';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import { readFacts } from '../../../src/facts/read.ts';
import type { Policy } from '../../../src/policy/language.ts';

/** The day on which everything is decided. */
const DAY = '2026-11-20';

/** Facts by path; what is not there is missing. */
export type Given = Readonly<Record<string, unknown>>;

/** The verdict of a policy on facts in hand. */
export async function decide(policy: Policy, given: Given = {}, day = DAY): Promise<Verdict> {
  const values = Object.entries(given).map(([path, value]) => [path, { value }] as const);
  const facts = readFacts(new Map(values), policy.facts, day);
  const { verdict } = await runLive(policy, (path) => facts.get(path) ?? { missing: 'notGiven' }, day);
  return verdict;
}

/** Whether the policy's rule fires, does not, or cannot be decided. */
export async function truthOf(policy: Policy, given: Given = {}, day = DAY): Promise<boolean | 'unknown'> {
  const { reasons, undetermined } = await decide(policy, given, day);
  if (undetermined.length > 0) return 'unknown';
  return reasons.some(({ because }) => because === 'fired');
}

/** The evidence of the first rule that fires. */
export async function evidenceOf(policy: Policy, given: Given = {}, day = DAY) {
  const { reasons } = await decide(policy, given, day);
  return reasons.flatMap((reason) => (reason.because === 'fired' ? reason.evidence : []));
}
