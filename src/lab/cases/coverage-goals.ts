/** Goals of the coverage of a policy -> the formula of each, and which of them a case reaches. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { FALSE as IS_FALSE, TRUE as IS_TRUE, UNKNOWN as IS_UNKNOWN } from '../../decision/meaning/truth.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import type { Notice, Policy, ScoreBands } from '../../policy/language.ts';
import { keyOf, noticeFormulas } from '../diff/notices.ts';
import type { Reasoner } from '../question/reasoner.ts';
import { asked, outcomeFormulas, type TruthFormulas } from '../solver/encode.ts';
import { and, type Formula, not, or, sumAtLeast, TRUE } from '../solver/formula.ts';
import type { Side } from '../space/space.ts';
import { BANDS, Counters } from '../test/coverage/counters.ts';
import { countOf, type Gap } from '../test/coverage/coverage.ts';
import { type Item, itemsOf } from '../test/coverage/items.ts';

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
    if (!subject) {
      const band = BANDS.find((each) => key === `notice ${each}`);
      return given(band === undefined ? policy.defaultNotice : policy.scoreNotices[band]);
    }
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

/** What one case reaches. */
export interface Reached {
  readonly verdict: Verdict;
  /** The indexes of the goals. */
  readonly goals: ReadonlySet<number>;
}

/** Counts one case at a time. */
export class Reach {
  readonly #counters: Counters;
  readonly #goals: readonly (readonly [item: Item, goal: string])[];

  /** `gaps` are goals of the same policy. */
  constructor(policy: Policy, gaps: readonly Gap[]) {
    this.#counters = new Counters(policy);
    const items = new Map(itemsOf(this.#counters, { isExact: false }).map((item) => [item.key, item]));
    this.#goals = gaps.map(({ item, goal }) => [items.get(item.key) as Item, goal.name]);
  }

  /** `facts` are as `readFacts` gives them. */
  of(facts: Facts, day: string): Reached {
    const counters = this.#counters;
    counters.days.clear();
    const verdict = matcherOf(counters.policy).verdict(facts, day);
    counters.add(verdict, facts, day);
    const days = [...counters.days.values()];
    const goals = new Set(this.#goals.flatMap(([item, goal], i) => (countOf(item, goal, days) > 0 ? [i] : [])));
    return { verdict, goals };
  }
}
