/** A log's folder and an id -> the lines that name it: the record itself, its notes, and the erasure of its key. */

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

/** A decision's line, and those of what was recorded of it later. */
export interface DecisionLines {
  readonly record: Entry & DecisionFields;
  readonly place: EntryPosition;
  /** In the order of their time. */
  readonly notes: readonly (Entry & NoteFields)[];
  readonly erasures: readonly (Entry & ErasureFields)[];
}

/**
 * Finds a decision by its id. Undefined where there is none. Each line that is given is good by itself; that it stands where it was
 * written is for `verifyLog` to say. Rejects with AUDIT_FAILED where the line that should be it is not as it was written, or several
 * have the id: which of them is the genuine one nobody can tell from the lines; with REQUEST_INVALID where it is a note's id.
 */
export async function findDecision(dir: string, id: string): Promise<DecisionLines | undefined> {
  const found: Pick<DecisionLines, 'record' | 'place'>[] = [];
  const notes: (Entry & NoteFields)[] = [];
  const erasures: (Entry & ErasureFields)[] = [];
  let noted: string | undefined;
  await wrapIoErrors('read', async () => {
    for await (const { line, place } of linesWith(dir, [`"${id}"`])) {
      if (line.kind === 'decision' && line.id === id) found.push({ record: line, place });
      else if (line.kind === 'note' && line.decision === id) notes.push(line);
      else if (line.kind === 'note' && line.id === id) noted = line.decision;
      else if (line.kind === 'erasure' && line.records.includes(id)) erasures.push(line);
    }
  });
  const [first, ...more] = found;
  if (more.length > 0) throw doubledError(found.map(({ place }) => place));
  if (!first && noted !== undefined) {
    const found = `found a note with that id, on the decision ${noted}`;
    throw new VerdictError('REQUEST_INVALID', `${found}; expected the id of a decision`);
  }
  return first && { ...first, notes: notes.sort(byTime), erasures };
}

/** So many of the records with one id are named. */
const SHOWN = 10;

/** Several records have one id. */
export function doubledError(places: readonly EntryPosition[]): TamperedError {
  const named = places.slice(0, SHOWN).map(positionWords);
  const rest = places.length > SHOWN ? [`${places.length - SHOWN} more`] : [];
  const words = [...named, ...rest].join('; ');
  return new TamperedError(`found ${places.length} records with one id, expected one with each: ${words}`);
}

/** Where records with some ids stand, in the order of the log; lines that cannot be read are passed over. */
export async function placesOf(dir: string, ids: readonly string[]): Promise<Map<string, EntryPosition[]>> {
  const places = new Map(ids.map((id): [string, EntryPosition[]] => [id, []]));
  const texts = ids.map((id) => `"id":"${id}"`);
  for await (const { parsed, place } of parsedWhere(dir, holdsOneOf(texts))) {
    if ('line' in parsed && 'id' in parsed.line) places.get(parsed.line.id)?.push(place);
  }
  return places;
}

/** Those of one instant stay as they stand in the log. */
function byTime(one: NoteFields, other: NoteFields): number {
  return one.at < other.at ? -1 : Number(one.at > other.at);
}

/** The lines that hold one of some texts. */
async function* linesWith(
  dir: string,
  texts: readonly string[],
): AsyncGenerator<{ readonly line: Entry; readonly place: EntryPosition }> {
  for await (const { parsed, place } of parsedWhere(dir, holdsOneOf(texts))) {
    if ('problem' in parsed) throw lineError(place, parsed.problem);
    yield { line: parsed.line, place };
  }
}

/** Whether the bytes of a line hold one of some texts. */
export function holdsOneOf(texts: readonly string[]): (bytes: Buffer) => boolean {
  const sought = texts.map((text) => Buffer.from(text, 'utf8'));
  return (bytes) => sought.some((text) => bytes.includes(text));
}

/** A line that is not as it was written. */
export function lineError(place: EntryPosition, { text }: EntryProblem): TamperedError {
  return new TamperedError(`${positionWords(place)} is not as it was written: ${text}`);
}

/** A line that was read, or what is wrong with it. */
interface FoundLine {
  readonly bytes: Buffer;
  readonly parsed: ParsedEntry;
  readonly place: EntryPosition;
}

/** The whole lines of a log that are sought, those that are none of a log among them; only they are parsed. */
export async function* parsedWhere(dir: string, isSought: (bytes: Buffer) => boolean): AsyncGenerator<FoundLine> {
  for (const chain of await listChains(dir)) {
    const { path, segments } = await listChainFolder(join(dir, 'chains', chain));
    for (const [segment, length] of segments) {
      const pieces = readPieces(join(path, SEGMENTS.of(segment)), length);
      for await (const { number, bytes, isEnded } of splitLines(pieces, MAX_LINE_BYTES)) {
        if (!isEnded || !bytes || !isSought(bytes)) continue;
        yield { bytes, parsed: parseEntry(bytes), place: { chain, segment, line: number } };
      }
    }
  }
}
