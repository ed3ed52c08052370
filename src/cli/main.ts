#!/usr/bin/env node
/** The process: streams and exit code only; everything else is `run`. */

import { run } from './program.ts';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
// A reader that has seen enough (`verdict … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const { stdin, stdout, stderr, env } = process;
process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, env, signal: ending.signal });
