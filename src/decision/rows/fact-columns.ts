/** A map of columns in YAML, a policy and a file -> the columns with its facts, and how DuckDB reads them. */

import type { JS } from '@duckdb/node-api';
import type { Diagnostic } from '../../diagnostics.ts';
import { VerdictError } from '../../errors.ts';
import type { FactDefinition, FactTable, FactType } from '../../facts/catalog.ts';
import { givenFacts } from '../../facts/compute.ts';
import { type Fact, invalidFact, NEVER } from '../../facts/fact.ts';
import { NOT_GIVEN, readFact } from '../../facts/fact-reader.ts';
import { INSTANT } from '../../facts/instant.ts';
import { fold, MAX_TEXT_BYTES } from '../../formats/fold.ts';
import { FORMATS, type Format, readFormat } from '../../formats/format.ts';
import { reportAt } from '../../platform/files/source.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { type MapEntry, parseYaml } from '../../platform/yaml.ts';
import { isNull, readFields, readMap, readText } from '../../platform/yaml-fields.ts';
import { conditionFacts, type Policy } from '../../policy/language.ts';
import { didYouMean, trimWhiteSpace } from '../../text.ts';
import { DIALECTS, refusalError } from '../sql/dialect.ts';
import {
  type ColumnChoice,
  type ColumnMap,
  columnRefusals,
  columnsOf,
  type FactColumns,
  type PresentColumns,
} from '../sql/table-columns.ts';
import type { DuckDb } from './duckdb.ts';
import { NO_COUNTS, type RowCounts } from './row-counts.ts';

