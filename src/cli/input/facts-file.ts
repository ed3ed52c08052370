/** A file of facts (lines of JSON, CSV or Parquet) -> its lines, each with its facts or its problem. */

import type { FactReader, FactsOptions, Numbered } from '../../decision/rows/fact-columns.ts';
import type { FileChunk, ParquetRows } from '../../decision/rows/parquet-rows.ts';
import type { RowCounts } from '../../decision/rows/row-counts.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { readLines } from '../../platform/files/text-lines.ts';
import { type Io, orCannotRun, UsageError } from '../io.ts';
import { ColumnNotes } from './column-notes.ts';
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
  /** Where the columns of a table that do not fit are noted. Default: they are said alone. */
  readonly columnNotes?: ColumnNotes | undefined;
  /** The column, or the key of `"decision"` or `"facts"`, with the probability of the holdout. */
  readonly holdout?: string | undefined;
}

/** What a number counts in a file: its lines, or the rows of a Parquet file. */
export function unitOf(file: string): 'line' | 'row' {
  return /\.parquet$/i.test(file) ? 'row' : 'line';
}

/**
 * The lines of a file, in their order; says which columns of a table do not fit. Throws a usage error if columns are
 * named for a file of lines.
 */
export async function* readFactsFile(
  reader: FactReader,
  file: FactsFile,
  io: Io,
  signal?: AbortSignal,
): AsyncGenerator<ReadLine> {
  const { isTableFile } = await import('../../decision/rows/table-file.ts');
  if (unitOf(file.facts) === 'row') yield* readParquet(reader, file, io, ({ rows }) => rows());
  else if (isTableFile(file.facts)) yield* readCsv(reader, file, io);
  else if (file.columns === undefined) yield* readJson(reader, file, io, signal);
  else throw new UsageError('--columns goes with a CSV or Parquet file; lines of JSON name facts by path');
}

async function* readJson(
  { facts: table, timeZone }: FactReader,
  { facts, at, counts = new Map(), holdout }: FactsFile,
  io: Io,
  signal?: AbortSignal,
): AsyncGenerator<ReadLine> {
  const { readFactsLine } = await import('../../facts/facts-line.ts');
  const { countsAt } = await import('../../decision/rows/row-counts.ts');
  for await (const { number, ...line } of readLines(openInput(facts, io, signal))) {
    const read =
      'text' in line
        ? readFactsLine(line.text, table, at, countsAt(counts, number), timeZone, holdout)
        : { problem: line.problem };
    yield { number, ...read };
  }
}

async function* readCsv(reader: FactReader, file: FactsFile, { stderr }: Io): AsyncGenerator<ReadLine> {
  const { columnNotes: notes = new ColumnNotes() } = file;
  const { openCsvFacts } = await import('../../decision/rows/csv-facts.ts');
  const table = await namedTable(reader, file);
  const opened = await orCannotRun(async () => openCsvFacts(reader, table));
  await notes.add(file.facts, opened, stderr);
  yield* opened.rows();
  for (const column of opened.unreadable()) {
    const form = 'numbers are written 90.5, booleans true';
    await notes.say(file.facts, `no value of the column ${column} can be read: ${form}`, stderr);
  }
}

/** A table with the map of its columns. */
async function namedTable(reader: FactReader, { facts, columns, ...options }: FactsFile): Promise<FactsOptions> {
  return { file: facts, ...options, ...(await loadColumns(columns, reader.facts)) };
}

async function* readParquet<Item>(
  reader: FactReader,
  file: FactsFile,
  { stderr }: Io,
  read: (opened: ParquetRows) => AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  const { openParquetRows } = await import('../../decision/rows/parquet-rows.ts');
  const { openDuckDb } = await import('../../decision/rows/duckdb.ts');
  const table = await namedTable(reader, file);
  const db = await orCannotRun(openDuckDb);
  try {
    const opened = await orCannotRun(() => openParquetRows(reader, db, table));
    await (file.columnNotes ?? new ColumnNotes()).add(file.facts, opened, stderr);
    yield* read(opened);
  } finally {
    db.close();
  }
}

/** What is read of a file by columns: facts of a table. */
export type ColumnReader = FactReader & { readonly read: ReadonlySet<string> };

/** The rows of a Parquet file as columns, in their order, some thousands at a time; says which columns do not fit. */
export function readParquetChunks(reader: ColumnReader, file: FactsFile, io: Io): AsyncGenerator<FileChunk> {
  return readParquet(reader, file, io, ({ chunks }) => chunks());
}
