/** A policy and the columns of a file -> the columns that hold its facts, by the convention or a map. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import { givenFacts } from '../../../facts/compute.ts';
import { conditionFacts, type Policy } from '../../../policy/language.ts';
import { didYouMean } from '../../../text.ts';
import { type ColumnMap, columnRefusals, columnsOf, type FactColumns, type PresentColumns } from '../column-names.ts';
import { DIALECTS } from '../dialect.ts';
import { refusalError } from './facts-lines.ts';
import { type FileShape, fileError, hasColumn } from './file-column.ts';

/** What reads facts: a policy, or the rules and facts of several. */
export type FactReader = Pick<Policy, 'rules' | 'facts'>;

/** The facts of a policy in a file. */
export interface FoundColumns {
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
}

/**
 * Finds the columns. Throws CONFIGURATION_INVALID if the file has none that the policy reads, if it has one with the
 * path of a fact as its name, or one of a fact that the policy computes, or if the map gives two facts one column or
 * names one that the file lacks.
 */
export function findColumns(policy: FactReader, map: ColumnMap, shape: FileShape): FoundColumns {
  const read = givenFacts(conditionFacts(policy.rules), policy.facts);
  const named = new Map([...policy.facts].map(([path, { type }]) => [path, columnsOf(path, type, map)]));
  checkMap(policy, map, new Map([...named].filter(([path]) => read.has(path))), shape);
  const present = [...policy.facts].flatMap(([path, definition]) => {
    const columns = presentIn(shape, named.get(path));
    if (columns && definition.compute) {
      throw fileError(`the file has the column ${columns.column}, but the policy computes ${path}`, 'leave it out');
    }
    return columns ? [{ path, definition, columns }] : [];
  });
  const found = new Set(present.map(({ path }) => path));
  const misnamed = [...read].find((path) => !found.has(path) && named.get(path)?.column && hasColumn(shape, path));
  if (misnamed !== undefined) {
    const message = `the file has a column ${misnamed}, but the column of this fact is ${named.get(misnamed)?.column}`;
    throw fileError(message, 'rename it, or name it in a map of columns');
  }
  // A fact that the map declares to have no column is not reported as absent.
  const absent = [...read].flatMap((path) => (found.has(path) ? [] : (named.get(path)?.column ?? [])));
  if (read.size > 0 && ![...read].some((path) => found.has(path))) {
    const [first = ''] = absent;
    const example = first === '' ? '' : `, such as ${first}`;
    const { hint } = didYouMean(first, shape.types.keys());
    throw fileError(`the file has no column of any fact that the policy reads${example}`, hint);
  }
  return { present, absent, read };
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
    const named = typeof choice === 'object' ? [choice?.column, choice?.never] : [choice];
    for (const name of named) {
      if (typeof name !== 'string' || hasColumn(shape, name)) continue;
      const { hint } = didYouMean(name, shape.types.keys());
      throw fileError(`the file has no column ${name}, which the map names for ${path}`, hint);
    }
  }
}
