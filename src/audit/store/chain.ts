/** A folder of chains -> a chain that this process may append to: a free one, recovered, or a new one. */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../../errors.ts';
import type { RecordFields, Torn } from '../entry/entry.ts';
import * as is from '../entry/schema.ts';
import { blockFile, DataKeyPool, dataFolder } from '../keys/data-keys.ts';
import { type Draft, type Encryptor, encryptBody } from '../keys/encrypt.ts';
import {
  below,
  checkFolder,
  closing,
  ensureFolder,
  type Folder,
  publish,
  readWhole,
  unlessCode,
  writeAll,
} from './files.ts';
import { wrapIoErrors } from './io-errors.ts';
import {
  acquireLease,
  type LastState,
  type Lease,
  type Processes,
  realProcesses,
  releaseLease,
  removeStale,
} from './lease.ts';
import { type ChainEnd, type ChainLocation, LAST_WRITE_BYTES, scanForRecovery, TAIL_BYTES } from './recovery-scan.ts';
import { instantOf, isTooOld, SEGMENTS, tornName } from './segment.ts';
import { type Appended, MAX_WAITING, Writer } from './writer.ts';

/** A segment is closed at 64 MiB, or at the end of a day. */
const SEGMENT_BYTES = 64 * 1024 * 1024;

/** The folder of the chains, and what is written into them. */
export interface ChainOptions {
  /** The folder of the log. */
  readonly dir: Folder;
  /** The log's UUID. */
  readonly log: string;
  /** The key folder. */
  readonly keys: Folder;
  /** The version of the engine. */
  readonly engine: string;
  /** Default: 64 MiB. */
  readonly segmentBytes?: number;
  /** Default: 4,096 records. */
  readonly maxWaiting?: number;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: the processes of this machine. */
  readonly processes?: Processes;
  /** Default: `encryptBody`. */
  readonly encrypt?: Encryptor;
}

type Setting = Required<ChainOptions>;

/** Appends to one chain. All errors of writing are AUDIT_FAILED. */
export interface ChainWriter {
  readonly chain: string;
  readonly epoch: number;
  /** Whether a write has failed: no record is taken any more. */
  readonly hasFailed: boolean;
  /**
   * Resolves when the record is durable; the body of a draft is encrypted with a data key of its own. A record that
   * cannot be encrypted or formatted fails alone. Once a write has failed, all waiting and later records are refused:
   * the log must be opened again, because only that reads what is on the disk.
   */
  append(record: RecordFields | Draft): Promise<Appended>;
  /** Throws AUDIT_FAILED if a record would be refused: the log is closed, has failed, or `maxWaiting` records wait. */
  check(): void;
  /**
   * Waits for the records appended so far and releases the chain to other processes. A disk that fails keeps the chain
   * taken until this process ends, unless it is closed once more.
   */
  close(): Promise<void>;
}

/** How often a writer shows in a database that it lives. */
const BEAT_MS = 10_000;

/** How many new chains to try if other processes keep taking them. */
const ATTEMPTS = 100;

/** Whether a name in the folder of chains is a chain's. */
export function isChainName(name: string): boolean {
  return is.ID.is(name);
}

/** Opens the oldest free chain, or begins one. Throws AUDIT_FAILED if the chain was changed, or the disk fails. */
export async function openChain(options: ChainOptions): Promise<ChainWriter> {
  const setting = settingOf(options);
  const { dir, keys, log } = setting;
  const chains = below(dir, 'chains');
  const { files, path } = chains;
  return wrapIoErrors('opened', async () => {
    await ensureFolder(chains);
    await ensureFolder(dataFolder(keys));
    for (const name of (await files.list(path)).filter(isChainName).sort()) {
      checkAge(name, log, 'found a chain of');
      const writer = await openOne(name, setting);
      if (writer) return writer;
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const name = uuidV7();
      checkAge(name, log, 'the clock of this machine says');
      await files.makeFolder(join(path, name));
      const writer = await openOne(name, setting);
      if (writer) return writer;
    }
    throw new VerdictError('AUDIT_FAILED', `other processes took each of ${ATTEMPTS} new chains`);
  });
}

function checkAge(chain: string, log: string, found: string): void {
  if (!isTooOld(chain, log)) return;
  const expected = `expected nothing older than the log, which was created ${instantOf(log)}`;
  throw new VerdictError('AUDIT_FAILED', `${found} ${instantOf(chain)}, ${expected}; nothing was written`);
}

/** Sets aside what a write that failed has left at the end of a chain. Throws what `openChain` throws. */
export async function mendChain(chain: ChainWriter, options: ChainOptions): Promise<void> {
  await chain.close();
  const mended = await wrapIoErrors('opened', () => openOne(chain.chain, settingOf(options)));
  await mended?.close();
}

function settingOf(options: ChainOptions): Setting {
  return {
    ...{ segmentBytes: SEGMENT_BYTES, maxWaiting: MAX_WAITING, now: Date.now },
    ...{ processes: realProcesses, encrypt: encryptBody },
    ...options,
  };
}

