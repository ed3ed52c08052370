/** The range of outcomes in meaning/outcome-range.ts, held to the outcome itself on every pair of rules. */

import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { settle } from '../../../src/decision/meaning/outcome.ts';
import { OutcomeRange } from '../../../src/decision/meaning/outcome-range.ts';
import { FALSE, TRUE, TRUTH_BITS, type Truth, UNKNOWN } from '../../../src/decision/meaning/truth.ts';
import { OUTCOMES, type Policy, type Rule, type ScoreBands, strictness } from '../../../src/policy/language.ts';
import { policyFromData } from '../../../src/policy/read/parse.ts';
import { weigh } from '../../../src/policy/weight.ts';

const EFFECTS = [
  'then: accept',
  'then: review',
  'then: reject',
  'then: accept, final: true',
  'then: reject, final: true',
  'then: review, final: true',
  'then: reject, final: true, points: 20, whenUnknown: ignore',
  'then: reject, points: 20, whenUnknown: ignore',
  'then: review, points: 20',
  'then: accept, points: -20',
  'points: 1',
  'points: 20',
  'points: -20',
  'points: -20, whenUnknown: ignore',
];
/** Bands that one rule or two reach, and bands right above and below the points of none. */
const BANDS: readonly ScoreBands[] = [
  {},
  { review: 20, reject: 40 },
  { review: 1, reject: 20 },
  { review: -19, reject: 1 },
].map((bands) => ({ review: undefined, reject: undefined, ...bands }));
const POLICY = policyFromData(
  parse(`policy: test
version: "1"
default: accept
facts: { context.a: { type: boolean } }
rules:
${EFFECTS.map((effect, i) => `  - { id: r${i}, when: { context.a: true }, ${effect} }\n`).join('')}`),
);
const POLICIES = BANDS.flatMap((score) => OUTCOMES.map((outcome) => ({ ...POLICY, score, default: outcome })));
const PAIRS = POLICY.rules.flatMap((one) => POLICY.rules.map((other) => [one, other] as const));

const TRUTHS: readonly (readonly [bit: number, truth: Truth])[] = [
  [TRUTH_BITS.false, FALSE],
  [TRUTH_BITS.unknown, UNKNOWN],
  [TRUTH_BITS.true, TRUE],
];
/** Every set of truths, as bits. */
const TRUTH_SETS = [1, 2, 3, 4, 5, 6, 7];

function rangeOf(range: OutcomeRange, rules: readonly Rule[], truths: readonly number[]): string {
  for (const [i, rule] of rules.entries()) range.add(weigh(rule), truths[i] ?? 0);
  return namesOf(range.outcomes());
}

function namesOf(outcomes: number): string {
  return OUTCOMES.filter((outcome) => outcomes & (1 << strictness(outcome))).join(' ');
}

function outcomeOf(policy: Policy, rules: readonly Rule[], truths: readonly Truth[]): string {
  return settle(
    policy,
    rules.flatMap((rule, i) => {
      const truth = truths[i] ?? FALSE;
      return truth === FALSE ? [] : [{ rule, truth }];
    }),
  ).outcome;
}

test('rules of which each has one truth have one outcome', () => {
  const wrong: unknown[] = [];
  for (const policy of POLICIES) {
    for (const rules of PAIRS) {
      for (const [bit, truth] of TRUTHS) {
        for (const [otherBit, otherTruth] of TRUTHS) {
          const found = rangeOf(new OutcomeRange(policy), rules, [bit, otherBit]);
          const expected = outcomeOf(policy, rules, [truth, otherTruth]);
          if (found !== expected) wrong.push({ policy, rules, truths: [truth, otherTruth], found, expected });
        }
      }
    }
  }
  expect(wrong.slice(0, 1)).toEqual([]);
});

test('the range has every outcome that the truths of its rules can lead to', () => {
  const wrong: unknown[] = [];
  for (const policy of POLICIES) {
    for (const rules of PAIRS) {
      const outcomes = TRUTHS.map(([, truth]) => TRUTHS.map(([, other]) => outcomeOf(policy, rules, [truth, other])));
      for (const truths of TRUTH_SETS) {
        for (const otherTruths of TRUTH_SETS) {
          const found = rangeOf(new OutcomeRange(policy), rules, [truths, otherTruths]);
          const expected = outcomes
            .filter((_, i) => truths & (1 << i))
            .flatMap((row) => row.filter((_, i) => otherTruths & (1 << i)));
          const lost = expected.find((outcome) => !found.includes(outcome));
          if (lost !== undefined) wrong.push({ policy, rules, truths: [truths, otherTruths], found, lost });
        }
      }
    }
  }
  expect(wrong.slice(0, 1)).toEqual([]);
});

test('the points of a final rule that fires ask for nothing', () => {
  const { rules } = policyFromData({
    policy: 'test',
    version: '1',
    default: 'accept',
    facts: { 'context.a': { type: 'boolean' } },
    score: { review: 20 },
    rules: [parse('{ id: allow, when: { context.a: true }, then: accept, final: true, points: 20 }')],
  });
  const policy = { ...POLICY, score: { review: 20, reject: undefined } };
  expect(rangeOf(new OutcomeRange(policy), rules, [TRUTH_BITS.false | TRUTH_BITS.true])).toBe('accept');
});
