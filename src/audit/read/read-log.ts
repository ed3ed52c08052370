/** The folder of a log -> its entries in order, or those that name an id; with the keys, what their bodies say. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { type BodyTexts, splitTexts, textsOfPlain } from '../entry/body.ts';
import {
  type BodyEntry,
  type DecisionFields,
  type Entry,
  type EntryPosition,
  type ErasureFields,
  type EventFields,
  hasBody,
  type NoteFields,
  type ParsedEntry,
  parseEntry,
} from '../entry/entry.ts';
import { DataKeyReader, type FoundKey } from '../keys/data-keys.ts';
import { decryptBody } from '../keys/encrypt.ts';
import { listChain, listChains, readPiecesOf, readRanges, readRawLines } from '../store/chain-folder.ts';
import type { Folder } from '../store/files.ts';
import { positionWords, TamperedError, wrapIoErrors } from '../store/io-errors.ts';
import { readSegmentFast, SEGMENTS } from '../store/segment.ts';
import { inOrder } from './judgement.ts';

/** An entry and its position; the entry names its chain. */
export interface LocatedEntry {
  readonly entry: Entry;
  readonly segment: number;
  /** From 1, in its file. */
  readonly line: number;
}

/**
 * Every entry of a log, in batches, chain by chain in the order of their creation. Rejects with AUDIT_FAILED at the
 * first line that is not as it was written, because later lines cannot be trusted. Omits a line being written.
 */
export async function* readEntries(dir: Folder, log: string): AsyncGenerator<readonly LocatedEntry[]> {
  for (const chain of await listChains(dir)) {
    const folder = await listChain(dir, chain);
    for (const segment of folder.segments.keys()) {
      const expected = { log, chain, segment, before: undefined };
      for await (const items of readSegmentFast(readPiecesOf(folder, segment), expected)) {
        const entries = items.flatMap((item) =>
          'line' in item ? [{ entry: item.line, segment, line: item.number }] : [],
        );
        if (entries.length > 0) yield entries;
        const last = items.at(-1);
        if (last && 'problem' in last) {
          throw lineError({ chain, segment, line: last.number }, last.problem);
        }
      }
    }
  }
}

/** The texts of a body, or why it cannot be read. */
export type OpenedBody = { readonly texts: BodyTexts } | { readonly closed: ClosedReason };

/** The key was overwritten, is not in the key folder, or does not open the body; or the body is malformed. */
export type ClosedReason = 'erased' | 'key-missing' | 'not-opened' | 'no-body';

/** Opens bodies with the keys of a key folder. */
export class BodyReader {
  readonly #keys: DataKeyReader;

  constructor(keys: Folder) {
    this.#keys = new DataKeyReader(keys);
  }

