/** An entry of the log <-> its line with its hash, if the bytes of the line are exactly those written for it. */

import { isAscii } from 'node:buffer';
import { hash as digestOf } from 'node:crypto';
import { VerdictError } from '../../errors.ts';
import { CAUSES } from '../../facts/fact.ts';
import { isObject, parseJson } from '../../platform/json.ts';
import { DISPOSITIONS, type Disposition, OUTCOMES } from '../../policy/language.ts';
import * as is from './schema.ts';

/** The first fields of every entry: its position in the log. */
export interface EntryHeader {
  /** The chain's UUID. */
  readonly chain: string;
  /** From 1, across segments. */
  readonly seq: number;
  /** The `hash` of the previous entry, across segments; `NO_HASH` in the first. */
  readonly prev: string;
  /** The `seq` of the first entry of the same write: all entries before it were durable when this one was written. */
  readonly batch: number;
}

/** The position of a line in its file. */
export interface EntryPosition {
  readonly chain: string;
  readonly segment: number;
  /** From 1. */
  readonly line: number;
}

/** Keyed hashes of the applicant's identity, `<number of the index key>:<64 hexadecimal digits>`. */
export interface Subjects {
  readonly phoneNo?: string;
  readonly email?: string;
  readonly ip?: string;
}

/** Keyed hashes, in the same form, of what applications are counted by: of `mailbox`, `ip/24`, `context.device`. */
export type Links = Readonly<Record<string, string>>;

/** The facts that were missing, sorted, by their cause; `error` for a known one whose test failed. */
export type MissingFacts = Readonly<Partial<Record<(typeof MISSING_CAUSES)[number], readonly string[]>>>;

/** The tail behind the last complete line that a crash left and a recovery moved to a file of its own. */
export interface Torn {
  readonly segment: number;
  /** Where the tail began, in bytes. */
  readonly offset: number;
  /** The size of that file. */
  readonly bytes: number;
  /** The digest of that file, 64 hexadecimal digits. */
  readonly sha256: string;
}

/** A body: encrypted with the named data key, or plain if the log is opened so. */
export type Body =
  | { readonly key: string; readonly sealed: string; readonly plain?: never }
  | { readonly plain: Readonly<Record<string, unknown>>; readonly key?: never; readonly sealed?: never };

