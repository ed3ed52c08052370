/** A log's folder -> its entries in order; and with the keys, the contents of their bodies. */

import { join } from 'node:path';
import { type BodyTexts, splitTexts, textsOfPlain } from '../entry/body.ts';
import type { BodyEntry, Entry } from '../entry/entry.ts';
import { DataKeyReader, type FoundKey } from '../keys/data-keys.ts';
import { decryptBody } from '../keys/encrypt.ts';
import { listChainFolder, listChains } from '../store/chain-folder.ts';
import { readPieces } from '../store/folder.ts';
import { readSegmentFast, SEGMENTS } from '../store/segment.ts';
import { positionWords, TamperedError } from '../tampered-error.ts';

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
export async function* readEntries(dir: string, log: string): AsyncGenerator<readonly LocatedEntry[]> {
  for (const chain of await listChains(dir)) {
    const { path, segments } = await listChainFolder(join(dir, 'chains', chain));
    for (const [segment, length] of segments) {
      const expected = { log, chain, segment, before: undefined };
      for await (const items of readSegmentFast(readPieces(join(path, SEGMENTS.of(segment)), length), expected)) {
        const entries = items.flatMap((item) =>
          'line' in item ? [{ entry: item.line, segment, line: item.number }] : [],
        );
        if (entries.length > 0) yield entries;
        const last = items.at(-1);
        if (last && 'problem' in last) {
          const where = positionWords({ chain, segment, line: last.number });
          throw new TamperedError(`${where} is not as it was written: ${last.problem.text}`);
        }
      }
    }
  }
}

/** The texts of a body, or why nobody can read it. */
export type OpenedBody = { readonly texts: BodyTexts } | { readonly closed: ClosedReason };

/** The key was overwritten, is not in the key folder, or does not open the body; or the body is malformed. */
export type ClosedReason = 'erased' | 'key-missing' | 'not-opened' | 'no-body';

/** Opens bodies with the keys of a key folder. */
export class BodyReader {
  readonly #keys: DataKeyReader;

  constructor(keysDir: string) {
    this.#keys = new DataKeyReader(keysDir);
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
