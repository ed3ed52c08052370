/** Facts that no reader made, with values that they cannot have: every runner treats them alike. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFacts } from '../../src/decision/matcher/encoded-facts.ts';
import { compile } from '../../src/decision/matcher/matcher.ts';
import type { Fact } from '../../src/facts/fact.ts';
import { canonicalJson } from '../../src/platform/digest.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { aCase } from '../support/runners/arbitrary.ts';
import { decideLive, loadPlainPolicy } from '../support/runners/case.ts';
import { sampled } from '../support/sampled.ts';

const VALUES: readonly unknown[] = [
  '11/20/2026',
  '2026-11-31',
  '2026-11-20T10:00Z',
  '',
  'never',
  'High',
  'high',
  '80',
  80,
  80.5,
  1e300,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  'true',
  new Date(0),
  ['voip'],
  { value: 1 },
  null,
  undefined,
  10n,
];

test('the runners agree on values that facts cannot have', async () => {
  const folder = temporaryFolder();
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(aCase({ applicants: 2 }), fc.infiniteStream(fc.constantFrom(...VALUES)), async (given, values) => {
      const policy = loadPlainPolicy(given.policy, folder);
      const matcher = compile(policy);
      for (const applicant of given.applicants) {
        const facts = new Map(
          Object.keys(applicant).map((path): [string, Fact] => [path, { value: values.next().value } as Fact]),
        );
        const live = await decideLive(policy, facts, given.day);
        const encoded = encodeFacts(facts, policy.facts);
        expect(canonicalJson(matcher.verdict(facts, given.day))).toBe(canonicalJson(live));
        expect(canonicalJson(matcher.verdict(encoded, given.day))).toBe(canonicalJson(live));
        expect(matcher.outcome(facts, given.day)).toEqual({ outcome: live.outcome, score: live.score });
        decided++;
      }
    }),
    { numRuns: sampled(40, 2000) },
  );
  expect(decided).toBe(2 * sampled(40, 2000));
});
