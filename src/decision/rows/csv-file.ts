/** A CSV file -> its records. */

import { closeSync, readSync } from 'node:fs';
import {
  type CsvRecord,
  findDelimiter,
  problemOfHeader,
  RecordSplitter,
  splitRecord,
  whyNotSplit,
  wrongLength,
} from '../../platform/files/csv.ts';
import { LineSplitter } from '../../platform/files/lines.ts';
import { decodeLine, MAX_TEXT_LINE_BYTES, type TextLine } from '../../platform/files/text-lines.ts';
import { fileError } from './fact-columns.ts';
import { openRegularFile } from './table-file.ts';

/** Opens a file; throws CONFIGURATION_INVALID if it or its header cannot be read. The caller closes `opened`. */
export function openCsv(file: string): CsvSource {
  const opened = openRegularFile(file);
  try {
    for (const line of readLines(opened)) {
      if ('text' in line && line.text.trim() === '') continue;
      return { opened, header: line.number, ...readHeader(file, line) };
    }
    throw fileError(`${file} is empty; expected the names of the columns in its first line`);
  } catch (error) {
    closeSync(opened);
    throw error;
  }
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
  const problem = problemOfHeader(line.text);
  if (problem !== undefined) throw wrong(problem);
  const delimiter = findDelimiter(line.text);
  const names = splitRecord(line.text, delimiter)?.map((name) => name.trim());
  if (!names) throw wrong(whyNotSplit(line.text));
  const unnamed = names.indexOf('');
  if (unnamed >= 0) throw wrong(`column ${unnamed + 1} has no name`);
  return { names, delimiter };
}

const CHUNK_BYTES = 256 * 1024;

/** The lines of a file from its beginning. */
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

/** Why a record is not a row of the file; undefined for a row. */
export function problemOf(record: CsvRecord, { names, delimiter }: CsvSource): string | undefined {
  if ('problem' in record) return record.problem;
  return record.values.length === names.length ? undefined : wrongLength(record.values, names.length, delimiter);
}
