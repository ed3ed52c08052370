/** An applicant on a day -> which of some goals of a policy the case reaches. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Facts } from '../../facts/fact.ts';
import type { Policy } from '../../policy/language.ts';
import { Counters } from '../test/coverage/counters.ts';
import { countOf, type Gap } from '../test/coverage/coverage.ts';
import type { Item } from '../test/coverage/item.ts';
import { itemsOf } from '../test/coverage/items.ts';

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
