/** Declared facts that no condition, message or computation reads -> warnings. */

import { factsAmong } from '../../facts/compute.ts';
import { messageFacts } from '../language.ts';
import { type Check, testsIn } from './context.ts';

export function checkUnusedFacts({ policy, keys, warn }: Check): void {
  const declared = keys.get('facts')?.value;
  if (declared?.kind !== 'map') return;
  const used = messageFacts(policy.rules);
  for (const { fact, other } of testsIn(policy)) {
    used.add(fact);
    if (other !== undefined) used.add(other);
  }
  for (const { compute } of policy.facts.values())
    for (const operand of factsAmong(compute?.operands ?? [])) used.add(operand);
  for (const [path, { key }] of declared.entries) {
    if (used.has(path)) continue;
    warn(key, 'unused-fact', `the fact ${path} is declared and never used: its value changes no decision`);
  }
}
