/** How far a run is -> a bar on a terminal, a line now and then elsewhere; and messages, which neither garbles. */

import type { Writable } from 'node:stream';
import { type BulkTally, decidedIn, showOutcomes } from '../bulk/tally.ts';
import { type Io, say } from '../io.ts';

/** How far a run is. */
export interface State {
  readonly tally: BulkTally;
  /** Bytes of the input whose rows were taken. */
  readonly bytes: number;
  /** Bytes of the input in all; undefined for a stream. */
  readonly size: number | undefined;
  /** Bytes of the input at the first row that was sent: what an earlier run recorded goes by in no time. */
  readonly sentFrom: number;
  /** Decisions a second, lately. */
  readonly perSecond: number;
}

const BAR_WIDTH = 20;
/** Often enough to seem alive, and too seldom to cost anything. */
const BAR_EVERY_MS = 250;
/** For logs, where each line stays. */
export const LINE_EVERY_MS = 10_000;
/** The rate is that of about the last ten seconds. */
const RATE_WINDOW_MS = 10_000;

/** One line: how much is done, how fast, with what outcomes, and how long it will take. */
export function showState(state: State, hasBar = true): string {
  const { tally, bytes, size, perSecond } = state;
  const part = size === undefined || size === 0 ? undefined : Math.min(1, bytes / size);
  const leftMs = timeLeftMs(state);
  return [
    ...(part === undefined ? [] : [`${hasBar ? showBar(part) : ''}${Math.floor(part * 100)}%`]),
    ...(tally.recorded > 0 ? [`${tally.recorded} recorded before`] : []),
    `${decidedIn(tally)} decided`,
    `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`,
    showOutcomes(tally),
    ...(leftMs === undefined ? [] : [`${showDuration(leftMs)} left`]),
  ].join('  ');
}

function showBar(part: number): string {
  return `${'█'.repeat(Math.floor(part * BAR_WIDTH)).padEnd(BAR_WIDTH, '░')} `;
}

/** Goes by the bytes that the rows took so far; undefined where nothing can be told. */
function timeLeftMs({ tally, bytes, size, sentFrom, perSecond }: State): number | undefined {
  const decided = decidedIn(tally);
  if (size === undefined || decided === 0 || perSecond === 0 || bytes <= sentFrom) return undefined;
  const rowsLeft = (size - bytes) / ((bytes - sentFrom) / decided);
  return Math.max(0, (rowsLeft / perSecond) * 1000);
}

/** `4 s`, `3 min 20 s`, `2 h 5 min`. */
function showDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Tells how a run goes. */
export interface Progress {
  /** Prints a message, a whole line. */
  say(text: string): Promise<void>;
  /** Takes the bar away. */
  end(): Promise<void>;
}

/** Begins to tell; `look` is asked for the state now and then. */
export function startProgress({ stderr }: Pick<Io, 'stderr'>, look: () => Omit<State, 'perSecond'>): Progress {
  const isTerminal = 'isTTY' in stderr && stderr.isTTY === true;
  const rate = createRate();
  const measure = () => {
    const seen = look();
    return { ...seen, perSecond: rate(decidedIn(seen.tally), performance.now()) };
  };
  measure();
  const draw = () => {
    const line = showState(measure(), isTerminal);
    void say(stderr, isTerminal ? `\r${cutToFit(line, stderr)}\x1b[K` : `verdict: ${line}\n`);
  };
  const timer = setInterval(draw, isTerminal ? BAR_EVERY_MS : LINE_EVERY_MS);
  const erase = isTerminal ? '\r\x1b[K' : '';
  return {
    async say(text) {
      await say(stderr, `${erase}verdict: ${text}\n`);
    },
    async end() {
      clearInterval(timer);
      if (isTerminal) await say(stderr, erase);
    },
  };
}

/** Counts and times -> a rate a second over the last of them. */
export function createRate(): (count: number, nowMs: number) => number {
  const seen: { readonly count: number; readonly at: number }[] = [];
  return (count, at) => {
    seen.push({ count, at });
    while (seen.length > 2 && at - (seen[1]?.at ?? at) >= RATE_WINDOW_MS) seen.shift();
    const [first] = seen;
    return first && at > first.at ? ((count - first.count) / (at - first.at)) * 1000 : 0;
  };
}

/** A line that wraps could not be drawn over. */
export function cutToFit(line: string, stream: Writable): string {
  const columns = 'columns' in stream && typeof stream.columns === 'number' ? stream.columns : 0;
  // Some terminals say that they have none.
  return line.slice(0, (columns || 80) - 1);
}
