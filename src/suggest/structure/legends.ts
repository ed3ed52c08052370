/** Parts of an answer that name what other parts hold -> those names: a table's columns, a legend of short names. */

import { readName } from '../names/tokenise.ts';
import { isKnown, isMap } from './labels.ts';

/** Rows without names, next to the names of their columns. */
export interface Table {
  readonly columnsKey: string;
  readonly rowsKey: string;
  /** By index; undefined for a column without a name. */
  readonly columns: readonly (string | undefined)[];
}

/** Fewer names than this are taken for a coincidence, not for a table or a legend. */
const MIN_NAMES = 3;
const MAX_NAMES = 500;
const MAX_DEPTH = 6;
const NAME_KEY = /^(?:name|label|title|field|key|id|caption|header|column)$/i;

/** A list of names next to a list of lists of the same length; all maps must have the same names. */
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
  if (!Array.isArray(value) || value.length < MIN_NAMES || value.length > MAX_NAMES) return undefined;
  const names = value.map(nameOf);
  const known = names.filter((name) => name !== undefined && isKnown(name));
  return known.length * 2 >= names.length ? names : undefined;
}

function nameOf(column: unknown): string | undefined {
  if (typeof column === 'string') return column;
  if (!isMap(column)) return undefined;
  const name = Object.entries(column).find(([key]) => NAME_KEY.test(key))?.[1];
  return typeof name === 'string' ? name : undefined;
}

function areRows(value: unknown, width: number): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((row) => Array.isArray(row) && row.length === width);
}

/** Short name -> its meaning. */
export type Legend = ReadonlyMap<string, string>;

/** The legend, if all answers have the same: `{ a: 'Current operator', b: 'Phone type', … }`. */
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

/** Short keys, each with a longer, different text, at least half of them names that the vocabulary knows. */
function isLegend(map: Readonly<Record<string, unknown>>): map is Record<string, string> {
  const entries = Object.entries(map);
  if (entries.length < MIN_NAMES || entries.length > MAX_NAMES) return false;
  if (!entries.every(([key, name]) => key.length <= 4 && typeof name === 'string' && name.length > key.length)) {
    return false;
  }
  const names = entries.map(([, name]) => String(name));
  const known = names.filter((name) => isKnown(name) && readName(name).tokens.length > 1);
  return known.length * 2 >= names.length && new Set(names).size === names.length;
}

/** Whether all keys of a map are short names of the legend, and the map is not the legend itself. */
export function isNamedBy(legend: Legend, map: Readonly<Record<string, unknown>>): boolean {
  const keys = Object.keys(map);
  if (keys.length < MIN_NAMES || !keys.every((key) => legend.has(key))) return false;
  const meanings = new Set<unknown>(legend.values());
  return !Object.values(map).every((value) => meanings.has(value));
}

function own(map: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
