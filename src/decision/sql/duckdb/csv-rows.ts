/** A CSV file -> a table function of DuckDB that gives its rows: our own reader, so that nothing is guessed. */

import type { CsvRecord } from '../../../platform/files/csv.ts';
import { type CsvSource, problemOf, readRecords } from './csv-file.ts';
import type { DuckDb } from './duckdb.ts';

/** The rows of a CSV file. */
export interface CsvRows {
  /** The problems of rows given so far, by line. Such a row has no cells. */
  readonly problems: Map<number, string>;
  /** The number of rows, once all were given. */
  count(): number | undefined;
}

/** The rows that DuckDB takes at once. */
const VECTOR_ROWS = 2048;

/** What a scan of the file needs. */
interface Scan {
  readonly records: Generator<CsvRecord>;
  /** The indexes of the columns that the query reads. */
  readonly columns: readonly number[];
  rows: number;
}

/**
 * Registers the table function `name`: a VARCHAR column for each column of the file, NULL for an empty cell, and the
 * column `row`, the line of each row. A scan fails once it finds more than `mostProblems` bad rows.
 */
export function registerCsv(
  { connection, package: { DuckDBTableFunction, DOUBLE, VARCHAR } }: DuckDb,
  source: CsvSource,
  { name, row, mostProblems }: { readonly name: string; readonly row: string; readonly mostProblems: number },
): CsvRows {
  const { names } = source;
  const problems = new Map<number, string>();
  let rows: number | undefined;
  const next = (scan: Scan): CsvRecord | undefined => {
    const { value: record, done } = scan.records.next();
    if (done) {
      rows = scan.rows;
      return undefined;
    }
    scan.rows += 1;
    const problem = problemOf(record, names.length);
    if (problem === undefined) return record;
    problems.set(record.line, problem);
    if (problems.size > mostProblems) throw new RangeError('too many bad rows');
    return { line: record.line, end: record.end, values: [] };
  };
  const reading = DuckDBTableFunction.create({
    name,
    supportsProjectionPushdown: true,
    bindFunction: (info) => {
      for (const each of names) info.addResultColumn(each, VARCHAR);
      info.addResultColumn(row, DOUBLE);
    },
    initFunction: (info) => {
      info.setMaxThreads(1);
      const scan: Scan = { records: readRecords(source), columns: info.getColumnIndexes(), rows: 0 };
      info.setInitData(scan);
    },
    mainFunction: (info, output) => {
      const scan = info.getInitData() as Scan;
      const columns = scan.columns.map((): (string | number | null)[] => []);
      let size = 0;
      for (let record = next(scan); record; record = size < VECTOR_ROWS ? next(scan) : undefined) {
        size += 1;
        const values = 'values' in record ? record.values : [];
        for (const [i, column] of scan.columns.entries()) {
          columns[i]?.push(column < names.length ? values[column] || null : record.line);
        }
      }
      output.rowCount = size;
      for (const [i, cells] of columns.entries()) output.setColumnValues(i, cells);
    },
  });
  connection.registerTableFunction(reading);
  return { problems, count: () => rows };
}
