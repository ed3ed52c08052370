/** SIGINT and SIGTERM, sent to real processes of the command line. */

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../support/policy/policy.ts';
import { sampled } from '../support/sampled.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const POLICY = `${HEAD}rules: [{ id: risky, when: { phone.score: { above: 50 } }, then: review }]\n`;
const LINE = '{"facts":{"phone.score":12}}\n';

const children: ChildProcessWithoutNullStreams[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(...args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [MAIN, ...args]);
  child.stdin.on('error', () => {});
  children.push(child);
  return child;
}

function policyFile(): string {
  return join(temporaryFolder({ 'policy.yaml': POLICY }), 'policy.yaml');
}

describe('an interrupted `verdict evaluate`', () => {
  it.each(['matcher', 'live'])('exits with 3 and names the last line of its output: %s', async (runner) => {
    const ending = new AbortController();
    const folder = temporaryFolder({ 'policy.yaml': POLICY, 'facts.ndjson': LINE.repeat(5) });
    const [policy, facts] = [join(folder, 'policy.yaml'), join(folder, 'facts.ndjson')];
    const { exitCode, stdout, stderr } = await runCli(
      ['evaluate', '--policy', policy, '--facts', facts, '--runner', runner],
      { signal: ending.signal, onOutput: (printed) => printed.split('\n').length > 2 && ending.abort() },
    );
    expect(stdout.match(/\n/g)).toHaveLength(2);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 3,
      stderr: 'verdict: interrupted: the output is not complete; it ends after line 2\n',
    });
  });

  it('says where its output ends', async () => {
    const child = start('evaluate', '--policy', policyFile(), '--facts', '-');
    child.stdin.write(LINE);
    const stderr = text(child.stderr);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([3, null]);
    expect(await stderr).toBe('verdict: interrupted: the output is not complete; it ends after line 1\n');
  });

  it('ends at once on a second signal, even if its output is not read', async () => {
    const child = start('evaluate', '--policy', policyFile(), '--facts', '-');
    child.stdin.write(LINE.repeat(100_000));
    await once(child.stdout, 'readable');
    const ended = once(child, 'exit');
    const timer = setInterval(() => child.kill('SIGTERM'), 50);
    expect(await ended).toEqual([null, 'SIGTERM']);
    clearInterval(timer);
  });
});

describe('a command ends on the first signal, whatever it waits for', () => {
  const policy = ['--policy', 'policy.yaml'];
  const rows: readonly (readonly [name: string, exit: number | 'signal', args: readonly string[]])[] = [
    ['decide --file', 3, ['decide', '--sandbox', ...policy, '--file', '-']],
    ['evaluate a pipe', 'signal', ['evaluate', ...policy, '--facts', 'fifo']],
    ['audit erase', 'signal', ['audit', 'erase', 'log', '--subject', '-']],
    ['evaluate', 3, ['evaluate', ...policy, '--facts', '-']],
    ['explain', 'signal', ['explain', 'policy.yaml', '--facts', '-']],
    ['mapping try', 'signal', ['mapping', 'try', '-']],
    ['audit search', 'signal', ['audit', 'search', 'log', '--subject', '-']],
  ];

  it.concurrent.each(
    rows.slice(0, sampled(3, rows.length)).map((row, i) => [...row, i % 2 === 0 ? 'SIGINT' : 'SIGTERM'] as const),
  )('%s', async (_, exit, args, signal) => {
    const cwd = mkdtempSync(join(tmpdir(), 'verdict-'));
    writeFileSync(join(cwd, 'policy.yaml'), POLICY);
    if (args.includes('fifo')) execFileSync('mkfifo', [join(cwd, 'fifo')]);
    const child = spawn(process.execPath, [MAIN, ...args], { cwd });
    child.stdin.on('error', () => {});
    let pipe: FileHandle | undefined;
    try {
      // Opening the pipe for writing waits for its reader; what standard input takes beyond its buffer was read.
      if (args.includes('fifo')) pipe = await open(join(cwd, 'fifo'), 'w');
      if (pipe) await pipe.write(' ');
      else await new Promise((read) => child.stdin.write(' '.repeat(900_000), read));
      child.kill(signal);
      expect(await once(child, 'exit')).toEqual(exit === 'signal' ? [null, signal] : [exit, null]);
    } finally {
      child.kill('SIGKILL');
      await pipe?.close();
      rmSync(cwd, { recursive: true });
    }
  });
});
