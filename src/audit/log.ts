/** A folder and its keys -> the audit log: begun once, then opened by each process that records what it decides. */

import { chmod, realpath, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import type { AuditEntry, AuditLog, Used } from '../decision/audit.ts';
import { VerdictError } from '../errors.ts';
import { ENGINE_VERSION } from '../version.ts';
import { Keeper } from './archive.ts';
import { dataFolder } from './blocks.ts';
import { type BodyTexts, decisionTexts, joinTexts, plainBody } from './body.ts';
import { openChain } from './chain.ts';
import { onDisk } from './disk.ts';
import { ensureFolder, type Files, isCode, publish, readWhole, realFiles } from './files.ts';
import { createKeys, putPublicKey, readIndexKeys } from './keys.ts';
import type { Body, RecordFields } from './line.ts';
import { formatLogFile, instantOf, type LogFile, ORIGIN, readLogFile } from './log-file.ts';
import { clearFields } from './record.ts';
import { type ClearPart, sealText } from './seal.ts';
import { type IndexKey, subjectsOf } from './subject.ts';
import { MAX_WAITING } from './writer.ts';

/** Where a log and its keys are. */
export interface LogPlace {
  /** The log's folder. */
  readonly dir: string;
  /** The key folder, outside the log's. Default: `keysFolder(dir)`. */
  readonly keys?: string;
}

/** The key folder of a log, where nobody says otherwise: beside it, its name with `-keys` behind. */
export function keysFolder({ dir, keys }: LogPlace): string {
  return keys ?? `${resolve(dir)}-keys`;
}

/** What a log is begun with. */
export interface InitOptions extends LogPlace {
  /** Who keeps it, as its checkpoints name it: visible ASCII without spaces. Default: `verdict-audit`. */
  readonly origin?: string;
}

/**
 * Begins a log, in folders that are not there or empty. Rejects with CONFIGURATION_INVALID where something is there, or the keys
 * would stand inside the log, and with AUDIT_FAILED where the disk fails.
 */
export async function initAuditLog({ dir, keys, origin = 'verdict-audit' }: InitOptions): Promise<LogFile> {
  const keysDir = keysFolder(keys === undefined ? { dir } : { dir, keys });
  if (!ORIGIN.is(origin)) throw new VerdictError('CONFIGURATION_INVALID', `the origin has to be ${ORIGIN.expected}`);
  const log = uuidV7();
  const logFile = { log, origin, createdAt: instantOf(log) };
  return onDisk('begun', async () => {
    await checkApart(dir, keysDir);
    await checkEmpty(dir, 'log');
    await checkEmpty(keysDir, 'key');
    const chains = join(dir, 'chains');
    await makeOwn(dir);
    // Of two who begin at once, only one can make a folder.
    await makeNew(chains, 'log');
    await makeOwn(keysDir);
    try {
      await makeNew(dataFolder(keysDir), 'key');
    } catch (error) {
      await rmdir(chains);
      throw error;
    }
    const publicKey = await createKeys(keysDir, log);
    for (const folder of ['policies', 'mappings']) await ensureFolder(realFiles, join(dir, folder));
    await putPublicKey(dir, publicKey);
    // Last: a folder that has it is whole.
    await publish(realFiles, join(dir, 'log.json'), Buffer.from(formatLogFile(logFile)), 'new');
    await realFiles.syncFolder(dir);
    return logFile;
  });
}

/** Throws CONFIGURATION_INVALID where one of the folders stands in the other, by whatever name. */
async function checkApart(dir: string, keysDir: string): Promise<void> {
  const [log, keys] = [await realPlace(dir), await realPlace(keysDir)];
  if (!isInside(keys, log) && !isInside(log, keys)) return;
  throw new VerdictError(
    'CONFIGURATION_INVALID',
    'the key folder has to stand outside of the log, and the log outside of it: who may copy the log must not get its keys with it',
  );
}

function isInside(one: string, other: string): boolean {
  return `${one}${sep}`.startsWith(other.endsWith(sep) ? other : `${other}${sep}`);
}

/** Where a path leads, links followed as far as it is there. */
async function realPlace(path: string): Promise<string> {
  const whole = resolve(path);
  try {
    return await realpath(whole);
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'ENOTDIR') || dirname(whole) === whole) throw error;
    return join(await realPlace(dirname(whole)), basename(whole));
  }
}

