/** A Parquet or CSV file, with columns by the convention or a map -> the results of its rows by SQL on DuckDB. */

import type { Fact } from '../../../facts/fact.ts';
import type { Policy } from '../../../policy/language.ts';
import type { ColumnMap } from '../column-names.ts';
import { type DuckDb, readRow } from './duckdb.ts';
import { findColumns } from './fact-columns.ts';
import { writeOrThrow } from './facts-lines.ts';
import { fileColumn } from './file-column.ts';
import { BAD_DAY, type Cell, factsOf, keyColumns, type Numbered, readRows, referenceOf } from './file-rows.ts';
import { openRowFile, type RowFile } from './row-file.ts';
import type { SqlRow } from './summary.ts';
import { registerTextReaders } from './text-reader.ts';

/** A row that was decided. */
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
  rows(): AsyncGenerator<Numbered<DecidedRow>>;
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

  const ofFacts = columns.flatMap(({ forSql, forRead }) => [...forSql, ...(options.withFacts ? forRead : [])]);
  const definitions = [...keyColumns(shape, options.at), ...ofFacts];
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
  const answer = (cells: readonly Cell[]): DecidedRow | typeof BAD_DAY => {
    const { keys: found, row } = readRow(cells, keys.length);
    const [, day, reference, ...cellsOfFacts] = found;
    if (!row) return BAD_DAY;
    const at = String(day);
    const facts = options.withFacts ? factsOf(columns, cellsOfFacts, at, policy.facts) : new Map();
    return { row, at, clientReference: referenceOf(reference), facts };
  };
  return { absent, unit: shape.unit, rows: () => readRows(db, shape, sql, answer) };
}
