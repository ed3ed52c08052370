/** A CSV file -> its header and its records, in bounded memory; nothing about it is guessed. */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import {
  type CsvRecord,
  findDelimiter,
  RecordSplitter,
  splitRecord,
  whyNotSplit,
} from '../../../platform/files/csv.ts';
import { LineSplitter } from '../../../platform/lines.ts';
import { decodeLine, MAX_TEXT_LINE_BYTES, type TextLine } from '../../../platform/text-lines.ts';
import { count } from '../../../text.ts';
import type { DuckDb } from './duckdb.ts';
import { fileError } from './file-column.ts';

/** Opens a file that is neither a folder nor a device or pipe; throws CONFIGURATION_INVALID otherwise. */
export function openRegularFile(file: string): number {
  let opened: number;
  try {
    // Without waiting for the other end of a pipe.
    opened = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw fileError(code === 'ENOENT' ? `${file}: no such file` : `${file} cannot be read (${code})`);
  }
  const stats = fstatSync(opened);
  if (stats.isFile()) return opened;
  closeSync(opened);
  throw fileError(`${file} is ${stats.isDirectory() ? 'a folder' : 'not a regular file'}; expected a file`);
}

/** Opens a file and adds it to `files`; throws CONFIGURATION_INVALID if it or its header cannot be read. */
export function openCsv({ files }: Pick<DuckDb, 'files'>, file: string): CsvSource {
  const opened = openRegularFile(file);
  files.add(opened);
  for (const line of readLines(opened)) {
    if ('text' in line && line.text.trim() === '') continue;
    return { opened, header: line.number, ...readHeader(file, line) };
  }
  throw fileError(`${file} is empty; expected the names of the columns in its first line`);
}

/** An open file. */
export interface CsvSource {
  readonly opened: number;
  /** The line of the header. */
  readonly header: number;
  readonly names: readonly string[];
  readonly delimiter: string;
}

function readHeader(file: string, line: TextLine): Pick<CsvSource, 'names' | 'delimiter'> {
  // A name is not shown: without a header, it would be a value.
  const wrong = (problem: string) => fileError(`${file}, line ${line.number}, the header: ${problem}`);
  if ('problem' in line) throw wrong(`${line.problem}; save the file as UTF-8`);
  if (line.text.includes('\0')) throw wrong('it contains U+0000; save the file as UTF-8');
  const delimiter = findDelimiter(line.text);
  const names = splitRecord(line.text, delimiter)?.map((name) => name.trim());
  if (!names) throw wrong(whyNotSplit(line.text));
  const unnamed = names.indexOf('');
  if (unnamed >= 0) throw wrong(`column ${unnamed + 1} has no name`);
  return { names, delimiter };
}

const CHUNK_BYTES = 256 * 1024;

/** The lines of a file from its beginning. Synchronous, because a table function is. */
function* readLines(opened: number): Generator<TextLine> {
  const splitter = new LineSplitter(MAX_TEXT_LINE_BYTES);
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const bytes = readSync(opened, chunk, 0, CHUNK_BYTES, at);
    if (bytes === 0) break;
    at += bytes;
    for (const line of splitter.push(chunk.subarray(0, bytes))) yield decodeLine(line);
  }
  const last = splitter.end();
  if (last) yield decodeLine(last);
}

/** The records below the header. */
export function* readRecords({ opened, header, names, delimiter }: CsvSource): Generator<CsvRecord> {
  const splitter = new RecordSplitter(delimiter, { keepsBlank: names.length === 1 });
  for (const line of readLines(opened)) if (line.number > header) yield* splitter.push(line);
  yield* splitter.end();
}

/** Why a record is no row of the file; undefined for a row. */
export function problemOf(record: CsvRecord, columns: number): string | undefined {
  if ('problem' in record) return record.problem;
  const { length } = record.values;
  return length === columns ? undefined : `${count(length, 'value')}; the header has ${count(columns, 'column')}`;
}
