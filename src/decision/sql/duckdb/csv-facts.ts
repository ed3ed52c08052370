/** A CSV file with columns by the convention or a map -> the facts of its rows, as SQL on DuckDB reads them. */

import { closeSync } from 'node:fs';
import type { FactDefinition } from '../../../facts/catalog.ts';
import { setComputed } from '../../../facts/compute.ts';
import { isDay } from '../../../facts/day.ts';
import { type Fact, NEVER } from '../../../facts/fact.ts';
import type { FactsLine } from '../../../facts/facts-line.ts';
import type { ColumnMap, PresentColumns } from '../column-names.ts';
import { openCsv, problemOf, readRecords } from './csv-file.ts';
import { type FactReader, findColumns } from './fact-columns.ts';
import { columnKey, fileError, readCell } from './file-column.ts';
import { BAD_DAY, type Numbered } from './file-rows.ts';
import { checkNames, stateOf } from './row-file.ts';

/** An open file of facts. */
export interface CsvFacts {
  /** The columns of facts that the policy reads and the file lacks: these facts are missing in every row. */
  readonly absent: readonly string[];
  /** Reads the rows, in their order, and closes the file. Throws CONFIGURATION_INVALID if it changed meanwhile. */
  rows(): Generator<Numbered<FactsLine>>;
}

/** The cells of a row by their columns. */
type Cells = (column: string) => string | undefined;

/**
 * Opens a file. Derived facts have columns of their own, as for SQL. Throws CONFIGURATION_INVALID if the file or its
 * columns cannot be used.
 *
 * @param at the day of rows without a day in the column `at`, yyyy-MM-dd
 */
export function openCsvFacts(
  policy: FactReader,
  { file, at, columns = {} }: { readonly file: string; readonly at: string; readonly columns?: ColumnMap },
): CsvFacts {
  const stateAtFirst = stateOf(file);
  const files = new Set<number>();
  const close = () => {
    for (const opened of files) closeSync(opened);
  };
  try {
    const source = openCsv({ files }, file);
    checkNames(file, source.names);
    const indexes = new Map(source.names.map((name, i) => [columnKey(name), i]));
    const shape = { types: new Map([...indexes.keys()].map((name) => [name, 'VARCHAR'])), isText: true };
    const { present, absent } = findColumns(policy, columns, shape);
    const readRow = (cells: Cells): FactsLine | { readonly problem: string } => {
      const day = cells('at') ?? at;
      if (!isDay(day)) return BAD_DAY;
      const facts = new Map(
        present.map(({ path, definition, columns: found }) => [path, factOf(definition, found, cells, day)]),
      );
      setComputed(facts, policy.facts);
      const clientReference = cells('client_reference');
      return { facts, at: day, ...(clientReference === undefined ? {} : { clientReference }) };
    };
    return {
      absent,
      *rows() {
        try {
          for (const record of readRecords(source)) {
            const problem = problemOf(record, source.names.length);
            const values = 'values' in record ? record.values : [];
            const cells: Cells = (column) => values[indexes.get(columnKey(column)) ?? -1] || undefined;
            yield { number: record.line, ...(problem === undefined ? readRow(cells) : { problem }) };
          }
        } finally {
          close();
        }
        if (stateOf(file) !== stateAtFirst) throw fileError(`${file} changed while it was read`);
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

function factOf(definition: FactDefinition, { column, never }: PresentColumns, cells: Cells, day: string): Fact {
  const cell = cells(column);
  const read = cell === undefined ? undefined : (READERS[definition.type] ?? asText)(cell);
  const isNever = never !== undefined && cells(never) === 'true';
  const value = isNever ? (read === undefined ? NEVER : `${read} and never`) : read;
  return readCell(definition, value, cell, day);
}

/** How a cell is read, by type of fact; undefined for one that cannot be read. */
const READERS: { readonly [Type in FactDefinition['type']]?: (cell: string) => unknown } = {
  number: numberOf,
  integer: numberOf,
  boolean: (cell) => ({ true: true, false: false })[cell],
  date: (cell) => (isDay(cell) ? cell : undefined),
};

/** A number as JSON writes it. */
function numberOf(cell: string): number | undefined {
  return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(cell) ? Number(cell) : undefined;
}

const asText = (cell: string) => cell;
