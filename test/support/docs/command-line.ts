/** A command of a page -> its words, if it is a plain call of `verdict`; these words -> its output. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ran } from '../cli/cli.ts';

/** A call of the command line. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Plain or quoted words. */
const WORDS = /(?: (?:[\w+@./:=,-]+|"[^"$`\\]*"))*/.source;

/** `npx verdict` with words, perhaps what it reads, and perhaps what a shell does with its output. */
const CALL = new RegExp(
  `^(?:(?<input>(?:echo|printf) [^|]+) \\| )?(?<text>npx verdict(?<words>${WORDS})(?<rest>(?: [|>]| 2>|;).*)?)$`,
);

/** A command of a page that calls the command line once. */
export interface Call {
  readonly args: readonly string[];
  /** The command whose output is standard input; empty for none. */
  readonly input: string;
  /** From `npx` on. */
  readonly text: string;
  /** What a shell does with the output, from `|`, `>`, `2>` or `;` on; empty for nothing. */
  readonly rest: string;
}

/** Undefined if only a shell can run the command. */
export function parseCall(command: string): Call | undefined {
  const { input = '', text, words, rest = '' } = CALL.exec(command)?.groups ?? {};
  if (text === undefined || words === undefined) return undefined;
  const args = (words.match(/"[^"]*"|[^ "]+/g) ?? []).map((word) => word.replaceAll('"', ''));
  return { args, input, text, rest: rest.trimStart() };
}

/** Compiled code is kept from run to run, where the tests or the command line keep theirs. */
export const COMPILED = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'node-compile-cache'),
};

let child: ChildProcess | undefined;

/** Runs a call in a process that all calls share; gives its output. */
export async function runCall(call: CommandLine): Promise<Ran> {
  child ??= fork(join(import.meta.dirname, 'child.ts'), {
    stdio: 'ignore',
    execArgv: [],
    env: { ...process.env, ...COMPILED },
  });
  child.ref();
  child.channel?.ref();
  child.send(call);
  const [ran] = (await once(child, 'message')) as [Ran];
  // It must not keep this process; it ends with it.
  child.channel?.unref();
  child.unref();
  return ran;
}
