/** Lines of a CSV file (RFC 4180) -> its records; a record with wrong quotes does not affect the others. */

import { count } from '../../text.ts';
import { amountsMeant } from './numeral.ts';

/** A line, or why it cannot be read; `end` is where the next line begins. Unlike streams, this does not need Node. */
type CsvLine = { readonly number: number; readonly end: number } & (
  | { readonly text: string }
  | { readonly problem: string }
);

/** A record, or its problem; `line` is the first line of the record. */
export type CsvRecord = { readonly line: number; readonly end: number } & (
  | { readonly values: readonly string[] }
  | { readonly problem: string }
);

/** What separates columns. Excel takes semicolons in countries whose decimal sign is the comma. */
export const DELIMITER_NAMES: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab' };
const DELIMITERS = Object.keys(DELIMITER_NAMES);

/** A value with more lines than this has an unclosed quote. */
const MAX_RECORD_LINES = 100;

/** What is wrong with a first line that tells Excel the delimiter, or has another one; undefined for a header. */
export function problemOfHeader(line: string): string | undefined {
  if (/^\ufeff?"?sep=/i.test(line)) return 'found `sep=`, which Excel alone reads; remove the line';
  const isOther = /\S\|\S|\S \| \S/.test(line) && !DELIMITERS.some((delimiter) => line.includes(delimiter));
  return isOther ? 'found bars between the columns; separate them by commas, semicolons or tabs' : undefined;
}

/** The delimiter: comma, semicolon or tab, whichever the header has most of. */
export function findDelimiter(header: string): string {
  const bare = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Whether another delimiter separates a row into as many values as the header has. */
export function isSeparatedOtherwise(row: string, delimiter: string, columns: number): boolean {
  return DELIMITERS.some((each) => each !== delimiter && splitRecord(row, each)?.length === columns);
}

/** What to say of a row that has more or fewer values than the header. */
export function wrongLength(values: readonly string[], columns: number, delimiter: string): string {
  const isOtherwise = isSeparatedOtherwise(values.join(delimiter), delimiter, columns);
  const how = isOtherwise ? `, separated by ${DELIMITER_NAMES[delimiter]}s: do so here` : '';
  return `${count(values.length, 'value')}; the header has ${count(columns, 'column')}${how}`;
}

/** What to say of a number whose only sign may separate thousands or decimals, without repeating it. */
export const AMBIGUOUS_NUMBER =
  'its only point or comma may separate thousands or decimals; write it like 1234, or like 1.2340';

/**
 * The number of a cell with a decimal point: where semicolons separate, the comma is the decimal sign. Undefined if its
 * sign may separate thousands as well.
 */
export function withDecimalPoint(cell: string, delimiter: string): string | undefined {
  if (delimiter !== ';' || !/^[+-]?\d[\d.,]*$/.test(cell)) return cell;
  const [one, other] = amountsMeant(cell);
  if (other !== undefined) return undefined;
  return one !== undefined && cell.includes(',') ? String(one) : cell;
}

/** The pattern of a value, with or without quotes, and the delimiter or end after it; for each delimiter. */
const VALUES = Object.fromEntries(
  DELIMITERS.map((delimiter) => [
    delimiter,
    new RegExp(String.raw`(?:"([^"]*(?:""[^"]*)*)"|([^"\r${delimiter}]*))(${delimiter}|$)`, 'y'),
  ]),
);

/** A value of a record, and its position including quotes: offsets in UTF-16 code units, `end` exclusive. */
export interface CsvValue {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The values of one record; undefined if its quotes do not match, or if a value without quotes has a line break. */
export function splitRecord(text: string, delimiter: string): readonly string[] | undefined {
  const record = text.endsWith('\r') ? text.slice(0, -1) : text;
  if (!record.includes('"') && !record.includes('\r')) return record.split(delimiter);
  return locateValues(record, delimiter)?.map((value) => value.text);
}

/** The values of one record, without the carriage return at its end, with their offsets in it. */
function locateValues(record: string, delimiter: string): readonly CsvValue[] | undefined {
  const pattern = VALUES[delimiter];
  const values: CsvValue[] = [];
  if (pattern) pattern.lastIndex = 0;
  for (let start = 0; ; start = pattern?.lastIndex ?? 0) {
    const [all, quoted, bare = '', after] = pattern?.exec(record) ?? [];
    if (all === undefined || after === undefined) return undefined;
    const text = quoted?.replaceAll('""', '"') ?? bare;
    values.push({ text, start, end: start + all.length - after.length });
    if (after === '') return values;
  }
}

/** Why `splitRecord` returns undefined. */
export function whyNotSplit(text: string): string {
  return text.includes('"') ? 'its quotation marks do not match' : 'a carriage return without a line feed';
}

/** The records of the lines after the header, except blank lines. */
export async function* readRecords(lines: AsyncIterable<CsvLine>, delimiter: string): AsyncGenerator<CsvRecord> {
  const records = new RecordSplitter(delimiter);
  for await (const line of lines) yield* records.push(line);
  yield* records.end();
}

/** A record of a text, or its problem, from `start` to `end`. */
export type LocatedRecord = { readonly start: number; readonly end: number } & (
  | { readonly values: readonly CsvValue[] }
  | { readonly problem: string }
);

/** The records of a text, its header first, except blank lines; with the offsets of their values. */
export function* locateRecords(text: string, delimiter: string): Generator<LocatedRecord> {
  const records = new RecordSplitter(delimiter);
  const starts: number[] = [];
  const locate = (record: CsvRecord): LocatedRecord => {
    const start = starts[record.line - 1] ?? 0;
    const written = text.slice(start, record.end).replace(/\r?\n?$/, '');
    const end = start + written.length;
    if ('problem' in record) return { start, end, problem: record.problem };
    const values = locateValues(written, delimiter) ?? [];
    return {
      start,
      end,
      values: values.map((value) => ({ ...value, start: start + value.start, end: start + value.end })),
    };
  };
  for (let start = 0; start < text.length; ) {
    starts.push(start);
    const newline = text.indexOf('\n', start);
    const stop = newline < 0 ? text.length : newline;
    const end = newline < 0 ? text.length : newline + 1;
    for (const record of records.push({ number: starts.length, end, text: text.slice(start, stop) }))
      yield locate(record);
    start = end;
  }
  for (const record of records.end()) yield locate(record);
}

/**
 * Joins lines to records as they come. INVARIANT: each line that is not blank belongs to exactly one record: if quotes
 * do not match, the first line alone is a bad record, and reading resumes with the next.
 */
export class RecordSplitter {
  readonly #delimiter: string;
  readonly #keepsBlank: boolean;
  /** The lines of a record whose last quote is still open. */
  #open: CsvLine[] = [];

  /** `keepsBlank`: a blank line is a record too, as in a file of one column. */
  constructor(delimiter: string, { keepsBlank = false }: { readonly keepsBlank?: boolean } = {}) {
    this.#delimiter = delimiter;
    this.#keepsBlank = keepsBlank;
  }

  /** Returns the records that a line completes. */
  push(line: CsvLine): readonly CsvRecord[] {
    const wasOpen = this.#open.length > 0;
    if ('problem' in line) {
      const { number, end, problem } = line;
      return wasOpen ? this.#giveUp([...this.#open, line], NOT_CLOSED) : [{ line: number, end, problem }];
    }
    const isOpen = wasOpen !== hasOddQuotes(line.text);
    if (!wasOpen && !isOpen) return this.#read([line], line.text);
    this.#open.push(line);
    if (!isOpen) return this.#read(this.#open, this.#open.map(textOf).join('\n'));
    return this.#open.length < MAX_RECORD_LINES ? [] : this.#giveUp(this.#open, NOT_CLOSED);
  }

  /** Returns the records of the lines that remain after an unclosed quote. */
  end(): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    while (this.#open.length > 0) records.push(...this.#giveUp(this.#open, NOT_CLOSED));
    return records;
  }

  #read(lines: readonly CsvLine[], text: string): readonly CsvRecord[] {
    if (text.includes('\0')) return this.#giveUp(lines, 'it contains U+0000; save the file as UTF-8');
    const values = splitRecord(text, this.#delimiter);
    if (values === undefined) return this.#giveUp(lines, whyNotSplit(text));
    this.#open = [];
    if (!this.#keepsBlank && values.length === 1 && text.trim() === '') return [];
    const [first, last] = [lines[0], lines.at(-1)];
    return first && last ? [{ line: first.number, end: last.end, values }] : [];
  }

  /** The first line alone is a bad record; the others are read again. */
  #giveUp([first, ...others]: readonly CsvLine[], problem: string): readonly CsvRecord[] {
    this.#open = [];
    const bad = first ? [{ line: first.number, end: first.end, problem }] : [];
    return [...bad, ...others.flatMap((line) => this.push(line))];
  }
}

const NOT_CLOSED = 'a quotation mark is not closed';

function textOf(line: CsvLine): string {
  return 'text' in line ? line.text : '';
}

function hasOddQuotes(text: string): boolean {
  return text.includes('"') && text.split('"').length % 2 === 0;
}
