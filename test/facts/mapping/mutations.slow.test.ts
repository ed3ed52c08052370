/**
 * Mutated answers in all four shapes -> the promises of reading them, on a sample of the million that
 * `node test/soak/mutations.ts` tries.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { MUTATIONS, mutate, pathsIn, randomOf } from '../../support/facts/mutate.ts';
import { type Tally, tryMutations } from '../../support/facts/mutations.ts';
import { sampled } from '../../support/sampled.ts';

const SAMPLE = sampled(270, 3000);

describe('of mutated answers', () => {
  let tally: Tally;
  beforeAll(async () => {
    tally = await tryMutations(20_251_120, 0, SAMPLE, 2);
  });

  test('none makes the reader throw, and each fact is valid or missing with a cause', () => {
    expect(tally.findings).toEqual([]);
    expect(tally.read).toEqual({ cases: SAMPLE, held: SAMPLE });
  });

  test('removing something from an answer never leads to accept', () => {
    expect(tally.taken.cases).toBeGreaterThan(SAMPLE / 20);
    expect(tally.taken.held).toBe(tally.taken.cases);
  });

  test('every kind of mutation occurs', () => {
    const kinds = Object.keys(MUTATIONS).filter((name) => name !== 'huge');
    for (const name of kinds) expect(tally.injected[name], name).toBeGreaterThan(SAMPLE / kinds.length / 2);
  });
});

test('a seed always gives the same mutations and does not change the original answer', () => {
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