interface At<Kind extends string> {
  readonly kind: Kind;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** A process opens the chain. */
export interface OpenFields extends At<'open'> {
  readonly log: string;
  readonly epoch: number;
  readonly engine: string;
  readonly segment: number;
  readonly torn?: Torn;
}

/** `aborted`: the caller ended the decision after the service was asked, and no decision was returned. */
export type RecordedOutcome = (typeof RECORDED_OUTCOMES)[number];

/** A decision; `at` is when it was made, by the clock of the service. */
export type DecisionFields = At<'decision'> & {
  readonly id: string;
  /** When the entry was written, by the clock of the log: ISO 8601, UTC. */
  readonly writtenAt: string;
  readonly subjects: Subjects;
  /** The keyed hash of the caller's reference, in the form of a subject's. */
  readonly reference: string;
  /** The decision that it replaces: its calls brought nothing, and it was made again under its reference. */
  readonly replaces?: string;
  /** What else other decisions may share with it; absent in older records. */
  readonly links?: Links;
  readonly outcome: RecordedOutcome;
  /** Absent in records of the earlier form, which have `codes`. */
  readonly reasons?: ReasonCodes;
  /** The earlier form: the codes of all reasons in one list, sorted, so that what decided cannot be told. */
  readonly codes?: readonly string[];
  readonly rules: readonly string[];
  readonly undetermined: readonly string[];
  readonly missing: MissingFacts;
  /** With the digest of its archived form: its own, unless something in it is encrypted. */
  readonly policy: { readonly name: string; readonly version: string; readonly digest: string };
  readonly mapping: string;
  readonly engine: string;
} & Body;

/**
 * The codes of a decision's reasons, each list sorted by code units, without repetition. `decisive`: of rules that
 * fired and led to the outcome, or `SCORE` or `DEFAULT`. `fired`: of rules that fired and of the score, which did not
 * lead to it. `undetermined`: of undetermined rules that ask for review, and `SCORE_UNDETERMINED`.
 */
export type ReasonCodes = Readonly<Record<(typeof REASON_LISTS)[number], readonly string[]>>;

/** What a person did about a decision. */
export type NoteFields = At<'note'> & {
  readonly id: string;
  readonly decision: string;
  readonly disposition: Disposition;
  /** Of a label: the UTC day on which it became known, yyyy-MM-dd, if that was told. */
  readonly knownOn?: string;
  /** The case that its holder resolved. The id of the note follows from this, and from the first index key. */
  readonly resolves?: { readonly case: string; readonly token: number; readonly actor: string };
  readonly subjects: Subjects;
} & Body;

/** What a person did, about a decision, a case or neither. */
export type EventFields = At<'event'> & {
  readonly id: string;
  readonly type: (typeof EVENT_TYPES)[number];
  /** The id of the decision or the case. */
  readonly object?: string;
  /** A short code, such as the kind of a case. */
  readonly detail?: string;
  /** The keyed hash of who did it, in the form of a subject's. */
  readonly actor: string;
  readonly subjects: Subjects;
} & Body;

/** Data keys were erased. */
export interface ErasureFields extends At<'erasure'> {
  readonly subject: readonly string[];
  readonly records: readonly string[];
  /** The digests of archived policies in which texts about the subject were erased. */
  readonly policies?: readonly string[];
}

/** The footer of a segment, its last line. */
export interface FooterFields extends At<'seal'> {
  readonly segment: number;
  /** How many lines the segment has before the footer. */
  readonly records: number;
}

/** What callers write; the writer of a chain adds `open` and `seal` itself. */
export type RecordFields = DecisionFields | NoteFields | EventFields | ErasureFields;
export type EntryFields = OpenFields | RecordFields | FooterFields;
export type Entry = EntryHeader & EntryFields & { readonly hash: string };
/** An entry with a body. */
export type BodyEntry = Entry & (DecisionFields | NoteFields | EventFields);

/** The outcomes of a policy, and the one that no policy gives. */
export const RECORDED_OUTCOMES = [...OUTCOMES, 'aborted'] as const;

/** The lists of codes, in the order of an entry. */
export const REASON_LISTS = ['decisive', 'fired', 'undetermined'] as const;

/** Why a fact was missing, in the order of an entry. */
export const MISSING_CAUSES = [...CAUSES, 'error'] as const;

/** What people do besides notes. */
export const EVENT_TYPES = [
  'case.opened',
  'case.reassigned',
  'data.revealed',
  'subject.searched',
  'subject.erased',
  'facts.searched',
  'session.begun',
  'key.changed',
  'label.added',
  'case.taken',
  'case.renewed',
  'case.released',
  'case.held',
  'case.asked',
  'case.answered',
  'case.escalated',
  'case.retried',
  'cases.sealed',
  'release.proposed',
  'release.said',
  'release.activated',
  'release.refused',
] as const;

/** The `prev` of a chain's first entry. */
export const NO_HASH = '0'.repeat(64);

/** The longest line, without its line break. No line needs more: an answer of the service has at most 1 MiB. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const BEFORE_HASH = ',"hash":"';
/** The bytes behind those that are hashed, without the line break. */
const TAIL_BYTES = BEFORE_HASH.length + 64 + '"}'.length;

const HEADER: is.Shape = { chain: is.ID, seq: is.NUMBER, prev: is.HASH, batch: is.NUMBER };
export const SUBJECT_KEYS: is.Shape = { 'phoneNo?': is.SUBJECT, 'email?': is.SUBJECT, 'ip?': is.SUBJECT };
const MISSING_KEYS: is.Shape = Object.fromEntries(MISSING_CAUSES.map((cause) => [`${cause}?`, is.SORTED]));
export const RESOLVES: is.Shape = { case: is.ID, token: is.NUMBER, actor: is.SUBJECT };
const BODY: is.Shape = { 'sealed?': is.SEALED, 'plain?': is.OBJECT };

/** The keys of each kind, in order. */
const KINDS: Readonly<Record<EntryFields['kind'], is.Shape>> = {
  open: {
    log: is.ID,
    epoch: is.NUMBER,
    engine: is.TEXT,
    segment: is.NUMBER,
    'torn?': { segment: is.NUMBER, offset: is.COUNT, bytes: is.NUMBER, sha256: is.HASH },
  },
  decision: {
    id: is.ID,
    writtenAt: is.STAMP,
    subjects: SUBJECT_KEYS,
    'key?': is.KEY_NAME,
    reference: is.SUBJECT,
    'replaces?': is.ID,
    'links?': is.HASHES,
    outcome: is.oneOf(...RECORDED_OUTCOMES),
    'reasons?': Object.fromEntries(REASON_LISTS.map((list) => [list, is.SORTED])),
    'codes?': is.SORTED,
    rules: is.TEXTS,
    undetermined: is.TEXTS,
    missing: MISSING_KEYS,
    policy: { name: is.TEXT, version: is.TEXT, digest: is.DIGEST },
    mapping: is.DIGEST,
    engine: is.TEXT,
    ...BODY,
  },
  note: {
    id: is.ID,
    decision: is.ID,
    disposition: is.oneOf(...DISPOSITIONS),
    'knownOn?': is.DAY,
    'resolves?': RESOLVES,
    subjects: SUBJECT_KEYS,
    'key?': is.KEY_NAME,
    ...BODY,
  },
  event: {
    id: is.ID,
    type: is.oneOf(...EVENT_TYPES),
    'object?': is.ID,
    'detail?': is.CODE,
    actor: is.SUBJECT,
    subjects: SUBJECT_KEYS,
    'key?': is.KEY_NAME,
    ...BODY,
  },
  erasure: { subject: is.SUBJECTS, records: is.IDS, 'policies?': is.DIGESTS },
  seal: { segment: is.NUMBER, records: is.NUMBER },
};

const LINK: is.Shape = { chain: is.ID, seq: is.NUMBER, prev: is.HASH };

const WITH_BODY: ReadonlySet<unknown> = new Set(
  Object.entries(KINDS).flatMap(([kind, keys]) => ('sealed?' in keys ? [kind] : [])),
);

/** Whether an entry is of a kind that has a body. */
export function hasBody(entry: Entry): entry is BodyEntry {
  return WITH_BODY.has(entry.kind);
}

const withHeader = (kind: string, keys: is.Shape): is.Shape => ({
  ...HEADER,
  kind: is.oneOf(kind),
  at: is.INSTANT,
  ...keys,
});
/** The shapes of entries before their hash is known, by kind. */
const UNHASHED = new Map(Object.entries(KINDS).map(([kind, keys]) => [kind, withHeader(kind, keys)]));
const LINES = new Map([...UNHASHED].map(([kind, shape]) => [kind, { ...shape, hash: is.HASH }]));
const LOOSE_LINES = new Map([...LINES].map(([kind, line]) => [kind, is.loosen(line)]));

/** Why a line is invalid. The text says what was expected and repeats nothing of the line. */
export interface EntryProblem {
  readonly code: 'line-not-json' | 'line-shape' | 'line-format' | 'hash-differs';
  readonly text: string;
}

/** The entry, or why the line is invalid. */
export type ParsedEntry = { readonly line: Entry } | { readonly problem: EntryProblem };

/**
 * The line of an entry, with its line break, and its hash. The same data gives the same text in whatever order its
 * keys are. Throws AUDIT_FAILED for data of another shape, or too much of it: no line is written that readers would
 * reject.
 */
export function formatEntry(fields: EntryHeader & EntryFields): { readonly text: string; readonly hash: string } {
  const arranged = arrangeEntry(fields, UNHASHED);
  if ('problem' in arranged)
    throw new VerdictError('AUDIT_FAILED', `the entry to be written is malformed: ${arranged.problem}`);
  const hashed = JSON.stringify(arranged.value).slice(0, -1);
  const bytes = Buffer.byteLength(hashed) + TAIL_BYTES;
  if (bytes > MAX_LINE_BYTES) throw new VerdictError('AUDIT_FAILED', TOO_LONG);
  const hash = sha256(hashed);
  return { text: `${hashed}${BEFORE_HASH}${hash}"}\n`, hash };
}

/**
 * The entry of a line, given without its line break. Accepts only the bytes that `formatEntry` writes: the same keys
 * in the same order, no more spaces or escapes, the right hash. The caller compares its position (`chain`, `seq`,
 * `prev`).
 */
export function parseEntry(bytes: Buffer): ParsedEntry {
  if (bytes.length > MAX_LINE_BYTES) return invalidShape(TOO_LONG);
  let text: string;
  let data: unknown;
  try {
    text = is.UTF8.decode(bytes);
    data = JSON.parse(text);
  } catch {
    return { problem: { code: 'line-not-json', text: 'expected one JSON object in UTF-8' } };
  }
  const arranged = arrangeEntry(data, LINES);
  const isHashed = () => (data as Partial<Entry>).hash === sha256(bytes.subarray(0, -TAIL_BYTES));
  if ('problem' in arranged) return linkOf(bytes) ? otherFormat(arranged.problem) : invalidShape(arranged.problem);
  if (!isCanonical(arranged.value, text)) return invalidShape('expected the bytes written for this object');
  if (!isHashed()) return { problem: { code: 'hash-differs', text: "expected the hash of the line's own bytes" } };
  return { line: arranged.value as unknown as Entry };
}

/** What joins a line to its chain. */
export type Link = Pick<Entry, 'chain' | 'seq' | 'prev' | 'hash'>;

/** The link of a line of any version: one JSON object as it is written, with its own hash. Undefined for any other. */
export function linkOf(bytes: Buffer): Link | undefined {
  const parsed = parseJson(bytes);
  const link = parsed.problem === undefined && isObject(parsed.value) ? parsed.value : {};
  const isWhole = is.isOfShape({ chain: link['chain'], seq: link['seq'], prev: link['prev'] }, LINK);
  if (!isWhole || link['hash'] !== sha256(bytes.subarray(0, -TAIL_BYTES))) return undefined;
  return isCanonical(link, bytes.toString()) ? (link as unknown as Link) : undefined;
}

/**
 * The same in a third of the time, for readers of many lines that need not judge the writer. It also accepts other
 * bytes of the same data with the right hash, and any text in place of one of a certain form.
 */
export function parseEntryFast(bytes: Buffer): ParsedEntry {
  // The strict parser says what is wrong.
  return parseHashed(bytes) ?? parseEntry(bytes);
}

/** Undefined if the line needs the strict parser. */
function parseHashed(bytes: Buffer): { readonly line: Entry } | undefined {
  const end = bytes.length - TAIL_BYTES;
  if (end < 0 || bytes.length > MAX_LINE_BYTES) return undefined;
  const hash = sha256(bytes.subarray(0, end));
  if (bytes.toString('latin1', end, bytes.length) !== `${BEFORE_HASH}${hash}"}`) return undefined;
  // The encrypted body is most of the line and need not be parsed. A quote inside a text would have a backslash
  // before it.
  const from = bytes[end - 1] === QUOTE ? bytes.lastIndexOf(QUOTE, end - 2) + 1 : 0;
  const headEnd = from - BEFORE_SEALED.length;
  const isSealed = headEnd > 0 && bytes.toString('latin1', headEnd, from) === BEFORE_SEALED;
  const head = bytes.subarray(0, isSealed ? headEnd : end);
  let data: unknown;
  try {
    data = JSON.parse(`${isAscii(head) ? head.toString('latin1') : is.UTF8.decode(head)}}`);
  } catch {
    return undefined;
  }
  const shape = shapeOf(data, LOOSE_LINES);
  if (!shape) return undefined;
  const line = data as Record<string, unknown>;
  if (isSealed) line['sealed'] = bytes.toString('latin1', from, end - 1);
  line['hash'] = hash;
  if (!is.isOfShape(line, shape) || !hasOneBody(line) || !hasOneFormOfReasons(line)) return undefined;
  return { line: line as unknown as Entry };
}

const QUOTE = 0x22;
const BEFORE_SEALED = ',"sealed":"';

function invalidShape(text: string): ParsedEntry {
  return { problem: { code: 'line-shape', text } };
}

function otherFormat(found: string): ParsedEntry {
  const text = `the line has another format than this version of verdict reads (${found}), and its hash is right`;
  return { problem: { code: 'line-format', text } };
}

/** In hexadecimal digits; a text is hashed as UTF-8. */
function sha256(data: string | Uint8Array): string {
  return digestOf('sha256', data, 'hex');
}

function isCanonical(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    // Nested deeper than the stack: such data can be parsed, but was never written.
    return false;
  }
}

