/** Columns of facts in typed arrays -> the result of every row, by the matcher. */

import { type FactDefinition, type FactTable, LEVELS } from '../../facts/catalog.ts';
import { computeFact, factsAmong } from '../../facts/compute.ts';
import { completedYears, dayNumber, dayOfNumber, LAST_DAY } from '../../facts/day.ts';
import { type Cause, type Fact, type Facts, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';
import { NOT_GIVEN, readFact } from '../../facts/fact-reader.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import { stepOf } from '../../policy/cells/segments.ts';
import type { NumberCells } from '../../policy/cells/value-axis.ts';
import { type Condition, factsOf } from '../../policy/language.ts';
import { evaluate } from '../meaning/truth.ts';
import { cellOfTruth, findCell, MISSING_CELL } from './cell-lookup.ts';

/** A number or integer as it is; a boolean as 0 or 1; a level by its index from 0; a date in days since 1970. */
export interface NumberColumn {
  readonly numbers: ArrayLike<number>;
  /** Not 0 in rows whose fact is missing. NaN and numbers that the fact cannot have are missing too. */
  readonly missing?: ArrayLike<number>;
  /** For dates: not 0 in rows whose date is known never to have happened. Beside a number, the date is missing. */
  readonly never?: ArrayLike<number>;
  /** By row, why the fact is missing, where it is; default: not given. */
  readonly causes?: readonly (Cause | undefined)[];
}

/** Texts: a string folded, an enum value or level by name. */
export interface TextColumn {
  /** By row, the index of its text in `texts`. */
  readonly codes: ArrayLike<number>;
  readonly texts: readonly string[];
  /** Not 0 in rows whose fact is missing. A text that the fact cannot have is missing too. */
  readonly missing?: ArrayLike<number>;
  /** By row, why the fact is missing, where it is; default: not given. */
  readonly causes?: readonly (Cause | undefined)[];
}

/** The values of one fact, with a row for each applicant. */
export type Column = NumberColumn | TextColumn;

/** Columns by path, all with the same number of rows. A fact without a column is missing in every row. */
export interface Columns {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Column>;
}

function isTextColumn(column: Column): column is TextColumn {
  return 'codes' in column;
}

/** The day of each row. */
export interface Days {
  /** As yyyy-MM-dd. */
  at(row: number): string;
  /** In days since 1970. */
  numberAt(row: number): number;
}

/** One day for all rows, yyyy-MM-dd. */
export function everyRowOn(day: string): Days {
  const number = dayNumber(day);
  return { at: () => day, numberAt: () => number };
}

/** Whether a column says something of a row: a value, be it one that its fact cannot have, or why there is none. */
export function hasContent(column: Column | undefined, row: number): boolean {
  if (column?.causes?.[row] !== undefined) return true;
  if (column === undefined || column.missing?.[row]) return false;
  if (isTextColumn(column)) return column.texts[numberIn(column.codes, row)] !== undefined;
  return isNever(column, row) || !Number.isNaN(numberIn(column.numbers, row));
}

/** A fact of a row; not given without a column. A fact that the policy computes is computed from its operands. */
export function factAt({ columns }: Columns, table: FactTable, path: string, row: number, day: string): Fact {
  const definition = table.get(path);
  if (!definition?.compute) {
    const column = columns.get(path);
    if (!column || !definition) return NOT_GIVEN;
    const value = valueAt(column, definition, row);
    const cause = column.causes?.[row];
    return readFact(definition, value === null && cause ? { missing: cause } : { value }, day);
  }
  const { compute, inputs = factsAmong(compute.operands) } = definition;
  const facts = new Map<string, Fact>();
  for (const input of inputs) facts.set(input, factAt({ rows: 0, columns }, table, input, row, day));
  return computeFact(definition, compute, facts);
}

/** The value of a row; null if it is missing. INVARIANT: callers pass it to `readFact`, which rejects bad values. */
function valueAt(column: Column, { type }: FactDefinition, row: number): FactValue | null {
  if (column.missing?.[row]) return null;
  if (isTextColumn(column)) return column.texts[numberIn(column.codes, row)] ?? null;
  const number = numberIn(column.numbers, row);
  // A day that never happened is a contradiction, which no reader accepts.
  if (isNever(column, row)) return Number.isNaN(number) ? NEVER : `${number} and never`;
  return Number.isNaN(number) ? null : fromNumber(number, type);
}

/** The number of a row; NaN if there is anything else, which JavaScript would turn into a number. */
function numberIn(numbers: ArrayLike<number>, row: number): number {
  const number: unknown = numbers[row];
  return typeof number === 'number' ? number : Number.NaN;
}

/** Whether a row says that its date never happened. Anything but a number or a boolean says nothing. */
function isNever({ never }: NumberColumn, row: number): boolean {
  const flag: unknown = never?.[row];
  return flag === true || (typeof flag === 'number' && flag !== 0 && !Number.isNaN(flag));
}

function fromNumber(number: number, type: FactDefinition['type']): FactValue | null {
  switch (type) {
    case 'boolean':
      return number === 0 || number === 1 ? number === 1 : null;
    case 'level':
      return LEVELS[number] ?? null;
    case 'date':
      return Number.isInteger(number) && number >= FIRST_DAY_NUMBER && number <= LAST_DAY_NUMBER
        ? dayOfNumber(number)
        : String(number);
    default:
      return number;
  }
}

/** 0001-01-01 and 9999-12-31. */
const FIRST_DAY_NUMBER = -719_162;
const LAST_DAY_NUMBER = 2_932_896;

/** Fills `cells` with the cells of as many rows, from the row `from` on. */
type CellWriter = (cells: Int32Array, from: number) => void;

/** Creates the writer of an axis or a condition. */
export function createCellWriter(source: Axis | Condition, given: Columns, table: FactTable, days: Days): CellWriter {
  const read = (path: string, row: number): Fact => factAt(given, table, path, row, days.at(row));
  if ('kind' in source) {
    const paths = [...factsOf(source)];
    return rowByRow((row) => {
      const facts: Facts = new Map(paths.map((path) => [path, read(path, row)]));
      return cellOfTruth(evaluate(source, facts, days.at(row)));
    });
  }
  const { fact, other } = source;
  const column = given.columns.get(fact);
  const definition = table.get(fact);
  if (other !== undefined) return rowByRow((row) => findCell(source, read(fact, row), read(other, row), days.at(row)));
  if (definition?.compute) return rowByRow((row) => findCell(source, read(fact, row), undefined, days.at(row)));
  if (!column || !definition) return (cells) => cells.fill(MISSING_CELL);
  if (isTextColumn(column) && definition.type !== 'date') {
    // In a list that is a test of its own, entries may end on a day.
    const isSameEveryDay = source.named !== undefined || source.numbers !== undefined;
    return textWriter(column, source, definition, isSameEveryDay ? undefined : days, given.rows);
  }
  if (!isTextColumn(column) && definition.type === 'boolean') return booleanWriter(column, source, given.rows);
  if (isTextColumn(column) || !source.numbers) {
    return rowByRow((row) => findCell(source, read(fact, row), undefined, days.at(row)));
  }
  return numberWriter(column, source.numbers, source.firstValue, definition, days, given.rows);
}

function rowByRow(find: (row: number) => number): CellWriter {
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) cells[i] = find(from + i);
  };
}

