/** How many items a command has read -> its progress line, unless the command ends within a second. */

import { count } from '../../text.ts';
import type { Io } from '../io.ts';
import { createProgressLine, createRate } from './progress.ts';

/** On a terminal, a command that ends earlier shows nothing. */
const SILENT_MS = 1000;

export interface Counter {
  /** `read` items so far. Costs next to nothing: call it for each item. */
  tell(read: number): void;
  end(): Promise<void>;
}

/** Begins to count items called `noun`; `now` is a clock in milliseconds that never goes back. */
export function startCounter(
  io: Pick<Io, 'stderr'>,
  noun: string,
  now: () => number = () => performance.now(),
): Counter {
  const line = createProgressLine(io);
  const rate = createRate();
  const begun = now();
  rate(0, begun);
  let next = begun + (line.isTerminal ? SILENT_MS : line.everyMs);
  return {
    tell(read) {
      const at = now();
      if (at < next) return;
      next = at + line.everyMs;
      line.draw(`${count(read, noun)} read  ${Math.round(rate(read, at))}/s`);
    },
    end: () => line.end(),
  };
}

/** Counts while `work` runs, and erases the line however it ends. */
export async function counting<Result>(
  io: Pick<Io, 'stderr'>,
  noun: string,
  work: (tell: Counter['tell']) => Promise<Result>,
): Promise<Result> {
  const counter = startCounter(io, noun);
  try {
    return await work(counter.tell);
  } finally {
    await counter.end();
  }
}
