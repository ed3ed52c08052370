/** A file of facts (lines of JSON, CSV or Parquet) -> its lines, each with its facts or its problem. */

import type { FactReader, FactsOptions, Numbered } from '../../decision/rows/fact-columns.ts';
import type { FileChunk, ParquetRows } from '../../decision/rows/parquet-rows.ts';
import type { RowCounts } from '../../decision/rows/row-counts.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { readLines } from '../../platform/files/text-lines.ts';
import { type Io, orCannotRun, say, UsageError } from '../io.ts';
import { loadColumns } from './columns.ts';
import { openInput } from './open-input.ts';

/** A line of facts, or its problem, with its number. */
export type ReadLine = Numbered<FactsLine>;

/** Which file, and how to read it. */
export interface FactsFile {
  /** A name, or `-` for standard input. */
  readonly facts: string;
  /** The day of lines without `at`, yyyy-MM-dd. */
  readonly at: string;
  /** The file that names the columns outside the convention. */
  readonly columns?: string | undefined;
  /** What velocities count, where the file does not say it. */
  readonly counts?: RowCounts | undefined;
}

/** What a number counts in a file: its lines, or the rows of a Parquet file. */
export function unitOf(file: string): 'line' | 'row' {
  return isParquet({ facts: file }) ? 'row' : 'line';
}

/** Whether a file is a table, by its name. Throws a usage error if columns are named for a file of lines. */
async function isFactsTable({ facts, columns }: Pick<FactsFile, 'facts' | 'columns'>): Promise<boolean> {
  const { isTableFile } = await import('../../decision/rows/table-file.ts');
  const isTable = isTableFile(facts);
  if (columns !== undefined && !isTable) {
    throw new UsageError('--columns goes with a CSV or Parquet file; lines of JSON name facts by path');
  }
  return isTable;
}

/** The lines of a file, in their order; says which columns a table lacks. */
export async function* readFactsFile(
  reader: FactReader,
  file: FactsFile,
  io: Io,
  signal?: AbortSignal,
): AsyncGenerator<ReadLine> {
  if (await isFactsTable(file)) yield* readTable(reader, file, io);
  else yield* readJson(reader, file, io, signal);
}

async function* readJson(
  { facts: table, timeZone }: FactReader,
  { facts, at, counts = new Map() }: FactsFile,
  io: Io,
  signal?: AbortSignal,
): AsyncGenerator<ReadLine> {
  const { readFactsLine } = await import('../../facts/facts-line.ts');
  const { countsAt } = await import('../../decision/rows/row-counts.ts');
  for await (const { number, ...line } of readLines(openInput(facts, io, signal))) {
    const read =
      'text' in line
        ? readFactsLine(line.text, table, at, countsAt(counts, number), timeZone)
        : { problem: line.problem };
    yield { number, ...read };
  }
}

async function* readTable(reader: FactReader, file: FactsFile, { stderr }: Io): AsyncGenerator<ReadLine> {
  if (!isParquet(file)) {
    const { openCsvFacts } = await import('../../decision/rows/csv-facts.ts');
    const table = await namedTable(reader, file);
    const opened = await orCannotRun(async () => openCsvFacts(reader, table));
    await sayAbsent(opened.absent, stderr);
    if (opened.unknown.length > 0) {
      await say(stderr, `note: no fact has these columns, which are not read: ${opened.unknown.join(', ')}\n`);
    }
    yield* opened.rows();
    for (const column of opened.unread()) {
      await say(
        stderr,
        `note: no value of the column ${column} can be read: numbers are written 90.5, booleans true\n`,
      );
    }
  } else yield* readParquet(reader, file, stderr, ({ rows }) => rows());
}

function isParquet({ facts }: Pick<FactsFile, 'facts'>): boolean {
  return /\.parquet$/i.test(facts);
}

/** A table with the map of its columns. */
async function namedTable(reader: FactReader, { facts, at, columns, counts }: FactsFile): Promise<FactsOptions> {
  return { file: facts, at, ...(await loadColumns(columns, reader.facts)), ...(counts ? { counts } : {}) };
}

async function* readParquet<Item>(
  reader: FactReader,
  file: FactsFile,
  stderr: Io['stderr'],
  read: (opened: ParquetRows) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const { openParquetRows } = await import('../../decision/rows/parquet-rows.ts');
  const { openDuckDb } = await import('../../decision/rows/duckdb.ts');
  const table = await namedTable(reader, file);
  const db = await orCannotRun(openDuckDb);
  try {
    const opened = await orCannotRun(() => openParquetRows(reader, db, table));
    await sayAbsent(opened.absent, stderr);
    yield* read(opened);
  } finally {
    db.close();
  }
}

/** What is read of a file by columns: facts of a table. */
export type ColumnReader = FactReader & { readonly read: ReadonlySet<string> };

/** The rows of a Parquet file as columns, in their order, some thousands at a time; says which columns it lacks. */
export function readParquetChunks(reader: ColumnReader, file: FactsFile, io: Io): AsyncGenerator<FileChunk> {
  return readParquet(reader, file, io.stderr, ({ chunks }) => chunks());
}

/** Says which columns a file lacks. */
export async function sayAbsent(columns: readonly string[], stderr: Io['stderr']): Promise<void> {
  for (const column of columns) {
    await say(stderr, `note: there is no column ${column}; its fact is missing in every row\n`);
  }
}