/** Undefined if another process has the chain. */
async function openOne(chain: string, setting: Setting): Promise<ChainWriter | undefined> {
  const { dir, log, keys, processes } = setting;
  const location = { folder: below(dir, 'chains', chain), log, chain };
  await checkFolder(location.folder);
  let floor = 0;
  for (;;) {
    const lease = await acquireLease(location.folder, floor, processes);
    if (!lease) return undefined;
    let state = lease.previous;
    try {
      const end = await scanForRecovery(location, state);
      // INVARIANT: no epoch is used twice, because its data keys would be. The owner files may have been removed, or
      // an old copy of the log put beside newer keys.
      floor = Math.max(end.epoch, await lastKeyEpoch(dataFolder(keys), chain, lease.epoch));
      if (lease.epoch > floor) {
        state = { ...state, isClean: false };
        return await begin(lease, await recover(location, end, lease.previous.isClean), location, setting);
      }
    } catch (error) {
      await giveUp(lease, state, setting).catch(() => {
        // The first error says more, and the chain becomes free when this process ends.
      });
      throw error;
    }
    await giveUp(lease, state, setting);
  }
}

/** Releases a chain in the state in which it was found. */
async function giveUp(lease: Lease, state: LastState, setting: Setting): Promise<void> {
  await releaseLease(lease, state, setting.processes);
  await removeStale(lease);
}

/** The last epoch of a chain with data keys; 0 if it is before `epoch`. */
async function lastKeyEpoch({ files, path }: Folder, chain: string, epoch: number): Promise<number> {
  const first = await unlessCode(files.stat(join(path, blockFile(`${chain}.${epoch}.1`))), 'ENOENT');
  // The folder may hold many files: list it only if needed.
  if (!first) return 0;
  return (await files.list(path)).reduce((last, name) => {
    const [owner, number] = name.split('.');
    return owner === chain ? Math.max(last, Number(number)) : last;
  }, epoch);
}

async function begin(lease: Lease, end: ChainEnd, location: ChainLocation, setting: Setting): Promise<ChainWriter> {
  const { dir, keys: keyFolder, processes } = setting;
  const { chain } = location;
  const { epoch } = lease;
  // The process that made the chain's folder may have ended before the folder's name was durable.
  await dir.files.syncFolder(below(dir, 'chains').path);
  const keys = new DataKeyPool(dataFolder(keyFolder), `${chain}.${epoch}`);
  const writer = new Writer({ ...setting, ...location, epoch }, keys, end);
  const rows = dir.files.rows?.log;
  try {
    await rows?.beat(chain);
    await writer.append({ opening: { torn: end.torn } });
    await removeStale(lease);
  } catch (error) {
    await writer.close();
    throw error;
  }
  const beats = rows && setInterval(() => void rows.beat(chain).catch(() => {}), BEAT_MS).unref();
  let closing: Promise<void> | undefined;
  const close = async () => {
    clearInterval(beats);
    await writer.close();
    await releaseLease(lease, { head: writer.durable, isClean: !writer.hasFailed }, processes).catch(() => {
      // All acknowledged records are durable, and the chain becomes free when this process ends.
      closing = undefined;
    });
  };
  return {
    chain,
    epoch,
    get hasFailed() {
      return writer.hasFailed;
    },
    append: (record) => writer.append(record),
    check: () => writer.check(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/**
 * Makes the last segment durable, and moves a tail behind its last complete line to a file of its own. Bytes that can
 * be read may still not be on the disk: after a failed sync the system forgets to write them. So the last write is
 * repeated.
 */
async function recover(location: ChainLocation, end: ChainEnd, isClean: boolean): Promise<ChainEnd> {
  const { last } = end;
  const { folder } = location;
  const { files } = folder;
  if (!last || isClean) return end;
  const name = SEGMENTS.of(last.segment);
  const path = join(folder.path, name);
  const torn = await moveTail(folder, last);
  // A transaction leaves no part of a line, and what can be read of it is durable.
  if (files.rows) return torn ? { ...end, torn } : end;
  const file = await files.open(path, 'change');
  await closing(file, async () => {
    if ((await file.state()).size > last.size) await file.truncate(last.size);
    const from = Math.max(0, last.size - LAST_WRITE_BYTES);
    const bytes = await readWhole(folder, name, { from, most: LAST_WRITE_BYTES });
    if (bytes && bytes.length > 0) await writeAll(file, bytes, from);
    await file.datasync();
  });
  return torn ? { ...end, torn } : end;
}

/**
 * Copies the tail behind the last complete line to a file of its own, durable. If an earlier recovery was
 * interrupted, the file may exist: with this tail, or with an earlier tail that was cut off already. This tail is
 * then the start of the line that the interrupted recovery wrote, and is appended.
 */
async function moveTail(
  folder: Folder,
  { segment, size: offset }: { readonly segment: number; readonly size: number },
): Promise<Torn | undefined> {
  const last = await readWhole(folder, SEGMENTS.of(segment), { from: offset, most: LAST_WRITE_BYTES });
  const tail = last ?? Buffer.alloc(0);
  const name = tornName(segment, offset);
  const earlier = (await readWhole(folder, name, { most: TAIL_BYTES })) ?? Buffer.alloc(0);
  const isCopied = tail.length <= earlier.length && earlier.subarray(earlier.length - tail.length).equals(tail);
  const bytes = isCopied ? earlier : Buffer.concat([earlier, tail]);
  if (bytes.length === 0) return undefined;
  // A log that was copied to a database may have the tail, which nobody may change there.
  if (!folder.files.rows) await publish(folder, name, bytes, 'replace');
  await folder.files.syncFolder(folder.path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { segment, offset, bytes: bytes.length, sha256 };
}
