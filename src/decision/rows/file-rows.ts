/** A Parquet or CSV file -> the facts of its rows. */

import { closeSync } from 'node:fs';
import type { JS } from '@duckdb/node-api';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { setComputed } from '../../facts/compute.ts';
import { isDay } from '../../facts/day.ts';
import { type Fact, NEVER } from '../../facts/fact.ts';
import { markRead, newFacts } from '../../facts/fact-reader.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { INSTANT_EXPECTED, readDayOrInstant } from '../../facts/instant.ts';
import { trimWhiteSpace } from '../../text.ts';
import { DIALECTS } from '../sql/dialect.ts';
import type { ColumnMap, PresentColumns } from '../sql/table-columns.ts';
import type { DuckDb } from './duckdb.ts';
import {
  checkColumn,
  columnKey,
  dayOrInstantFrom,
  type FactReader,
  type FileColumn,
  type FileShape,
  fileColumn,
  fileError,
  findColumns,
  readCell,
} from './fact-columns.ts';
import { countsAt, NO_COUNTS, type RowCounts } from './row-counts.ts';
import { checkNames, openCsv, openRowFile, problemOf, ROW, type RowFile, readRecords, stateOf } from './row-file.ts';

/** How to read the facts of a file. */
export interface FactsOptions {
  readonly file: string;
  /** The day of rows without one in the column `at`, yyyy-MM-dd. */
  readonly at: string;
  readonly columns?: ColumnMap;
  /** What velocities count, which the file has no columns of. */
  readonly counts?: RowCounts;
}

/** An open file of facts. */
interface TableFacts {
  /** The columns of facts that are read and that the file lacks: these facts are missing in every row. */
  readonly absent: readonly string[];
  /** Reads the rows, in their order. Throws CONFIGURATION_INVALID if the file changed meanwhile. */
  rows(): AsyncGenerator<Numbered<FactsLine>>;
}

/**
 * Opens a file. Derived facts have columns of their own, as for SQL. Throws CONFIGURATION_INVALID if the file or its
 * columns cannot be used.
 */
export async function openTableFacts(
  reader: FactReader,
  db: DuckDb,
  { file, at, columns: map = {}, counts = NO_COUNTS }: FactsOptions,
): Promise<TableFacts> {
  const shape = await openRowFile(db, file);
  const { present, absent, counted } = findColumns(reader, map, shape, counts);
  const columns = present.map(({ path, definition, columns: found }, i) =>
    fileColumn(path, definition, found, i, shape),
  );
  const cellsOf = columns.flatMap(({ forRead }) => forRead);
  const sql = `SELECT ${[...keyColumns(shape, at), ...cellsOf].join(', ')} FROM file`;
  const answer = ([number, day, reference, ...cells]: readonly Cell[]): FactsLine | typeof BAD_DAY => {
    if (typeof day !== 'string') return BAD_DAY;
    const clientReference = referenceOf(reference);
    const facts = factsOf(columns, cells, day, reader.facts, countsAt(counted, Number(number)));
    return { facts, at: day, ...(clientReference === undefined ? {} : { clientReference }) };
  };
  return { absent, rows: () => readRows(db, shape, sql, answer) };
}

/** An open file of facts. */
interface CsvFacts {
  /** The columns of facts that the policy reads and the file lacks: these facts are missing in every row. */
  readonly absent: readonly string[];
  /** Reads the rows, in their order, and closes the file. Throws CONFIGURATION_INVALID if it changed meanwhile. */
  rows(): Generator<Numbered<FactsLine>>;
}

/** The cells of a row by their columns. */
type Cells = (column: string) => string | undefined;

/**
 * Opens a file. Derived facts have columns of their own, as for SQL. Throws CONFIGURATION_INVALID if the file or its
 * columns cannot be used.
 */
