/** A checked policy -> further warnings, each with proof: idle rules, what nobody gets, gaps, broken guarantees. */

import type { Diagnostic } from '../../../diagnostics.ts';
import { type Check, nameRules, placeOfRule } from '../../../policy/check/context.ts';
import type { Band, Outcome, Rule } from '../../../policy/language.ts';
import { grouped } from '../../../text.ts';
import { DEEP_CHECK_SHARE, MORE_TIME } from '../../limits.ts';
import { createReasoner, type Time, Timer } from '../../question/reasoner.ts';
import { checkGuarantees } from '../check-guarantees.ts';
import { rulesOf, warnOfIdleRule } from './never-matters.ts';
import { bandsOf, outcomesOf, warnOfBand, warnOfOutcome } from './never-reached.ts';
import { daysFrom, Nobody } from './nobody.ts';
import { warnOfGaps } from './outcome-gap.ts';

/** Gives a check of policies that takes at most this time, in milliseconds, for each. */
export function createDeepCheck(timeoutMs: number): (check: Check) => Promise<readonly Diagnostic[]> {
  return async (check) => {
    const { policy, day } = check;
    const timer = new Timer(timeoutMs);
    const prove = (time: Time) => checkGuarantees(policy, { at: day, timeoutMs: Math.ceil(time.timeoutMs) });
    const broken = policy.guarantees.length > 0 ? await timer.run(DEEP_CHECK_SHARE, prove) : [];
    const outcomes = new Nobody(outcomesOf(check));
    const bands = new Nobody(bandsOf(check));
    const rules = new Nobody(rulesOf(check));
    const days = daysFrom(day, policy);
    let facts: readonly string[] = [];
    for (const at of days) {
      const open = [outcomes, bands, rules].filter((kind) => kind.openOn(at).length > 0);
      if (timer.isOver) for (const kind of open) kind.leaveOpen(at);
      if (timer.isOver || (at !== day && open.length === 0)) continue;
      const shadows = rules.openOn(at).flatMap(({ shadow, when }) => (shadow ? when : []));
      const reasoner = timer.watch(await createReasoner([policy], at, shadows));
      await timer.run(DEEP_CHECK_SHARE, (time) => outcomes.ask(reasoner, time));
      await timer.run(DEEP_CHECK_SHARE, (time) => bands.ask(reasoner, time));
      if (at === day) facts = await timer.run(DEEP_CHECK_SHARE, (time) => warnOfGaps(reasoner, check, time));
      await timer.run(1, (time) => rules.ask(reasoner, time));
    }
    for (const [band] of bands.never) warnOfBand(band, check);
    for (const [rule, idle] of rules.never) warnOfIdleRule(rule, idle, check);
    for (const [outcome] of outcomes.never) warnOfOutcome(outcome, days, check);
    const undecided = { rules: rules.undecided, outcomes: outcomes.undecided, bands: bands.undecided, facts };
    warnOfUndecided(undecided, timer, check);
    return broken;
  };
}

/** Things of which it is not known whether they happen to anybody. */
interface Undecided {
  readonly rules: readonly Rule[];
  readonly outcomes: readonly Outcome[];
  readonly bands: readonly Band[];
  /** Facts with ranges that may leave gaps. */
  readonly facts: readonly string[];
}

const GETS: Readonly<Record<Outcome, string>> = { accept: 'accepted', review: 'reviewed', reject: 'rejected' };

/** Warns if anything is undecided, and says whether more time may help. */
function warnOfUndecided(
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
