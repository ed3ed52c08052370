/** A random policy as plain data, and a number -> the policy with one small edit, as an analyst might make it. */

import { OUTCOMES } from '../../../src/policy/language.ts';
import type { PlainCondition, PlainEntry, PlainPolicy, PlainRule } from '../runners/plain.ts';

/** Makes one edit; which one depends on the die. It may give a policy that cannot be read. */
export type Edit = (policy: PlainPolicy, die: number) => PlainPolicy;

/** Changes one rule of the policy's own. */
function onRule(change: (rule: PlainRule, die: number) => PlainRule | undefined): Edit {
  return (policy, die) => {
    const rules = policy.rules ?? [];
    const at = die % Math.max(1, rules.length);
    return { ...policy, rules: rules.flatMap((rule, i) => (i === at ? (change(rule, die >> 3) ?? []) : rule)) };
  };
}

/** Changes one entry of a map of the policy. */
function onEntry(key: 'lists' | 'conditions' | 'parameters', change: (value: unknown, die: number) => unknown): Edit {
  return (policy, die) => {
    const entries = Object.entries<unknown>(policy[key] ?? {});
    const at = die % Math.max(1, entries.length);
    const edited = entries.map(([name, value], i) => [name, i === at ? change(value, die >> 2) : value]);
    return { ...policy, [key]: Object.fromEntries(edited) };
  };
}

/** The same data with each number moved by one. */
function moved(data: unknown): unknown {
  if (typeof data === 'number') return data + 1;
  return mapped(data, moved);
}

const OPPOSITES: Readonly<Record<string, string>> = {
  ...{ above: 'atLeast', atLeast: 'above', below: 'atMost', atMost: 'below', is: 'isNot', isNot: 'is' },
  ...{ in: 'notIn', notIn: 'in', inList: 'notInList', notInList: 'inList', startsWith: 'contains', any: 'all' },
  ...{ withinLast: 'olderThan', olderThan: 'withinLast', before: 'onOrBefore', onOrAfter: 'after', all: 'any' },
};

/** The same data with each operator replaced by one that is easily taken for it. */
function confused(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return mapped(data, confused);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [OPPOSITES[key] ?? key, confused(value)]));
}

function mapped(data: unknown, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(data)) return data.map(change);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, change(value)]));
}

const MORE_ENTRIES: readonly PlainEntry[] = [
  'acme mobile',
  'mail.example',
  '447400123456',
  '203.0.113.7',
  'GB',
  'jo@mail.example',
];

// biome-ignore-start lint/suspicious/noThenProperty: a key of the policy language.
/** Edits by name. */
export const EDITS: Readonly<Record<string, Edit>> = {
  'a rule less': onRule(() => undefined),
  'another outcome': onRule((rule, die) => ({ ...rule, then: OUTCOMES[die % 3] ?? 'review' })),
  'final or not': onRule((rule) => ({ ...rule, final: !rule.final, then: rule.then ?? 'review' })),
  'unknown ignored or not': onRule((rule) => ({
    ...rule,
    whenUnknown: rule.whenUnknown === 'ignore' ? 'review' : 'ignore',
  })),
  'more points': onRule((rule, die) => ({ ...rule, points: (die % 60) + 5 })),
  'another reason': onRule((rule, die) => ({ ...rule, reason: ['SAME_CODE', 'OTHER', 'A'][die % 3] ?? 'A' })),
  'another notice': onRule((rule, die) => ({ ...rule, notice: ['One.', 'Two.', { en: 'One.' }][die % 3] ?? 'One.' })),
  'notices of the policy': (policy, die) => ({
    ...policy,
    defaultNotice: die % 2 ? 'One.' : 'Three.',
    ...(policy.score ? { score: { ...policy.score, notice: 'Two.' } } : {}),
  }),
  'live or in shadow': onRule(({ mode, ...rule }) => (mode === undefined ? { ...rule, mode: 'shadow' } : rule)),
  'other days': onRule(({ from: _, until: __, ...rule }) => rule),
  'numbers of a condition': onRule((rule) => ({ ...rule, when: moved(rule.when) as PlainCondition })),
  'operators of a condition': onRule((rule) => ({ ...rule, when: confused(rule.when) as PlainCondition })),
  'a condition negated': onRule((rule) => ({ ...rule, when: { not: rule.when } })),
  'a named condition': onEntry('conditions', (condition, die) => (die % 2 ? { not: condition } : confused(condition))),
  'a parameter': onEntry('parameters', moved),
  'an entry less': onEntry('lists', (list) => (Array.isArray(list) ? list.slice(1) : list)),
  'an entry more': onEntry('lists', (list, die) =>
    Array.isArray(list) ? [...list, MORE_ENTRIES[die % MORE_ENTRIES.length]] : list,
  ),
  'a row less': (policy) => ({
    ...policy,
    tables: policy.tables?.map((table) => ({ ...table, rows: table.rows.slice(1) })) ?? [],
  }),
  'a cell of a row': (policy) => ({
    ...policy,
    tables: policy.tables?.map((table) => ({ ...table, rows: table.rows.map((row) => row.map(moved)) })) ?? [],
  }),
  'another default': (policy, die) => ({ ...policy, default: OUTCOMES[die % 3] ?? 'review' }),
  'other bands': (policy, die) => ({ ...policy, score: { review: (die % 50) + 1, reject: (die % 50) + 40 } }),
};
// biome-ignore-end lint/suspicious/noThenProperty: see above.
