/** A random policy as plain data, and a number -> the policy with one small edit, as an analyst might make it. */

import { LEVELS } from '../../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber, isDay } from '../../../src/facts/day.ts';
import { OUTCOMES } from '../../../src/policy/language.ts';
import {
  EFFECTS,
  type PlainCondition,
  type PlainDecisionTable,
  type PlainEntry,
  type PlainList,
  type PlainPolicy,
  type PlainRule,
} from '../runners/plain.ts';

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

/** Changes all rules of the policy's own. */
function onRules(change: (rule: PlainRule) => PlainRule): Edit {
  return (policy) => ({ ...policy, rules: policy.rules?.map(change) ?? [] });
}

/** Changes all entries of a map of the policy. */
function onEntries(key: 'lists' | 'parameters', change: (value: unknown, die: number) => unknown): Edit {
  return (policy, die) => {
    const entries = Object.entries<unknown>(policy[key] ?? {});
    return { ...policy, [key]: Object.fromEntries(entries.map(([name, value]) => [name, change(value, die)])) };
  };
}

/** Changes one entry of a map of the policy. */
function onEntry(key: 'conditions', change: (value: unknown, die: number) => unknown): Edit {
  return (policy, die) => {
    const entries = Object.entries<unknown>(policy[key] ?? {});
    const at = die % Math.max(1, entries.length);
    const edited = entries.map(([name, value], i) => [name, i === at ? change(value, die >> 2) : value]);
    return { ...policy, [key]: Object.fromEntries(edited) };
  };
}

/** The same data with each number, level, duration and day moved by one. */
function moved(data: unknown): unknown {
  if (typeof data === 'number') return data + 1;
  if (typeof data !== 'string') return mapped(data, moved);
  const level = (LEVELS as readonly string[]).indexOf(data);
  if (level >= 0) return LEVELS[level + 1] ?? LEVELS[level - 1];
  if (isDay(data)) return laterDay(data, 1);
  return data.replace(/^\d+(?= (?:days?|weeks?)$)/, (amount) => String(Number(amount) + 1));
}

function laterDay(day: string, by: number): string {
  return dayOfNumber(dayNumber(day) + by);
}

/** Changes the cells of one column of each table, or of the columns of facts. */
function onCells(isMeant: (column: string) => boolean, change: (cell: unknown, die: number) => unknown): Edit {
  return onTables(({ rows, ...table }, die) => ({
    ...table,
    rows: rows.map((row) => row.map((cell, i) => (isMeant(table.columns[i] ?? '') ? change(cell, die) : cell))),
  }));
}

/** Changes each table. */
function onTables(change: (table: PlainDecisionTable, die: number) => PlainDecisionTable): Edit {
  return (policy, die) => ({ ...policy, tables: policy.tables?.map((table) => change(table, die)) ?? [] });
}

/** Begins or ends one day earlier or later; without such days, ends. */
function onOtherDays<Item extends { readonly from?: string; readonly until?: string }>(item: Item, die: number): Item {
  const by = die % 2 ? 1 : -1;
  const { from, until = from === undefined ? LONG_AGO : undefined } = item;
  return {
    ...item,
    ...(from === undefined ? {} : { from: laterDay(from, by) }),
    ...(until === undefined ? {} : { until: laterDay(until, by) }),
  };
}

/** Before all days of decisions. */
const LONG_AGO = '1960-01-01';

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

function textOf(entry: PlainEntry): string {
  return typeof entry === 'string' ? entry : entry.value;
}

/** By list, another whose entries it may have too. */
const MORE: Readonly<Record<string, string>> = { first: 'second', second: 'third', third: 'first' };

/** A list with the entries of another that it does not have. */
function withMore(list: PlainList, other: PlainList | undefined): PlainList {
  if (!isEntries(list) || !isEntries(other)) return list;
  const own = new Set(list.map(textOf));
  return [...list, ...other.filter((entry) => !own.has(textOf(entry)))];
}

function isEntries(list: PlainList | undefined): list is readonly PlainEntry[] {
  return Array.isArray(list);
}

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
  'always active': onRule(({ from: _, until: __, ...rule }) => rule),
  'other days': onRule(onOtherDays),
  'limits of conditions': onRules((rule) => ({ ...rule, when: moved(rule.when) as PlainCondition })),
  'operators of a condition': onRule((rule) => ({ ...rule, when: confused(rule.when) as PlainCondition })),
  'a condition negated': onRule((rule) => ({ ...rule, when: { not: rule.when } })),
  'a named condition': onEntry('conditions', (condition, die) => (die % 2 ? { not: condition } : confused(condition))),
  parameters: onEntries('parameters', moved),
  'entries less': onEntries('lists', (list) => (Array.isArray(list) ? list.slice(1) : list)),
  'entries more': (policy) => ({
    ...policy,
    lists: Object.fromEntries(
      Object.entries(policy.lists ?? {}).map(([name, list]) => [
        name,
        withMore(list, policy.lists?.[MORE[name] ?? '']),
      ]),
    ),
  }),
  'last days of entries': onEntries('lists', (list, die) =>
    Array.isArray(list)
      ? list.map((entry, i) => (i === die % 3 ? { value: textOf(entry), until: LONG_AGO } : entry))
      : list,
  ),
  'a row less': onTables((table) => ({ ...table, rows: table.rows.slice(1) })),
  'limits of rows': onCells((column) => !EFFECTS.includes(column), moved),
  'outcomes of rows': onCells(
    (column) => column === 'then',
    (_, die) => OUTCOMES[die % 3] ?? 'review',
  ),
  'points of rows': onCells(
    (column) => column === 'points',
    (_, die) => (die % 60) + 5,
  ),
  'a table that is final or not': onTables((table) => ({ ...table, final: !table.final })),
  'a table on other days': onTables(onOtherDays),
  'unknown rows ignored or not': onTables((table) => ({
    ...table,
    whenUnknown: table.whenUnknown === 'ignore' ? 'review' : 'ignore',
  })),
  'unknown rules ignored or not': (policy) => ({
    ...policy,
    whenUnknown: policy.whenUnknown === 'ignore' ? 'review' : 'ignore',
  }),
  'a value of an enum less': ({ facts = {}, ...policy }) => ({
    ...policy,
    facts: Object.fromEntries(
      Object.entries(facts).map(([path, { values, ...definition }]) => [
        path,
        values ? { ...definition, values: values.slice(0, Math.max(1, values.length - 1)) } : definition,
      ]),
    ),
  }),
  'another default': (policy, die) => ({ ...policy, default: OUTCOMES[die % 3] ?? 'review' }),
  'other bands': (policy, die) => ({ ...policy, score: { review: (die % 50) + 1, reject: (die % 50) + 40 } }),
  'a band moved by one': (policy) => ({
    ...policy,
    ...(policy.score ? { score: moved(policy.score) as NonNullable<PlainPolicy['score']> } : {}),
  }),
  'no bands': ({ score: _, ...policy }) => policy,
};
/** Of these edits, only reasons and notices change. */
export const EDITS_OF_REASONS: readonly string[] = ['another reason', 'another notice', 'notices of the policy'];
// biome-ignore-end lint/suspicious/noThenProperty: see above.
