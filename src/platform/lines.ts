/** A stream of bytes -> its lines as bytes, numbered, each with its position, in bounded memory. */

/** A line of a stream. */
export interface RawLine {
  /** Counted from 1. */
  readonly number: number;
  /** Without the line break; undefined if the line is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** Where the line begins, in bytes from the beginning of the stream. */
  readonly start: number;
  /** Where the next line begins. */
  readonly end: number;
  /** False for a last line without a line break. */
  readonly isEnded: boolean;
}

const NEWLINE = 0x0a;

/** All lines, including blank ones. Bytes after the last line break are a line of their own. */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes?: number): AsyncGenerator<RawLine> {
  for await (const lines of splitChunks(chunks, maxBytes)) yield* lines;
}

/** The same lines, but all lines that end in one chunk together: faster for millions of lines. */
export async function* splitChunks(
  chunks: AsyncIterable<Buffer>,
  maxBytes = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly RawLine[]> {
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
    const lines: RawLine[] = [];
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, to));
      from = to + 1;
      lines.push(take(true));
    }
    keep(chunk.subarray(from));
    if (lines.length > 0) yield lines;
  }
  if (length > 0) yield [take(false)];
}
