/** Lines of a CSV file -> its records, each with its line; a row with a mistake in its quotes costs no other row. */

import { parse } from 'csv-parse/sync';
import type { TextLine } from './text-lines.ts';

/** A line and where in the file it ends, in bytes. */
export type PlacedLine = TextLine & { readonly end: number };

/** A record, or why it cannot be read; `line` is the first of its lines. */
export type CsvRecord = { readonly line: number; readonly end: number } & (
  | { readonly values: readonly string[] }
  | { readonly problem: string }
);

/** Excel separates by semicolons where the comma is the decimal sign. */
const DELIMITERS = [',', ';', '\t'] as const;

/** A value of more lines than this is a quote that was never closed. */
const MAX_RECORD_LINES = 100;

/** What separates the columns: of comma, semicolon and tab, the one that the header has most of. */
export function findDelimiter(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The values of one record (RFC 4180); undefined where its quotes do not match. */
export function splitRecord(text: string, delimiter: string): readonly string[] | undefined {
  const record = text.replace(/\r$/, '');
  if (!record.includes('"')) return record.split(delimiter);
  try {
    const records = parse(record, { delimiter, record_delimiter: ['\r\n', '\n'], relax_column_count: true });
    return records.length === 1 ? records[0] : undefined;
  } catch {
    // Its message may repeat a value.
    return undefined;
  }
}

/**
 * The records of the lines after the header; blank ones are left out. INVARIANT: each line belongs to one record at most,
 * and to none only if it is blank: where quotes do not match, the first line alone is the bad record, and reading begins anew behind it.
 */
export async function* readRecords(lines: AsyncIterator<PlacedLine>, delimiter: string): AsyncGenerator<CsvRecord> {
  const again: PlacedLine[] = [];
  const next = async (): Promise<PlacedLine | undefined> => {
    const line = again.shift();
    if (line) return line;
    const read = await lines.next();
    return read.done ? undefined : read.value;
  };
  for (let first = await next(); first !== undefined; first = await next()) {
    const { number: line, end } = first;
    if ('problem' in first) {
      yield { line, end, problem: first.problem };
      continue;
    }
    const joined: PlacedLine[] = [first];
    let text = first.text;
    let isOpen = hasOddQuotes(text);
    while (isOpen && joined.length < MAX_RECORD_LINES) {
      const more = await next();
      if (more === undefined) break;
      joined.push(more);
      if ('problem' in more) break;
      text += `\n${more.text}`;
      isOpen = isOpen !== hasOddQuotes(more.text);
    }
    const values = isOpen ? undefined : splitRecord(text, delimiter);
    if (values === undefined) {
      again.unshift(...joined.slice(1));
      yield { line, end, problem: isOpen ? 'a quotation mark is not closed' : 'its quotation marks do not match' };
    } else if (values.some((value) => value.trim() !== '')) yield { line, end: joined.at(-1)?.end ?? end, values };
  }
}

function hasOddQuotes(text: string): boolean {
  let isOdd = false;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}
