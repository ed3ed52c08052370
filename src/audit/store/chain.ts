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
  checkFolder,
  closing,
  ensureFolder,
  type Files,
  publish,
  readWhole,
  realFiles,
  unlessCode,
  writeAll,
} from './files.ts';
import { wrapIoErrors } from './io-errors.ts';
import {
  acquireLease,
  type LastState,
  type Lease,
  type LeaseSetting,
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
  /** The folder of the chains. */
  readonly dir: string;
  /** The log's UUID. */
  readonly log: string;
  /** The key folder. */
  readonly keysDir: string;
  /** The version of the engine. */
  readonly engine: string;
  /** Default: 64 MiB. */
  readonly segmentBytes?: number;
  /** Default: 4,096 records. */
  readonly maxWaiting?: number;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: the file system. */
  readonly files?: Files;
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

/** How many new chains to try if other processes keep taking them. */
const ATTEMPTS = 100;

/** Whether a name in the folder of chains is a chain's. */
export function isChainName(name: string): boolean {
  return is.ID.is(name);
}

/** Opens the oldest free chain, or begins one. Throws AUDIT_FAILED if the chain was changed, or the disk fails. */
export async function openChain(options: ChainOptions): Promise<ChainWriter> {
  const setting = settingOf(options);
  const { dir, keysDir, log, files } = setting;
  return wrapIoErrors('opened', async () => {
    await ensureFolder(files, dir);
    await ensureFolder(files, dataFolder(keysDir));
    for (const name of (await files.list(dir)).filter(isChainName).sort()) {
      checkAge(name, log, 'found a chain of');
      const writer = await openOne(name, setting);
      if (writer) return writer;
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const name = uuidV7();
      checkAge(name, log, 'the clock of this machine says');
      await files.makeFolder(join(dir, name));
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
    ...{ files: realFiles, processes: realProcesses, encrypt: encryptBody },
    ...options,
  };
}

/** Undefined if another process has the chain. */
async function openOne(chain: string, setting: Setting): Promise<ChainWriter | undefined> {
  const { dir, log, keysDir, files } = setting;
  const location = { files, folder: join(dir, chain), log, chain };
  await checkFolder(files, location.folder);
  let floor = 0;
  for (;;) {
    const lease = await acquireLease(location.folder, floor, setting);
    if (!lease) return undefined;
    let state = lease.previous;
    try {
      const end = await scanForRecovery(location, state);
      // INVARIANT: no epoch is used twice, because its data keys would be. The owner files may have been removed, or
      // an old copy of the log put beside newer keys.
      floor = Math.max(end.epoch, await lastKeyEpoch(files, dataFolder(keysDir), chain, lease.epoch));
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
async function giveUp(lease: Lease, state: LastState, setting: LeaseSetting): Promise<void> {
  await releaseLease(lease, state, setting);
  await removeStale(lease, setting.files);
}

/** The last epoch of a chain with data keys; 0 if it is before `epoch`. */
async function lastKeyEpoch(files: Files, folder: string, chain: string, epoch: number): Promise<number> {
  const first = await unlessCode(files.stat(join(folder, blockFile(`${chain}.${epoch}.1`))), 'ENOENT');
  // The folder may hold many files: list it only if needed.
  if (!first) return 0;
  return (await files.list(folder)).reduce((last, name) => {
    const [owner, number] = name.split('.');
    return owner === chain ? Math.max(last, Number(number)) : last;
  }, epoch);
}

async function begin(lease: Lease, end: ChainEnd, location: ChainLocation, setting: Setting): Promise<ChainWriter> {
  const { dir, keysDir, files } = setting;
  const { chain } = location;
  const { epoch } = lease;
  // The process that made the chain's folder may have ended before the folder's name was durable.
  await files.syncFolder(dir);
  const keys = new DataKeyPool(files, dataFolder(keysDir), `${chain}.${epoch}`);
  const writer = new Writer({ ...setting, ...location, epoch }, keys, end);
  try {
    await writer.append({ opening: { torn: end.torn } });
    await removeStale(lease, files);
  } catch (error) {
    await writer.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = async () => {
    await writer.close();
    await releaseLease(lease, { head: writer.durable, isClean: !writer.hasFailed }, setting).catch(() => {
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
  if (!last || isClean) return end;
  const { files, folder } = location;
  const path = join(folder, SEGMENTS.of(last.segment));
  const torn = await moveTail(location, last, path);
  const file = await files.open(path, 'change');
  await closing(file, async () => {
    if ((await file.state()).size > last.size) await file.truncate(last.size);
    const from = Math.max(0, last.size - LAST_WRITE_BYTES);
    const bytes = await readWhole(files, path, { from, most: LAST_WRITE_BYTES });
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
  { files, folder }: ChainLocation,
  { segment, size: offset }: { readonly segment: number; readonly size: number },
  path: string,
): Promise<Torn | undefined> {
  const tail = (await readWhole(files, path, { from: offset, most: LAST_WRITE_BYTES })) ?? Buffer.alloc(0);
  const name = join(folder, tornName(segment, offset));
  const earlier = (await readWhole(files, name, { most: TAIL_BYTES })) ?? Buffer.alloc(0);
  const isCopied = tail.length <= earlier.length && earlier.subarray(earlier.length - tail.length).equals(tail);
  const bytes = isCopied ? earlier : Buffer.concat([earlier, tail]);
  if (bytes.length === 0) return undefined;
  await publish(files, name, bytes, 'replace');
  await files.syncFolder(folder);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { segment, offset, bytes: bytes.length, sha256 };
}
