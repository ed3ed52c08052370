/**
 * Before each test file: the processes that it starts for itself are counted, and told to the report of the run. What
 * the files of a worker share is not: the first to need it starts it, and there are as many workers as cores.
 */

import child from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';
import { SOLVERS } from './threads/kept-processes.ts';

declare module 'vitest' {
  interface TaskMeta {
    processes?: number;
  }
}

/** The compiler, databases with what makes their folders, looks for a program, and solvers: by their command lines. */
const SHARED = new RegExp(
  [
    '^(\\S*/)?(esbuild|initdb|postgres|redis-server|valkey-server|id) ',
    '^cp -a .*new-postgres-data',
    '^python3 .*--version$',
    '^strace .*/dev/null true$',
    ...SOLVERS,
  ].join('|'),
);

/** Test files share a process: the count of all is kept beside the mark that they are counted. */
const counted = child as typeof child & { started?: { count: number } };

function countStarts(): { count: number } {
  const started = { count: 0 };
  const counting = (start: (...args: never[]) => unknown) =>
    function (this: unknown, ...args: never[]) {
      if (!SHARED.test(commandOf(args))) started.count += 1;
      return start.apply(this, args);
    };
  const asynchronous = child.ChildProcess.prototype as unknown as { spawn(...args: never[]): unknown };
  asynchronous.spawn = counting(asynchronous.spawn);
  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    Object.assign(child, { [name]: counting(child[name]) });
  }
  syncBuiltinESMExports();
  return started;
}

/** Of the arguments of a synchronous start, or of the options of an asynchronous one. */
function commandOf([program, words]: readonly unknown[]): string {
  const { file, args } =
    typeof program === 'object' ? (program as { file: string; args: string[] }) : { file: program, args: words };
  return [file, ...(Array.isArray(args) ? args : [])].join(' ');
}

counted.started ??= countStarts();
const { started } = counted;
const before = started.count;
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a hook asks for.
afterAll(({}, { file }) => {
  file.meta.processes = started.count - before;
});
