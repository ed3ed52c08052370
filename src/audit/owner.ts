/**
 * Which process writes a chain: files `owner-<epoch>.json` in its folder, of which the highest counts. Each holds the process
 * that made it, and says so when that process is done.
 */

import { join } from 'node:path';
import { isRunning, type ProcessId, thisProcess } from '../process.ts';
import { type Files, isCode, publish, readWhole } from './files.ts';
import { OWNERS, TEMPORARY } from './segment.ts';

/** What an owner file holds. */
export interface Owner extends ProcessId {
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

/** A chain that is this process's own. */
export interface Claim {
  readonly folder: string;
  readonly epoch: number;
  /** Whether the owner before was done, and all that it wrote was durable. */
  readonly isClean: boolean;
}

/** What claims are made with. */
export interface ClaimSetting {
  readonly files: Files;
  readonly processes: Processes;
}

/**
 * Makes the chain in a folder this process's own, in an epoch above `floor`; undefined where another has it, or may have it,
 * or was quicker. INVARIANT: the highest owner file of a folder is never removed, so that whoever comes too late, having looked
 * before others came and went, finds a higher one than its own.
 */
export async function claim(folder: string, floor: number, setting: ClaimSetting): Promise<Claim | undefined> {
  const { files, processes } = setting;
  const highest = await highestOwner(files, folder);
  const owner = highest > 0 ? await readOwner(files, join(folder, OWNERS.of(highest))) : undefined;
  if (highest > 0 && !(owner && isFree(owner, processes))) return undefined;
  const epoch = Math.max(highest, floor) + 1;
  const path = join(folder, OWNERS.of(epoch));
  try {
    await publish(files, path, format(processes.self()), 'new');
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
  return { folder, epoch, isClean: owner?.released === true && owner.failed === undefined };
}

/** Lets another process have the chain; `failed` where not all that was written may be durable. */
export async function release({ folder, epoch }: Claim, failed: boolean, setting: ClaimSetting): Promise<void> {
  const { files, processes } = setting;
  const owner: Owner = { ...processes.self(), released: true, ...(failed ? { failed: true } : {}) };
  await publish(files, join(folder, OWNERS.of(epoch)), format(owner), 'replace');
}

/** Removes the files of owners before this one, and what crashes left of files that never had a name. */
export async function forgetEarlier({ folder, epoch }: Claim, files: Files): Promise<void> {
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
  const text = (await readWhole(files, path))?.toString('utf8');
  if (text === undefined) return undefined;
  try {
    const owner: unknown = JSON.parse(text);
    return isOwner(owner) ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** The types that each key's value may have, `object` for null. */
const OWNER: Readonly<Record<keyof Owner, readonly string[]>> = {
  pid: ['number'],
  host: ['string'],
  start: ['string', 'object'],
  space: ['string', 'object'],
  boot: ['string', 'object'],
  machine: ['string', 'object'],
  released: ['boolean', 'undefined'],
  failed: ['boolean', 'undefined'],
};

function isOwner(data: unknown): data is Owner {
  if (typeof data !== 'object' || data === null) return false;
  const given = new Map(Object.entries(data));
  return Object.entries(OWNER).every(([name, types]) => types.includes(typeof given.get(name)));
}
