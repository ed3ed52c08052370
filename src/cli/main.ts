#!/usr/bin/env node
/** The process: streams, signals and the exit code. Everything else is `run`. */

import { fstatSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { constants } from 'node:os';
import { Readable } from 'node:stream';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const ending = new AbortController();
let isWatched = false;

/** The first signal asks the command to end, the second one ends the process by Node's default. */
function endInOrder(): void {
  for (const name of SIGNALS) process.removeListener(name, endInOrder);
  ending.abort();
}

// As the first process of a container, we would ignore every signal that has no listener.
if (process.pid === 1) {
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (!isWatched || ending.signal.aborted) process.exit(128 + constants.signals[name]);
    });
  }
}

// A reader that has seen enough (`verdict … | head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`verdict: the output cannot be written (${error.code ?? error.name})\n`);
  process.exit(3);
});
// If nobody reads the messages, the exit code still says what happened.
process.stderr.on('error', () => {});

/** Standard input. A folder gives the error of a file that is one: Node would take it for an empty stream. */
function openStdin(): Readable {
  if (!fstatSync(0).isDirectory()) return process.stdin;
  return new Readable({
    read() {
      this.destroy(Object.assign(new Error('standard input is a folder'), { code: 'EISDIR' }));
    },
  });
}

const { stdout, stderr, env } = process;
// As package.json requires; an older version fails at some later point.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  stderr.write(`verdict: this is Node ${process.versions.node}; 22.13 or later is required\n`);
  process.exitCode = 3;
} else {
  // Compiled once, the code of the next run starts faster; where no cache can be written, nothing changes.
  enableCompileCache();
  const { run } = await import('./program.ts');
  process.exitCode = await run(process.argv.slice(2), {
    stdin: openStdin(),
    stdout,
    stderr,
    env,
    get signal() {
      if (!isWatched) for (const name of SIGNALS) process.on(name, endInOrder);
      isWatched = true;
      return ending.signal;
    },
  });
}
