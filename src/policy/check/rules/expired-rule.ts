/** Rules whose last day is over -> a warning for each day that is written. */

import { type Check, nameRules } from '../context.ts';

export function checkExpiredRules({ policy, day, warn, nodeOf }: Check): void {
  const expired = policy.rules.filter(({ until }) => until !== undefined && until < day);
  for (const [node, rules] of Map.groupBy(expired, (rule) => nodeOf(rule, 'until'))) {
    const message = `the rule ${nameRules(rules)} ended on ${rules[0]?.until}: it has no effect any more`;
    warn(node, 'expired-rule', message, 'remove it, or write a later day');
  }
}
