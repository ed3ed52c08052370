/** A Parquet file -> its rows as columns of facts, a few thousand at a time, or as facts, one row after the other. */

import type { DuckDBDataChunk, DuckDBVector } from '@duckdb/node-api';
import type { FactTable } from '../../facts/catalog.ts';
import { dayOfNumber, UTC } from '../../facts/day.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { type Column, type Columns, type Days, factAt, type NumberColumn } from '../matcher/columns.ts';
import { DIALECTS } from '../sql/dialect.ts';
import type { PresentColumns } from '../sql/table-columns.ts';
import type { ColumnGaps } from './column-gaps.ts';
import type { DuckDb } from './duckdb.ts';
import {
  BAD_DAY,
  checkColumn,
  columnKey,
  DECIDED,
  type DecidedColumns,
  decidedBy,
  type FactReader,
  type FactsOptions,
  type FileShape,
  findColumns,
  type Numbered,
  readBy,
} from './fact-columns.ts';
import { openParquetFile, type ParquetFile } from './parquet-file.ts';
import type { RowCounts } from './row-counts.ts';
import { ROW } from './table-file.ts';

/** Rows that follow each other in the file, until the next ones are asked for: their memory is used again. */
export interface FileChunk extends Columns {
  /** The number of a row in the file, from 1. */
  numberAt(row: number): number;
  referenceAt(row: number): string | undefined;
  readonly days: Days;
  /** When a row was decided, in milliseconds since 1970. */
  timeAt(row: number): number | undefined;
  /** What the row says of the decision that was made on it. */
  decidedAt(row: number): Pick<FactsLine, 'decided'>;
  /** Why a row has no answer; its facts then mean nothing. */
  problemAt(row: number): string | undefined;
}

/** An open file. */
export interface ParquetRows extends ColumnGaps {
  /** Reads the rows, in their order. Throws CONFIGURATION_INVALID if the file changed meanwhile. */
  chunks(): AsyncGenerator<FileChunk>;
  /** The same rows, one after the other. */
  rows(): AsyncGenerator<Numbered<FactsLine>>;
}

/**
 * Opens a file. Its rows have the facts that are read, by default all; derived facts have columns of their own, as for
 * SQL. Throws CONFIGURATION_INVALID if the file or its columns cannot be used.
 */
export async function openParquetRows(
  reader: FactReader,
  db: DuckDb,
  { file, at, columns: map = {}, counts, holdout }: FactsOptions,
): Promise<ParquetRows> {
  const shape = await openParquetFile(db, file);
  const { present, counted, absent, unread, decided } = findColumns(reader, map, shape, counts, holdout);
  const select = [`CAST(${ROW_NUMBER} AS DOUBLE)`, daysOf(dayOf(shape, at, reader.timeZone)), timeIn(shape)];
  const reference = shape.types.has('client_reference') ? 'client_reference' : undefined;
  for (const name of [reference, ...DECIDED.map((name) => decided[name])]) {
    select.push(name === undefined ? 'NULL' : `CAST(file.${identifier(name)} AS VARCHAR)`);
  }
  const facts: ChunkFact[] = [];
  for (const { path, definition, columns } of present.filter(({ path }) => reader.read?.has(path) ?? true)) {
    const { type } = definition;
    checkColumn(shape, columns.column, type);
    if (columns.never !== undefined) checkColumn(shape, columns.never, 'boolean');
    const isText = type === 'level' || type === 'enum' || type === 'string';
    const fact = isText ? await textFact(db, shape, columns) : numberFact(shape, type, columns);
    facts.push({ ...fact, path, from: select.length });
    select.push(...fact.select);
  }
  const sql = `SELECT ${select.join(', ')} FROM file`;
  const chunks = () => readChunks(db, shape, { sql, facts, counted, decided });
  const paths = [...facts.map(({ path }) => path), ...counted.keys()];
  return { absent, unread, chunks, rows: () => readRows(chunks(), paths, reader.facts) };
}

async function* readRows(
  chunks: AsyncIterable<FileChunk>,
  paths: readonly string[],
  table: FactTable,
): AsyncGenerator<Numbered<FactsLine>> {
  for await (const chunk of chunks) {
    for (let row = 0; row < chunk.rows; row++) {
      const [number, problem, at] = [chunk.numberAt(row), chunk.problemAt(row), chunk.days.at(row)];
      const own = paths.map((path) => [path, factAt(chunk, table, path, row, at)] as const);
      const [clientReference, timeMs] = [chunk.referenceAt(row), chunk.timeAt(row)];
      const line = {
        ...{ facts: readBy(table, at, own), at },
        ...(clientReference === undefined ? {} : { clientReference }),
        ...(timeMs === undefined ? {} : { timeMs }),
        ...chunk.decidedAt(row),
      };
      yield { number, ...(problem === undefined ? line : { problem }) };
    }
  }
}

/** The number of a row. */
const ROW_NUMBER = `file.${DIALECTS.duckdb.identifier(ROW)}`;

