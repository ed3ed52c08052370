/** A log that others may write -> the last entry of each chain. */

import { linkOf } from '../entry/entry.ts';
import { type ChainFolder, listChain, listChains, readRawLines } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import type { ChainHead } from './checkpoint.ts';

/** The heads by chain, without chains that are empty. Nothing is verified. */
export async function readHeads(log: Folder): Promise<readonly ChainHead[]> {
  const heads: ChainHead[] = [];
  for (const chain of (await listChains(log)).toSorted()) {
    const head = await headOf(await listChain(log, chain));
    if (head) heads.push(head);
  }
  return heads;
}

async function headOf(folder: ChainFolder): Promise<ChainHead | undefined> {
  for (const segment of [...folder.segments.keys()].reverse()) {
    let last: Buffer | undefined;
    for await (const { bytes, isEnded } of readRawLines(folder, segment)) if (isEnded) last = bytes;
    const link = last && linkOf(last);
    if (link) return { chain: link.chain, length: link.seq, hash: link.hash };
  }
  return undefined;
}
