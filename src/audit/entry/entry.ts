/** A record -> its line in the log with its hash, and the bytes of a line -> its record, where they are what would be written for it. */

import { isAscii } from 'node:buffer';
import { hash as digestOf } from 'node:crypto';
import { VerdictError } from '../../errors.ts';
import { OUTCOMES, type Outcome } from '../../policy/language.ts';
import * as is from './schema.ts';

/** What every line begins with: where it stands. */
export interface EntryHeader {
  /** The chain's UUID. */
  readonly chain: string;
  /** From 1, across segments. */
  readonly seq: number;
  /** The `hash` of the line before, across segments; of the first line `NO_HASH`. */
  readonly prev: string;
  /** The `seq` of the first line of those that were written together with this one: all before that were durable when it was written. */
  readonly batch: number;
}

/** Where a line stands. */
export interface EntryPosition {
  readonly chain: string;
  readonly segment: number;
  /** From 1, in its file. */
  readonly line: number;
}

/** Keyed hashes of the applicant, `<number of the index key>:<64 hex>`. */
export interface Subjects {
  readonly phoneNo?: string;
  readonly email?: string;
  readonly ip?: string;
}

/** What stood behind the last whole line after a crash, and was set aside. */
export interface Torn {
  readonly segment: number;
  /** Where it stood, in bytes. */
  readonly offset: number;
  /** The length of the file that it was set aside in. */
  readonly bytes: number;
  /** Of that file, 64 hex. */
  readonly sha256: string;
}

/** A body: encrypted with the data key of that name, or, where the caller chose so, in clear. */
export type Body =
  | { readonly key: string; readonly sealed: string; readonly plain?: never }
  | { readonly plain: Readonly<Record<string, unknown>>; readonly key?: never; readonly sealed?: never };

interface At<Kind extends string> {
  readonly kind: Kind;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** A process begins to write. */
export interface OpenFields extends At<'open'> {
  readonly log: string;
  readonly epoch: number;
  readonly engine: string;
  readonly segment: number;
  readonly torn?: Torn;
}

/** A decision; `at` is when it was made, as the service that made it says. */
export type DecisionFields = At<'decision'> & {
  readonly id: string;
  /** When its record was written, by the clock of the log: ISO 8601, UTC. */
  readonly writtenAt: string;
  readonly subjects: Subjects;
  readonly outcome: Outcome;
  /** Sorted by code units, each once; so are the causes. */
  readonly codes: readonly string[];
  readonly rules: readonly string[];
  readonly undetermined: readonly string[];
  readonly causes: readonly string[];
  readonly policy: { readonly name: string; readonly version: string; readonly digest: string };
  readonly mapping: string;
  readonly engine: string;
} & Body;

/** What a person did after a decision. */
export type NoteFields = At<'note'> & {
  readonly id: string;
  readonly decision: string;
  readonly disposition: (typeof DISPOSITIONS)[number];
  readonly subjects: Subjects;
} & Body;

/** Data keys were erased. */
export interface ErasureFields extends At<'erasure'> {
  readonly subject: readonly string[];
  readonly records: readonly string[];
}

/** A segment is closed. */
export interface FooterFields extends At<'seal'> {
  readonly segment: number;
  /** The lines of the segment before this one. */
  readonly records: number;
}

/** What others write through a chain's writer, which adds `open` and `seal` itself. */
export type RecordFields = DecisionFields | NoteFields | ErasureFields;
export type EntryFields = OpenFields | RecordFields | FooterFields;
export type Entry = EntryHeader & EntryFields & { readonly hash: string };
/** A line that has a body. */
export type BodyEntry = Entry & (DecisionFields | NoteFields);

export const DISPOSITIONS = ['approve', 'decline'] as const;

/** The `prev` of a chain's first line. */
export const NO_HASH = '0'.repeat(64);

/** Without its line break. A longer one is neither written nor read: the service's answers are 1 MiB at most. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

const BEFORE_HASH = ',"hash":"';
/** What follows the bytes that are hashed, up to the line break, which is not part of it. */
const TAIL_BYTES = BEFORE_HASH.length + 64 + '"}'.length;

const PLACE: is.Shape = { chain: is.ID, seq: is.NUMBER, prev: is.HASH, batch: is.NUMBER };
const SUBJECT_KEYS: is.Shape = { 'phoneNo?': is.SUBJECT, 'email?': is.SUBJECT, 'ip?': is.SUBJECT };
const BODY: is.Shape = { 'sealed?': is.SEALED, 'plain?': is.OBJECT };

/** Each kind's own keys, in their order. */
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
    outcome: is.oneOf(...OUTCOMES),
    codes: is.SORTED,
    rules: is.TEXTS,
    undetermined: is.TEXTS,
    causes: is.SORTED,
    policy: { name: is.TEXT, version: is.TEXT, digest: is.DIGEST },
    mapping: is.DIGEST,
    engine: is.TEXT,
    ...BODY,
  },
  note: {
    id: is.ID,
    decision: is.ID,
    disposition: is.oneOf(...DISPOSITIONS),
    subjects: SUBJECT_KEYS,
    'key?': is.KEY_NAME,
    ...BODY,
  },
  erasure: { subject: is.SUBJECTS, records: is.IDS },
  seal: { segment: is.NUMBER, records: is.NUMBER },
};

