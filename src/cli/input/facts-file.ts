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

/** The lines of a file, in their order; says which columns of a table do not fit. */
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

async function* readTable(reader: FactReader, file: FactsFile, { stderr }: Io): AsyncGenerator<ReadLine> {
  if (!isParquet(file)) {
    const { openCsvFacts } = await import('../../decision/rows/csv-facts.ts');
    const table = await namedTable(reader, file);
    const opened = await orCannotRun(async () => openCsvFacts(reader, table));
    const notes = notesOf(file);
    await notes.add(file.facts, opened, stderr);
    yield* opened.rows();
    for (const column of opened.unreadable()) {
      const form = 'numbers are written 90.5, booleans true';
      await notes.say(file.facts, `no value of the column ${column} can be read: ${form}`, stderr);
    }
  } else yield* readParquet(reader, file, stderr, ({ rows }) => rows());
}

function isParquet({ facts }: Pick<FactsFile, 'facts'>): boolean {
  return /\.parquet$/i.test(facts);
}

/** A table with the map of its columns. */
async function namedTable(
  reader: FactReader,
  { facts, at, columns, counts, holdout }: FactsFile,
): Promise<FactsOptions> {
  const own = { ...(counts ? { counts } : {}), ...(holdout === undefined ? {} : { holdout }) };
  return { file: facts, at, ...(await loadColumns(columns, reader.facts)), ...own };
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
    await notesOf(file).add(file.facts, opened, stderr);
    yield* read(opened);
  } finally {
    db.close();
  }
}

/** What is read of a file by columns: facts of a table. */
export type ColumnReader = FactReader & { readonly read: ReadonlySet<string> };

/** The rows of a Parquet file as columns, in their order, some thousands at a time; says which columns do not fit. */
export function readParquetChunks(reader: ColumnReader, file: FactsFile, io: Io): AsyncGenerator<FileChunk> {
  return readParquet(reader, file, io.stderr, ({ chunks }) => chunks());
}

function notesOf({ columnNotes = new ColumnNotes() }: FactsFile): ColumnNotes {
  return columnNotes;
}
