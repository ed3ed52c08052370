/**
 * Imported before a contestant (`node --import`): on a message of the parent process -> the processor time of this
 * process since the last one, and the delay of its event loop.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What a contestant used since the last reading. */
export interface Reading {
  readonly cpuMicros: number;
  /** The 99th percentile, in milliseconds. */
  readonly loopDelayMs: number;
}

/** The histogram holds the times between ticks of a timer: a loop that nothing delays has this one. */
const TICK_MS = 10;

const delays = monitorEventLoopDelay({ resolution: TICK_MS });
delays.enable();
let before = process.cpuUsage();

process.on('message', () => {
  const { user, system } = process.cpuUsage(before);
  const loopDelayMs = Math.max(0, delays.percentile(99) / 1e6 - TICK_MS);
  process.send?.({ cpuMicros: user + system, loopDelayMs } satisfies Reading);
  delays.reset();
  before = process.cpuUsage();
});