/** The day of a row in a zone; NULL if its own `at` is not one. `at`: the day of a row without one. */
function dayOf(shape: FileShape, at: string, zone: string): string {
  const fallback = `DATE ${quoteText(at)}`;
  const type = shape.types.get('at');
  if (type === undefined) return fallback;
  if (!isTime(type)) checkColumn(shape, 'at', 'date');
  const cell = 'file."at"';
  const local = isTime(type) && zone !== UTC ? `timezone('${zone}', to_timestamp(epoch(${cell})))` : cell;
  const day = `CASE WHEN isfinite(${cell}) THEN CAST(${local} AS DATE) END`;
  return `CASE WHEN ${cell} IS NULL THEN ${fallback} ELSE ${day} END`;
}

/** The time of a row in milliseconds since 1970; NaN if it has none. A TIMESTAMP without a zone is in UTC. */
function timeIn({ types }: FileShape): string {
  const type = types.get('at') ?? '';
  if (!isTime(type)) return `'nan'::DOUBLE`;
  const time = type.endsWith('ZONE') ? 'file."at"' : 'CAST(file."at" AS TIMESTAMP)';
  return `coalesce(CASE WHEN isfinite(file."at") THEN CAST(epoch_ms(${time}) AS DOUBLE) END, 'nan'::DOUBLE)`;
}

function isTime(type: string): boolean {
  return type.startsWith('TIMESTAMP');
}

/** How a fact is read. */
interface FactColumns {
  /** Expressions of its columns. */
  readonly select: readonly string[];
  read(chunk: DuckDBDataChunk, from: number): Column;
}

interface ChunkFact extends FactColumns {
  readonly path: string;
  /** The index of its first column. */
  readonly from: number;
}

const { identifier, text: quoteText } = DIALECTS.duckdb;

/** Numbers come as doubles, with NaN in place of NULL: the client reads NULLs slowly. */
function numberFact({ types }: ParquetFile, type: string, { column, never }: PresentColumns): FactColumns {
  const cell = identifier(column);
  const numbers = new Doubles();
  const nevers = never === undefined ? undefined : new Doubles();
  // NaN in the file is an invalid value, not a missing one: it becomes infinity, which is invalid too.
  const stored = types.get(columnKey(column)) ?? '';
  // DuckDB divides a decimal by a power of ten, which is not always the nearest double; its text is.
  const double = stored.startsWith('DECIMAL') ? `CAST(CAST(${cell} AS VARCHAR) AS DOUBLE)` : `CAST(${cell} AS DOUBLE)`;
  const known = FLOATING.test(stored) ? `CASE WHEN isnan(${cell}) THEN 'infinity' ELSE ${double} END` : double;
  return {
    select: [
      type === 'date' ? daysOf(cell) : `coalesce(${known}, 'nan'::DOUBLE)`,
      ...(never === undefined ? [] : [`CAST(coalesce(${identifier(never)}, false) AS DOUBLE)`]),
    ],
    read(chunk, from): NumberColumn {
      const column = { numbers: numbers.read(chunk, from) };
      return nevers ? { ...column, never: nevers.read(chunk, from + 1) } : column;
    },
  };
}

const FLOATING = /^(FLOAT|DOUBLE)$/;

/** A date in days since 1970; an infinite one is beyond every day. */
function daysOf(cell: string): string {
  const days = `CAST(CASE WHEN isfinite(${cell}) THEN ${cell} END - DATE '1970-01-01' AS DOUBLE)`;
  return `coalesce(${days}, CASE WHEN ${cell} IS NULL THEN 'nan'::DOUBLE ELSE 'infinity'::DOUBLE END)`;
}

/** The first rows show whether a column has few texts. */
const SAMPLE_ROWS = 20_000;
/** Up to so many texts DuckDB gives the index of each, once for all rows of a dictionary; others come as they are. */
const MOST_LISTED = 200;

async function textFact({ connection }: DuckDb, file: ParquetFile, { column }: PresentColumns): Promise<FactColumns> {
  const cell = `CAST(${identifier(column)} AS VARCHAR)`;
  const sample = `SELECT ${cell} AS cell FROM file LIMIT ${SAMPLE_ROWS}`;
  const found = await connection
    .runAndReadAll(`SELECT DISTINCT cell FROM (${sample}) WHERE cell IS NOT NULL LIMIT ${MOST_LISTED + 1}`)
    .catch(() => {
      throw file.unreadable();
    });
  const all = found.getRowsJS().map(([text]) => String(text));
  const listed = all.length > MOST_LISTED ? [] : all;
  const list = `[${listed.map(quoteText).join(', ')}]::VARCHAR[]`;
  const known = ['', ...listed];
  // The index of a listed text, from 1 on; 0 for another text, which comes as it is; -1 for nothing.
  const index =
    listed.length === 0
      ? `CASE WHEN ${cell} IS NULL THEN -1 ELSE 0 END`
      : `coalesce(list_position(${list}, ${cell}), CASE WHEN ${cell} IS NULL THEN -1 ELSE 0 END)`;
  const indexes = new Doubles();
  return {
    select: [`CAST(${index} AS DOUBLE)`, `CASE WHEN ${index} = 0 THEN ${cell} END`],
    read(chunk, from) {
      const codes = indexes.read(chunk, from);
      if (!codes.includes(0)) return { codes, texts: known };
      const others = chunk.getColumnVector(from + 1);
      const texts = [...known];
      const added = new Map<string, number>();
      for (let row = 0; row < codes.length; row++) {
        if (codes[row] !== 0) continue;
        const text = String(others.getItem(row));
        const code = added.get(text) ?? texts.push(text) - 1;
        added.set(text, code);
        codes[row] = code;
      }
      return { codes, texts };
    },
  };
}

