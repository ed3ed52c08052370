/** What a command may use of its process: streams, environment and signals to end; and the exit codes. */

import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import { VerdictError } from '../errors.ts';
import type { Styler } from '../report/outline.ts';
import { toJson } from '../text.ts';

/** The surroundings of one run of the command line. */
export interface Process {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Runs work whose signal aborts on the first SIGINT or SIGTERM; the second one ends the process. INVARIANT: the work
   * ends in good order once its signal aborts. Outside of such work, the first one ends the process at once.
   */
  interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
}

/** What a command uses of them, and how it says its exit code, if that is not 0. */
export interface Io extends Process {
  finish(exitCode: number): void;
}

/** Exit codes, the same for every command. */
export const EXIT = {
  /** Done, and nothing found. */
  done: 0,
  /** Done, and something found: a bad line, an invalid fact, a decision other than accept under `--exit-code`. */
  found: 1,
  usage: 2,
  /** Could not run, or not to the end: a policy with errors, a missing file, a service that does not answer. */
  couldNotRun: 3,
  /** What was to be proved is neither proved nor refuted. */
  undecided: 4,
  /** Ended by a signal, in good order. The process ends by that signal: the code is then 130 or 143. */
  interrupted: 130,
} as const;

/** The command line is wrong: one message, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something that a command needs is missing or fails: one message, exit code 3. */
export class CouldNotRunError extends Error {
  override readonly name = 'CouldNotRunError';
}

/** An engine or a file that cannot be used is not a mistake of the command line: exit code 3, and not 2. */
export async function orCannotRun<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof VerdictError && error.code === 'CONFIGURATION_INVALID')
      throw new CouldNotRunError(error.message);
    throw error;
  }
}

/** Writes a text; resolves when the stream has taken it. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes a value as indented JSON. */
export function writeJson(stream: Writable, value: unknown): Promise<void> {
  return write(stream, `${toJson(value, 2)}\n`);
}

/** Writes a message beside the output. If nobody reads it, the exit code still says what happened. */
export async function say(stderr: Writable, text: string): Promise<void> {
  if (text !== '') await write(stderr, text).catch(() => {});
}

/** Asks on a terminal; elsewhere nobody can answer, which is a usage error that says what to do instead. */
export async function isConfirmed(
  question: string,
  instead: string,
  io: Pick<Io, 'stdin' | 'stderr'>,
): Promise<boolean> {
  if (!isTerminal(io.stdin)) throw new UsageError(instead);
  await say(io.stderr, `${question} [y/N] `);
  // The terminal itself edits the line, so that Ctrl-C ends the process as everywhere.
  for await (const answer of createInterface({ input: io.stdin, terminal: false })) {
    return /^y(es)?$/i.test(answer.trim());
  }
  // Ctrl-D ends the input without an answer.
  await say(io.stderr, '\n');
  return false;
}

export function isTerminal(stream: Readable | Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** Tables are laid out for at least this many columns; on a narrower terminal their lines wrap. */
const FEWEST_COLUMNS = 80;

/** How many columns a terminal has; undefined for any other stream, which takes lines of any length. */
export function columnsOf(stream: Writable): number | undefined {
  if (!isTerminal(stream)) return undefined;
  const columns = 'columns' in stream && typeof stream.columns === 'number' ? stream.columns : 0;
  return Math.max(FEWEST_COLUMNS, columns);
}

/** The styler for a stream: styles on a terminal, unless NO_COLOR is set, and plain text elsewhere. */
export function stylerFor(stream: Writable, env: Io['env']): Styler {
  const hasStyles = isTerminal(stream) && !env['NO_COLOR'];
  return (style, text) => (hasStyles ? styleText(style, text, { validateStream: false }) : text);
}
