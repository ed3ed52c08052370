/** A subject -> the data keys of all its records erased, and the erasure on record. */

import { ANY_TEXT, FUNCTION, optionsReader } from '../../given/options.ts';
import { readClock } from '../../given/read-given.ts';
import { DataKeyReader, eraseDataKeys } from '../keys/data-keys.ts';
import { readIndexKeys } from '../keys/index-keys.ts';
import type { KeyState } from '../keys/own-key.ts';
import { PolicyKeys } from '../keys/policy-keys.ts';
import { seekSubject } from '../keys/subject.ts';
import { OPEN_LOG, type OpenAuditLog, type RecordWriter, writerOf } from '../log.ts';
import { readLog } from '../log-file.ts';
import { realFiles } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { erasePolicyTexts } from './policy-texts.ts';
import { findSubject } from './subject-records.ts';
import { tornKeys } from './torn-keys.ts';

/** Which records of a subject were erased, and which were not. */
export interface Erased {
  /** The ids of decisions and notes whose key was erased now, or earlier without an erasure entry. */
  readonly records: readonly string[];
  /** How many of them already had an erasure entry: their keys were restored from a copy of the key folder. */
  readonly again: number;
  /** Records whose key was erased earlier and that have an erasure entry, for this subject or another. */
  readonly before: number;
  /** The ids of records with a plain body, which cannot be erased. */
  readonly plain: readonly string[];
  /** The ids of records whose key is not in the key folder. */
  readonly missing: readonly string[];
  /** The ids of records whose key was not erased: it does not open their body, or is of another chain. */
  readonly unopened: readonly string[];
  /** Records with the subject that a crash cut off, and whose key was erased now. */
  readonly torn: number;
  /** Records of any subject hashed with an index key that is missing: nobody can tell whose they are. */
  readonly unsearchable: number;
  /** Texts about the subject in archived policies, such as entries of lists: erased now, and erased earlier. */
  readonly policyTexts: number;
  readonly policyTextsBefore: number;
}

/** Whose records to erase, and in which log. */
export interface EraseOptions {
  /** The open log, to which the erasure is written. */
  readonly log: OpenAuditLog;
  /** A phone number, an email or an IP address. */
  readonly subject: string;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

const readOptions = optionsReader<EraseOptions>(
  'the options of the erasure',
  { log: OPEN_LOG, subject: ANY_TEXT, 'now?': FUNCTION },
  'REQUEST_INVALID',
);

/** The most ids in one entry, which may not be longer than 16 MiB. */
const ENTRY_RECORDS = 10_000;

/**
 * Erases what the log holds of a phone number, email or IP address in encrypted bodies (facts, evidence, messages,
 * references, notes) and in archived policies (literals, entries of lists with their notes). The keyed hashes, the
 * searchable fields and the chain remain. Records and policies that other processes write meanwhile are not seen.
 * After an interruption, or after keys were restored from a copy, erase again. Rejects with REQUEST_INVALID for a text
 * that is not a subject, and with AUDIT_FAILED if the log cannot be read or written.
 */
export async function eraseSubject(options: EraseOptions): Promise<Erased> {
  const { log, subject, now } = readOptions(options);
  return eraseIn(log.place, subject, writerOf(log), now);
}

/** `eraseSubject` with any writer of the erasure. */
export async function eraseIn(
  { dir, keys: keysDir }: OpenAuditLog['place'],
  subject: string,
  write: RecordWriter,
  now = Date.now,
): Promise<Erased> {
  const { log: logId } = await readLog(dir);
  const indexKeys = await readIndexKeys(keysDir, logId);
  const sought = seekSubject(subject, indexKeys);
  return wrapIoErrors('read or written', async () => {
    const found = await findSubject(dir, sought, indexKeys, new DataKeyReader(keysDir));
    const { encrypted, plain, erasedIds, erasedPolicies, unsearchable } = found;
    const withState = (state: KeyState) => encrypted.filter((record) => record.state === state);
    const [own, erased] = [withState('own'), withState('erased')];
    // The keys first: an erasure on record has happened.
    const torn = await eraseDataKeys(keysDir, await tornKeys(dir, sought.hashes));
    const keys = own.map(({ key }) => key);
    await eraseDataKeys(keysDir, keys);
    const inPolicies = await erasePolicyTexts(new PolicyKeys(keysDir, realFiles), sought.hashes, erasedPolicies);
    const { policies } = inPolicies;
    const unrecorded = encrypted.filter(
      ({ id, state }) => state === 'own' || (state === 'erased' && !erasedIds.has(id)),
    );
    const records = [...new Set(unrecorded.map(({ id }) => id))];
    for (let from = 0; from < Math.max(records.length, policies.length > 0 ? 1 : 0); from += ENTRY_RECORDS) {
      const [at, part] = [new Date(readClock(now)).toISOString(), records.slice(from, from + ENTRY_RECORDS)];
      const entry = { kind: 'erasure', at, subject: sought.hashes, records: part } as const;
      await write(from === 0 && policies.length > 0 ? { ...entry, policies } : entry);
    }
    return {
      records,
      again: own.filter(({ id }) => erasedIds.has(id)).length,
      before: erased.filter(({ id }) => erasedIds.has(id)).length,
      plain,
      missing: withState('missing').map(({ id }) => id),
      unopened: withState('another').map(({ id }) => id),
      torn: torn.erased,
      unsearchable,
      policyTexts: inPolicies.texts,
      policyTextsBefore: inPolicies.before,
    };
  });
}
