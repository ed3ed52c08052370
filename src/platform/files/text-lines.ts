/** A stream of bytes -> its numbered lines of text, in bounded memory. */

import { isAscii } from 'node:buffer';
import { type RawLine, splitLines } from './lines.ts';

/** A longer line is dropped: lines of facts are far shorter. */
export const MAX_TEXT_LINE_BYTES = 1024 * 1024;

/** A line, or why it cannot be read; `end` is where the next line begins, in bytes. */
export type TextLine = Pick<RawLine, 'number' | 'end'> & ({ readonly text: string } | { readonly problem: string });

/** The lines of a UTF-8 stream without a byte-order mark, including blank ones. */
export async function* readAllLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine> {
  for await (const raw of splitLines(chunks, MAX_TEXT_LINE_BYTES)) yield decodeLine(raw);
}

/** The same lines without blank ones. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine> {
  for await (const line of readAllLines(chunks)) if (!('text' in line && line.text.trim() === '')) yield line;
}

// Fatal: a decision must not depend on a replacement character that is not in the text.
const FIRST_LINE = new TextDecoder('utf-8', { fatal: true });
const OTHER_LINE = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a line, in UTF-8. Only the first line of a stream may begin with a byte-order mark. */
export function decodeLine({ number, end, bytes }: RawLine): TextLine {
  if (bytes === undefined) return { number, end, problem: 'longer than 1 MiB' };
  if (isAscii(bytes)) return { number, end, text: bytes.toString('latin1') };
  try {
    return { number, end, text: (number === 1 ? FIRST_LINE : OTHER_LINE).decode(bytes) };
  } catch {
    return { number, end, problem: 'not UTF-8' };
  }
}
