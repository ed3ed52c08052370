/** Stages that ask the service for nothing new -> warnings. */

import type { Check } from '../context.ts';

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
