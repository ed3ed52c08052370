/**
 * The rules that only one of two policies has, each with its truth -> what the rules that both have must give for the
 * decision to change in one way, as formulas and in words.
 */

import { OutcomeTally, type Sums } from '../../decision/meaning/outcome.ts';
import type { Asked, Gathered } from '../../decision/meaning/ranking.ts';
import { TRUTH_BITS } from '../../decision/meaning/truth.ts';
import { OUTCOMES, type Outcome, type Policy, type Rule, strictness } from '../../policy/language.ts';
import { NOTHING, weigh } from '../../policy/weight.ts';
import { and, FALSE, type Formula, not, or, sumAtLeast, TRUE } from '../solver/formula.ts';
import type { Change } from './parts.ts';

/** A rule, and its truth, as one of `TRUTH_BITS`. */
export interface RuleWithTruth {
  readonly rule: Rule;
  readonly truth: number;
}

/** By side, the rules that only one policy has. */
export type OwnTruths = readonly [old: readonly RuleWithTruth[], now: readonly RuleWithTruth[]];

/** Sums of the common rules for which a decision changes in one way. */
export interface SumCase {
  readonly how: Change;
  /** Equal for cases of the same change and the same sums. */
  readonly key: string;
  /** The sums for people; undefined for all sums. */
  readonly words: string | undefined;
  formula(): Formula;
}

/** How a decision changes, if it does; equal keys are the same change. */
export interface KeyedChange {
  readonly key: string;
  readonly how: Change;
}

const ASKED = [NOTHING, 0, 1, 2] as const;

/** Both policies, and what the common rules ask for. */
export interface SumContext {
  readonly policies: readonly [old: Policy, now: Policy];
  readonly common: Gathered<Formula>;
}

/** The cases in which a decision changes, for these truths of each policy's own rules. */
export function sumCases(
  { policies, common }: SumContext,
  own: OwnTruths,
  changeAt: (sums: Sums) => KeyedChange | undefined,
): readonly SumCase[] {
  const attributes = attributesOf(policies, common, own);
  const results = combinations(attributes.map(({ values }) => values.length));
  const sumsAt = (result: readonly number[]): Sums => {
    const entries = attributes.map(({ name, values }, i) => [name, values[result[i] as number]]);
    return Object.fromEntries(entries) as Sums;
  };
  const sums = results.map(sumsAt);
  const isPossible = sums.map((each) => isConsistent(each, attributes));
  const changes = sums.map((each, i) => (isPossible[i] ? changeAt(each) : undefined));
  const other = own[0].length + own[1].length > 0 ? 'other ' : '';
  const groups = Map.groupBy(
    changes.filter((change) => change !== undefined),
    ({ key }) => key,
  );
  if (groups.size === 0) return [];
  const alone = sums.map((each) => outcomeWith(policies[1], each, []));
  return [...groups].flatMap(([key, [{ how } = {} as KeyedChange]]) => {
    const wanted = changes.map((change) => change?.key === key);
    const limitsOfBox = (box: readonly Range[]) => box.map((range, i) => limitsOf(attributes[i] as Attribute, range));
    const caseOf = (covered: readonly (readonly Range[])[], words: string | undefined): SumCase => ({
      how,
      key: `${key} ${JSON.stringify(covered.map(limitsOfBox))}`,
      words,
      formula: () => or(covered.map((box) => and(box.map((range, i) => inRange(attributes[i] as Attribute, range))))),
    });
    const isEverything = wanted.every((each, i) => each || !isPossible[i]);
    if (isEverything) return [caseOf([attributes.map(({ values }): Range => [0, values.length - 1])], undefined)];
    const boxes = cover(attributes, results, wanted, isPossible);
    const given = OUTCOMES.filter((outcome) => wanted.some((each, i) => each && alone[i] === outcome));
    const decided = `the ${other}rules alone give ${given.join(' or ')}`;
    // All other results in which the rules alone give this.
    const others = results.filter((_, i) => !wanted[i] && isPossible[i] && given.includes(alone[i] as Outcome));
    if (others.length === 0) return [caseOf(boxes, decided)];
    // Beside a limit of one of the sums, such as "no final rule fires", the outcome may say what several boxes do.
    for (const [i, attribute] of boxes.length > 1 ? attributes.entries() : []) {
      const reached = results.flatMap((result, at) => (wanted[at] ? (result[i] as number) : []));
      const [least, most]: Range = [Math.min(...reached), Math.max(...reached)];
      const isBeyond = (result: readonly number[]) => (result[i] as number) < least || (result[i] as number) > most;
      const limit = describeRange(attribute, [least, most], other);
      if (others.every(isBeyond)) return [caseOf(boxes, `${limit}, and ${decided}`)];
    }
    return boxes.map((box) => caseOf([box], describeSums(attributes, box, other)));
  });
}

