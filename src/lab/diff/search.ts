/**
 * Two policies -> one space, with the rules that both have and those that only one has, by what they mean; when the
 * policies decide differently, as formulas; and disjoint boxes of those for whom a formula holds.
 */

import { type Matcher, matcherOf } from '../../decision/matcher/matcher.ts';
import type { End } from '../../decision/meaning/ranking.ts';
import { TRUTH_BITS, truthsOf } from '../../decision/meaning/truth.ts';
import { setComputed } from '../../facts/compute.ts';
import type { Facts } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { type Condition, factsOf, type Policy, type Rule } from '../../policy/language.ts';
import { createConditionKey, OUTCOME } from '../../policy/sameness.ts';
import { weigh } from '../../policy/weight.ts';
import { REWRITTEN_AT_ONCE } from '../limits.ts';
import { createReasoner, type Reasoner } from '../question/reasoner.ts';
import { holdsIn } from '../solver/circuit.ts';
import { outcomeFormulas, truthsDiffer } from '../solver/encode.ts';
import { and, FALSE, type Formula, isIn, isInBox, not, or, TRUE } from '../solver/formula.ts';
import { withCalendar } from '../space/calendar.ts';
import { byPath, type Names, OLD_NAME, ownCounts, withOwnComputations } from '../space/own-computations.ts';
import type { Space } from '../space/space.ts';
import { type Box, truthsIn } from '../space/truths.ts';
import type { StateSet } from '../space/variable.ts';
import type { Steps } from '../steps.ts';
import type { Change } from './parts.ts';

/** The rules that mean the same in both policies, and those that only one of them has. */
interface RuleSets {
  readonly common: readonly Rule[];
  /** By side: the old policy first. */
  readonly own: readonly [old: readonly Rule[], now: readonly Rule[]];
  /** Equal for conditions that are written with tests of the same truths. */
  conditionKey(condition: Condition): string;
}

type ReadGiven = (given: Facts, day: string) => Facts;

/** The tools of one comparison. */
export interface Search extends Reasoner, RuleSets {
  /** With the calendar, if there are several days. */
  readonly policies: readonly [old: Policy, now: Policy];
  /** Of the policies without it. */
  readonly matchers: readonly [old: Matcher, now: Matcher];
  /** Read facts as `evaluate` of each policy does: those that are not given are derived from those that are. */
  readonly readers: readonly [old: ReadGiven, now: ReadGiven];
  /** The names of the space's facts that the old policy counts under other paths. */
  readonly counts: Names;
  /** By side: the rules in effect. */
  readonly rules: readonly [old: readonly Rule[], now: readonly Rule[]];
  /** The applicants that are compared: those for whom a condition is certainly true, or all. */
  readonly compared: {
    readonly conditions: readonly Condition[];
    readonly formula: Formula;
    hasAll(box: Box): boolean;
  };
}

/**
 * Prepares the comparison of two policies on some days, perhaps only of applicants for whom a condition of the new one
 * is true. Throws as `createReasoner` does.
 */
export async function createSearch(
  old: Policy,
  now: Policy,
  days: readonly [string, ...string[]],
  where?: Condition,
): Promise<Search> {
  const [{ policy: before }, { policy: after, rewrite }] = [withCalendar(old, days), withCalendar(now, days)];
  const compared = where && rewrite(where);
  const conditions = compared ? [compared] : [];
  const named = withOwnComputations(before, after, OLD_NAME);
  const counts = ownCounts(before, named);
  const reasoner = await createReasoner([named, after], days[0], conditions);
  const { space, encoding } = reasoner;
  const [oldRules, newRules] = space.sides.map(({ rules }) => rules);
  return {
    ...reasoner,
    ...splitRules(space),
    policies: [before, after],
    matchers: [matcherOf(old), matcherOf(now)],
    readers: [
      (given, day) => readFacts(byPath(given, counts), old.facts, day),
      (given, day) => readFacts(given, now.facts, day),
    ],
    counts,
    rules: [oldRules ?? [], newRules ?? []],
    compared: {
      conditions,
      formula: compared ? encoding.truth(compared).certain : TRUE,
      hasAll: (box) => conditions.every((condition) => truthsOf(condition, truthsIn(box, space)) === TRUTH_BITS.true),
    },
  };
}

/** Facts that one policy has read do not have what only the other computes. */
export function withComputed({ space, policies, table }: Search, facts: Facts): Facts {
  if (space.sides[0]?.policy === policies[0]) return facts;
  const all = new Map(facts);
  setComputed(all, table);
  return all;
}

