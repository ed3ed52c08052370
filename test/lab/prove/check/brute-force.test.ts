/** What nobody gets, and gaps between ranges, in small random policies, against every applicant there can be. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../../src/decision/matcher/matcher.ts';
import { firedReasons } from '../../../../src/decision/meaning/verdict.ts';
import type { Fact } from '../../../../src/facts/fact.ts';
import { readFacts } from '../../../../src/facts/read.ts';
import { DEFAULT_STEPS } from '../../../../src/lab/limits.ts';
import { findUnreachedBands, findUnreachedOutcomes } from '../../../../src/lab/prove/check/never-reached.ts';
import { findGaps } from '../../../../src/lab/prove/check/outcome-gap.ts';
import { createReasoner } from '../../../../src/lab/question/reasoner.ts';
import { Steps } from '../../../../src/lab/steps.ts';
import { factsOf, OUTCOMES, type Policy, strictness } from '../../../../src/policy/language.ts';
import { aSmallPolicy, DAY, loadSmall, verdictsOf } from '../../../support/lab/small-policies.ts';
import { sampled } from '../../../support/sampled.ts';

const steps = () => new Steps(DEFAULT_STEPS);

/** A rule with a range of the amount, both ends included. */
interface Ranged {
  readonly least: number;
  readonly most: number;
  /** What else it asks, and of which fact. */
  readonly beside: readonly [test: string, fact: string | undefined];
  readonly effect: string;
}

const aRanged = fc
  .record({
    least: fc.integer({ min: 0, max: 6 }),
    more: fc.integer({ min: 0, max: 2 }),
    beside: fc.constantFrom<Ranged['beside']>(
      ...([
        ['', undefined],
        ['', undefined],
        [', context.channel: web', 'channel'],
      ] as const),
      ...([
        [', context.channel: app', 'channel'],
        [', context.old: true', 'old'],
      ] as const),
    ),
    effect: fc.constantFrom(
      ...['then: review', 'then: review', 'then: reject', 'then: accept', 'points: 20', 'points: 10', 'points: -10'],
      ...['then: review, final: true', 'then: reject, whenUnknown: ignore', 'then: reject, mode: shadow'],
    ),
  })
  .map(({ least, more, ...rest }): Ranged => ({ least, most: least + more, ...rest }));

const otherRule = fc.constantFrom(
  ...['when: { context.channel: app }, then: review', 'when: { context.old: false }, then: accept, final: true'],
  ...['when: { context.old: true }, points: 10', 'when: { not: { context.amount: { above: 3 } } }, points: 10'],
  ...['when: { context.amount: { known: true } }, then: accept', 'when: { context.channel: web }, then: accept'],
);

const aPolicyOfRanges = fc.record({
  fallback: fc.constantFrom('accept', 'accept', 'review'),
  score: fc.constantFrom('', 'score: { review: 20 }\n', 'score: { review: 10, reject: 30 }\n'),
  ranged: fc.array(aRanged, { minLength: 2, maxLength: 4 }),
  others: fc.array(otherRule, { maxLength: 2 }),
});

/** The gap between the first and the last range has the one between the first two in it. */
const NESTED = {
  ...{ fallback: 'accept', score: '', others: [] },
  ranged: [1, 3, 4].map((at): Ranged => ({ least: at, most: at, beside: ['', undefined], effect: 'then: review' })),
};

const BESIDE = [true, false, undefined].flatMap((old) =>
  ['web', 'app', undefined].map((channel) => ({ old, channel })),
);

/** What each applicant gets by the amount, from -1 to 9, and the rules that fire. */
function createDecisions(policy: Policy) {
  const matcher = matcherOf(policy);
  return BESIDE.map((beside) =>
    Array.from({ length: 11 }, (_, i) => {
      const given = Object.entries({ ...beside, amount: i - 1 }).map(([name, value]): [string, Fact] => [
        `context.${name}`,
        value === undefined ? { missing: 'notGiven' } : { value },
      ]);
      const verdict = matcher.verdict(readFacts(new Map(given), policy.facts, DAY), DAY);
      return { rank: strictness(verdict.outcome), fired: new Set(firedReasons(verdict).map(({ rule }) => rule)) };
    }),
  );
}

