/** Rules that have the condition of an earlier rule -> warnings. */

import { areActiveTogether, type Rule } from '../../language.ts';
import { type Check, placeOfRule } from '../context.ts';

export function checkSameConditions(check: Check): void {
  const { policy, identify, reported, warn, nodeOf } = check;
  const earlier = new Map<string, Rule[]>();
  for (const rule of policy.rules) {
    const id = identify(rule.when);
    const same = earlier.get(id) ?? [];
    earlier.set(id, same);
    // Two such rules are intended where one is a shadow rule, or where one takes over from the other on some day.
    const other = same.find((each) => each.shadow === rule.shadow && areActiveTogether(each, rule));
    if (other) {
      reported.add(rule);
      const message = `the rule "${rule.id}" has the same condition as "${other.id}": the two always fire together`;
      const hint = 'merge the two rules, or change the condition of one';
      warn(nodeOf(rule), 'same-condition', message, hint, placeOfRule(other, check));
    }
    same.push(rule);
  }
}
