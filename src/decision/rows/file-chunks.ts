/** A Parquet file -> its rows as columns of facts, a few thousand at a time, as a matcher decides many rows at once. */

import type { DuckDBDataChunk } from '@duckdb/node-api';
import { dayOfNumber } from '../../facts/day.ts';
import type { Column, Columns, Days, NumberColumn } from '../matcher/columns.ts';
import { DIALECTS } from '../sql/dialect.ts';
import type { PresentColumns } from '../sql/table-columns.ts';
import type { DuckDb } from './duckdb.ts';
import { checkColumn, columnKey, type FactReader, findColumns } from './fact-columns.ts';
import { BAD_DAY, dayOf, type FactsOptions, ROW_NUMBER, referenceIn } from './file-rows.ts';
import type { RowCounts } from './row-counts.ts';
import { openRowFile, type RowFile } from './row-file.ts';

/** Rows that follow each other in the file, until the next ones are asked for: their memory is used again. */
export interface FileChunk extends Columns {
  /** The number of a row in the file, from 1. */
  numberAt(row: number): number;
  referenceAt(row: number): string | undefined;
  readonly days: Days;
  /** Why a row has no answer; its facts then mean nothing. */
  problemAt(row: number): string | undefined;
}

/** An open file. */
interface FileChunks {
  /** The columns of facts that are read and that the file lacks: these facts are missing in every row. */
  readonly absent: readonly string[];
  /** Reads the rows, in their order. Throws CONFIGURATION_INVALID if the file changed meanwhile. */
  chunks(): AsyncGenerator<FileChunk>;
}

/**
 * Opens a file. Its rows have the facts that are read, as `openTableFacts` gives them. Throws CONFIGURATION_INVALID if
 * the file or its columns cannot be used.
 */
export async function openFileChunks(
  reader: FactReader & { readonly read: ReadonlySet<string> },
  db: DuckDb,
  { file, at, columns: map = {}, counts }: FactsOptions,
): Promise<FileChunks> {
  const shape = await openRowFile(db, file);
  const { present, absent, counted } = findColumns(reader, map, shape, counts);
  const select = [`CAST(${ROW_NUMBER} AS DOUBLE)`, daysOf(dayOf(shape, at)), referenceIn(shape)];
  const facts: ChunkFact[] = [];
  for (const { path, definition, columns } of present.filter((each) => reader.read.has(each.path))) {
    const { type } = definition;
    checkColumn(shape, columns.column, type);
    if (columns.never !== undefined) checkColumn(shape, columns.never, 'boolean');
    const isText = type === 'level' || type === 'enum' || type === 'string';
    const fact = isText ? await textFact(db, shape, columns) : numberFact(shape, type, columns);
    facts.push({ ...fact, path, from: select.length });
    select.push(...fact.select);
  }
  const sql = `SELECT ${select.join(', ')} FROM file`;
  return { absent, chunks: () => readChunks(db, shape, { sql, facts, counted }) };
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
function numberFact({ types }: RowFile, type: string, { column, never }: PresentColumns): FactColumns {
  const cell = identifier(column);
  const numbers = new Doubles();
  const nevers = never === undefined ? undefined : new Doubles();
  // NaN in the file is an invalid value, not a missing one: it becomes infinity, which is invalid too.
  const known = FLOATING.test(types.get(columnKey(column)) ?? '')
    ? `CASE WHEN isnan(${cell}) THEN 'infinity' ELSE CAST(${cell} AS DOUBLE) END`
    : `CAST(${cell} AS DOUBLE)`;
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

async function textFact({ connection }: DuckDb, file: RowFile, { column }: PresentColumns): Promise<FactColumns> {
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
}

/** The counts of rows by their numbers; NaN for none. */
function countsOf(counts: Int32Array, rows: Float64Array): NumberColumn {
  const numbers = rows.map((row) => {
    const count = counts[row] ?? -1;
    return count < 0 ? Number.NaN : count;
  });
  return { numbers };
}

async function* readChunks(
  { connection }: DuckDb,
  file: RowFile,
  { sql, facts, counted }: ChunkQuery,
): AsyncGenerator<FileChunk> {
  const orUnreadable = <Result>(reading: Promise<Result>) =>
    reading.catch((): never => {
      throw file.unreadable();
    });
  const result = await orUnreadable(connection.stream(sql));
  const names = new Map<number, string>();
  const [rowNumbers, rowDays] = [new Doubles(), new Doubles()];
  let [results, last] = [0, 0];
  for (let next = orUnreadable(result.fetchChunk()); ; ) {
    const chunk = await next;
    if (!chunk || chunk.rowCount === 0) break;
    const numbers = rowNumbers.read(chunk, 0);
    const ofFile = facts.map((fact) => [fact.path, fact.read(chunk, fact.from)] as const);
    const ofCounts = [...counted].map(([path, counts]) => [path, countsOf(counts, numbers)] as const);
    const references = chunk.getColumnVector(2);
    const days = rowDays.read(chunk, 1);
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
      referenceAt: (row) => {
        const reference = references.getItem(row);
        return typeof reference === 'string' ? reference : undefined;
      },
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
