/** The tally and the range of outcomes, written by hand, held to meaning/ranking.ts on random rules. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isDecisive, settle } from '../../../src/decision/meaning/outcome.ts';
import { OutcomeRange } from '../../../src/decision/meaning/outcome-range.ts';
import {
  type Connectives,
  decides,
  type End,
  gather,
  otherReasons,
  rank,
} from '../../../src/decision/meaning/ranking.ts';
import { FALSE, TRUE, TRUTH_BITS, type Truth, UNKNOWN } from '../../../src/decision/meaning/truth.ts';
import { reasonsBesideRules } from '../../../src/decision/meaning/verdict.ts';
import { OUTCOMES, type Outcome, type Policy, type Rule, strictness } from '../../../src/policy/language.ts';
import { policyFromData } from '../../../src/policy/read/parse.ts';
import { asksWhenUnknown, weigh } from '../../../src/policy/weight.ts';
import { sampled } from '../../support/sampled.ts';

/** The connectives for one applicant, where "when" means "whether". */
const BOOLEANS: Connectives<boolean> = {
  and: (parts) => parts.every(Boolean),
  or: (parts) => parts.some(Boolean),
  not: (part) => !part,
};

/** A policy with a rule that asks for each outcome, and one that asks for none. */
const BARE = policyFromData(
  parse(`policy: test
version: "1"
default: accept
rules:
  - { id: a, when: { phone.valid: true }, then: accept }
  - { id: b, when: { phone.valid: true }, then: review }
  - { id: c, when: { phone.valid: true }, then: reject }
  - { id: d, when: { phone.valid: true }, points: 1 }
`),
);

const anOutcome = fc.constantFrom<Outcome>(...OUTCOMES);

const aRule = fc
  .tuple(
    fc.constantFrom(...BARE.rules),
    fc.option(fc.constantFrom(-20, -1, 1, 19, 20, 40), { nil: undefined }),
    fc.boolean(),
    fc.constantFrom<Rule['whenUnknown']>('review', 'ignore'),
  )
  .map(([rule, points, isFinal, whenUnknown]): Rule => {
    return { ...rule, points, final: isFinal && rule.then !== undefined, whenUnknown };
  });

const aPolicy = fc
  .record({
    default: anOutcome,
    score: fc.constantFrom(
      { review: undefined, reject: undefined },
      { review: 20, reject: 40 },
      { review: -1, reject: 1 },
      { review: 20, reject: undefined },
      { review: undefined, reject: 19 },
    ),
    rules: fc.array(aRule, { maxLength: 5 }),
  })
  .map((given): Policy => {
    const rules = given.rules.map((rule, i) => ({ ...rule, id: `r${i}` }));
    return { ...BARE, ...given, rules };
  });

const SOME_TRUTHS: readonly Truth[] = [FALSE, UNKNOWN, TRUE];
const BIT = new Map([
  [FALSE, TRUTH_BITS.false],
  [UNKNOWN, TRUTH_BITS.unknown],
  [TRUE, TRUTH_BITS.true],
]);

/** What a policy decides for these truths of its rules, by the definition. */
function ranked(policy: Policy, truths: readonly Truth[]) {
  const rules = policy.rules.map((rule, i) => {
    const truth = truths[i] ?? FALSE;
    return { weight: weigh(rule), certain: truth === TRUE, possible: truth !== FALSE };
  });
  const asked = gather(rules, BOOLEANS);
  const points = (end: End) => asked[end].reduce((sum, [each, counts]) => sum + (counts ? each : 0), 0);
  const isAtLeast = (end: End, limit: number) => points(end) >= limit;
  const outcome = rank(policy, asked, isAtLeast, BOOLEANS);
  return {
    outcomes: OUTCOMES.filter((each) => outcome[each]),
    score: { least: points('least'), most: points('most') },
    decidesAt: (i: number) => decides(weigh(policy.rules[i] as Rule), truths[i] === TRUE, asked, outcome, BOOLEANS),
    others: otherReasons(policy, asked, isAtLeast, outcome, BOOLEANS),
  };
}

function shownOf({ default: fallback, score, rules }: Policy, truths: readonly unknown[]): string {
  return JSON.stringify([fallback, score, rules.map(weigh), truths]);
}

const someTruths = fc.array(fc.constantFrom(...SOME_TRUTHS), { minLength: 5, maxLength: 5 });

test('the tally settles as the ranking defines: outcome, score, and which reasons are decisive', () => {
  fc.assert(
    fc.property(aPolicy, someTruths, (policy, truths) => {
      const found = policy.rules.flatMap((rule, i) => {
        const truth = truths[i];
        return truth === TRUE || truth === UNKNOWN ? [{ rule, truth, i } as const] : [];
      });
      const settlement = settle(policy, found);
      const { outcomes, score, decidesAt, others } = ranked(policy, truths);
      expect([settlement.outcome]).toEqual(outcomes);
      expect(settlement.score).toMatchObject(score);
      const isDecidedBy = found.map(({ rule, truth }) =>
        isDecisive(settlement, truth === TRUE ? (rule.then ?? null) : asksWhenUnknown(rule), rule),
      );
      expect(isDecidedBy).toEqual(found.map(({ i }) => decidesAt(i)));
      const { band, bandAbove, isDefault, isScoreDecisive, isDefaultDecisive } = others;
      const codes = [
        ...(band.review || band.reject ? ['SCORE'] : []),
        ...(bandAbove ? ['SCORE_UNDETERMINED'] : []),
        ...(isDefault ? ['DEFAULT'] : []),
      ];
      const beside = reasonsBesideRules(policy, settlement);
      expect(beside.map(({ code }) => code)).toEqual(codes);
      expect(settlement.score.band).toBe(band.reject ? 'reject' : band.review ? 'review' : null);
      const decisive = beside.filter((each) => each.decisive).map(({ because }) => because);
      expect(decisive.includes('score')).toBe(isScoreDecisive);
      expect(decisive.includes('default')).toBe(isDefaultDecisive);
    }),
    { numRuns: sampled(1667, 1_000_000) },
  );
});

test('the range has every outcome that the ranking gives for some truths, and no other if each rule has one', () => {
  const someSets = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 5, maxLength: 5 });
  fc.assert(
    fc.property(aPolicy, someSets, (policy, sets) => {
      const range = new OutcomeRange(policy);
      for (const [i, rule] of policy.rules.entries()) range.add(weigh(rule), sets[i] ?? 0);
      const possible = range.outcomes();
      const ways = policy.rules.reduce<readonly (readonly Truth[])[]>(
        (all, _, i) =>
          all.flatMap((some) =>
            SOME_TRUTHS.flatMap((truth) => ((sets[i] ?? 0) & (BIT.get(truth) ?? 0) ? [[...some, truth]] : [])),
          ),
        [[]],
      );
      const outcomes = new Set(ways.flatMap((truths) => ranked(policy, truths).outcomes));
      const bits = [...outcomes].reduce((all, each) => all | (1 << strictness(each)), 0);
      expect(possible & bits, shownOf(policy, sets)).toBe(bits);
      if (ways.length === 1) expect(possible, shownOf(policy, sets)).toBe(bits);
    }),
    { numRuns: sampled(500, 100_000) },
  );
});
