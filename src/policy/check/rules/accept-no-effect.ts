/** Accepts that change no outcome, since the default is accept -> a warning each. */

import { hasBands } from '../../language.ts';
import type { Check } from '../context.ts';
import { hasOwnWords } from './own-words.ts';

export function checkIdleAccepts(check: Check): void {
  const { policy, tables, warn, nodeOf } = check;
  if (policy.default !== 'accept') return;
  // A table that names every combination says accept for some of them.
  const rows = new Set(tables.flatMap((table) => table.rows));
  for (const rule of policy.rules) {
    if (rule.then !== 'accept' || rule.final || rule.shadow || rows.has(rule)) continue;
    if ((hasBands(policy) && rule.points) || hasOwnWords(rule)) continue;
    const message = `the rule "${rule.id}" changes no outcome: the default is accept, and it overrules no other rule`;
    const hint = 'to accept whatever other rules ask for, add `final: true`';
    warn(nodeOf(rule, 'then'), 'accept-no-effect', message, hint);
  }
}