/** Pairs of ranges, by the indexes of their rules, with a gap for somebody. */
function gapsOf(ranged: readonly Ranged[], policy: Policy): readonly (readonly [below: number, above: number])[] {
  const reading = policy.rules.filter(({ when }) => factsOf(when).has('context.amount')).map(({ id }) => id);
  const decisions = createDecisions(policy);
  const isStrict = ({ effect }: Ranged) => /review|reject|points: \d/.test(effect) && !effect.includes('shadow');
  const areComparable = ({ beside: [, one] }: Ranged, { beside: [, other] }: Ranged) =>
    one === undefined || other === undefined || one === other;
  return ranged.flatMap((below, i) =>
    ranged.flatMap((above, j) => {
      if (below.most + 1 >= above.least || !isStrict(below) || !isStrict(above) || !areComparable(below, above))
        return [];
      const hasGap = decisions.some((byAmount) => {
        const at = (amount: number) => byAmount[amount + 1] as (typeof byAmount)[number];
        const [low, high] = [at(below.most), at(above.least)];
        if (!low.fired.has(`r${i}`) || !high.fired.has(`r${j}`)) return false;
        if (at(below.least - 1).rank >= low.rank && at(above.most + 1).rank >= high.rank) return false;
        return byAmount
          .slice(below.most + 2, above.least + 1)
          .some(({ rank, fired }) => rank < Math.min(low.rank, high.rank) && !reading.some((id) => fired.has(id)));
      });
      return hasGap ? [[i, j] as const] : [];
    }),
  );
}

describe('in small random policies', () => {
  it('the outcomes and bands that nobody gets are found, and no others', async () => {
    const seen = { reached: 0, never: 0 };
    for (const { fallback, score, rules } of fc.sample(aSmallPolicy, sampled(12, 1000))) {
      const policy = loadSmall(fallback, score, rules);
      const reasoner = await createReasoner([policy], DAY);
      const verdicts = verdictsOf(policy);
      const bands = (['review', 'reject'] as const).filter((band) => policy.score[band] !== undefined);
      const outcomes = await findUnreachedOutcomes(reasoner, OUTCOMES, steps());
      const inBands = await findUnreachedBands(reasoner, bands, steps());
      const never = OUTCOMES.filter((each) => !verdicts.some(({ outcome }) => outcome === each));
      const empty = bands.filter((each) => !verdicts.some(({ score: { band } }) => band === each));
      const shown = JSON.stringify({ fallback, score, rules }, null, 1);
      expect([...outcomes.undecided, ...inBands.undecided], shown).toEqual([]);
      expect([...outcomes.never.keys()], shown).toEqual(never);
      expect([...inBands.never.keys()], shown).toEqual(empty);
      seen.never += never.length + empty.length;
      seen.reached += 3 + bands.length - never.length - empty.length;
    }
    expect(Math.min(seen.never, seen.reached)).toBeGreaterThan(0);
  });

  it('the gaps between ranges are found, the narrowest of those within each other, and no others', async () => {
    const seen = { gaps: 0, none: 0 };
    for (const { fallback, score, ranged, others } of [NESTED, ...fc.sample(aPolicyOfRanges, sampled(19, 1000))]) {
      const texts = ranged.map(
        ({ least, most, beside: [test], effect }) =>
          `when: { context.amount: { between: [${least}, ${most}] }${test} }, ${effect}`,
      );
      const policy = loadSmall(fallback, score, [...texts, ...others]);
      const { gaps, undecided } = await findGaps(await createReasoner([policy], DAY), () => true, steps());
      const shown = JSON.stringify({ fallback, score, texts, others }, null, 1);
      const expected = gapsOf(ranged, policy);
      const found = gaps.map(({ rules: [below, above] }) => [Number(below.id.slice(1)), Number(above.id.slice(1))]);
      const isFoundWithin = ([below = 0, above = 0]: readonly number[], among = found) =>
        among.some(([i = 0, j = 0]) => {
          const [inner, outer] = [ranged[i], ranged[j]];
          return (ranged[below]?.most ?? 0) <= (inner?.most ?? 0) && (outer?.least ?? 0) <= (ranged[above]?.least ?? 0);
        });
      const isWider = (pair: readonly number[]) =>
        isFoundWithin(
          pair,
          found.filter((other) => other !== pair),
        );
      expect(found.filter(isWider), shown).toEqual([]);
      expect(undecided, shown).toEqual([]);
      expect(expected, shown).toEqual(expect.arrayContaining(found));
      expect(
        expected.filter((pair) => !isFoundWithin(pair)),
        shown,
      ).toEqual([]);
      seen[found.length > 0 ? 'gaps' : 'none'] += 1;
    }
    expect(Math.min(seen.gaps, seen.none)).toBeGreaterThan(0);
  });
});
