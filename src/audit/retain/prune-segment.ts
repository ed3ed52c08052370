/** A segment that may go -> its tombstone, its keys erased, the segment gone: in that order, each durable before the next. */

import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { countDataKeys, eraseDataKeys, type KeyCounts } from '../keys/data-keys.ts';
import { chainOfKey, orderOfKey } from '../keys/key-order.ts';
import { keysNamedIn } from '../keys/named-keys.ts';
import type { TrustedKeys } from '../keys/signature.ts';
import { type ChainFolder, listChainFolder } from '../store/chain-folder.ts';
import { closing, type Files, isCode, publish } from '../store/files.ts';
import { readTornName, SEGMENTS, TOMBSTONES } from '../store/segment.ts';
import { checkTombstone, type PrunableSegment, readLines } from './plan.ts';
import { signTombstone } from './tombstone.ts';

/** What became of the data keys of segments. */
export interface PrunedKeys {
  /** Those that were erased. */
  readonly keys: number;
  /** Those that were erased before. */
  readonly keysBefore: number;
  /** Those that are not in the key folder. */
  readonly missingKeys: number;
  /** Those that a record which stays may name, and that were left to it. */
  readonly keptKeys: number;
}

export const NO_KEYS: PrunedKeys = { keys: 0, keysBefore: 0, missingKeys: 0, keptKeys: 0 };

/** The log of the segments, and what they are pruned with. */
export interface PruneSetting {
  readonly log: string;
  readonly keysDir: string;
  readonly signingKey: KeyObject;
  readonly trusted: TrustedKeys;
  now(): number;
  readonly files: Files;
}

/**
 * Prunes one segment. INVARIANT: the tombstone is durable before anything goes, and the segment, which alone names its data keys, goes last: whenever
 * this ends early, what is left says what is still to be done. Somebody else may be pruning it too.
 */
export async function pruneSegment(
  candidate: PrunableSegment,
  staying: StayingKeys,
  setting: PruneSetting,
): Promise<PrunedKeys> {
  try {
    return await prune(candidate, staying, setting);
  } catch (error) {
    const isMissed = error instanceof VerdictError || isCode(error, 'ENOENT');
    if (!isMissed || !(await isGone(candidate))) throw error;
    return NO_KEYS;
  }
}

/** What `pruneSegment` would do with the keys; nothing is written. */
export async function countSegment(
  candidate: PrunableSegment,
  staying: StayingKeys,
  setting: PruneSetting,
): Promise<PrunedKeys> {
  const { names, kept } = await namesOf(candidate, await listChainFolder(candidate.folder), staying, setting);
  return counted(await countDataKeys(setting.keysDir, names, setting.files), kept);
}

/** By `orderOfKey`, the first key of a chain that the segments name which stay; undefined where they name none. */
export type StayingKeys = string | undefined;

/** The keys that stay, where all segments of a chain up to one go. */
export async function keysBehind({ folder: path, chain, segment }: PrunableSegment): Promise<StayingKeys> {
  const { segments } = await listChainFolder(path);
  let first: StayingKeys;
  const staying = [...segments].filter(([number]) => number > segment);
  for await (const { name } of keysNamedIn(path, staying)) {
    const order = orderOfKey(name);
    if (chainOfKey(name) === chain && (first === undefined || order < first)) first = order;
  }
  return first;
}

async function prune(candidate: PrunableSegment, staying: StayingKeys, setting: PruneSetting): Promise<PrunedKeys> {
  const { keysDir, files } = setting;
  const { folder: path, segment } = candidate;
  // Before the tombstone: with it there the segment should be gone soon.
  const folder = await listChainFolder(path);
  const { names, kept } = await namesOf(candidate, folder, staying, setting);
  if (!candidate.hasTombstone) await writeTombstone(candidate, setting);
  await files.syncFolder(path);
  const keys = await eraseDataKeys(keysDir, names, files);
  const tails = [...folder.torn.keys()].filter((name) => readTornName(name)?.segment === segment);
  for (const name of [...tails, SEGMENTS.of(segment)]) {
    await files.unlink(join(path, name)).catch((error: unknown) => {
      if (!isCode(error, 'ENOENT')) throw error;
    });
  }
  await files.syncFolder(path);
  return counted(keys, kept);
}

async function writeTombstone(
  candidate: PrunableSegment,
  { signingKey, trusted, files, now }: PruneSetting,
): Promise<void> {
  const { folder: path, hasTombstone: _, erased: __, ...fields } = candidate;
  // The chain's own head must be durable in what stays.
  const next = await files.open(join(path, SEGMENTS.of(fields.segment + 1)), 'append');
  await closing(next, () => next.datasync());
  const text = signTombstone({ ...fields, prunedAt: new Date(now()).toISOString() }, signingKey);
  for (let attempt = 1; ; attempt++) {
    try {
      return await publish(files, join(path, TOMBSTONES.of(fields.segment)), Buffer.from(text), 'new');
    } catch (error) {
      // Somebody else was quicker.
      if (isCode(error, 'EEXIST')) return checkTombstone(candidate, trusted);
      // Whoever opens the chain removes files that are half written, as what a crash left.
      if (!isCode(error, 'ENOENT') || attempt === ATTEMPTS) throw error;
    }
  }
}

const ATTEMPTS = 10;

/**
 * The keys that go with a segment. INVARIANT: none that a record names which stays. Keys are taken in their order, so that all of a segment come
 * before the first that is named behind it; what does not may be another record's.
 */
async function namesOf(
  { chain, segment, prev, first }: PrunableSegment,
  folder: ChainFolder,
  staying: StayingKeys,
  { log }: PruneSetting,
): Promise<{ readonly names: readonly string[]; readonly kept: number }> {
  const named: string[] = [];
  for await (const line of readLines(folder, { log, chain, segment, before: { seq: first - 1, hash: prev } })) {
    if ('key' in line && line.key !== undefined) named.push(line.key);
  }
  const names = named.filter(
    (name) => chainOfKey(name) === chain && (staying === undefined || orderOfKey(name) < staying),
  );
  return { names, kept: named.length - names.length };
}

function counted({ erased, before, missing }: KeyCounts, kept: number): PrunedKeys {
  return { keys: erased, keysBefore: before, missingKeys: missing, keptKeys: kept };
}

/** Somebody else has pruned it. */
async function isGone({ folder, segment }: PrunableSegment): Promise<boolean> {
  const { segments, tombstones } = await listChainFolder(folder);
  return tombstones.has(segment) && !segments.has(segment);
}
