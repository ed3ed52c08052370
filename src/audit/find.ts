/** A log's folder and an id -> the lines that name it: the record itself, its notes, and the erasure of its key. */

import { join } from 'node:path';
import { VerdictError } from '../errors.ts';
import { splitLines } from '../lines.ts';
import { listChains, lookIntoChain } from './chain-folder.ts';
import { onDisk } from './disk.ts';
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

/** A decision's line, and those of what was recorded of it later. */
export interface DecisionLines {
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
export async function findDecision(dir: string, id: string): Promise<DecisionLines | undefined> {
  let found: Pick<DecisionLines, 'record' | 'place'> | undefined;
  const notes: (Line & NoteFields)[] = [];
  const erasures: (Line & ErasureFields)[] = [];
  await onDisk('read', async () => {
    for await (const { line, place } of linesWith(dir, [`"${id}"`])) {
      if (line.kind === 'decision' && line.id === id) found ??= { record: line, place };
      else if (line.kind === 'note' && line.decision === id) notes.push(line);
      else if (line.kind === 'erasure' && line.records.includes(id)) erasures.push(line);
    }
  });
  return found && { ...found, notes: notes.sort(byTime), erasures };
}

/** Those of one instant stay as they stand in the log. */
function byTime(one: NoteFields, other: NoteFields): number {
  return one.at < other.at ? -1 : Number(one.at > other.at);
}

/** The lines that hold one of some texts. */
export async function* linesWith(
  dir: string,
  texts: readonly string[],
): AsyncGenerator<{ readonly line: Line; readonly place: LinePlace }> {
  const sought = texts.map((text) => Buffer.from(text, 'utf8'));
  for (const chain of await listChains(dir)) {
    const { path, segments } = await lookIntoChain(join(dir, 'chains', chain));
    for (const [segment, length] of segments) {
      const pieces = readPieces(join(path, SEGMENTS.of(segment)), length);
      for await (const { number, bytes, isEnded } of splitLines(pieces, MAX_LINE_BYTES)) {
        if (!isEnded || !bytes || !sought.some((text) => bytes.includes(text))) continue;
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
