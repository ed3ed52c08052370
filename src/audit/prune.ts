/** A log, a day and a signing key -> the segments before that day are gone, with a signed tombstone in the place of each, and the data keys of their records too. */

import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { VerdictError } from '../errors.ts';
import { isDay } from '../facts/day.ts';
import { closing, eraseKeys } from './blocks.ts';
import { lookIntoChain } from './chain-folder.ts';
import { onDisk } from './disk.ts';
import { type Files, isCode, publish, realFiles } from './files.ts';
import { checkKeys } from './keys.ts';
import { type Candidate, planPruning, readLines } from './prune-plan.ts';
import { readTornName, SEGMENTS, TOMBSTONES } from './segment.ts';
import { keyIdOf } from './signature.ts';
import { signTombstone } from './tombstone.ts';
import { verifyFiles } from './verify-files.ts';

/** What is pruned, and with what. */
export interface PruneOptions {
  readonly dir: string;
  readonly keysDir: string;
  /** yyyy-MM-dd: records of this day and later ones stay. */
  readonly before: string;
  /** The private key of one of the log's public keys. */
  readonly signingKey: KeyObject;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: the file system. */
  readonly files?: Files;
}

/** What is gone. */
export interface Pruned {
  readonly segments: readonly Pick<Candidate, 'chain' | 'segment' | 'records' | 'from' | 'to'>[];
  /** Data keys that were erased, and those that were not to be found. */
  readonly keys: number;
  readonly missingKeys: number;
}

/**
 * Removes the oldest closed segments of each chain whose records are all before a day. Processes may go on writing. Interrupted, it is to be done
 * again: it goes on where it was. Rejects with CONFIGURATION_INVALID for a day, key or folder that cannot be used, and with AUDIT_FAILED where a
 * segment is not as it was written, in which case nothing is removed, or where the disk fails.
 */
export async function pruneLog(options: PruneOptions): Promise<Pruned> {
  const { dir, keysDir, before, signingKey } = options;
  if (!isDay(before)) {
    throw new VerdictError('CONFIGURATION_INVALID', 'expected a day, written yyyy-MM-dd, to prune before');
  }
  return onDisk('pruned', async () => {
    const { log, chains, publicKeys } = await verifyFiles(dir);
    if (!log) throw new VerdictError('CONFIGURATION_INVALID', NO_LOG);
    if (!publicKeys.has(keyIdOf(signingKey))) throw new VerdictError('CONFIGURATION_INVALID', NOT_ITS_KEY);
    await checkKeys(keysDir, log.log);
    const candidates = await planPruning({ dir, log: log.log, chains, trusted: publicKeys, before });
    let [keys, missingKeys] = [0, 0];
    for (const candidate of candidates) {
      const done = await prune(candidate, log.log, options);
      [keys, missingKeys] = [keys + done.keys, missingKeys + done.missingKeys];
    }
    const segments = candidates.map(({ chain, segment, records, from, to }) => ({ chain, segment, records, from, to }));
    return { segments, keys, missingKeys };
  });
}

const NO_LOG = 'found no audit log in that folder, or one whose log.json cannot be read';
const NOT_ITS_KEY = "found a signing key that is not the log's own, expected one whose public key is in its folder";

/**
 * INVARIANT: the tombstone is durable before anything goes, and the segment, which alone names its data keys, goes last: whenever this ends early, what is
 * left says what is still to be done.
 */
async function prune(
  candidate: Candidate,
  log: string,
  options: PruneOptions,
): Promise<{ keys: number; missingKeys: number }> {
  const { keysDir, signingKey, now = Date.now, files = realFiles } = options;
  const { folder: path, chain, segment, prev, first } = candidate;
  if (!candidate.hasTombstone) {
    // The chain's own head must be durable in what stays.
    const next = await files.open(join(path, SEGMENTS.of(segment + 1)), 'append');
    await closing(next, () => next.datasync());
    const { folder: _, hasTombstone, erased, ...fields } = candidate;
    const text = signTombstone({ ...fields, prunedAt: new Date(now()).toISOString() }, signingKey);
    await publish(files, join(path, TOMBSTONES.of(segment)), Buffer.from(text), 'new');
  }
  await files.syncFolder(path);

  const folder = await lookIntoChain(path);
  const names: string[] = [];
  for await (const line of readLines(folder, { log, chain, segment, before: { seq: first - 1, hash: prev } })) {
    if ('key' in line && line.key !== undefined) names.push(line.key);
  }
  const missing = await eraseKeys(keysDir, names, files);

  const tails = [...folder.torn.keys()].filter((name) => readTornName(name)?.segment === segment);
  for (const name of [...tails, SEGMENTS.of(segment)]) {
    await files.unlink(join(path, name)).catch((error: unknown) => {
      if (!isCode(error, 'ENOENT')) throw error;
    });
  }
  await files.syncFolder(path);
  return { keys: names.length - missing.length, missingKeys: missing.length };
}
