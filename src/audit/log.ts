/** Where a log and its keys are -> the open audit log, to which a process records its decisions. */

import { setTimeout } from 'node:timers/promises';
import type { AuditEntry, AuditLog, DecisionInputs } from '../decision/decision.ts';
import { VerdictError } from '../errors.ts';
import { velocitiesIn } from '../facts/velocity.ts';
import { FLAG, FUNCTION, type Kind, oneOf, optionsReader, readArgument } from '../platform/given/options.ts';
import { readGiven } from '../platform/given/read-given.ts';
import { ENGINE_VERSION } from '../version.ts';
import { type BodyTexts, decisionTexts, joinTexts, plainBody, withoutIdentities } from './entry/body.ts';
import type { ErasureFields, RecordFields } from './entry/entry.ts';
import * as is from './entry/schema.ts';
import { searchableFields } from './entry/searchable.ts';
import { homeOf } from './home.ts';
import type { Alongside } from './index/index-sql.ts';
import type { ClearPart, Draft } from './keys/encrypt.ts';
import { readIndexKeys } from './keys/key-folder.ts';
import { type IndexKey, linksOf, referenceHash, subjectsOf } from './keys/subject.ts';
import { checkApart, keysFolder, LOG_PLACE, type LogHome, type LogPlace, readLog } from './place.ts';
import { readEntries } from './read/read-log.ts';
import { ArtifactStore } from './store/artifact-store.ts';
import { type ChainWriter, mendChain, openChain } from './store/chain.ts';
import type { Files, Folder } from './store/files.ts';
import { wrapIoErrors } from './store/io-errors.ts';
import { MAX_WAITING } from './store/writer.ts';

/** Where and how decisions are recorded. */
export type AuditLogOptions = LogPlace & AuditLogSettings;

/** How decisions are recorded, wherever. */
export interface AuditLogSettings {
  /** How to treat a decision that cannot be recorded: `required` (default) withholds it, `best-effort` returns it. */
  readonly mode?: AuditLog['mode'];
  /**
   * `sealed` encrypts facts, evidence, messages, references, and what the policy says about people. `plain` writes them
   * unencrypted: anyone who can read the log can read them, and they cannot be erased. Default: `sealed`.
   */
  readonly pii?: 'sealed' | 'plain';
  /** A segment is closed at this size in bytes, or before the first record of a later day, UTC. Default: 64 MiB. */
  readonly segmentBytes?: number;
  /**
   * Whether a log whose disk has failed is opened again, each second until that succeeds: what is on the disk is then
   * read and verified, as by `createAuditLog`. Until then each record is refused. Default: false.
   */
  readonly reopen?: boolean;
  /** Called when the log was opened again and takes records. Its errors are ignored. */
  readonly onReopened?: () => void;
  /** Called with `best-effort` for each decision that was not recorded, with its id. Its errors are ignored. */
  readonly onLost?: (error: VerdictError, decision: string) => void;
}

