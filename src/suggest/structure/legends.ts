/** Parts of an answer that name what other parts hold (a table's columns, a legend of short names) -> those names. */

import { readName } from '../names/tokenise.ts';
import { isKnown } from './labels.ts';

/** Rows without names, and the names of their columns beside them. */
export interface Table {
  readonly columnsKey: string;
  readonly rowsKey: string;
  /** By index; undefined for a column that has no name. */
  readonly columns: readonly (string | undefined)[];
}

/** Fewer names are none of a table or a legend, but chance. */
const LEAST = 3;
const MAX_DEPTH = 6;
const NAME_KEY = /^(?:name|label|title|field|key|id|caption|header|column)$/i;

/** A list of names beside a list of lists that are as long: the same in all the maps. */
export function findTable(maps: readonly Readonly<Record<string, unknown>>[]): Table | undefined {
  const [first = {}] = maps;
  for (const columnsKey of Object.keys(first)) {
    const columns = columnsOf(first[columnsKey]);
    if (!columns) continue;
    const isSame = maps.every((map) => JSON.stringify(columnsOf(own(map, columnsKey))) === JSON.stringify(columns));
    const rowsKey = Object.keys(first).find((key) => {
      return key !== columnsKey && maps.every((map) => areRows(own(map, key), columns.length));
    });
    if (isSame && rowsKey !== undefined) return { columnsKey, rowsKey, columns };
  }
  return undefined;
}

function columnsOf(value: unknown): readonly (string | undefined)[] | undefined {
  if (!Array.isArray(value) || value.length < LEAST || value.length > 500) return undefined;
  const names = value.map(nameOf);
  const known = names.filter((name) => name !== undefined && isKnown(name));
  return known.length * 2 >= names.length ? names : undefined;
}

function nameOf(column: unknown): string | undefined {
  if (typeof column === 'string') return column;
  if (!isMap(column)) return undefined;
  const key = Object.keys(column).find((one) => NAME_KEY.test(one));
  const name = key === undefined ? undefined : column[key];
  return typeof name === 'string' ? name : undefined;
}

function areRows(value: unknown, width: number): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((row) => Array.isArray(row) && row.length === width);
}

/** What short names stand for. */
export type Legend = ReadonlyMap<string, string>;

/** The legend of the answers, if they have one, and the same: `{ a: 'Current operator', b: 'Phone type', … }`. */
export function findLegend(answers: readonly unknown[]): Legend | undefined {
  const found = answers.map((answer) => legendIn(answer, 0));
  const [first] = found;
  const isSame = found.every((one) => JSON.stringify(one) === JSON.stringify(first));
  return first && isSame ? new Map(Object.entries(first)) : undefined;
}

function legendIn(value: unknown, depth: number): Record<string, string> | undefined {
  if (depth > MAX_DEPTH || !isMap(value)) return undefined;
  if (isLegend(value)) return value;
  for (const inside of Object.values(value)) {
    const legend = legendIn(inside, depth + 1);
    if (legend) return legend;
  }
  return undefined;
}

/** Short keys that say nothing themselves, and names that do, longer than they and each another. */
function isLegend(map: Readonly<Record<string, unknown>>): map is Record<string, string> {
  const entries = Object.entries(map);
  if (entries.length < LEAST || entries.length > 500) return false;
  if (!entries.every(([key, name]) => key.length <= 4 && typeof name === 'string' && name.length > key.length))
    return false;
  const names = entries.map(([, name]) => String(name));
  const known = names.filter((name) => isKnown(name) && readName(name).tokens.length > 1);
  return known.length * 2 >= names.length && new Set(names).size === names.length;
}

/** Whether a map has the legend's short names as its keys, and is not the legend itself. */
export function isNamedBy(legend: Legend, keys: readonly string[], values: readonly unknown[]): boolean {
  const named = keys.filter((key) => legend.has(key));
  return named.length >= LEAST && named.length === keys.length && !values.every((value) => isOneOf(legend, value));
}

function isOneOf(legend: Legend, value: unknown): boolean {
  return typeof value === 'string' && [...legend.values()].includes(value);
}

function own(map: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
