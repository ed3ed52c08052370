/** A stream of bytes -> its lines, numbered, in bounded memory. */

/** A longer line is passed over: no line of facts comes near it. */
const MAX_LINE_BYTES = 1024 * 1024;

/** A line, or why it cannot be read. */
export type Line = { readonly number: number } & ({ readonly text: string } | { readonly problem: string });

const NEWLINE = 0x0a;

/** The lines of a UTF-8 stream that are not blank; a byte-order mark at its beginning is left out. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let number = 0;
  let kept: Buffer[] = [];
  let keptBytes = 0;
  const keep = (bytes: Buffer) => {
    keptBytes += bytes.length;
    if (keptBytes <= MAX_LINE_BYTES) kept.push(bytes);
    else kept = [];
  };
  const take = (): Line => {
    number += 1;
    const line = keptBytes > MAX_LINE_BYTES ? { problem: 'longer than 1 MiB' } : decode(Buffer.concat(kept), number);
    [kept, keptBytes] = [[], 0];
    return { number, ...line };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (!isBlank(line)) yield line;
    }
    keep(chunk.subarray(start));
  }
  const last = take();
  if (!isBlank(last)) yield last;
}

function decode(bytes: Buffer, number: number): { readonly text: string } | { readonly problem: string } {
  try {
    // Not replaced by U+FFFD: a decision must not rest on a text that nobody wrote.
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: number > 1 }).decode(bytes) };
  } catch {
    return { problem: 'not UTF-8' };
  }
}

function isBlank(line: Line): boolean {
  return 'text' in line && line.text.trim() === '';
}