function attributesOf(
  policies: SumContext['policies'],
  common: Gathered<Formula>,
  own: OwnTruths,
): readonly Attribute[] {
  const strictest = (name: keyof Sums, by: Asked<Formula>['fired']): Attribute => {
    const values = ASKED.filter((asked) => asked === NOTHING || by[OUTCOMES[asked] as Outcome] !== FALSE);
    const stricter = (least: number) =>
      or(OUTCOMES.filter((each) => strictness(each) >= least).map((each) => by[each]));
    return { name, values, isAtLeast: (at) => stricter(values[at] as number) };
  };
  const points = (end: 'least' | 'most'): Attribute => {
    const terms = common[end];
    const limits = policies.flatMap((policy, side) => {
      const given = tallyOf(policy, own[side] ?? []).sums()[end];
      return [policy.score.review, policy.score.reject].flatMap((limit) =>
        limit === undefined ? [] : [limit - given],
      );
    });
    const sorted = [...new Set(limits)].sort((a, b) => a - b);
    const isAlways = (limit: number) => sumAtLeast(limit, terms) === TRUE;
    const isNever = (limit: number) => sumAtLeast(limit, terms) === FALSE;
    const borders = sorted.filter((limit) => !isAlways(limit) && !isNever(limit));
    // A sum below all borders, and on the right side of the limits that all sums reach, or that none does.
    const next = borders[0] ?? sorted.find(isNever);
    const first = next === undefined ? (sorted.findLast(isAlways) ?? 0) : next - 1;
    return {
      name: end,
      values: [first, ...borders],
      hasNegative: terms.some(([weight]) => weight < 0),
      isAtLeast: (at) => sumAtLeast(borders[at - 1] as number, terms),
    };
  };
  return [
    strictest('finalFired', common.finalFired),
    strictest('finalUndetermined', common.finalOpen),
    strictest('certain', common.fired),
    {
      name: 'uncertain',
      values: common.open === FALSE ? [NOTHING] : [NOTHING, strictness('review')],
      isAtLeast: () => common.open,
    },
    points('least'),
    points('most'),
  ];
}

/** Whether some rules can have these sums: a final rule that fires is a rule that fires. */
function isConsistent(sums: Sums, attributes: readonly Attribute[]): boolean {
  const { finalFired, certain, finalUndetermined, uncertain } = sums;
  if (finalFired > certain || (finalUndetermined !== NOTHING && uncertain === NOTHING)) return false;
  // A value of points means itself and all numbers below the next value; the first one, all numbers below too.
  const [least = [], most = []] = (['least', 'most'] as const).map(
    (end) => attributes.find(({ name }) => name === end)?.values,
  );
  const next = most[most.indexOf(sums.most) + 1];
  return next === undefined || sums.least === least[0] || sums.least < next;
}

/** What a policy decides, given the sums of the common rules and the truths of its own. */
export function outcomeWith(policy: Policy, sums: Sums, own: readonly RuleWithTruth[]): Outcome {
  const tally = tallyOf(policy, own);
  tally.addSums(sums);
  return tally.answer().outcome;
}

