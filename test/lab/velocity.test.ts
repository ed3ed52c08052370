/** Velocities in the lab: two windows are two facts, and tests give counts, which no test can be below 0. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { diffPolicies } from '../../src/lab/diff/diff.ts';
import { runCli } from '../support/cli/cli.ts';
import { HEAD, policyOf, temporaryFolder } from '../support/policy/policy.ts';

const policyText = (within: string, least = 20) => `${HEAD}velocity:
  sameIp: { count: applications, by: ip, within: ${within} }
rules:
  - { id: burst, when: { velocity.sameIp: { atLeast: ${least} } }, then: review }
`;

const partsOf = async (old: string, now: string) => {
  const { regions } = await diffPolicies(policyOf(old), policyOf(now), { at: '2026-11-20' });
  return regions.map(({ from, to }) => `${from} to ${to}`);
};

it('a count within another window is another fact, and may say the opposite', async () => {
  expect(await partsOf(policyText('1 hour'), policyText('60 minutes'))).toEqual([]);
  expect(await partsOf(policyText('1 hour'), policyText('2 hours'))).toEqual(['review to accept', 'accept to review']);
  expect(await partsOf(policyText('1 hour'), policyText('1 hour', 21))).toEqual(['review to accept']);
});

it('tests of a policy give counts, and leave no mutant of a limit alive', async () => {
  const tests = `policy: policy.yaml
at: 2026-11-20
tests:
  - { name: burst, facts: { velocity.sameIp: 20 }, expect: { outcome: review, reasons: [BURST] } }
  - { name: fewer, facts: { velocity.sameIp: 19 }, expect: { outcome: accept } }
  - { name: no store, missing: { "velocity.*": sourceFailed }, expect: { outcome: review } }
`;
  const folder = temporaryFolder({ 'policy.yaml': policyText('1 hour'), 'policy.test.yaml': tests });
  const { exitCode, stdout } = await runCli(['test', join(folder, 'policy.test.yaml'), '--mutate']);
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/3 passed/)]);
  const wrong = temporaryFolder({
    'policy.yaml': policyText('1 hour'),
    'policy.test.yaml': tests.replace('sameIp: 19', 'sameIp: -1'),
  });
  expect((await runCli(['test', join(wrong, 'policy.test.yaml')])).exitCode).not.toBe(0);
});
