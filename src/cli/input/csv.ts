/** Lines of a CSV file -> its records; a record with wrong quotes does not affect the others. */

import { parse } from 'csv-parse/sync';
import type { TextLine } from './text-lines.ts';

/** A record, or its problem; `line` is the first line of the record. */
export type CsvRecord = { readonly line: number; readonly end: number } & (
  | { readonly values: readonly string[] }
  | { readonly problem: string }
);

/** Excel separates by semicolons where the comma is the decimal sign. */
const DELIMITERS = [',', ';', '\t'] as const;

/** A value with more lines than this has an unclosed quote. */
const MAX_RECORD_LINES = 100;

/** The delimiter: comma, semicolon or tab, whichever the header has most of. */
export function findDelimiter(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The values of one record (RFC 4180); undefined if its quotes do not match. */
export function splitRecord(text: string, delimiter: string): readonly string[] | undefined {
  const record = text.replace(/\r$/, '');
  if (!record.includes('"')) return record.split(delimiter);
  try {
    const records = parse(record, { delimiter, record_delimiter: ['\r\n', '\n'], relax_column_count: true });
    return records.length === 1 ? records[0] : undefined;
  } catch {
    // The message may repeat a value.
    return undefined;
  }
}

/**
 * The records of the lines after the header, without blank ones. INVARIANT: each line that is not blank belongs to
 * exactly one record: if quotes do not match, the first line alone is a bad record, and reading resumes with the next.
 */
export async function* readRecords(lines: AsyncIterator<TextLine>, delimiter: string): AsyncGenerator<CsvRecord> {
  const again: TextLine[] = [];
  const next = async (): Promise<TextLine | undefined> => {
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
    const joined: TextLine[] = [first];
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
  return text.split('"').length % 2 === 0;
}
