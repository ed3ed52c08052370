/** The keys of one signal -> diagnostics for keys that do not fit the fact, have no effect, or contradict others. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import { reportAt } from '../../platform/files/source.ts';
import type { Fields } from '../../platform/yaml-fields.ts';
import type { FactDefinition, FactType } from '../catalog.ts';
import { canBePartial, type DayFormat } from './value/day-format.ts';

/** The types of facts that a key is for; other keys are for all types. */
const KEY_TYPES: ReadonlyMap<string, readonly FactType[]> = new Map<string, readonly FactType[]>([
  ...['form', 'range', 'invert'].map((key) => [key, ['number']] as const),
  ...['formats', 'partial', 'never'].map((key) => [key, ['date']] as const),
]);

/** The keys of one signal, and their values as far as they are read. */
export interface SignalKeys {
  readonly path: string;
  readonly definition: FactDefinition;
  readonly fields: Fields;
  readonly take: string | undefined;
  readonly formats: readonly DayFormat[];
}

/** A conflict of a key with the other keys. */
interface Clash {
  readonly key: string;
  readonly code: DiagnosticCode;
  readonly message: string;
  holds(keys: SignalKeys): boolean;
}

const clash = (key: string, code: DiagnosticCode, message: string, holds: Clash['holds']): Clash => {
  return { key, code, message: `"${key}" ${message}`, holds };
};

const CLASHES: readonly Clash[] = [
  ...['values', 'part'].map((key) =>
    clash(key, 'wrong-value', 'has no effect with `take: count`, which reads no value', ({ take }) => take === 'count'),
  ),
  clash('part', 'missing-key', 'needs the key "split": the text between the values', ({ fields }) => {
    return !fields.isMeant('split');
  }),
  clash('split', 'missing-key', 'needs the key "part" or "take": which value counts', ({ fields }) => {
    return !fields.isMeant('part') && !fields.isMeant('take');
  }),
  clash('range', 'wrong-value', 'contradicts "form", which has its own scale', ({ fields }) => fields.isMeant('form')),
  clash('invert', 'wrong-value', 'is for facts whose range begins with 0', ({ definition: { range }, fields }) => {
    return range?.[0] !== 0 && !fields.isMeant('range');
  }),
  clash('partial', 'wrong-value', 'has no effect: no format can be written without its day', ({ formats }) => {
    return !formats.some(canBePartial);
  }),
  clash(
    'partial',
    'wrong-value',
    'contradicts the format "daysAgo": 2012 would be both a year and a number of days',
    ({ formats }) => formats.includes('daysAgo') && formats.some(canBePartial),
  ),
];

/** Reports at most one problem for each key. */
export function checkSignalKeys(keys: SignalKeys): void {
  const { path, definition, fields } = keys;
  for (const [name, { key }] of fields) {
    const types = KEY_TYPES.get(name);
    const found = CLASHES.find((one) => one.key === name && one.holds(keys));
    if (types && !types.includes(definition.type)) {
      const message = `"${name}" is for facts of type ${types.join(', ')}; ${path} is of type ${definition.type}`;
      reportAt(key, 'wrong-value', message);
    } else if (name === 'range' && !definition.range) {
      reportAt(key, 'wrong-value', `${path} has no range to rescale values to`);
    } else if (found) {
      reportAt(key, found.code, found.message);
    }
  }
}
