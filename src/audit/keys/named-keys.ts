/** Segments of a chain, and how long they are -> the names of the data keys that their lines name, whatever else is wrong with them. */

import { join } from 'node:path';
import { splitLines } from '../../platform/lines.ts';
import { MAX_LINE_BYTES } from '../entry/entry.ts';
import { readPieces } from '../store/folder.ts';
import { SEGMENTS } from '../store/segment.ts';

const KEY = '"key":"';
/** Longer than any name that was given. */
const NAME_BYTES = 128;

/** A line's key, and whether the line has its end. */
export interface NamedKey {
  readonly name: string;
  readonly isEnded: boolean;
}

/** Of each line the first; of a record nothing that a caller chose stands before it. */
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
