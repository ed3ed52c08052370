/** A goal of a policy -> when it is reached, at the most: where the formula does not hold, no applicant reaches it. */

import { FALSE as IS_FALSE, TRUE as IS_TRUE, UNKNOWN as IS_UNKNOWN } from '../../decision/meaning/truth.ts';
import type { Notice, ScoreBands } from '../../policy/language.ts';
import { keyOf, noticeFormulas } from '../diff/reasons.ts';
import type { Reasoner } from '../question/reasoner.ts';
import { asked, outcomeFormulas, type TruthFormulas } from '../solver/encode.ts';
import { and, type Formula, not, or, sumAtLeast, TRUE } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import type { Gap } from '../test/coverage/coverage.ts';

/** Gives the formula of a goal. The reasoner is that of the policy alone, and knows the conditions of all its rules. */
export function goalFormulas({ space, encoding }: Pick<Reasoner, 'space' | 'encoding'>): (gap: Gap) => Formula {
  const [side] = space.sides as readonly [Side];
  const { policy } = side;
  const all = asked(side.rules, encoding);
  const outcomes = outcomeFormulas(side, encoding);
  const notices = noticeFormulas(side, encoding);
  const given = (notice: Notice | undefined) => (notice === undefined ? TRUE : (notices.get(keyOf(notice)) ?? TRUE));
  return ({ item: { kind, subject, key }, goal: { truth } }) => {
    if (kind === 'band') {
      const limit = policy.score[key.replace('band ', '') as keyof ScoreBands] ?? 0;
      const ends = { certain: sumAtLeast(limit, all.least), possible: sumAtLeast(limit, all.most) };
      return when(ends, truth);
    }
    if (!subject) return given(key === 'notice score' ? policy.scoreNotice : policy.defaultNotice);
    if (!('when' in subject)) return when(encoding.truth(subject), truth);
    const formulas = encoding.truth(subject.when);
    if (kind === 'final' && subject.then) return and([formulas.certain, outcomes[subject.then]]);
    if (kind === 'notice') return and([formulas.certain, given(subject.notice)]);
    return when(formulas, truth);
  };
}

/** When there is this truth; without one, when there is any. */
function when({ certain, possible }: TruthFormulas, truth: number | undefined): Formula {
  if (truth === IS_TRUE) return certain;
  if (truth === IS_UNKNOWN) return and([possible, not(certain)]);
  return truth === IS_FALSE ? not(possible) : or([certain, not(certain)]);
}
