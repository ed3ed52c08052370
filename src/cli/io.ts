/** What a command may touch of the world outside: its streams, its environment, and a signal that asks it to end. */

import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Styler } from '../report/words/style.ts';

/** The streams and the environment of a run of the command line. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Aborts on the first SIGINT or SIGTERM. INVARIANT: a command that reads it ends in good order once it aborts. In a
   * command that never reads it, a signal ends the process at once.
   */
  readonly signal: AbortSignal;
}

/** Exit codes, the same for every command. */
export const EXIT = {
  /** Done, and nothing found. */
  done: 0,
  /** Done, and something found: a bad line, an invalid fact, a decision other than accept under `--exit-code`. */
  found: 1,
  /** The command line is wrong. */
  usage: 2,
  /** Could not run, or not to the end: a policy with errors, a file that is not there, a service that does not answer. */
  couldNotRun: 3,
} as const;

/** A command line that is wrong: one message, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something outside that a command needs is not to be had: one message, exit code 3. */
export class CouldNotRunError extends Error {
  override readonly name = 'CouldNotRunError';
}

/** Writes a text, and waits where the stream is full. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes what is to be known beside the output. Where nobody listens any more, the exit code still tells. */
export async function say(stderr: Writable, text: string): Promise<void> {
  await write(stderr, text).catch(() => {});
}

/** A line of a terminal has no fewer columns, or goes on in the next. */
const FEWEST_COLUMNS = 80;

/** How many columns a terminal has; undefined where the stream is none, and takes lines of any length. */
export function columnsOf(stream: Writable): number | undefined {
  if (!('isTTY' in stream) || stream.isTTY !== true) return undefined;
  const columns = 'columns' in stream && typeof stream.columns === 'number' ? stream.columns : 0;
  return Math.max(FEWEST_COLUMNS, columns);
}

/** How a command hands over its exit code. */
export type Finish = (exitCode: number) => void;

/** The styler for a stream. */
export function stylerFor(stream: Writable, env: Io['env']): Styler {
  const isTerminal = 'isTTY' in stream && stream.isTTY === true && !env['NO_COLOR'];
  return (style, text) => (isTerminal ? styleText(style, text, { validateStream: false }) : text);
}
