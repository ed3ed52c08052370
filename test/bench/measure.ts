/** Contestants -> how fast each decides, turn by turn beside the others, the middle turn counting. */

import { setFlagsFromString } from 'node:v8';
import type { Contestant } from './contestant.ts';
import { collectGarbage } from './memory.ts';

// Or the code of those who wait for their turn would be thrown away with the garbage of others.
setFlagsFromString('--no-flush-bytecode');

/** How fast one is. */
export interface Speed {
  readonly perSecond: number;
  readonly way: string | undefined;
  /** The sum of all results of the last turn. */
  readonly checksum: number;
}

export interface Pace {
  /** How long one turn is to take, and how long one warms up before the first. */
  readonly turnMs: number;
  readonly turns: number;
  /** Whether the time that counts is what this thread has had of the processor, for a machine that is busy with other things. */
  readonly isThreadTime: boolean;
}

/** As long as a turn may take where one decision alone takes longer than a turn; such a one has fewer turns. */
const SLOW_TURN_MS = 500;
const SLOW_TURNS = 3;

/** One who is ready for its turns. */
interface Ready {
  readonly contestant: Contestant;
  readonly count: number;
  readonly turns: number;
  readonly rates: number[];
  checksum: number;
}

/** Milliseconds of contestants without threads of their own, by the clock and by this thread's time: the rest went to others. */
export const waiting = { clockMs: 0, threadMs: 0 };

/** Measures the fastest of the ways of each, by name. */
export async function race(
  entries: ReadonlyMap<string, readonly Contestant[]>,
  pace: Pace,
): Promise<Map<string, Speed>> {
  const field = new Map<string, Ready>();
  for (const [name, ways] of entries) {
    const rates: number[] = [];
    for (const way of ways) rates.push(await warmUp(way, pace));
    const fastest = rates.indexOf(Math.max(...rates));
    const contestant = ways[fastest];
    if (!contestant) continue;
    const perMs = rates[fastest] ?? 0;
    const count = Math.max(1, Math.round(perMs * pace.turnMs));
    const turns = count / perMs > SLOW_TURN_MS ? Math.min(SLOW_TURNS, pace.turns) : pace.turns;
    field.set(name, { contestant, count, turns, rates: [], checksum: 0 });
  }
  for (let turn = 0; turn < pace.turns; turn++) {
    for (const ready of field.values()) {
      if (turn >= ready.turns) continue;
      const { contestant, count } = ready;
      // None is to pay for what others left behind.
      collectGarbage();
      const { clockMs, threadMs, countedMs, result } = await take(contestant, count, pace);
      ready.checksum = result;
      ready.rates.push((count * contestant.size * 1000) / countedMs);
      if (contestant.hasThreads) continue;
      waiting.clockMs += clockMs;
      waiting.threadMs += threadMs;
    }
  }
  const speeds = [...field].map(([name, { contestant, rates, checksum }]) => {
    return [name, { perSecond: middle(rates), way: contestant.way, checksum }] as const;
  });
  return new Map(speeds);
}

/** One run: how long it took by the clock, by this thread's own time, and by what counts. */
async function take({ run, hasThreads }: Contestant, count: number, { isThreadTime }: Pace) {
  const from = process.threadCpuUsage();
  const began = performance.now();
  const result = await run(count);
  const clockMs = performance.now() - began;
  const { user, system } = process.threadCpuUsage(from);
  const threadMs = (user + system) / 1000;
  return { clockMs, threadMs, countedMs: isThreadTime && !hasThreads ? threadMs : clockMs, result };
}

/** Runs one until it has had its time; gives its runs a millisecond at the end. */
async function warmUp(contestant: Contestant, pace: Pace): Promise<number> {
  const ms = pace.turnMs;
  const end = performance.now() + ms;
  let count = 1;
  for (;;) {
    const { countedMs } = await take(contestant, count, pace);
    const perMs = count / Math.max(countedMs, 1e-3);
    if (performance.now() >= end && (count > 1 || countedMs > ms / 10)) return perMs;
    // A tenth of the time at most, so that the last rate is one of code that is warm.
    count = Math.max(1, Math.min(count * 4, Math.round((perMs * ms) / 10)));
  }
}

/** The middle one of some numbers. */
export function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
