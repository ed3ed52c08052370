/** Facts that are read and that no stage asks for -> a warning for each variable. */

import { IDENTITY_VARIABLES } from '../../../signals/variables.ts';
import type { Check } from '../context.ts';
import { readVariables } from './read-variables.ts';

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
