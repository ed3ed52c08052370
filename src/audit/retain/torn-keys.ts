/** A log and the hashes of a subject -> the data keys of its records that were never whole, which no other record has. */

import { join } from 'node:path';
import { splitLines } from '../../platform/lines.ts';
import { MAX_LINE_BYTES, parseEntry } from '../entry/entry.ts';
import { chainOfKey, epochOfKey } from '../keys/key-order.ts';
import { keysNamedIn } from '../keys/named-keys.ts';
import { type ChainFolder, listChainFolder, listChains, readOwners } from '../store/chain-folder.ts';
import { readPieces, readSmall } from '../store/folder.ts';
import { TAIL_BYTES } from '../store/recovery-scan.ts';
import { SEGMENTS } from '../store/segment.ts';

/**
 * The keys of records of which only the beginning can be read: in tails that were set aside, and in those that stand at the end of a chain until it
 * is opened again. What a process is just writing is left to it.
 * INVARIANT: as half a body opens with no key, nothing proves that a tail's key is its own. It is given only where it is of the tail's chain, no
 * line of that chain names it, and no process will: its epoch is over.
 */
export async function tornKeys(dir: string, hashes: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for (const chain of await listChains(dir)) {
    const folder = await listChainFolder(join(dir, 'chains', chain));
    const { isWritten } = await readOwners(folder);
    const tails: string[] = [];
    for (const name of folder.torn.keys()) {
      // One that is larger than what is ever set aside was put there, and no record of ours stands in it.
      tails.push((await readSmall(join(folder.path, name), TAIL_BYTES))?.toString('latin1') ?? '');
    }
    if (!isWritten) tails.push(await readTail(folder));
    const named = new Set<string>();
    // A file may hold what several crashes left at one place.
    for (const [, subjects = '', key = ''] of tails.flatMap((tail) => [...tail.matchAll(TORN_HEAD)])) {
      if (chainOfKey(key) === chain && hashes.some((hash) => subjects.includes(`"${hash}"`))) named.add(key);
    }
    if (named.size === 0) continue;
    let last = await lastOpening(folder);
    for await (const { name, isEnded } of keysNamedIn(folder.path, folder.segments)) {
      if (!isEnded) continue;
      named.delete(name);
      if (chainOfKey(name) === chain) last = Math.max(last, epochOfKey(name));
    }
    for (const key of named) if (epochOfKey(key) < last || (!isWritten && epochOfKey(key) === last)) keys.push(key);
  }
  return keys;
}

/** The epoch of the last process that opened a chain, as far as its segments tell. */
async function lastOpening({ path, segments }: ChainFolder): Promise<number> {
  let epoch = 0;
  for (const [segment, length] of segments) {
    for await (const { bytes } of splitLines(readPieces(join(path, SEGMENTS.of(segment)), length), MAX_LINE_BYTES)) {
      const parsed = bytes?.includes('"kind":"open"') ? parseEntry(bytes) : undefined;
      if (parsed && 'line' in parsed && parsed.line.kind === 'open') epoch = parsed.line.epoch;
    }
  }
  return epoch;
}

/** What stands behind the last line break of a chain. */
async function readTail({ path, segments, last }: ChainFolder): Promise<string> {
  let tail: Buffer | undefined;
  const pieces = readPieces(join(path, SEGMENTS.of(last)), segments.get(last) ?? 0);
  for await (const { bytes, isEnded } of splitLines(pieces, MAX_LINE_BYTES)) tail = isEnded ? undefined : bytes;
  return tail?.toString('latin1') ?? '';
}

const TORN_HEAD = /"subjects":(\{[^{}]*\}),"key":"([^"]+)"/g;
