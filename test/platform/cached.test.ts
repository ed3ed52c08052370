/** What is worked out once for each object. */

import { expect, it } from 'vitest';
import { cached } from '../../src/platform/cached.ts';

it('works once for each object, and gives each its own', () => {
  let calls = 0;
  const sizeOf = cached((texts: readonly string[]) => {
    calls += 1;
    return texts.length;
  });
  const [none, one]: [string[], string[]] = [[], ['a']];
  expect([none, one, none, one].map(sizeOf)).toEqual([0, 1, 0, 1]);
  expect(calls).toBe(2);
});