/** Looks up the cell of each text once, or once a day if its list has entries that end. */
function textWriter(
  { codes, texts, missing }: TextColumn,
  axis: Axis,
  definition: FactDefinition,
  days: Days | undefined,
  rows: number,
): CellWriter {
  const indexes = numbersIn({ numbers: codes, ...(missing ? { missing } : {}) }, rows);
  const byDay = new Map<number, Int32Array>();
  let lastDay = Number.NaN;
  let cellsByCode: Int32Array = new Int32Array(texts.length).fill(-1);
  const beginDay = (day: number) => {
    lastDay = day;
    cellsByCode = byDay.get(day) ?? new Int32Array(texts.length).fill(-1);
    byDay.set(day, cellsByCode);
  };
  const find = (code: number, row: number): number => {
    const day = days?.at(row) ?? LAST_DAY;
    const fact = readFact(definition, { value: texts[code] }, day);
    const cell = isMissing(fact) ? MISSING_CELL : findCell(axis, fact, undefined, day);
    cellsByCode[code] = cell;
    return cell;
  };
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) {
      const row = from + i;
      if (days !== undefined && days.numberAt(row) !== lastDay) beginDay(days.numberAt(row));
      const code = indexes[row] as number;
      const cell = cellsByCode[code];
      cells[i] = cell === undefined ? MISSING_CELL : cell >= 0 ? cell : find(code, row);
    }
  };
}

function booleanWriter(column: NumberColumn, axis: Axis, rows: number): CellWriter {
  const numbers = numbersIn(column, rows);
  const [no = 0, yes = 0] = [false, true].map((value) => findCell(axis, { value }, undefined, LAST_DAY));
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) {
      const number = numbers[from + i];
      cells[i] = number === 1 ? yes : number === 0 ? no : MISSING_CELL;
    }
  };
}

/** The numbers of a column, with NaN for those that are missing. */
function numbersIn({ numbers, missing }: NumberColumn, rows: number): Float64Array {
  if (numbers instanceof Float64Array && missing === undefined) return numbers;
  const read = new Float64Array(rows);
  for (let row = 0; row < rows; row++) read[row] = missing?.[row] ? Number.NaN : numberIn(numbers, row);
  return read;
}

/** The cell of a date that never happened, on an axis of dates. */
const NEVER_CELL = 1;

/** The number of a column in the unit of an axis. */
function numberOn(unit: NumberCells['unit'], number: number, today: number): number {
  if (unit === 'age') return today - number;
  return unit === 'years' ? completedYears(number, today) : number;
}

function numberWriter(
  column: NumberColumn,
  { unit, steps }: NumberCells,
  firstValue: number,
  { type, past }: FactDefinition,
  days: Days,
  rows: number,
): CellWriter {
  const numbers = numbersIn(column, rows);
  if (type !== 'date') {
    return (cells, from) => {
      for (let i = 0; i < cells.length; i++) cells[i] = cellOn(steps, firstValue, numbers[from + i] as number);
    };
  }
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) {
      const row = from + i;
      let number = numbers[row] as number;
      const today = days.numberAt(row);
      if (isNever(column, row)) cells[i] = Number.isNaN(number) ? NEVER_CELL : MISSING_CELL;
      else {
        if (past && number > today) number = number === today + 1 ? today : Number.NaN;
        cells[i] = cellOn(steps, firstValue, numberOn(unit, number, today));
      }
    }
  };
}

/** The cell of a number; that of a missing fact if it lies in no segment. */
function cellOn(steps: NumberCells['steps'], firstValue: number, number: number): number {
  const step = stepOf(steps, number);
  return step < 0 ? MISSING_CELL : firstValue + step;
}
