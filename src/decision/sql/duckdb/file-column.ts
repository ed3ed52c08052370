/** A column of a Parquet or CSV file that holds a fact -> typed and folded columns for SQL, and the fact itself for people. */

import type { JS } from '@duckdb/node-api';
import { VerdictError } from '../../../errors.ts';
import type { FactDefinition, FactType } from '../../../facts/catalog.ts';
import { type Fact, NEVER } from '../../../facts/fact.ts';
import { readFact } from '../../../facts/read.ts';
import type { ColumnChoice, FactColumns } from '../column-names.ts';
import { DIALECTS } from '../dialect.ts';

/** The name of the function that folds texts beyond ASCII. */
export const FOLD = 'verdict_fold';

/** How a cell of text is read as a value. */
const FROM_TEXT: Readonly<Record<FactType, (text: string) => string>> = {
  number: numberFrom,
  integer: numberFrom,
  boolean: booleanFrom,
  level: (text) => text,
  enum: (text) => text,
  string: (text) => text,
  date: dayFrom,
};

/** A number as JSON writes it. */
function numberFrom(text: string): string {
  const form = String.raw`'-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?'`;
  return `CASE WHEN regexp_full_match(${text}, ${form}) THEN TRY_CAST(${text} AS DOUBLE) END`;
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

/** The types that a column of each type of fact can have in DuckDB, and what to call them. */
const COLUMN_FORMS: Readonly<Record<FactType, readonly [form: RegExp, words: string]>> = {
  number: [NUMERIC, 'a type of numbers'],
  integer: [NUMERIC, 'a type of numbers'],
  boolean: [/^BOOLEAN$/, 'BOOLEAN'],
  level: [TEXTUAL, 'VARCHAR'],
  enum: [TEXTUAL, 'VARCHAR'],
  string: [TEXTUAL, 'VARCHAR'],
  date: [/^DATE$/, 'DATE'],
};

/** The columns of a file, by name, with their types in DuckDB. */
export interface FileShape {
  readonly types: ReadonlyMap<string, string>;
  /** Whether it has no types, as a CSV: every cell is a text. */
  readonly isText: boolean;
}

/** The columns of a fact that a file has. */
export type PresentColumns = FactColumns & { readonly column: string };

/** Whether a file has a column, in whatever case: DuckDB takes all cases for one. */
export function hasColumn({ types }: FileShape, name: string): boolean {
  return types.has(name.toLowerCase());
}

/** Throws a `VerdictError` where a column has a type that its fact cannot have. */
export function checkColumn({ types, isText }: FileShape, name: string, type: FactType): void {
  const found = types.get(name.toLowerCase()) ?? '';
  const [form, words] = COLUMN_FORMS[type];
  if (isText || form.test(found)) return;
  throw new VerdictError('CONFIGURATION_INVALID', `the column ${name} is of the type ${found}; ${words} was expected`);
}

/** One fact of a file. */
export class FileColumn {
  readonly path: string;
  /** Where SQL finds the fact, for `toSql`. */
  readonly choice: ColumnChoice;
  /** Expressions over the file with their names: for SQL, and for people. */
  readonly forSql: readonly string[];
  readonly forPeople: readonly string[];
  readonly #definition: FactDefinition;

  /**
   * `index` sets its names apart from those of other facts. The file has its column, and that of its `never` if one is told;
   * throws where one is of another type.
   */
  constructor(
    path: string,
    definition: FactDefinition,
    { column, never }: PresentColumns,
    index: number,
    shape: FileShape,
  ) {
    const { type } = definition;
    const hasNever = never !== undefined;
    checkColumn(shape, column, type);
    if (hasNever) checkColumn(shape, never, 'boolean');
    const cell = `file.${DIALECTS.duckdb.identifier(column)}`;
    const value = shape.isText ? FROM_TEXT[type](cell) : cell;
    const neverCell = hasNever ? `file.${DIALECTS.duckdb.identifier(never)}` : '';
    const isNever = !hasNever ? 'false' : shape.isText ? booleanFrom(neverCell) : neverCell;

    this.path = path;
    this.#definition = definition;
    this.choice = { column: `fact_${index}`, never: hasNever ? `never_${index}` : null };
    this.forSql = [
      `${type === 'string' ? foldedFrom(value) : value} AS fact_${index}`,
      ...(hasNever ? [`${isNever} AS never_${index}`] : []),
    ];
    this.forPeople = [
      `${type === 'date' ? shownDay(value, isNever) : shownValue(value, type)} AS shown_${index}`,
      // What could not be read is invalid, not missing without a cause.
      `${shape.isText ? `CASE WHEN ${value} IS NULL THEN ${cell} END` : 'NULL'} AS unread_${index}`,
    ];
  }

  /** The fact, from the two cells of `forPeople`. */
  read([shown, unread]: readonly (JS | undefined)[], day: string): Fact {
    return readFact(this.#definition, { value: shown ?? unread ?? null }, day);
  }
}

/** White space of ASCII. */
const SPACE = `(' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13))`;

/** A folded text: by DuckDB where all is ASCII, which is plain and most of them; else by the policy language's own function. */
export function foldedFrom(text: string): string {
  return `CASE WHEN strlen(${text}) = length(${text}) THEN lower(trim(${text}, ${SPACE})) ELSE ${FOLD}(${text}) END`;
}

function shownDay(day: string, isNever: string): string {
  const contradiction = `CAST(${day} AS VARCHAR) || ' and never'`;
  return `CASE WHEN ${isNever} THEN COALESCE(${contradiction}, '${NEVER}') ELSE CAST(${day} AS VARCHAR) END`;
}

function shownValue(value: string, type: FactType): string {
  return type === 'number' || type === 'integer' ? `CAST(${value} AS DOUBLE)` : value;
}