export function openCsvFacts(
  policy: FactReader,
  { file, at, columns = {}, counts = NO_COUNTS }: FactsOptions,
): CsvFacts {
  const stateAtFirst = stateOf(file);
  const files = new Set<number>();
  const close = () => {
    for (const opened of files) closeSync(opened);
  };
  try {
    const source = openCsv({ files }, file);
    checkNames(file, source.names);
    const indexes = new Map(source.names.map((name, i) => [columnKey(name), i]));
    const shape = { types: new Map([...indexes.keys()].map((name) => [name, 'VARCHAR'])), isText: true };
    const { present, absent, counted } = findColumns(policy, columns, shape, counts);
    const readRow = (cells: Cells, line: number): FactsLine | { readonly problem: string } => {
      const read = readDayOrInstant(cells('at') ?? at);
      if (!read) return BAD_DAY;
      const { at: day } = read;
      const own = present.map(
        ({ path, definition, columns: found }) => [path, factOf(definition, found, cells, day)] as const,
      );
      const facts = readBy(policy.facts, day, [...own, ...countsAt(counted, line)]);
      const [clientReference, decided] = [cells('client_reference'), cells('outcome')];
      return {
        ...{ facts, ...read },
        ...(clientReference === undefined ? {} : { clientReference }),
        ...(decided === undefined ? {} : { decided }),
      };
    };
    return {
      absent,
      *rows() {
        try {
          for (const record of readRecords(source)) {
            const problem = problemOf(record, source.names.length);
            const values = 'values' in record ? record.values : [];
            const cells: Cells = (column) => values[indexes.get(columnKey(column)) ?? -1] || undefined;
            yield { number: record.line, ...(problem === undefined ? readRow(cells, record.line) : { problem }) };
          }
        } finally {
          close();
        }
        if (stateOf(file) !== stateAtFirst) throw fileError(`${file} changed while it was read`);
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

function factOf(definition: FactDefinition, { column, never }: PresentColumns, cells: Cells, day: string): Fact {
  const cell = cells(column);
  const read = cell === undefined ? undefined : valueIn(cell, definition);
  const isNever = never !== undefined && cells(never) === 'true';
  const isBlank = cell === undefined || trimWhiteSpace(cell) === '';
  // A cell that is not a day contradicts `never` as a day does.
  const value = isNever ? (isBlank ? NEVER : `${cell} and never`) : read;
  return readCell(definition, value, cell, day);
}

/** The value of a cell of text; undefined if it cannot be read. */
export function valueIn(cell: string, { type }: FactDefinition): unknown {
  return (READERS[type] ?? asText)(cell);
}

/** How a cell is read, by type of fact; undefined for one that cannot be read. */
const READERS: { readonly [Type in FactDefinition['type']]?: (cell: string) => unknown } = {
  number: numberOf,
  integer: numberOf,
  boolean: (cell) => ({ true: true, false: false })[cell],
  date: (cell) => (isDay(cell) ? cell : undefined),
};

/** A number as JSON writes it. */
function numberOf(cell: string): number | undefined {
  return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(cell) ? Number(cell) : undefined;
}

const asText = (cell: string) => cell;

/** A cell of a result. */
type Cell = JS | null;

/** A row, or why it has no answer; `number` is its line in a CSV file. */
export type Numbered<Answer> = { readonly number: number } & (Answer | { readonly problem: string });

/** Why a row has no day. */
export const BAD_DAY = { problem: `"at" has to be ${INSTANT_EXPECTED}` };

const { identifier, text: quoteText } = DIALECTS.duckdb;

/** The columns `number`, `day` (NULL if the row's own `at` is not a day) and `reference` of a row. */
function keyColumns(shape: FileShape, at: string): readonly string[] {
  return [`${ROW_NUMBER} AS number`, `${dayOf(shape, at)} AS day`, `${referenceIn(shape)} AS reference`];
}

/** The number of a row. */
export const ROW_NUMBER = `file.${identifier(ROW)}`;

/** The reference of a row; NULL if it has none. */
export function referenceIn({ types }: FileShape): string {
  return types.has('client_reference') ? 'CAST(file.client_reference AS VARCHAR)' : 'NULL';
}

/** The day of a row; NULL if its own `at` is not one. `at`: the day of a row without one. */
export function dayOf(shape: FileShape, at: string): string {
  const fallback = `DATE ${quoteText(at)}`;
  const type = shape.types.get('at');
  if (type === undefined) return fallback;
  if (!isTime(type)) checkColumn(shape, 'at', 'date');
  const cell = 'file."at"';
  const day = shape.isText ? dayOrInstantFrom(cell) : `CASE WHEN isfinite(${cell}) THEN CAST(${cell} AS DATE) END`;
  return `CASE WHEN ${cell} IS NULL THEN ${fallback} ELSE ${day} END`;
}

/** The time of a row in milliseconds since 1970; NULL if it has none. A TIMESTAMP without a zone is in UTC. */
export function timeIn({ types }: FileShape): string {
  const type = types.get('at') ?? '';
  if (!isTime(type)) return 'NULL';
  const time = type.endsWith('ZONE') ? 'file."at"' : 'CAST(file."at" AS TIMESTAMP)';
  return `CASE WHEN isfinite(file."at") THEN epoch_ms(${time}) END`;
}

function isTime(type: string): boolean {
  return type.startsWith('TIMESTAMP');
}

/** The reference of a row, if it has one. */
function referenceOf(cell: Cell | undefined): string | undefined {
  return typeof cell === 'string' ? cell : undefined;
}

/** The facts of the two cells of each column, and those that the policy computes from them. */
function factsOf(
  columns: readonly FileColumn[],
  cells: readonly (Cell | undefined)[],
  at: string,
  table: FactTable,
  counts: readonly (readonly [string, Fact])[] = [],
): Map<string, Fact> {
  const read = cells as Parameters<FileColumn['read']>[0];
  const own = columns.map(
    ({ path, read: readCells }, i) => [path, readCells(read.slice(2 * i, 2 * i + 2), at)] as const,
  );
  return readBy(table, at, [...own, ...counts]);
}

/** Facts that were read by a table, with those that it computes: no runner reads them again. */
function readBy(table: FactTable, day: string, read: Iterable<readonly [string, Fact]>): Map<string, Fact> {
  const facts = newFacts(new Map(read));
  setComputed(facts, table);
  return markRead(facts, table, day);
}

/**
 * The answers to the rows of a query whose first column is `number` and whose column `day` is a date. Throws
 * CONFIGURATION_INVALID if a row of the file has no result.
 */
async function* readRows<Answer extends object>(
  db: DuckDb,
  file: RowFile,
  sql: string,
  answer: (cells: readonly Cell[]) => Answer | { readonly problem: string },
): AsyncGenerator<Numbered<Answer>> {
  let [results, last] = [0, 0];
  for await (const cells of stream(db, `SELECT * REPLACE (CAST(day AS VARCHAR) AS day) FROM (${sql})`, file)) {
    const number = Number(cells[0]);
    // INVARIANT: DuckDB gives each row once, in the order of the file.
    if (!(number > last)) throw file.unreadable();
    [results, last] = [results + 1, number];
    const problem = file.problems.get(number);
    file.problems.delete(number);
    yield problem === undefined ? { number, ...answer(cells) } : { number, problem };
  }
  file.checkCount(results);
}

async function* stream({ connection }: DuckDb, sql: string, file: RowFile): AsyncGenerator<readonly Cell[]> {
  // With several threads DuckDB would not keep the order of rows, because it looks up lists by joins.
  await connection.run('SET threads = 1');
  const result = await connection.stream(sql).catch(() => undefined);
  if (!result) throw file.unreadable();
  try {
    for await (const rows of result.yieldRowsJs()) yield* rows;
  } catch {
    throw file.unreadable();
  }
}
