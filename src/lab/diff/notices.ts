/** A verdict, or a policy and its rules as formulas -> the notices that the policy gives. */

import { decides, type End, otherReasons, rank } from '../../decision/meaning/ranking.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Notice } from '../../policy/language.ts';
import { weigh } from '../../policy/weight.ts';
import { asked, type Encoding, FORMULAS } from '../solver/encode.ts';
import { and, FALSE, type Formula, or, sumAtLeast } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';

/** Equal for notices that are the same. */
export function keyOf(notice: Notice): string {
  return JSON.stringify(notice);
}

/** The notices of the decisive reasons of a verdict; each once, sorted. */
export function noticesOf({ reasons }: Verdict): readonly Notice[] {
  const given = reasons.flatMap((reason): readonly (readonly [string, Notice])[] => {
    const { notice } = 'notice' in reason && reason.decisive ? reason : {};
    return notice === undefined ? [] : [[keyOf(notice), notice]];
  });
  return [...new Map(given)].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, notice]) => notice);
}

/** By notice, as `keyOf` gives it: when a decisive reason has it. Its counterpart for one applicant is `noticesOf`. */
export function noticeFormulas(side: Side, encoding: Encoding): ReadonlyMap<string, Formula> {
  const { rules, policy } = side;
  const all = asked(rules, encoding);
  const isAtLeast = (end: End, limit: number) => sumAtLeast(limit, all[end]);
  const outcome = rank(policy, all, isAtLeast, FORMULAS);
  const { isScoreDecisive, isDefaultDecisive } = otherReasons(policy, all, isAtLeast, outcome, FORMULAS);
  const notices = new Map<string, Formula>();
  const add = (notice: Notice | undefined, formula: () => Formula) => {
    if (notice !== undefined) notices.set(keyOf(notice), or([notices.get(keyOf(notice)) ?? FALSE, formula()]));
  };
  for (const rule of rules) {
    const { certain } = encoding.truth(rule.when);
    add(rule.notice, () => and([certain, decides(weigh(rule), true, all, outcome, FORMULAS)]));
  }
  for (const band of ['review', 'reject'] as const) {
    add(policy.scoreNotices[band], () => and([isScoreDecisive, outcome[band]]));
  }
  add(policy.defaultNotice, () => isDefaultDecisive);
  return notices;
}
