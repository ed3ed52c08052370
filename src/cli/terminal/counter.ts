/** How many of something a command has read -> a line on a terminal, drawn anew, or one now and then elsewhere; nothing where it is soon done. */

import { count } from '../../text.ts';
import { type Io, write } from '../io.ts';
import { createRate, cutToFit, LINE_EVERY_MS } from './progress.ts';

/** Nobody asks how far a command is that takes no longer. */
const SILENT_MS = 1000;
const DRAWN_EVERY_MS = 250;

/** Tells how far a command is. */
export interface Counter {
  /** So many by now. Costs next to nothing, and may be called for each. */
  tell(read: number): void;
  /** Takes the line away. */
  end(): Promise<void>;
}

/** Begins to count; `noun` is one of them. `now`, in milliseconds, never goes back. */
export function startCounter(
  { stderr }: Pick<Io, 'stderr'>,
  noun: string,
  now: () => number = () => performance.now(),
): Counter {
  const isTerminal = 'isTTY' in stderr && stderr.isTTY === true;
  const rate = createRate();
  const begun = now();
  rate(0, begun);
  let next = begun + (isTerminal ? SILENT_MS : LINE_EVERY_MS);
  let isDrawn = false;
  return {
    tell(read) {
      const at = now();
      if (at < next) return;
      next = at + (isTerminal ? DRAWN_EVERY_MS : LINE_EVERY_MS);
      isDrawn = true;
      const line = `${count(read, noun)} read  ${Math.round(rate(read, at))}/s`;
      void write(stderr, isTerminal ? `\r${cutToFit(line, stderr)}\x1b[K` : `verdict: ${line}\n`).catch(() => {
        // Whoever no longer listens need not be told.
      });
    },
    async end() {
      if (isTerminal && isDrawn) await write(stderr, '\r\x1b[K').catch(() => {});
    },
  };
}

/** Counts while something is done, whatever comes of it. */
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
