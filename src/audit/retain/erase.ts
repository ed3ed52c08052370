/** A subject -> the data keys of all its records are gone, and that they are is on record. */

import { DataKeyReader, eraseDataKeys } from '../keys/data-keys.ts';
import { readIndexKeys } from '../keys/index-keys.ts';
import type { KeyState } from '../keys/own-key.ts';
import { seekSubject } from '../keys/subject.ts';
import type { OpenAuditLog } from '../log.ts';
import { readLog } from '../log-file.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { findSubject, type SealedRecord } from './subject-records.ts';
import { tornKeys } from './torn-keys.ts';

/** What was erased, and what was not. */
export interface Erased {
  /** Records, decisions and notes, whose key was there and is erased now, or was erased before without a record of it. */
  readonly records: readonly string[];
  /** How many of these the log told of already: their keys had come back, with a copy of the key folder. */
  readonly again: number;
  /** Records whose key an earlier erasure, of this subject or another, had erased. */
  readonly before: number;
  /** Records that stand in clear, which cannot be erased. */
  readonly plain: readonly string[];
  /** Records whose key is not in the key folder. */
  readonly missing: readonly string[];
  /** Records that name a key which is not theirs: it does not open their body, or is of another chain. It was left to whose it is. */
  readonly unopened: readonly string[];
  /** Records that a crash cut off, which held something of the subject. */
  readonly torn: number;
  /** Records, of anybody, whose subjects were hashed with an index key that is not in the key folder: nobody can tell whose they are. */
  readonly unsearchable: number;
}

/** So many ids at most in one line, which may not be longer than 16 MiB. */
const LINE_RECORDS = 10_000;

/**
 * Erases what the log holds of a phone number, email or IP address, as far as it is sealed: facts, evidence, messages, references, notes. Its
 * keyed hashes and what is in clear remain, and so does the chain. Records that other processes write meanwhile are not seen.
 * Ended half way, or with keys that came back from a copy, it is to be done again. Rejects with REQUEST_INVALID for a text that is no subject, and
 * with AUDIT_FAILED.
 */
export async function eraseSubject(log: OpenAuditLog, subject: string, now = Date.now): Promise<Erased> {
  const { dir, keys: keysDir } = log.place;
  const { log: id } = await readLog(dir);
  const indexKeys = await readIndexKeys(keysDir, id);
  const sought = seekSubject(subject, indexKeys);
  return wrapIoErrors('erased in', async () => {
    const { sealed, plain, told, unsearchable } = await findSubject(dir, sought, indexKeys, new DataKeyReader(keysDir));
    const withState = (state: KeyState) => sealed.filter((record) => record.state === state);
    const idsOf = (records: readonly SealedRecord[]) => records.map((record) => record.id);
    const own = withState('own');
    // First the keys: an erasure on record has happened.
    const torn = await eraseDataKeys(keysDir, await tornKeys(dir, sought.hashes));
    await eraseDataKeys(
      keysDir,
      own.map(({ key }) => key),
    );
    const toTell = sealed.filter((one) => one.state === 'own' || (one.state === 'erased' && !told.has(one.id)));
    const records = [...new Set(idsOf(toTell))];
    for (let from = 0; from < records.length; from += LINE_RECORDS) {
      const [at, part] = [new Date(now()).toISOString(), records.slice(from, from + LINE_RECORDS)];
      await log.write({ kind: 'erasure', at, subject: sought.hashes, records: part });
    }
    return {
      records,
      again: own.filter((one) => told.has(one.id)).length,
      before: withState('erased').filter((one) => told.has(one.id)).length,
      plain,
      missing: idsOf(withState('missing')),
      unopened: idsOf(withState('another')),
      torn: torn.erased,
      unsearchable,
    };
  });
}