/** Pairs the rules of two policies that mean the same, whatever they are called and wherever they stand. */
export function splitRules(space: Space): RuleSets {
  const conditionKey = createConditionKey({
    test: (test) => {
      const { variable, isTrue, isUnknown } = space.statesOf(test);
      return [variable, ...[isTrue, isUnknown].map((states) => states.map(Number).join(''))].join(' ');
    },
  });
  const meaningOf = (rule: Rule) => `${conditionKey(rule.when)} ${OUTCOME.effectOf(rule)}`;
  const [old, now] = space.sides;
  const unpaired = new Map<string, Rule[]>();
  for (const rule of now?.rules ?? []) {
    const key = meaningOf(rule);
    unpaired.set(key, [...(unpaired.get(key) ?? []), rule]);
  }
  const common: Rule[] = [];
  const removed: Rule[] = [];
  for (const rule of old?.rules ?? []) (unpaired.get(meaningOf(rule))?.pop() ? common : removed).push(rule);
  const added = new Set([...unpaired.values()].flat());
  return { common, own: [removed, (now?.rules ?? []).filter((rule) => added.has(rule))], conditionKey };
}

/**
 * The search without the rules that are written differently and mean the same: each pair of one effect whose conditions
 * are proved to have the same truth for everybody. A refactoring leaves nothing else to ask. Gives the new rules too.
 */
export async function withoutRewritten<Of extends Search>(
  search: Of,
  steps: Steps,
): Promise<{ readonly search: Of; readonly rewritten: readonly Rule[] }> {
  const { encoding, solver, own } = search;
  const pairs = pairsOfOneEffect(search).map(([old, now]) => {
    const differ = truthsDiffer(encoding.truth(old.when), encoding.truth(now.when));
    return { old, now, differ };
  });
  const same: typeof pairs = [];
  for (let from = 0; from < pairs.length; from += REWRITTEN_AT_ONCE) {
    for (let open = pairs.slice(from, from + REWRITTEN_AT_ONCE); open.length > 0; ) {
      const answer = await solver.ask([or(open.map(({ differ }) => differ))], steps);
      if (answer.kind === 'unsatisfiable') same.push(...open);
      open = answer.kind === 'satisfiable' ? open.filter(({ differ }) => !holdsIn(differ, answer.states)) : [];
    }
  }
  const gone = new Set(same.flatMap(({ old, now }) => [old, now]));
  const [old, now] = own.map((rules) => rules.filter((rule) => !gone.has(rule))) as [Rule[], Rule[]];
  const common = [...search.common, ...same.map(({ old: rule }) => rule)];
  return { search: { ...search, common, own: [old, now] }, rewritten: same.map(({ now: rule }) => rule) };
}

/** Rules of both policies that do the same and read the same facts: those of one id, then the others in their order. */
function pairsOfOneEffect({ own: [old, now] }: Search): readonly (readonly [old: Rule, now: Rule])[] {
  const keyOf = (rule: Rule) => `${[...factsOf(rule.when)].sort().join()} ${OUTCOME.effectOf(rule)}`;
  const unpaired = Map.groupBy(now, keyOf);
  const pairUp = (rule: Rule, find: (others: readonly Rule[]) => number) => {
    const others = unpaired.get(keyOf(rule)) ?? [];
    const at = find(others);
    const [other] = at < 0 ? [] : others.splice(at, 1);
    return other ? [[rule, other] as const] : [];
  };
  const named = old.flatMap((rule) => pairUp(rule, (others) => others.findIndex(({ id }) => id === rule.id)));
  const paired = new Set(named.map(([rule]) => rule));
  const left = old.filter((rule) => !paired.has(rule));
  return [...named, ...left.flatMap((rule) => pairUp(rule, ({ length }) => (length === 0 ? -1 : 0)))];
}

/** Gives the formula that holds for those whose outcome changes in a way. */
export function changeFormulas({ space, encoding }: Search): (change: Change) => Formula {
  const [before, after] = space.sides.map((side) => outcomeFormulas(side, encoding));
  return ({ from, to }) => and([before?.[from] ?? FALSE, after?.[to] ?? FALSE]);
}

/** An end of the score of a policy that is at least a limit, as a formula; the points that make it, by condition. */
interface ScoreLimit {
  readonly limit: number;
  readonly points: ReadonlyMap<string, Points>;
  readonly formula: Formula;
}

/** What the rules of one condition add to an end of the score while it is unknown, and where it is true. */
type Points = readonly [unknown: number, certain: number];

const NO_POINTS: Points = [0, 0];

