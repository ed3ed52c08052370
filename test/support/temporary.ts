/** A test run -> the folder in which its tests make temporary folders, removed at its end. */

import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IS_SOAK } from './sampled.ts';

/** A file system of Linux in memory: on a disk, tests that keep logs wait for it longer than they compute. */
const MEMORY = '/dev/shm';
/** Some twenty times what a run takes. */
const LEAST_BYTES = 2 * 2 ** 30;
const PREFIX = 'verdict-run-';

/** Full counts may take more than there is memory, and are about the disk. */
const PARENT = !IS_SOAK && isUsable(MEMORY) ? MEMORY : tmpdir();

/** Beside nothing else: some tests read the folders around their own. */
export const TEMPORARY = join(PARENT, `${PREFIX}${process.pid}`);

export function setup(): void {
  for (const name of readdirSync(PARENT)) {
    if (name.startsWith(PREFIX) && hasEnded(Number(name.slice(PREFIX.length)))) remove(join(PARENT, name));
  }
  mkdirSync(TEMPORARY, { recursive: true });
}

export function teardown(): void {
  remove(TEMPORARY);
}

/** A server that the files of a process share is still running. */
function remove(folder: string): void {
  for (const file of globSync('postgres-*/data/postmaster.pid', { cwd: folder })) {
    const [pid] = readFileSync(join(folder, file), 'utf8').split('\n');
    if (!hasEnded(Number(pid))) process.kill(Number(pid), 'SIGQUIT');
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Whether a folder is there, has room, and runs programs. */
function isUsable(folder: string): boolean {
  const program = join(folder, `${PREFIX}${process.pid}.sh`);
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < LEAST_BYTES) return false;
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    return spawnSync(program).status === 0;
  } catch {
    return false;
  } finally {
    remove(program);
  }
}

/** Whether a run was killed, and left its folder. */
function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
