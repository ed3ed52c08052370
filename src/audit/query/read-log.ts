/** A log's folder -> its records, one after the other, and with the keys what their bodies hold. */

import { join } from 'node:path';
import { type BodyTexts, splitTexts, textsOfPlain } from '../entry/body.ts';
import type { BodyEntry, Entry } from '../entry/entry.ts';
import { DataKeyReader, type FoundKey } from '../keys/data-keys.ts';
import { decryptBody } from '../keys/encrypt.ts';
import { listChainFolder, listChains } from '../store/chain-folder.ts';
import { readPieces } from '../store/folder.ts';
import { readSegmentFast, SEGMENTS } from '../store/segment.ts';
import { positionWords, TamperedError } from '../tampered-error.ts';

/** Where a line of the log stands. */
export interface LineAt {
  readonly line: Entry;
  readonly segment: number;
  /** From 1, in its file. */
  readonly number: number;
}

/**
 * Every line of a log, chain by chain in the order in which they were begun, each with its checks, some of them together. Rejects with
 * AUDIT_FAILED at the first that is not as it was written: what follows cannot be believed. A line that is being written is left out.
 */
export async function* readLines(dir: string, log: string): AsyncGenerator<readonly LineAt[]> {
  for (const chain of await listChains(dir)) {
    const { path, segments } = await listChainFolder(join(dir, 'chains', chain));
    for (const [segment, length] of segments) {
      const place = { log, chain, segment, before: undefined };
      for await (const items of readSegmentFast(readPieces(join(path, SEGMENTS.of(segment)), length), place)) {
        const lines = items.flatMap((item) =>
          'line' in item ? [{ line: item.line, segment, number: item.number }] : [],
        );
        if (lines.length > 0) yield lines;
        const last = items.at(-1);
        if (last && 'problem' in last) {
          const where = positionWords({ chain, segment, line: last.number });
          throw new TamperedError(`${where} is not as it was written: ${last.problem.text}`);
        }
      }
    }
  }
}

/** The parts of a body; or why nobody can read it. */
export type OpenedBody = { readonly texts: BodyTexts } | { readonly closed: Closed };

/** A body's key was overwritten, is not in the key folder, or does not open it; or what it holds is none. */
export type Closed = 'erased' | 'key-missing' | 'not-opened' | 'no-body';

/** Opens bodies with the keys of a key folder. */
export class BodyReader {
  readonly #keys: DataKeyReader;

  constructor(keysDir: string) {
    this.#keys = new DataKeyReader(keysDir);
  }

  async open(line: BodyEntry): Promise<OpenedBody> {
    return this.openNow(line) ?? openWith(line.key === undefined ? 'missing' : await this.#keys.read(line.key), line);
  }

  /** Undefined where its key has to be read first. */
  openNow(line: BodyEntry): OpenedBody | undefined {
    if (line.plain !== undefined) return textsOrNone(textsOfPlain(line.plain, line.kind));
    const key = this.#keys.known(line.key);
    return key && openWith(key, line);
  }
}

function openWith(key: FoundKey, line: BodyEntry): OpenedBody {
  if (key === 'erased') return { closed: 'erased' };
  if (key === 'missing' || line.sealed === undefined) return { closed: 'key-missing' };
  const text = decryptBody(line.sealed, key, line);
  return text === undefined ? { closed: 'not-opened' } : textsOrNone(splitTexts(text, line.kind));
}

function textsOrNone(texts: BodyTexts | undefined): OpenedBody {
  return texts ? { texts } : { closed: 'no-body' };
}
