/** A query over the rows of a file -> its rows in the order of the file, each with its number, day and reference. */

import type { JS } from '@duckdb/node-api';
import type { FactTable } from '../../../facts/catalog.ts';
import { setComputed } from '../../../facts/compute.ts';
import type { Fact } from '../../../facts/fact.ts';
import { DIALECTS } from '../dialect.ts';
import type { DuckDb } from './duckdb.ts';
import { checkColumn, dayFrom, type FileColumn, type FileShape } from './file-column.ts';
import { ROW, type RowFile } from './row-file.ts';

/** A cell of a result. */
export type Cell = JS | null;

/** A row, or why it has no answer; `number` is its line in a CSV file. */
export type Numbered<Answer> = { readonly number: number } & (Answer | { readonly problem: string });

/** Why a row has no day. */
export const BAD_DAY = { problem: '"at" is not a calendar day; expected yyyy-MM-dd' };

const { identifier, text: quoteText } = DIALECTS.duckdb;

/** The columns `number`, `day` (NULL if the row's own `at` is not a day) and `reference` of a row. */
export function keyColumns(shape: FileShape, at: string): readonly string[] {
  const reference = shape.types.has('client_reference') ? 'CAST(file.client_reference AS VARCHAR)' : 'NULL';
  return [`file.${identifier(ROW)} AS number`, `${dayOf(shape, at)} AS day`, `${reference} AS reference`];
}

function dayOf(shape: FileShape, at: string): string {
  const fallback = `DATE ${quoteText(at)}`;
  if (!shape.types.has('at')) return fallback;
  checkColumn(shape, 'at', 'date');
  const cell = 'file."at"';
  return `CASE WHEN ${cell} IS NULL THEN ${fallback} ELSE ${shape.isText ? dayFrom(cell) : cell} END`;
}

/** The reference of a row, if it has one. */
export function referenceOf(cell: Cell | undefined): string | undefined {
  return typeof cell === 'string' ? cell : undefined;
}

/** The facts of the two cells of each column, and those that the policy computes from them. */
export function factsOf(
  columns: readonly FileColumn[],
  cells: readonly (Cell | undefined)[],
  at: string,
  table: FactTable,
): Map<string, Fact> {
  const read = cells as Parameters<FileColumn['read']>[0];
  const facts = new Map(
    columns.map(({ path, read: readCells }, i) => [path, readCells(read.slice(2 * i, 2 * i + 2), at)]),
  );
  setComputed(facts, table);
  return facts;
}

/**
 * The answers to the rows of a query whose first column is `number` and whose column `day` is a date. Throws
 * CONFIGURATION_INVALID if a row of the file has no result.
 */
export async function* readRows<Answer extends object>(
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
