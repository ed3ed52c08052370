/** Two policies over one space -> boxes of applicants in which each case of the common rules has one change. */

import { type Matcher, matcherOf } from '../../decision/matcher/matcher.ts';
import { type Weight, weigh } from '../../decision/meaning/outcome.ts';
import { OutcomeRange, TRUTH_BITS } from '../../decision/meaning/outcome-range.ts';
import { type Condition, OUTCOMES, type Outcome, type Policy, type Rule, testsOf } from '../../policy/language.ts';
import { createReasoner, type Reasoner } from '../reasoning/reasoner.ts';
import { asked, type Encoding, outcomeFormulas } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, or, TRUE, xor } from '../solver/formula.ts';
import type { Space } from '../space/space.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import type { StateSet } from '../space/variable.ts';
import { editsBetween } from './edits.ts';
import { type OwnTruth, type RestCase, restCases } from './rest.ts';

/** More rules than these that only one policy has are too many to say what the common rules give. */
const MOST_OWN_RULES = 24;

/** The tools of one comparison. */
export interface Search extends Reasoner {
  readonly matchers: readonly [old: Matcher, now: Matcher];
  /** True wherever the outcomes differ; perhaps elsewhere too. */
  readonly differ: Formula;
  readonly common: readonly Rule[];
  /** A box around these states, disjoint from all earlier ones, in which the same cases hold. */
  widen(states: readonly number[]): Box;
  casesIn(box: Box): readonly RestCase[];
}

/**
 * Prepares the comparison of two policies, perhaps only of applicants for whom a condition of the new one is true.
 * Throws as `createReasoner` does.
 */
export async function createSearch(old: Policy, now: Policy, day: string, where?: Condition): Promise<Search> {
  const asking = where ? [where] : [];
  const reasoner = await createReasoner([old, now], day, asking);
  const { space, encoding } = reasoner;
  const policies = [old, now] as const;
  const found = editsBetween(space);
  // Where most rules differ, boxes of all facts say more than what the few others give.
  const isLarge = found.own[0].length + found.own[1].length > MOST_OWN_RULES;
  const common = isLarge ? [] : found.common;
  const [rulesBefore = [], rulesAfter = []] = space.sides.map(({ rules }) => rules);
  const own = isLarge ? ([rulesBefore, rulesAfter] as const) : found.own;
  const commonAsked = asked(common, encoding);
  const differ = and([
    ...asking.map((condition) => encoding.truth(condition).certain),
    isLarge ? outcomesDiffer(space, encoding) : ownRulesDiffer(policies, own, encoding),
  ]);
  const covered: Box[] = [];

  const truthsOf = (box: Box) => own.map((rules) => rules.map(({ when }) => truthsIn(when, box, space)));
  const weights = own.map((rules) => rules.map(weigh));
  const outcomesIn = (box: Box) =>
    truthsOf(box).map((truths, side) => {
      const range = new OutcomeRange(policies[side] as Policy);
      for (const [i, each] of truths.entries()) {
        if (each !== TRUTH_BITS.false) range.add(weights[side]?.[i] as Weight, each);
      }
      return range.outcomes();
    });
  /** Equal for boxes in which the same cases hold; undefined where that is not certain. */
  const signatureOf = (box: Box): string | undefined => {
    if (asking.some((condition) => truthsIn(condition, box, space) !== TRUTH_BITS.true)) return undefined;
    if (isLarge) {
      const possible = outcomesIn(box);
      return possible.every((each) => (each & (each - 1)) === 0) ? possible.join() : undefined;
    }
    const truths = truthsOf(box);
    return truths.flat().every((each) => (each & (each - 1)) === 0) ? truths.join(';') : undefined;
  };
  const ownVariables = new Set(
    [...own.flat().map(({ when }) => when), ...asking].flatMap((condition) =>
      [...testsOf(condition)].map((test) => space.statesOf(test).variable),
    ),
  );

  return {
    ...reasoner,
    matchers: [matcherOf(policies[0]), matcherOf(policies[1])],
    differ,
    common,
    widen(states) {
      // Nothing that only common rules read is asked of a box: the cases say what these rules give.
      let box: Box = space.variables.map(({ states: all }, i) =>
        all.map((_, at) => !ownVariables.has(i) || at === states[i]),
      );
      const wanted = signatureOf(box);
      for (const variable of ownVariables) {
        box = widenOne(box, variable, (wider) => signatureOf(wider) === wanted && covered.every(isApart(wider)));
      }
      covered.push(box);
      return box;
    },
    casesIn(box) {
      const truths = truthsOf(box);
      const withTruths = ([0, 1] as const).map((side) =>
        own[side].map((rule, i): OwnTruth => ({ rule, truth: truths[side]?.[i] as number })),
      ) as [OwnTruth[], OwnTruth[]];
      if (!isLarge) return restCases({ policies, common: commonAsked }, withTruths);
      const [from, to] = outcomesIn(box).map((bit) => OUTCOMES[Math.log2(bit)] as Outcome) as [Outcome, Outcome];
      return from === to
        ? []
        : [{ change: { from, to }, formula: TRUE, key: `${from} ${to}`, words: undefined, holds: () => true }];
    },
  };
}

