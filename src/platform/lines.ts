/** A stream of bytes -> its lines as bytes, numbered, each with its place, in bounded memory. */

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
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes?: number): AsyncGenerator<RawLine> {
  for await (const lines of splitChunks(chunks, maxBytes)) yield* lines;
}

/** The same, the lines that end in one chunk together: for who reads millions of them. */
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