/** What rules with these truths ask for. */
function tallyOf(policy: Policy, truths: readonly RuleWithTruth[]): OutcomeTally {
  const tally = new OutcomeTally(policy);
  for (const { rule, truth } of truths) {
    if (truth !== TRUTH_BITS.false) tally.add(weigh(rule), truth === TRUTH_BITS.true);
  }
  return tally;
}

function inRange(attribute: Attribute, [least, most]: Range): Formula {
  const { values, isAtLeast } = attribute;
  const starts = least === 0 ? TRUE : isAtLeast(least);
  return and([starts, most === values.length - 1 ? TRUE : not(isAtLeast(most + 1))]);
}

/** What a range means: its least value, and the first above it; null where there is no limit. */
function limitsOf({ values }: Attribute, [least, most]: Range): readonly (number | null)[] {
  return [least === 0 ? null : (values[least] as number), values[most + 1] ?? null];
}

/** One of the sums, with the values where the outcome changes, ascending. */
export interface Attribute {
  readonly name: keyof Sums;
  readonly values: readonly number[];
  /** Of points: whether some are negative, so that undetermined rules may lower the sum of those that fire. */
  readonly hasNegative?: boolean;
  /** When the sum is at least `values[at]`; `at` is not 0. */
  isAtLeast(at: number): Formula;
}

/** The indexes of values of one attribute, both included. */
export type Range = readonly [least: number, most: number];

/** Boxes of results, disjoint, that have every wanted result, and else only impossible ones. */
function cover(
  attributes: readonly Attribute[],
  results: readonly (readonly number[])[],
  wanted: readonly boolean[],
  isPossible: readonly boolean[],
): readonly (readonly Range[])[] {
  const isTaken = results.map(() => false);
  const boxes: (readonly Range[])[] = [];
  const inside = (box: readonly Range[], result: readonly number[]) =>
    box.every(([least, most], i) => (result[i] as number) >= least && (result[i] as number) <= most);
  const isAllowed = (box: readonly Range[]) =>
    results.every((result, i) => !inside(box, result) || (!isTaken[i] && (wanted[i] || !isPossible[i])));
  for (const [i, result] of results.entries()) {
    if (!wanted[i] || isTaken[i]) continue;
    const orders = [[...attributes.keys()], [...attributes.keys()].reverse()];
    const [one, other] = orders.map((order) => widest(result, order, attributes, isAllowed)) as [
      readonly Range[],
      readonly Range[],
    ];
    const countIn = (box: readonly Range[]) => results.filter((each, j) => wanted[j] && inside(box, each)).length;
    const box = countIn(other) > countIn(one) ? other : one;
    for (const [j, each] of results.entries()) if (inside(box, each)) isTaken[j] = true;
    boxes.push(box);
  }
  return boxes;
}

/** A box around a result, widened attribute by attribute in this order. */
function widest(
  result: readonly number[],
  order: readonly number[],
  attributes: readonly Attribute[],
  isAllowed: (box: readonly Range[]) => boolean,
): readonly Range[] {
  let box: readonly Range[] = result.map((at) => [at, at]);
  for (const a of order) {
    const last = (attributes[a]?.values.length ?? 1) - 1;
    for (let isWider = true; isWider; ) {
      const [least, most] = box[a] as Range;
      const wider: Range[] = [
        [Math.max(0, least - 1), most],
        [least, Math.min(last, most + 1)],
      ];
      const widerBoxes = wider
        .filter((range) => range[0] < least || range[1] > most)
        .map((range) => box.with(a, range))
        .find(isAllowed);
      isWider = widerBoxes !== undefined;
      box = widerBoxes ?? box;
    }
  }
  return box;
}

/** Every combination of indexes below these sizes. */
function combinations(sizes: readonly number[]): readonly (readonly number[])[] {
  return sizes.reduce<readonly (readonly number[])[]>(
    (all, size) => all.flatMap((one) => Array.from({ length: size }, (_, i) => [...one, i])),
    [[]],
  );
}

