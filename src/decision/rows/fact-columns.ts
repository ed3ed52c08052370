/** A map of columns in YAML, a policy and a file -> the columns with its facts, and what is read of a row. */

import type { Diagnostic } from '../../diagnostics.ts';
import { VerdictError } from '../../errors.ts';
import type { FactDefinition, FactTable, FactType } from '../../facts/catalog.ts';
import { givenFacts, setComputed } from '../../facts/compute.ts';
import { type Fact, invalidFact } from '../../facts/fact.ts';
import { markRead, NOT_GIVEN, newFacts, readFact } from '../../facts/fact-reader.ts';
import type { DecidedLine, FactsLine } from '../../facts/facts-line.ts';
import { INSTANT_EXPECTED } from '../../facts/instant.ts';
import { namesCounted } from '../../facts/velocity.ts';
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
  columnOf,
  columnRefusals,
  columnsOf,
  type FactColumns,
  type PresentColumns,
} from '../sql/table-columns.ts';
import { pathCounted } from '../velocity.ts';
import { type ColumnGaps, findUnread, OF_ROWS, type WantedColumn } from './column-gaps.ts';
import { NO_COUNTS, type RowCounts } from './row-counts.ts';

/**
 * Reads a file like
 *
 *     phone.score: risk_score
 *     phone.porting.portedDate: { column: ported_on, never: never_ported }   # never: ~ if there is no such column
 *     ip.isp: ~                                                              # no column: missing in every row
 */