  async open(entry: BodyEntry): Promise<OpenedBody> {
    return (
      this.openCached(entry) ?? openWith(entry.key === undefined ? 'missing' : await this.#keys.read(entry.key), entry)
    );
  }

  /** The same without reading a file; undefined if the key is not cached. */
  openCached(entry: BodyEntry): OpenedBody | undefined {
    if (entry.plain !== undefined) return openedBody(textsOfPlain(entry.plain, entry.kind));
    const key = this.#keys.known(entry.key);
    return key && openWith(key, entry);
  }
}

function openWith(key: FoundKey, entry: BodyEntry): OpenedBody {
  if (key === 'erased') return { closed: 'erased' };
  if (key === 'missing' || entry.sealed === undefined) return { closed: 'key-missing' };
  const text = decryptBody(entry.sealed, key, entry);
  return text === undefined ? { closed: 'not-opened' } : openedBody(splitTexts(text, entry.kind));
}

function openedBody(texts: BodyTexts | undefined): OpenedBody {
  return texts ? { texts } : { closed: 'no-body' };
}

/** The entry of a decision, and the later entries about it. */
export interface DecisionEntries {
  readonly record: Entry & DecisionFields;
  readonly position: EntryPosition;
  /** In chronological order. */
  readonly notes: readonly (Entry & NoteFields)[];
  /** In chronological order. */
  readonly events: readonly (Entry & EventFields)[];
  readonly erasures: readonly (Entry & ErasureFields)[];
  /** The records that have the id of the note sought. */
  readonly taken: readonly BodyEntry[];
}

/**
 * Finds a decision by its id, and the records that have the id of a note; undefined if there is no such decision. An
 * index leads to the entries; without one the whole log is read. Each entry is checked by itself; only `verifyLog`
 * checks its position. Rejects with AUDIT_FAILED if one of these entries is not as it was written, or if several
 * decisions have the id, because the entries do not show which one is genuine; with REQUEST_INVALID for the id of a
 * note or an event.
 */
export async function findDecision(
  dir: Folder,
  id: string,
  { index, noteId }: { readonly index?: EntryFinder | undefined; readonly noteId?: string | undefined } = {},
): Promise<DecisionEntries | undefined> {
  const decisions: Pick<DecisionEntries, 'record' | 'position'>[] = [];
  const notes: (Entry & NoteFields)[] = [];
  const events: (Entry & EventFields)[] = [];
  const erasures: (Entry & ErasureFields)[] = [];
  const taken: BodyEntry[] = [];
  const ids = [id, ...(noteId === undefined ? [] : [noteId])];
  let other: string | undefined;
  await wrapIoErrors('read', async () => {
    const named = index ? parseAt(dir, await findAll(ids, index)) : findEntries(dir, containsAny(ids.map(quoted)));
    for await (const { parsed, position } of named) {
      if ('problem' in parsed) throw lineError(position, parsed.problem);
      const { line: entry } = parsed;
      if (hasBody(entry) && entry.id === noteId) taken.push(entry);
      if (entry.kind === 'decision' && entry.id === id) decisions.push({ record: entry, position });
      else if (entry.kind === 'note' && entry.decision === id) notes.push(entry);
      else if (entry.kind === 'event' && entry.object === id) events.push(entry);
      else if (entry.kind === 'note' && entry.id === id)
        other = `a note with that id, on the decision ${entry.decision}`;
      else if (entry.kind === 'event' && entry.id === id) other = 'an event with that id';
      else if (entry.kind === 'erasure' && entry.records.includes(id)) erasures.push(entry);
      // Lines that are read through hold the text of an id in other places too.
      else if (index && !(hasBody(entry) && entry.id === noteId)) throw new TamperedError(INDEX_DIFFERS);
    }
  });
  const [first, ...more] = decisions;
  if (more.length > 0) throw duplicateIdError(decisions.map(({ position }) => position));
  if (!first && other !== undefined) {
    throw new VerdictError('REQUEST_INVALID', `found ${other}; expected the id of a decision`);
  }
  return first && { ...first, notes: notes.sort(inOrder), events: events.sort(inOrder), erasures, taken };
}

/** Where an entry is in the log. */
export interface IndexedPosition extends EntryPosition {
  /** In bytes of the file: of the line, and of the next one. */
  readonly start: number;
  readonly end: number;
}

/** An index of entries by the ids that they have or name. */
export interface EntryFinder {
  find(id: string): Promise<readonly IndexedPosition[]>;
}

/** The entries about some ids, each once, in their order. */
async function findAll(ids: readonly string[], index: EntryFinder): Promise<readonly IndexedPosition[]> {
  const found = new Map<string, IndexedPosition>();
  for (const id of ids) {
    for (const each of await index.find(id)) found.set(`${each.chain} ${each.segment} ${each.start}`, each);
  }
  return [...found.values()];
}

const INDEX_DIFFERS =
  'the index of the log leads to the line of another id: make it again (remove index.sqlite*, or verdict audit index)';

const quoted = (text: string) => `"${text}"`;

/** How many positions a message about a duplicate id lists. */
const LISTED = 10;

/** The error for several records with one id. */
export function duplicateIdError(positions: readonly EntryPosition[]): TamperedError {
  const listed = positions.slice(0, LISTED).map(positionWords);
  const rest = positions.length > LISTED ? [`${positions.length - LISTED} more`] : [];
  const words = [...listed, ...rest].join('; ');
  return new TamperedError(`found ${positions.length} records with one id, expected a unique id: ${words}`);
}

/** The positions of records by id, in the order of the log; skips malformed lines. */
export async function positionsOf(dir: Folder, ids: readonly string[]): Promise<Map<string, EntryPosition[]>> {
  const positions = new Map(ids.map((id): [string, EntryPosition[]] => [id, []]));
  const texts = ids.map((id) => `"id":"${id}"`);
  for await (const { parsed, position } of findEntries(dir, containsAny(texts))) {
    if ('line' in parsed && 'id' in parsed.line) positions.get(parsed.line.id)?.push(position);
  }
  return positions;
}

/** Whether the bytes of a line contain one of the texts. */
export function containsAny(texts: readonly string[]): (bytes: Buffer) => boolean {
  const wanted = texts.map((text) => Buffer.from(text, 'utf8'));
  return (bytes) => wanted.some((text) => bytes.includes(text));
}

/** The error for a line that is not as it was written, or of another version. */
export function lineError(
  position: EntryPosition,
  { code, text }: { readonly code: string; readonly text: string },
): VerdictError {
  const where = positionWords(position);
  if (code === 'line-format') return new VerdictError('AUDIT_FAILED', `${where} cannot be read: ${text}`);
  return new TamperedError(`${where} is not as it was written: ${text}`);
}

/** A line with its entry, or what is wrong with it. */
interface ParsedLine {
  readonly bytes: Buffer;
  readonly parsed: ParsedEntry;
  readonly position: EntryPosition;
}

/** The lines at positions of an index, without line breaks. The caller finds out whether one is of another entry. */
export async function* readAt<Position extends IndexedPosition>(
  dir: Folder,
  positions: readonly Position[],
): AsyncGenerator<{ readonly bytes: Buffer; readonly position: Position }> {
  const ranges = positions.map((position) => {
    return { ...position, path: join(dir.path, 'chains', position.chain, SEGMENTS.of(position.segment)) };
  });
  for await (const { bytes, range } of readRanges(dir, ranges)) {
    yield { bytes: bytes.at(-1) === NEWLINE ? bytes.subarray(0, -1) : bytes, position: range };
  }
}

async function* parseAt(dir: Folder, positions: readonly IndexedPosition[]): AsyncGenerator<ParsedLine> {
  for await (const { bytes, position } of readAt(dir, positions)) {
    const { chain, segment, line } = position;
    yield { bytes, parsed: parseEntry(bytes), position: { chain, segment, line } };
  }
}

const NEWLINE = 0x0a;

/** Complete lines accepted by `isSought`, malformed ones included; only these are parsed. */
export async function* findEntries(dir: Folder, isSought: (bytes: Buffer) => boolean): AsyncGenerator<ParsedLine> {
  for (const chain of await listChains(dir)) {
    const folder = await listChain(dir, chain);
    for (const segment of folder.segments.keys()) {
      for await (const { number, bytes, isEnded } of readRawLines(folder, segment)) {
        if (!isEnded || !bytes || !isSought(bytes)) continue;
        yield { bytes, parsed: parseEntry(bytes), position: { chain, segment, line: number } };
      }
    }
  }
}
