/** Segments of a chain and their lengths -> the data keys that their lines name, malformed lines included. */

import { join } from 'node:path';
import { splitLines } from '../../platform/lines.ts';
import { MAX_LINE_BYTES } from '../entry/entry.ts';
import { readPieces } from '../store/folder.ts';
import { SEGMENTS } from '../store/segment.ts';

const KEY = '"key":"';
/** Longer than the name of any key. */
const NAME_BYTES = 128;

/** The key that a line names, and whether the line is complete. */
export interface NamedKey {
  readonly name: string;
  readonly isEnded: boolean;
}

/** The first key of each line: in a record, no text chosen by a caller comes before it. */
export async function* keysNamedIn(
  path: string,
  segments: Iterable<readonly [number, number]>,
): AsyncGenerator<NamedKey> {
  for (const [segment, length] of segments) {
    for await (const { bytes, isEnded } of splitLines(
      readPieces(join(path, SEGMENTS.of(segment)), length),
      MAX_LINE_BYTES,
    )) {
      const from = (bytes?.indexOf(KEY) ?? -1) + KEY.length;
      if (!bytes || from < KEY.length) continue;
      const [name = ''] = bytes.toString('latin1', from, from + NAME_BYTES).split('"', 1);
      yield { name, isEnded };
    }
  }
}
