/** Before each test file: the processes that it starts itself are counted, and told to the report of the run. */

import child from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    processes?: number;
  }
}

/** Test files share a process: the count of all is kept beside the mark that they are counted. */
const counted = child as typeof child & { started?: { count: number } };

function countStarts(): { count: number } {
  const started = { count: 0 };
  const counting = (start: (...args: never[]) => unknown) =>
    function (this: unknown, ...args: never[]) {
      started.count += 1;
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

counted.started ??= countStarts();
const { started } = counted;
const before = started.count;
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a hook asks for.
afterAll(({}, { file }) => {
  file.meta.processes = started.count - before;
});
