/** The columns of a facts table -> columns in which everything that cannot be read as its fact's type is NULL, as missing facts are. */

import { type FactDefinition, type FactTable, type FactType, LEVELS } from '../../facts/catalog.ts';
import { dayNumber } from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';
import type { FactColumns } from './column-names.ts';
import { type ColumnType, type Dialect, writeNumber } from './dialect.ts';
import type { Expression, Query } from './query.ts';

/** The last day of a calendar day's range, 9999-12-31, as a day number. */
export const LAST_DAY = dayNumber('9999-12-31');

/** The number that stands for `never` among day numbers: beyond every day, so that it is neither old nor recent. */
export const NEVER_DAY = 10_000_000;

/** What a fact of each type is once it is cleaned. */
export const COLUMN_TYPES: Readonly<Record<FactType, ColumnType>> = {
  number: 'number',
  integer: 'number',
  level: 'whole',
  boolean: 'truth',
  enum: 'text',
  string: 'text',
  date: 'whole',
};

/** A fact's columns as they stand in the table, ready to be put into an expression. */
export interface RawColumns {
  readonly column: string;
  readonly never: string | undefined;
}

type Cleaner = (raw: RawColumns, definition: FactDefinition, dialect: Dialect) => string;

/** NULL but for values that the fact can have: the same as `READERS` in facts/read.ts, for columns of the types in docs/at-scale.md. */
const CLEANERS: Readonly<Record<FactType, Cleaner>> = {
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
  string: ({ column }, _, dialect) => `NULLIF(${dialect.asText(column)}, '')`,
  date: ({ column, never }, _, dialect) => {
    const day = dialect.dayNumber(column);
    // A day of something that never happened is a contradiction, which is no value.
    const neverDay = `CASE WHEN ${column} IS NULL THEN ${NEVER_DAY} END`;
    return never === undefined ? day : `CASE WHEN ${never} THEN ${neverDay} ELSE ${day} END`;
  },
};

/** The facts of one policy, written into one query, each once. */
export class FactWriter {
  readonly #query: Query;
  readonly #dialect: Dialect;
  readonly #table: FactTable;
  readonly #columns: ReadonlyMap<string, FactColumns>;
  readonly #day: Expression;
  readonly #written = new Map<string, Expression>();

  /** `columns` has those of every fact that will be asked for; `day` is the day of the decision as a day number. */
  constructor(
    query: Query,
    dialect: Dialect,
    table: FactTable,
    columns: ReadonlyMap<string, FactColumns>,
    day: Expression,
  ) {
    this.#query = query;
    this.#dialect = dialect;
    this.#table = table;
    this.#columns = columns;
    this.#day = day;
  }

  /** The column of a cleaned fact. */
  write(path: string): Expression {
    const known = this.#written.get(path);
    if (known) return known;
    const definition = this.#table.get(path);
    // INVARIANT: a policy without errors names no fact that is not in its table.
    if (!definition) throw new TypeError('a test names a fact that is not declared');
    const column = this.#clean(definition, this.#columns.get(path));
    this.#written.set(path, column);
    return column;
  }

  #clean(definition: FactDefinition, columns: FactColumns | undefined): Expression {
    const dialect = this.#dialect;
    if (columns?.column === undefined) {
      return this.#query.column({ sql: dialect.nothing(COLUMN_TYPES[definition.type]), stage: 0 }, 'fact');
    }
    const quote = (name: string) => `t.${dialect.identifier(name)}`;
    const raw = {
      column: quote(columns.column),
      never: columns.never === undefined ? undefined : quote(columns.never),
    };
    const sql = CLEANERS[definition.type](raw, definition, dialect);
    const value = this.#query.column({ sql, stage: 0 }, 'fact');
    if (!definition.past) return value;
    return this.#query.column({ sql: cleanPast(value.sql, this.#day.sql), stage: value.stage }, 'fact');
  }
}

/** A date that lies in the past by definition, held against the day of the decision (policy language, "Types"). */
function cleanPast(date: string, day: string): string {
  const isAhead = `${date} - ${day} > 1 AND ${date} <= ${LAST_DAY}`;
  return `CASE WHEN ${date} - ${day} = 1 THEN ${day} WHEN ${isAhead} THEN NULL ELSE ${date} END`;
}

/** A literal of a type, as it compares with a cleaned fact. */
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

/** A double. A column that is not of numbers is an error of the engine, in place of a text read as a number. */
function asNumber(column: string): string {
  return `(${column} + 0e0)`;
}

function between(number: string, [least, most]: readonly [number, number], dialect: Dialect): string {
  return `${number} BETWEEN ${writeNumber(dialect, least)} AND ${writeNumber(dialect, most)}`;
}
