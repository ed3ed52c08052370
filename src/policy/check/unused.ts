/** Names that nothing refers to, and stages that ask for nothing -> warnings. */

import { type Check, conditionsOf, partsOf } from './context.ts';

/** Looks for conditions and lists that are never used, and for stages that ask nothing new. */
export function checkUnused({ policy, names, keys, warn }: Check): void {
  const used = new Set<string>();
  for (const condition of conditionsOf(policy)) {
    for (const part of partsOf(condition)) {
      if (part.kind === 'named') used.add(`condition ${part.name}`);
      if (part.kind !== 'test') continue;
      const { argument } = part;
      if (typeof argument === 'object' && 'longest' in argument) used.add(`list ${argument.name}`);
    }
  }
  for (const [name, place] of names) {
    if (used.has(name)) continue;
    const [kind = '', word = ''] = name.split(' ');
    const code = kind === 'list' ? 'unused-list' : 'unused-condition';
    warn(place, code, `the ${kind} "${word}" is never used, so that a change to it changes no decision`);
  }
  const stages = keys.get('stages')?.value;
  const asked = new Set<string>();
  for (const [i, stage] of (policy.stages ?? []).entries()) {
    if (i > 0 && stage.every((variable) => asked.has(variable))) {
      const place = stages?.kind === 'list' ? stages.items[i] : stages;
      const message = `this stage asks for nothing that an earlier one has not asked for, and a later answer replaces nothing; its call tells nothing`;
      warn(place, 'stage-repeats', message);
    }
    for (const variable of stage) asked.add(variable);
  }
}
