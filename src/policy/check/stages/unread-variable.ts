/** Stages that ask for a variable whose facts nothing reads -> a warning for each variable. */

import type { Check } from '../context.ts';
import { readVariables } from './read-variables.ts';

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
