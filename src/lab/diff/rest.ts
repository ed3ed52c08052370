/**
 * The rules that only one of two policies has, each with its truth -> what the rules that both have must give for the
 * outcome to change.
 */

import { OutcomeTally, type Sums, strictness, weigh } from '../../decision/meaning/outcome.ts';
import { TRUTH_BITS } from '../../decision/meaning/outcome-range.ts';
import { OUTCOMES, type Outcome, type Policy, type Rule } from '../../policy/language.ts';
import type { Asked } from '../solver/encode.ts';
import { and, FALSE, type Formula, not, or, sumAtLeast, TRUE } from '../solver/formula.ts';
import type { ChangeCase } from './part.ts';
import { describeSums } from './rest-words.ts';
import type { Attribute, Range } from './sums.ts';

/** A rule of one policy alone, and its truth, as one of `TRUTH_BITS`. */
export interface OwnTruth {
  readonly rule: Rule;
  readonly truth: number;
}

/** Sums of the common rules for which the outcome changes in one way. */
export interface RestCase extends Omit<ChangeCase, 'holds'> {
  /** Whether common rules with these truths give such sums. */
  holds(truths: readonly OwnTruth[]): boolean;
}

/** The strictness of nothing asked. */
const NOTHING = -1;
const ASKED = [NOTHING, 0, 1, 2] as const;

/** Both policies, and what the common rules ask for. */
export interface RestContext {
  readonly policies: readonly [old: Policy, now: Policy];
  readonly common: Asked;
}

/** The cases in which the outcome changes, for these truths of each policy's own rules. */
export function restCases(
  { policies, common }: RestContext,
  own: readonly [old: readonly OwnTruth[], now: readonly OwnTruth[]],
): readonly RestCase[] {
  const attributes = attributesOf(policies, common, own);
  const results = combinations(attributes.map(({ values }) => values.length));
  const sumsAt = (result: readonly number[]): Sums => {
    const entries = attributes.map(({ name, values }, i) => [name, values[result[i] as number]]);
    return Object.fromEntries(entries) as Sums;
  };
  const isPossible = results.map((result) => isConsistent(sumsAt(result), attributes));
  const [before, after] = policies.map((policy, side) =>
    results.map((result) => outcomeOf(policy, sumsAt(result), own[side] ?? [])),
  ) as [Outcome[], Outcome[]];
  const other = own[0].length + own[1].length > 0 ? 'other ' : '';
  const alone = results.map((result) => outcomeOf(policies[1], sumsAt(result), []));
  return OUTCOMES.flatMap((from) =>
    OUTCOMES.filter((to) => to !== from).flatMap((to) => {
      const isMeant = results.map((_, i) => before[i] === from && after[i] === to);
      const wanted = isMeant.map((each, i) => each && isPossible[i] === true);
      if (!wanted.includes(true)) return [];
      const given = OUTCOMES.filter((outcome) => wanted.some((each, i) => each && alone[i] === outcome));
      const isByOutcome = wanted.every((each, i) => each || !isPossible[i] || !given.includes(alone[i] as Outcome));
      const boxes = cover(attributes, results, wanted, isPossible);
      const isEverything = wanted.every((each, i) => each || !isPossible[i]);
      const caseOf = (covered: readonly (readonly Range[])[], words: string | undefined): RestCase => ({
        change: { from, to },
        formula: or(covered.map((box) => and(box.map((range, i) => inRange(attributes[i] as Attribute, range))))),
        key: JSON.stringify([
          from,
          to,
          covered.map((box) => box.map((range, i) => limitsOf(attributes[i] as Attribute, range))),
        ]),
        words,
        holds: (truths) => {
          const sums = tallyOf(policies[0], truths).sums();
          const at = attributes.map((attribute) => indexOf(attribute, sums));
          return covered.some((box) => box.every(([least, most], i) => least <= (at[i] ?? 0) && (at[i] ?? 0) <= most));
        },
      });
      if (isEverything) return [caseOf(boxes, undefined)];
      if (isByOutcome) return [caseOf(boxes, `the ${other}rules alone give ${given.join(' or ')}`)];
      return boxes.map((box) => caseOf([box], describeSums(attributes, box, other)));
    }),
  );
}

function attributesOf(
  policies: RestContext['policies'],
  common: Asked,
  own: readonly (readonly OwnTruth[])[],
): readonly Attribute[] {
  const strictest = (name: keyof Sums, by: Asked['fired']): Attribute => {
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
    const isReachable = (limit: number) => {
      const formula = sumAtLeast(limit, terms);
      return formula !== TRUE && formula !== FALSE;
    };
    const borders = [...new Set(limits)].filter(isReachable).sort((a, b) => a - b);
    // Without a border, all sums are alike: 0 is none of the common rules' sums only if all of them are higher.
    const first = (borders[0] ?? leastSum(terms) + 1) - 1;
    return { name: end, values: [first, ...borders], isAtLeast: (at) => sumAtLeast(borders[at - 1] as number, terms) };
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

function leastSum(terms: Asked['least']): number {
  return terms.reduce((sum, [weight]) => sum + Math.min(0, weight), 0);
}

/** Whether some rules can have these sums: a final rule that fires is a rule that fires. */
function isConsistent(sums: Sums, attributes: readonly Attribute[]): boolean {
  const { finalFired, certain, finalUndetermined, uncertain } = sums;
  if (finalFired > certain || (finalUndetermined !== NOTHING && uncertain === NOTHING)) return false;
  // A value of points means itself and all numbers below the next value.
  const most = attributes.find(({ name }) => name === 'most')?.values ?? [];
  const next = most[most.indexOf(sums.most) + 1];
  return next === undefined || sums.least < next;
}

/** What a policy decides, given the sums of the common rules and the truths of its own. */
function outcomeOf(policy: Policy, sums: Sums, own: readonly OwnTruth[]): Outcome {
  const tally = tallyOf(policy, own);
  tally.addSums(sums);
  return tally.answer().outcome;
}

function tallyOf(policy: Policy, truths: readonly OwnTruth[]): OutcomeTally {
  const tally = new OutcomeTally(policy);
  for (const { rule, truth } of truths) {
    if (truth !== TRUTH_BITS.false) tally.add(weigh(rule), truth === TRUTH_BITS.true);
  }
  return tally;
}

/** The index of the greatest value that a number reaches. */
function indexOf({ name, values }: Attribute, sums: Sums): number {
  const number = sums[name];
  let at = 0;
  while (at + 1 < values.length && (values[at + 1] as number) <= number) at += 1;
  return at;
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
      const found = wider
        .filter((range) => range[0] < least || range[1] > most)
        .map((range) => box.with(a, range))
        .find(isAllowed);
      isWider = found !== undefined;
      box = found ?? box;
    }
  }
  return box;
}

function combinations(sizes: readonly number[]): readonly (readonly number[])[] {
  return sizes.reduce<readonly (readonly number[])[]>(
    (all, size) => all.flatMap((one) => Array.from({ length: size }, (_, i) => [...one, i])),
    [[]],
  );
}