/** An open log. Close it, so that the next process can continue its chain. */
export interface OpenAuditLog extends AuditLog {
  readonly place: LogPlace;
  /**
   * Rejects with AUDIT_FAILED if a record would be refused now: the log is closed, its disk has failed, or too many
   * records wait. With a policy and a mapping, it keeps them too. For a readiness probe: `await log.check()`.
   */
  check(used?: DecisionInputs): Promise<void>;
  /** Resolves when all pending records are written, those of `best-effort` included. */
  close(): Promise<void>;
  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Writes a record; resolves when it is durable. */
export type RecordWriter = (record: NewRecord) => Promise<void>;

interface LogInternals {
  readonly write: RecordWriter;
  readonly keep: (used: DecisionInputs) => Promise<string>;
  readonly indexKey: IndexKey;
  readonly home: LogHome;
}

const internals = new WeakMap<OpenAuditLog, LogInternals>();

/** A log that `createAuditLog` opened. */
export const OPEN_LOG: Kind = {
  expected: 'an open log: `await createAuditLog(…)`',
  is: (value) => internals.has(value as OpenAuditLog),
};

/** The writer of an open log, for notes, events and erasures. */
export function writerOf(log: OpenAuditLog): RecordWriter {
  return internalsOf(log).write;
}

/** Keeps a policy and its mapping; resolves with the digest of the policy's archived form, which records have. */
export function keepPolicy(log: OpenAuditLog, used: DecisionInputs): Promise<string> {
  return internalsOf(log).keep(used);
}

/** The folders of an open log. */
export function homeOfLog(log: OpenAuditLog): LogHome {
  return internalsOf(log).home;
}

/** The key of the hashes that an open log writes. */
export function indexKeyOf(log: OpenAuditLog): IndexKey {
  return internalsOf(log).indexKey;
}

function internalsOf(log: OpenAuditLog): LogInternals {
  return internals.get(readArgument('the log', OPEN_LOG, log)) as LogInternals;
}

/** A record to write: an erasure, or clear fields and the texts of a body, encrypted unless the log is `plain`. */
export type NewRecord = ErasureFields | { readonly clear: ClearPart; readonly texts: BodyTexts };

/**
 * Opens a log to record in it. Any number of processes may have it open. Rejects with CONFIGURATION_INVALID if there
 * is no log, or the keys belong to another, and with AUDIT_FAILED if the end of its chain was changed, or the disk
 * fails.
 */
export function createAuditLog(options: AuditLogOptions): Promise<OpenAuditLog> {
  return openAuditLog(options);
}

/** `alongside`: what a database writes in the transaction of the lines. `files` and `maxWaiting` are for tests. */
export interface OpeningOptions {
  readonly alongside?: Alongside | undefined;
  readonly files?: Files;
  readonly maxWaiting?: number;
}

/** `createAuditLog` with more of what is not for everybody. */
export async function openAuditLog(
  given: AuditLogOptions,
  { files, maxWaiting = MAX_WAITING, alongside = async () => {} }: OpeningOptions = {},
): Promise<OpenAuditLog> {
  const options = readOptions(given);
  const { mode = 'required', pii = 'sealed', segmentBytes, reopen = false, onReopened, onLost } = options;
  const place = placeOf(options);
  const found = await homeOf(place, alongside);
  const home = files ? { log: { ...found.log, files }, keys: { ...found.keys, files } } : found;
  const { log } = await readLog(home.log);
  if (place.dir !== undefined) await wrapIoErrors('opened', () => checkApart(place.dir, keysFolder(place)));
  const indexKeys = await readIndexKeys(home.keys, log);
  const indexKey = indexKeys.at(-1) as IndexKey;
  const limits = { maxWaiting, ...(segmentBytes === undefined ? {} : { segmentBytes }) };
  const setting = { dir: home.log, log, keys: home.keys, engine: ENGINE_VERSION, ...limits };
  let chain = await openChain(setting);
  /** Chains whose last write failed: it may have left a part of a line, and this log may write on in another chain. */
  const failed: ChainWriter[] = [];
  const isSealed = pii === 'sealed';
  const artifacts = new ArtifactStore({ ...home, ...(isSealed ? { indexKeys } : {}) });
  const keep = ({ policy, mapping }: DecisionInputs) => wrapIoErrors('written', () => artifacts.put(policy, mapping));
  /** Decisions that are not durable yet. */
  const pending = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;
  let reopening: Promise<void> | undefined;
  const isClosing = new AbortController();
  let hasDecisions = false;

  /** The failed chain refuses records until another one takes its place. */
  const openAgain = async (): Promise<void> => {
    failed.push(chain);
    await chain.close();
    while (!isClosing.signal.aborted) {
      try {
        chain = await openChain(setting);
        reopening = undefined;
        return ignoringErrors(() => onReopened?.());
      } catch {
        await setTimeout(REOPEN_MS, undefined, { ref: false, signal: isClosing.signal }).catch(() => {});
      }
    }
  };
  const checkOpen = (): void => {
    if (closing) throw new VerdictError('AUDIT_FAILED', 'the audit log is closed');
    chain.check();
    // The chain's own limit, applied here too: decisions wait for their policy to be kept before they reach the chain.
    if (pending.size >= maxWaiting) {
      throw new VerdictError('AUDIT_FAILED', `${maxWaiting} records wait for the disk, and no more are taken`);
    }
  };
  const append = async (item: RecordFields | Draft): Promise<void> => {
    try {
      await chain.append(item);
    } catch (error) {
      if (reopen && chain.hasFailed) reopening ??= openAgain();
      throw error;
    }
  };
  const write: RecordWriter = (record) => {
    if (!('texts' in record)) return append(record);
    const { clear, texts } = record;
    if (isSealed) return append({ clear, body: joinTexts(texts) });
    return append({ ...clear, plain: plainBody(texts, clear.kind) } as RecordFields);
  };
  const writeDecision = async (entry: AuditEntry): Promise<void> => {
    checkOpen();
    // Before the first wait: with `best-effort` the caller has the decision already and may change it.
    const subjects = subjectsOf(entry.variables, indexKey);
    const reference = referenceHash(entry.decision.clientReference, indexKey);
    const links = linksOf(entry.facts, velocitiesIn(entry.policy.facts), subjects, indexKey);
    const fields = searchableFields(entry.decision);
    const decision = isSealed ? withoutIdentities(entry.decision, entry.policy.facts) : entry.decision;
    const texts = decisionTexts({ ...entry, decision });
    const digest = await keep(entry);
    const writtenAt = new Date().toISOString();
    const policy = { ...fields.policy, digest };
    const replaced = entry.replaces === undefined ? {} : { replaces: entry.replaces };
    const keyed = { subjects, reference, links };
    const clear = { kind: 'decision', ...fields, policy, writtenAt, ...keyed, ...replaced } as const;
    await write({ clear, texts });
  };
  const close = () => {
    isClosing.abort();
    closing ??= Promise.allSettled([...pending, reopening]).then(async () => {
      await chain.close();
      const left = failed.filter((each) => each.chain !== chain.chain);
      // What a disk that still fails leaves is set aside when the log is opened again.
      for (const each of chain.hasFailed ? [...left, chain] : left) await mendChain(each, setting).catch(() => {});
    });
    return closing;
  };
  const opened: OpenAuditLog = {
    mode,
    place,
    check: async (used) => {
      checkOpen();
      if (!used) return;
      await keep(readGiven('REQUEST_INVALID', 'the policy and the mapping', () => ({ ...used })));
      checkOpen();
    },
    record: async (entry) => {
      const id = readGiven('REQUEST_INVALID', 'the entry', () => entry.decision.id);
      const writing = writeDecision(entry).catch((error: unknown) => {
        throw withoutData(error);
      });
      if (mode === 'best-effort') writing.catch((error: VerdictError) => ignoringErrors(() => onLost?.(error, id)));
      const done: Promise<void> = writing.finally(() => pending.delete(done));
      pending.add(done);
      return done;
    },
    hasDecisions: async () => {
      hasDecisions ||= await wrapIoErrors('read', () => hasDecision(home.log, log));
      return hasDecisions;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  internals.set(opened, { write, keep, indexKey, home });
  return opened;
}

async function hasDecision(dir: Folder, log: string): Promise<boolean> {
  for await (const batch of readEntries(dir, log))
    if (batch.some(({ entry }) => entry.kind === 'decision')) return true;
  return false;
}

const REOPEN_MS = 1_000;

/** Calls a function of the caller's, whose own errors come after what it was told. */
function ignoringErrors(call: () => void): void {
  try {
    call();
  } catch {
    // The caller's own.
  }
}

function placeOf({ dir, postgres, keys, index }: AuditLogOptions): LogPlace {
  if (dir === undefined) return { postgres, keys } as LogPlace;
  const keysDir = keysFolder({ dir, ...(typeof keys === 'string' ? { keys } : {}) });
  return { dir, keys: keysDir, ...(index === undefined ? {} : { index }) };
}

/** Checked, because a misspelt mode must not become the lax one. */
const readOptions = optionsReader<AuditLogOptions>('the options of the audit log', {
  ...LOG_PLACE,
  'mode?': oneOf(['required', 'best-effort']),
  'pii?': oneOf(['sealed', 'plain']),
  'segmentBytes?': { expected: 'a whole number above 0', is: is.NUMBER.is },
  'reopen?': FLAG,
  'onReopened?': FUNCTION,
  'onLost?': FUNCTION,
});

/** An error of the log; any other error may quote personal data and is replaced. */
function withoutData(error: unknown): VerdictError {
  return error instanceof VerdictError ? error : new VerdictError('AUDIT_FAILED', 'the decision could not be recorded');
}
