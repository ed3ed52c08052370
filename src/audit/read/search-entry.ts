/** A line of a log -> the fields that a search reads; decisions, notes and erasures -> the newest decisions. */

import { isAscii } from 'node:buffer';
import { isObject } from '../../platform/json.ts';
import { DISPOSITIONS } from '../../policy/language.ts';
import { type NoteBody, readNote } from '../entry/body.ts';
import {
  type Body,
  type DecisionFields,
  type Entry,
  type ErasureFields,
  EVENT_TYPES,
  type EventFields,
  type NoteFields,
  parseEntry,
  REASON_LISTS,
  RECORDED_OUTCOMES,
  RESOLVES,
} from '../entry/entry.ts';
import * as is from '../entry/schema.ts';
import type { SearchableFields } from '../entry/searchable.ts';
import { type CountedNote, type CountKey, type Counts, Tally } from './count-by.ts';
import { type Judged, judgementOf, type PlacedNote } from './judgement.ts';
import type { BodyReader } from './read-log.ts';

/** The fields of a decision that a search returns. */
export type DecisionSummary = Pick<
  SearchableFields,
  'at' | 'id' | 'outcome' | 'reasons' | 'codes' | 'rules' | 'undetermined' | 'missing' | 'policy'
> &
  Pick<DecisionFields, 'replaces'>;

/** A decision in clear. What a search does not return may be absent or malformed: it is only compared. */
export type ClearFields = DecisionSummary & Partial<Omit<DecisionFields, 'kind' | keyof Body>>;

/** The fields of a note that a search reads. */
export type NoteSummary = PlacedNote & Pick<NoteFields, 'decision'> & CountedNote;

/** An entry as a search reads it. */
export type SearchEntry =
  | ({ readonly kind: 'decision' } & ClearFields)
  | ({ readonly kind: 'note' } & NoteSummary)
  | ({ readonly kind: 'event' } & Pick<EventFields, 'at' | 'id' | 'type' | 'object' | 'detail' | 'actor'>)
  | ({ readonly kind: 'erasure' } & Pick<ErasureFields, 'at' | 'records'>)
  | { readonly kind: 'open' }
  | { readonly kind: 'seal' };

/** Whether a field is as a search reads it. */
type Check = (value: unknown) => boolean;

/** In the form that sorts by time; whether there is such a day is left to `verifyLog`. */
const isInstant: Check = is.textLike('an instant', /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[.]\d{3}Z$/).is;
const isPolicy: Check = (value) =>
  isObject(value) && ['name', 'version', 'digest'].every((key) => is.TEXT.is(value[key]));
const isReasons: Check = (value) => isObject(value) && REASON_LISTS.every((key) => is.TEXTS.is(value[key]));
/** Lists of facts by cause. */
const isMissing: Check = (value) => isObject(value) && Object.values(value).every(is.TEXTS.is);

/** Also true of an absent field, or null. */
function optional(check: Check): Check {
  return (value) => value === undefined || value === null || check(value);
}

const [isId, isTexts] = [is.ID.is, is.TEXTS.is];

/** The fields that a search reads of each kind of entry; a search ignores other fields. */
const SEARCH_FIELDS: Readonly<Record<Entry['kind'], Readonly<Record<string, Check>>>> = {
  open: {},
  decision: {
    ...{ at: isInstant, id: isId, outcome: is.oneOf(...RECORDED_OUTCOMES).is },
    // The codes of the present form, or of the earlier one: a record has one of both.
    ...{ reasons: optional(isReasons), codes: optional(isTexts) },
    ...{ rules: isTexts, undetermined: isTexts, missing: isMissing, policy: isPolicy, replaces: optional(isId) },
  },
  note: {
    ...{ at: isInstant, id: isId, decision: isId, disposition: is.oneOf(...DISPOSITIONS).is },
    ...{ chain: isId, seq: is.NUMBER.is, resolves: optional((value) => is.isOfShape(value, RESOLVES)) },
  },
  event: {
    ...{ at: isInstant, id: isId, type: is.oneOf(...EVENT_TYPES).is },
    ...{ object: optional(isId), detail: optional(is.TEXT.is), actor: is.TEXT.is },
  },
  erasure: { at: isInstant, records: is.IDS.is },
  seal: {},
};

const CHECKS: ReadonlyMap<unknown, readonly (readonly [name: string, check: Check])[]> = new Map(
  Object.entries(SEARCH_FIELDS).map(([kind, fields]) => [kind, Object.entries(fields)]),
);

/** Undefined if the line, without its line break, cannot be read. */
export function readSearchEntry(bytes: Buffer): SearchEntry | undefined {
  const data = parse(bytes);
  if (!isObject(data)) return undefined;
  const isReadable = CHECKS.get(data['kind'])?.every(([name, check]) => check(data[name]));
  return isReadable ? (data as unknown as SearchEntry) : undefined;
}

/** No writer leaves such a line. It says nothing, so a search skips it; `verifyLog` reports it. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parse(bytes: Buffer): unknown {
  try {
    // Nearly all lines are ASCII, and latin1 decodes several times as fast.
    return JSON.parse(isAscii(bytes) ? bytes.toString('latin1') : UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}

/** A decision that a search found. */
export interface FoundDecision extends DecisionSummary, Judged {
  /** Whether an erasure of its body is on record: it can still be found, but no longer be explained. */
  readonly erased: boolean;
}

