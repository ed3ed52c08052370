/**
 * Two policies of which few rules differ -> parts: disjoint boxes that cover all applicants for whom the rules of one
 * policy alone do something else, with the cases of what the common rules give.
 */

import type { Sums } from '../../decision/meaning/outcome.ts';
import { TRUTH_BITS } from '../../decision/meaning/truth-sets.ts';
import { lazy } from '../../platform/lazy.ts';
import { type Rule, testsOf } from '../../policy/language.ts';
import { asked, truthsDiffer } from '../solver/encode.ts';
import { and, type Formula, isInBox, not, or, TRUE } from '../solver/formula.ts';
import type { Space } from '../space/space.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import { isApart, pointAt, widenOne } from './boxes.ts';
import { changeFormulas } from './change-formulas.ts';
import { CHANGES, type Change, type Part, type PartSource } from './parts.ts';
import type { Search } from './search.ts';
import { type KeyedChange, type OwnTruths, outcomeWith, type RuleWithTruth, sumCases } from './sum-cases.ts';

/**
 * A box, the states in which it was found, and the truths of the own rules there: the cases are the same in the whole
 * box.
 */
export interface OwnBox {
  readonly box: Box;
  readonly states: readonly number[];
  readonly truths: OwnTruths;
}

/** More combinations of truths in a box, and more in all boxes, are not compared: a box then has one. */
const MOST_IN_BOX = 9;
const MOST_COMPARED = 200;

/** Finds one box after the other. `casesKey` is equal for truths of the own rules that lead to the same cases. */
export function createOwnBoxes(search: Search, casesKey: (truths: OwnTruths) => string) {
  const { space, solver, own, compared } = search;
  const differ = and([compared.formula, ownRulesDiffer(search)]);
  const covered: Box[] = [];
  const elsewhere: Formula[] = [];
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
  const withTruths = (truths: readonly number[]) =>
    own.map((rules, side) =>
      rules.map((rule, i): RuleWithTruth => ({ rule, truth: truths[indexes[side]?.[i] as number] as number })),
    ) as [RuleWithTruth[], RuleWithTruth[]];
  const keys = new Map<string, string>();
  const keyOf = (truths: readonly number[]): string | undefined => {
    const text = truths.join('');
    const known = keys.get(text);
    if (known !== undefined || keys.size >= MOST_COMPARED) return known;
    const key = casesKey(withTruths(truths));
    keys.set(text, key);
    return key;
  };
  const truthsOf = (box: Box) => distinct.map(({ when }) => truthsIn(when, box, space));

  const ownVariables = new Set(
    [...distinct.map(({ when }) => when), ...compared.conditions].flatMap((condition) =>
      [...testsOf(condition)].map((test) => space.statesOf(test).variable),
    ),
  );
  const widen = (states: readonly number[]): OwnBox => {
    // Nothing that only common rules read is asked of a box: the cases say what these rules give.
    let box: Box = pointAt(space, states).map((each, i) => (ownVariables.has(i) ? each : each.map(() => true)));
    const truths = truthsOf(box);
    const isGood = (wider: Box) => {
      if (!compared.hasAll(wider) || !covered.every(isApart(wider))) return false;
      const all = combinationsOf(truthsOf(wider));
      if (all === undefined) return false;
      if (all.length === 1 && all[0]?.join() === truths.join()) return true;
      const wanted = keyOf(truths);
      return wanted !== undefined && all.every((each) => keyOf(each) === wanted);
    };
    for (const variable of ownVariables) box = widenOne(box, variable, isGood);
    return { box, states, truths: withTruths(truths) };
  };

  return {
    /**
     * A box with applicants for whom the formula `wanted` holds. `none` if there is proof that there are no more,
     * `unknown` if that is not known in this time.
     */
    async next(timeoutMs: number, wanted: Formula = TRUE): Promise<OwnBox | 'none' | 'unknown'> {
      const answer = await solver.ask([differ, wanted, ...elsewhere], timeoutMs);
      if (answer.kind !== 'satisfiable') return answer.kind === 'unsatisfiable' ? 'none' : 'unknown';
      const found = widen(answer.states);
      covered.push(found.box);
      elsewhere.push(not(isInBox(found.box)));
      return found;
    },
  };
}

/** Single truths in place of sets of truths, in every combination; undefined for too many. */
function combinationsOf(sets: readonly number[]): readonly (readonly number[])[] | undefined {
  let all: readonly (readonly number[])[] = [[]];
  for (const set of sets) {
    const single = Object.values(TRUTH_BITS).filter((truth) => set & truth);
    if (all.length * single.length > MOST_IN_BOX) return undefined;
    all = all.flatMap((truths) => single.map((truth) => [...truths, truth]));
  }
  return all;
}

/**
 * When the own rules of both policies ask for different things. Rules of one effect are compared with each other, so
 * that an edited condition counts only where its truth differs. It says nothing of the common rules, which makes it far
 * easier to answer than what both policies decide.
 */
export function ownRulesDiffer({ policies, own: [old, now], comparison, encoding }: Search): Formula {
  const { effectOf, settingsOf } = comparison;
  const [before, after] = policies.map(settingsOf);
  if (before !== after) return TRUE;
  const unpaired = [...now];
  const differences = old.map((rule) => {
    const at = unpaired.findIndex((each) => effectOf(each) === effectOf(rule));
    const one = encoding.truth(rule.when);
    const [other] = at < 0 ? [] : unpaired.splice(at, 1);
    return other ? truthsDiffer(one, encoding.truth(other.when)) : one.possible;
  });
  return or([...differences, ...unpaired.map(({ when }) => encoding.truth(when).possible)]);
}

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
