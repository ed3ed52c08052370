import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isRunning, type ProcessId, thisProcess } from '../../src/platform/process.ts';

/** Waits until a process is in a state, by its line in /proc. */
async function until(pid: number, state: RegExp): Promise<void> {
  while (!state.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) await new Promise(setImmediate);
}

const OUTERMOST = 'pid:[4026531836]';
const self = thisProcess();

describe('a process identified in a file', () => {
  it('runs if it is this process', () => {
    expect(isRunning(JSON.parse(JSON.stringify(self)) as ProcessId)).toBe(true);
  });

  it('does not run if its PID is free or belongs to another process', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'close');
    expect(isRunning({ ...self, pid: child.pid ?? 0 })).toBe(false);
    expect(isRunning({ ...self, start: '1' })).toBe(self.start === null);
  });

  it.skipIf(self.start === null)('does not run if it is a zombie', async () => {
    // The shell becomes a program that never collects the exit status of its child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => {
      parent.kill('SIGKILL');
    });
    const [line] = await once(parent.stdout, 'data');
    const pid = Number(String(line));
    await until(parent.pid ?? 0, /\(sleep\)/);
    process.kill(pid, 'SIGKILL');
    await until(pid, /\) Z /);
    expect(isRunning({ ...self, pid, start: null })).toBe(false);
    expect(isRunning({ ...self, pid: parent.pid ?? 0, start: null })).toBe(true);
  });

  const unknown: readonly (readonly [string, Partial<ProcessId>])[] = [
    ['of another machine', { host: 'elsewhere' }],
    ['of a machine with the same name', { boot: 'other', machine: 'other' }],
    ['of a machine without a machine id', { boot: 'other', machine: null }],
    ['of another container', { space: 'pid:[1]' }],
    ['of a container before the last reboot', { space: 'pid:[1]', boot: 'other' }],
    ['of a system that says less', { space: null, boot: null, machine: null }],
  ];
  it.skipIf(self.boot === null).each(unknown)('may run if it is a process %s', (_, other) => {
    // Even with a PID that is free here.
    expect(isRunning({ ...self, pid: 2_147_483_000, ...other })).toBeUndefined();
  });

  it.skipIf(self.space !== OUTERMOST || self.machine === null)('has ended if the machine was rebooted since', () => {
    expect(isRunning({ ...self, boot: 'earlier' })).toBe(false);
  });
});
