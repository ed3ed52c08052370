/** The paths of facts, and a map of columns -> the columns that they stand in, each fact in its own. */

import type { FactTable } from '../../facts/catalog.ts';
import { didYouMean } from '../../text.ts';
import type { Dialect } from './dialect.ts';
import { refusal, type SqlRefusal } from './refusal.ts';

/**
 * Where a fact stands: a column by its name; null where the table has none, so that the fact is missing in every row; for a
 * date also the column that tells that it never happened, null where nothing tells.
 */
export type ColumnChoice = string | null | { readonly column: string; readonly never?: string | null };

/** Columns by path, for facts whose columns are not named by the convention. */
export type ColumnMap = Readonly<Record<string, ColumnChoice>>;

/** The columns of a fact; undefined where there is none. */
export interface FactColumns {
  readonly column: string | undefined;
  /** For a date: true where it is known never to have happened. */
  readonly never: string | undefined;
}

/** The convention: `email.darkWeb.hitCount` stands in `email_dark_web_hit_count`. */
export function columnOf(path: string): string {
  return path
    .replaceAll('.', '_')
    .replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`)
    .toLowerCase();
}

/** The column of a date's `never`. */
export function neverColumnOf(column: string): string {
  return `${column}_never`;
}

/** The columns of a fact by the map, or else by the convention. */
export function columnsOf(path: string, type: string, map: ColumnMap): FactColumns {
  const choice = Object.hasOwn(map, path) ? map[path] : undefined;
  if (choice === null) return { column: undefined, never: undefined };
  const column = typeof choice === 'string' ? choice : (choice?.column ?? columnOf(path));
  const never = typeof choice === 'object' ? choice.never : undefined;
  const told = never === undefined ? neverColumnOf(column) : (never ?? undefined);
  return { column, never: type === 'date' ? told : undefined };
}

/** What is wrong with the columns of these facts, the key columns and the column of the day. */
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
    if (!table.has(path)) refuse('sql-fact', `there is no fact "${path}"`, didYouMean(path, table.keys()).hint);
  }
  const taken = new Map<string, string>();
  for (const [path, { column, never }] of facts) {
    for (const [name, what] of [[column, path] as const, [never, `never of ${path}`] as const]) {
      if (name === undefined) continue;
      checkName(name);
      const holder = taken.get(name.toLowerCase());
      // DuckDB takes names that differ in case alone for one.
      if (holder)
        refuse('sql-column', `the column ${name} is that of ${holder} and of ${what}`, 'name another for one');
      taken.set(name.toLowerCase(), what);
    }
  }
  const given = new Set<string>();
  for (const key of keys) {
    checkName(key);
    const isTaken = [...outputs, ...given].some((name) => name.toLowerCase() === key.toLowerCase());
    if (isTaken) refuse('sql-column', `the key column ${key} is a column of the result already`);
    given.add(key);
  }
  return refusals;

  function checkName(name: string): void {
    const bytes = Buffer.byteLength(name);
    if (bytes > dialect.longestName) {
      refuse('sql-column', `the column ${name} has ${bytes} bytes; ${dialect.name} keeps ${dialect.longestName}`);
    } else if (name === '' || name.includes('\0') || !name.isWellFormed()) {
      refuse('sql-column', `${JSON.stringify(name)} is not a name that a column can have`);
    }
  }
}
