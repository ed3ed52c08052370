/** A random policy as plain data, and a number -> the policy with one small edit, as an analyst might make it. */

import { OUTCOMES } from '../../../src/policy/language.ts';
import { withNotices } from '../runners/arbitrary.ts';
import {
  EFFECTS,
  type PlainCondition,
  type PlainDecisionTable,
  type PlainEntry,
  type PlainList,
  type PlainPolicy,
  type PlainRule,
} from '../runners/plain.ts';
import { COMPUTED_EDITS, onFacts } from './computed-edits.ts';
import { confused, laterDay, moved, yearsMoved } from './plain-changes.ts';

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
/** Edits by name. The first ones are tried in every run of the tests. */
export const EDITS: Readonly<Record<string, Edit>> = {
  'another outcome': onRule((rule, die) => ({ ...rule, then: OUTCOMES[die % 3] ?? 'review' })),
  'limits of conditions': onRules((rule) => ({ ...rule, when: moved(rule.when) as PlainCondition })),
  'operators of a condition': onRule((rule) => ({ ...rule, when: confused(rule.when) as PlainCondition })),
  'final or not': onRule((rule) => ({ ...rule, final: !rule.final, then: rule.then ?? 'review' })),
  'outcomes of rows': onCells(
    (column) => column === 'then',
    (_, die) => OUTCOMES[die % 3] ?? 'review',
  ),
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
  'limits of rows': onCells((column) => !EFFECTS.includes(column), moved),
  ...COMPUTED_EDITS,
  'years since a date': onRules((rule) => ({ ...rule, when: yearsMoved(rule.when) as PlainCondition })),
  'unknown rules ignored or not': (policy) => ({
    ...policy,
    whenUnknown: policy.whenUnknown === 'ignore' ? 'review' : 'ignore',
  }),
  'other bands': (policy, die) => ({ ...policy, score: { review: (die % 50) + 1, reject: (die % 50) + 40 } }),
  'a rule less': onRule(() => undefined),
  'a rule more': ({ rules = [], ...policy }, die) => {
    const like = rules[die % Math.max(1, rules.length)];
    const more = like && { ...like, id: 'one-more', when: moved(like.when) as PlainCondition };
    return { ...policy, rules: [...rules, ...(more ? [{ ...more, then: OUTCOMES[(die >> 3) % 3] ?? 'review' }] : [])] };
  },
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
    ...(policy.score
      ? { score: withNotices(policy.score, { review: 'Two.', reject: die % 3 ? 'Two.' : 'Four.' }) }
      : {}),
  }),
  'live or in shadow': onRule(({ mode, ...rule }) => (mode === undefined ? { ...rule, mode: 'shadow' } : rule)),
  'always active': onRule(({ from: _, until: __, ...rule }) => rule),
  'other days': onRule(onOtherDays),
  'a condition negated': onRule((rule) => ({ ...rule, when: { not: rule.when } })),
  'a named condition': onEntry('conditions', (condition, die) => (die % 2 ? { not: condition } : confused(condition))),
  'last days of entries': onEntries('lists', (list, die) =>
    Array.isArray(list)
      ? list.map((entry, i) => (i === die % 3 ? { value: textOf(entry), until: LONG_AGO } : entry))
      : list,
  ),
  'a row more': onTables((table) => ({ ...table, rows: [...table.rows, moved(table.rows[0]) as readonly unknown[]] })),
  'a row less': onTables((table) => ({ ...table, rows: table.rows.slice(1) })),
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
  'a value of an enum less': onFacts(({ values, ...definition }) =>
    values ? { ...definition, values: values.slice(0, Math.max(1, values.length - 1)) } : definition,
  ),
  'another default': (policy, die) => ({ ...policy, default: OUTCOMES[die % 3] ?? 'review' }),
  'a band moved by one': (policy) => ({
    ...policy,
    ...(policy.score ? { score: moved(policy.score) as NonNullable<PlainPolicy['score']> } : {}),
  }),
  'no bands': ({ score: _, ...policy }) => policy,
};
/** Of these edits, only reasons and notices change. */
export const EDITS_OF_REASONS: readonly string[] = ['another reason', 'another notice', 'notices of the policy'];
// biome-ignore-end lint/suspicious/noThenProperty: see above.
