/** A folder of chains -> a chain of one's own to append to: a free one, read and mended, or a new one. */

import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { VerdictError } from '../../errors.ts';
import type { RecordFields } from '../entry/entry.ts';
import { blockFile, type DataKey, DataKeyPool, dataFolder } from '../keys/data-keys.ts';
import { instantOf, isTooOld } from '../log-file.ts';
import { checkFolder, ensureFolder, type Files, isCode, realFiles } from './files.ts';
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
import { recover } from './recover.ts';
import { type ChainEnd, type ChainPlace, scanForRecovery } from './recovery-scan.ts';
import { type Appended, Writer } from './writer.ts';

/** A segment is closed at 64 MiB, or at the end of a day. */
const SEGMENT_BYTES = 64 * 1024 * 1024;

/** Where the chains are, and what is written about them. */
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
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
  /** Default: the file system. */
  readonly files?: Files;
  /** Default: the processes of this machine. */
  readonly processes?: Processes;
}

/** Appends to one chain. All errors of writing are AUDIT_FAILED. */
export interface ChainWriter {
  readonly chain: string;
  readonly epoch: number;
  /**
   * Resolves when the record is durable. `build` is called once, when its turn comes; what it throws, it alone gets. Once a
   * write has failed everything that waits is refused, and so is all that comes later: only opening the log anew reads what is there.
   */
  append(build: () => RecordFields): Promise<Appended>;
  /** The same with a data key for this record, durable already; its bytes are gone when `build` returns. */
  appendSealed(build: (slot: DataKey) => RecordFields): Promise<Appended>;
  /** Throws AUDIT_FAILED if a record would not be taken: closed, failed, or 4,096 wait. */
  check(): void;
  /** Waits for what was appended, and lets another process have the chain. */
  close(): Promise<void>;
}

/** Other processes may be as quick as this one, again and again, but not for ever. */
const ATTEMPTS = 100;

const CHAIN = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether a name in the folder of chains is one of a chain. */
export function isChainName(name: string): boolean {
  return CHAIN.test(name);
}

/**
 * Opens the oldest chain that nobody writes, or begins one. Throws AUDIT_FAILED where the chain is not as it was written, or
 * the disk fails.
 */
export async function openChain(options: ChainOptions): Promise<ChainWriter> {
  const { dir, keysDir, files = realFiles } = options;
  return wrapIoErrors('opened', async () => {
    await ensureFolder(files, dir);
    await ensureFolder(files, dataFolder(keysDir));
    for (const name of (await files.list(dir)).filter(isChainName).sort()) {
      checkAge(name, options.log, 'found a chain of');
      const writer = await openOne(name, options);
      if (writer) return writer;
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const name = uuidV7();
      checkAge(name, options.log, 'the clock of this machine says');
      await files.makeFolder(join(dir, name));
      const writer = await openOne(name, options);
      if (writer) return writer;
    }
    throw new VerdictError('AUDIT_FAILED', 'other processes took every chain that was begun');
  });
}

function checkAge(chain: string, log: string, found: string): void {
  if (!isTooOld(chain, log)) return;
  const expected = `expected nothing from before the log, which was begun ${instantOf(log)}`;
  throw new VerdictError('AUDIT_FAILED', `${found} ${instantOf(chain)}, ${expected}; nothing was written`);
}

/** Undefined where another process has it. */
async function openOne(chain: string, options: ChainOptions): Promise<ChainWriter | undefined> {
  const { dir, log, keysDir, files = realFiles, processes = realProcesses } = options;
  const place = { files, folder: join(dir, chain), log, chain };
  const setting = { files, processes };
  await checkFolder(files, place.folder);
  let floor = 0;
  for (;;) {
    const own = await acquireLease(place.folder, floor, setting);
    if (!own) return undefined;
    let { left } = own;
    try {
      const end = await scanForRecovery(place, left);
      // An epoch is not used twice, for its keys' sake: the owner files may have been removed, or the log be older than its keys.
      floor = Math.max(end.epoch, await lastKeyEpoch(files, dataFolder(keysDir), chain, own.epoch));
      if (own.epoch > floor) {
        left = { ...left, isClean: false };
        return await begin(own, await recover(place, end, own.left.isClean), place, options);
      }
    } catch (error) {
      await giveUp(own, left, setting).catch(() => {
        // The error above says more; the chain is free when this process ends.
      });
      throw error;
    }
    await giveUp(own, left, setting);
  }
}

/** Leaves a chain as it was found. */
async function giveUp(own: Lease, left: LastState, setting: LeaseSetting): Promise<void> {
  await releaseLease(own, left, setting);
  await removeStale(own, setting.files);
}

/** The last epoch of a chain that has keys, if it is not before that one. */
async function lastKeyEpoch(files: Files, folder: string, chain: string, epoch: number): Promise<number> {
  const first = join(folder, blockFile(`${chain}.${epoch}.1`));
  const isFree = await files.stat(first).then(
    () => false,
    (error: unknown) => {
      if (isCode(error, 'ENOENT')) return true;
      throw error;
    },
  );
  // The folder may hold many: it is read only where it has to be.
  if (isFree) return 0;
  return (await files.list(folder)).reduce((last, name) => {
    const [of, number] = name.split('.');
    return of === chain ? Math.max(last, Number(number)) : last;
  }, epoch);
}

async function begin(own: Lease, end: ChainEnd, place: ChainPlace, options: ChainOptions): Promise<ChainWriter> {
  const { dir, keysDir, engine, segmentBytes = SEGMENT_BYTES, now = Date.now } = options;
  const { files, processes = realProcesses } = { ...options, ...place };
  const { chain } = place;
  // Whoever made the chain's folder may have ended before its name was durable.
  await files.syncFolder(dir);
  const keys = new DataKeyPool(files, dataFolder(keysDir), `${chain}.${own.epoch}`);
  const writer = new Writer({ ...place, epoch: own.epoch, engine, segmentBytes, now }, keys, end);
  try {
    await writer.open(end.torn);
    await removeStale(own, files);
  } catch (error) {
    await writer.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = async () => {
    await writer.close();
    await releaseLease(own, { head: writer.durable, isClean: !writer.hasFailed }, { files, processes }).catch(() => {
      // All that was acknowledged is durable; the chain is free when this process ends.
    });
  };
  return {
    chain,
    epoch: own.epoch,
    append: (build) => writer.append({ sealed: false, build }),
    appendSealed: (build) => writer.append({ sealed: true, build }),
    check: () => writer.check(),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
