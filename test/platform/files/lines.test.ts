import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { splitChunks, splitLines } from '../../../src/platform/files/lines.ts';
import { readLines } from '../../../src/platform/files/text-lines.ts';

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

async function linesOf(texts: readonly string[], maxBytes?: number) {
  const lines = [];
  for await (const { number, bytes, start, end, isEnded } of splitLines(chunksOf(...texts), maxBytes)) {
    lines.push([number, bytes?.toString(), start, end, isEnded]);
  }
  return lines;
}

describe('the lines of a stream', () => {
  it('have their number and their position, wherever the chunks end', async () => {
    const expected = [
      [1, 'one', 0, 4, true],
      [2, '', 4, 5, true],
      [3, 'three', 5, 11, true],
    ];
    expect(await linesOf(['one\n\nthree\n'])).toEqual(expected);
    expect(await linesOf(['o', 'ne\n', '\nthr', '', 'ee', '\n'])).toEqual(expected);
  });

  it('are texts without a byte-order mark and blank lines, wherever the bytes are cut', async () => {
    const text = Buffer.from('\uFEFFé1\r\n\n2\n3');
    for (let cut = 0; cut < text.length; cut++) {
      const parts = [text.subarray(0, cut), text.subarray(cut)];
      const lines = await Array.fromAsync(readLines(Readable.from(parts)));
      expect(lines.map((line) => 'text' in line && line.text)).toEqual(['é1\r', '2', '3']);
    }
  });

  it('include a last line without a line break', async () => {
    expect(await linesOf(['one\ntw', 'o'])).toEqual([
      [1, 'one', 0, 4, true],
      [2, 'two', 4, 7, false],
    ]);
  });

  it('have no bytes if they are longer than the limit', async () => {
    expect(await linesOf(['123\n12', '34\n1', '23\n1234'], 3)).toEqual([
      [1, '123', 0, 4, true],
      [2, undefined, 4, 9, true],
      [3, '123', 9, 13, true],
      [4, undefined, 13, 17, false],
    ]);
  });

  it('come together if they end in the same chunk', async () => {
    const groups = [];
    for await (const lines of splitChunks(chunksOf('1\n2\n3', '\n4'))) groups.push(lines.map(({ number }) => number));
    expect(groups).toEqual([[1, 2], [3], [4]]);
  });

  it('of an empty stream are none', async () => {
    expect(await linesOf([])).toEqual([]);
    expect(await linesOf([''])).toEqual([]);
  });
});
