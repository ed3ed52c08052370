/** The rules of a policy -> when its verdict gives the applicant each notice. */

import { decides, type End, otherReasons, rank } from '../../../decision/meaning/ranking.ts';
import type { Notice } from '../../../policy/language.ts';
import { weigh } from '../../../policy/weight.ts';
import { asked, type Encoding, FORMULAS } from '../../solver/encode.ts';
import { and, FALSE, type Formula, or, sumAtLeast } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';
import { keyOf } from './given-reasons.ts';

/** By notice, as `keyOf` gives it: when a decisive reason has it. Its counterpart for one applicant is `reasonsOf`. */
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
  add(policy.scoreNotice, () => isScoreDecisive);
  add(policy.defaultNotice, () => isDefaultDecisive);
  return notices;
}
