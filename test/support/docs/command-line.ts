/** A command of a page -> its words, if it is a plain call of `verdict`; these words -> its output. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Ran } from '../cli/cli.ts';

/** A call of the command line. */
export interface CommandLine {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `npx verdict` with plain or quoted words, and perhaps what a shell does with its output. */
const CALL = /^npx verdict(?<words>(?: (?:[\w+@./:=,-]+|"[^"$`\\]*"))*)(?: (?<rest>[|>].*))?$/;

/** The arguments of a command, and its rest, from `|` or `>` on; undefined if only a shell can run it. */
export function parseCall(command: string): { readonly args: string[]; readonly rest: string } | undefined {
  const { words, rest = '' } = CALL.exec(command)?.groups ?? {};
  if (words === undefined) return undefined;
  return { args: (words.match(/"[^"]*"|[^ "]+/g) ?? []).map((word) => word.replaceAll('"', '')), rest };
}

let child: ChildProcess | undefined;

/** Runs a call in a process that all calls share; gives its output. */
export async function runCall(call: CommandLine): Promise<Ran> {
  child ??= fork(join(import.meta.dirname, 'child.ts'), { stdio: 'ignore', execArgv: [] });
  child.ref();
  child.channel?.ref();
  child.send(call);
  const [ran] = (await once(child, 'message')) as [Ran];
  // It must not keep this process; it ends with it.
  child.channel?.unref();
  child.unref();
  return ran;
}
