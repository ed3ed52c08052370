/** Who was let in then, as the outcome, people and the holdout have it; and what a row may say of it. */

import { expect, it } from 'vitest';
import type { DecidedLine } from '../../../src/facts/facts-line.ts';
import { type DecidedThen, readDecided, wasLetIn, weightOf } from '../../../src/lab/backtest/decided-then.ts';

it.each<[DecidedThen, boolean | undefined, number]>([
  [{ outcome: 'accept' }, true, 1],
  [{ outcome: 'accept', disposition: null }, true, 1],
  [{ outcome: 'accept', disposition: 'decline' }, false, 1],
  [{ outcome: 'accept', holdout: 0.1 }, true, 1],
  [{ outcome: 'review' }, true, 1],
  [{ outcome: 'review', disposition: null }, undefined, 1],
  [{ outcome: 'review', disposition: 'approve' }, true, 1],
  [{ outcome: 'review', disposition: 'approve', holdout: 0.5 }, true, 1],
  [{ outcome: 'review', disposition: 'decline' }, false, 1],
  [{ outcome: 'review', disposition: 'decline', holdout: 0.5 }, true, 2],
  [{ outcome: 'reject' }, false, 1],
  [{ outcome: 'reject', disposition: 'approve' }, true, 1],
  [{ outcome: 'reject', holdout: 0.02 }, true, 50],
  [{ outcome: 'reject', holdout: 1 }, true, 1],
  [{}, undefined, 1],
  [{ holdout: 0.5 }, true, 2],
])('%j was let in: %s, and stands for %s', (decided, isLetIn, weight) => {
  expect([wasLetIn(decided), weightOf(decided)]).toEqual([isLetIn, weight]);
});

it.each([
  [undefined, {}],
  [{ outcome: null }, {}],
  [
    { outcome: 'reject', disposition: null, holdout: '0.02' },
    { outcome: 'reject', disposition: null, holdout: 0.02 },
  ],
  [{ outcome: ' ', disposition: '', holdout: '' }, { disposition: null }],
  [{ disposition: 'decline', holdout: 0 }, { disposition: 'decline' }],
])('a row may say %j', (line, decided) => {
  expect(readDecided(line)).toEqual(decided);
});

it.each<[DecidedLine, string]>([
  [{ outcome: 'Accept' }, '"outcome" is none of accept, review and reject; did you mean "accept"?'],
  [{ outcome: 'jane@example.com' }, '"outcome" is none of accept, review and reject'],
  [{ disposition: 'declined' }, '"disposition" is none of approve and decline; did you mean "decline"?'],
])('but not %j', (line, problem) => {
  expect(readDecided(line)).toEqual({ problem });
});

it.each(['2%', '0,02', '-0.1', '1.01', 'NaN', true, 'Infinity', []])('no probability is %j', (holdout) => {
  const problem = 'the probability of the holdout has to be a number from 0 to 1, with a point: 0.05';
  expect(readDecided({ holdout })).toEqual({ problem });
});
