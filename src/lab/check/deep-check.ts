/** A checked policy -> further warnings, each with proof: idle rules, what nobody gets, gaps, broken guarantees. */

import type { Diagnostic } from '../../diagnostics.ts';
import type { Check } from '../../policy/check/context.ts';
import { count } from '../../text.ts';
import { checkGuarantees } from '../proof/check-guarantees.ts';
import { proveProperties } from '../proof/prove.ts';
import { createReasoner } from '../reasoning/reasoner.ts';
import { warnOfIdleRules } from './never-matters.ts';
import { warnOfBands, warnOfOutcomes } from './never-reached.ts';
import { warnOfOutcomeGaps } from './outcome-gap.ts';

/** Gives a check of policies that takes at most this time, in milliseconds, for each. */
export function createDeepCheck(timeoutMs: number): (check: Check) => Promise<readonly Diagnostic[]> {
  return async (check) => {
    const { policy, day } = check;
    const time = { timeoutMs, endsAt: performance.now() + timeoutMs };
    const undecided: string[] = [];
    // What is proved first leaves most of the time to the rules.
    const share = { at: day, timeoutMs: Math.ceil(timeoutMs / 8) };
    const broken = await checkGuarantees(policy, share);
    const reached = await proveProperties(policy, { ...share, properties: ['reachable'] });
    const reasoner = await createReasoner([policy], day);
    undecided.push(...(await warnOfBands(reasoner, check, time)));
    const left = { timeoutMs: share.timeoutMs, endsAt: performance.now() + share.timeoutMs };
    undecided.push(...(await warnOfOutcomeGaps(reasoner, check, left)));
    undecided.push(...(await warnOfIdleRules(check, time)));
    undecided.push(...warnOfOutcomes(reached, check));
    warnOfUndecided(undecided, check, timeoutMs);
    return broken;
  };
}

/** How many open questions a warning names. */
const MOST_NAMED = 5;

function warnOfUndecided(undecided: readonly string[], { warn, keys }: Check, timeoutMs: number): void {
  if (undecided.length === 0) return;
  const named = undecided.slice(0, MOST_NAMED).join(', ');
  const rest = undecided.length > MOST_NAMED ? ` and ${undecided.length - MOST_NAMED} more` : '';
  const found = `${count(undecided.length, 'question')} could not be decided within ${timeoutMs / 1000} s`;
  const hint = 'more time may help: --timeout SECONDS; it does not where texts are matched or facts are computed';
  warn(keys.get('policy')?.value, 'undecided', `${found}: ${named}${rest}`, hint);
}
