/** A policy in force and an edit of it -> a problem, if the edit lost so many rules that it looks like an accident. */

import type { Diagnostic } from '../../diagnostics.ts';
import { count } from '../../text.ts';
import { type Policy, type Rule, rulesInEffect } from '../language.ts';
import { placeOf } from '../source-map.ts';

/**
 * A file that is cut in the middle of a write is often a sound policy with fewer rules. Finds an edit that takes away
 * more than half of the rules in effect on that day, or after which everybody is accepted. `file` is the policy's own.
 */
export function findLostRules(before: Policy, edited: Policy, day: string, file: string): Diagnostic | undefined {
  const had = rulesInEffect(before, day);
  const has = rulesInEffect(edited, day);
  const isAcceptAll = ({ default: outcome }: Policy, { length }: readonly Rule[]) =>
    outcome === 'accept' && length === 0;
  const becomesAcceptAll = isAcceptAll(edited, has) && !isAcceptAll(before, had);
  if (!becomesAcceptAll && has.length * 2 >= had.length) return undefined;
  const found = becomesAcceptAll
    ? 'found no active rule, so that `default: accept` would accept everybody'
    : `found ${count(has.length, 'active rule')}`;
  return {
    code: 'rules-lost',
    severity: 'error',
    message: `${found}; the policy in force has ${had.length}`,
    file: fileThatLost(had, has) ?? file,
    hint: 'the policy in force is kept; if this is meant, set `allowShrink: true` in the options of `watchPolicy`',
  };
}

/** The file that lost the most rules. */
function fileThatLost(had: readonly Rule[], has: readonly Rule[]): string | undefined {
  const lost = new Map<string, number>();
  const add = (rules: readonly Rule[], each: number) => {
    for (const rule of rules) {
      const file = placeOf(rule)?.file;
      if (file !== undefined) lost.set(file, (lost.get(file) ?? 0) + each);
    }
  };
  add(had, 1);
  add(has, -1);
  return [...lost].sort(([, one], [, other]) => other - one)[0]?.[0];
}
