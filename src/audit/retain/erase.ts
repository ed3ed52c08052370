/** A subject, or a reference -> the data keys of all its records erased, and the erasure on record. */

import { planErasure as velocityErasure } from '../../decision/velocity.ts';
import { VELOCITY_STORE, type VelocityStore } from '../../decision/velocity-store.ts';
import { VerdictError } from '../../errors.ts';
import { ANY_TEXT, FUNCTION, optionsReader } from '../../platform/given/options.ts';
import { readClock } from '../../platform/given/read-given.ts';
import { readDecision } from '../entry/body.ts';
import { type BodyEntry, hasBody, parseEntry, type Subjects } from '../entry/entry.ts';
import { homeOf } from '../home.ts';
import { chainOfKey, countDataKeys, DataKeyReader, epochOfKey, eraseDataKeys, keyNamedIn } from '../keys/data-keys.ts';
import { type KeyState, stateOfKey } from '../keys/encrypt.ts';
import { readIndexKeys } from '../keys/key-folder.ts';
import { OWN_DIGEST, PolicyKeys } from '../keys/policy-keys.ts';
import { type IndexKey, referenceHash, seekSubject } from '../keys/subject.ts';
import { homeOfLog, OPEN_LOG, type OpenAuditLog, type RecordWriter, writerOf } from '../log.ts';
import { type LogHome, type LogPlace, readLog } from '../place.ts';
import { BodyReader, containsAny, findEntries, lineError } from '../read/read-log.ts';
import { type ChainFolder, listChain, listChains, readOwners, readRawLines, readSmall } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import { TamperedError, wrapIoErrors } from '../store/io-errors.ts';
import { TAIL_BYTES } from '../store/recovery-scan.ts';

/** Which records of a subject or a reference were erased, and which were not. */
export interface Erased {
  /** The ids of decisions, notes and events whose key was erased now, or earlier without an erasure entry. */
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
  /** The ids of records with a reference alone: an erasure on record names a phone number, email or IP address. */
  readonly withoutSubject: readonly string[];
  /** Records with the subject that a crash cut off, and whose key was erased now. */
  readonly torn: number;
  /** Records of any subject hashed with an index key that is missing: it is unknown whose they are. */
  readonly unsearchable: number;
  /** Texts about the subject in archived policies, such as entries of lists: erased now, and erased earlier. */
  readonly policyTexts: number;
  readonly policyTextsBefore: number;
  /** How many references the erased decisions have: one address may be that of an office or a mobile carrier. */
  readonly references: number;
  /** How many applicants they are of, told apart by phone number, without one by email, or else by IP address. */
  readonly applicants: number;
  /** How many members of what was counted of earlier applications were erased, where a store of velocity was given. */
  readonly counts?: number;
}

/** Whose records to erase: one of the two. */
export interface Erasee {
  /** A phone number, an email or an IP address. */
  readonly subject?: string;
  /** The caller's reference of decisions (`clientReference`): of these, their notes, their events and nothing else. */
  readonly reference?: string;
}

