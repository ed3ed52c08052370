/** A Parquet or CSV file -> its rows as the table `file` of DuckDB; a CSV file -> its records. */

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { VerdictError } from '../../errors.ts';
import { type CsvRecord, findDelimiter, RecordSplitter, splitRecord, whyNotSplit } from '../../platform/files/csv.ts';
import { LineSplitter } from '../../platform/files/lines.ts';
import { decodeLine, MAX_TEXT_LINE_BYTES, type TextLine } from '../../platform/files/text-lines.ts';
import { count } from '../../text.ts';
import { DIALECTS } from '../sql/dialect.ts';
import type { DuckDb } from './duckdb.ts';
import { columnKey, type FileShape, fileError } from './fact-columns.ts';

/** The column of the view `file` with the line of a row, or its number in a file without lines. */
export const ROW = 'verdict:row';

/** An open file. */
export interface RowFile extends FileShape {
  /** What `ROW` numbers. */
  readonly unit: 'line' | 'row';
  /** The problems of rows read so far, by `ROW`; their cells are NULL. Remove those that are reported. */
  readonly problems: Map<number, string>;
  /** The number of rows in the file; undefined if not all were read. */
  count(): number | undefined;
  /** Throws CONFIGURATION_INVALID unless all rows of an unchanged file were read, and gave as many results. */
  checkCount(results: number): void;
  /** The error of the file if DuckDB fails. DuckDB's own message is not shown, since it may quote a row. */
  unreadable(): Error;
}

/** How to read a file. */
interface RowFileOptions {
  /** The number of bad rows after which reading fails. */
  readonly mostProblems?: number;
}

/** The rows of one kind of file. */
interface Rows {
  /** The names of its columns. */
  readonly names: readonly string[];
  /** The FROM clause of its rows, with `ROW`. */
  readonly from: string;
  readonly csv?: CsvRows;
  /** The number of rows in the file; undefined if not all were read. */
  count(): number | undefined;
}

type Opener = (db: DuckDb, file: string, options: Required<RowFileOptions>) => Promise<Rows>;

const { identifier, text: quoteText } = DIALECTS.duckdb;

/** The files that can be read, by the ending of the name. */
const OPENERS: Readonly<Record<string, Opener>> = { '.parquet': openParquet, '.csv': openCsvRows };

/** The ending of a file's name, in lower case. */
export function endingOf(file: string): string {
  return extname(file).toLowerCase();
}

/** Whether a file is a table by its name. */
export function isTableFile(file: string): boolean {
  return Object.hasOwn(OPENERS, endingOf(file));
}

/** The pattern that this file alone matches: DuckDB reads the name of a file as a pattern, or as an address. */
function asPattern(file: string): string {
  return resolve(file).replace(/[[*?]/g, '[$&]');
}

/**
 * Makes the file the view `file`. Throws CONFIGURATION_INVALID if it cannot be read, or if two columns have the same
 * name without regard to case.
 */
export async function openRowFile(
  db: DuckDb,
  file: string,
  { mostProblems = Number.POSITIVE_INFINITY }: RowFileOptions = {},
): Promise<RowFile> {
  const unreadable = () => fileError(`${file} cannot be read as ${endingOf(file).slice(1)}`);
  const orUnreadable = <Result>(reading: Promise<Result>) =>
    reading.catch((error: unknown) => {
      throw error instanceof VerdictError ? error : unreadable();
    });
  const stateAtFirst = stateOf(file);
  const rows = await orUnreadable((OPENERS[endingOf(file)] ?? openOther)(db, file, { mostProblems }));
  checkNames(file, rows.names);
  return {
    types: await orUnreadable(createView(db, rows.from)),
    isText: rows.csv !== undefined,
    unit: rows.csv ? 'line' : 'row',
    problems: rows.csv?.problems ?? new Map<number, string>(),
    count: rows.count,
    checkCount(results) {
      const expected = rows.count();
      if (stateOf(file) !== stateAtFirst) throw fileError(`${file} changed while it was read`);
      if (results === expected) return;
      throw fileError(`${file}: ${results} results for ${expected ?? 'an unknown number of'} rows`);
    },
    unreadable,
  };
}

/** A text that changes when a file is written or replaced; undefined if there is no such file. */
export function stateOf(file: string): string | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return [ino, size, mtimeNs].join();
  } catch {
    return undefined;
  }
}

/** Creates the view `file`, in place of that of another file; returns the types of its columns. */
async function createView({ connection }: DuckDb, from: string): Promise<ReadonlyMap<string, string>> {
  await connection.run(`CREATE OR REPLACE VIEW file AS SELECT * FROM ${from}`);
  const described = await connection.runAndReadAll('SELECT column_name, column_type FROM (DESCRIBE file)');
  const types = new Map(described.getRowsJS().map(([name, type]) => [columnKey(String(name)), String(type)]));
  types.delete(ROW);
  return types;
}

