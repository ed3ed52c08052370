/** A segment to prune -> its tombstone written, its data keys erased, the segment removed; in this order. */

import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import type { Entry } from '../entry/entry.ts';
import { countDataKeys, eraseDataKeys, type KeyCounts } from '../keys/data-keys.ts';
import { chainOfKey, keyNamedIn, orderOfKey } from '../keys/key-order.ts';
import type { TrustedKeys } from '../keys/signature.ts';
import { listChainFolder, readRawLines } from '../store/chain-folder.ts';
import { closing, type Files, isCode, publish, unlessCode } from '../store/files.ts';
import { statEntry } from '../store/folder.ts';
import { readTornName, SEGMENTS, TOMBSTONES } from '../store/segment.ts';
import { cannotPrune, readEntries } from './checked-segment.ts';
import { checkTombstone, type PrunableSegment } from './plan.ts';
import { signTombstone } from './tombstone.ts';

/** Counts of the data keys of pruned segments. */
export interface PrunedKeys {
  /** Erased now. */
  readonly keys: number;
  /** Erased before. */
  readonly keysBefore: number;
  /** Not in the key folder. */
  readonly missingKeys: number;
  /** Not erased, because a record that stays may use them. */
  readonly keptKeys: number;
}

export const NO_KEYS: PrunedKeys = { keys: 0, keysBefore: 0, missingKeys: 0, keptKeys: 0 };

/** The log of the segments, and what to prune them with. */
export interface PruneContext {
  readonly log: string;
  readonly keysDir: string;
  readonly signingKey: KeyObject;
  readonly trusted: TrustedKeys;
  now(): number;
  readonly files: Files;
  readonly dryRun: boolean;
}

/**
 * Prunes one segment; with `dryRun`, counts the keys that this would erase and writes nothing.
 * INVARIANT: each step is durable before the next. The tombstone is durable before anything is removed, and the
 * segment, which alone names its data keys, is removed last: after an interruption, what is left shows what is
 * still to be done. Another process may prune it too.
 */
export async function pruneSegment(
  segment: PrunableSegment,
  staying: FirstStayingKey,
  context: PruneContext,
): Promise<PrunedKeys> {
  try {
    return await prune(segment, staying, context);
  } catch (error) {
    const mayBePruned = error instanceof VerdictError || isCode(error, 'ENOENT');
    if (mayBePruned && (await isPruned(segment))) return NO_KEYS;
    throw error;
  }
}

/** The first key of a chain, by `orderOfKey`, that the segments which stay name; undefined if they name none. */
export type FirstStayingKey = string | undefined;

/** The first key named after a segment of its chain. */
export async function firstKeyAfter({ folder: { path }, chain, segment }: PrunableSegment): Promise<FirstStayingKey> {
  const folder = await listChainFolder(path);
  let first: FirstStayingKey;
  for (const staying of folder.segments.keys()) {
    if (staying <= segment) continue;
    for await (const { bytes } of readRawLines(folder, staying)) {
      const name = bytes && keyNamedIn(bytes);
      if (name === undefined || chainOfKey(name) !== chain) continue;
      const order = orderOfKey(name);
      if (first === undefined || order < first) first = order;
    }
  }
  return first;
}

async function prune(old: PrunableSegment, staying: FirstStayingKey, context: PruneContext): Promise<PrunedKeys> {
  const { keysDir, files, log, dryRun } = context;
  const { segment, hasTombstone } = old;
  const { path, torn } = old.folder;
  // Read before the tombstone is written: once it is there, the segment should be gone soon.
  const { names, kept } = await keysToErase(old, staying, log);
  if (dryRun) return withKept(await countDataKeys(keysDir, names, files), kept);
  if (!hasTombstone) await writeTombstone(old, context);
  await files.syncFolder(path);
  const keys = await eraseDataKeys(keysDir, names, files);
  const tails = [...torn.keys()].filter((name) => readTornName(name)?.segment === segment);
  for (const name of [...tails, SEGMENTS.of(segment)]) {
    await unlessCode(files.unlink(join(path, name)), 'ENOENT');
  }
  await files.syncFolder(path);
  return withKept(keys, kept);
}

async function writeTombstone(old: PrunableSegment, { signingKey, trusted, files, now }: PruneContext): Promise<void> {
  const { folder, hasTombstone, erased, ...fields } = old;
  const { path } = folder;
  // The last hash of what is pruned must be durable in what stays.
  const next = await files.open(join(path, SEGMENTS.of(fields.segment + 1)), 'append');
  await closing(next, () => next.datasync());
  const text = signTombstone({ ...fields, prunedAt: new Date(now()).toISOString() }, signingKey);
  for (let attempt = 1; ; attempt++) {
    try {
      return await publish(files, join(path, TOMBSTONES.of(fields.segment)), Buffer.from(text), 'new');
    } catch (error) {
      // Another process wrote it first.
      if (isCode(error, 'EEXIST')) return checkTombstone(old, trusted);
      // A process that opens the chain removes temporary files, which it takes for what a crash left.
      if (!isCode(error, 'ENOENT') || attempt === ATTEMPTS) throw error;
    }
  }
}

const ATTEMPTS = 10;

/**
 * The keys to erase with a segment. INVARIANT: none of them is named by a record that stays. Keys are used in
 * order, so all keys of a segment come before the first key named after it; any other may belong to another
 * record.
 */
async function keysToErase(
  { chain, segment, prev, first, head, folder }: PrunableSegment,
  staying: FirstStayingKey,
  log: string,
): Promise<{ readonly names: readonly string[]; readonly kept: number }> {
  const named: string[] = [];
  let last: Entry | undefined;
  for await (const entry of readEntries(folder, { log, chain, segment, before: { seq: first - 1, hash: prev } })) {
    if ('key' in entry && entry.key !== undefined) named.push(entry.key);
    last = entry;
  }
  // It was read for the plan; another process may have pruned it since.
  if (last?.hash !== head) throw cannotPrune(chain, segment, 'found other entries than when pruning was planned');
  const names = named.filter(
    (name) => chainOfKey(name) === chain && (staying === undefined || orderOfKey(name) < staying),
  );
  return { names, kept: named.length - names.length };
}

function withKept({ erased, before, missing }: KeyCounts, kept: number): PrunedKeys {
  return { keys: erased, keysBefore: before, missingKeys: missing, keptKeys: kept };
}

/** Whether another process has pruned a segment. */
async function isPruned({ folder: { path }, segment }: PrunableSegment): Promise<boolean> {
  const tombstone = await statEntry(join(path, TOMBSTONES.of(segment)));
  return tombstone?.kind === 'file' && !(await statEntry(join(path, SEGMENTS.of(segment))));
}
