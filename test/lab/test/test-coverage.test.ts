/** Files of tests that name the same policy cover it together. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runTests } from '../../../src/lab.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules: [{ id: voip, when: { phone.type: voip }, then: review }]\n`;

const tests = (policy: string, type: string) => `policy: ${policy}
at: 2026-11-20
tests: [{ name: one, facts: { phone.type: ${type} }, expect: { score: 0 } }]
`;

it('each policy has its coverage, by all files that test it', () => {
  const folder = temporaryFolder({
    ...{ 'p.yaml': POLICY, 'q.yaml': POLICY },
    ...{ 'a.test.yaml': tests('p.yaml', 'voip'), 'b.test.yaml': tests('p.yaml', 'mobile') },
    'c.test.yaml': tests('q.yaml', 'mobile'),
  });
  const { coverage = [] } = runTests([folder], { coverage: true });
  const counts = coverage.map((each) => [each.coverage.cases, each.coverage.reached, [...each.texts]]);
  expect(counts).toEqual([
    [2, 4, [[join(folder, 'p.yaml'), POLICY]]],
    [1, 2, [[join(folder, 'q.yaml'), POLICY]]],
  ]);
  expect(runTests([folder])).not.toHaveProperty('coverage');
});

it('a policy whose tests are all skipped is covered by none', () => {
  const skipped = tests('p.yaml', 'voip').replace('name: one,', 'name: one, skip: later,');
  const folder = temporaryFolder({ 'p.yaml': POLICY, 'a.test.yaml': skipped });
  const { coverage = [] } = runTests([folder], { coverage: true });
  expect(coverage.map((each) => [each.coverage.cases, each.coverage.reached])).toEqual([[0, 0]]);
});
