/**
 * The keys of one signal -> diagnostics for keys that do not fit the fact, have no effect, or contradict another
 * key.
 */

import type { DiagnosticCode } from '../../diagnostics.ts';
import { reportAt } from '../../platform/yaml.ts';
import type { Fields } from '../../platform/yaml-fields.ts';
import type { FactDefinition, FactType } from '../catalog.ts';
import { canBePartial, type DayFormat } from './value/day-format.ts';

/** The types of facts that a key is for; other keys are for all types. */
const KEY_TYPES: ReadonlyMap<string, readonly FactType[]> = new Map([
  ['form', ['number']],
  ['range', ['number']],
  ['invert', ['number']],
  ['formats', ['date']],
  ['partial', ['date']],
  ['never', ['date']],
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

const CLASHES: readonly Clash[] = [
  ...['values', 'part'].map((key) => ({
    key,
    code: 'wrong-value' as const,
    message: `"${key}" has no effect with \`take: count\`, which reads no value`,
    holds: ({ take }: SignalKeys) => take === 'count',
  })),
  {
    key: 'part',
    code: 'missing-key',
    message: '"part" needs the key "split": the text between the values',
    holds: ({ fields }) => !fields.isMeant('split'),
  },
  {
    key: 'split',
    code: 'missing-key',
    message: '"split" needs the key "part" or "take": which value counts',
    holds: ({ fields }) => !fields.isMeant('part') && !fields.isMeant('take'),
  },
  {
    key: 'range',
    code: 'wrong-value',
    message: '"range" contradicts "form", which has its own scale',
    holds: ({ fields }) => fields.isMeant('form'),
  },
  {
    key: 'invert',
    code: 'wrong-value',
    message: '"invert" is for facts whose range begins with 0',
    holds: ({ definition: { range }, fields }) => range?.[0] !== 0 && !fields.isMeant('range'),
  },
  {
    key: 'partial',
    code: 'wrong-value',
    message: '"partial" has no effect: no format can be written without its day',
    holds: ({ formats }) => !formats.some(canBePartial),
  },
  {
    key: 'partial',
    code: 'wrong-value',
    message: '"partial" contradicts the format "daysAgo": 2012 would be both a year and a number of days',
    holds: ({ formats }) => formats.includes('daysAgo') && formats.some(canBePartial),
  },
];

/** Reports at most one problem for each key. */
export function checkSignalKeys(keys: SignalKeys): void {
  const { path, definition, fields } = keys;
  for (const [name, { key }] of fields) {
    const types = KEY_TYPES.get(name);
    const clash = CLASHES.find((one) => one.key === name && one.holds(keys));
    if (types && !types.includes(definition.type)) {
      const message = `"${name}" is for facts of type ${types.join(', ')}; ${path} is of type ${definition.type}`;
      reportAt(key, 'wrong-value', message);
    } else if (name === 'range' && !definition.range) {
      reportAt(key, 'wrong-value', `${path} has no range to rescale values to`);
    } else if (clash) {
      reportAt(key, clash.code, clash.message);
    }
  }
}
