/** The keys of one signal -> diagnostics for those that its fact does not have, that do nothing, or that contradict another. */

import type { DiagnosticCode } from '../../diagnostics.ts';
import { reportAt } from '../../platform/yaml.ts';
import type { Fields } from '../../platform/yaml-fields.ts';
import type { FactDefinition, FactType } from '../catalog.ts';
import { canBePartial, type DayFormat } from './value/day-format.ts';

/** Keys that serve some types of facts only. */
const KEY_TYPES: ReadonlyMap<string, readonly FactType[]> = new Map([
  ['form', ['number']],
  ['range', ['number']],
  ['invert', ['number']],
  ['formats', ['date']],
  ['partial', ['date']],
  ['never', ['date']],
]);

/** The keys of one signal, and what has been read of them. */
export interface SignalKeys {
  readonly path: string;
  readonly definition: FactDefinition;
  readonly fields: Fields;
  readonly take: string | undefined;
  readonly formats: readonly DayFormat[];
}

/** A key that is wrong beside the others, and why. */
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
    message: `"${key}" does nothing beside \`take: count\`, which reads no value`,
    holds: ({ take }: SignalKeys) => take === 'count',
  })),
  {
    key: 'part',
    code: 'missing-key',
    message: '"part" needs the key "split": what the text is taken apart at',
    holds: ({ fields }) => !fields.isMeant('split'),
  },
  {
    key: 'split',
    code: 'missing-key',
    message: '"split" needs the key "part" or "take": which of the values counts',
    holds: ({ fields }) => !fields.isMeant('part') && !fields.isMeant('take'),
  },
  {
    key: 'range',
    code: 'wrong-value',
    message: '"range" contradicts "form", which has a scale of its own',
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
    message: '"partial" does nothing: none of the formats has a month or year without a day',
    holds: ({ formats }) => !formats.some(canBePartial),
  },
  {
    key: 'partial',
    code: 'wrong-value',
    message: '"partial" contradicts the format "daysAgo": 2012 would be a year and a count of days',
    holds: ({ formats }) => formats.includes('daysAgo') && formats.some(canBePartial),
  },
];

/** Reports each of them, once. */
export function checkSignalKeys(keys: SignalKeys): void {
  const { path, definition, fields } = keys;
  for (const [name, { key }] of fields) {
    const types = KEY_TYPES.get(name);
    const clash = CLASHES.find((one) => one.key === name && one.holds(keys));
    if (types && !types.includes(definition.type)) {
      const message = `"${name}" is for facts of type ${types.join(', ')}; ${path} is of type ${definition.type}`;
      reportAt(key, 'wrong-value', message);
    } else if (name === 'range' && !definition.range) {
      reportAt(key, 'wrong-value', `${path} has no range of its own that values could be rescaled to`);
    } else if (clash) {
      reportAt(key, clash.code, clash.message);
    }
  }
}
