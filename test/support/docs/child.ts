/**
 * `node child.ts`, with an IPC channel: command lines -> their outputs. All run in this process: starting the program
 * takes longer than most of them.
 */

import '../threads/start.ts';
import { runCli } from '../cli/cli.ts';
import type { CommandLine } from './command-line.ts';

process.on('message', async ({ args, folder, ...setting }: CommandLine) => {
  process.chdir(folder);
  process.send?.(await runCli(args, setting));
});