/** A column of doubles without a NULL, read into the same memory for each chunk. */
class Doubles {
  #buffer = new Float64Array();

  read(chunk: DuckDBDataChunk, index: number): Float64Array {
    const vector = chunk.getColumnVector(index);
    const { itemCount } = vector;
    if (this.#buffer.length < itemCount) this.#buffer = new Float64Array(itemCount);
    const numbers = this.#buffer;
    for (let i = 0; i < itemCount; i++) numbers[i] = vector.getItem(i) as number;
    return numbers.length === itemCount ? numbers : numbers.subarray(0, itemCount);
  }
}

/** What a scan of the file reads. */
interface ChunkQuery {
  readonly sql: string;
  readonly facts: readonly ChunkFact[];
  /** What the file has no columns of. */
  readonly counted: RowCounts;
  readonly decided: DecidedColumns;
}

/** The counts of rows by their numbers; NaN for none. */
function countsOf(counts: Float64Array, rows: Float64Array): NumberColumn {
  const numbers = rows.map((row) => counts[row] ?? Number.NaN);
  return { numbers: numbers.map((count) => (Number.isFinite(count) ? count : Number.NaN)) };
}

async function* readChunks(
  { connection }: DuckDb,
  file: ParquetFile,
  { sql, facts, counted, decided }: ChunkQuery,
): AsyncGenerator<FileChunk> {
  const orUnreadable = <Result>(reading: Promise<Result>) =>
    reading.catch((): never => {
      throw file.unreadable();
    });
  const result = await orUnreadable(connection.stream(sql));
  const names = new Map<number, string>();
  const [rowNumbers, rowDays, rowTimes] = [new Doubles(), new Doubles(), new Doubles()];
  let [results, last] = [0, 0];
  for (let next = orUnreadable(result.fetchChunk()); ; ) {
    const chunk = await next;
    if (!chunk || chunk.rowCount === 0) break;
    const numbers = rowNumbers.read(chunk, 0);
    const ofFile = facts.map((fact) => [fact.path, fact.read(chunk, fact.from)] as const);
    const ofCounts = [...counted].map(([path, counts]) => [path, countsOf(counts, numbers)] as const);
    const days = rowDays.read(chunk, 1);
    const times = rowTimes.read(chunk, 2);
    const references = chunk.getColumnVector(3);
    const ofDecision = DECIDED.map((name, i) => [name, chunk.getColumnVector(4 + i)] as const);
    const vectors = Object.fromEntries(ofDecision) as Record<(typeof DECIDED)[number], DuckDBVector>;
    const textAt = (texts: DuckDBVector, row: number) => {
      const text = texts.getItem(row);
      return typeof text === 'string' ? text : undefined;
    };
    // DuckDB makes the next chunk while these rows are decided.
    next = orUnreadable(result.fetchChunk());
    next.catch(() => undefined);
    for (const number of numbers) {
      // INVARIANT: DuckDB gives each row once, in the order of the file.
      if (!(number > last)) throw file.unreadable();
      last = number;
    }
    results += numbers.length;
    yield {
      rows: numbers.length,
      columns: new Map<string, Column>([...ofFile, ...ofCounts]),
      days: daysIn(days, names),
      numberAt: (row) => numbers[row] as number,
      referenceAt: (row) => textAt(references, row),
      timeAt: (row) => (Number.isNaN(times[row]) ? undefined : times[row]),
      decidedAt: (row) => decidedBy(decided, (name) => textAt(vectors[name], row)),
      problemAt: (row) => (Number.isFinite(days[row]) ? undefined : BAD_DAY.problem),
    };
  }
  file.checkCount(results);
}

/** Days by their numbers; that of a row without a day is 1970-01-01. */
function daysIn(numbers: Float64Array, names: Map<number, string>): Days {
  const numberAt = (row: number) => {
    const number = numbers[row] as number;
    return Number.isFinite(number) ? number : 0;
  };
  let [lastNumber, lastName] = [Number.NaN, ''];
  const at = (row: number) => {
    const number = numberAt(row);
    if (number === lastNumber) return lastName;
    lastNumber = number;
    lastName = names.get(number) ?? dayOfNumber(number);
    names.set(number, lastName);
    return lastName;
  };
  return { at, numberAt };
}
