/** A CSV file -> the facts of its rows. */

import { closeSync } from 'node:fs';
import type { FactDefinition } from '../../facts/catalog.ts';
import { isDay } from '../../facts/day.ts';
import { type Fact, isMissing, NEVER } from '../../facts/fact.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import { readDayOrInstant } from '../../facts/instant.ts';
import { AMBIGUOUS_NUMBER, withDecimalPoint } from '../../platform/files/csv.ts';
import { trimWhiteSpace } from '../../text.ts';
import { openCsv, problemOf, readRecords } from './csv-file.ts';
import {
  BAD_DAY,
  columnKey,
  decidedBy,
  type FactReader,
  type FactsOptions,
  fileError,
  findColumns,
  readBy,
  readCell,
} from './fact-columns.ts';
import { countsAt, NO_COUNTS } from './row-counts.ts';
import { checkNames, stateOf } from './table-file.ts';

/** The cells of a row by their columns. */
type Cells = (column: string) => string | undefined;

/**
 * Opens a file. Derived facts have columns of their own, as for SQL. Throws CONFIGURATION_INVALID if the file or its
 * columns cannot be used.
 */
export function openCsvFacts(
  policy: FactReader,
  { file, at, columns = {}, counts = NO_COUNTS, holdout }: FactsOptions,
) {
  const stateAtFirst = stateOf(file);
  const source = openCsv(file);
  const close = () => closeSync(source.opened);
  try {
    checkNames(file, source.names);
    const indexes = new Map(source.names.map((name, i) => [columnKey(name), i]));
    const shape = { names: source.names, types: new Map([...indexes.keys()].map((name) => [name, 'VARCHAR'])) };
    const { present, counted, absent, unread, decided } = findColumns(policy, columns, shape, counts, holdout);
    const wanted = present.filter(({ path }) => policy.read?.has(path) ?? true);
    const hasValue = new Map<string, boolean>();
    const readRow = (cells: Cells, line: number): FactsLine | { readonly problem: string } => {
      const read = readDayOrInstant(cells('at') ?? at, policy.timeZone);
      if (!read) return BAD_DAY;
      const { at: day } = read;
      let unclear: string | undefined;
      const own = wanted.map(({ path, definition, columns: found }) => {
        const written = cells(found.column);
        const isNumber = definition.type === 'number' || definition.type === 'integer';
        const cell = written && isNumber ? withDecimalPoint(written, source.delimiter) : written;
        if (written && cell === undefined) unclear ??= found.column;
        const isNever = found.never !== undefined && cells(found.never) === 'true';
        const fact = factOf(definition, cell, isNever, day);
        const isValue = !isMissing(fact);
        if (isValue || fact.missing === 'invalid') {
          hasValue.set(found.column, isValue || (hasValue.get(found.column) ?? false));
        }
        return [path, fact] as const;
      });
      if (unclear !== undefined) return { problem: `the number in ${unclear}: ${AMBIGUOUS_NUMBER}` };
      const facts = readBy(policy.facts, day, [...own, ...countsAt(counted, line)]);
      const clientReference = cells('client_reference');
      return {
        ...{ facts, ...read },
        ...(clientReference === undefined ? {} : { clientReference }),
        ...decidedBy(decided, (name) => cells(decided[name] ?? '')),
      };
    };
    return {
      ...{ absent, unread },
      /** The columns with texts of which none was read as a value, once the rows were read. */
      unreadable: () => [...hasValue].flatMap(([column, has]) => (has ? [] : column)),
      /** Reads the rows, in their order, and closes the file. Throws CONFIGURATION_INVALID if it changed meanwhile. */
      *rows() {
        try {
          for (const record of readRecords(source)) {
            const problem = problemOf(record, source);
            const values = 'values' in record ? record.values : [];
            const cells: Cells = (column) => values[indexes.get(columnKey(column)) ?? -1] || undefined;
            yield { number: record.line, ...(problem === undefined ? readRow(cells, record.line) : { problem }) };
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

function factOf(definition: FactDefinition, cell: string | undefined, isNever: boolean, day: string): Fact {
  const read = cell === undefined ? undefined : valueIn(cell, definition);
  const isBlank = cell === undefined || trimWhiteSpace(cell) === '';
  // A cell that is not a day contradicts `never` as a day does.
  const value = isNever ? (isBlank ? NEVER : `${cell} and never`) : read;
  return readCell(definition, value, cell, day);
}

/** The value of a cell of text; undefined if it cannot be read. */
function valueIn(cell: string, { type }: FactDefinition): unknown {
  return (READERS[type] ?? asText)(cell);
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
