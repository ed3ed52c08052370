/** Planted bugs still fit the source and the tests, so that `test/soak/planted-lab.ts` can run each of them. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANTED_BUGS } from '../support/lab/planted.ts';

it('the place of each planted bug is once in the source, and its tests are there', () => {
  const placesOf = (file: string, text: string) =>
    readFileSync(join(import.meta.dirname, '../../src/lab', file), 'utf8').split(text).length - 1;
  const lost = PLANTED_BUGS.filter(({ file, before }) => placesOf(file, before) !== 1);
  expect(lost.map(({ name }) => name)).toEqual([]);
  const tests = new Set(PLANTED_BUGS.flatMap((bug) => bug.tests));
  expect([...tests].filter((each) => !existsSync(join(import.meta.dirname, `${each}.test.ts`)))).toEqual([]);
});
