/** Rules that never decide, since a final rule decides whenever they fire -> warnings. */

import { strictness } from '../../language.ts';
import { type Check, placeOfRule, type RuleRegions } from '../context.ts';

/** Reports a rule that is lost beside a final one that fires whenever it does; gives whether it did. */
export function checkNeverDecides(covered: RuleRegions, covering: RuleRegions, check: Check): boolean {
  const { rule } = covered;
  const other = covering.rule;
  // Of two final rules that fire, the stricter one decides.
  if (!other.final || (rule.final && strictness(other.then) <= strictness(rule.then))) return false;
  const final = `the final rule "${other.id}"`;
  const message = `the rule "${rule.id}" never decides: ${final} decides ${other.then} whenever this one fires`;
  const hint = `its ${rule.then} is lost: narrow "${other.id}"`;
  check.warn(check.nodeOf(rule), 'never-decides', message, hint, placeOfRule(other, check));
  return true;
}
