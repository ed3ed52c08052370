/** A log and the hashes of a subject -> the data keys of its records that a crash cut off. */

import { join } from 'node:path';
import { parseEntry } from '../entry/entry.ts';
import { chainOfKey, epochOfKey, keyNamedIn } from '../keys/key-order.ts';
import { type ChainFolder, listChainFolder, listChains, readOwners, readRawLines } from '../store/chain-folder.ts';
import { readSmall } from '../store/folder.ts';
import { TAIL_BYTES } from '../store/recovery-scan.ts';

/**
 * Finds the keys of partial records: in set-aside tails, and at the end of a chain that was not opened since
 * its crash. The end of a chain that a process may be writing is left alone.
 * INVARIANT: no key opens half a body, so nothing proves that the key in a tail is its own. A key is returned
 * only if it belongs to the tail's chain, no complete line of that chain names it, and none will: its epoch is
 * over.
 */
export async function tornKeys(dir: string, hashes: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for (const chain of await listChains(dir)) {
    const folder = await listChainFolder(join(dir, 'chains', chain));
    const { isWritten } = await readOwners(folder);
    const tails: string[] = [];
    for (const name of folder.torn.keys()) {
      // The writer never sets aside a larger tail; a larger file holds no record.
      tails.push((await readSmall(join(folder.path, name), TAIL_BYTES))?.toString('latin1') ?? '');
    }
    if (!isWritten) tails.push(await readTail(folder));
    const named = new Set<string>();
    // One file may hold what several crashes left at the same position.
    for (const [, subjects = '', key = ''] of tails.flatMap((tail) => [...tail.matchAll(TORN_HEAD)])) {
      if (chainOfKey(key) === chain && hashes.some((hash) => subjects.includes(`"${hash}"`))) named.add(key);
    }
    if (named.size === 0) continue;
    /** The epoch of the last `open` entry, as far as the segments can be read; and the highest of a key. */
    let [opened, used] = [0, 0];
    for (const segment of folder.segments.keys()) {
      for await (const { bytes, isEnded } of readRawLines(folder, segment)) {
        const parsed = bytes?.includes('"kind":"open"') ? parseEntry(bytes) : undefined;
        if (parsed && 'line' in parsed && parsed.line.kind === 'open') opened = parsed.line.epoch;
        const key = bytes && isEnded ? keyNamedIn(bytes) : undefined;
        if (key === undefined) continue;
        named.delete(key);
        if (chainOfKey(key) === chain) used = Math.max(used, epochOfKey(key));
      }
    }
    const epoch = Math.max(opened, used);
    for (const key of named) if (epochOfKey(key) < epoch || (!isWritten && epochOfKey(key) === epoch)) keys.push(key);
  }
  return keys;
}

/** The bytes after the last line break of a chain. */
async function readTail(folder: ChainFolder): Promise<string> {
  let tail: Buffer | undefined;
  for await (const { bytes, isEnded } of readRawLines(folder, folder.last)) tail = isEnded ? undefined : bytes;
  return tail?.toString('latin1') ?? '';
}

const TORN_HEAD = /"subjects":(\{[^{}]*\}),"key":"([^"]+)"/g;
