/** The stages of a policy -> warnings about what they ask for. */

import type { FactTable } from '../../facts/catalog.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import { type Policy, policyFacts } from '../language.ts';
import type { Check } from './context.ts';

export function checkStages({ policy, keys, warn }: Check): void {
  const node = keys.get('stages')?.value;
  const asked = new Set<string>();
  for (const [i, stage] of (policy.stages ?? []).entries()) {
    if (i > 0 && stage.every((variable) => asked.has(variable))) {
      const message = 'this stage asks only for variables that earlier stages ask for: its call adds no fact';
      warn(node?.kind === 'list' ? node.items[i] : node, 'stage-repeats', message, 'remove it, or add a variable');
    }
    for (const variable of stage) asked.add(variable);
  }
}

export function checkUnaskedVariables({ policy, keys, warn }: Check): void {
  const asked = new Set(policy.stages?.flat());
  if (!policy.stages) return;
  const read = readVariables(policy);
  for (const variable of IDENTITY_VARIABLES) {
    const [fact, ...others] = asked.has(variable) ? [] : (read.get(variable) ?? []);
    if (fact === undefined) continue;
    const facts = others.length === 0 ? `${fact} is` : `${fact} and ${others.length} more facts are`;
    const message = `no stage asks for ${variable}, so ${facts} always missing`;
    warn(keys.get('stages')?.value, 'unasked-variable', message, `add ${variable} to the last stage`);
  }
}

export function checkUnreadVariables({ policy, keys, warn }: Check): void {
  const read = readVariables(policy);
  // Another service may need every variable.
  if (!policy.stages || read.has('composite')) return;
  const node = keys.get('stages')?.value;
  for (const variable of new Set(policy.stages.flat())) {
    // The service needs the phone number in each call.
    if (variable === 'phoneNo' || read.has(variable)) continue;
    const stage = policy.stages.findIndex((each) => each.includes(variable));
    const items = node?.kind === 'list' ? node.items[stage] : undefined;
    const entry = items?.kind === 'list' ? items.items[policy.stages[stage]?.indexOf(variable) ?? 0] : node;
    const message = `no rule reads a fact that the service returns for ${variable}: it is sent for nothing`;
    warn(entry, 'unread-variable', message, `remove ${variable} from the stages`);
  }
}

/** The facts that a policy reads, by the variable that each needs; `composite` if another service gives one of them. */
function readVariables(policy: Policy): ReadonlyMap<IdentityVariable | 'composite', readonly string[]> {
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
