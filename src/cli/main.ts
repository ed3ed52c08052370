#!/usr/bin/env node
/** The process: streams and exit code only; everything else is `run`. */

import { run } from './program.ts';

const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());
// A reader that has seen enough (`verdict … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`verdict: the output cannot be written (${error.code ?? error.name})\n`);
  process.exit(3);
});
// Nor is one of what went wrong: the exit code says that something did.
process.stderr.on('error', () => {});

const { stdin, stdout, stderr, env } = process;
// As package.json says; an older one fails somewhere in the middle.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  stderr.write(`verdict: Node 22.13 or later is needed, and this is ${process.versions.node}\n`);
  process.exitCode = 3;
} else {
  process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, env, signal: ending.signal });
}
