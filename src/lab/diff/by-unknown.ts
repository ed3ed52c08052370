/**
 * Two policies of which many rules differ in `whenUnknown` alone, as by that of the whole policy -> parts: one for each
 * kind of change. Said in facts, they would be long lists of those that are missing.
 */

import { lazy } from '../../platform/lazy.ts';
import { createRuleKey } from '../../policy/sameness.ts';
import { Circuit } from '../solver/circuit.ts';
import { and } from '../solver/formula.ts';
import { changeFormulas } from './change-formulas.ts';
import { CHANGES, type Change, type Part, type PartSource } from './parts.ts';
import type { Search } from './search.ts';

/** More rules are not named. */
const MOST_NAMED = 5;

/** Undefined if the policies differ in more. */
export function partsByUnknown(search: Search): PartSource | undefined {
  const rules = describeRules(search);
  if (rules === undefined) return undefined;
  const { space, solver, compared } = search;
  const box = space.variables.map(({ states }) => states.map(() => true));
  const formulaOf = changeFormulas(search);
  const open = new Set<Change>(CHANGES);

  const seek = async (change: Change, timeoutMs: number): Promise<readonly Part[] | 'none' | 'unknown'> => {
    if (!open.has(change)) return 'none';
    const formula = and([compared.formula, formulaOf(change)]);
    const answer = await solver.ask([formula], timeoutMs);
    if (answer.kind === 'unknown') return 'unknown';
    open.delete(change);
    if (answer.kind === 'unsatisfiable') return 'none';
    const { states } = answer;
    const { from, to } = change;
    const circuit = lazy(() => new Circuit([formula], states));
    const words = [rules, `the old policy decides ${from}, and the new policy decides ${to}`];
    const holds = (at: readonly number[]) => circuit().holdsIn(at);
    return [{ box, states, changeCase: { change, formula, key: `${from} ${to}`, words, holds } }];
  };

  return {
    async next(timeoutMs) {
      const endsAt = performance.now() + timeoutMs;
      for (const change of [...open]) {
        // No kind takes the time of the others.
        const found = await seek(change, (endsAt - performance.now()) / open.size);
        if (typeof found !== 'string') return found;
      }
      return open.size === 0 ? 'none' : 'unknown';
    },
    kinds: CHANGES.map((how) => ({ how, next: (timeoutMs) => seek(how, timeoutMs) })),
  };
}

/** What holds for all who are decided differently; undefined if more than `whenUnknown` of rules differs. */
function describeRules({ own, policies, comparison, conditionKey }: Search): string | undefined {
  const [before, after] = policies.map(comparison.settingsOf);
  const keyOf = createRuleKey(['condition', 'outcome'], conditionKey);
  const [old, now] = own.map((rules) => rules.map(keyOf).sort().join());
  if (before !== after || old !== now) return undefined;
  const ids = own[1].map(({ id }) => id);
  const listed = ids.length > MOST_NAMED ? [...ids.slice(0, MOST_NAMED), '…'] : ids;
  return `one of ${ids.length} rules is undetermined: ${listed.join(', ')}`;
}