/**
 * The same for two policies whose sums of points are anything, but for what their rules say one by one: where each
 * condition adds no more to one end of a score than to another end, that end is not greater. A change that is
 * impossible by these limits is impossible, and z3 need not add up anything to see it.
 */
export function looseChangeFormulas({ space, encoding, solver, conditionKey }: Search): (change: Change) => Formula {
  const limits: ScoreLimit[] = [];
  const [before, after] = space.sides.map((side) => {
    const points = {
      least: pointsAt('least', side.rules, conditionKey),
      most: pointsAt('most', side.rules, conditionKey),
    };
    return outcomeFormulas(side, encoding, (end, limit) => {
      const formula = isIn(solver.addVariable(2), [false, true]);
      limits.push({ limit, points: points[end], formula });
      return formula;
    });
  });
  const known = limits.flatMap((lesser) =>
    limits.flatMap((greater) => {
      const isImplied =
        lesser !== greater && greater.limit <= lesser.limit && isNowhereMore(lesser.points, greater.points);
      return isImplied ? [or([not(lesser.formula), greater.formula])] : [];
    }),
  );
  return ({ from, to }) => and([...known, before?.[from] ?? FALSE, after?.[to] ?? FALSE]);
}

function pointsAt(end: End, rules: readonly Rule[], conditionKey: RuleSets['conditionKey']): ScoreLimit['points'] {
  const points = new Map<string, Points>();
  for (const rule of rules) {
    const { points: certain, openLeast, openMost } = weigh(rule);
    const key = conditionKey(rule.when);
    const [unknownSum, certainSum] = points.get(key) ?? NO_POINTS;
    points.set(key, [unknownSum + (end === 'least' ? openLeast : openMost), certainSum + certain]);
  }
  return points;
}

function isNowhereMore(one: ScoreLimit['points'], other: ScoreLimit['points']): boolean {
  return [...new Set([...one.keys(), ...other.keys()])].every((key) => {
    const [[unknown, certain], [otherUnknown, otherCertain]] = [one.get(key) ?? NO_POINTS, other.get(key) ?? NO_POINTS];
    return unknown <= otherUnknown && certain <= otherCertain;
  });
}

/**
 * When the own rules of both policies ask for different things. Rules of one effect are compared with each other, so
 * that an edited condition counts only where its truth differs. It says nothing of the common rules, which makes it far
 * easier to answer than what both policies decide.
 */
export function ownRulesDiffer({
  policies,
  own: [old, now],
  encoding,
}: Pick<Search, 'policies' | 'own' | 'encoding'>): Formula {
  const { effectOf, settingsOf } = OUTCOME;
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

/** A box, and the states in which it was found. */
export interface FoundBox {
  readonly box: Box;
  readonly states: readonly number[];
}

/** A box around states, widened only to boxes that are free: they have compared applicants alone, and new ones. */
type Widen = (states: readonly number[], isFree: (box: Box) => boolean) => Box;

/** Finds boxes that are apart. */
export type BoxFinder = ReturnType<typeof createBoxFinder>;

/** Finds the boxes of compared applicants for whom a formula holds. */
export function createBoxFinder({ space, solver, compared }: Search, formula: Formula, widen: Widen) {
  const covered: Box[] = [];
  const elsewhere: Formula[] = [];
  const isFree = (box: Box) => compared.hasAll(box) && covered.every(isApart(box));
  const boxAround = (states: readonly number[]): FoundBox => {
    const box = widen(states, isFree);
    covered.push(box);
    elsewhere.push(not(isInBox(box)));
    return { box, states };
  };
  return {
    /**
     * The next one, perhaps with applicants for whom something else holds too, near some states. `none` if no other is
     * possible, `unknown` if the steps ran out.
     */
    async find(steps: Steps, wanted: Formula = TRUE, near?: readonly number[]) {
      const answer = await solver.ask([compared.formula, formula, wanted, ...elsewhere], steps, near);
      if (answer.kind !== 'satisfiable') return answer.kind === 'unsatisfiable' ? 'none' : 'unknown';
      return boxAround(answer.states);
    },
    /** The one around states for which the formula holds; undefined if they are in a box already, or not compared. */
    around: (states: readonly number[]) => (isFree(pointAt(space, states)) ? boxAround(states) : undefined),
  };
}

/** The box of a single state of each variable. */
export function pointAt({ variables }: Space, states: readonly number[]): Box {
  return variables.map(({ states: all }, i) => all.map((_, at) => at === states[i]));
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
function isApart(one: Box): (other: Box) => boolean {
  return (other) => one.some((states, i) => states.every((isIn, at) => !isIn || !other[i]?.[at]));
}
