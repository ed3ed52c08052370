/** A Parquet or CSV file, its columns named by the convention or by a map -> what SQL on DuckDB says of its rows, in their order. */

import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import type { JS } from '@duckdb/node-api';
import { VerdictError } from '../../../errors.ts';
import type { Fact } from '../../../facts/fact.ts';
import { fold } from '../../../facts/fold.ts';
import { conditionFacts, type Policy } from '../../../policy/language.ts';
import { didYouMean } from '../../../text.ts';
import { type ColumnMap, columnRefusals, columnsOf, type FactColumns } from '../column-names.ts';
import { DIALECTS } from '../dialect.ts';
import { type DuckDb, readRow } from './duckdb.ts';
import { refuse, writeOrThrow } from './facts-lines.ts';
import {
  checkColumn,
  dayFrom,
  FileColumn,
  type FileShape,
  FOLD,
  hasColumn,
  type PresentColumns,
} from './file-column.ts';
import type { SqlRow } from './summary.ts';

/** A row of a file. */
export interface FileRow {
  /** Undefined where its day cannot be read. */
  readonly row: SqlRow | undefined;
  /** The day of its decision, yyyy-MM-dd. */
  readonly at: string;
  readonly clientReference: string | undefined;
  /** Its facts, texts as they came; none where they were not asked for. */
  readonly facts: ReadonlyMap<string, Fact>;
}

/** A file that is ready to be decided. */
export interface TableFile {
  /** The columns that facts of the policy would stand in, and that the file lacks: those facts are missing in every row. */
  readonly absent: readonly string[];
  rows(): AsyncGenerator<FileRow>;
}

/** What to do with a file. */
export interface TableFileOptions {
  readonly file: string;
  /** The day of rows that have none of their own in a column `at`, yyyy-MM-dd. */
  readonly at: string;
  /** Whether rows come with their facts. */
  readonly withFacts: boolean;
  /** Columns by path, where they are not named by the convention. */
  readonly columns?: ColumnMap;
}

const { text: quoteText } = DIALECTS.duckdb;

/** How each kind of file is read as a table, by the ending of its name. A CSV has no types: its cells stay texts. */
const READERS: Readonly<Record<string, (file: string) => string>> = {
  '.parquet': (file) => `read_parquet(${quoteText(file)})`,
  '.csv': (file) =>
    `read_csv(${quoteText(file)}, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"')`,
};

/** The ending of a file's name, in lower case. */
export function endingOf(file: string): string {
  return extname(file).toLowerCase();
}

/** Whether a file is a table by its name. */
export function isTableFile(file: string): boolean {
  return Object.hasOwn(READERS, endingOf(file));
}

/**
 * Opens a file. Texts are folded, and cells that cannot be read are missing, as they are in lines of facts; derived facts
 * have columns like all others. Throws a `VerdictError` where the file or a column cannot be read, where a column that is
 * named for a fact that the policy asks about is not there, or where SQL cannot say the policy exactly.
 */
export async function openTableFile(policy: Policy, db: DuckDb, options: TableFileOptions): Promise<TableFile> {
  const shape = await openFile(db, options.file);
  registerFold(db);
  const asked = conditionFacts(policy.rules);
  const { columns: map = {} } = options;
  const placed = new Map([...policy.facts].map(([path, { type }]) => [path, columnsOf(path, type, map)]));
  checkMap(policy, map, new Map([...placed].filter(([path]) => asked.has(path))), shape);
  const columns: FileColumn[] = [];
  for (const [path, definition] of policy.facts) {
    const present = presentIn(shape, placed.get(path));
    if (present) columns.push(new FileColumn(path, definition, present, columns.length, shape));
  }
  const found = new Map(columns.map(({ path, choice }) => [path, choice]));
  // That a fact has no column may be said in the map; then nobody need be told.
  const absent = [...asked].flatMap((path) => (found.has(path) ? [] : (placed.get(path)?.column ?? [])));
  if (asked.size > 0 && ![...asked].some((path) => found.has(path))) throw noColumns(absent, shape);

  const reference = shape.types.has('client_reference') ? 'CAST(file.client_reference AS VARCHAR)' : 'NULL';
  const ofFacts = columns.flatMap(({ forSql, forPeople }) => [...forSql, ...(options.withFacts ? forPeople : [])]);
  const definitions = [`${dayOf(shape, options.at)} AS day`, `${reference} AS reference`, ...ofFacts];
  await db.connection.run(`CREATE VIEW applicants AS SELECT ${definitions.join(', ')} FROM file`);
  const shown = options.withFacts ? columns.flatMap((_, i) => [`shown_${i}`, `unread_${i}`]) : [];
  const keys = ['day', 'reference', ...shown];
  const sql = writeOrThrow(policy, {
    dialect: 'duckdb',
    table: 'applicants',
    at: { column: 'day' },
    columns: Object.fromEntries([...asked].map((path) => [path, found.get(path) ?? null])),
    keys,
  });
  const readFacts = (cells: Parameters<FileColumn['read']>[0], at: string) =>
    new Map(columns.map((column, i) => [column.path, column.read(cells.slice(2 * i, 2 * i + 2), at)]));
  return {
    absent,
    async *rows() {
      const select = `SELECT * REPLACE (CAST(day AS VARCHAR) AS day) FROM (${sql})`;
      for await (const cells of stream(db, select, options.file)) {
        const { keys: found, row } = readRow(cells, keys.length);
        const [day, clientReference, ...cellsOfFacts] = found;
        const at = String(day);
        yield {
          row,
          at,
          clientReference: typeof clientReference === 'string' ? clientReference : undefined,
          facts: options.withFacts ? readFacts(cellsOfFacts, at) : new Map(),
        };
      }
    },
  };
}

