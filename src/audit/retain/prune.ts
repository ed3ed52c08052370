/** A log, a day and a signing key -> the log with signed tombstones for its older segments, their data keys erased. */

import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { DAY, dayOfInstant } from '../../facts/day.ts';
import { BYTES, FLAG, FUNCTION, optionsReader } from '../../platform/given/options.ts';
import { readClock } from '../../platform/given/read-given.ts';
import type { Entry } from '../entry/entry.ts';
import { homeOf } from '../home.ts';
import { chainOfKey, countDataKeys, eraseDataKeys, type KeyCounts, keyNamedIn, orderOfKey } from '../keys/data-keys.ts';
import { checkKeys } from '../keys/key-folder.ts';
import { PUBLIC_KEYS, SIGNING_KEY, type TrustedKeys } from '../keys/signature.ts';
import { LOG_PLACE, type LogHome, type LogPlace, withoutKeys } from '../place.ts';
import { listChainFolder, readRawLines, statEntry } from '../store/chain-folder.ts';
import { type Files, type Folder, isCode, publish, syncFile, unlessCode } from '../store/files.ts';
import { unusable, wrapIoErrors } from '../store/io-errors.ts';
import { readTornName, SEGMENTS, TOMBSTONES } from '../store/segment.ts';
import type { Finding } from '../verify/finding.ts';
import { checkSigningKey, type LogFiles, verifyFiles } from '../verify/log-files.ts';
import { type PrunedSegment, signTombstone } from '../verify/tombstone.ts';
import { continuityFindings, verifyLog } from '../verify/verify.ts';
import { cannotPrune, checkTombstone, type PrunableSegment, planPruning, readEntries } from './plan.ts';

/** What to prune, and with what. */
export type PruneOptions = LogPlace & {
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
};

const readOptions = optionsReader<PruneOptions>('the options of the pruning', {
  ...LOG_PLACE,
  before: DAY,
  signingKey: SIGNING_KEY,
  'checkpoint?': BYTES,
  'publicKeys?': PUBLIC_KEYS,
  'dryRun?': FLAG,
  'now?': FUNCTION,
});

/** The options with the home of the log. */
type Pruning = PruneOptions & { readonly home: LogHome };

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
  return pruneLogOn(options);
}

/** `pruneLog` on any file system. */
export async function pruneLogOn(given: PruneOptions, on?: Files): Promise<Pruned> {
  const read = readOptions(given);
  const found = await homeOf(read);
  const home = on ? { log: { ...found.log, files: on }, keys: { ...found.keys, files: on } } : found;
  const options = { ...read, home };
  const { before, signingKey, checkpoint, now = Date.now } = options;
  // Records of today are still being written, and a mistyped year would remove most of the log.
  if (before > dayOfInstant(readClock(now))) throw unusable(FUTURE);
  return wrapIoErrors('pruned', async () => {
    const files = await verifyFiles(home.log);
    if (!files.log) throw unusable(NO_LOG);
    checkSigningKey(files, signingKey);
    await checkKeys(home.keys, files.log.log);
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

async function compare(options: PruneOptions, checkpoint: Uint8Array): Promise<readonly Finding[]> {
  const { publicKeys, dryRun } = options;
  const report = await verifyLog({
    ...withoutKeys(options),
    checkpoint,
    ...(publicKeys === undefined ? {} : { publicKeys }),
  });
  const against = continuityFindings(report);
  // Without `dryRun`, an interrupted pruning would be finished before.
  return dryRun ? against.filter(({ code }) => code !== 'segment-unexpected') : against;
}

async function pruneBefore(before: string, { log, chains, publicKeys }: LogFiles, options: Pruning): Promise<Pruned> {
  const { home, signingKey, dryRun = false, now = Date.now } = options;
  const place = { dir: home.log, log: log?.log ?? '' };
  const plan = await planPruning({ ...place, chains, trusted: publicKeys, before });
  const context = { log: place.log, keys: home.keys, signingKey, trusted: publicKeys, now, dryRun };
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

/** Counts of the data keys of pruned segments. */
interface PrunedKeys {
  /** Erased now. */
  readonly keys: number;
  /** Erased before. */
  readonly keysBefore: number;
  /** Not in the key folder. */
  readonly missingKeys: number;
  /** Not erased, because a record that stays may use them. */
  readonly keptKeys: number;
}

const NO_KEYS: PrunedKeys = { keys: 0, keysBefore: 0, missingKeys: 0, keptKeys: 0 };

/** The log of the segments, and what to prune them with. */
interface PruneContext {
  readonly log: string;
  readonly keys: Folder;
  readonly signingKey: KeyObject;
  readonly trusted: TrustedKeys;
  now(): number;
  readonly dryRun: boolean;
}

/**
 * Prunes one segment; with `dryRun`, counts the keys that this would erase and writes nothing.
 * INVARIANT: each step is durable before the next. The tombstone is durable before anything is removed, and the
 * segment, which alone names its data keys, is removed last: after an interruption, what is left shows what is
 * still to be done. Another process may prune it too.
 */
async function pruneSegment(
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
type FirstStayingKey = string | undefined;

/** The first key named after a segment of its chain. */
async function firstKeyAfter({ folder: planned, chain, segment }: PrunableSegment): Promise<FirstStayingKey> {
  const folder = await listChainFolder(planned);
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
  const { log, dryRun } = context;
  const { segment, hasTombstone } = old;
  const { files, path, torn } = old.folder;
  // Read before the tombstone is written: once it is there, the segment should be gone soon.
  const { names, kept } = await keysToErase(old, staying, log);
  if (dryRun) return withKept(await countDataKeys(context.keys, names), kept);
  if (!hasTombstone) await writeTombstone(old, context);
  await files.syncFolder(path);
  const keys = await eraseDataKeys(context.keys, names);
  const tails = [...torn.keys()].filter((name) => readTornName(name)?.segment === segment);
  for (const name of [...tails, SEGMENTS.of(segment)]) {
    await unlessCode(files.unlink(join(path, name)), 'ENOENT');
  }
  await files.syncFolder(path);
  return withKept(keys, kept);
}

async function writeTombstone(old: PrunableSegment, { signingKey, trusted, now }: PruneContext): Promise<void> {
  const { folder, hasTombstone, erased, ...fields } = old;
  // The last hash of what is pruned must be durable in what stays.
  await syncFile(folder, SEGMENTS.of(fields.segment + 1));
  const text = signTombstone({ ...fields, prunedAt: new Date(now()).toISOString() }, signingKey);
  for (let attempt = 1; ; attempt++) {
    try {
      return await publish(folder, TOMBSTONES.of(fields.segment), Buffer.from(text), 'new');
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
async function isPruned({ folder, segment }: PrunableSegment): Promise<boolean> {
  const tombstone = await statEntry(folder, TOMBSTONES.of(segment));
  return tombstone?.kind === 'file' && !(await statEntry(folder, SEGMENTS.of(segment)));
}
