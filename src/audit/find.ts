/** A log's folder and an id -> the lines that name it: the record itself, its notes, and the erasure of its key. */

import { join } from 'node:path';
import { VerdictError } from '../errors.ts';
import { splitLines } from '../lines.ts';
import { listChains, lookIntoChain } from './chain-folder.ts';
import { readPieces } from './folder.ts';
import {
  type DecisionFields,
  type ErasureFields,
  type Line,
  MAX_LINE_BYTES,
  type NoteFields,
  parseLine,
} from './line.ts';
import { SEGMENTS } from './segment.ts';

/** Where a line stands. */
export interface LinePlace {
  readonly chain: string;
  readonly segment: number;
  /** From 1, in its file. */
  readonly line: number;
}

/** A decision's record with what was recorded of it later. */
export interface FoundDecision {
  readonly record: Line & DecisionFields;
  readonly place: LinePlace;
  /** In the order of their time. */
  readonly notes: readonly (Line & NoteFields)[];
  readonly erasures: readonly (Line & ErasureFields)[];
}

/**
 * Finds a decision by its id. Undefined where there is none. Each line that is given is good by itself; that it stands where it was
 * written is for `verifyLog` to say. Rejects with AUDIT_FAILED where the line that should be it is not as it was written.
 */
export async function findDecision(dir: string, id: string): Promise<FoundDecision | undefined> {
  let found: Pick<FoundDecision, 'record' | 'place'> | undefined;
  const notes: (Line & NoteFields)[] = [];
  const erasures: (Line & ErasureFields)[] = [];
  for await (const { line, place } of linesWith(dir, `"${id}"`)) {
    if (line.kind === 'decision' && line.id === id) found ??= { record: line, place };
    else if (line.kind === 'note' && line.decision === id) notes.push(line);
    else if (line.kind === 'erasure' && line.records.includes(id)) erasures.push(line);
  }
  return found && { ...found, notes: notes.sort((one, other) => (one.at < other.at ? -1 : 1)), erasures };
}

/** The lines that hold a text. */
export async function* linesWith(
  dir: string,
  text: string,
): AsyncGenerator<{ readonly line: Line; readonly place: LinePlace }> {
  const sought = Buffer.from(text, 'utf8');
  for (const chain of await listChains(dir)) {
    const { path, segments } = await lookIntoChain(join(dir, 'chains', chain));
    for (const [segment, length] of segments) {
      const pieces = readPieces(join(path, SEGMENTS.of(segment)), length);
      for await (const { number, bytes, isEnded } of splitLines(pieces, MAX_LINE_BYTES)) {
        if (!isEnded || !bytes?.includes(sought)) continue;
        const parsed = parseLine(bytes);
        const place = { chain, segment, line: number };
        if ('line' in parsed) yield { line: parsed.line, place };
        else {
          const where = `line ${number} of segment ${segment} of chain ${chain}`;
          throw new VerdictError('AUDIT_FAILED', `${where} is not as it was written: ${parsed.problem.text}`);
        }
      }
    }
  }
}
