/** A log's folder -> its records, one after the other, and with the keys what their bodies hold. */

import { join } from 'node:path';
import { VerdictError } from '../errors.ts';
import { type FoundKey, KeyReader } from './blocks.ts';
import { listChains, lookIntoChain } from './chain-folder.ts';
import { readPieces } from './folder.ts';
import { type DecisionFields, type Line, type NoteFields, parseLineFast } from './line.ts';
import { openText } from './seal.ts';
import { readSegment, SEGMENTS } from './segment.ts';

/** Where a line of the log stands. */
export interface LineAt {
  readonly line: Line;
  readonly segment: number;
  /** From 1, in its file. */
  readonly number: number;
}

/**
 * Every line of a log, chain by chain in the order in which they were begun, each with its checks. Rejects with AUDIT_FAILED at
 * the first that is not as it was written: what follows cannot be believed. A line that is being written is left out.
 */
export async function* readLines(dir: string, log: string): AsyncGenerator<LineAt> {
  for (const chain of await listChains(dir)) {
    const { path, segments } = await lookIntoChain(join(dir, 'chains', chain));
    for (const [segment, length] of segments) {
      const place = { log, chain, segment, before: undefined };
      for await (const item of readSegment(
        readPieces(join(path, SEGMENTS.of(segment)), length),
        place,
        parseLineFast,
      )) {
        if ('problem' in item) {
          const where = `line ${item.number} of segment ${segment} of chain ${chain}`;
          throw new VerdictError('AUDIT_FAILED', `${where} is not as it was written: ${item.problem.text}`);
        }
        if ('line' in item) yield { line: item.line, segment, number: item.number };
      }
    }
  }
}

/** A record with a body. */
export type BodyLine = Line & (DecisionFields | NoteFields);

/** What a body holds; or why nobody can read it: its key was erased, is not in the key folder, or does not open it. */
export type OpenedBody = { readonly data: unknown } | { readonly closed: 'erased' | 'key-missing' | 'not-opened' };

/** Opens bodies with the keys of a key folder. */
export class BodyReader {
  readonly #keys: KeyReader;

  constructor(keysDir: string) {
    this.#keys = new KeyReader(keysDir);
  }

  async open({ chain, kind, id, key, sealed, plain }: BodyLine): Promise<OpenedBody> {
    if (plain !== undefined) return { data: plain };
    const found: FoundKey = await this.#keys.read(key);
    if (found === 'erased') return { closed: 'erased' };
    if (found === 'missing') return { closed: 'key-missing' };
    const text = openText(sealed, found, { chain, kind, id });
    return text === undefined ? { closed: 'not-opened' } : parse(text);
  }
}

/** Whoever can seal can seal anything. */
function parse(text: string): OpenedBody {
  try {
    return { data: JSON.parse(text) };
  } catch {
    return { closed: 'not-opened' };
  }
}