const withPlace = (kind: string, own: is.Shape): is.Shape => ({
  ...PLACE,
  kind: is.oneOf(kind),
  at: is.INSTANT,
  ...own,
});
const HEADS = new Map(Object.entries(KINDS).map(([kind, own]) => [kind, withPlace(kind, own)]));
const LINES = new Map([...HEADS].map(([kind, head]) => [kind, { ...head, hash: is.HASH }]));
const LOOSE_LINES = new Map([...LINES].map(([kind, line]) => [kind, is.loosen(line)]));

/** Why the bytes are no line of a log; the text says what was expected, and nothing of what the line holds. */
export interface EntryProblem {
  readonly code: 'line-not-json' | 'line-shape' | 'hash-differs';
  readonly text: string;
}

/** The record, or why there is none. */
export type ParsedEntry = { readonly line: Entry } | { readonly problem: EntryProblem };

/**
 * The line of a record: its text, with the line break, and its hash. The same data gives the same text, however its keys are ordered.
 * Throws AUDIT_FAILED for data that is no record, or too much of it: a line that no reader takes must not be written.
 */
export function formatEntry(fields: EntryHeader & EntryFields): { readonly text: string; readonly hash: string } {
  const arranged = arrangeLine(fields, HEADS);
  if ('problem' in arranged)
    throw new VerdictError('AUDIT_FAILED', `this is no record of the log: ${arranged.problem}`);
  const head = JSON.stringify(arranged.value).slice(0, -1);
  const bytes = Buffer.byteLength(head) + TAIL_BYTES;
  if (bytes > MAX_LINE_BYTES) throw new VerdictError('AUDIT_FAILED', TOO_LONG);
  const hash = sha256(head);
  return { text: `${head}${BEFORE_HASH}${hash}"}\n`, hash };
}

/**
 * The record of a line, given without its line break. Only bytes that `formatLine` would write are taken: the same keys in
 * the same order, no space, no escape more, the right hash. Where it stands (`chain`, `seq`, `prev`) is the caller's to compare.
 */
export function parseEntry(bytes: Buffer): ParsedEntry {
  if (bytes.length > MAX_LINE_BYTES) return shapeless(TOO_LONG);
  let text: string;
  let data: unknown;
  try {
    text = UTF8.decode(bytes);
    data = JSON.parse(text);
  } catch {
    return { problem: { code: 'line-not-json', text: 'expected one JSON object in UTF-8' } };
  }
  const arranged = arrangeLine(data, LINES);
  if ('problem' in arranged) return shapeless(arranged.problem);
  if (!isWrittenSo(arranged.value, text)) return shapeless('expected the bytes that are written for this object');
  if (arranged.value['hash'] !== sha256(bytes.subarray(0, -TAIL_BYTES))) {
    return { problem: { code: 'hash-differs', text: "expected the hash of the line's own bytes" } };
  }
  return { line: arranged.value as unknown as Entry };
}

