/** Mutated answers, in all four shapes: what reading them promises, on a sample of the million that `node test/soak/mutations.ts` tries. */

import { beforeAll, describe, expect, test } from 'vitest';
import { MUTATIONS, mutate, pathsIn, randomOf } from '../../support/facts/mutate.ts';
import { type Tally, tryMutations } from '../../support/facts/mutations.ts';

const SAMPLE = 3000;

describe('of mutated answers', () => {
  let tally: Tally;
  beforeAll(async () => {
    tally = await tryMutations(20_251_120, 0, SAMPLE, 2);
  }, 60_000);

  test('none throws, and each fact is valid or missing with a cause', () => {
    expect(tally.findings).toEqual([]);
    expect(tally.read).toEqual({ cases: SAMPLE, held: SAMPLE });
  });

  test('none is moved to accept by what was taken from it', () => {
    expect(tally.taken.cases).toBeGreaterThan(SAMPLE / 20);
    expect(tally.taken.held).toBe(tally.taken.cases);
  });

  test('there are some of every kind', () => {
    const kinds = Object.keys(MUTATIONS).filter((name) => name !== 'huge');
    for (const name of kinds) expect(tally.injected[name], name).toBeGreaterThan(SAMPLE / kinds.length / 2);
  });
});

test('a seed always gives the same mutations, and leaves the answer as it is', () => {
  const answer = { a: [{ b: 1 }, { c: 'x' }], d: null };
  const before = JSON.stringify(answer);
  const first = (seed: number) => {
    const random = randomOf(seed);
    return Array.from({ length: 50 }, () => mutate(answer, pathsIn(answer), random));
  };
  expect(first(1)).toEqual(first(1));
  expect(first(1)).not.toEqual(first(2));
  expect(JSON.stringify(answer)).toBe(before);
});
