/** A rule -> whether its reason says something to others, although it changes no outcome. */

import type { Rule } from '../../language.ts';
import { reasonOf } from '../../read/rule.ts';

/** Whether a rule has a notice, or a reason code that is not made from its id; others than those of another rule. */
export function hasOwnWords(rule: Rule, other?: Rule): boolean {
  const hasNotice = rule.notice !== undefined && JSON.stringify(rule.notice) !== JSON.stringify(other?.notice);
  return hasNotice || (rule.reason !== reasonOf(rule.id) && rule.reason !== other?.reason);
}