function outcomesDiffer({ sides }: Space, encoding: Encoding): Formula {
  const [before, after] = sides.map((side) => outcomeFormulas(side, encoding));
  const changes = OUTCOMES.map((outcome) => and([before?.[outcome] ?? FALSE, not(after?.[outcome] ?? FALSE)]));
  return or(changes);
}

/**
 * When the own rules of both policies ask for different things. Rules that ask for the same are compared with each
 * other, so that an edited condition counts only where its truth differs. It says nothing of the common rules, which
 * makes it far easier to answer than what both policies decide.
 */
function ownRulesDiffer(
  policies: readonly [old: Policy, now: Policy],
  [old, now]: readonly [old: readonly Rule[], now: readonly Rule[]],
  encoding: Encoding,
): Formula {
  const settings = policies.map(({ default: fallback, score }) =>
    JSON.stringify([fallback, score.review, score.reject]),
  );
  if (settings[0] !== settings[1]) return TRUE;
  const effectOf = ({ then, points = 0, final, whenUnknown }: Rule) => [then, points, final, whenUnknown].join();
  const unpaired = [...now];
  const differences = old.map((rule) => {
    const at = unpaired.findIndex((each) => effectOf(each) === effectOf(rule));
    const one = encoding.truth(rule.when);
    const [other] = at < 0 ? [] : unpaired.splice(at, 1);
    if (!other) return one.possible;
    const { certain, possible } = encoding.truth(other.when);
    return or([xor(one.certain, certain), xor(one.possible, possible)]);
  });
  return or([...differences, ...unpaired.map(({ when }) => encoding.truth(when).possible)]);
}

/** Adds states of one variable to a box, as long as the box stays good: all at once, or by halves. */
export function widenOne(box: Box, variable: number, isGood: (box: Box) => boolean): Box {
  let widest = box;
  const addAll = (added: readonly number[]): void => {
    if (added.length === 0) return;
    const states = (widest[variable] as StateSet).map((isIn, i) => isIn || added.includes(i));
    const wider = widest.with(variable, states);
    if (isGood(wider)) widest = wider;
    else if (added.length > 1) {
      addAll(added.slice(0, added.length >> 1));
      addAll(added.slice(added.length >> 1));
    }
  };
  addAll((box[variable] as StateSet).flatMap((isIn, i) => (isIn ? [] : [i])));
  return widest;
}

/** Whether boxes have no state in common. */
export function isApart(one: Box): (other: Box) => boolean {
  return (other) => one.some((states, i) => states.every((isIn, at) => !isIn || !other[i]?.[at]));
}
