/** A command of a page -> its words, if it is a plain call of `verdict`; these words -> its output. */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ran, runCli } from '../cli/cli.ts';

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

/** Runs a call in this process, in its folder; gives its output. */
export async function runCall({ args, folder, ...setting }: CommandLine): Promise<Ran> {
  const before = process.cwd();
  process.chdir(folder);
  try {
    return await runCli(args, setting);
  } finally {
    process.chdir(before);
  }
}
