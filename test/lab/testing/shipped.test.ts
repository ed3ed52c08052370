/** The tests of the shipped policies. */

import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { runTests } from '../../../src/lab.ts';

const RULES = resolve(import.meta.dirname, '../../../rules');

it('the shipped policies pass their tests', () => {
  const { results, passed } = runTests([RULES], { allowOnly: false });
  expect(results.filter(({ result }) => result !== 'passed')).toEqual([]);
  expect(passed).toBeGreaterThan(80);
});
