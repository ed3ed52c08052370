import { expect, test } from 'vitest';
import { createRateLimiter } from '../../src/signals/limits.ts';

test('turns are spread evenly, and a time without calls does not save up turns', () => {
  let clock = 1_000;
  const limiter = createRateLimiter(4, () => clock);
  expect([limiter.nextTurn(), limiter.nextTurn(), limiter.nextTurn()]).toEqual([0, 250, 500]);
  clock = 10_000;
  expect([limiter.nextTurn(), limiter.nextTurn()]).toEqual([0, 250]);
});

test('a turn beyond the limit is not taken', () => {
  const limiter = createRateLimiter(1, () => 0);
  const waits = [0, 999, 999, 1000].map((limitMs) => limiter.nextTurn(limitMs));
  expect(waits).toEqual([0, undefined, undefined, 1000]);
});

test('a turn that comes at once is taken whatever the limit', () => {
  expect(createRateLimiter(1, () => 0).nextTurn(-1)).toBe(0);
});

test('without a rate every turn comes at once', () => {
  const limiter = createRateLimiter(undefined, () => 0);
  expect([limiter.nextTurn(0), limiter.nextTurn(0), limiter.nextTurn(-1)]).toEqual([0, 0, 0]);
});

test('of a long hold an hour at a time passes without a turn, until a trial ends it or its time is over', () => {
  const hourMs = 3_600_000;
  let clock = 0;
  const limiter = createRateLimiter(undefined, () => clock);
  const turnsAt = (hour: number) => {
    clock = hour * hourMs;
    return [limiter.nextTurn(0), limiter.nextTurn(0)];
  };
  limiter.hold(3 * hourMs);
  expect([0.9, 1, 1.9, 2].map(turnsAt)).toEqual([
    [undefined, undefined],
    [0, undefined],
    [undefined, undefined],
    [0, undefined],
  ]);
  expect(turnsAt(3)).toEqual([0, 0]);
  // The answer to a call that was sent before a hold is no answer to a trial.
  limiter.hold(1_000);
  limiter.endTrial();
  expect(turnsAt(3)).toEqual([undefined, undefined]);
  expect(turnsAt(4)).toEqual([0, 0]);
  limiter.hold(3 * hourMs);
  expect(turnsAt(5)).toEqual([0, undefined]);
  limiter.endTrial();
  expect(turnsAt(5)).toEqual([0, 0]);
});

test('waiting for a turn ends when the signal aborts', async () => {
  const limiter = createRateLimiter(0.001);
  const ending = new AbortController();
  await limiter.waitForTurn(ending.signal);
  let isOver = false;
  const wait = limiter.waitForTurn(ending.signal).then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  ending.abort();
  await wait;
});