async function openCsvRows(db: DuckDb, file: string, { mostProblems }: Required<RowFileOptions>): Promise<Rows> {
  const source = openCsv(db, file);
  const csv = registerCsv(db, source, { name: 'verdict_csv', row: ROW, mostProblems });
  return { names: source.names, from: 'verdict_csv()', csv, count: csv.count };
}

async function openParquet({ connection }: DuckDb, file: string): Promise<Rows> {
  closeSync(openRegularFile(file));
  const pattern = quoteText(asPattern(file));
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJS();
  const names = topLevelNames(await read(`SELECT name, num_children FROM parquet_schema(${pattern})`));
  const [counted] = await read(`SELECT sum(num_rows) FROM parquet_file_metadata(${pattern})`);
  if (names.some((name) => columnKey(name) === ROW_NUMBER)) {
    throw fileError(`${file}: DuckDB reserves the name of the column ${ROW_NUMBER}`, 'rename it');
  }
  const row = `CAST(${ROW_NUMBER} + 1 AS DOUBLE) AS ${identifier(ROW)}`;
  const rows = `read_parquet(${pattern}, hive_partitioning = false, ${ROW_NUMBER} = true)`;
  const from = `(SELECT * EXCLUDE (${ROW_NUMBER}), ${row} FROM ${rows})`;
  return { names, from, count: () => Number(counted?.[0]) };
}

async function openOther(_: DuckDb, file: string): Promise<Rows> {
  throw fileError(`${file}: expected a .parquet or .csv file`);
}

/** An option of DuckDB's reader, and the column that it adds. */
const ROW_NUMBER = 'file_row_number';

/** The columns of a Parquet file. Its schema lists a root, then each column, followed by its parts if it has any. */
function topLevelNames([, ...nodes]: readonly (readonly unknown[])[]): readonly string[] {
  const names: string[] = [];
  let parts = 0;
  for (const [name, children] of nodes) {
    if (parts === 0) names.push(String(name));
    else parts -= 1;
    parts += Number(children ?? 0);
  }
  return names;
}

/** DuckDB takes time by the square of the number of columns: a minute for 50,000. */
const MOST_COLUMNS = 10_000;

/** Throws CONFIGURATION_INVALID for names of columns that cannot be told apart, or for too many. */
export function checkNames(file: string, names: readonly string[]): void {
  if (names.length > MOST_COLUMNS) {
    throw fileError(`${file} has ${names.length} columns; at most ${MOST_COLUMNS} are possible`);
  }
  const seen = new Map([[ROW, -1]]);
  for (const [i, name] of names.entries()) {
    const other = seen.get(name.toLowerCase());
    // The name is not shown: without a header, it would be a value.
    if (other === -1) throw fileError(`${file}: column ${i + 1} has a name that verdict reserves`);
    if (other !== undefined) throw fileError(`${file}: columns ${other + 1} and ${i + 1} have the same name`);
    seen.set(name.toLowerCase(), i);
  }
}

/** The rows of a CSV file. */
interface CsvRows {
  /** The problems of rows given so far, by line. Such a row has no cells. */
  readonly problems: Map<number, string>;
  /** The number of rows, once all were given. */
  count(): number | undefined;
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
function registerCsv(
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

/** Opens a file that is neither a folder nor a device or pipe; throws CONFIGURATION_INVALID otherwise. */
function openRegularFile(file: string): number {
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

/** Opens a file and adds it to `files`; throws CONFIGURATION_INVALID if it or its header cannot be read. */
export function openCsv({ files }: Pick<DuckDb, 'files'>, file: string): CsvSource {
  const opened = openRegularFile(file);
  files.add(opened);
  for (const line of readLines(opened)) {
    if ('text' in line && line.text.trim() === '') continue;
    return { opened, header: line.number, ...readHeader(file, line) };
  }
  throw fileError(`${file} is empty; expected the names of the columns in its first line`);
}

/** An open file. */
interface CsvSource {
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

/** The records below the header. */
export function* readRecords({ opened, header, names, delimiter }: CsvSource): Generator<CsvRecord> {
  const splitter = new RecordSplitter(delimiter, { keepsBlank: names.length === 1 });
  for (const line of readLines(opened)) if (line.number > header) yield* splitter.push(line);
  yield* splitter.end();
}

/** Why a record is not a row of the file; undefined for a row. */
export function problemOf(record: CsvRecord, columns: number): string | undefined {
  if ('problem' in record) return record.problem;
  const { length } = record.values;
  return length === columns ? undefined : `${count(length, 'value')}; the header has ${count(columns, 'column')}`;
}
