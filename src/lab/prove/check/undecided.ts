/** What a deep check could not decide -> one warning. */

import { type Check, nameRules, placeOfRule } from '../../../policy/check/context.ts';
import type { Band, Outcome, Rule } from '../../../policy/language.ts';
import { grouped } from '../../../text.ts';
import { MORE_TIME } from '../../limits.ts';
import type { Timer } from '../../question/reasoner.ts';

/** Things of which it is not known whether they happen to anybody. */
export interface Undecided {
  readonly rules: readonly Rule[];
  readonly outcomes: readonly Outcome[];
  readonly bands: readonly Band[];
  /** Facts with ranges that may leave gaps. */
  readonly facts: readonly string[];
}

const GETS: Readonly<Record<Outcome, string>> = { accept: 'accepted', review: 'reviewed', reject: 'rejected' };

/** Warns if anything is undecided, and says whether more time may help. */
export function warnOfUndecided(
  { rules, outcomes, bands, facts }: Undecided,
  { timeoutMs, wasShort }: Timer,
  check: Check,
): void {
  const [rule] = rules;
  const [fact, second, ...others] = facts;
  const more = others.length > 0 ? ` and ${grouped(others.length + 1)} more facts` : second ? ` and ${second}` : '';
  const matter = rules.length > 1 ? `the rules ${nameRules(rules)} matter` : `the rule ${nameRules(rules)} matters`;
  const open = [
    ...(rule ? [`whether ${matter}`] : []),
    ...(outcomes.length > 0 ? [`whether anybody is ${outcomes.map((each) => GETS[each]).join(' or ')}`] : []),
    ...(bands.length > 0 ? [`whether a score lies in the ${bands.join(' or ')} band`] : []),
    ...(fact === undefined ? [] : [`whether ranges of ${fact}${more} leave gaps`]),
  ];
  if (open.length === 0) return;
  const seconds = timeoutMs / 1000;
  const hint = wasShort
    ? `give it more time, such as --timeout ${Math.ceil(seconds * MORE_TIME)}`
    : 'more time does not help: rules match texts by patterns, or read facts that depend on each other';
  const message = `not decided${wasShort ? ` within ${seconds} s` : ''}: ${open.join('; ')}`;
  check.warn(check.keys.get('policy')?.value, 'undecided', message, hint, rule && placeOfRule(rule, check));
}
