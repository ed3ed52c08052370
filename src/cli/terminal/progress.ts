/** How far a command is -> one line on stderr: redrawn in place on a terminal, printed now and then elsewhere. */

import type { Writable } from 'node:stream';
import { cutTo } from '../../report/text/width.ts';
import { type Io, isTerminal, say } from '../io.ts';

/** Often enough to look alive, seldom enough to cost nothing. */
const REDRAW_EVERY_MS = 250;
/** For logs, where each line stays. */
const LOG_EVERY_MS = 10_000;
/** The rate is that of about the last ten seconds. */
const RATE_WINDOW_MS = 10_000;

/** A line that is redrawn; write errors are ignored, since the exit code says how the command ended. */
export interface ProgressLine {
  readonly isTerminal: boolean;
  readonly everyMs: number;
  draw(text: string): void;
  /** Prints a message above the line. */
  say(text: string): Promise<void>;
  end(): Promise<void>;
}

export function createProgressLine({ stderr }: Pick<Io, 'stderr'>): ProgressLine {
  const isDrawn = isTerminal(stderr);
  let hasLine = false;
  const erase = () => (hasLine ? '\r\x1b[K' : '');
  return {
    isTerminal: isDrawn,
    everyMs: isDrawn ? REDRAW_EVERY_MS : LOG_EVERY_MS,
    draw(text) {
      hasLine = isDrawn;
      void say(stderr, isDrawn ? `\r${cutTo(text, columnsNow(stderr) - 1, '')}\x1b[K` : `verdict: ${text}\n`);
    },
    say: (text) => say(stderr, `${erase()}verdict: ${text}\n`),
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
