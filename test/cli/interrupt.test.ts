/** SIGINT and SIGTERM, sent to real processes of the command line. */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../support/policy/policy.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
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

/** Resolves when the process has read from its standard input: the text is larger than the buffer of a pipe. */
async function feed(child: ChildProcessWithoutNullStreams): Promise<void> {
  await new Promise((read) => child.stdin.write(' '.repeat(900_000), read));
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

  it('exits with 3 under --runner sql', async () => {
    const folder = temporaryFolder({ 'policy.yaml': POLICY, 'facts.csv': `phone_score\n${'12\n'.repeat(5)}` });
    for (const [stdin, name, line] of [
      [LINE.repeat(5), '-', 1],
      ['', join(folder, 'facts.csv'), 2],
    ] as const) {
      const ending = new AbortController();
      const args = ['evaluate', '--policy', join(folder, 'policy.yaml'), '--facts', name, '--runner', 'sql'];
      const { exitCode, stderr } = await runCli(args, {
        stdin,
        signal: ending.signal,
        onOutput: () => ending.abort(),
      });
      expect(exitCode).toBe(3);
      expect(stderr).toContain(`interrupted: the output is not complete; it ends after line ${line}\n`);
    }
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('stops waiting for standard input: %s', async (signal) => {
    const child = start('evaluate', '--policy', policyFile(), '--facts', '-');
    child.stdin.write(LINE);
    const stderr = text(child.stderr);
    await once(child.stdout, 'data');
    child.kill(signal);
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

describe('a command without cleanup', () => {
  it.each([
    ['explain', 'SIGINT'],
    ['explain', 'SIGTERM'],
    ['mapping try', 'SIGTERM'],
  ] as const)('ends at once on a signal, also while it waits for standard input: %s, %s', async (name, signal) => {
    const child = name === 'explain' ? start('explain', policyFile(), '--facts', '-') : start('mapping', 'try', '-');
    await feed(child);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
  });
});

describe('`verdict sandbox`', () => {
  it('shuts down cleanly on the first signal', async () => {
    const child = start('sandbox', '--port', '0', '--json');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
