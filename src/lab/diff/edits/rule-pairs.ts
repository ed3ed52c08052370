/** The rules of two policies -> which rule of one is which of the other. */

import type { Rule } from '../../../policy/language.ts';
import { reasonOf } from '../../../policy/read/rule.ts';
import { createRuleKey } from '../../../policy/sameness.ts';
import { shapeOf } from './condition-edits.ts';

/** A rule in both policies, or in one. */
export interface RulePair {
  readonly old: Rule | undefined;
  readonly now: Rule | undefined;
}

/** The table of a row and its number; undefined for a rule that is no row. */
export function rowOf({ id }: Rule): { readonly table: string; readonly row: string } | undefined {
  const [table, row] = id.split('/');
  return table !== undefined && row !== undefined ? { table, row } : undefined;
}

/**
 * Pairs rules in the order of the new policy, removed ones last. A rule keeps its id, or, under another id, all that it
 * says. A row has no id of its own: of its table's rows, it is the one that says the same, or asks the same, or stands
 * at the same place among those that are left.
 */
export function pairRules(old: readonly Rule[], now: readonly Rule[]): readonly RulePair[] {
  const partners = new Map<Rule, Rule>();
  const left = new Set(old);
  const pairBy = (keyOf: (rule: Rule) => string | undefined) => {
    const byKey = new Map<string, Rule[]>();
    for (const rule of left) {
      const key = keyOf(rule);
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), rule]);
    }
    for (const rule of now) {
      const key = partners.has(rule) ? undefined : keyOf(rule);
      const partner = key === undefined ? undefined : byKey.get(key)?.shift();
      if (!partner) continue;
      partners.set(rule, partner);
      left.delete(partner);
    }
  };
  const ofRow = (key: (rule: Rule) => string) => (rule: Rule) => {
    const row = rowOf(rule);
    return row && `${row.table} ${key(rule)}`;
  };
  pairBy((rule) => `${rule.id} ${contentOf(rule)}`);
  pairBy((rule) => (rowOf(rule) ? undefined : rule.id));
  pairBy((rule) => (rowOf(rule) ? undefined : contentOf(rule)));
  pairBy(ofRow(contentOf));
  pairBy(ofRow(({ when }) => shapeOf(when)));
  pairBy(ofRow(() => ''));
  return [
    ...now.map((rule) => ({ old: partners.get(rule), now: rule })),
    ...[...left].map((rule) => ({ old: rule, now: undefined })),
  ];
}

const CONTENT = createRuleKey(['condition', 'outcome', 'unknown', 'reasons', 'activity', 'text'], shapeOf);

/** Equal for rules that say the same. A reason that is made from the id says nothing. */
function contentOf(rule: Rule): string {
  return CONTENT(rule.reason === reasonOf(rule.id) ? { ...rule, reason: '' } : rule);
}
