/** Tests that programs are given: suggested ones, and those of decisions. */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadPolicy } from '../../../src/index.ts';
import { recordTest, runTests, suggestTests } from '../../../src/lab.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}parameters: { least: 80 }
rules:
  - { id: risky, when: { phone.score: { atLeast: "$least" } }, then: review }
  - { id: gone, when: { phone.type: voip, identity.verified: true, phone.porting.portCount: { above: 3 } }, then: reject }
`;
const TESTS = `policy: policy.yaml
at: 2026-11-20
tests:
  - { name: one, facts: { phone.score: 9 }, expect: { score: 0 } }
`;

it('are what no test reaches, ready to be written below the others', async () => {
  const folder = temporaryFolder({
    ...{ 'policy.yaml': POLICY, 'b.test.yaml': TESTS },
    'a.test.yaml': TESTS.replace('tests:', 'with: { least: 90 }\ntests:'),
  });
  const file = join(folder, 'b.test.yaml');
  const [found, ...others] = await suggestTests([folder]);
  expect(others).toEqual([]);
  // Not the file that tests the policy with other parameters.
  expect(found).toMatchObject({ file, policy: { name: 'test', version: '1' }, unproved: undefined });
  const before = runTests([file], { coverage: true }).coverage?.[0]?.coverage;
  for (const { yaml } of found?.tests ?? []) appendFileSync(file, yaml.replaceAll(/^(?=.)/gm, '  '));
  const { failed, coverage } = runTests([file], { coverage: true });
  const after = coverage?.[0]?.coverage;
  expect(failed).toBe(0);
  const left = (found?.open.length ?? 0) + (found?.unreachable.length ?? 0);
  expect((after?.goals ?? 0) - (after?.reached ?? 0)).toBe(left);
  expect(after?.reached).toBeGreaterThan(before?.reached ?? 0);
  expect(found?.tests.flatMap(({ reaches }) => reaches)).toContain('rule risky fires');
});

it('are of a decision, with an invented applicant or with none', () => {
  const folder = temporaryFolder({ 'policy.yaml': POLICY });
  const decided = { at: '2026-11-20', policy: loadPolicy(join(folder, 'policy.yaml')) };
  const facts = new Map([['phone.score', { value: 91 }]]);
  expect(recordTest({ ...decided, facts })).toEqual({
    yaml: `- name: review on 2026-11-20 for RISKY
  at: 2026-11-20
  facts: { phone.score: 80 }
  expect: { outcome: review, reasons: [RISKY], undetermined: [gone] }
`,
  });
  const named = `${HEAD}rules: [{ id: one, when: { applicant.phoneNo: "447400123456" }, then: reject }]`;
  const ofOne = new Map([['applicant.phoneNo', { value: '447400123456' }]]);
  expect(recordTest({ at: '2026-11-20', policy: policyOf(named), facts: ofOne })).toEqual({
    problem: 'a rule asks for the very value of applicant.phoneNo, so that none can be invented',
  });
});
