/** A checked policy -> further warnings, each with proof: idle rules, what nobody gets, gaps, broken guarantees. */

import type { Diagnostic } from '../../../diagnostics.ts';
import type { Check } from '../../../policy/check/context.ts';
import { DEEP_CHECK_SHARE } from '../../limits.ts';
import { createReasoner, type Time, Timer } from '../../question/reasoner.ts';
import { checkGuarantees } from '../check-guarantees.ts';
import { daysFrom } from './days.ts';
import { rulesOf, warnOfIdleRule } from './never-matters.ts';
import { bandsOf, outcomesOf, warnOfBand, warnOfOutcome } from './never-reached.ts';
import { Nobody } from './nobody.ts';
import { warnOfGaps } from './outcome-gap.ts';
import { warnOfUndecided } from './undecided.ts';

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