/** The columns of a fact, if the file has them. */
function presentIn(shape: FileShape, columns: FactColumns | undefined): PresentColumns | undefined {
  const { column, never } = columns ?? {};
  if (column === undefined || !hasColumn(shape, column)) return undefined;
  return { column, never: never !== undefined && hasColumn(shape, never) ? never : undefined };
}

/** Throws what is wrong with a map of columns: two facts in one, as an export has it, or a column that the file lacks. */
function checkMap({ facts }: Policy, map: ColumnMap, asked: ReadonlyMap<string, FactColumns>, shape: FileShape): void {
  const refusals = columnRefusals(DIALECTS.duckdb, asked, facts, map, [], []);
  if (refusals.length > 0) throw refuse(refusals);
  for (const path of Object.keys(map).filter((each) => asked.has(each))) {
    const choice = map[path];
    const named = typeof choice === 'object' ? [choice?.column, choice?.never] : [choice];
    for (const name of named) {
      if (typeof name === 'string' && !hasColumn(shape, name)) throw noColumn(name, path, shape);
    }
  }
}

function noColumn(name: string, path: string, { types }: FileShape): VerdictError {
  const { hint } = didYouMean(name, types.keys());
  const message = `the file has no column ${name}, which is named for ${path}`;
  return new VerdictError('CONFIGURATION_INVALID', hint === undefined ? message : `${message}; ${hint}`);
}

/** What is wrong with a file. What DuckDB says of it is not shown: it may quote a row. */
function unreadable(file: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', `${file} cannot be read as ${endingOf(file).slice(1)}`);
}

async function* stream({ connection }: DuckDb, sql: string, file: string): AsyncGenerator<readonly (JS | null)[]> {
  // Several threads keep the order of rows, but for lists: DuckDB looks those up by joining.
  await connection.run('SET threads = 1');
  const result = await connection.stream(sql);
  const chunks = result.yieldRowsJs();
  while (true) {
    const chunk = await chunks.next().catch(() => {
      throw unreadable(file);
    });
    if (chunk.done) return;
    yield* chunk.value;
  }
}

/** Makes the file a view, and tells its columns, in lower case, since DuckDB takes all cases for one. */
export async function openFile({ connection }: DuckDb, file: string): Promise<FileShape> {
  if (!existsSync(file)) throw new VerdictError('CONFIGURATION_INVALID', `${file}: no such file`);
  const read = READERS[endingOf(file)];
  try {
    await connection.run(`CREATE VIEW file AS SELECT * FROM ${read?.(file)}`);
    const described = await connection.runAndReadAll('SELECT column_name, column_type FROM (DESCRIBE file)');
    const types = described.getRowsJS().map(([name, type]) => [String(name).toLowerCase(), String(type)] as const);
    return { types: new Map(types), isText: endingOf(file) === '.csv' };
  } catch {
    throw unreadable(file);
  }
}

/** Gives DuckDB the folding of the policy language, for texts that are not ASCII alone. */
export function registerFold({ connection, package: { DuckDBScalarFunction, VARCHAR } }: DuckDb): void {
  const folding = DuckDBScalarFunction.create({
    name: FOLD,
    returnType: VARCHAR,
    parameterTypes: [VARCHAR],
    mainFunction: (_, input, output) => {
      const texts = input.getColumnVector(0);
      for (let i = 0; i < input.rowCount; i++) {
        const text = texts.getItem(i);
        output.setItem(i, text === null ? null : fold(String(text)));
      }
      output.flush();
    },
  });
  connection.registerScalarFunction(folding);
}

/** A row's own day; NULL where something stands there that is no day. */
function dayOf(shape: FileShape, at: string): string {
  const fallback = `DATE ${quoteText(at)}`;
  if (!shape.types.has('at')) return fallback;
  checkColumn(shape, 'at', 'date');
  const cell = 'file."at"';
  return `CASE WHEN ${cell} IS NULL THEN ${fallback} ELSE ${shape.isText ? dayFrom(cell) : cell} END`;
}

function noColumns([first = '']: readonly string[], { types }: FileShape): VerdictError {
  const { hint } = didYouMean(first, types.keys());
  const such = first === '' ? '' : `, such as ${first}`;
  const message = `the file has no column of any fact that the policy asks about${such}`;
  return new VerdictError('CONFIGURATION_INVALID', hint === undefined ? message : `${message}; ${hint}`);
}
