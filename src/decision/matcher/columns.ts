/** Columns of facts in typed arrays -> the result of every row, by the matcher. */

import { type FactDefinition, type FactTable, LEVELS } from '../../facts/catalog.ts';
import { computeFact, factsAmong } from '../../facts/compute.ts';
import { completedYears, dayNumber, dayOfNumber } from '../../facts/day.ts';
import { type Fact, type Facts, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
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
}

/** Texts: a string folded, an enum value or level by name. */
export interface TextColumn {
  /** By row, the index of its text in `texts`. */
  readonly codes: ArrayLike<number>;
  readonly texts: readonly string[];
  /** Not 0 in rows whose fact is missing. A text that the fact cannot have is missing too. */
  readonly missing?: ArrayLike<number>;
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

/** The value of a row; null if it is missing. INVARIANT: callers pass it to `readFact`, which rejects bad values. */
function valueAt(column: Column, { type }: FactDefinition, row: number): FactValue | null {
  if (column.missing?.[row]) return null;
  if (isTextColumn(column)) return column.texts[numberIn(column.codes, row)] ?? null;
  const number = numberIn(column.numbers, row);
  if (isNever(column, row)) return Number.isNaN(number) ? NEVER : null;
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
      return Number.isInteger(number) && number >= FIRST_DAY && number <= LAST_DAY ? dayOfNumber(number) : null;
    default:
      return number;
  }
}

/** 0001-01-01 and 9999-12-31. */
const FIRST_DAY = -719_162;
const LAST_DAY = 2_932_896;

/** Fills `cells` with the cells of as many rows, from the row `from` on. */
type CellWriter = (cells: Int32Array, from: number) => void;

/** Creates the writer of an axis or a condition on a day. */
export function createCellWriter(
  source: Axis | Condition,
  { columns }: Columns,
  table: FactTable,
  day: string,
): CellWriter {
  const read = (path: string, row: number): Fact => {
    const column = columns.get(path);
    const definition = table.get(path);
    if (definition?.compute) {
      const operands = factsAmong(definition.compute.operands).map((operand) => [operand, read(operand, row)] as const);
      return computeFact(definition, definition.compute, new Map(operands));
    }
    return column && definition ? readFact(definition, { value: valueAt(column, definition, row) }, day) : NOT_GIVEN;
  };
  if ('kind' in source) {
    const paths = [...factsOf(source)];
    return rowByRow((row) => {
      const facts: Facts = new Map(paths.map((path) => [path, read(path, row)]));
      return cellOfTruth(evaluate(source, facts, day));
    });
  }
  const { fact, other } = source;
  const column = columns.get(fact);
  const definition = table.get(fact);
  if (other !== undefined) return rowByRow((row) => findCell(source, read(fact, row), read(other, row), day));
  if (definition?.compute) return rowByRow((row) => findCell(source, read(fact, row), undefined, day));
  if (!column || !definition) return (cells) => cells.fill(MISSING_CELL);
  if (isTextColumn(column))
    return textWriter(column, (text) => findCell(source, text, undefined, day), definition, day);
  if (!source.numbers) return rowByRow((row) => findCell(source, read(fact, row), undefined, day));
  return numberWriter(column, source.numbers, source.firstValue, definition, day);
}

const NOT_GIVEN: Fact = { missing: 'notGiven' };

function rowByRow(find: (row: number) => number): CellWriter {
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) cells[i] = find(from + i);
  };
}

/** Looks up the cell of each text once. */
function textWriter(
  { codes, texts, missing }: TextColumn,
  find: (fact: Fact) => number,
  definition: FactDefinition,
  day: string,
): CellWriter {
  const cellsByCode = new Int32Array(texts.length).fill(-1);
  const cellOf = (code: number): number => {
    const cached = cellsByCode[code];
    if (cached === undefined) return MISSING_CELL;
    if (cached >= 0) return cached;
    const fact = readFact(definition, { value: texts[code] }, day);
    const cell = isMissing(fact) ? MISSING_CELL : find(fact);
    cellsByCode[code] = cell;
    return cell;
  };
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) {
      cells[i] = missing?.[from + i] ? MISSING_CELL : cellOf(numberIn(codes, from + i));
    }
  };
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
  day: string,
): CellWriter {
  const today = dayNumber(day);
  const isDate = type === 'date';
  const { numbers, missing } = column;
  return (cells, from) => {
    for (let i = 0; i < cells.length; i++) {
      const row = from + i;
      let number = numberIn(numbers, row);
      if (missing?.[row]) cells[i] = MISSING_CELL;
      else if (isDate && isNever(column, row)) cells[i] = Number.isNaN(number) ? NEVER_CELL : MISSING_CELL;
      else {
        if (past && number > today) number = number === today + 1 ? today : Number.NaN;
        const step = stepOf(steps, numberOn(unit, number, today));
        cells[i] = step < 0 ? MISSING_CELL : firstValue + step;
      }
    }
  };
}
