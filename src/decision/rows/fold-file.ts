/** A Parquet or CSV file with texts as they came -> the same file with folded texts, as exported SQL expects. */

import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { VerdictError } from '../../errors.ts';
import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { nameFile, temporaryName } from '../../platform/files/disk-file.ts';
import { fold } from '../../platform/formats/fold.ts';
import { type Format, readFormat } from '../../platform/formats/format.ts';
import { mailboxOf } from '../../platform/formats/mailbox.ts';
import { trimWhiteSpace } from '../../text.ts';
import { DIALECTS } from '../sql/dialect.ts';
import { columnOf } from '../sql/table-columns.ts';
import { openCsv, problemOf, readRecords } from './csv-file.ts';
import { type DuckDb, openDuckDb } from './duckdb.ts';
import { checkColumn, columnKey, fileError } from './fact-columns.ts';
import { openParquetFile } from './parquet-file.ts';
import { checkNames, endingOf, isTableFile, ROW, stateOf } from './table-file.ts';

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

/**
 * Writes `to`, which must not exist, and returns the names of the folded columns: those of the table's text facts,
 * named by the convention. A text that the fact cannot have becomes NULL. Only its owner can read the file, which gets
 * its name when it is complete. Throws CONFIGURATION_INVALID, and leaves no file, if a file, a column or a row cannot
 * be used, and an error of Node if `to` cannot be written.
 */
export async function foldFile(table: FactTable, { from, to, signal }: FoldFileOptions) {
  for (const file of [from, to]) {
    if (!isTableFile(file)) throw fileError(`${file}: expected a .parquet or .csv file`);
  }
  // Never overwrites: a copy cannot be distinguished from the file that it was made of.
  if (existsSync(to)) throw fileError(`${to} exists; expected a new file`);
  const texts = new Map(
    [...table].flatMap(([path, definition]) => (definition.type === 'string' ? [[columnOf(path), definition]] : [])),
  );
  const refused = new Set<Format | 'text'>();
  const foldText: FoldText = ({ format, isMailbox }, text) => {
    const form = format === undefined ? fold(text) : formOf(format, text);
    const folded = isMailbox && form !== undefined ? mailboxOf(form) : form;
    if (folded === undefined && trimWhiteSpace(text) !== '') refused.add(format ?? 'text');
    return folded;
  };
  const written = temporaryName(to);
  // What is read of a CSV file stays text, in a Parquet file too.
  const [isCsv, isToCsv] = [from, to].map((file) => endingOf(file) === '.csv');
  const folded = isCsv && !isToCsv ? `${written}.csv` : written;
  const db = isCsv && isToCsv ? undefined : await openDuckDb();
  try {
    const work = { from, texts, foldText, signal };
    const { names = [], columns } =
      isCsv || !db ? await foldCsv(work, folded) : await foldParquet(db, work, written, endingOf(to));
    if (db && folded !== written) {
      const types = names.map((name) => `${text(name)}: 'VARCHAR'`).join(', ');
      const select = `SELECT * FROM read_csv(${text(resolve(folded))}, columns = {${types}}, ${AS_WRITTEN})`;
      const format = FORMATS['.parquet'] ?? '';
      await interruptible(db, signal, () => writeRows(db, select, { file: written, format }));
    }
    nameFile(written, to);
    return {
      columns,
      /** The formats of texts that became NULL; `text` for texts without a format. */
      refused,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof VerdictError || (error instanceof Error && 'syscall' in error)) throw error;
    throw fileError(`${from} cannot be read, or ${to} cannot be written`);
  } finally {
    db?.close();
    for (const file of [written, folded]) rmSync(file, { force: true });
  }
}

/** How DuckDB reads what `csvLine` writes. */
const AS_WRITTEN = `header = true, auto_detect = false, delim = ',', quote = '"', escape = '"'`;

/** The form in which a fact is compared; undefined for a text that the fact cannot have. */
type FoldText = (definition: FactDefinition, text: string) => string | undefined;

function formOf(format: Format, text: string): string | undefined {
  const read = readFormat(format, text);
  return 'value' in read ? String(read.value) : undefined;
}

/** What to fold, and how. */
interface Folding {
  readonly from: string;
  /** The columns of texts by their names, whatever the case. */
  readonly texts: ReadonlyMap<string, FactDefinition>;
  readonly foldText: FoldText;
  readonly signal: AbortSignal;
}

/** The names of the folded columns; of a CSV file also those of all, as they are written. */
interface FoldedColumns {
  readonly names?: readonly string[];
  readonly columns: readonly string[];
}

/** So many records are written at once. */
const RECORDS_AT_ONCE = 2000;

