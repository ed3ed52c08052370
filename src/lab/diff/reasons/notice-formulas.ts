/** The rules of a policy -> when its verdict gives the applicant each notice. */

import { type Notice, OUTCOMES, type Outcome, type ScoreBands, strictness } from '../../../policy/language.ts';
import { asked, type Encoding, outcomeFormulas } from '../../solver/encode.ts';
import { and, FALSE, type Formula, not, or, sumAtLeast } from '../../solver/formula.ts';
import type { Side } from '../../space/space.ts';
import { keyOf } from './given-reasons.ts';

/** By notice, as `keyOf` gives it: when a decisive reason has it. Its counterpart for one applicant is `reasonsOf`. */
export function noticeFormulas(side: Side, encoding: Encoding): ReadonlyMap<string, Formula> {
  const { rules, policy } = side;
  const { default: fallback, score, scoreNotice, defaultNotice } = policy;
  const all = asked(rules, encoding);
  const { finalFired, finalOpen, fired, open } = all;
  const outcome = outcomeFormulas(side, encoding);
  const reaches = (band: keyof ScoreBands, end: 'least' | 'most') => {
    const limit = score[band];
    return limit === undefined ? FALSE : sumAtLeast(limit, all[end]);
  };
  const isAlone = or([finalFired.accept, finalFired.review, finalFired.reject]);
  const isRejectBand = reaches('reject', 'least');
  const isReviewBand = and([reaches('review', 'least'), not(isRejectBand)]);
  const hasBand = or([isRejectBand, isReviewBand]);
  const isBandAbove = or([
    and([reaches('reject', 'most'), not(isRejectBand)]),
    and([reaches('review', 'most'), not(hasBand)]),
  ]);
  const isCertain = or([fired.accept, fired.review, fired.reject, hasBand]);
  const isDefault = and([not(isCertain), fallback === 'accept' ? not(or([isBandAbove, open])) : not(FALSE)]);

  const notices = new Map<string, Formula>();
  const add = (notice: Notice | undefined, formula: Formula) => {
    if (notice !== undefined) notices.set(keyOf(notice), or([notices.get(keyOf(notice)) ?? FALSE, formula]));
  };
  for (const rule of rules) {
    const { then, notice, final } = rule;
    const { certain } = encoding.truth(rule.when);
    if (then === undefined) continue;
    // A final rule decides unless a stricter one fired, or is undetermined and asks for review.
    const stricter = OUTCOMES.filter((each) => strictness(each) > strictness(then));
    const isOverruled = or(stricter.flatMap((each: Outcome) => [finalFired[each], finalOpen[each]]));
    const decides = final ? not(isOverruled) : and([not(isAlone), outcome[then]]);
    add(notice, and([certain, decides]));
  }
  const isByScore = or([
    and([isRejectBand, outcome.reject]),
    and([isReviewBand, outcome.review]),
    and([isBandAbove, outcome.review]),
  ]);
  add(scoreNotice, and([not(isAlone), isByScore]));
  add(defaultNotice, and([isDefault, outcome[fallback]]));
  return notices;
}
