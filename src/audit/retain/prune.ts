/** A log, a day and a signing key -> the log with signed tombstones for its older segments, their data keys erased. */

import type { KeyObject } from 'node:crypto';
import { DAY, dayOfInstant } from '../../facts/day.ts';
import { BYTES, FLAG, FUNCTION, optionsReader } from '../../given/options.ts';
import { readClock } from '../../given/read-given.ts';
import { checkKeys } from '../keys/index-keys.ts';
import { PUBLIC_KEYS, SIGNING_KEY } from '../keys/signature.ts';
import { keysFolder, LOG_PLACE, type LogPlace } from '../place.ts';
import { type Files, realFiles } from '../store/files.ts';
import { unusable, wrapIoErrors } from '../store/io-errors.ts';
import type { Finding } from '../verify/finding.ts';
import { checkSigningKey, type LogFiles, verifyFiles } from '../verify/log-files.ts';
import { continuityFindings, verifyLog } from '../verify/verify.ts';
import { planPruning } from './plan.ts';
import { type FirstStayingKey, firstKeyAfter, NO_KEYS, type PrunedKeys, pruneSegment } from './prune-segment.ts';
import type { PrunedSegment } from './tombstone.ts';

/** What to prune, and with what. */
export interface PruneOptions extends LogPlace {
  /** yyyy-MM-dd, today (UTC) or earlier: records of this day and later ones stay. */
  readonly before: string;
  /** The private key of one of the log's public keys. */
  readonly signingKey: KeyObject;
  /** A checkpoint kept outside the log: nothing is pruned unless the verified log continues it. */
  readonly checkpoint?: Uint8Array;
  /** The public keys, kept outside the log, for the checkpoint. Default: those in the log's own folder. */
  readonly publicKeys?: readonly KeyObject[];
  /** Report what would be pruned, and write nothing. */
  readonly dryRun?: boolean;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

const readOptions = optionsReader<PruneOptions>('the options of the pruning', {
  ...LOG_PLACE,
  before: DAY,
  signingKey: SIGNING_KEY,
  'checkpoint?': BYTES,
  'publicKeys?': PUBLIC_KEYS,
  'dryRun?': FLAG,
  'now?': FUNCTION,
});

/** The options with the key folder and the file system. */
type Pruning = PruneOptions & { readonly keysDir: string; readonly files: Files };

/** What was pruned. */
export interface Pruned extends PrunedKeys {
  readonly segments: readonly Pick<PrunedSegment, 'chain' | 'segment' | 'records' | 'from' | 'to'>[];
  /** Segments that are old enough but stay: their chain holds erasure entries of records that stay. */
  readonly keptSegments: number;
  /** Why the log does not continue the checkpoint. With any, only an interrupted pruning was finished. */
  readonly against: readonly Finding[];
}

/**
 * Removes the oldest closed segments of each chain whose records are all before a day. Other processes may
 * write meanwhile. After an interruption, prune again: it continues. Rejects with CONFIGURATION_INVALID for a
 * day, key or folder that cannot be used, and with AUDIT_FAILED if the disk fails or if a segment is not as it
 * was written; in the second case nothing is removed.
 */
export function pruneLog(options: PruneOptions): Promise<Pruned> {
  return pruneLogOn(options, realFiles);
}

/** `pruneLog` on any file system. */
export async function pruneLogOn(given: PruneOptions, on: Files): Promise<Pruned> {
  const read = readOptions(given);
  const options = { ...read, keysDir: keysFolder(read), files: on };
  const { dir, keysDir, before, signingKey, checkpoint, now = Date.now } = options;
  // Records of today are still being written, and a mistyped year would remove most of the log.
  if (before > dayOfInstant(readClock(now))) throw unusable(FUTURE);
  return wrapIoErrors('pruned', async () => {
    const files = await verifyFiles(dir);
    if (!files.log) throw unusable(NO_LOG);
    checkSigningKey(files, signingKey);
    await checkKeys(keysDir, files.log.log);
    if (checkpoint === undefined) return pruneBefore(before, files, options);
    // Finish an interrupted pruning first: its tombstones are signed, and until then the log does not verify.
    const finished = options.dryRun ? undefined : await pruneBefore(NO_DAY, files, options);
    const against = await compare(options, checkpoint);
    if (against.length > 0) return { ...NO_KEYS, segments: [], keptSegments: 0, ...finished, against };
    return sum(finished, await pruneBefore(before, files, options));
  });
}

/** Before any record. */
const NO_DAY = '0000-01-01';
const FUTURE = 'the day to prune before is in the future, expected today (UTC) or an earlier day';
const NO_LOG = 'found no audit log in that folder, or its log.json is malformed';

async function compare({ dir, publicKeys, dryRun }: PruneOptions, checkpoint: Uint8Array): Promise<readonly Finding[]> {
  const report = await verifyLog({ dir, checkpoint, ...(publicKeys === undefined ? {} : { publicKeys }) });
  const against = continuityFindings(report);
  // Without `dryRun`, an interrupted pruning would be finished before.
  return dryRun ? against.filter(({ code }) => code !== 'segment-unexpected') : against;
}

async function pruneBefore(before: string, { log, chains, publicKeys }: LogFiles, options: Pruning): Promise<Pruned> {
  const { dir, keysDir, signingKey, dryRun = false, now = Date.now, files } = options;
  const place = { dir, log: log?.log ?? '' };
  const plan = await planPruning({ ...place, chains, trusted: publicKeys, before });
  const context = { log: place.log, keysDir, signingKey, trusted: publicKeys, now, files, dryRun };
  const staying = new Map<string, FirstStayingKey>();
  const lastOfEach = new Map(plan.segments.map((segment) => [segment.chain, segment]));
  for (const [chain, last] of lastOfEach) staying.set(chain, await firstKeyAfter(last));
  let keys: PrunedKeys = NO_KEYS;
  for (const segment of plan.segments) {
    keys = sumKeys(keys, await pruneSegment(segment, staying.get(segment.chain), context));
  }
  const segments = plan.segments.map(({ chain, segment, records, from, to }) => ({
    ...{ chain, segment, records, from, to },
  }));
  return { ...keys, segments, keptSegments: plan.kept, against: [] };
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
