/** Named conditions that nothing refers to -> warnings. */

import { type Check, partsIn } from './context.ts';

export function checkUnusedConditions({ policy, conditionKeys, warn }: Check): void {
  const used = new Set([...partsIn(policy)].flatMap((part) => (part.kind === 'named' ? part.name : [])));
  for (const [name, key] of conditionKeys) {
    if (used.has(name)) continue;
    warn(key, 'unused-condition', `the condition "${name}" is never used: editing it changes no decision`);
  }
}
