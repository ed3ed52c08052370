/** The columns of a facts table -> cleaned columns: NULL where a fact is missing, or its value is not of its type. */

import { type FactDefinition, type FactType, LEVELS } from '../../facts/catalog.ts';
import { dayNumber } from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';
import { FORM_PATTERNS } from '../../formats/format.ts';
import type { FactColumns, PresentColumns } from './column-names.ts';
import { type ColumnType, type Dialect, writeNumber } from './dialect.ts';
import type { Expression, Query } from './query.ts';

/** The last calendar day, 9999-12-31, as a day number. */
export const LAST_DAY = dayNumber('9999-12-31');

/** The day number of `never`: beyond every day, so that it is neither old nor recent. */
const NEVER_DAY = 10_000_000;

/** The type of a cleaned column, by type of fact. */
const COLUMN_TYPES: Readonly<Record<FactType, ColumnType>> = {
  number: 'number',
  integer: 'number',
  level: 'whole',
  boolean: 'truth',
  enum: 'text',
  string: 'text',
  date: 'whole',
};

/** Gets the columns of a fact that the table has, quoted. */
type Cleaner = (raw: PresentColumns, definition: FactDefinition, dialect: Dialect) => string;

/** NULL for values that the fact cannot have, like `READERS` in facts/read.ts. Column types: docs/at-scale.md. */
export const CLEANERS: Readonly<Record<FactType, Cleaner>> = {
  number: ({ column }, { range }, dialect) => {
    const number = asNumber(column);
    return `CASE WHEN ${range ? between(number, range, dialect) : dialect.isFinite(number)} THEN ${number} END`;
  },
  integer: ({ column }, { range = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] }, dialect) => {
    const number = asNumber(column);
    return `CASE WHEN ${between(number, range, dialect)} AND floor(${number}) = ${number} THEN ${number} END`;
  },
  level: ({ column }, _, dialect) => {
    const steps = LEVELS.map((level, i) => `WHEN ${dialect.text(level)} THEN ${i}`);
    return `CASE ${dialect.asText(column)} ${steps.join(' ')} END`;
  },
  boolean: ({ column }, _, dialect) => dialect.readTruth(column),
  enum: ({ column }, { values = [] }, dialect) => {
    const text = dialect.asText(column);
    return `CASE WHEN ${text} IN (${values.map((value) => dialect.text(value)).join(', ')}) THEN ${text} END`;
  },
  string: ({ column }, { format }, dialect) => {
    const text = dialect.asText(column);
    if (!format) return `NULLIF(${text}, '')`;
    // A text in another spelling would be in no list.
    return `CASE WHEN ${dialect.isLike(text, FORM_PATTERNS[format])} THEN ${text} END`;
  },
  date: ({ column, never }, _, dialect) => {
    const day = dialect.dayNumber(column);
    // A day together with `never` is a contradiction, so the fact is missing.
    const neverDay = `CASE WHEN ${column} IS NULL THEN ${NEVER_DAY} END`;
    return never === undefined ? day : `CASE WHEN ${never} THEN ${neverDay} ELSE ${day} END`;
  },
};

/** Writes the cleaned column of a fact. `day` is the day of the decision as a day number. */
export function writeFact(
  query: Query,
  dialect: Dialect,
  definition: FactDefinition,
  columns: FactColumns | undefined,
  day: Expression,
): Expression {
  if (columns?.column === undefined) {
    return query.column({ sql: dialect.nullOf(COLUMN_TYPES[definition.type]), stage: 0 }, 'fact');
  }
  const quote = (name: string) => `t.${dialect.identifier(name)}`;
  const never = columns.never === undefined ? undefined : quote(columns.never);
  const sql = CLEANERS[definition.type]({ column: quote(columns.column), never }, definition, dialect);
  const value = query.column({ sql, stage: 0 }, 'fact');
  return definition.past ? query.column({ sql: cleanPast(value.sql, day.sql), stage: value.stage }, 'fact') : value;
}

/** A past date: tomorrow counts as today (the sender may be east of UTC), a later day is missing. */
function cleanPast(date: string, day: string): string {
  const isAhead = `${date} - ${day} > 1 AND ${date} <= ${LAST_DAY}`;
  return `CASE WHEN ${date} - ${day} = 1 THEN ${day} WHEN ${isAhead} THEN NULL ELSE ${date} END`;
}

/** Writes a literal that is compared with a cleaned column of the type. */
export function writeLiteral(dialect: Dialect, type: FactType, value: FactValue): string {
  switch (type) {
    case 'number':
    case 'integer':
      return writeNumber(dialect, Number(value));
    case 'level':
      return String((LEVELS as readonly FactValue[]).indexOf(value));
    case 'boolean':
      return value === true ? 'true' : 'false';
    case 'enum':
    case 'string':
      return dialect.text(String(value));
    case 'date':
      return String(value === NEVER ? NEVER_DAY : dayNumber(String(value)));
  }
}

/** A column as a double. The engine reports an error for a column of texts, which must not be read as numbers. */
function asNumber(column: string): string {
  return `(${column} + 0e0)`;
}

function between(number: string, [least, most]: readonly [number, number], dialect: Dialect): string {
  return `${number} BETWEEN ${writeNumber(dialect, least)} AND ${writeNumber(dialect, most)}`;
}
