/** The bytes of a CSV or NDJSON file -> its rows, in bounded memory. */

import type { FactTable } from '../../facts/catalog.ts';
import {
  type CsvRecord,
  findDelimiter,
  problemOfHeader,
  readRecords,
  splitRecord,
  whyNotSplit,
  wrongLength,
} from '../../platform/files/csv.ts';
import { readAllLines } from '../../platform/files/text-lines.ts';
import { isObject, parseJson } from '../../platform/json.ts';
import { printable } from '../../text.ts';
import { CouldNotRunError } from '../io.ts';
import { type BadRow, type Field, findField, keyOf, type Row, readRow } from './applicant-row.ts';

export interface RowsSetting {
  readonly format: 'csv' | 'ndjson';
  /** The facts of the policy; rows may give those of `context`. */
  readonly facts: FactTable;
  /** Columns or keys to skip. */
  readonly ignore: readonly string[];
}

/** The rows in the order of the file. Throws `CouldNotRunError` if the header of a CSV file cannot be used. */
export function readRows(chunks: AsyncIterable<Buffer>, setting: RowsSetting): AsyncGenerator<Row | BadRow> {
  return setting.format === 'csv' ? readCsv(chunks, setting) : readNdjson(chunks, setting);
}

async function* readCsv(chunks: AsyncIterable<Buffer>, setting: RowsSetting): AsyncGenerator<Row | BadRow> {
  const lines = readAllLines(chunks);
  let header = await lines.next();
  while (!header.done && 'text' in header.value && header.value.text.trim() === '') header = await lines.next();
  if (header.done) return;
  const { number } = header.value;
  const wrong = (problem: string) => new CouldNotRunError(`line ${number}, the header: ${problem}`);
  if ('problem' in header.value) throw wrong(`${header.value.problem}; save the file as UTF-8`);
  const problem = problemOfHeader(header.value.text);
  if (problem !== undefined) throw wrong(problem);
  const delimiter = findDelimiter(header.value.text);
  const names = splitRecord(header.value.text, delimiter);
  if (names === undefined) throw wrong(whyNotSplit(header.value.text));
  const columns = readHeader(names, setting, wrong);
  for await (const record of readRecords(lines, delimiter)) {
    // Spreadsheets leave rows of empty cells below a table.
    const isBlank = 'values' in record && record.values.every((value) => value.trim() === '');
    if (!isBlank) yield readCsvRow(record, columns, setting.facts, delimiter);
  }
}

/** The field of each column; undefined for a column to skip. */
function readHeader(
  names: readonly string[],
  { facts, ignore }: RowsSetting,
  wrong: (problem: string) => Error,
): readonly (Field | undefined)[] {
  const seen = new Set<string>();
  const columns = names.map((name) => {
    if (ignore.includes(name.trim())) return undefined;
    // Spreadsheets add a separator to each line if a column beside the table was once used.
    if (name.trim() === '') return undefined;
    const field = findField(name, facts);
    if ('problem' in field) {
      if (field.isNoName) throw wrong('found values, expected the names of the columns in the first line');
      throw wrong(`${field.problem} (--ignore ${quoteForShell(name.trim())} skips the column)`);
    }
    if (seen.has(keyOf(field))) throw wrong(`two columns give ${keyOf(field)}`);
    seen.add(keyOf(field));
    return field;
  });
  if (!['phoneNo', 'email', 'ip'].some((key) => seen.has(key))) {
    throw wrong('no column is named phoneNo, email or ip; the first line must name the columns');
  }
  return columns;
}

function quoteForShell(name: string): string {
  const shown = printable(name.slice(0, 80));
  return /^[\w.-]+$/.test(shown) ? shown : `'${shown}'`;
}

function readCsvRow(
  record: CsvRecord,
  columns: readonly (Field | undefined)[],
  facts: FactTable,
  delimiter: string,
): Row | BadRow {
  const { line, end } = record;
  if ('problem' in record) return { line, end, problem: record.problem };
  const { values } = record;
  if (values.length < columns.length || values.slice(columns.length).some((value) => value.trim() !== '')) {
    return { line, end, problem: wrongLength(values, columns.length, delimiter) };
  }
  // A cell under a blank header has no meaning.
  const fields = columns.flatMap((field, i) => (field ? [[field, values[i]] as const] : []));
  return readRow(record, fields, facts, delimiter);
}

async function* readNdjson(chunks: AsyncIterable<Buffer>, setting: RowsSetting): AsyncGenerator<Row | BadRow> {
  for await (const line of readAllLines(chunks)) {
    const position = { line: line.number, end: line.end };
    if ('problem' in line) yield { ...position, problem: line.problem };
    else if (line.text.trim() !== '') yield readNdjsonRow(line.text, position, setting);
  }
}

function readNdjsonRow(
  text: string,
  position: { readonly line: number; readonly end: number },
  { facts, ignore }: RowsSetting,
): Row | BadRow {
  const parsed = parseJson(text);
  if (parsed.problem !== undefined) return { ...position, problem: `the text ${parsed.problem}` };
  if (!isObject(parsed.value)) return { ...position, problem: 'not a JSON object' };
  const fields: [Field, unknown][] = [];
  const seen = new Set<string>();
  for (const [name, value] of fieldsOf(parsed.value)) {
    if (ignore.includes(name)) continue;
    const field = value === NOT_AN_OBJECT ? { problem: `"${name}" is not an object` } : findField(name, facts);
    if ('problem' in field) return { ...position, problem: field.problem };
    if (seen.has(keyOf(field))) return { ...position, problem: `${keyOf(field)} is given twice` };
    seen.add(keyOf(field));
    fields.push([field, value]);
  }
  return readRow(position, fields, facts);
}

const NOT_AN_OBJECT = Symbol('not an object');

/** The keys of a line; those of `context` and `variables` with their full names. */
function fieldsOf(data: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(data).flatMap(([name, value]): [string, unknown][] => {
    if (name !== 'context' && name !== 'variables') return [[name, value]];
    if (value === null) return [];
    if (!isObject(value)) return [[name, NOT_AN_OBJECT]];
    const prefix = name === 'context' ? 'context' : 'variable';
    return Object.entries(value).map(([own, inner]) => [`${prefix}.${own}`, inner]);
  });
}