async function checkEmpty(folder: string, what: 'log' | 'key'): Promise<void> {
  const names = await realFiles.list(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  });
  if (names.length > 0) throw notEmpty(what);
}

function notEmpty(what: 'log' | 'key'): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', `the ${what} folder is not empty, and is left as it is`);
}

/** A folder for its owner alone, whoever made it. */
async function makeOwn(folder: string): Promise<void> {
  await ensureFolder(realFiles, folder);
  await chmod(folder, 0o700);
}

async function makeNew(folder: string, what: 'log' | 'key'): Promise<void> {
  try {
    await realFiles.makeFolder(folder);
  } catch (error) {
    throw isCode(error, 'EEXIST') ? notEmpty(what) : error;
  }
}

/** What `log.json` of a folder says. Rejects with CONFIGURATION_INVALID where there is none, or it is not as it was written. */
export async function readLog(dir: string, files: Files = realFiles): Promise<LogFile> {
  const bytes = await onDisk('read', () => readWhole(files, join(dir, 'log.json'))).catch((error: unknown) => {
    if (error instanceof VerdictError && isCode(error.cause, 'ENOTDIR', 'EISDIR')) return undefined;
    throw error;
  });
  if (!bytes)
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      'found no audit log in that folder: `verdict audit init` begins one',
    );
  const log = readLogFile(bytes);
  if (!log) throw new VerdictError('CONFIGURATION_INVALID', 'log.json of the audit log is not as it was written');
  return log;
}

/** How decisions are recorded. */
export interface AuditLogOptions extends LogPlace {
  /** Whether a decision that cannot be recorded is given all the same. Default: `required`: it is not. */
  readonly mode?: AuditLog['mode'];
  /**
   * `plain`: facts, evidence, messages and references stand in the log as they are, for whoever can read it, and cannot be erased.
   * Default: `sealed`.
   */
  readonly pii?: 'sealed' | 'plain';
  /** A segment is closed when it has so many bytes, or when a record of a later day, UTC, is to be written. Default: 64 MiB. */
  readonly segmentBytes?: number;
  /** With `best-effort`: told of each decision that was not recorded, by its id. What it throws is left aside. */
  readonly onLost?: (error: VerdictError, decision: string) => void;
}

/** A log that is open. Close it, so that the next process can go on with its chain. */
export interface OpenAuditLog extends AuditLog {
  readonly place: Required<LogPlace>;
  /** Writes any record, durable when it resolves. */
  write(build: (seal: Seal, subjects: IndexKey) => RecordFields): Promise<void>;
  /** Waits for what is to be recorded, with `best-effort` too. */
  close(): Promise<void>;
}

/** A record without its body, and the body -> the record with it, sealed, or in clear where the log is so. */
export type Seal = (clear: ClearPart, texts: BodyTexts) => RecordFields;

/**
 * Opens a log to record in it. Rejects with CONFIGURATION_INVALID where there is no log or the keys are not its own, and with AUDIT_FAILED
 * where the end of its chain is not as it was written, or the disk fails. Any number of processes may have it open.
 */
export function createAuditLog(options: AuditLogOptions): Promise<OpenAuditLog> {
  return openAuditLog(options, realFiles);
}

