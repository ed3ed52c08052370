/** A log and the hashes of a subject -> its records, each with what became of its key, and how many there are of which nobody can tell whether they are its. */

import type { BodyEntry, Entry } from '../entry/entry.ts';
import type { DataKeyReader } from '../keys/data-keys.ts';
import { type KeyState, stateOfKey } from '../keys/own-key.ts';
import type { IndexKey, SoughtSubject } from '../keys/subject.ts';
import { holdsOneOf, lineError, parsedWhere } from '../query/lookup.ts';

/** A record of the subject whose body is sealed. Several may have one id, in a log that was tampered with. */
export interface SealedRecord {
  readonly id: string;
  readonly key: string;
  readonly state: KeyState;
}

/** What a log has of a subject. */
export interface SubjectRecords {
  readonly sealed: readonly SealedRecord[];
  /** The ids of those in clear. */
  readonly plain: readonly string[];
  /** The ids of those whose erasure is on record, for whomever. */
  readonly told: ReadonlySet<string>;
  /** Records of anybody whose subjects were hashed with an index key that is not there. */
  readonly unsearchable: number;
}

/** Finds the records of a subject. Rejects with AUDIT_FAILED at the first line of its that is not as it was written. */
export async function findSubject(
  dir: string,
  { variable, hashes }: SoughtSubject,
  indexKeys: readonly IndexKey[],
  keys: DataKeyReader,
): Promise<SubjectRecords> {
  const sealed: SealedRecord[] = [];
  const plain: string[] = [];
  const told = new Set<string>();
  let unsearchable = 0;
  const numbers = new Set(indexKeys.map(({ number }) => `${number}`));
  for await (const line of linesWith(dir, [...hashes.map((hash) => `"${hash}"`), '"kind":"erasure"'], numbers)) {
    if (line.kind === 'erasure') for (const record of line.records) told.add(record);
    if (line.kind !== 'decision' && line.kind !== 'note') continue;
    const isAbout = hashes.includes(line.subjects[variable] ?? '');
    if (isAbout && line.plain) plain.push(line.id);
    else if (isAbout && line.key) sealed.push({ id: line.id, key: line.key, state: await stateOfKey(line, keys) });
    else if (isHashedElse(line, numbers)) unsearchable += 1;
  }
  return { sealed, plain, told, unsearchable };
}

/** What a record says of its subjects; in a line that is as it was written it comes before all that a caller chose. */
const SUBJECTS = /"subjects":\{([^{}]*)\}/;
const HASH_NUMBER = /":"(\d+):/g;
const HEAD_BYTES = 1024;

/** The lines that hold one of some texts, and those of records that were hashed with other index keys. */
async function* linesWith(dir: string, texts: readonly string[], numbers: ReadonlySet<string>): AsyncGenerator<Entry> {
  const isSought = holdsOneOf(texts);
  const mayBeElse = (bytes: Buffer) => {
    const [, subjects = ''] = SUBJECTS.exec(bytes.toString('latin1', 0, HEAD_BYTES)) ?? [];
    return [...subjects.matchAll(HASH_NUMBER)].some(([, key = '']) => !numbers.has(key));
  };
  for await (const { bytes, parsed, place } of parsedWhere(dir, (line) => isSought(line) || mayBeElse(line))) {
    if ('line' in parsed) yield parsed.line;
    else if (isSought(bytes)) throw lineError(place, parsed.problem);
  }
}

function isHashedElse({ subjects }: BodyEntry, numbers: ReadonlySet<string>): boolean {
  return Object.values(subjects).some((hash) => !numbers.has(hash.slice(0, hash.indexOf(':'))));
}
