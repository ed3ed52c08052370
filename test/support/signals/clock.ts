/**
 * A seed -> three days of calls by a clock that jumps, while that of the service goes on: how many were made with a
 * dead token.
 */

import { startSandbox } from '../../../src/sandbox/index.ts';
import { randomOf } from './chaos-proxy.ts';
import { openClient, requestOf } from './clients.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The result of three days. */
export interface Days {
  readonly calls: number;
  /** Calls that the service refused because their token had expired. */
  readonly refused: number;
  readonly signIns: number;
}

/** The times between two calls, in milliseconds: mostly up to half an hour, now and then a night; three days in all. */
function stepsOf(seed: number): number[] {
  const random = randomOf(seed);
  const steps: number[] = [];
  const total = () => steps.reduce((sum, step) => sum + step, 0);
  while (total() < 72 * HOUR_MS) {
    const longest = random() < 0.03 ? 12 * HOUR_MS : 30 * MINUTE_MS;
    steps.push(Math.floor(random() ** 3 * longest));
  }
  return steps;
}

/**
 * Calls for three days. Where `jumps` is set our clock is put forwards or back now and then, by two hours or by a
 * year: far enough to be seen, for what is set back by less than the time between two calls looks like time that
 * passes.
 */
export async function liveThroughDays(seed: number, jumps: boolean): Promise<Days> {
  const random = randomOf(~seed);
  let serviceClock = Date.parse('2026-03-01T00:00:00Z');
  let offset = 0;
  const sandbox = await startSandbox({ now: () => serviceClock });
  const client = openClient(sandbox.url, { now: () => serviceClock + offset });
  try {
    const steps = stepsOf(seed);
    for (const step of steps) {
      await client.verify(requestOf('r'));
      serviceClock += step;
      const jump = (random() < 0.5 ? -1 : 1) * (random() < 0.2 ? 9000 * HOUR_MS : 2 * HOUR_MS);
      if (jumps && step < HOUR_MS && random() < 0.1) offset += jump;
    }
    const { refused, signIns } = sandbox.counts;
    return { calls: steps.length, refused, signIns };
  } finally {
    client.close();
    await sandbox.close();
  }
}
