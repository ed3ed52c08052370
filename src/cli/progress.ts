/** How far a command is -> one line on stderr: redrawn in place on a terminal, printed now and then elsewhere. */

import type { Writable } from 'node:stream';
import { cutTo } from '../report/plain-text.ts';
import { count } from '../text.ts';
import { type Io, isTerminal, say } from './io.ts';

/** Often enough to look alive, seldom enough to cost nothing. */
const REDRAW_EVERY_MS = 250;
/** For logs, where each line stays. */
const LOG_EVERY_MS = 10_000;
/** The rate is that of about the last ten seconds. */
const RATE_WINDOW_MS = 10_000;

/** A line that is redrawn; write errors are ignored, since the exit code says how the command ended. */
export type ProgressLine = ReturnType<typeof createProgressLine>;

export function createProgressLine({ stderr }: Pick<Io, 'stderr'>) {
  const isDrawn = isTerminal(stderr);
  let hasLine = false;
  const erase = () => (hasLine ? '\r\x1b[K' : '');
  return {
    isTerminal: isDrawn,
    everyMs: isDrawn ? REDRAW_EVERY_MS : LOG_EVERY_MS,
    draw(text: string) {
      hasLine = isDrawn;
      void say(stderr, isDrawn ? `\r${cutTo(text, columnsNow(stderr) - 1, '')}\x1b[K` : `verdict: ${text}\n`);
    },
    /** Prints a message above the line. */
    say: (text: string) => say(stderr, `${erase()}verdict: ${text}\n`),
    end: () => say(stderr, erase()),
  };
}

/** Now, since the window can be resized; a wrapped line could not be redrawn. Some terminals say that they have 0. */
function columnsNow(stream: Writable): number {
  return ('columns' in stream && typeof stream.columns === 'number' && stream.columns) || 80;
}

/** Counts with their times in milliseconds -> the rate per second over the last of them. */
export function createRate(): (count: number, nowMs: number) => number {
  const samples: { readonly count: number; readonly at: number }[] = [];
  return (count, at) => {
    samples.push({ count, at });
    while (samples.length > 2 && at - (samples[1]?.at ?? at) >= RATE_WINDOW_MS) samples.shift();
    const [first] = samples;
    return first && at > first.at ? ((count - first.count) / (at - first.at)) * 1000 : 0;
  };
}

/** On a terminal, a command that ends earlier shows nothing. */
const SILENT_MS = 1000;

export type Counter = ReturnType<typeof startCounter>;

/** Begins to count items called `noun`; `now` is a clock in milliseconds that never goes back. */
export function startCounter(io: Pick<Io, 'stderr'>, noun: string, now: () => number = () => performance.now()) {
  const line = createProgressLine(io);
  const rate = createRate();
  const begun = now();
  rate(0, begun);
  let next = begun + (line.isTerminal ? SILENT_MS : line.everyMs);
  return {
    /** `read` items so far, and their share of all, 0 to 1, where it is known. It is cheap: call it for each item. */
    tell(read: number, share?: number) {
      const at = now();
      if (at < next) return;
      next = at + line.everyMs;
      const percent = share === undefined ? '' : `  ${Math.floor(100 * share)}%`;
      line.draw(`${count(read, noun)} read  ${Math.round(rate(read, at))}/s${percent}`);
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
