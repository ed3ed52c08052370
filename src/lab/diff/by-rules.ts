/** Two policies of which few rules differ -> parts: boxes, with the cases of what the common rules give. */

import type { Sums } from '../../decision/meaning/outcome.ts';
import { lazy } from '../../platform/lazy.ts';
import { asked } from '../solver/encode.ts';
import type { Formula } from '../solver/formula.ts';
import type { Space } from '../space/space.ts';
import { truthsIn } from '../space/truths.ts';
import { changeFormulas } from './change-formulas.ts';
import { createOwnBoxes } from './own-boxes.ts';
import { CHANGES, type Change, type Part, type PartSource } from './part.ts';
import type { Search } from './search.ts';
import { type KeyedChange, type OwnTruths, outcomeWith, type RuleWithTruth, sumCases } from './sums/sum-cases.ts';
import { pointAt } from './widen.ts';

/** Finds parts of the difference between two policies by the rules that only one of them has. */
export function partsByRules(search: Search): PartSource {
  const { space, encoding, policies, common } = search;
  const context = { policies, common: asked(common, encoding) };
  const casesFor = (own: OwnTruths) =>
    sumCases(context, own, (sums: Sums): KeyedChange<Change> | undefined => {
      const [from, to] = [outcomeWith(policies[0], sums, own[0]), outcomeWith(policies[1], sums, own[1])];
      return from === to ? undefined : { key: `${from} ${to}`, how: { from, to } };
    });
  const keyOf = ({ how: { from, to }, key }: ReturnType<typeof casesFor>[number]) => `${from} ${to} ${key}`;
  const boxes = createOwnBoxes(search, (own) => casesFor(own).map(keyOf).join());

  const next = async (timeoutMs: number, wanted?: Formula) => {
    const found = await boxes.next(timeoutMs, wanted);
    if (typeof found === 'string') return found;
    return casesFor(found.truths).map((each): Part => {
      const { how: change, words } = each;
      const holds = (states: readonly number[]) => each.holds(truthsAt(search.common, space, states));
      return {
        box: found.box,
        states: found.states,
        changeCase: { change, formula: each.formula(), key: keyOf(each), words: words ? [words] : [], holds },
      };
    });
  };
  const formulaOf = lazy(() => changeFormulas(search));
  return { next, kinds: CHANGES.map((how) => ({ how, next: (timeoutMs) => next(timeoutMs, formulaOf()(how)) })) };
}

/** The truths of rules in a state of each variable. */
export function truthsAt(rules: Search['common'], space: Space, states: readonly number[]): readonly RuleWithTruth[] {
  const point = pointAt(space, states);
  return rules.map((rule) => ({ rule, truth: truthsIn(rule.when, point, space) }));
}
