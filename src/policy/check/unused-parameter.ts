/** Parameters that nothing names -> warnings. */

import { didYouMean } from '../../text.ts';
import type { Check } from './context.ts';

export function checkUnusedParameters({ policy, parameterKeys, warn }: Check): void {
  const used = [...policy.parameters].flatMap(([name, { isUsed }]) => (isUsed ? name : []));
  for (const [name, key] of parameterKeys) {
    if (policy.parameters.get(name)?.isUsed) continue;
    const message = `the parameter "${name}" is never used: editing it changes no decision`;
    // A misspelt name sets nothing anew.
    warn(key, 'unused-parameter', message, didYouMean(name, used).hint);
  }
}
