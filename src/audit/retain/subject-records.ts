/** A log and the hashes of a subject -> its records with the state of their keys. */

import type { BodyEntry } from '../entry/entry.ts';
import type { DataKeyReader } from '../keys/data-keys.ts';
import { type KeyState, stateOfKey } from '../keys/own-key.ts';
import type { IndexKey, SoughtSubject } from '../keys/subject.ts';
import { containsAny, findEntries, lineError } from '../query/lookup.ts';

/** A record of the subject with an encrypted body. In a log that was tampered with, several may have one id. */
export interface EncryptedRecord {
  readonly id: string;
  readonly key: string;
  readonly state: KeyState;
}

/** What a log has of a subject. */
export interface SubjectRecords {
  readonly encrypted: readonly EncryptedRecord[];
  /** The ids of records with a plain body. */
  readonly plain: readonly string[];
  /** The ids in erasure entries, of any subject. */
  readonly erasedIds: ReadonlySet<string>;
  /** The archived policies in erasure entries of this subject. */
  readonly erasedPolicies: ReadonlySet<string>;
  /** Records of any subject that were hashed with an index key that is missing. */
  readonly unsearchable: number;
}

/** Finds the records of a subject. Rejects with AUDIT_FAILED at the first entry that is not as it was written. */
export async function findSubject(
  dir: string,
  { variable, hashes }: SoughtSubject,
  indexKeys: readonly IndexKey[],
  keys: DataKeyReader,
): Promise<SubjectRecords> {
  const encrypted: EncryptedRecord[] = [];
  const plain: string[] = [];
  const [erasedIds, erasedPolicies] = [new Set<string>(), new Set<string>()];
  let unsearchable = 0;
  const keyNumbers = new Set(indexKeys.map(({ number }) => `${number}`));
  const isSought = containsAny([...hashes.map((hash) => `"${hash}"`), '"kind":"erasure"']);
  const isRelevant = (line: Buffer) => isSought(line) || mayHaveOtherHash(line, keyNumbers);
  for await (const { bytes, parsed, position } of findEntries(dir, isRelevant)) {
    if ('problem' in parsed) {
      if (isSought(bytes)) throw lineError(position, parsed.problem);
      continue;
    }
    const { line: entry } = parsed;
    if (entry.kind === 'erasure') {
      for (const id of entry.records) erasedIds.add(id);
      if (!entry.subject.some((hash) => hashes.includes(hash))) continue;
      for (const digest of entry.policies ?? []) erasedPolicies.add(digest);
    }
    if (entry.kind !== 'decision' && entry.kind !== 'note') continue;
    const isOfSubject = hashes.includes(entry.subjects[variable] ?? '');
    if (isOfSubject && entry.plain) plain.push(entry.id);
    else if (isOfSubject && entry.key) {
      encrypted.push({ id: entry.id, key: entry.key, state: await stateOfKey(entry, keys) });
    } else if (hasOtherHash(entry, keyNumbers)) unsearchable += 1;
  }
  return { encrypted, plain, erasedIds, erasedPolicies, unsearchable };
}

/** Whether a record has a hash made with an index key other than these. */
function hasOtherHash({ subjects }: BodyEntry, keyNumbers: ReadonlySet<string>): boolean {
  return Object.values(subjects).some((hash) => !keyNumbers.has(hash.slice(0, hash.indexOf(':'))));
}

/** The subjects of a record; in an entry as it was written, nothing that a caller chose comes before them. */
const SUBJECTS = /"subjects":\{([^{}]*)\}/;
const HASH_NUMBER = /":"(\d+):/g;
const HEAD_BYTES = 1024;

/** The same for a line that is not parsed. */
function mayHaveOtherHash(line: Buffer, keyNumbers: ReadonlySet<string>): boolean {
  const [, subjects = ''] = SUBJECTS.exec(line.toString('latin1', 0, HEAD_BYTES)) ?? [];
  return [...subjects.matchAll(HASH_NUMBER)].some(([, number = '']) => !keyNumbers.has(number));
}
