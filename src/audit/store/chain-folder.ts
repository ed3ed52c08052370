/** A chain's folder -> its segments, tombstones, set-aside tails and owners by their numbers, and what does not belong there. */

import { join } from 'node:path';
import { isRunning } from '../../platform/process.ts';
import { isChainName } from './chain.ts';
import { type FolderItem, listFolder, readSmall, statEntry } from './folder.ts';
import { type LastState, lastStateOf, parseOwner } from './lease.ts';
import { OWNERS, readTornName, SEGMENTS, TOMBSTONES } from './segment.ts';

/** What stands in a chain's folder, as it was at one moment. */
export interface ChainFolder {
  readonly path: string;
  /** The length of each segment, in bytes, ascending by number; what is written later is not read. */
  readonly segments: ReadonlyMap<number, number>;
  readonly tombstones: ReadonlySet<number>;
  /** The length of each file that was set aside, by name. */
  readonly torn: ReadonlyMap<string, number>;
  /** Ascending. */
  readonly owners: readonly number[];
  /** The last segment, or tombstone; 0 where there is none. */
  readonly last: number;
  readonly unexpected: readonly string[];
  readonly entries: readonly FolderItem[];
}

/** The chains of a log, oldest first. */
export async function listChains(dir: string): Promise<string[]> {
  return (await listFolder(join(dir, 'chains'))).flatMap(({ name, kind }) =>
    kind === 'folder' && isChainName(name) ? [name] : [],
  );
}

/** Looks into a chain's folder. */
export async function listChainFolder(path: string): Promise<ChainFolder> {
  const entries = await listFolder(path);
  const segments = new Map<number, number>();
  const tombstones = new Set<number>();
  const torn = new Map<string, number>();
  const owners: number[] = [];
  const unexpected: string[] = [];
  for (const { name, kind, size } of entries) {
    const [segment, tombstone, owner] = [SEGMENTS, TOMBSTONES, OWNERS].map((names) => names.numberOf(name));
    if (kind !== 'file') unexpected.push(name);
    else if (segment !== undefined) segments.set(segment, size);
    else if (tombstone !== undefined) tombstones.add(tombstone);
    else if (owner !== undefined) owners.push(owner);
    else if (readTornName(name)) torn.set(name, size);
    else unexpected.push(name);
  }
  const last = [...segments.keys(), ...tombstones].reduce((most, number) => Math.max(most, number), 0);
  // By their numbers: a name of one digit more stands before the others.
  const inOrder = new Map([...segments].sort(([one], [other]) => one - other));
  owners.sort((one, other) => one - other);
  return { path, segments: inOrder, tombstones, torn, owners, last, unexpected, entries };
}

/** Whether nothing was written, begun or removed between two looks. */
export function isUnchanged(before: ChainFolder, after: ChainFolder): boolean {
  return JSON.stringify(before.entries) === JSON.stringify(after.entries);
}

/** How a chain was left when its folder was looked at; undefined where nothing tells. */
export async function readLastState({ path, owners, entries }: ChainFolder): Promise<LastState | undefined> {
  const name = OWNERS.of(owners.at(-1) ?? 0);
  const found = entries.find((entry) => entry.name === name);
  const bytes = found && (await readSmall(join(path, name)));
  // One that was written since may tell of lines that were not there yet. It is longer: it says that the process is done.
  const owner = bytes?.length === found?.size ? bytes && parseOwner(bytes) : undefined;
  return owner && lastStateOf(owner);
}

/** A chain's owners whose files are not as they are written, and whether the last one writes it, or may. */
export async function readOwners({ path, owners }: ChainFolder): Promise<{ invalid: number[]; isWritten: boolean }> {
  const invalid: number[] = [];
  let isWritten = false;
  for (const number of owners) {
    const file = join(path, OWNERS.of(number));
    const bytes = await readSmall(file);
    const owner = bytes && parseOwner(bytes);
    // One that is gone was removed by the owner after it; one that is too large to be one is there.
    if (!owner && (bytes || (await statEntry(file)))) invalid.push(number);
    isWritten = owner?.released !== true && !(owner && isRunning(owner) === false);
  }
  return { invalid, isWritten };
}
