/** Everything that a policy declares -> a warning for what nothing uses. */

import { factsAmong } from '../../facts/compute.ts';
import { didYouMean } from '../../text.ts';
import { isNamedList } from '../arguments.ts';
import { messageFacts } from '../language.ts';
import { type Check, partsIn, testsIn } from './context.ts';

export function checkUnusedConditions({ policy, conditionKeys, warn }: Check): void {
  const used = new Set([...partsIn(policy)].flatMap((part) => (part.kind === 'named' ? part.name : [])));
  for (const [name, key] of conditionKeys) {
    if (used.has(name)) continue;
    warn(key, 'unused-condition', `the condition "${name}" is never used: editing it changes no decision`);
  }
}

export function checkUnusedLists({ policy, listKeys, warn }: Check): void {
  const used = new Set([...testsIn(policy)].flatMap(({ argument }) => (isNamedList(argument) ? argument.name : [])));
  for (const [name, key] of listKeys) {
    if (used.has(name)) continue;
    warn(key, 'unused-list', `the list "${name}" is never used: editing it changes no decision`);
  }
}

export function checkUnusedParameters({ policy, parameterKeys, warn }: Check): void {
  const used = [...policy.parameters].flatMap(([name, { isUsed }]) => (isUsed ? name : []));
  for (const [name, key] of parameterKeys) {
    if (policy.parameters.get(name)?.isUsed) continue;
    const message = `the parameter "${name}" is never used: editing it changes no decision`;
    // A misspelt name sets nothing anew.
    warn(key, 'unused-parameter', message, didYouMean(name, used).hint);
  }
}

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
