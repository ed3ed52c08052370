/** `whenUnknown: ignore` of rules that reject, their own or inherited -> a warning each, with the rules. */

import { type Check, nameRules } from '../context.ts';

export function checkUnknownIgnored({ policy, keys, warn, nodeOf }: Check): void {
  const affected = policy.rules.filter(
    ({ then, whenUnknown, shadow }) => then === 'reject' && whenUnknown === 'ignore' && !shadow,
  );
  const byNode = Map.groupBy(affected, (rule) => {
    const own = nodeOf(rule, 'whenUnknown');
    return own?.kind === 'scalar' && own.value === 'ignore' ? own : keys.get('whenUnknown')?.value;
  });
  for (const [node, rules] of byNode) {
    const message = `the rule ${nameRules(rules)} rejects, but asks for nothing when it cannot be decided`;
    warn(node, 'unknown-ignored', `${message}: an applicant who keeps its facts unknown is not stopped`);
  }
}
