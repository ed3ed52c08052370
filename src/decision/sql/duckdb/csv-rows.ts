/** A CSV file -> a table function of DuckDB that gives its rows: our own reader, so that nothing is guessed. */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import {
  type CsvRecord,
  findDelimiter,
  RecordSplitter,
  splitRecord,
  whyNotSplit,
} from '../../../platform/files/csv.ts';
import { LineSplitter } from '../../../platform/lines.ts';
import { decodeLine, MAX_TEXT_LINE_BYTES, type TextLine } from '../../../platform/text-lines.ts';
import { count } from '../../../text.ts';
import type { DuckDb } from './duckdb.ts';
import { fileError } from './file-column.ts';

/** The rows of a CSV file. */
export interface CsvRows {
  /** The problems of rows given so far, by line. Such a row has no cells. */
  readonly problems: Map<number, string>;
  /** The number of rows, once all were given. */
  count(): number | undefined;
}

/** Opens a file that is neither a folder nor a device or pipe; throws CONFIGURATION_INVALID otherwise. */
export function openRegularFile(file: string): number {
  let opened: number;
  try {
    // Without waiting for the other end of a pipe.
    opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw fileError(code === 'ENOENT' ? `${file}: no such file` : `${file} cannot be read (${code})`);
  }
  const stats = fstatSync(opened);
  if (stats.isFile()) return opened;
  closeSync(opened);
  throw fileError(`${file} is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}; expected a file`);
}

/** Opens a file; throws CONFIGURATION_INVALID if it or its header cannot be read. */
export function openCsv({ files }: DuckDb, file: string): CsvSource {
  const opened = openRegularFile(file);
  files.add(opened);
  for (const line of readLines(opened)) {
    if ('text' in line && line.text.trim() === '') continue;
    return { opened, header: line.number, ...readHeader(file, line) };
  }
  throw fileError(`${file} is empty; expected the names of the columns in its first line`);
}

/** An open file. */
export interface CsvSource {
  readonly opened: number;
  /** The line of the header. */
  readonly header: number;
  readonly names: readonly string[];
  readonly delimiter: string;
}

function readHeader(file: string, line: TextLine): Pick<CsvSource, 'names' | 'delimiter'> {
  // A name is not shown: without a header, it would be a value.
  const wrong = (problem: string) => fileError(`${file}, line ${line.number}, the header: ${problem}`);
  if ('problem' in line) throw wrong(`${line.problem}; save the file as UTF-8`);
  if (line.text.includes('\0')) throw wrong('it contains U+0000; save the file as UTF-8');
  const delimiter = findDelimiter(line.text);
  const names = splitRecord(line.text, delimiter)?.map((name) => name.trim());
  if (!names) throw wrong(whyNotSplit(line.text));
  const unnamed = names.indexOf('');
  if (unnamed >= 0) throw wrong(`column ${unnamed + 1} has no name`);
  return { names, delimiter };
}

const CHUNK_BYTES = 256 * 1024;

/** The lines of a file from its beginning. Synchronous, because a table function is. */
function* readLines(opened: number): Generator<TextLine> {
  const splitter = new LineSplitter(MAX_TEXT_LINE_BYTES);
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const bytes = readSync(opened, chunk, 0, CHUNK_BYTES, at);
    if (bytes === 0) break;
    at += bytes;
    for (const line of splitter.push(chunk.subarray(0, bytes))) yield decodeLine(line);
  }
  const last = splitter.end();
  if (last) yield decodeLine(last);
}

function* readRecords({ opened, header, names, delimiter }: CsvSource): Generator<CsvRecord> {
  const splitter = new RecordSplitter(delimiter, { keepsBlank: names.length === 1 });
  for (const line of readLines(opened)) if (line.number > header) yield* splitter.push(line);
  yield* splitter.end();
}

/** The rows that DuckDB takes at once. */
const VECTOR_ROWS = 2048;

/** What a scan of the file needs. */
interface Scan {
  readonly records: Generator<CsvRecord>;
  /** The indexes of the columns that the query reads. */
  readonly columns: readonly number[];
  rows: number;
}

/**
 * Registers the table function `name`: a VARCHAR column for each column of the file, NULL for an empty cell, and the
 * column `row`, the line of each row. A scan fails once it finds more than `mostProblems` bad rows.
 */
export function registerCsv(
  { connection, package: { DuckDBTableFunction, DOUBLE, VARCHAR } }: DuckDb,
  source: CsvSource,
  { name, row, mostProblems }: { readonly name: string; readonly row: string; readonly mostProblems: number },
): CsvRows {
  const { names } = source;
  const problems = new Map<number, string>();
  let rows: number | undefined;
  const next = (scan: Scan): CsvRecord | undefined => {
    const { value: record, done } = scan.records.next();
    if (done) {
      rows = scan.rows;
      return undefined;
    }
    scan.rows += 1;
    const problem = problemOf(record, names.length);
    if (problem === undefined) return record;
    problems.set(record.line, problem);
    if (problems.size > mostProblems) throw new RangeError('too many bad rows');
    return { line: record.line, end: record.end, values: [] };
  };
  const reading = DuckDBTableFunction.create({
    name,
    supportsProjectionPushdown: true,
    bindFunction: (info) => {
      for (const each of names) info.addResultColumn(each, VARCHAR);
      info.addResultColumn(row, DOUBLE);
    },
    initFunction: (info) => {
      info.setMaxThreads(1);
      const scan: Scan = { records: readRecords(source), columns: info.getColumnIndexes(), rows: 0 };
      info.setInitData(scan);
    },
    mainFunction: (info, output) => {
      const scan = info.getInitData() as Scan;
      const columns = scan.columns.map((): (string | number | null)[] => []);
      let size = 0;
      for (let record = next(scan); record; record = size < VECTOR_ROWS ? next(scan) : undefined) {
        size += 1;
        const values = 'values' in record ? record.values : [];
        for (const [i, column] of scan.columns.entries()) {
          columns[i]?.push(column < names.length ? values[column] || null : record.line);
        }
      }
      output.rowCount = size;
      for (const [i, cells] of columns.entries()) output.setColumnValues(i, cells);
    },
  });
  connection.registerTableFunction(reading);
  return { problems, count: () => rows };
}

function problemOf(record: CsvRecord, columns: number): string | undefined {
  if ('problem' in record) return record.problem;
  const { length } = record.values;
  return length === columns ? undefined : `${count(length, 'value')}; the header has ${count(columns, 'column')}`;
}
