/** A stream of bytes -> its lines, numbered, in bounded memory. */

/** A longer line is passed over: no line of facts comes near it. */
const MAX_LINE_BYTES = 1024 * 1024;

/** A line, or why it cannot be read. */
export type Line = { readonly number: number } & ({ readonly text: string } | { readonly problem: string });

/** A line as it stands in its file. */
export interface RawLine {
  readonly number: number;
  /** Without the line break; undefined where they were too many to be kept. */
  readonly bytes: Buffer | undefined;
  /** Where it begins, and where the next one does, in bytes from the beginning of the stream. */
  readonly start: number;
  readonly end: number;
  /** False for a last line without a line break. */
  readonly isEnded: boolean;
}

const NEWLINE = 0x0a;

/** All lines, blank ones too; what follows the last line break is a line if there is anything. */
export async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<RawLine> {
  let number = 0;
  let start = 0;
  let kept: Buffer[] = [];
  let length = 0;
  const keep = (bytes: Buffer) => {
    length += bytes.length;
    if (length <= maxBytes) kept.push(bytes);
    else kept = [];
  };
  const take = (isEnded: boolean): RawLine => {
    number += 1;
    const bytes = length > maxBytes ? undefined : kept.length === 1 ? kept[0] : Buffer.concat(kept);
    const line = { number, bytes, start, end: start + length + (isEnded ? 1 : 0), isEnded };
    [kept, length, start] = [[], 0, line.end];
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, to));
      from = to + 1;
      yield take(true);
    }
    keep(chunk.subarray(from));
  }
  if (length > 0) yield take(false);
}

/** The lines of a UTF-8 stream that are not blank; a byte-order mark at its beginning is left out. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  for await (const raw of splitLines(chunks, MAX_LINE_BYTES)) {
    const line = decodeLine(raw);
    if (!('text' in line && line.text.trim() === '')) yield line;
  }
}

/** The text of a line, or why it has none. */
function decodeLine({ number, bytes }: RawLine): Line {
  if (bytes === undefined) return { number, problem: 'longer than 1 MiB' };
  try {
    // Not replaced by U+FFFD: a decision must not rest on a text that nobody wrote.
    return { number, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: number > 1 }).decode(bytes) };
  } catch {
    return { number, problem: 'not UTF-8' };
  }
}

/** The lines of a UTF-8 stream, blank ones too, none longer than 1 MiB. */
export async function* readAllLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line & { readonly end: number }> {
  for await (const raw of splitLines(chunks, MAX_LINE_BYTES)) yield { ...decodeLine(raw), end: raw.end };
}
