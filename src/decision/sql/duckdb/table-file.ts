/** A Parquet or CSV file, with columns by the convention or a map -> the results of its rows by SQL on DuckDB. */

import type { JS } from '@duckdb/node-api';
import { setComputed } from '../../../facts/compute.ts';
import type { Fact } from '../../../facts/fact.ts';
import type { Policy } from '../../../policy/language.ts';
import type { ColumnMap } from '../column-names.ts';
import { DIALECTS } from '../dialect.ts';
import { type DuckDb, readRow } from './duckdb.ts';
import { findColumns } from './fact-columns.ts';
import { writeOrThrow } from './facts-lines.ts';
import { checkColumn, dayFrom, type FileColumn, type FileShape, fileColumn } from './file-column.ts';
import { openRowFile, ROW, type RowFile } from './row-file.ts';
import type { SqlRow } from './summary.ts';
import { registerTextReaders } from './text-reader.ts';

/** A row that was decided, or why it was not; `number` is its line in a CSV file. */
export type FileRow = { readonly number: number } & (DecidedRow | { readonly problem: string });

export interface DecidedRow {
  readonly row: SqlRow;
  /** The day of its decision, yyyy-MM-dd. */
  readonly at: string;
  readonly clientReference: string | undefined;
  /** Its facts, texts as they came; empty without `withFacts`. */
  readonly facts: ReadonlyMap<string, Fact>;
}

/** A file, ready to be decided. */
export interface TableFile {
  /** The columns of facts that the policy reads and the file lacks: these facts are missing in every row. */
  readonly absent: readonly string[];
  /** What is numbered. */
  readonly unit: RowFile['unit'];
  /** Decides the rows, in their order. Throws CONFIGURATION_INVALID if a row of the file has no result. */
  rows(): AsyncGenerator<FileRow>;
}

/** How to read a file. */
export interface TableFileOptions {
  readonly file: string;
  /** The day of rows without a day in the column `at`, yyyy-MM-dd. */
  readonly at: string;
  /** Whether rows come with their facts. */
  readonly withFacts: boolean;
  /** Columns by the path of the fact, where they are not named by the convention. */
  readonly columns?: ColumnMap;
}

const { text: quoteText } = DIALECTS.duckdb;

/**
 * Opens a file. As in lines of facts, texts are folded and cells that cannot be read are missing. Derived facts
 * have columns of their own. Throws CONFIGURATION_INVALID if the file or a column cannot be read, if the map
 * names a column that the file lacks for a fact that the policy reads, or if SQL cannot express the policy
 * exactly.
 */
export async function openTableFile(policy: Policy, db: DuckDb, options: TableFileOptions): Promise<TableFile> {
  const shape = await openRowFile(db, options.file);
  registerTextReaders(db);
  const { present, absent, read } = findColumns(policy, options.columns ?? {}, shape);
  const columns = present.map(({ path, definition, columns: found }, i) =>
    fileColumn(path, definition, found, i, shape),
  );
  const found = new Map(columns.map(({ path, choice }) => [path, choice]));

  const reference = shape.types.has('client_reference') ? 'CAST(file.client_reference AS VARCHAR)' : 'NULL';
  const ofFacts = columns.flatMap(({ forSql, forRead }) => [...forSql, ...(options.withFacts ? forRead : [])]);
  const number = `file.${DIALECTS.duckdb.identifier(ROW)} AS number`;
  const day = `${dayOf(shape, options.at)} AS day`;
  const definitions = [number, day, `${reference} AS reference`, ...ofFacts];
  await db.connection.run(`CREATE VIEW applicants AS SELECT ${definitions.join(', ')} FROM file`);
  const shown = options.withFacts ? columns.flatMap((_, i) => [`shown_${i}`, `unread_${i}`]) : [];
  const keys = ['number', 'day', 'reference', ...shown];
  const sql = writeOrThrow(policy, {
    dialect: 'duckdb',
    table: 'applicants',
    at: { column: 'day' },
    columns: Object.fromEntries([...read].map((path) => [path, found.get(path) ?? null])),
    keys,
  });
  const readFacts = (cells: Parameters<FileColumn['read']>[0], at: string) => {
    const facts = new Map(columns.map((column, i) => [column.path, column.read(cells.slice(2 * i, 2 * i + 2), at)]));
    setComputed(facts, policy.facts);
    return facts;
  };
  const answer = (cells: readonly (JS | null)[]): DecidedRow | { readonly problem: string } => {
    const { keys: found, row } = readRow(cells, keys.length);
    const [, day, clientReference, ...cellsOfFacts] = found;
    if (!row) return { problem: '"at" is not a calendar day; expected yyyy-MM-dd' };
    const at = String(day);
    return {
      row,
      at,
      clientReference: typeof clientReference === 'string' ? clientReference : undefined,
      facts: options.withFacts ? readFacts(cellsOfFacts, at) : new Map(),
    };
  };
  return {
    absent,
    unit: shape.unit,
    async *rows() {
      const select = `SELECT * REPLACE (CAST(day AS VARCHAR) AS day) FROM (${sql})`;
      let [results, last] = [0, 0];
      for await (const cells of stream(db, select, shape)) {
        const number = Number(cells[0]);
        // INVARIANT: DuckDB gives each row once, in the order of the file.
        if (!(number > last)) throw shape.unreadable();
        [results, last] = [results + 1, number];
        const problem = shape.problems.get(number);
        shape.problems.delete(number);
        yield problem === undefined ? { number, ...answer(cells) } : { number, problem };
      }
      shape.checkCount(results);
    },
  };
}

async function* stream({ connection }: DuckDb, sql: string, file: RowFile): AsyncGenerator<readonly (JS | null)[]> {
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

/** The day of a row; NULL if its own `at` is not a day. */
function dayOf(shape: FileShape, at: string): string {
  const fallback = `DATE ${quoteText(at)}`;
  if (!shape.types.has('at')) return fallback;
  checkColumn(shape, 'at', 'date');
  const cell = 'file."at"';
  return `CASE WHEN ${cell} IS NULL THEN ${fallback} ELSE ${shape.isText ? dayFrom(cell) : cell} END`;
}
