/** The paths of facts and a map of columns -> the columns that hold them, a column of its own for each fact. */

import type { FactTable } from '../../facts/catalog.ts';
import { didYouMean } from '../../text.ts';
import { type Dialect, refusal, type SqlRefusal } from './dialect.ts';

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

/** Refuses a name that the dialect cannot hold, or would cut: it would then be the name of something else. */
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