/** Whose records to erase, and in which log. */
export interface EraseOptions extends Erasee {
  /** The open log, to which the erasure is written. */
  readonly log: OpenAuditLog;
  /** The store of velocity, in which the subject, or the application with this reference, is erased too. */
  readonly velocity?: VelocityStore;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

const readOptions = optionsReader<EraseOptions>(
  'the options of the erasure',
  { log: OPEN_LOG, 'velocity?': VELOCITY_STORE, 'subject?': ANY_TEXT, 'reference?': ANY_TEXT, 'now?': FUNCTION },
  'REQUEST_INVALID',
);

/** The most ids in one entry, which may not be longer than 16 MiB. */
const ENTRY_RECORDS = 10_000;

/**
 * Erases what the log holds of a phone number, email or IP address in encrypted bodies (facts, evidence, messages,
 * references, notes, events) and in archived policies (literals, entries of lists with their notes). The keyed hashes,
 * the searchable fields and the chain remain. Records and policies that other processes write meanwhile are not seen.
 * After an interruption, or after keys were restored from a copy, erase again. With a reference, erases the bodies of
 * its decisions, their notes and their events only: no policy, and no record that a crash cut off. Rejects with
 * REQUEST_INVALID for a text that is not a subject, with AUDIT_FAILED if the log cannot be read or written, and as the
 * store of velocity does, which comes last.
 */
export async function eraseSubject(options: EraseOptions): Promise<Erased> {
  const { log, now, velocity, ...erasee } = readOptions(options);
  const [erased, applications] = await eraseRecords(homeOfLog(log), erasee, writerOf(log), now);
  return velocity ? { ...erased, counts: await velocity.erase(hashesOf(erasee, applications, velocity)) } : erased;
}

/** INVARIANT: the subject was read before. A store has an application by its id. */
function hashesOf({ subject }: Erasee, applications: Iterable<string>, velocity: VelocityStore): readonly string[] {
  if (subject === undefined) return Array.from(applications, (id) => id.replaceAll('-', ''));
  const { variable, form } = seekSubject(subject, []);
  return velocityErasure(variable, form, velocity);
}

/** What `eraseSubject` would erase, also in a store of velocity if it is given; writes nothing. */
export async function planErasure(
  place: LogPlace,
  { velocity, ...erasee }: Erasee & Pick<EraseOptions, 'velocity'>,
): Promise<Erased> {
  const [planned, applications] = await eraseRecords(await homeOf(place), erasee, undefined);
  if (!velocity) return planned;
  return { ...planned, counts: await velocity.countMembers(hashesOf(erasee, applications, velocity)) };
}

/**
 * What was erased, and the ids of the applications that a reference names. Without a writer of the erasure, nothing is
 * written or erased.
 */
export async function eraseRecords(
  { log: dir, keys: keyFolder }: LogHome,
  erasee: Erasee,
  write: RecordWriter | undefined,
  now = Date.now,
): Promise<[erased: Erased, applications: ReadonlySet<string>]> {
  const { log: logId } = await readLog(dir);
  const indexKeys = await readIndexKeys(keyFolder, logId);
  return wrapIoErrors('read or written', async () => {
    const sought = await seekRecords(dir, erasee, indexKeys);
    const found = await findRecords(dir, sought, indexKeys, keyFolder);
    const { encrypted, plain, withoutSubject, erasedIds, erasedPolicies, unsearchable } = found;
    const withState = (state: KeyState) => encrypted.filter((record) => record.state === state);
    const [own, erased] = [withState('own'), withState('erased')];
    // The keys first: an erasure on record has happened.
    const tornNames = await tornKeys(dir, sought.hashes ?? []);
    const torn = await (write ? eraseDataKeys : countDataKeys)(keyFolder, tornNames);
    const keys = own.map(({ key }) => key);
    if (write) await eraseDataKeys(keyFolder, keys);
    const policyKeys = new PolicyKeys(keyFolder);
    const inPolicies = await erasePolicyTexts(policyKeys, sought.hashes ?? [], erasedPolicies, write === undefined);
    const { policies } = inPolicies;
    const unrecorded = encrypted.filter(
      ({ id, state }) => state === 'own' || (state === 'erased' && !erasedIds.has(id)),
    );
    const records = [...new Set(unrecorded.map(({ id }) => id))];
    // Every reader accepts an erasure for a subject of the record itself.
    const subject = sought.hashes ?? [...new Set(unrecorded.flatMap(({ subjects }) => Object.values(subjects)))].sort();
    for (let from = 0; from < Math.max(records.length, policies.length > 0 ? 1 : 0); from += ENTRY_RECORDS) {
      const [at, part] = [new Date(readClock(now)).toISOString(), records.slice(from, from + ENTRY_RECORDS)];
      const entry = { kind: 'erasure', at, subject, records: part } as const;
      await write?.(from === 0 && policies.length > 0 ? { ...entry, policies } : entry);
    }
    const done = {
      records,
      again: own.filter(({ id }) => erasedIds.has(id)).length,
      before: erased.filter(({ id }) => erasedIds.has(id)).length,
      plain,
      missing: withState('missing').map(({ id }) => id),
      unopened: withState('another').map(({ id }) => id),
      withoutSubject,
      torn: torn.erased,
      unsearchable,
      policyTexts: inPolicies.texts,
      policyTextsBefore: inPolicies.before,
      references: new Set(own.flatMap(({ reference }) => reference ?? [])).size,
      applicants: new Set(own.map(({ subjects: { phoneNo, email, ip } }) => phoneNo ?? email ?? ip)).size,
    };
    return [done, found.applications];
  });
}

/**
 * Erases the texts about a subject in all archived policies, and with them the policy's own digest: from the rest of
 * the policy and the digest, the text could be found by trying. The key folder lists them, so that
 * also an archived form is reached that a crash cut off, or that is in a copy of the log alone.
 */
async function erasePolicyTexts(
  keys: PolicyKeys,
  hashes: readonly string[],
  recorded: ReadonlySet<string>,
  isDryRun: boolean,
) {
  const policies = new Set<string>();
  let [texts, before] = [0, 0];
  for (const name of await keys.names()) {
    const file = await keys.read(name);
    if (!file) continue;
    const found = file.table.find(hashes);
    const live = found.filter((number) => file.table.keyOf(number));
    if (found.length > 0 && !isDryRun) await keys.erase(name, file, [...live, OWN_DIGEST]);
    texts += live.length;
    before += found.length - live.length;
    if (found.length > 0 && (live.length > 0 || !recorded.has(file.archive))) policies.add(file.archive);
  }
  return {
    /** How many texts: entries of lists with their notes, and literals. */
    texts,
    /** Texts about the subject that were erased earlier. */
    before,
    /** The digests of the archived forms without a record of this erasure: erased now, or in an interrupted one. */
    policies: [...policies].sort(),
  };
}

/** A record that is sought, with an encrypted body. In a log that was tampered with, several may have one id. */
interface EncryptedRecord {
  readonly id: string;
  readonly key: string;
  readonly state: KeyState;
  readonly subjects: Subjects;
  /** The hash of a decision's reference. */
  readonly reference?: string;
}

/** Which records are sought. */
interface SoughtRecords {
  /** The hashes of the subject; undefined for a reference. */
  readonly hashes?: readonly string[];
  /** Whether a line may be of such a record; only these are parsed. */
  mayHave(line: Buffer): boolean;
  has(entry: BodyEntry): boolean;
}

async function seekRecords(
  dir: Folder,
  { subject, reference }: Erasee,
  indexKeys: readonly IndexKey[],
): Promise<SoughtRecords> {
  if ((subject === undefined) === (reference === undefined)) {
    throw new VerdictError('REQUEST_INVALID', 'expected a subject or a reference, and not both');
  }
  if (subject !== undefined) {
    const { variable, hashes } = seekSubject(subject, indexKeys);
    return {
      hashes,
      mayHave: containsAny(quoted(hashes)),
      has: ({ subjects }) => hashes.includes(subjects[variable] ?? ''),
    };
  }
  const hashes = indexKeys.map((key) => referenceHash(reference ?? '', key));
  const hasReference = containsAny(quoted(hashes));
  // A note or an event has the id of its decision, not the reference; it may be in an earlier chain.
  const ids = new Set<string>();
  for await (const { parsed } of findEntries(dir, hasReference)) {
    if (!('line' in parsed) || parsed.line.kind !== 'decision') continue;
    if (hashes.includes(parsed.line.reference)) ids.add(parsed.line.id);
  }
  const has = (entry: BodyEntry) => {
    if (entry.kind === 'note') return ids.has(entry.decision);
    if (entry.kind === 'event') return ids.has(entry.object ?? '');
    const isSought = hashes.includes(entry.reference);
    // Anyone who can write the log can write the id of another decision, whose notes would be erased.
    if (ids.has(entry.id) && !isSought) throw new TamperedError('found two decisions with one id and two references');
    return isSought;
  };
  const namesOne = (line: Buffer) =>
    [...line.toString('latin1', 0, HEAD_BYTES).matchAll(DECISION_ID)].some(([, id = '']) => ids.has(id));
  return { mayHave: (line) => hasReference(line) || namesOne(line), has };
}

const DECISION_ID = /"(?:id|decision|object)":"([^"]*)"/g;

