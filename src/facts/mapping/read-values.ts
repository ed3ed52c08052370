/** The `values` of one signal (YAML) -> what names in an answer mean: the type's own names, and those added. */

import { reportAt } from '../../platform/files/source.ts';
import { type MapEntry, toData, type Yaml } from '../../platform/yaml.ts';
import { isNull, readMap } from '../../platform/yaml-fields.ts';
import { type FactDefinition, LEVELS } from '../catalog.ts';
import { LAST_DAY } from '../day.ts';
import { type FactValue, isMissing } from '../fact.ts';
import { readFact } from '../fact-reader.ts';
import type { Scale } from './value/number-form.ts';
import { spellingKey } from './value/spelling-key.ts';

/** What the values of a signal are checked against. */
export interface ValueContext {
  readonly path: string;
  readonly definition: FactDefinition;
  /** The scale in the answer, if it is not the fact's own; the values are on it too. */
  readonly range: Scale | undefined;
  readonly placeholders: ReadonlySet<string>;
}

/** The values by `spellingKey`. */
export function readValues(node: Yaml | undefined, context: ValueContext): ReadonlyMap<string, FactValue> {
  const { path, definition, placeholders } = context;
  const values = new Map<string, FactValue>(ownNames(definition).map((name) => [spellingKey(String(name)), name]));
  const entries = (node && readMap(node, `\`values\` of ${path}`)?.entries) ?? new Map<string, MapEntry>();
  const seen = new Set<string>();
  for (const [name, { key, value }] of entries) {
    const target = readTarget(value, context);
    const id = spellingKey(name);
    if (seen.has(id)) reportAt(key, 'duplicate-key', `"${name}" is read like another name here`);
    if (placeholders.has(id)) {
      const message = `"${name}" has no effect: it is a placeholder, and placeholders are read first`;
      reportAt(key, 'wrong-value', message, { severity: 'warning' });
    }
    seen.add(id);
    if (target !== undefined) values.set(id, target);
  }
  return values;
}

function ownNames({ type, values = [] }: FactDefinition): readonly (string | boolean)[] {
  if (type === 'level') return LEVELS;
  if (type === 'boolean') return [true, false];
  return values;
}

/** A value of the fact's type. With a `range` it is a number of that range, because rescaling happens later. */
function readTarget(node: Yaml, { path, definition, range }: ValueContext): FactValue | undefined {
  const value = toData(node);
  const fact = readFact(range ? { ...definition, range } : definition, { value }, LAST_DAY);
  if (!isMissing(fact)) return value as FactValue;
  const names = ownNames(definition);
  const expected = names.length > 0 ? `is one of ${names.join(', ')}` : `is a ${definition.type} within its range`;
  const unknown = typeof value === 'string' ? { word: value, known: names.map(String) } : undefined;
  const message = `not a value of ${path}, which ${expected}`;
  return reportAt(node, isNull(node) ? 'null-value' : 'wrong-value', message, { unknown });
}
