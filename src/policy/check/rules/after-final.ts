/** Rules that never decide, since a final rule always decides first -> warnings. */

import { asksWhenUnknown, type Policy } from '../../language.ts';
import { type Check, locate, type RuleRegions } from '../context.ts';
import { strictnessOf } from './covering.ts';

/** Reports a rule that is lost behind a final one that fires whenever it does; gives whether it did. */
export function checkAfterFinal(covered: RuleRegions, covering: RuleRegions, check: Check): boolean {
  const { rule } = covered;
  const other = covering.rule;
  if (!other.final || (rule.final && covering.index > covered.index)) return false;
  // Where an undetermined final rule ends the walk first, the covering one does not decide alone, and the
  // covered counts.
  if (covering.index >= firstFinalThatAsks(check.policy) && strictnessOf(other) < strictnessOf(rule)) return false;
  const final = `the final rule "${other.id}"${locate(other, rule, check)}`;
  const message = `the rule "${rule.id}" never decides: ${final} decides ${other.then} whenever this one fires`;
  check.warn(check.nodeOf(rule), 'after-final', message, `its ${rule.then} is lost: narrow "${other.id}"`);
  return true;
}

/** The index of the first final rule that, undetermined, ends the walk over the final rules. */
function firstFinalThatAsks({ rules }: Policy): number {
  const index = rules.findIndex((rule) => rule.final && !rule.shadow && asksWhenUnknown(rule) !== null);
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}
