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
  maxBytes?: number,
): AsyncGenerator<readonly RawLine[]> {
  const splitter = new LineSplitter(maxBytes);
  for await (const chunk of chunks) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last) yield [last];
}

/** Splits chunks as they arrive. */
export class LineSplitter {
  readonly #maxBytes: number;
  #number = 0;
  #start = 0;
  #kept: Buffer[] = [];
  #length = 0;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that end in a chunk. They share its memory. */
  push(chunk: Buffer): readonly RawLine[] {
    const lines: RawLine[] = [];
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, to));
      from = to + 1;
      lines.push(this.#take(true));
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  /** Returns a last line without a line break. */
  end(): RawLine | undefined {
    return this.#length > 0 ? this.#take(false) : undefined;
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length <= this.#maxBytes) this.#kept.push(bytes);
    else this.#kept = [];
  }

  #take(isEnded: boolean): RawLine {
    this.#number += 1;
    const [length, kept, start] = [this.#length, this.#kept, this.#start];
    const bytes = length > this.#maxBytes ? undefined : kept.length === 1 ? kept[0] : Buffer.concat(kept);
    const line = { number: this.#number, bytes, start, end: start + length + (isEnded ? 1 : 0), isEnded };
    this.#kept = [];
    this.#length = 0;
    this.#start = line.end;
    return line;
  }
}
