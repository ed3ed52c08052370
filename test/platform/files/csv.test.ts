import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateRecords, readRecords } from '../../../src/platform/files/csv.ts';
import { readAllLines } from '../../../src/platform/files/text-lines.ts';
import { sampled } from '../../support/sampled.ts';

/** The records of a file, in chunks that cut the text everywhere. */
async function read(text: string | Buffer, delimiter = ',') {
  async function* chunks() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5);
  }
  return Array.fromAsync(readRecords(readAllLines(chunks()), delimiter));
}

/** The rows as another reader of RFC 4180 gives them; undefined if it refuses the file. */
function readWithCsvParse(text: string, delimiter: string): readonly (readonly string[])[] | undefined {
  try {
    return parse(text, { delimiter, record_delimiter: ['\r\n', '\n'], relax_column_count: true, bom: true });
  } catch {
    return undefined;
  }
}

const isBlank = (values: readonly string[]) => values.length === 1 && values[0]?.trim() === '';

const DELIMITER = fc.constantFrom(',', ';', '\t');
const TEXT = fc.string({ unit: fc.constantFrom('a', '#', '"', ',', ';', '\t', '\n', '\r', ' ', 'é', "'", '\\') });
const CELL = fc.oneof(fc.constantFrom('', 'a', '#b', '7'), TEXT);
const NEWLINE = fc.constantFrom('\n', '\r\n');

describe('the records of a CSV file', () => {
  it('are those that another reader of RFC 4180 finds, or a problem', async () => {
    let whole = 0;
    const property = fc.asyncProperty(
      fc.array(fc.array(fc.tuple(CELL, fc.boolean()), { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
      DELIMITER,
      NEWLINE,
      async (rows, delimiter, newline) => {
        const write = ([cell, isQuoted]: readonly [string, boolean]) =>
          isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell;
        const text = rows.map((row) => row.map(write).join(delimiter) + newline).join('');
        const records = await read(text, delimiter);
        const found = records.flatMap((record) => ('values' in record ? [record.values] : []));
        const isWhole = found.length === records.length;
        if (isWhole) whole += 1;
        const withCells = (row: readonly string[]) => !isBlank(row);
        const expected = readWithCsvParse(text, delimiter)?.filter(withCells);
        if (isWhole) expect(found.filter(withCells)).toEqual(expected);
      },
    );
    const numRuns = sampled(170, 40_000);
    await fc.assert(property, { numRuns });
    expect(whole).toBeGreaterThan(numRuns / 10);
  });

  it('are the same in a whole text, with the place of each cell in it', async () => {
    const text = fc.array(TEXT, { maxLength: 6 }).map((parts) => parts.join(','));
    const property = fc.asyncProperty(text, async (file) => {
      const located = [...locateRecords(file, ',')];
      const records = await read(file);
      expect(
        located.map((record) => ('values' in record ? record.values.map((value) => value.text) : record.problem)),
      ).toEqual(records.map((record) => ('values' in record ? record.values : record.problem)));
      for (const record of located) {
        for (const { text, start, end } of 'values' in record ? record.values : []) {
          const written = file.slice(start, end);
          expect(written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written).toBe(text);
        }
      }
    });
    await fc.assert(property, { numRuns: sampled(100, 40_000) });
  });

  it('keep every cell that is in quotes, and every one that needs none', async () => {
    const table = fc.array(fc.array(CELL, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    const property = fc.asyncProperty(table, DELIMITER, NEWLINE, async (rows, delimiter, newline) => {
      const write = (cell: string) => (/^[a#7]*$/.test(cell) ? cell : `"${cell.replaceAll('"', '""')}"`);
      const text = rows.map((row) => row.map(write).join(delimiter) + newline).join('');
      expect((await read(text, delimiter)).map((record) => 'values' in record && record.values)).toEqual(rows);
    });
    await fc.assert(property, { numRuns: sampled(100, 50_000) });
  });

  it.each([
    ['NUL', 'a,b\0\nc,d\n', [{ line: 1, problem: 'it contains U+0000; save the file as UTF-8' }, { line: 2 }]],
    ['a bare carriage return', 'a,b\rc,d\ne,f\n', [{ line: 1, problem: 'a carriage return without a line feed' }, {}]],
    ['text behind quotes', 'a,"b"c\nd,e\n', [{ line: 1, problem: 'its quotation marks do not match' }, { line: 2 }]],
    ['a remark', '# one\n#a,b\n', [{ values: ['# one'] }, { values: ['#a', 'b'] }]],
    ['blanks around quotes', 'a, "b"\n', [{ line: 1, problem: 'its quotation marks do not match' }]],
  ])('may be bad or odd without an effect on the next: %s', async (_, text, expected) => {
    expect(await read(text)).toMatchObject(expected);
  });

  it('are bad line by line in another encoding', async () => {
    const latin1 = Buffer.from('a,b\né,c\n\nd,e\n', 'latin1');
    expect(await read(latin1)).toMatchObject([{ line: 1 }, { line: 2, problem: 'not UTF-8' }, { line: 4 }]);
  });
});
