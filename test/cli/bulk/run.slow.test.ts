/** A run over many rows -> the number of rows in flight and the work per row. */

import { createHook } from 'node:async_hooks';
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { streamTo } from '../../../src/cli/bulk/journal.ts';
import { decideAll } from '../../../src/cli/bulk/run.ts';
import { newTally } from '../../../src/cli/bulk/tally.ts';
import type { Row } from '../../../src/cli/input/applicant-row.ts';
import type { Decider } from '../../../src/decision/decide.ts';
import type { DecideOptions } from '../../../src/decision/decider-options.ts';

/** Decides on rows with a service that answers in the next turn of the event loop. */
async function runOver(
  rows: number,
  concurrency: number,
): Promise<{ readonly promises: number; readonly most: number; readonly deadlineMs: number }> {
  let inFlight = 0;
  let most = 0;
  let shortest = Number.POSITIVE_INFINITY;
  async function decide(_: unknown, { clientReference, deadlineMs = 0 }: DecideOptions) {
    shortest = Math.min(shortest, deadlineMs);
    inFlight += 1;
    most = Math.max(most, inFlight);
    await new Promise(setImmediate);
    inFlight -= 1;
    return { clientReference, outcome: 'accept', signals: { calls: [{ result: 'answered' }] } };
  }
  async function* readAll(): AsyncGenerator<Row> {
    for (let line = 1; line <= rows; line++) {
      yield {
        line,
        end: line,
        applicant: { ip: '203.0.113.11' },
        clientReference: `${line}`,
        context: {},
        variables: {},
      };
    }
  }
  let promises = 0;
  const counting = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises += 1;
    },
  }).enable();
  await decideAll({
    rows: readAll(),
    deciderFor: () => ({ decide }) as unknown as Decider,
    client: { verify: () => Promise.reject(new Error('not asked')) },
    journal: streamTo(new Writable({ write: (_chunk, _encoding, done) => done() })),
    pace: async () => {},
    concurrency,
    context: {},
    resend: false,
    signal: new AbortController().signal,
    tally: newTally(),
    say: async () => {},
    onRow: () => {},
  });
  counting.disable();
  return { promises, most, deadlineMs: shortest };
}

it('has exactly the allowed number of rows in flight', async () => {
  expect((await runOver(50, 7)).most).toBe(7);
});

it('gives a row days to wait for its turn: nobody waits for its decision', async () => {
  expect((await runOver(1, 1)).deadlineMs).toBeGreaterThan(7 * 24 * 60 * 60 * 1000);
});

it('does no more for a row if many are in flight', async () => {
  const few = await runOver(1_500, 10);
  const many = await runOver(1_500, 1_000);
  expect(many.promises).toBeLessThan(2 * few.promises);
});
