/** Facts of many applicants as columns: one for each fact, with masks for missing values and for `never`. */

import { type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import { dayOfNumber } from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';

/** A number or integer as it is; a boolean as 0 or 1; a level by its index from 0; a date in days since 1970. */
export interface NumberColumn {
  readonly numbers: ArrayLike<number>;
  /** Not 0 in rows whose fact is missing. NaN, and a number that the fact cannot have, are missing too. */
  readonly missing?: ArrayLike<number>;
  /** For dates: not 0 in rows whose date is known never to have happened. */
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

export function isTextColumn(column: Column): column is TextColumn {
  return 'codes' in column;
}

/** The value of a row; null if it is missing. INVARIANT: callers pass it to `readFact`, which rejects bad values. */
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
