/** A policy -> the identity variables that have to be sent for the facts that it reads. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { IdentityVariable } from '../../../signals/variables.ts';
import { type Policy, policyFacts } from '../../language.ts';

/** The facts that a policy reads, by the variable that each needs; `composite` if another service gives one of them. */
export function readVariables(policy: Policy): ReadonlyMap<IdentityVariable | 'composite', readonly string[]> {
  const found = new Map<IdentityVariable | 'composite', string[]>();
  for (const path of policyFacts(policy)) {
    for (const variable of new Set(variablesOf(path, policy.facts))) {
      found.set(variable, [...(found.get(variable) ?? []), path]);
    }
  }
  return found;
}

/** The variables that have to be sent for a fact; `composite` if another service gives it. */
export function variablesOf(path: string, facts: FactTable): readonly (IdentityVariable | 'composite')[] {
  const { origin, inputs = [], variable, composite } = facts.get(path) ?? {};
  if (origin === 'derived') return inputs.flatMap((input) => variablesOf(input, facts));
  return composite ? ['composite'] : variable === undefined ? [] : [variable];
}
