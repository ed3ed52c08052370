/** A column of a Parquet or CSV file -> a typed and folded column for SQL, and the fact itself for reports. */

import type { JS } from '@duckdb/node-api';
import { VerdictError } from '../../../errors.ts';
import type { FactDefinition, FactType } from '../../../facts/catalog.ts';
import { type Fact, invalidFact, NEVER } from '../../../facts/fact.ts';
import { NOT_GIVEN, readFact } from '../../../facts/fact-reader.ts';
import { trimWhiteSpace } from '../../../text.ts';
import type { ColumnChoice, PresentColumns } from '../column-names.ts';
import { DIALECTS } from '../dialect.ts';
import { readText } from './text-reader.ts';

/** How a cell of a CSV is read, by type of fact; texts stay as they are. */
const FROM_TEXT: { readonly [Type in FactType]?: (text: string) => string } = {
  number: numberFrom,
  integer: numberFrom,
  boolean: booleanFrom,
  date: dayFrom,
};

/** A number as JSON writes it. */
function numberFrom(text: string): string {
  const pattern = String.raw`'-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?'`;
  return `CASE WHEN regexp_full_match(${text}, ${pattern}) THEN TRY_CAST(${text} AS DOUBLE) END`;
}

function booleanFrom(text: string): string {
  return `CASE ${text} WHEN 'true' THEN true WHEN 'false' THEN false END`;
}

/** A day as yyyy-MM-dd. */
export function dayFrom(text: string): string {
  return `CASE WHEN regexp_full_match(${text}, '[0-9]{4}-[0-9]{2}-[0-9]{2}') THEN TRY_CAST(${text} AS DATE) END`;
}

const NUMERIC = /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(.*\))$/;
const TEXTUAL = /^(VARCHAR|ENUM\(.*\))$/s;

/** The DuckDB types that a column of each type of fact can have, and their name in messages. */
const DUCKDB_TYPES: Readonly<Record<FactType, readonly [pattern: RegExp, name: string]>> = {
  number: [NUMERIC, 'a numeric type'],
  integer: [NUMERIC, 'a numeric type'],
  boolean: [/^BOOLEAN$/, 'BOOLEAN'],
  level: [TEXTUAL, 'VARCHAR'],
  enum: [TEXTUAL, 'VARCHAR'],
  string: [TEXTUAL, 'VARCHAR'],
  date: [/^DATE$/, 'DATE'],
};

/** The columns of a file. */
export interface FileShape {
  /** By the key of its name, the DuckDB type. */
  readonly types: ReadonlyMap<string, string>;
  /** Whether it has no types, as a CSV: every cell is a text. */
  readonly isText: boolean;
}

/** The key of a column in `FileShape.types`: DuckDB ignores the case of ASCII letters. */
export function columnKey(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Whether a file has a column. */
export function hasColumn({ types }: FileShape, name: string): boolean {
  return types.has(columnKey(name));
}

/** Throws CONFIGURATION_INVALID if a column has a type that its fact cannot have. */
export function checkColumn({ types, isText }: FileShape, name: string, type: FactType): void {
  const found = types.get(columnKey(name)) ?? '';
  const [pattern, expected] = DUCKDB_TYPES[type];
  if (isText || pattern.test(found)) return;
  throw fileError(`the column ${name} has the type ${found}; ${expected} was expected`);
}

/** The error of a file that cannot be used. */
export function fileError(message: string, hint?: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', hint === undefined ? message : `${message}; ${hint}`);
}

/** One fact of a file. */
export interface FileColumn {
  readonly path: string;
  /** The columns of the fact, for `toSql`. */
  readonly choice: ColumnChoice;
  /** Expressions over the file, with their names: the columns for `toSql`, and the cells that `read` takes. */
  readonly forSql: readonly string[];
  readonly forRead: readonly string[];
  /** Reads the fact from the two cells of `forRead`. */
  read(cells: readonly (JS | undefined)[], day: string): Fact;
}

/**
 * Creates the column of a fact; throws CONFIGURATION_INVALID if a column of the file has another type. `index`
 * keeps its names apart from those of other facts.
 */
export function fileColumn(
  path: string,
  definition: FactDefinition,
  { column, never }: PresentColumns,
  index: number,
  shape: FileShape,
): FileColumn {
  const { type } = definition;
  checkColumn(shape, column, type);
  if (never !== undefined) checkColumn(shape, never, 'boolean');
  const cell = inFile(column);
  const value = shape.isText ? (FROM_TEXT[type]?.(cell) ?? cell) : cell;
  const isNever = never === undefined ? 'false' : shape.isText ? booleanFrom(inFile(never)) : inFile(never);
  const shown = type === 'number' || type === 'integer' ? `CAST(${value} AS DOUBLE)` : value;
  return {
    path,
    choice: { column: `fact_${index}`, never: never === undefined ? null : `never_${index}` },
    forSql: [
      `${type === 'string' ? readText(value, definition) : value} AS fact_${index}`,
      ...(never === undefined ? [] : [`${isNever} AS never_${index}`]),
    ],
    forRead: [
      `${type === 'date' ? shownDay(value, isNever) : shown} AS shown_${index}`,
      // A cell that cannot be read is invalid rather than missing without a cause.
      `${shape.isText ? `CASE WHEN ${value} IS NULL THEN ${cell} END` : 'NULL'} AS unread_${index}`,
    ],
    read: ([shown, unread], day) => readCell(definition, shown ?? undefined, unread, day),
  };
}

/** The fact of a cell: its value as read, or the text of a cell that cannot be read, which is invalid if not blank. */
export function readCell(definition: FactDefinition, value: unknown, unread: unknown, day: string): Fact {
  if (value !== undefined) return readFact(definition, { value }, day);
  // As a value, the text could be read after all: `never` is a date.
  return typeof unread === 'string' && trimWhiteSpace(unread) !== '' ? invalidFact(unread) : NOT_GIVEN;
}

/** A column of the view `file`. */
function inFile(column: string): string {
  return `file.${DIALECTS.duckdb.identifier(column)}`;
}

function shownDay(day: string, isNever: string): string {
  const contradiction = `CAST(${day} AS VARCHAR) || ' and never'`;
  return `CASE WHEN ${isNever} THEN COALESCE(${contradiction}, '${NEVER}') ELSE CAST(${day} AS VARCHAR) END`;
}