function quoted(hashes: readonly string[]): string[] {
  return hashes.map((hash) => `"${hash}"`);
}

/** Finds the records. Rejects with AUDIT_FAILED at the first entry that is not as it was written. */
async function findRecords(dir: Folder, sought: SoughtRecords, indexKeys: readonly IndexKey[], keyFolder: Folder) {
  const [keys, bodies] = [new DataKeyReader(keyFolder), new BodyReader(keyFolder)];
  const applications = new Set<string>();
  const encrypted: EncryptedRecord[] = [];
  const [plain, withoutSubject]: [string[], string[]] = [[], []];
  const [erasedIds, erasedPolicies] = [new Set<string>(), new Set<string>()];
  let unsearchable = 0;
  const keyNumbers = new Set(indexKeys.map(({ number }) => `${number}`));
  const isErasure = containsAny(['"kind":"erasure"']);
  const isSought = (line: Buffer) => sought.mayHave(line) || isErasure(line);
  const isRelevant = (line: Buffer) => isSought(line) || mayHaveOtherHash(line, keyNumbers);
  for await (const { bytes, parsed, position } of findEntries(dir, isRelevant)) {
    if ('problem' in parsed) {
      if (isSought(bytes)) throw lineError(position, parsed.problem);
      continue;
    }
    const { line: entry } = parsed;
    if (entry.kind === 'erasure') {
      for (const id of entry.records) erasedIds.add(id);
      if (!entry.subject.some((hash) => sought.hashes?.includes(hash))) continue;
      for (const digest of entry.policies ?? []) erasedPolicies.add(digest);
    }
    if (!hasBody(entry)) continue;
    const { id, key, subjects } = entry;
    const isFound = sought.has(entry);
    if (isFound && !sought.hashes && entry.kind === 'decision') {
      const opened = await bodies.open(entry);
      const named = 'texts' in opened ? readDecision(entry, opened.texts)?.application : undefined;
      for (const application of [id, ...(named === undefined ? [] : [named])]) applications.add(application);
    }
    if (isFound && entry.plain) plain.push(id);
    else if (isFound && Object.keys(subjects).length === 0) withoutSubject.push(id);
    else if (isFound && key) {
      const reference = entry.kind === 'decision' ? { reference: entry.reference } : {};
      encrypted.push({ id, key, state: await stateOfKey(entry, keys), subjects, ...reference });
    } else if (hasOtherHash(entry, keyNumbers)) unsearchable += 1;
  }
  return {
    encrypted,
    /** The ids of records with a plain body. */
    plain,
    /** The ids of encrypted records without a subject. */
    withoutSubject,
    /** The ids in erasure entries, of any subject. */
    erasedIds,
    /** The archived policies in erasure entries of this subject. */
    erasedPolicies,
    /** Records of any subject that were hashed with an index key that is missing. */
    unsearchable,
    /** The ids of the applications of a reference: those of its decisions, and those that they name. */
    applications,
  };
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

/**
 * Finds the keys of partial records: in set-aside tails, and at the end of a chain that was not opened since
 * its crash. The end of a chain that a process may be writing is left alone.
 * INVARIANT: no key opens half a body, so nothing proves that the key in a tail is its own. A key is returned
 * only if it belongs to the tail's chain, no complete line of that chain names it, and none will: its epoch is
 * over.
 */
async function tornKeys(dir: Folder, hashes: readonly string[]): Promise<string[]> {
  const keys: string[] = [];
  for (const chain of await listChains(dir)) {
    const folder = await listChain(dir, chain);
    const { isWritten } = await readOwners(folder);
    const tails: string[] = [];
    for (const name of folder.torn.keys()) {
      // The writer never sets aside a larger tail; a larger file holds no record.
      tails.push((await readSmall(folder, name, TAIL_BYTES))?.toString('latin1') ?? '');
    }
    if (!isWritten) tails.push(await readTail(folder));
    const named = new Set<string>();
    // One file may hold what several crashes left at the same position.
    for (const [, subjects = '', key = ''] of tails.flatMap((tail) => [...tail.matchAll(TORN_HEAD)])) {
      if (chainOfKey(key) === chain && hashes.some((hash) => subjects.includes(`"${hash}"`))) named.add(key);
    }
    if (named.size === 0) continue;
    /** The epoch of the last `open` entry, as far as the segments can be read; and the highest of a key. */
    let [opened, used] = [0, 0];
    for (const segment of folder.segments.keys()) {
      for await (const { bytes, isEnded } of readRawLines(folder, segment)) {
        const parsed = bytes?.includes('"kind":"open"') ? parseEntry(bytes) : undefined;
        if (parsed && 'line' in parsed && parsed.line.kind === 'open') opened = parsed.line.epoch;
        const key = bytes && isEnded ? keyNamedIn(bytes) : undefined;
        if (key === undefined) continue;
        named.delete(key);
        if (chainOfKey(key) === chain) used = Math.max(used, epochOfKey(key));
      }
    }
    const epoch = Math.max(opened, used);
    for (const key of named) if (epochOfKey(key) < epoch || (!isWritten && epochOfKey(key) === epoch)) keys.push(key);
  }
  return keys;
}

/** The bytes after the last line break of a chain. */
async function readTail(folder: ChainFolder): Promise<string> {
  let tail: Buffer | undefined;
  for await (const { bytes, isEnded } of readRawLines(folder, folder.last)) tail = isEnded ? undefined : bytes;
  return tail?.toString('latin1') ?? '';
}

const TORN_HEAD = /"subjects":(\{[^{}]*\}),"key":"([^"]+)"/g;
