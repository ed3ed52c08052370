/** Contestants -> the speed of each: the median of its turns, taken in rotation with the others. */

import { setFlagsFromString } from 'node:v8';
import type { Contestant } from './contestant.ts';
import { collectGarbage } from './memory.ts';

// Without this flag, a garbage collection would discard the bytecode of contestants that wait for their turn.
setFlagsFromString('--no-flush-bytecode');

/** The speed of a contestant. */
export interface Speed {
  readonly perSecond: number;
  readonly way: string | undefined;
  /** The sum of all results of the last turn. */
  readonly checksum: number;
}

export interface Pace {
  /** The length of a turn, and of the warm-up before the first. */
  readonly turnMs: number;
  readonly turns: number;
  /**
   * Whether to measure the processor time of this thread instead of elapsed time, for a machine that is busy with
   * other work.
   */
  readonly isThreadTime: boolean;
}

/** If a turn takes longer than this because one decision alone takes longer, the contestant gets fewer turns. */
const SLOW_TURN_MS = 500;
const SLOW_TURNS = 3;

/** A contestant after its warm-up. */
interface Ready {
  readonly contestant: Contestant;
  readonly count: number;
  readonly turns: number;
  readonly rates: number[];
  checksum: number;
}

/**
 * The total time of contestants without threads of their own, elapsed and as processor time. The difference went to
 * other programs.
 */
export const waiting = { clockMs: 0, threadMs: 0 };

/** Measures each contestant by name, in the fastest of its variants. */
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
      // No contestant pays for the garbage of another.
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

/** Makes one run and returns its elapsed time, the processor time of this thread, and which of them counts. */
async function take({ run, hasThreads }: Contestant, count: number, { isThreadTime }: Pace) {
  const from = process.threadCpuUsage();
  const began = performance.now();
  const result = await run(count);
  const clockMs = performance.now() - began;
  const { user, system } = process.threadCpuUsage(from);
  const threadMs = (user + system) / 1000;
  return { clockMs, threadMs, countedMs: isThreadTime && !hasThreads ? threadMs : clockMs, result };
}

/** Runs a contestant for the length of a turn and returns its final rate, in decisions per millisecond. */
async function warmUp(contestant: Contestant, pace: Pace): Promise<number> {
  const ms = pace.turnMs;
  const end = performance.now() + ms;
  let count = 1;
  for (;;) {
    const { countedMs } = await take(contestant, count, pace);
    const perMs = count / Math.max(countedMs, 1e-3);
    if (performance.now() >= end && (count > 1 || countedMs > ms / 10)) return perMs;
    // Each run takes at most a tenth of the time, so that the last one measures warm code.
    count = Math.max(1, Math.min(count * 4, Math.round((perMs * ms) / 10)));
  }
}

/** The median (of an even count, the upper one). */
export function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
