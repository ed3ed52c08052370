/** A policy that accepts everybody, since none of its rules is active on the day of the check -> a warning. */

import { count } from '../../text.ts';
import { rulesInEffect } from '../language.ts';
import type { Check } from './context.ts';

export function checkActiveRules({ policy, keys, day, warn }: Check): void {
  if (policy.default !== 'accept' || rulesInEffect(policy, day).length > 0) return;
  const { length } = policy.rules;
  const found = length === 0 ? 'the policy has no rules' : `none of ${count(length, 'rule')} is active on ${day}`;
  const hint =
    'write `default: review`, or activate a rule: shadow rules, and rules outside their days, have no effect';
  warn(keys.get('default')?.value, 'no-active-rule', `${found}, so it accepts everybody`, hint);
}
