/** The tests of the shipped policies. */

import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runTests } from '../../../src/lab.ts';

const RULES = resolve(import.meta.dirname, '../../../rules');

it('the shipped policies pass their tests, which reach all of their goals', () => {
  const { results, coverage = [] } = runTests([RULES], { allowOnly: false, coverage: true });
  expect(results.filter(({ result }) => result !== 'passed')).toEqual([]);
  const missed = coverage.map(({ coverage: { policy, goals, reached } }) => [policy.name, goals - reached]);
  expect(missed).toEqual(['onboarding', 'onboarding-kyc', 'phone-only'].map((id) => [id, 0]));
});
