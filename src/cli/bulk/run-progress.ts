/** The state of a run -> its progress line: a bar, counts, the rate and the time left. */

import type { Io } from '../io.ts';
import { createProgressLine, createRate, type ProgressLine } from '../progress.ts';
import { type BulkTally, decidedIn, showOutcomes } from './tally.ts';

export interface RunState {
  readonly tally: BulkTally;
  /** Bytes of the input up to the last row that was taken. */
  readonly bytes: number;
  /** Bytes of the whole input; undefined for a stream. */
  readonly size: number | undefined;
  /** Bytes of the input before the first row that was sent: rows that an earlier run recorded pass in no time. */
  readonly sentFrom: number;
  /** Decisions per second, lately. */
  readonly perSecond: number;
}

const BAR_WIDTH = 20;

/** `█████░░░░░ 50%  400 decided  48/s  300 accept, 80 review, 20 reject  11 s left`. */
export function showState(state: RunState, hasBar = true): string {
  const { tally, bytes, size, perSecond } = state;
  const part = size ? Math.min(1, bytes / size) : undefined;
  const done = '█'.repeat(Math.floor((part ?? 0) * BAR_WIDTH));
  const bar = hasBar ? `${done.padEnd(BAR_WIDTH, '░')} ` : '';
  const leftMs = timeLeftMs(state);
  return [
    ...(part === undefined ? [] : [`${bar}${Math.floor(part * 100)}%`]),
    ...(tally.recorded > 0 ? [`${tally.recorded} recorded before`] : []),
    `${decidedIn(tally)} decided`,
    `${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`,
    showOutcomes(tally),
    ...(leftMs === undefined ? [] : [`${showDuration(leftMs)} left`]),
  ].join('  ');
}

/** Estimated from the bytes of the rows so far; undefined while there is nothing to estimate from. */
function timeLeftMs({ tally, bytes, size, sentFrom, perSecond }: RunState): number | undefined {
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

export type Progress = Pick<ProgressLine, 'say' | 'end'>;

/** Begins to show the state that `readState` gives, at regular intervals. */
export function startProgress(io: Pick<Io, 'stderr'>, readState: () => Omit<RunState, 'perSecond'>): Progress {
  const line = createProgressLine(io);
  const rate = createRate();
  const measure = () => {
    const state = readState();
    return { ...state, perSecond: rate(decidedIn(state.tally), performance.now()) };
  };
  measure();
  const timer = setInterval(() => line.draw(showState(measure(), line.isTerminal)), line.everyMs);
  return {
    say: (text) => line.say(text),
    async end() {
      clearInterval(timer);
      await line.end();
    },
  };
}
