import { expect, test } from 'vitest';
import { createRateLimiter } from '../../src/signals/rate-limiter.ts';

test('turns are spread evenly, and a time without calls is not made up for', () => {
  let clock = 1_000;
  const pace = createRateLimiter(4, () => clock);
  expect([pace.nextTurn(9_000), pace.nextTurn(9_000), pace.nextTurn(9_000)]).toEqual([0, 250, 500]);
  clock = 10_000;
  expect([pace.nextTurn(9_000), pace.nextTurn(9_000)]).toEqual([0, 250]);
});

test('a turn that lies beyond the limit is not taken', () => {
  const pace = createRateLimiter(1, () => 0);
  expect([pace.nextTurn(0), pace.nextTurn(999), pace.nextTurn(999), pace.nextTurn(1000)]).toEqual([
    0,
    undefined,
    undefined,
    1000,
  ]);
});
