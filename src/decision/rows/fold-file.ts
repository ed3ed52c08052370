/** A Parquet or CSV file with texts as they came -> the same file with folded texts, as exported SQL expects. */

import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { VerdictError } from '../../errors.ts';
import type { FactTable } from '../../facts/catalog.ts';
import type { Format } from '../../formats/format.ts';
import { nameFile, temporaryName } from '../../platform/files/disk-file.ts';
import { DIALECTS } from '../sql/dialect.ts';
import { columnOf } from '../sql/table-columns.ts';
import type { DuckDb } from './duckdb.ts';
import { checkColumn, fileError, registerTextReaders, writeFold } from './fact-columns.ts';
import { endingOf, isTableFile, openRowFile, ROW, type RowFile } from './row-file.ts';

/** How each kind of file is written. */
const FORMATS: Readonly<Record<string, string>> = { '.parquet': 'FORMAT parquet', '.csv': 'FORMAT csv, HEADER' };

/** A file with more bad rows is not read to its end. */
const MOST_PROBLEMS = 10;

const { identifier, text } = DIALECTS.duckdb;

/** What to fold. */
export interface FoldFileOptions {
  readonly from: string;
  readonly to: string;
  /** Ends the work; `foldFile` then rejects with the signal's reason, and leaves no file. */
  readonly signal: AbortSignal;
}

/** What was folded. */
export interface FoldedFile {
  readonly columns: readonly string[];
  /** The formats of texts that became NULL; `text` for texts without a format. */
  readonly refused: ReadonlySet<Format | 'text'>;
}

/**
 * Writes `to`, which must not exist, and returns the names of the folded columns: those of the table's text facts,
 * named by the convention. A text that the fact cannot have becomes NULL. Only its owner can read the file, which gets
 * its name when it is complete. Throws CONFIGURATION_INVALID, and leaves no file, if a file, a column or a row cannot
 * be used, and an error of Node if `to` cannot be written.
 */
export async function foldFile(
  table: FactTable,
  db: DuckDb,
  { from, to, signal }: FoldFileOptions,
): Promise<FoldedFile> {
  for (const file of [from, to]) {
    if (!isTableFile(file)) throw fileError(`${file}: expected a .parquet or .csv file`);
  }
  // Never overwrites: a copy cannot be distinguished from the file that it was made of.
  if (existsSync(to)) throw fileError(`${to} exists; expected a new file`);
  const rows = await openRowFile(db, from, { mostProblems: MOST_PROBLEMS });
  const refused = new Set<Format | 'text'>();
  registerTextReaders(db, (format) => {
    refused.add(format ?? 'text');
    return undefined;
  });
  const texts = new Map(
    [...table].flatMap(([path, definition]) => {
      const column = columnOf(path);
      return definition.type === 'string' && rows.types.has(column) ? [[column, definition]] : [];
    }),
  );
  const columns = [...texts.keys()];
  for (const column of columns) checkColumn(rows, column, 'string');
  const folded = [...texts].map(([column, definition]) => {
    return `${writeFold(`file.${identifier(column)}`, definition)} AS ${identifier(column)}`;
  });
  const replaced = folded.length === 0 ? '' : ` REPLACE (${folded.join(', ')})`;
  const select = `SELECT * EXCLUDE (${identifier(ROW)})${replaced} FROM file`;
  const written = temporaryName(to);
  try {
    await interruptible(db, signal, () => {
      return writeRows(db, rows, select, { file: written, format: FORMATS[endingOf(to)] ?? '' });
    });
    nameFile(written, to);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof VerdictError || (error instanceof Error && 'syscall' in error)) throw error;
    throw rows.problems.size > 0
      ? badRows(from, rows)
      : fileError(`${from} cannot be read, or ${to} cannot be written`);
  } finally {
    rmSync(written, { force: true });
  }
  return { columns, refused };
}

/** DuckDB ignores an interrupt before its statement has begun, so it is repeated. */
const INTERRUPT_EVERY_MS = 50;

async function interruptible({ connection }: DuckDb, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', interrupt);
  try {
    await run();
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', interrupt);
    clearInterval(timer);
  }
}

/** Writes a new file, for its owner alone, and makes it durable. */
async function writeRows(
  { connection }: DuckDb,
  rows: RowFile,
  select: string,
  { file, format }: { readonly file: string; readonly format: string },
): Promise<void> {
  const opened = openSync(file, 'wx', 0o600);
  try {
    // Without its own temporary file, DuckDB writes into ours, and keeps its mode.
    const copy = `COPY (${select}) TO ${text(resolve(file))} (${format}, USE_TMP_FILE false)`;
    const [copied] = (await connection.runAndReadAll(copy)).getRowsJS();
    rows.checkCount(Number(copied?.[0]));
    if (rows.problems.size > 0) throw new RangeError('bad rows');
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function badRows(file: string, { problems }: RowFile): VerdictError {
  const shownProblems = [...problems].slice(0, MOST_PROBLEMS).map(([line, problem]) => `line ${line}: ${problem}`);
  const more = problems.size > MOST_PROBLEMS ? ['more rows cannot be read'] : [];
  return fileError([`${file} was not folded:`, ...shownProblems, ...more].join('\n'));
}
