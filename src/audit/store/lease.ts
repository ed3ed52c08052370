/**
 * Which process writes a chain: files `owner-<epoch>.json` in its folder, of which the highest counts. Each holds the process
 * that made it, and says so when that process is done.
 */

import { join } from 'node:path';
import { isRunning, type ProcessId, thisProcess } from '../../platform/process.ts';
import { readExactFile } from '../entry/canonical.ts';
import { NO_HASH } from '../entry/entry.ts';
import * as is from '../entry/schema.ts';
import { type Files, isCode, publish, readWhole } from './files.ts';
import { type Head, OWNERS, TEMPORARY } from './segment.ts';

/** What an owner file holds. */
export interface Owner extends ProcessId {
  /** A line that was durable when the file was written, so that the chain has it: with `released`, and without `failed`, its last. */
  readonly head: Head;
  /** It is done with the chain. */
  readonly released?: true;
  /** Not all that it wrote may be durable. */
  readonly failed?: true;
}

/** Who is asking, and who of the others is still there; a process of this machine by default. */
export interface Processes {
  self(): ProcessId;
  /** Undefined where nobody can tell. */
  isRunning(found: ProcessId): boolean | undefined;
}

export const realProcesses: Processes = { self: thisProcess, isRunning };

/** How an owner leaves a chain. */
export interface LastState {
  /** A line that the chain has to have. */
  readonly head: Head;
  /** Whether it is the last one: the owner was done, and all that it wrote was durable. */
  readonly isClean: boolean;
}

/** A chain that is this process's own. */
export interface Lease {
  readonly folder: string;
  readonly epoch: number;
  /** How the owner before left it. */
  readonly left: LastState;
}

/** What claims are made with. */
export interface LeaseSetting {
  readonly files: Files;
  readonly processes: Processes;
}

/**
 * Makes the chain in a folder this process's own, in an epoch above `floor`; undefined where another has it, or may have it,
 * or was quicker. INVARIANT: the highest owner file of a folder is never removed, so that whoever comes too late, having looked
 * before others came and went, finds a higher one than its own.
 */
export async function acquireLease(folder: string, floor: number, setting: LeaseSetting): Promise<Lease | undefined> {
  const { files, processes } = setting;
  const highest = await highestOwner(files, folder);
  const owner = highest > 0 ? await readOwner(files, join(folder, OWNERS.of(highest))) : undefined;
  if (highest > 0 && !(owner && isFree(owner, processes))) return undefined;
  const epoch = Math.max(highest, floor) + 1;
  const left = owner ? lastStateOf(owner) : { head: { seq: 0, hash: NO_HASH }, isClean: false };
  const path = join(folder, OWNERS.of(epoch));
  try {
    await publish(files, path, format({ ...processes.self(), head: left.head }), 'new');
  } catch (error) {
    // Another was quicker; or has the chain already, and removed what looked like a crash's.
    if (isCode(error, 'EEXIST', 'ENOENT')) return undefined;
    throw error;
  }
  if ((await highestOwner(files, folder)) > epoch) {
    await unlinkIfThere(files, path);
    return undefined;
  }
  await files.syncFolder(folder);
  return { folder, epoch, left };
}

/** How an owner has left its chain, or leaves it if it ends now. */
export function lastStateOf({ head, released, failed }: Owner): LastState {
  return { head, isClean: released === true && failed === undefined };
}

/** Lets another process have the chain. */
export async function releaseLease({ folder, epoch }: Lease, left: LastState, setting: LeaseSetting): Promise<void> {
  const { files, processes } = setting;
  const { head, isClean } = left;
  const owner: Owner = { ...processes.self(), head, released: true, ...(isClean ? {} : { failed: true }) };
  await publish(files, join(folder, OWNERS.of(epoch)), format(owner), 'replace');
}

/** Removes the files of owners before this one, and what crashes left of files that never had a name. */
export async function removeStale({ folder, epoch }: Lease, files: Files): Promise<void> {
  for (const name of await files.list(folder)) {
    const isPast = (OWNERS.numberOf(name) ?? epoch) < epoch || TEMPORARY.test(name);
    // One that is just being written by a process that comes too late may be gone when its turn comes.
    if (isPast) await unlinkIfThere(files, join(folder, name));
  }
}

async function unlinkIfThere(files: Files, path: string): Promise<void> {
  try {
    await files.unlink(path);
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

async function highestOwner(files: Files, folder: string): Promise<number> {
  return (await files.list(folder)).reduce((most, name) => Math.max(most, OWNERS.numberOf(name) ?? 0), 0);
}

/** Whether it is done, or certainly dead. */
function isFree(owner: Owner, processes: Processes): boolean {
  return owner.released === true || processes.isRunning(owner) === false;
}

function format(owner: Owner): Buffer {
  return Buffer.from(`${JSON.stringify(owner)}\n`);
}

/** Undefined where it cannot be read: it counts as a process that may be running. */
async function readOwner(files: Files, path: string): Promise<Owner | undefined> {
  try {
    const bytes = await readWhole(files, path);
    return bytes && parseOwner(bytes);
  } catch (error) {
    if (isCode(error, 'EFBIG', 'EINVAL', 'EISDIR', 'ELOOP')) return undefined;
    throw error;
  }
}

const PLACE: is.Type = { expected: 'a text, or null', is: (value) => value === null || typeof value === 'string' };
const TRUE: is.Type = { expected: 'true', is: (value) => value === true };
const OWNER: is.Shape = {
  pid: is.NUMBER,
  host: is.TEXT,
  start: PLACE,
  space: PLACE,
  boot: PLACE,
  machine: PLACE,
  head: { seq: is.COUNT, hash: is.HASH },
  'released?': TRUE,
  'failed?': TRUE,
};

/** The owner that a file's bytes tell of; undefined where they are not as they are written. */
export function parseOwner(bytes: Uint8Array): Owner | undefined {
  return readExactFile(bytes, OWNER) as Owner | undefined;
}
