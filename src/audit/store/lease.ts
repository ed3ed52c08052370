/**
 * The lease of a chain: files `owner-<epoch>.json` in its folder. The highest one names the process that writes the
 * chain, and says whether that process has released it.
 */

import { basename, join } from 'node:path';
import { isRunning, type ProcessId, thisProcess } from '../../platform/process.ts';
import { NO_HASH } from '../entry/entry.ts';
import * as is from '../entry/schema.ts';
import { formatExactFile, readExactFile } from '../entry/schema.ts';
import { type Folder, isCode, publish, readWhole, unlessCode } from './files.ts';
import { type Head, OWNERS, TEMPORARY } from './segment.ts';

/** The contents of an owner file. */
export interface Owner extends ProcessId {
  /** A line that was durable when the file was written; the last line if `released` is set and `failed` is not. */
  readonly head: Head;
  /** The process has released the chain. */
  readonly released?: true;
  /** Some lines that the process wrote may not be durable. */
  readonly failed?: true;
}

/** This process, and whether others still run. Tests replace it. */
export interface Processes {
  self(): ProcessId;
  /** Undefined if it cannot be known. */
  isRunning(found: ProcessId): boolean | undefined;
}

export const realProcesses: Processes = { self: thisProcess, isRunning };

/** The state in which an owner leaves a chain. */
export interface LastState {
  /** A line that the chain must have. */
  readonly head: Head;
  /** Whether it is the last line: the owner released the chain with all its lines durable. */
  readonly isClean: boolean;
}

/** The right of this process to write a chain. Its epoch fences off earlier owners. */
export interface Lease {
  readonly folder: Folder;
  readonly epoch: number;
  /** The state in which the previous owner left the chain. */
  readonly previous: LastState;
}

/**
 * Acquires the lease of the chain in a folder, in an epoch above `floor`; undefined if another process has it, may
 * have it, or was faster. INVARIANT: the highest owner file of a folder is never removed, so a process that listed
 * the folder before others came and went finds a higher file than its own.
 */
export async function acquireLease(folder: Folder, floor: number, processes: Processes): Promise<Lease | undefined> {
  const highest = await highestOwner(folder);
  const owner = highest > 0 ? await readOwner(folder, OWNERS.of(highest)) : undefined;
  if (highest > 0 && !(owner && (await isFree(owner, folder, processes)))) return undefined;
  const epoch = Math.max(highest, floor) + 1;
  const previous = owner ? lastStateOf(owner) : { head: { seq: 0, hash: NO_HASH }, isClean: false };
  const name = OWNERS.of(epoch);
  try {
    await publish(folder, name, formatExactFile({ ...processes.self(), head: previous.head }), 'new');
  } catch (error) {
    // Another process was faster, or has the lease already and removed this temporary file as a crash's remains.
    if (isCode(error, 'EEXIST', 'ENOENT')) return undefined;
    throw error;
  }
  if ((await highestOwner(folder)) > epoch) {
    await unlessCode(folder.files.unlink(join(folder.path, name)), 'ENOENT');
    return undefined;
  }
  await folder.files.syncFolder(folder.path);
  return { folder, epoch, previous };
}

/** The state in which an owner left its chain, or leaves it if it ends now. */
export function lastStateOf({ head, released, failed }: Owner): LastState {
  return { head, isClean: released === true && failed === undefined };
}

/** Releases a lease, so that another process may acquire the next. */
export async function releaseLease({ folder, epoch }: Lease, state: LastState, processes: Processes): Promise<void> {
  const { head, isClean } = state;
  const owner: Owner = { ...processes.self(), head, released: true, ...(isClean ? {} : { failed: true }) };
  await publish(folder, OWNERS.of(epoch), formatExactFile(owner), 'replace');
}

/** Removes the owner files before this lease, and temporary files that a crash left. */
export async function removeStale({ folder: { files, path }, epoch }: Lease): Promise<void> {
  for (const name of await files.list(path)) {
    const isStale = (OWNERS.numberOf(name) ?? epoch) < epoch || TEMPORARY.test(name);
    // A process that comes too late may remove its own temporary file at the same time.
    if (isStale) await unlessCode(files.unlink(join(path, name)), 'ENOENT');
  }
}

async function highestOwner({ files, path }: Folder): Promise<number> {
  return (await files.list(path)).reduce((most, name) => Math.max(most, OWNERS.numberOf(name) ?? 0), 0);
}

/**
 * Whether the owner released the chain, or is certainly dead. In a database, also an owner on another machine that has
 * not shown for a minute that it lives: if it does, its next append fails, because the chain has other bytes.
 */
async function isFree(owner: Owner, { files, path }: Folder, processes: Processes): Promise<boolean> {
  if (owner.released) return true;
  const isRunning = processes.isRunning(owner);
  return isRunning === undefined ? (await files.rows?.log?.isSilent(basename(path))) === true : !isRunning;
}

/** Undefined if the file cannot be read: the owner then counts as running. */
async function readOwner(folder: Folder, name: string): Promise<Owner | undefined> {
  const bytes = await unlessCode(readWhole(folder, name), 'EFBIG', 'EINVAL', 'EISDIR', 'ELOOP');
  return bytes && parseOwner(bytes);
}

const TEXT_OR_NULL: is.Type = { expected: 'a text, or null', is: (value) => value === null || is.TEXT.is(value) };
const TRUE = is.oneOf(true);
const OWNER: is.Shape = {
  pid: is.NUMBER,
  host: is.TEXT,
  start: TEXT_OR_NULL,
  space: TEXT_OR_NULL,
  boot: TEXT_OR_NULL,
  machine: TEXT_OR_NULL,
  head: { seq: is.COUNT, hash: is.HASH },
  'released?': TRUE,
  'failed?': TRUE,
};

/** The contents of an owner file; undefined if the bytes are not those written for them. */
export function parseOwner(bytes: Uint8Array): Owner | undefined {
  return readExactFile(bytes, OWNER) as Owner | undefined;
}
