import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isRunning, type ProcessId, thisProcess } from '../../src/platform/process.ts';

const OUTERMOST = 'pid:[4026531836]';
const self = thisProcess();

describe('a process that a file tells of', () => {
  it('runs, if it is this one', () => {
    expect(isRunning(JSON.parse(JSON.stringify(self)) as ProcessId)).toBe(true);
  });

  it('does not run, if its number is free or another has it', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'close');
    expect(isRunning({ ...self, pid: child.pid ?? 0 })).toBe(false);
    expect(isRunning({ ...self, start: '1' })).toBe(self.start === null);
  });

  const unknown: readonly (readonly [string, Partial<ProcessId>])[] = [
    ['of another machine', { host: 'elsewhere' }],
    ['of a machine with the same name', { boot: 'other', machine: 'other' }],
    ['of a machine that does not tell its name', { boot: 'other', machine: null }],
    ['of another container', { space: 'pid:[1]' }],
    ['of a container before the machine was started', { space: 'pid:[1]', boot: 'other' }],
    ['of a system that tells less', { space: null, boot: null, machine: null }],
  ];
  it.skipIf(self.boot === null).each(unknown)('may run, if it is one %s', (_, other) => {
    // Even a number that is free here.
    expect(isRunning({ ...self, pid: 2_147_483_000, ...other })).toBeUndefined();
  });

  it.skipIf(self.space !== OUTERMOST || self.machine === null)('has ended, if the machine was started since', () => {
    expect(isRunning({ ...self, boot: 'earlier' })).toBe(false);
  });
});
