/** A log's folder and an id -> the entries that name it: the decision, its notes, and the erasures of its key. */

import { join } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { splitLines } from '../../platform/lines.ts';
import {
  type DecisionFields,
  type Entry,
  type EntryPosition,
  type EntryProblem,
  type ErasureFields,
  MAX_LINE_BYTES,
  type NoteFields,
  type ParsedEntry,
  parseEntry,
} from '../entry/entry.ts';
import { listChainFolder, listChains } from '../store/chain-folder.ts';
import { readPieces } from '../store/folder.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { SEGMENTS } from '../store/segment.ts';
import { positionWords, TamperedError } from '../tampered-error.ts';

/** The entry of a decision, and the later entries about it. */
export interface DecisionEntries {
  readonly record: Entry & DecisionFields;
  readonly position: EntryPosition;
  /** In chronological order. */
  readonly notes: readonly (Entry & NoteFields)[];
  readonly erasures: readonly (Entry & ErasureFields)[];
}

/**
 * Finds a decision by its id; undefined if there is none. Each entry is checked by itself; only `verifyLog` checks
 * its position. Rejects with AUDIT_FAILED if one of these entries is not as it was written, or if several decisions
 * have the id, because the entries do not show which one is genuine; with REQUEST_INVALID for the id of a note.
 */
export async function findDecision(dir: string, id: string): Promise<DecisionEntries | undefined> {
  const decisions: Pick<DecisionEntries, 'record' | 'position'>[] = [];
  const notes: (Entry & NoteFields)[] = [];
  const erasures: (Entry & ErasureFields)[] = [];
  let decisionOfNote: string | undefined;
  await wrapIoErrors('read', async () => {
    for await (const { parsed, position } of findEntries(dir, containsAny([`"${id}"`]))) {
      if ('problem' in parsed) throw lineError(position, parsed.problem);
      const { line: entry } = parsed;
      if (entry.kind === 'decision' && entry.id === id) decisions.push({ record: entry, position });
      else if (entry.kind === 'note' && entry.decision === id) notes.push(entry);
      else if (entry.kind === 'note' && entry.id === id) decisionOfNote = entry.decision;
      else if (entry.kind === 'erasure' && entry.records.includes(id)) erasures.push(entry);
    }
  });
  const [first, ...more] = decisions;
  if (more.length > 0) throw duplicateIdError(decisions.map(({ position }) => position));
  if (!first && decisionOfNote !== undefined) {
    const found = `found a note with that id, on the decision ${decisionOfNote}`;
    throw new VerdictError('REQUEST_INVALID', `${found}; expected the id of a decision`);
  }
  return first && { ...first, notes: notes.sort(byTime), erasures };
}

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
export async function positionsOf(dir: string, ids: readonly string[]): Promise<Map<string, EntryPosition[]>> {
  const positions = new Map(ids.map((id): [string, EntryPosition[]] => [id, []]));
  const texts = ids.map((id) => `"id":"${id}"`);
  for await (const { parsed, position } of findEntries(dir, containsAny(texts))) {
    if ('line' in parsed && 'id' in parsed.line) positions.get(parsed.line.id)?.push(position);
  }
  return positions;
}

/** Notes of the same instant keep the order of the log. */
function byTime(one: NoteFields, other: NoteFields): number {
  return one.at < other.at ? -1 : Number(one.at > other.at);
}

/** Whether the bytes of a line contain one of the texts. */
export function containsAny(texts: readonly string[]): (bytes: Buffer) => boolean {
  const wanted = texts.map((text) => Buffer.from(text, 'utf8'));
  return (bytes) => wanted.some((text) => bytes.includes(text));
}

/** The error for a line that is not as it was written. */
export function lineError(position: EntryPosition, { text }: EntryProblem): TamperedError {
  return new TamperedError(`${positionWords(position)} is not as it was written: ${text}`);
}

/** A line with its entry, or what is wrong with it. */
interface ParsedLine {
  readonly bytes: Buffer;
  readonly parsed: ParsedEntry;
  readonly position: EntryPosition;
}

/** Complete lines accepted by `isSought`, malformed ones included; only these are parsed. */
export async function* findEntries(dir: string, isSought: (bytes: Buffer) => boolean): AsyncGenerator<ParsedLine> {
  for (const chain of await listChains(dir)) {
    const { path, segments } = await listChainFolder(join(dir, 'chains', chain));
    for (const [segment, length] of segments) {
      const pieces = readPieces(join(path, SEGMENTS.of(segment)), length);
      for await (const { number, bytes, isEnded } of splitLines(pieces, MAX_LINE_BYTES)) {
        if (!isEnded || !bytes || !isSought(bytes)) continue;
        yield { bytes, parsed: parseEntry(bytes), position: { chain, segment, line: number } };
      }
    }
  }
}
