/** The YAML of a map of columns -> the columns of facts by path, and diagnostics. */

import type { Diagnostic } from '../../../diagnostics.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { reportAt } from '../../../platform/files/source.ts';
import { readSource } from '../../../platform/files/source-file.ts';
import { type MapEntry, parseYaml } from '../../../platform/yaml.ts';
import { isNull, readFields, readMap, readText } from '../../../platform/yaml-fields.ts';
import type { ColumnChoice, ColumnMap } from '../column-names.ts';

/** A map of columns; undefined if there are diagnostics. */
export interface ReadColumns {
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