const TOO_LONG = 'expected a line of 16 MiB at most';

function arrangeEntry(data: unknown, shapes: ReadonlyMap<string, is.Shape>): is.Arranged {
  const shape = shapeOf(data, shapes);
  if (!shape) return { problem: `expected an object whose kind is ${[...shapes.keys()].join(', ')}` };
  const arranged = is.arrange(data, shape);
  if (!('value' in arranged)) return arranged;
  if (!hasOneBody(arranged.value)) return { problem: 'expected either key and sealed, or plain' };
  return hasOneFormOfReasons(arranged.value) ? arranged : { problem: 'expected either reasons or codes' };
}

/** The shape of an entry's kind; undefined for any other data. */
function shapeOf(data: unknown, shapes: ReadonlyMap<string, is.Shape>): is.Shape | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'kind')) return undefined;
  const { kind } = data as { readonly kind?: unknown };
  return typeof kind === 'string' ? shapes.get(kind) : undefined;
}

/** Whether an entry with a body has exactly one; the shapes of other kinds have none. */
function hasOneBody({ kind, key, sealed, plain }: Readonly<Record<string, unknown>>): boolean {
  if (!WITH_BODY.has(kind)) return true;
  return plain === undefined ? key !== undefined && sealed !== undefined : key === undefined && sealed === undefined;
}

function hasOneFormOfReasons({ kind, reasons, codes }: Readonly<Record<string, unknown>>): boolean {
  return kind !== 'decision' || (reasons === undefined) !== (codes === undefined);
}
