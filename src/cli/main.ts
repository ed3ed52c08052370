#!/usr/bin/env node
/** The process: streams, signals and the exit code. Everything else is `run`. */

import { fstatSync } from 'node:fs';
import { constants } from 'node:os';
import { Readable } from 'node:stream';
import { ownCacheFolder } from './compile-cache.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Signal = (typeof SIGNALS)[number];

/** The signal that asked a command to end. */
let received: Signal | undefined;
let isInterruptible = false;

// As the first process of a container, we would ignore every signal that has no listener.
if (process.pid === 1) {
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (!isInterruptible) process.exit(128 + constants.signals[name]);
    });
  }
}

/** While the work runs, the first signal asks it to end; any other one ends the process by Node's default. */
async function interruptible<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const ending = new AbortController();
  const letGo = () => {
    for (const name of SIGNALS) process.removeListener(name, onSignal);
    isInterruptible = false;
  };
  const onSignal = (name: Signal) => {
    letGo();
    received = name;
    ending.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  isInterruptible = true;
  try {
    return await work(ending.signal);
  } finally {
    letGo();
  }
}

/** Ends the process at once, with the exit code of its command or by the signal. */
function exitAfter(name: Signal, isInterrupted: boolean): never {
  // A read of a named pipe that nobody writes to: `process.exit` would wait for it.
  const isReading = process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
  if (!isInterrupted && !isReading) process.exit();
  // A shell ends its script only if the signal itself ended the command.
  if (process.pid !== 1) process.kill(process.pid, name);
  process.exit(128 + constants.signals[name]);
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
  // Compiled once, the code of the next run starts faster; where no cache can be written, nothing changes. Older
  // versions of Node do not export it, so it is imported here. Its folder by default may be anybody's.
  const { enableCompileCache } = await import('node:module');
  const cacheFolder = ownCacheFolder(env);
  if (cacheFolder !== undefined) enableCompileCache(cacheFolder);
  const { run } = await import('./program.ts');
  const { EXIT } = await import('./io.ts');
  const io = { stdin: openStdin(), stdout, stderr, env, interruptible };
  const exitCode = await run(process.argv.slice(2), io);
  process.exitCode = exitCode;
  if (received !== undefined) exitAfter(received, exitCode === EXIT.interrupted);
}
