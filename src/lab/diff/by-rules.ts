/**
 * Two policies with few rules that differ -> parts: disjoint boxes that cover all applicants for whom the rules of one
 * policy alone do something else, with the cases of what the common rules give.
 */

import type { Sums } from '../../decision/meaning/outcome.ts';
import { TRUTH_BITS, truthsOf } from '../../decision/meaning/truth.ts';
import { lazy } from '../../platform/lazy.ts';
import { type Rule, testsOf } from '../../policy/language.ts';
import { MOST_TRUTHS_COMPARED, MOST_TRUTHS_IN_BOX } from '../limits.ts';
import { holdsIn } from '../solver/circuit.ts';
import { asked } from '../solver/encode.ts';
import type { Formula } from '../solver/formula.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import type { Steps } from '../steps.ts';
import { CHANGES, type Part, type PartSource } from './parts.ts';
import {
  changeFormulas,
  createBoxFinder,
  type FoundBox,
  ownRulesDiffer,
  pointAt,
  type Search,
  widenOne,
} from './search.ts';
import {
  type KeyedChange,
  type OwnTruths,
  outcomeWith,
  type RuleWithTruth,
  type SumCase,
  sumCases,
} from './sum-cases.ts';

/** Finds parts of the difference between two policies by the rules that only one of them has. */
export function partsByRules(search: Search): PartSource {
  const { policies } = search;
  const finder = createCaseFinder(search, (own, sums): KeyedChange | undefined => {
    const [from, to] = [outcomeWith(policies[0], sums, own[0]), outcomeWith(policies[1], sums, own[1])];
    return from === to ? undefined : { key: `${from} ${to}`, how: { from, to } };
  });
  const partsOf = ({ box, states, cases }: CaseBox) =>
    cases.map(({ how, key, words, formula }): Part => {
      return {
        box,
        states,
        changeCase: { change: how, formula: formula(), key, words: words ? [words] : [] },
      };
    });
  const next = async (steps: Steps, wanted?: Formula) => {
    const casesFound = await finder.find(steps, wanted);
    return typeof casesFound === 'string' ? casesFound : partsOf(casesFound);
  };
  const formulaOf = lazy(() => changeFormulas(search));
  return {
    next,
    kindOf: finder.truthsIn,
    around(states, { from, to }) {
      const found = finder.around(states, ({ how, formula }) => {
        return how.from === from && how.to === to && holdsIn(formula(), states);
      });
      return found ? partsOf(found) : [];
    },
    kinds: CHANGES.map((how) => ({ how, next: (steps) => next(steps, formulaOf()(how)) })),
  };
}

/** A box in which the truths of the own rules lead to the same cases. */
interface CaseBox extends FoundBox {
  readonly cases: readonly SumCase[];
}

/** Finds boxes for whom the own rules do something else, each with the cases in which that changes a decision. */
function createCaseFinder(search: Search, changeAt: (own: OwnTruths, sums: Sums) => KeyedChange | undefined) {
  const { space, own, compared, policies, encoding } = search;
  const context = { policies, common: asked(search.common, encoding) };
  /** Rules of one condition have one truth. */
  const conditions = new Map<string, { readonly rule: Rule; readonly index: number }>();
  const indexes = own.map((rules) =>
    rules.map((rule) => {
      const meaning = search.conditionKey(rule.when);
      const { index } = conditions.get(meaning) ?? { index: conditions.size };
      if (index === conditions.size) conditions.set(meaning, { rule, index });
      return index;
    }),
  );
  const distinct = [...conditions.values()].map(({ rule }) => rule);
  const casesFor = (truths: readonly number[]) => {
    const ownTruths = own.map((rules, side) =>
      rules.map((rule, i): RuleWithTruth => ({ rule, truth: truths[indexes[side]?.[i] as number] as number })),
    ) as [RuleWithTruth[], RuleWithTruth[]];
    return sumCases(context, ownTruths, (sums) => changeAt(ownTruths, sums));
  };
  const keys = new Map<string, string>();
  const keyOf = (truths: readonly number[]): string | undefined => {
    const text = truths.join('');
    const cached = keys.get(text);
    if (cached !== undefined || keys.size >= MOST_TRUTHS_COMPARED) return cached;
    const key = casesFor(truths)
      .map((each) => each.key)
      .join();
    keys.set(text, key);
    return key;
  };
  const truthsOfAll = (box: Box) => {
    const truths = truthsIn(box, space);
    return distinct.map(({ when }) => truthsOf(when, truths));
  };
  const ownVariables = new Set(
    [...distinct.map(({ when }) => when), ...compared.conditions].flatMap((condition) =>
      [...testsOf(condition)].map((test) => space.statesOf(test).variable),
    ),
  );
  const boxes = createBoxFinder(search, ownRulesDiffer(search), (states, isFree) => {
    // Nothing that only common rules read is asked of a box: the cases say what these rules give.
    let box: Box = pointAt(space, states).map((each, i) => (ownVariables.has(i) ? each : each.map(() => true)));
    const truths = truthsOfAll(box);
    const isGood = (wider: Box) => {
      if (!isFree(wider)) return false;
      const all = combinationsOf(truthsOfAll(wider));
      if (all === undefined) return false;
      if (all.length === 1 && all[0]?.join() === truths.join()) return true;
      const wanted = keyOf(truths);
      return wanted !== undefined && all.every((each) => keyOf(each) === wanted);
    };
    for (const variable of ownVariables) box = widenOne(box, variable, isGood);
    return box;
  });

  const casesAt = (states: readonly number[]) => casesFor(truthsOfAll(pointAt(space, states)));
  return {
    async find(steps: Steps, wanted?: Formula): Promise<CaseBox | 'none' | 'unknown'> {
      const boxFound = await boxes.find(steps, wanted);
      return typeof boxFound === 'string' ? boxFound : { ...boxFound, cases: casesAt(boxFound.states) };
    },
    /** The box around states in which one of its cases is meant. */
    around(states: readonly number[], isMeant: (each: SumCase) => boolean): CaseBox | undefined {
      const cases = casesAt(states);
      const boxFound = cases.some(isMeant) ? boxes.around(states) : undefined;
      return boxFound && { ...boxFound, cases };
    },
    truthsIn: (states: readonly number[]) => truthsOfAll(pointAt(space, states)).join(''),
  };
}

/** Single truths in place of sets of truths, in every combination; undefined for too many. */
function combinationsOf(sets: readonly number[]): readonly (readonly number[])[] | undefined {
  let all: readonly (readonly number[])[] = [[]];
  for (const set of sets) {
    const single = Object.values(TRUTH_BITS).filter((truth) => set & truth);
    if (all.length * single.length > MOST_TRUTHS_IN_BOX) return undefined;
    all = all.flatMap((truths) => single.map((truth) => [...truths, truth]));
  }
  return all;
}
