/** What a check can do without. */

import { expect, it } from 'vitest';
import { neededAmong } from '../../../src/lab/question/needed.ts';

it('what is needed beside a thing alone is left out with it', () => {
  const allowed = ['abc', 'ab', 'b'];
  expect(neededAmong([...'abc'], (fewer) => allowed.includes(fewer.join('')))).toEqual(['b']);
});