/**
 * The same in a third of the time, for who reads much and need not judge the writer: of a line with the right hash of its own bytes, other
 * bytes are taken too that say the same, and texts of any form where one of a certain form would be written.
 */
export function parseEntryFast(bytes: Buffer): ParsedEntry {
  // Whatever is wrong, the other one says what.
  return parseHashed(bytes) ?? parseEntry(bytes);
}

/** Undefined where it is not so simple. */
function parseHashed(bytes: Buffer): { readonly line: Entry } | undefined {
  const end = bytes.length - TAIL_BYTES;
  if (end < 0 || bytes.length > MAX_LINE_BYTES) return undefined;
  const hash = sha256(bytes.subarray(0, end));
  if (bytes.toString('latin1', end, bytes.length) !== `${BEFORE_HASH}${hash}"}`) return undefined;
  // What is sealed is most of the line, and need not be parsed. A quote within a text would have a backslash before it.
  const from = bytes[end - 1] === QUOTE ? bytes.lastIndexOf(QUOTE, end - 2) + 1 : 0;
  const headEnd = from - BEFORE_SEALED.length;
  const isSealed = headEnd > 0 && bytes.toString('latin1', headEnd, from) === BEFORE_SEALED;
  const head = bytes.subarray(0, isSealed ? headEnd : end);
  let data: unknown;
  try {
    data = JSON.parse(`${isAscii(head) ? head.toString('latin1') : UTF8.decode(head)}}`);
  } catch {
    return undefined;
  }
  const shape = shapeOf(data, LOOSE_LINES);
  if (!shape) return undefined;
  const line = data as Record<string, unknown>;
  if (isSealed) line['sealed'] = bytes.toString('latin1', from, end - 1);
  line['hash'] = hash;
  if (!is.isOfShape(line, shape) || !hasOneBody(line)) return undefined;
  return { line: line as unknown as Entry };
}

const QUOTE = 0x22;
const BEFORE_SEALED = ',"sealed":"';

function shapeless(text: string): ParsedEntry {
  return { problem: { code: 'line-shape', text } };
}

/** As hexadecimal digits; of a text, that of its UTF-8. */
function sha256(data: string | Uint8Array): string {
  return digestOf('sha256', data, 'hex');
}

function isWrittenSo(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    // Nested deeper than the stack: it can be read, and was not written.
    return false;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const TOO_LONG = 'expected a line of 16 MiB at most';

function arrangeLine(data: unknown, shapes: ReadonlyMap<string, is.Shape>): is.Arranged {
  const shape = shapeOf(data, shapes);
  if (!shape) return { problem: `expected an object whose kind is ${[...shapes.keys()].join(', ')}` };
  const arranged = is.arrange(data, shape);
  return 'value' in arranged && !hasOneBody(arranged.value)
    ? { problem: 'expected either key and sealed, or plain' }
    : arranged;
}

/** That of its kind; undefined where it is of none. */
function shapeOf(data: unknown, shapes: ReadonlyMap<string, is.Shape>): is.Shape | undefined {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, 'kind')) return undefined;
  const { kind } = data as { readonly kind?: unknown };
  return typeof kind === 'string' ? shapes.get(kind) : undefined;
}

/** Whether a decision or a note has a body, and only one. */
function hasOneBody({ kind, key, sealed, plain }: Readonly<Record<string, unknown>>): boolean {
  if (kind !== 'decision' && kind !== 'note') return true;
  return plain === undefined ? key !== undefined && sealed !== undefined : key === undefined && sealed === undefined;
}