/** The results of a search. */
export interface CollectedResults {
  /** The newest first; at the same instant, the greater id first. */
  readonly rows: readonly FoundDecision[];
  /** How many decisions match, returned or not. */
  readonly total: number;
  /**
   * How many further decisions have a reason code of the query in a record of the earlier form, which does not say
   * whether it decided, fired or was undetermined. They match all other criteria, and are neither counted nor returned.
   */
  readonly undecidable: number;
  /** If the search was to count. */
  readonly counts?: Counts;
}

/** The reasons without other keys; of a record of the earlier form, its codes. */
function copyReasons(reasons: DecisionSummary['reasons'] | null, codes: DecisionSummary['codes'] | null) {
  if (!reasons) return codes ? { codes } : {};
  const { decisive, fired, undetermined } = reasons;
  return { reasons: { decisive, fired, undetermined } };
}

/** What decisions and notes are sorted by. */
type Moment = Pick<DecisionSummary, 'at' | 'id'>;

/** Keeps only the newest decisions, but all notes and erased ids: a decision may be found later than its notes. */
export class ResultCollector {
  readonly #limit: number;
  #newest: DecisionSummary[] = [];
  /** The oldest decision kept, once the limit is reached. */
  #oldest: Moment | undefined;
  #total = 0;
  #undecidable = 0;
  /** Of each decision, the notes that count. */
  readonly #notes = new Map<string, readonly NoteSummary[]>();
  readonly #opened = new Map<string, string>();
  readonly #erased = new Set<string>();
  readonly #tally: Tally | undefined;
  readonly #bodies: BodyReader | undefined;

  /** `bodies`: opens notes, where it is counted who wrote them, or why. */
  constructor(limit: number, countBy?: readonly CountKey[], bodies?: BodyReader) {
    this.#limit = limit;
    this.#bodies = bodies;
    this.#tally = countBy && new Tally(countBy);
  }

  /** Counts a decision whose record cannot tell whether it matches. */
  countUndecidable(): void {
    this.#undecidable += 1;
  }

  addDecision(found: DecisionSummary): void {
    this.#total += 1;
    this.#tally?.addDecision(found, judgementOf(this.#notes.get(found.id) ?? []), this.#opened);
    if (this.#oldest && newestFirst(found, this.#oldest) > 0) return;
    const { at, id, outcome, reasons, codes, rules, undetermined, missing, policy, replaces } = found;
    const { name, version, digest } = policy;
    // A copy, so that the rest of the entry, above all its body, can be collected.
    this.#newest.push({
      ...{ at, id, outcome, ...copyReasons(reasons, codes), rules, undetermined, missing },
      policy: { name, version, digest },
      ...(replaces ? { replaces } : {}),
    });
    // Sorting now and then is cheaper than keeping the list sorted.
    if (this.#newest.length >= 2 * this.#limit + 1000) this.#cut();
  }

  /** Adds what came later about decisions, of its line: a note, the opening of a case or an erasure. */
  async addOther(line: Buffer): Promise<void> {
    const entry = readSearchEntry(line);
    if (entry?.kind === 'note') this.#addNote(entry, this.#bodies && (await readWords(line, this.#bodies)));
    else if (entry?.kind === 'erasure') for (const record of entry.records) this.#erased.add(record);
    else if (entry?.kind === 'event' && entry.type === 'case.opened') this.#opened.set(entry.id, entry.at);
  }

  #addNote({ at, id, decision, disposition, chain, seq, resolves }: NoteSummary, words?: NoteBody): void {
    const known = this.#notes.get(decision) ?? [];
    const note = { at, id, decision, disposition, chain, seq, ...(resolves ? { resolves } : {}), ...words };
    this.#notes.set(decision, Object.values(judgementOf([...known, note])));
  }

  /** By the notes that were added. */
  judgedOf(decision: string): Judged {
    const { review, label } = judgementOf(this.#notes.get(decision) ?? []);
    return { ...(review ? { review: review.disposition } : {}), ...(label ? { label: label.disposition } : {}) };
  }

  /** The ids of the decisions that may be returned. */
  ids(): readonly string[] {
    this.#cut();
    return this.#newest.map(({ id }) => id);
  }

  results(): CollectedResults {
    this.#cut();
    const rows = this.#newest.map((decision): FoundDecision => {
      return { ...decision, ...this.judgedOf(decision.id), erased: this.#erased.has(decision.id) };
    });
    const counts = this.#tally ? { counts: this.#tally.counts() } : {};
    return { rows, total: this.#total, undecidable: this.#undecidable, ...counts };
  }

  #cut(): void {
    this.#newest.sort(newestFirst);
    if (this.#newest.length < this.#limit) return;
    this.#newest.length = this.#limit;
    this.#oldest = this.#newest.at(-1);
  }
}

/** Who wrote the note of a line, and why; undefined for another line. */
async function readWords(line: Buffer, bodies: BodyReader): Promise<NoteBody | undefined> {
  const parsed = parseEntry(line);
  if ('problem' in parsed || parsed.line.kind !== 'note') return undefined;
  const opened = await bodies.open(parsed.line);
  return ('texts' in opened && readNote(opened.texts)) || UNREAD;
}

const UNREAD: NoteBody = { by: 'cannot be read', why: 'cannot be read' };

function newestFirst(one: Moment, other: Moment): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1;
  return one.id === other.id ? 0 : one.id < other.id ? 1 : -1;
}
