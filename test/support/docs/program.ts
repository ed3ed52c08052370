/** A program of a page -> what it prints, by a process that all programs share. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { COMPILED } from './command-line.ts';

export interface Program {
  readonly file: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Printed {
  readonly stdout: string;
  readonly error?: string;
}

let child: ChildProcess | undefined;

/** Runs a program; gives its standard output. Throws if it fails. */
export async function runProgram(program: Program): Promise<string> {
  child ??= fork(new URL('./program-child.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    // The database of a page starts in half the time if its code is not optimised.
    execArgv: ['--liftoff-only'],
    env: { ...process.env, ...COMPILED },
  });
  child.ref();
  child.channel?.ref();
  child.send(program);
  const [printed] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Printed | number | null];
  // It must not keep this process; it ends with it.
  child.channel?.unref();
  child.unref();
  if (typeof printed !== 'object' || printed === null) throw new Error(`a program ended its process: ${printed}`);
  if (printed.error !== undefined) throw new Error(printed.error);
  return printed.stdout;
}