/** A box of sums. `other` is `other ` where the policies have rules of their own, and else empty. */
function describeSums(attributes: readonly Attribute[], box: readonly Range[], other: string): string {
  const limited = attributes
    .map((attribute, i) => ({ attribute, range: box[i] as Range }))
    .filter(({ attribute: { values }, range: [least, most] }) => least > 0 || most < values.length - 1);
  const isNone = (name: Attribute['name']) =>
    limited.some(({ attribute, range: [, most] }) => attribute.name === name && (attribute.values[most] as number) < 0);
  const isMild = limited.some(({ attribute: { name, values }, range: [least, most] }) => {
    return name === 'certain' && least === 0 && values[most] === strictness('accept');
  });
  // Rules that fire and undetermined ones are said together where neither asks for anything, or for anything strict.
  const isQuiet = (isNone('certain') || isMild) && isNone('uncertain');
  const words = limited.flatMap(({ attribute, range }) => {
    if (isQuiet && attribute.name === 'uncertain') return [];
    return isQuiet && attribute.name === 'certain'
      ? `no ${other}rule asks for ${isMild ? 'review or reject' : 'an outcome'}`
      : describeRange(attribute, range, other);
  });
  return words.length > 2 ? `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}` : words.join(', and ');
}

function describeRange({ name, values, hasNegative }: Attribute, range: Range, other: string): string {
  const ends = range.map((at) => values[at] as number) as [number, number];
  switch (name) {
    case 'finalFired':
      return describeAsked(other, 'final rule', 'fires', ...ends);
    case 'finalUndetermined':
      return describeAsked(other, 'final rule', 'is undetermined', ...ends);
    case 'certain':
      if (ends[1] < 0) return `no ${other}rule that fires asks for an outcome`;
      return describeAsked(other, 'rule', 'fires', ...ends);
    case 'uncertain':
      if (ends[0] < 0) return `no ${other}undetermined rule asks for review`;
      return `${oneOf(other)} rule asks for review because it is undetermined`;
    case 'least':
      if (hasNegative) return `the lowest score of the ${other}rules is ${describePoints(values, range)}`;
      return `the ${other}rules that fire give ${describePoints(values, range)} points`;
    case 'most':
      if (hasNegative) return `the highest score of the ${other}rules is ${describePoints(values, range)}`;
      return `the ${other}rules give ${describePoints(values, range)} points, undetermined ones included`;
  }
}

/** The strictest outcomes that some rules may have; -1 means none. */
function describeAsked(other: string, kind: string, verb: string, least: number, most: number): string {
  const rules = `${other}${kind}`;
  if (most < 0) return `no ${rules} ${verb}`;
  if (least < 0 && most === strictness('accept')) return `no ${rules} that ${verb} asks for review or reject`;
  if (least < 0 && most === strictness('review')) return `no ${rules} that ${verb} asks for reject`;
  const asked = [undefined, ...OUTCOMES].slice(least + 1, most + 2).map((each) => each ?? 'nothing');
  if (least === 0 && kind === 'final rule' && most === strictness('reject')) return `${oneOf(other)} ${kind} ${verb}`;
  if (least >= 0 && most === strictness('reject')) {
    return `${oneOf(other)} ${kind} that ${verb} asks for ${least === 0 ? 'an outcome' : asked.join(' or ')}`;
  }
  return `the strictest ${rules} that ${verb} asks for ${asked.join(' or ')}`;
}

function oneOf(other: string): string {
  return other === '' ? 'a' : 'another';
}

function describePoints(values: readonly number[], [least, most]: Range): string {
  const from = least === 0 ? undefined : values[least];
  const to = most === values.length - 1 ? undefined : (values[most + 1] as number) - 1;
  if (from === undefined) return `at most ${to}`;
  if (to === undefined) return `at least ${from}`;
  return from === to ? String(from) : `${from} to ${to}`;
}