/** `createAuditLog` on any file system. */
export async function openAuditLog(given: AuditLogOptions, files: Files): Promise<OpenAuditLog> {
  const options = readOptions(given);
  const { dir, mode, pii, segmentBytes, onLost } = options;
  const keysDir = keysFolder(options);
  const { log } = await readLog(dir, files);
  await onDisk('opened', () => checkApart(dir, keysDir));
  const indexKey = (await readIndexKeys(keysDir, log, files)).at(-1) as IndexKey;
  const place = { dir: join(dir, 'chains'), log, keysDir, engine: ENGINE_VERSION, files };
  const chain = await openChain({ ...place, ...(segmentBytes === undefined ? {} : { segmentBytes }) });
  const keeper = new Keeper(dir, files);
  const keep = ({ policy, mapping }: Used) => onDisk('written', () => keeper.keep(policy, mapping));
  /** Decisions on their way to the disk. */
  const underway = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  const checkTaken = (): void => {
    if (closing) throw new VerdictError('AUDIT_FAILED', 'the audit log is closed');
    chain.check();
    // The chain's own limit, held here too: before they come to the chain, decisions wait for their policy to be kept.
    if (underway.size >= MAX_WAITING) {
      throw new VerdictError('AUDIT_FAILED', `${MAX_WAITING} records wait for the disk, and no more are taken`);
    }
  };
  const write: OpenAuditLog['write'] = async (build) => {
    if (pii === 'plain') {
      const inClear: Seal = (clear, texts) => withBody(clear, { plain: plainBody(texts, clear.kind) });
      await chain.append(() => build(inClear, indexKey));
      return;
    }
    await chain.appendSealed(({ name, key }) => {
      const seal: Seal = (clear, texts) => {
        const sealed = sealText(joinTexts(texts), key, { ...clear, chain: chain.chain });
        return withBody(clear, { key: name, sealed });
      };
      return build(seal, indexKey);
    });
  };
  const writeDecision = async (entry: AuditEntry): Promise<void> => {
    checkTaken();
    // Before anything is waited for: who has the decision already, with `best-effort`, may change it.
    const clear = clearFields(entry.decision);
    const texts = decisionTexts(entry);
    await keep(entry);
    await write((seal, key) => {
      const writtenAt = new Date().toISOString();
      return seal({ kind: 'decision', ...clear, writtenAt, subjects: subjectsOf(entry.variables, key) }, texts);
    });
  };
  const lose = (error: unknown, id: string): void => {
    try {
      onLost?.(asFailure(error), id);
    } catch {
      // It has been told.
    }
  };
  return {
    mode,
    place: { dir, keys: keysDir },
    check: async (used) => {
      checkTaken();
      await keep(used);
      checkTaken();
    },
    write,
    record: (entry) => {
      const { id } = entry.decision;
      const writing = writeDecision(entry);
      const recording = mode === 'required' ? writing : writing.catch((error: unknown) => lose(error, id));
      const done: Promise<void> = recording.finally(() => underway.delete(done));
      underway.add(done);
      return done;
    },
    close: () => {
      closing ??= Promise.allSettled(underway).then(() => chain.close());
      return closing;
    },
  };
}

function withBody(clear: ClearPart, body: Body): RecordFields {
  return { ...clear, ...body } as RecordFields;
}

/** With its defaults. A mode that is misspelt must not become the lax one. */
function readOptions(options: AuditLogOptions) {
  const { mode = 'required', pii = 'sealed', segmentBytes } = options;
  const problem =
    mode !== 'required' && mode !== 'best-effort'
      ? 'mode has to be required or best-effort'
      : pii !== 'sealed' && pii !== 'plain'
        ? 'pii has to be sealed or plain'
        : segmentBytes !== undefined && !(Number.isSafeInteger(segmentBytes) && segmentBytes > 0)
          ? 'segmentBytes has to be a whole number above 0'
          : undefined;
  if (problem === undefined) return { ...options, mode, pii };
  throw new VerdictError('CONFIGURATION_INVALID', `the options of the audit log cannot be used: ${problem}`);
}

/** What somebody else's data throws may hold some of it, and is not repeated. */
function asFailure(error: unknown): VerdictError {
  return error instanceof VerdictError ? error : new VerdictError('AUDIT_FAILED', 'the decision could not be recorded');
}
