/** The rules of a policy -> when its verdict has each reason code, and when it tells the applicant each notice. */

import { strictness } from '../../decision/meaning/outcome.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import { asksWhenUnknown, type Notice, OUTCOMES, type Outcome, type ScoreBands } from '../../policy/language.ts';
import { asked, type Encoding, outcomeFormulas } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, or, sumAtLeast } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';

/** By code, and by notice as JSON: when a verdict has it. */
export interface ReasonFormulas {
  readonly codes: ReadonlyMap<string, Formula>;
  readonly notices: ReadonlyMap<string, Formula>;
}

/** The codes of all reasons, and the notices of the decisive ones. Its counterpart for one applicant is `reasonsOf`. */
export function reasonFormulas(side: Side, encoding: Encoding): ReasonFormulas {
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

  const codes = new Map<string, Formula>();
  const notices = new Map<string, Formula>();
  const add = (into: Map<string, Formula>, key: string, formula: Formula) =>
    into.set(key, or([into.get(key) ?? FALSE, formula]));
  const addNotice = (notice: Notice | undefined, formula: Formula) => {
    if (notice !== undefined) add(notices, JSON.stringify(notice), formula);
  };
  for (const rule of rules) {
    const { then, reason, notice, final } = rule;
    const { certain, possible } = encoding.truth(rule.when);
    add(codes, reason, asksWhenUnknown(rule) ? possible : certain);
    if (then === undefined) continue;
    // A final rule decides unless a stricter one fired, or is undetermined and asks for review.
    const stricter = OUTCOMES.filter((each) => strictness(each) > strictness(then));
    const isOverruled = or(stricter.flatMap((each: Outcome) => [finalFired[each], finalOpen[each]]));
    const decides = final ? not(isOverruled) : and([not(isAlone), outcome[then]]);
    addNotice(notice, and([certain, decides]));
  }
  add(codes, 'SCORE', hasBand);
  add(codes, 'SCORE_UNDETERMINED', isBandAbove);
  add(codes, 'DEFAULT', isDefault);
  const isByScore = or([
    and([isRejectBand, outcome.reject]),
    and([isReviewBand, outcome.review]),
    and([isBandAbove, outcome.review]),
  ]);
  addNotice(scoreNotice, and([not(isAlone), isByScore]));
  addNotice(defaultNotice, and([isDefault, outcome[fallback]]));
  return { codes, notices };
}

/** The codes and notices of a verdict, sorted. */
export interface Reasons {
  readonly codes: readonly string[];
  readonly notices: readonly string[];
}

/** The codes of the reasons of a verdict, and the notices of the decisive ones, as JSON. */
export function reasonsOf({ reasons }: Verdict): Reasons {
  const notices = reasons.flatMap((reason) =>
    reason.decisive && 'notice' in reason && reason.notice !== undefined ? [JSON.stringify(reason.notice)] : [],
  );
  return { codes: unique(reasons.map(({ code }) => code)), notices: unique(notices) };
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
