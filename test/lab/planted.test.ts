/** Planted bugs still fit the source and the tests, so that `test/soak/planted-lab.ts` can run each of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANTED_BUGS } from '../support/lab/planted.ts';

it('the place of each planted bug is once in the source, and its tests are there', () => {
  const placesOf = (file: string, text: string) =>
    readFileSync(join(import.meta.dirname, '../../src/lab', file), 'utf8').split(text).length - 1;
  const lost = PLANTED_BUGS.filter(({ file, before }) => placesOf(file, before) !== 1);
  expect(lost.map(({ name }) => name)).toEqual([]);
  const tests = new Set(PLANTED_BUGS.flatMap((bug) => bug.tests));
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const isThere = (name: string) => files.some((file) => file.startsWith(`${name}.`) && file.endsWith('.test.ts'));
  expect([...tests].filter((each) => !isThere(each))).toEqual([]);
});
