/** What programs may give to the questions of `verdict-engine/lab`. */

import { expect, it } from 'vitest';
import { loadPolicyText } from '../../src/index.ts';
import {
  coverage,
  diffPolicies,
  findDifference,
  type PropertyOptions,
  proveProperties,
  recordTest,
  runTests,
  suggestTests,
} from '../../src/lab.ts';

const load = (text: string) => loadPolicyText(`policy: signup\nversion: "1"\ndefault: accept\n${text}`);

const POLICY = load('rules: [{ id: voip, when: { phone.type: voip }, then: review }]');
const OTHER = load(
  'facts: { context.channel: { type: string } }\nrules: [{ id: web, when: { context.channel: web }, then: review }]',
);
const AT = { at: '2026-11-20' };

it.each<[string, () => unknown, string]>([
  ['a day that does not exist', () => diffPolicies(POLICY, POLICY, { at: '2026-02-30' }), 'at has to be'],
  ['no day', () => findDifference(POLICY, POLICY, {} as typeof AT), 'at is missing'],
  ['no time', () => proveProperties(POLICY, { ...AT, steps: 0 }), 'steps has to be'],
  ['no region', () => diffPolicies(POLICY, POLICY, { ...AT, mostRegions: 0 }), 'mostRegions has to be'],
  [
    'an unknown option',
    () => proveProperties(POLICY, { ...AT, property: [] } as PropertyOptions),
    'unknown key "property"',
  ],
  ['a copy of a policy', () => diffPolicies(POLICY, { ...POLICY }, AT), 'the new policy must be a policy'],
  ['a copy of a policy to prove', () => proveProperties({ ...POLICY }, AT), 'the policy must be a policy'],
  ['a copy of a policy to cover', () => coverage({ ...POLICY }, []), 'the policy must be a policy'],
  ['an earlier copy', () => coverage(POLICY, [], { since: { ...POLICY } }), 'since has to be a policy'],
  ['a text as a condition', () => diffPolicies(POLICY, POLICY, { ...AT, where: 'voip' as never }), 'where has to be'],
  ['a path of tests', () => runTests('rules' as never), 'the paths must be'],
  ['a path of tests to add to', () => suggestTests('rules' as never), 'the paths must be'],
  ['no time for suggestions', () => suggestTests([], { steps: 0 }), 'steps has to be'],
  ['facts that are no map', () => recordTest({ ...AT, policy: POLICY, facts: {} as never }), 'facts has to be a Map'],
  ['a copy of a policy to test', () => recordTest({ ...AT, policy: { ...POLICY }, facts: new Map() }), 'policy has to'],
])('refuses %s', async (_, ask, message) => {
  const asked = (async () => ask())();
  await expect(asked).rejects.toMatchObject({ name: 'VerdictError', message: expect.stringContaining(message) });
});

it('refuses a condition on a fact that the new policy does not have', async () => {
  const where = OTHER.rules[0]?.when;
  const compared = diffPolicies(OTHER, POLICY, { ...AT, where });
  await expect(compared).rejects.toMatchObject({
    code: 'REQUEST_INVALID',
    message: 'the policy has no fact context.channel',
  });
});