export function readColumns(file: string, table: FactTable) {
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

/** How to read the facts of a file. */
export interface FactsOptions {
  readonly file: string;
  /** The day of rows without one in the column `at`, yyyy-MM-dd. */
  readonly at: string;
  readonly columns?: ColumnMap;
  /** What velocities count, which the file has no columns of. */
  readonly counts?: RowCounts | undefined;
  /** The column with the probability of the holdout, or the fact with that column. */
  readonly holdout?: string | undefined;
}

/** Rules and their facts: those of a policy, or of several. */
export type FactReader = Pick<Policy, 'rules' | 'facts' | 'timeZone'> & {
  /** The facts that are read of a file. Default: all that it has. */
  readonly read?: ReadonlySet<string>;
  /** The facts whose columns are missed if a file lacks them. Default: `read`, or else those of the rules. */
  readonly needed?: ReadonlySet<string>;
  /** Velocities that are counted, where a file has no column of them, and whose counts are not known yet. */
  readonly counting?: ReadonlySet<string>;
};

/** The facts of a policy in a file. */
interface FoundColumns extends ColumnGaps {
  /** The facts that have columns, in the order of the policy's table. */
  readonly present: readonly {
    readonly path: string;
    readonly definition: FactDefinition;
    readonly columns: PresentColumns;
  }[];
  /** The counts of velocities without a column. */
  readonly counted: RowCounts;
  readonly decided: DecidedColumns;
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
  holdout?: string,
): FoundColumns {
  const given = givenFacts(policy.needed ?? policy.read ?? conditionFacts(policy.rules), policy.facts);
  const { noun = 'file' } = shape;
  const columnsByPath = new Map([...policy.facts].map(([path, { type }]) => [path, columnsOf(path, type, map)]));
  const hasNone = (path: string) => !presentIn(shape, columnsByPath.get(path));
  const counted = new Map([...counts].filter(([path]) => hasNone(path)));
  const counting = new Set([...counted.keys(), ...(policy.counting ?? [])].filter(hasNone));
  const read = new Set([...given].filter((path) => !counting.has(path)));
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
  const missed = [...new Set([...read, ...countedBy(counting, policy.facts, foundPaths)])].flatMap((path) => {
    const column = foundPaths.has(path) ? undefined : nameOf(path);
    // A fact that the map declares to have no column is not missed.
    return column === undefined ? [] : [[column, path] as const];
  });
  const absent = missed.map(([column]) => column);
  const misnamed = [...read].find((path) => !foundPaths.has(path) && nameOf(path) && hasColumn(shape, path));
  if (misnamed !== undefined) {
    const message = `the ${noun} has a column ${misnamed}, but the column of this fact is ${nameOf(misnamed)}`;
    throw fileError(message, 'rename it, or name it in a map of columns');
  }
  if (read.size > 0 && ![...read].some((path) => foundPaths.has(path))) {
    const [first = ''] = absent;
    const example = first === '' ? '' : `, such as ${first}`;
    const { hint } = didYouMean(first, shape.types.keys());
    throw fileError(`the ${noun} has no column of any fact that the policy reads${example}`, hint);
  }
  const also = [...counting].flatMap((path) => wantedColumn(nameOf(path), path));
  const decided = decidedColumns(shape, holdout);
  const beside = new Set(Object.values(decided));
  const others = { ...shape, names: shape.names.filter((name) => !beside.has(name)) };
  return { present, absent, unread: unreadIn(others, present, columnsByPath, [...missed, ...also]), counted, decided };
}

/** The columns of a file that nobody reads. */
function unreadIn(
  shape: FileShape,
  present: FoundColumns['present'],
  columnsByPath: ReadonlyMap<string, FactColumns>,
  missed: readonly WantedColumn[],
): ColumnGaps['unread'] {
  const read = new Set(present.flatMap(({ columns: { column, never = column } }) => [column, never].map(columnKey)));
  const nevers = present.flatMap(({ path }) => wantedColumn(columnsByPath.get(path)?.never, `${path}.never`));
  // As if a path, so that its end `reference` is the name of `client_reference` too, as in files of labels.
  const ofRows = OF_ROWS.flatMap((name) => wantedColumn(name, name.replace('_', '.')));
  const wanted = [...missed, ...nevers, ...ofRows].filter(([column]) => !hasColumn(shape, column));
  return findUnread(shape.names, (name) => read.has(columnKey(name)), wanted);
}

function wantedColumn(column: string | undefined, path: string): readonly WantedColumn[] {
  return column === undefined ? [] : [[column, path]];
}

/** The facts that velocities count by and a file lacks; in place of one that is derived, what it is derived from. */
function countedBy(velocities: ReadonlySet<string>, facts: FactTable, found: ReadonlySet<string>): readonly string[] {
  return [...velocities].flatMap((path) => {
    const { velocity } = facts.get(path) ?? {};
    const counted = velocity ? namesCounted(velocity).map(pathCounted) : [];
    return counted.flatMap((each) => (found.has(each) ? [] : (facts.get(each)?.inputs ?? [each])));
  });
}

/** The columns of a fact, if the file has them. */
function presentIn(shape: FileShape, columns: FactColumns | undefined): PresentColumns | undefined {
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

/** The columns that say what was decided on a row. */
export const DECIDED = ['outcome', 'disposition', 'holdout'] as const satisfies readonly (keyof DecidedLine)[];

export type DecidedColumns = Readonly<Record<(typeof DECIDED)[number], string | undefined>>;

/** Their names in a file; undefined for one that it lacks. Throws CONFIGURATION_INVALID if that is the holdout's. */
function decidedColumns(shape: FileShape, holdout: string | undefined): DecidedColumns {
  const find = (...names: readonly string[]) => {
    const keys = names.map(columnKey);
    return shape.names.find((name) => keys.includes(columnKey(name)));
  };
  const held = holdout === undefined ? undefined : find(holdout, columnOf(holdout));
  if (holdout !== undefined && held === undefined) {
    const { hint } = didYouMean(holdout, shape.types.keys());
    throw fileError(`the ${shape.noun ?? 'file'} has no column ${holdout} of the holdout`, hint);
  }
  return { outcome: find('outcome'), disposition: find('disposition'), holdout: held };
}

/** `textOf`: the text of a cell. An empty cell says that nothing was decided; without the column, nothing is known. */
export function decidedBy(
  columns: DecidedColumns,
  textOf: (name: keyof DecidedLine) => string | undefined,
): Pick<FactsLine, 'decided'> {
  const own = DECIDED.flatMap((name) => (columns[name] === undefined ? [] : [[name, textOf(name) ?? null] as const]));
  return own.length === 0 ? {} : { decided: Object.fromEntries(own) };
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
  /** The names, in the order of the file. */
  readonly names: readonly string[];
  /** By the key of its name, the DuckDB type. */
  readonly types: ReadonlyMap<string, string>;
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
export function checkColumn({ types }: FileShape, name: string, type: FactType): void {
  const columnType = types.get(columnKey(name)) ?? '';
  const [pattern, expected] = DUCKDB_TYPES[type];
  if (pattern.test(columnType)) return;
  throw fileError(`the column ${name} has the type ${columnType}; ${expected} was expected`);
}

/** The error of a file that cannot be used. */
export function fileError(message: string, hint?: string): VerdictError {
  return new VerdictError('CONFIGURATION_INVALID', hint === undefined ? message : `${message}; ${hint}`);
}

/** The fact of a cell: its value as read, or the text of a cell that cannot be read, which is invalid if not blank. */
export function readCell(definition: FactDefinition, value: unknown, unread: unknown, day: string): Fact {
  if (value !== undefined) return readFact(definition, { value }, day);
  // The reader of facts could accept the text as a value: `never` is a date.
  return typeof unread === 'string' && trimWhiteSpace(unread) !== '' ? invalidFact(unread) : NOT_GIVEN;
}

/** A row, or why it has no answer; `number` is its line in a CSV file. */
export type Numbered<Answer> = { readonly number: number } & (Answer | { readonly problem: string });

/** Why a row has no day. */
export const BAD_DAY = { problem: `"at" has to be ${INSTANT_EXPECTED}` };

/** Facts that were read by a table, with those that it computes: no runner reads them again. */
export function readBy(table: FactTable, day: string, read: Iterable<readonly [string, Fact]>): Map<string, Fact> {
  const facts = newFacts(new Map(read));
  setComputed(facts, table);
  return markRead(facts, table, day);
}
