/** Facts of many applicants as columns: typed arrays, a column for each fact, with masks of what is missing and what never happened. */

import { type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import { dayOfNumber } from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';

/** Numbers: those of a number or integer, 0 and 1 of a boolean, steps from 0 of a level, days since 1970 of a date. */
export interface NumberColumn {
  readonly numbers: ArrayLike<number>;
  /** Where it is not 0, the row's fact is missing. A number that is none (NaN), or that the fact cannot have, is missing too. */
  readonly missing?: ArrayLike<number>;
  /** Of a date: where it is not 0, it is known not to have happened. */
  readonly never?: ArrayLike<number>;
}

/** Texts: of a string as folded, of an enum or level by name. */
export interface TextColumn {
  /** By row, the index of its text. */
  readonly codes: ArrayLike<number>;
  readonly texts: readonly string[];
  /** Where it is not 0, the row's fact is missing. A text that the fact cannot have is missing too. */
  readonly missing?: ArrayLike<number>;
}

/** The values of one fact, a row for each applicant. */
export type Column = NumberColumn | TextColumn;

/** Facts by path, all of the same number of rows. A fact without a column is missing in every row. */
export interface Columns {
  readonly rows: number;
  readonly columns: ReadonlyMap<string, Column>;
}

/** Whether a column is one of texts. */
export function isTextColumn(column: Column): column is TextColumn {
  return 'codes' in column;
}

/** A row of a column as it would be given by itself: null where it is missing. INVARIANT: `readFact` has the last word. */
export function valueAt(column: Column, { type }: FactDefinition, row: number): FactValue | null {
  if (column.missing?.[row]) return null;
  if (isTextColumn(column)) return column.texts[column.codes[row] ?? -1] ?? null;
  if (column.never?.[row]) return NEVER;
  const number = column.numbers[row] ?? Number.NaN;
  return Number.isNaN(number) ? null : fromNumber(number, type);
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
