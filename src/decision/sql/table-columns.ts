/** Paths of facts and a map -> the columns of a table that hold them, or refusals; raw columns -> cleaned ones. */

import { type FactDefinition, type FactTable, type FactType, LEVELS } from '../../facts/catalog.ts';
import { dayNumber, UTC } from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';
import { FORM_PATTERNS } from '../../platform/formats/format.ts';
import { didYouMean } from '../../text.ts';
import { type ColumnType, type Dialect, refusal, type SqlRefusal, writeNumber } from './dialect.ts';
import type { Expression, Query } from './query.ts';

/**
 * The column of a fact, by name. Null means that the table has none, so that the fact is missing in every row.
 * A date can have a second column, `never`, which is true in rows where it never happened; null means that the
 * table has none.
 */
export type ColumnChoice = string | null | { readonly column: string; readonly never?: string | null };

/** Columns by the path of the fact, where they are not named by the convention. */
export type ColumnMap = Readonly<Record<string, ColumnChoice>>;

/** The columns of a fact; undefined if the table has none. */
export interface FactColumns {
  readonly column: string | undefined;
  /** For a date, the column that is true in rows where it never happened. */
  readonly never: string | undefined;
}

/** The columns of a fact that has one. */
export type PresentColumns = FactColumns & { readonly column: string };

/** The name of a column by the convention: `email_dark_web_hit_count` for `email.darkWeb.hitCount`. */
export function columnOf(path: string): string {
  return path
    .replaceAll('.', '_')
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase();
}

/** The name of the `never` column of a date, by the convention. */
export function neverColumnOf(column: string): string {
  return `${column}_never`;
}

/** The columns of a fact, by the map or else by the convention. */
export function columnsOf(path: string, type: string, map: ColumnMap): FactColumns {
  const choice = Object.hasOwn(map, path) ? map[path] : undefined;
  if (choice === null) return { column: undefined, never: undefined };
  const column = typeof choice === 'string' ? choice : (choice?.column ?? columnOf(path));
  const never = typeof choice === 'object' ? choice.never : undefined;
  if (type !== 'date') return { column, never: undefined };
  return { column, never: never === undefined ? neverColumnOf(column) : (never ?? undefined) };
}

/** Checks the columns of facts and the key columns of a SELECT with the result columns `outputs`. */
export function columnRefusals(
  dialect: Dialect,
  facts: ReadonlyMap<string, FactColumns>,
  table: FactTable,
  map: ColumnMap,
  outputs: readonly string[],
  keys: readonly string[],
): SqlRefusal[] {
  const refusals: SqlRefusal[] = [];
  const refuse = (code: SqlRefusal['code'], message: string, hint?: string) =>
    refusals.push(refusal(code, message, { hint }));
  for (const path of Object.keys(map)) {
    if (table.get(path)?.compute) refuse('sql-fact', `the policy computes ${path}`, 'map its operands');
    if (!table.has(path)) refuse('sql-fact', `there is no fact "${path}"`, didYouMean(path, table.keys()).hint);
  }
  const taken = new Map<string, string>();
  for (const [path, { column, never }] of facts) {
    for (const [name, what] of [[column, path] as const, [never, `never of ${path}`] as const]) {
      if (name === undefined) continue;
      refusals.push(...nameRefusals(dialect, 'column', name));
      // DuckDB ignores the case of names.
      const holder = taken.get(name.toLowerCase());
      if (holder) {
        const hint = 'give each fact a column of its own';
        refuse('sql-column', `the column ${name} is used for ${holder} and for ${what}`, hint);
      }
      taken.set(name.toLowerCase(), what);
    }
  }
  const seen = new Set<string>();
  for (const key of keys) {
    refusals.push(...nameRefusals(dialect, 'column', key));
    const isTaken = [...outputs, ...seen].some((name) => name.toLowerCase() === key.toLowerCase());
    if (isTaken) refuse('sql-column', `the result already has a column ${key}, so it cannot be a key column`);
    seen.add(key);
  }
  return refusals;
}

/** Refuses a name that the dialect cannot hold, or would cut, which could make it the name of something else. */
export function nameRefusals(dialect: Dialect, what: 'column' | 'table', name: string): SqlRefusal[] {
  const code = `sql-${what}` as const;
  const bytes = Buffer.byteLength(name);
  if (bytes > dialect.longestName) {
    const limit = `${dialect.name} allows ${dialect.longestName}`;
    return [refusal(code, `the ${what} name ${name} has ${bytes} bytes; ${limit}`)];
  }
  if (name !== '' && !name.includes('\0') && name.isWellFormed()) return [];
  return [refusal(code, `${JSON.stringify(name)} cannot be the name of a ${what}`)];
}

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

/** Writes the cleaned column of a fact from its quoted columns. */
type Cleaner = (raw: PresentColumns, definition: FactDefinition, dialect: Dialect) => string;

/** NULL for values that the fact cannot have, like `READERS` in facts/read.ts. Column types: docs/at-scale.md. */
export const CLEANERS: Readonly<Record<FactType, Cleaner>> = {
  number: ({ column }, { range }, dialect) => {
    const number = dialect.readNumber(asNumber(column));
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
    const day = dialect.dayNumber(column, UTC);
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

/** A column as a number. The engine reports an error for a column of texts, which must not be read as numbers. */
function asNumber(column: string): string {
  return `(${column} + 0e0)`;
}

function between(number: string, [least, most]: readonly [number, number], dialect: Dialect): string {
  return `${number} BETWEEN ${writeNumber(dialect, least)} AND ${writeNumber(dialect, most)}`;
}
