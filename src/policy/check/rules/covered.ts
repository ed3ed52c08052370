/** Rules that change no outcome, since another rule asks for as much whenever they do -> warnings. */

import { hasBands, type Rule } from '../../language.ts';
import { NOTHING, weigh, whenAsking } from '../../weight.ts';
import { type Check, placeOfRule, type RuleRegions } from '../context.ts';
import { areWithin, firesWith } from './covering.ts';
import { hasOwnWords } from './own-words.ts';

/** Reports a rule that is redundant beside one that fires whenever it does; gives whether it did. */
export function checkCovered(covered: RuleRegions, covering: RuleRegions, check: Check): boolean {
  if (!isOutranked(covered, covering, check) || isHeard(covered.rule, covering.rule)) return false;
  // Of two that cover each other the later one is redundant.
  if (covering.index > covered.index && isOutranked(covering, covered, check) && firesWith(covered, covering))
    return false;
  const { rule } = covered;
  const other = covering.rule;
  const asks = `asks for ${other.then} whenever this one asks for ${rule.then}`;
  const message = `the rule "${rule.id}" never matters: "${other.id}" ${asks}`;
  const hint = `remove it, or narrow "${other.id}"`;
  check.warn(check.nodeOf(rule), 'covered', message, hint, placeOfRule(other, check));
  return true;
}

/** Whether a rule is decisive beside the other, and has a notice or a reason code of its own. */
function isHeard(rule: Rule, other: Rule): boolean {
  return rule.then === other.then && rule.final === other.final && hasOwnWords(rule, other);
}

/** Whether leaving out one rule changes no outcome beside another that fires whenever it does. */
function isOutranked({ rule, possible }: RuleRegions, covering: RuleRegions, { policy }: Check): boolean {
  const [own, other] = [weigh(rule), weigh(covering.rule)];
  if ((own.points !== 0 && hasBands(policy)) || other.fired < own.fired) return false;
  // A final rule changes nothing only beside another that decides the same.
  if (own.isFinal && !(other.isFinal && other.fired === own.fired)) return false;
  return own.undetermined === NOTHING || areWithin(possible, whenAsking(other, covering));
}
