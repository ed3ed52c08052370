/** A folder and its keys -> the audit log: begun once, then opened by each process that records what it decides. */

import { join, resolve, sep } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import type { AuditEntry, AuditLog } from '../decision/audit.ts';
import { VerdictError } from '../errors.ts';
import { ENGINE_VERSION } from '../version.ts';
import { Keeper } from './archive.ts';
import { openChain } from './chain.ts';
import { ensureFolder, type Files, isCode, publish, readWhole, realFiles } from './files.ts';
import { createKeys, putPublicKey, readIndexKeys } from './keys.ts';
import type { Body, RecordFields } from './line.ts';
import { formatLogFile, instantOf, type LogFile, ORIGIN, readLogFile } from './log-file.ts';
import { bodyText, clearFields } from './record.ts';
import { sealText } from './seal.ts';
import { type IndexKey, subjectsOf } from './subject.ts';

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
  if (isInside(keysDir, dir) || isInside(dir, keysDir)) {
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      'the key folder has to stand outside of the log: who may copy the log must not get its keys with it',
    );
  }
  const log = uuidV7();
  const logFile = { log, origin, createdAt: instantOf(log) };
  return onDisk('begun', async () => {
    for (const [folder, what] of [
      [dir, 'log'],
      [keysDir, 'key'],
    ] as const) {
      const names = await realFiles.list(folder).catch((error: unknown) => {
        if (isCode(error, 'ENOENT')) return [];
        throw error;
      });
      if (names.length > 0)
        throw new VerdictError('CONFIGURATION_INVALID', `the ${what} folder is not empty, and is left as it is`);
    }
    await ensureFolder(realFiles, dir);
    const publicKey = await createKeys(keysDir, log);
    for (const folder of ['chains', 'policies', 'mappings']) await ensureFolder(realFiles, join(dir, folder));
    await putPublicKey(dir, publicKey);
    // Last: a folder that has it is whole.
    await publish(realFiles, join(dir, 'log.json'), Buffer.from(formatLogFile(logFile)), 'new');
    await realFiles.syncFolder(dir);
    return logFile;
  });
}

function isInside(one: string, other: string): boolean {
  return `${resolve(one)}${sep}`.startsWith(`${resolve(other)}${sep}`);
}

/** What `log.json` of a folder says. Rejects with CONFIGURATION_INVALID where there is none, or it is not as it was written. */
export async function readLog(dir: string, files: Files = realFiles): Promise<LogFile> {
  const bytes = await readWhole(files, join(dir, 'log.json')).catch((error: unknown) => {
    if (isCode(error, 'ENOTDIR', 'EISDIR')) return undefined;
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
  /** A segment is closed when it has so many bytes. Default: 64 MiB. */
  readonly segmentBytes?: number;
  /** With `best-effort`: told of each decision that was not recorded. */
  readonly onLost?: (error: VerdictError, decision: string) => void;
}

/** A log that is open. Close it, so that the next process can go on with its chain. */
export interface OpenAuditLog extends AuditLog {
  /** Writes any record, durable when it resolves. */
  write(build: (seal: Seal, subjects: IndexKey) => RecordFields): Promise<void>;
  close(): Promise<void>;
}

/** The text of a body, JSON -> sealed for a record of that kind and id, or in clear where the log is so. */
export type Seal = (text: string, kind: string, id: string) => Body;

/**
 * Opens a log to record in it. Rejects with CONFIGURATION_INVALID where there is no log or the keys are not its own, and with AUDIT_FAILED
 * where the end of its chain is not as it was written, or the disk fails. Any number of processes may have it open.
 */
export function createAuditLog(options: AuditLogOptions): Promise<OpenAuditLog> {
  return openAuditLog(options, realFiles);
}

/** `createAuditLog` on any file system. */
export async function openAuditLog(options: AuditLogOptions, files: Files): Promise<OpenAuditLog> {
  const { dir, mode = 'required', pii = 'sealed', segmentBytes, onLost } = options;
  const keysDir = keysFolder(options);
  const { log } = await readLog(dir, files);
  const indexKey = (await readIndexKeys(keysDir, log, files)).at(-1) as IndexKey;
  const place = { dir: join(dir, 'chains'), log, keysDir, engine: ENGINE_VERSION, files };
  const chain = await openChain({ ...place, ...(segmentBytes === undefined ? {} : { segmentBytes }) });
  const keeper = new Keeper(dir, files);
  const write: OpenAuditLog['write'] = async (build) => {
    if (pii === 'plain') {
      await chain.append(() => build((text) => ({ plain: JSON.parse(text) }), indexKey));
      return;
    }
    await chain.appendSealed(({ name, key }) => {
      const seal: Seal = (text, kind, id) => ({
        key: name,
        sealed: sealText(text, key, { chain: chain.chain, kind, id }),
      });
      return build(seal, indexKey);
    });
  };
  const record = async (entry: AuditEntry): Promise<void> => {
    await onDisk('written', () => keeper.keep(entry.policy, entry.mapping));
    const clear = clearFields(entry.decision);
    const text = bodyText(entry);
    await write((seal, key) => ({
      kind: 'decision',
      ...clear,
      subjects: subjectsOf(entry.variables, key),
      ...seal(text, 'decision', clear.id),
    }));
  };
  return {
    mode,
    check: () => chain.check(),
    write,
    record: async (entry) => {
      try {
        await record(entry);
      } catch (error) {
        if (mode === 'required') throw error;
        onLost?.(asFailure(error), entry.decision.id);
      }
    },
    close: () => chain.close(),
  };
}

function asFailure(error: unknown): VerdictError {
  return error instanceof VerdictError
    ? error
    : new VerdictError('AUDIT_FAILED', 'the decision could not be recorded', { cause: error });
}

/** What a disk says, as an error of the log. */
async function onDisk<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerdictError) throw error;
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new VerdictError('AUDIT_FAILED', `the audit log could not be ${what}${code}`, { cause: error });
  }
}