/** Writes a new file, for its owner alone, and makes it durable. */
async function foldCsv({ from, texts, foldText, signal }: Folding, to: string): Promise<FoldedColumns> {
  const stateAtFirst = stateOf(from);
  const source = openCsv(from);
  const problems: string[] = [];
  let opened: number | undefined;
  try {
    const { names } = source;
    checkNames(from, names);
    const definitions = names.map((name) => texts.get(columnKey(name)));
    opened = openSync(to, 'wx', 0o600);
    let lines = [csvLine(names)];
    for (const record of readRecords(source)) {
      const problem = problemOf(record, source);
      if (problem !== undefined) problems.push(`line ${record.line}: ${problem}`);
      if (problems.length > MOST_PROBLEMS) break;
      const values = 'values' in record ? record.values : [];
      lines.push(
        csvLine(values.map((value, i) => (definitions[i] && value !== '' ? foldText(definitions[i], value) : value))),
      );
      if (lines.length < RECORDS_AT_ONCE) continue;
      writeSync(opened, lines.join(''));
      lines = [];
      await setImmediate();
      signal.throwIfAborted();
    }
    writeSync(opened, lines.join(''));
    fsyncSync(opened);
    if (problems.length > 0) throw badRows(from, problems);
    if (stateOf(from) !== stateAtFirst) throw fileError(`${from} changed while it was read`);
    return { names, columns: names.flatMap((name, i) => (definitions[i] ? [columnKey(name)] : [])) };
  } finally {
    closeSync(source.opened);
    if (opened !== undefined) closeSync(opened);
  }
}

/** A record of RFC 4180; nothing for a value that is missing. */
function csvLine(values: readonly (string | undefined)[]): string {
  const cells = values.map((value = '') => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value));
  return `${cells.join()}\n`;
}

async function foldParquet(
  db: DuckDb,
  { from, texts, foldText, signal }: Folding,
  to: string,
  ending: string,
): Promise<FoldedColumns> {
  const rows = await openParquetFile(db, from);
  const columns = [...texts].filter(([column]) => rows.types.has(column));
  const folded = columns.map(([column, definition], i) => {
    checkColumn(rows, column, 'string');
    registerReader(db, `verdict_fold_${i}`, (each) => foldText(definition, each));
    return `verdict_fold_${i}(CAST(file.${identifier(column)} AS VARCHAR)) AS ${identifier(column)}`;
  });
  const replaced = folded.length === 0 ? '' : ` REPLACE (${folded.join(', ')})`;
  const select = `SELECT * EXCLUDE (${identifier(ROW)})${replaced} FROM file`;
  const format = FORMATS[ending] ?? '';
  await interruptible(db, signal, async () => rows.checkCount(await writeRows(db, select, { file: to, format })));
  return { columns: columns.map(([column]) => column) };
}

/** Registers a function of a text; NULL stays NULL. */
function registerReader(
  { connection, package: { DuckDBScalarFunction, VARCHAR } }: DuckDb,
  name: string,
  read: (text: string) => string | undefined,
): void {
  const scalar = DuckDBScalarFunction.create({
    name,
    returnType: VARCHAR,
    parameterTypes: [VARCHAR],
    mainFunction: (_, input, output) => {
      const texts = input.getColumnVector(0);
      // Each look at it is a call to DuckDB.
      const { rowCount } = input;
      for (let i = 0; i < rowCount; i++) {
        const text = texts.getItem(i);
        output.setItem(i, text === null ? null : (read(String(text)) ?? null));
      }
      output.flush();
    },
  });
  connection.registerScalarFunction(scalar);
}

/** DuckDB ignores an interrupt before its statement has begun, so it is repeated. */
const INTERRUPT_EVERY_MS = 50;

async function interruptible({ connection }: DuckDb, signal: AbortSignal, run: () => Promise<unknown>): Promise<void> {
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

/** Writes a new file, for its owner alone, and makes it durable. Gives the number of rows. */
async function writeRows(
  { connection }: DuckDb,
  select: string,
  { file, format }: { readonly file: string; readonly format: string },
): Promise<number> {
  const opened = openSync(file, 'wx', 0o600);
  try {
    // Without its own temporary file, DuckDB writes into ours, and keeps its mode.
    const copy = `COPY (${select}) TO ${text(resolve(file))} (${format}, USE_TMP_FILE false)`;
    const [copied] = (await connection.runAndReadAll(copy)).getRowsJS();
    fsyncSync(opened);
    return Number(copied?.[0]);
  } finally {
    closeSync(opened);
  }
}

function badRows(file: string, problems: readonly string[]): VerdictError {
  const more = problems.length > MOST_PROBLEMS ? ['more rows cannot be read'] : [];
  return fileError([`${file} was not folded:`, ...problems.slice(0, MOST_PROBLEMS), ...more].join('\n'));
}
