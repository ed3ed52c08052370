/** A log, a day and a signing key -> the segments before that day are gone, with a signed tombstone in the place of each, and the data keys of their records too. */

import type { KeyObject } from 'node:crypto';
import { VerdictError } from '../../errors.ts';
import { dayOfInstant, isDay } from '../../facts/day.ts';
import { checkKeys } from '../keys/index-keys.ts';
import { keyIdOf } from '../keys/signature.ts';
import { type Files, realFiles } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { continuityFindings } from '../verify/continuity.ts';
import type { Finding } from '../verify/finding.ts';
import { type LogFiles, verifyFiles } from '../verify/log-files.ts';
import { verifyLog } from '../verify/verify.ts';
import { type PrunableSegment, planPruning } from './plan.ts';
import { countSegment, keysBehind, NO_KEYS, type PrunedKeys, pruneSegment, type StayingKeys } from './prune-segment.ts';

/** What is pruned, and with what. */
export interface PruneOptions {
  readonly dir: string;
  readonly keysDir: string;
  /** yyyy-MM-dd, today (UTC) or before: records of this day and later ones stay. */
  readonly before: string;
  /** The private key of one of the log's public keys. */
  readonly signingKey: KeyObject;
  /** A checkpoint, from wherever it was kept: the log is verified first, and nothing is pruned from one that does not continue it. */
  readonly checkpoint?: Uint8Array;
  /** The public keys, kept elsewhere, that the checkpoint has to be signed with. Default: those in the log's own folder. */
  readonly publicKeys?: readonly KeyObject[];
  /** Nothing is written: what is given would go. */
  readonly dryRun?: boolean;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: the file system. */
  readonly files?: Files;
}

/** What is gone. */
export interface Pruned extends PrunedKeys {
  readonly segments: readonly Pick<PrunableSegment, 'chain' | 'segment' | 'records' | 'from' | 'to'>[];
  /** Segments that are old enough, and stay: they, or others before them, tell of erasures of records that stay. */
  readonly keptSegments: number;
  /** What speaks against the log's going on from the checkpoint: nothing was pruned then but what an earlier pruning had begun to. */
  readonly against: readonly Finding[];
}

/**
 * Removes the oldest closed segments of each chain whose records are all before a day. Processes may go on writing. Interrupted, it is to be done
 * again: it goes on where it was. Rejects with CONFIGURATION_INVALID for a day, key or folder that cannot be used, and with AUDIT_FAILED where a
 * segment is not as it was written, in which case nothing is removed, or where the disk fails.
 */
export async function pruneLog(options: PruneOptions): Promise<Pruned> {
  const { dir, keysDir, before, signingKey, checkpoint, now = Date.now } = options;
  if (!isDay(before)) {
    throw new VerdictError('CONFIGURATION_INVALID', 'expected a day, written yyyy-MM-dd, to prune before');
  }
  // Records of a day that is not over are still being written, and a day that is mistyped takes most with it.
  if (before > dayOfInstant(now())) throw new VerdictError('CONFIGURATION_INVALID', FUTURE);
  return wrapIoErrors('pruned', async () => {
    const files = await verifyFiles(dir);
    if (!files.log) throw new VerdictError('CONFIGURATION_INVALID', NO_LOG);
    if (!files.publicKeys.has(keyIdOf(signingKey))) throw new VerdictError('CONFIGURATION_INVALID', NOT_ITS_KEY);
    await checkKeys(keysDir, files.log.log);
    if (checkpoint === undefined) return pruneBefore(before, files, options);
    // Of what is half pruned already the tombstones are signed; and where it stands the log cannot be verified.
    const begun = options.dryRun ? undefined : await pruneBefore(NO_DAY, files, options);
    const against = await compare(options, checkpoint);
    if (against.length > 0) return { ...NO_KEYS, segments: [], keptSegments: 0, ...begun, against };
    return sum(begun, await pruneBefore(before, files, options));
  });
}

/** Before any record. */
const NO_DAY = '0000-01-01';
const NO_LOG = 'found no audit log in that folder, or one whose log.json cannot be read';
const NOT_ITS_KEY = "found a signing key that is not the log's own, expected one whose public key is in its folder";
const FUTURE = 'found a day to prune before that is still to come, expected today, in UTC, or an earlier one';

async function compare({ dir, publicKeys, dryRun }: PruneOptions, checkpoint: Uint8Array): Promise<readonly Finding[]> {
  const report = await verifyLog(dir, { checkpoint, ...(publicKeys === undefined ? {} : { publicKeys }) });
  const against = continuityFindings(report);
  // It would be finished first.
  return dryRun ? against.filter(({ code }) => code !== 'segment-unexpected') : against;
}

async function pruneBefore(
  before: string,
  { log, chains, publicKeys }: LogFiles,
  options: PruneOptions,
): Promise<Pruned> {
  const { dir, keysDir, signingKey, dryRun = false, now = Date.now, files = realFiles } = options;
  const place = { dir, log: log?.log ?? '' };
  const { candidates, kept } = await planPruning({ ...place, chains, trusted: publicKeys, before });
  const setting = { ...place, keysDir, signingKey, trusted: publicKeys, now, files };
  const staying = new Map<string, StayingKeys>();
  for (const last of new Map(candidates.map((one) => [one.chain, one])).values()) {
    staying.set(last.chain, await keysBehind(last));
  }
  let pruned: PrunedKeys = NO_KEYS;
  for (const candidate of candidates) {
    const goes = dryRun ? countSegment : pruneSegment;
    pruned = sumKeys(pruned, await goes(candidate, staying.get(candidate.chain), setting));
  }
  const segments = candidates.map(({ chain, segment, records, from, to }) => ({ chain, segment, records, from, to }));
  return { ...pruned, segments, keptSegments: kept, against: [] };
}

function sum(one: Pruned | undefined, other: Pruned): Pruned {
  return one ? { ...other, ...sumKeys(one, other), segments: [...one.segments, ...other.segments] } : other;
}

function sumKeys(one: PrunedKeys, other: PrunedKeys): PrunedKeys {
  return {
    keys: one.keys + other.keys,
    keysBefore: one.keysBefore + other.keysBefore,
    missingKeys: one.missingKeys + other.missingKeys,
    keptKeys: one.keptKeys + other.keptKeys,
  };
}