/** A map of columns; undefined if there are diagnostics. */
interface ReadColumns {
  readonly columns: ColumnMap | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a file like
 *
 *     phone.score: risk_score
 *     phone.porting.portedDate: { column: ported_on, never: never_ported }   # never: ~ if there is no such column
 *     ip.isp: ~                                                              # no column: missing in every row
 */
export function readColumns(file: string, table: FactTable): ReadColumns {
  const diagnostics: Diagnostic[] = [];
  const source = readSource(file, file, diagnostics);
  const root = source && parseYaml(source);
  const map = root && readMap(root, 'the map of columns');
  const columns: [string, ColumnChoice][] = [];
  for (const [path, entry] of map?.entries ?? []) {
    const definition = table.get(path);
    if (!definition) {
      reportAt(entry.key, 'unknown-fact', `there is no fact "${path}"`, {
        unknown: { word: path, known: table.keys() },
      });
      continue;
    }
    const choice = readChoice(path, entry, definition.type === 'date');
    if (choice !== undefined) columns.push([path, choice]);
  }
  return { columns: diagnostics.length > 0 ? undefined : Object.fromEntries(columns), diagnostics };
}

function readChoice(path: string, { value }: MapEntry, isDate: boolean): ColumnChoice | undefined {
  if (isNull(value)) return null;
  if (value.kind !== 'map' || !isDate) return readText(value, `the column of ${path}`);
  const what = `the columns of ${path}`;
  // `readFields` reports a key without a value, which here means that there is no column.
  const never = value.entries.get('never');
  const hasNoNever = never !== undefined && isNull(never.value);
  const rest = hasNoNever
    ? { ...value, entries: new Map([...value.entries].filter(([key]) => key !== 'never')) }
    : value;
  const fields = readFields(rest, what, { required: ['column'], optional: ['never'] });
  const columnNode = fields?.get('column');
  const column = columnNode && readText(columnNode.value, `the column of ${path}`);
  if (column === undefined) return undefined;
  if (hasNoNever) return { column, never: null };
  const neverNode = fields?.get('never');
  const neverColumn = neverNode && readText(neverNode.value, `the never column of ${path}`);
  return neverColumn === undefined ? { column } : { column, never: neverColumn };
}

/** Rules and their facts: those of a policy, or of several. */
export type FactReader = Pick<Policy, 'rules' | 'facts'>;

/** The facts of a policy in a file. */
interface FoundColumns {
  /** The facts that have columns, in the order of the policy's table. */
  readonly present: readonly {
    readonly path: string;
    readonly definition: FactDefinition;
    readonly columns: PresentColumns;
  }[];
  /** The columns of facts that the policy reads and the file lacks: these facts are missing in every row. */
  readonly absent: readonly string[];
  /** The facts that the policy reads. */
  readonly read: ReadonlySet<string>;
  /** The counts of velocities without a column. */
  readonly counted: RowCounts;
}

/**
 * Finds the columns. Throws CONFIGURATION_INVALID if the file has none that the policy reads, if it has one with the
 * path of a fact as its name, or one of a fact that the policy computes, or if the map gives two facts one column or
 * names one that the file lacks.
 */
export function findColumns(
  policy: FactReader,
  map: ColumnMap,
  shape: FileShape,
  counts: RowCounts = NO_COUNTS,
): FoundColumns {
  const given = givenFacts(conditionFacts(policy.rules), policy.facts);
  const { noun = 'file' } = shape;
  const columnsByPath = new Map([...policy.facts].map(([path, { type }]) => [path, columnsOf(path, type, map)]));
  const counted = new Map([...counts].filter(([path]) => !presentIn(shape, columnsByPath.get(path))));
  const read = new Set([...given].filter((path) => !counted.has(path)));
  checkMap(policy, map, new Map([...columnsByPath].filter(([path]) => read.has(path))), shape);
  const present = [...policy.facts].flatMap(([path, definition]) => {
    const columns = presentIn(shape, columnsByPath.get(path));
    if (columns && definition.compute) {
      throw fileError(`the ${noun} has the column ${columns.column}, but the policy computes ${path}`, 'leave it out');
    }
    return columns ? [{ path, definition, columns }] : [];
  });
  const foundPaths = new Set(present.map(({ path }) => path));
  const nameOf = (path: string) => columnsByPath.get(path)?.column;
  const misnamed = [...read].find((path) => !foundPaths.has(path) && nameOf(path) && hasColumn(shape, path));
  if (misnamed !== undefined) {
    const message = `the ${noun} has a column ${misnamed}, but the column of this fact is ${nameOf(misnamed)}`;
    throw fileError(message, 'rename it, or name it in a map of columns');
  }
  // A fact that the map declares to have no column is not reported as absent.
  const absent = [...read].flatMap((path) => (foundPaths.has(path) ? [] : (nameOf(path) ?? [])));
  if (read.size > 0 && ![...read].some((path) => foundPaths.has(path))) {
    const [first = ''] = absent;
    const example = first === '' ? '' : `, such as ${first}`;
    const { hint } = didYouMean(first, shape.types.keys());
    throw fileError(`the ${noun} has no column of any fact that the policy reads${example}`, hint);
  }
  return { present, absent, read, counted };
}

/** The columns of a fact, if the file has them. */
export function presentIn(shape: FileShape, columns: FactColumns | undefined): PresentColumns | undefined {
  const { column, never } = columns ?? {};
  if (column === undefined || !hasColumn(shape, column)) return undefined;
  return { column, never: never !== undefined && hasColumn(shape, never) ? never : undefined };
}

/** Throws if a map gives two facts one column, as for an export, or names a column that the file lacks. */
function checkMap(
  { facts }: FactReader,
  map: ColumnMap,
  read: ReadonlyMap<string, FactColumns>,
  shape: FileShape,
): void {
  const refusals = columnRefusals(DIALECTS.duckdb, read, facts, map, [], []);
  if (refusals.length > 0) throw refusalError(refusals);
  for (const path of Object.keys(map).filter((each) => read.has(each))) {
    const choice = map[path];
    const names = typeof choice === 'object' ? [choice?.column, choice?.never] : [choice];
    for (const name of names) {
      if (typeof name !== 'string' || hasColumn(shape, name)) continue;
      const { hint } = didYouMean(name, shape.types.keys());
      throw fileError(`the ${shape.noun ?? 'file'} has no column ${name}, which the map names for ${path}`, hint);
    }
  }
}

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

/** The UTC day of a day or an instant, as `readDayOrInstant` reads them. */
export function dayOrInstantFrom(text: string): string {
  // DuckDB expects seconds.
  const whole = String.raw`regexp_replace(${text}, '(T\d\d:\d\d)([Z+-])', '\1:00\2')`;
  const day = `CAST(TRY_CAST(${whole} AS TIMESTAMPTZ) AS DATE)`;
  return `CASE WHEN regexp_full_match(${text}, '${INSTANT.source}') THEN ${day} ELSE ${dayFrom(text)} END`;
}

/** A day as yyyy-MM-dd. */
function dayFrom(text: string): string {
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
  /** What a message calls it. Default: file. */
  readonly noun?: 'table';
}

/** The key of a column in `FileShape.types`: DuckDB ignores the case of ASCII letters. */
export function columnKey(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Whether a file has a column. */
function hasColumn({ types }: FileShape, name: string): boolean {
  return types.has(columnKey(name));
}

/** Throws CONFIGURATION_INVALID if a column has a type that its fact cannot have. */
export function checkColumn({ types, isText }: FileShape, name: string, type: FactType): void {
  const columnType = types.get(columnKey(name)) ?? '';
  const [pattern, expected] = DUCKDB_TYPES[type];
  if (isText || pattern.test(columnType)) return;
  throw fileError(`the column ${name} has the type ${columnType}; ${expected} was expected`);
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
  // A cell that is not a day contradicts `never` as a day does, so the date is missing.
  const isReadable = shape.isText ? `(${value} IS NOT NULL OR ${isBlank(cell)})` : 'true';
  const shown = type === 'number' || type === 'integer' ? `CAST(${value} AS DOUBLE)` : value;
  return {
    path,
    choice: { column: `fact_${index}`, never: never === undefined ? null : `never_${index}` },
    forSql: [
      `${type === 'string' ? writeFold(value, definition) : value} AS fact_${index}`,
      ...(never === undefined ? [] : [`${isNever} AND ${isReadable} AS never_${index}`]),
    ],
    forRead: [
      `${type === 'date' ? shownDay({ value, cell, isNever }, shape) : shown} AS shown_${index}`,
      // A cell that cannot be read is invalid rather than missing without a cause.
      `${shape.isText ? `CASE WHEN ${value} IS NULL THEN ${cell} END` : 'NULL'} AS unread_${index}`,
    ],
    read: ([shown, unread], day) => readCell(definition, shown ?? undefined, unread, day),
  };
}

/** The fact of a cell: its value as read, or the text of a cell that cannot be read, which is invalid if not blank. */
export function readCell(definition: FactDefinition, value: unknown, unread: unknown, day: string): Fact {
  if (value !== undefined) return readFact(definition, { value }, day);
  // The reader of facts could accept the text as a value: `never` is a date.
  return typeof unread === 'string' && trimWhiteSpace(unread) !== '' ? invalidFact(unread) : NOT_GIVEN;
}

/** A column of the view `file`. */
function inFile(column: string): string {
  return `file.${DIALECTS.duckdb.identifier(column)}`;
}

function shownDay({ value, cell, isNever }: Record<'value' | 'cell' | 'isNever', string>, { isText }: FileShape) {
  const found = isText ? `CASE WHEN NOT ${isBlank(cell)} THEN ${cell} END` : `CAST(${value} AS VARCHAR)`;
  const both = `COALESCE(${found} || ' and never', '${NEVER}')`;
  return `CASE WHEN ${isNever} THEN ${both} ELSE CAST(${value} AS VARCHAR) END`;
}

/** Whether a cell of text is empty or white space. */
function isBlank(cell: string): string {
  return `(COALESCE(trim(${cell}, ${SPACE}), '') = '')`;
}

/** The names of our functions in DuckDB. */
const FOLD = 'verdict_fold';
const functionOf = (format: Format) => `verdict_${format}`;

/** The white space of ASCII. */
const SPACE = `(' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13))`;

/** The expression of a text in the form in which its fact is compared; NULL for a text that the fact cannot have. */
export function writeFold(text: string, { format }: FactDefinition): string {
  if (format) return `${functionOf(format)}(${text})`;
  // Most texts are short and ASCII. DuckDB folds them faster than our function does.
  const isPlain = `strlen(${text}) = length(${text}) AND strlen(${text}) <= ${MAX_TEXT_BYTES}`;
  return `CASE WHEN ${isPlain} THEN lower(trim(${text}, ${SPACE})) ELSE ${FOLD}(${text}) END`;
}

/** Registers the functions that `writeFold` uses. `onRefused` is called for texts that a fact cannot have. */
export function registerTextReaders(db: DuckDb, onRefused: (format?: Format) => undefined = () => undefined): void {
  registerReader(db, FOLD, (text) => fold(text) ?? onRefused());
  for (const format of FORMATS) {
    registerReader(db, functionOf(format), (text) => {
      const read = readFormat(format, text);
      if ('value' in read) return read.value;
      return trimWhiteSpace(text) === '' ? undefined : onRefused(format);
    });
  }
}

/** Registers a function of a text; NULL stays NULL. */
export function registerReader(
  { connection, package: { DuckDBScalarFunction, VARCHAR } }: DuckDb,
  name: string,
  read: (text: string) => string | undefined,
): void {
  const scalar = DuckDBScalarFunction.create({
    name,
    returnType: VARCHAR,
    parameterTypes: [VARCHAR],
    mainFunction: (_, input, output) => {
      const texts = input.getColumnVector(0);
      // Each look at it is a call to DuckDB.
      const { rowCount } = input;
      for (let i = 0; i < rowCount; i++) {
        const text = texts.getItem(i);
        output.setItem(i, text === null ? null : (read(String(text)) ?? null));
      }
      output.flush();
    },
  });
  connection.registerScalarFunction(scalar);
}
