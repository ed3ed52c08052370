/** A log's folder and its keys -> the audit log, open: each process that decides opens it, and records in it. */

import { join } from 'node:path';
import type { AuditEntry, AuditLog, DecisionInputs } from '../decision/audit-port.ts';
import { VerdictError } from '../errors.ts';
import { ENGINE_VERSION } from '../version.ts';
import { type BodyTexts, decisionTexts, joinTexts, plainBody } from './entry/body.ts';
import type { Body, RecordFields } from './entry/entry.ts';
import { searchableFields } from './entry/searchable.ts';
import { type ClearPart, encryptBody } from './keys/encrypt.ts';
import { readIndexKeys } from './keys/index-keys.ts';
import { type IndexKey, subjectsOf } from './keys/subject.ts';
import { readLog } from './log-file.ts';
import { checkApart, keysFolder, type LogPlace } from './place.ts';
import { ArtifactWriter } from './store/artifact-store.ts';
import { openChain } from './store/chain.ts';
import { type Files, realFiles } from './store/files.ts';
import { wrapIoErrors } from './store/io-errors.ts';
import { MAX_WAITING } from './store/writer.ts';

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
  await wrapIoErrors('opened', () => checkApart(dir, keysDir));
  const indexKey = (await readIndexKeys(keysDir, log, files)).at(-1) as IndexKey;
  const place = { dir: join(dir, 'chains'), log, keysDir, engine: ENGINE_VERSION, files };
  const chain = await openChain({ ...place, ...(segmentBytes === undefined ? {} : { segmentBytes }) });
  const keeper = new ArtifactWriter(dir, files);
  const keep = ({ policy, mapping }: DecisionInputs) => wrapIoErrors('written', () => keeper.keep(policy, mapping));
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
        const sealed = encryptBody(joinTexts(texts), key, { ...clear, chain: chain.chain });
        return withBody(clear, { key: name, sealed });
      };
      return build(seal, indexKey);
    });
  };
  const writeDecision = async (entry: AuditEntry): Promise<void> => {
    checkTaken();
    // Before anything is waited for: who has the decision already, with `best-effort`, may change it.
    const clear = searchableFields(entry.decision);
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
