/** What changed between two samples is what a plain loop over their applicants counts. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { evaluate, TRUE, UNKNOWN } from '../../../src/decision/meaning/truth.ts';
import { type Fact, type Facts, isMissing } from '../../../src/facts/fact.ts';
import { DriftTally, isChange, stabilityOf } from '../../../src/lab/backtest/drift.ts';
import { joinFacts } from '../../../src/lab/backtest/joint-facts.ts';
import { OUTCOMES, type Policy, testsOf } from '../../../src/policy/language.ts';
import { describeTest } from '../../../src/policy/operators.ts';
import { addApplicants } from '../../support/lab/add-applicants.ts';
import { aSmallPolicy, DAY, EVERYONE, loadSmall } from '../../support/lab/small-policies.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

function driftOf(policy: Policy, baseline: readonly Facts[], now: readonly Facts[], day = DAY) {
  const tally = new DriftTally(policy);
  const inLines = (people: readonly Facts[]) => people.map((facts, i) => ({ name: { line: i + 1 }, day, facts }));
  addApplicants(tally.baseline, joinFacts(policy, policy), inLines(baseline));
  addApplicants(tally.now, joinFacts(policy, policy), inLines(now));
  return tally.result();
}

const countOf = <Item>(items: readonly Item[], isMeant: (item: Item) => boolean) => items.filter(isMeant).length;

const somebody = fc.array(fc.constantFrom(...EVERYONE), { minLength: 1, maxLength: 60 });

describe('a drift', () => {
  it('counts outcomes, tests and missing facts as a plain loop over the applicants does', () => {
    fc.assert(
      fc.property(aSmallPolicy, somebody, somebody, ({ fallback, score, rules }, baseline, now) => {
        const policy = loadSmall(fallback, score, rules);
        const drift = driftOf(policy, baseline, now);
        const tests = policy.rules.flatMap(({ when }) => [...testsOf(when)]);
        expect(drift.tests.length).toBe(new Set(tests.map(({ key }) => key)).size);
        for (const [side, people] of Object.entries({ baseline, now }) as ['baseline' | 'now', Facts[]][]) {
          expect(drift[side]).toMatchObject({ rows: people.length, decided: people.length });
          const verdicts = people.map((facts) => matcherOf(policy).verdict(facts, DAY));
          for (const each of OUTCOMES) {
            expect(drift[side].outcomes[each]).toBe(countOf(verdicts, ({ outcome }) => outcome === each));
          }
          for (const test of tests) {
            const truths = people.map((facts) => evaluate(test, facts, DAY));
            const counted = drift.tests.find((each) => each.test === `${test.fact} ${describeTest(test)}`);
            expect(counted?.[side]).toEqual({
              true: countOf(truths, (each) => each === TRUE),
              false: countOf(truths, (each) => each !== TRUE && each !== UNKNOWN),
              unknown: countOf(truths, (each) => each === UNKNOWN),
            });
          }
          for (const { fact, cause, ...counts } of drift.missing) {
            const isWithout = (facts: Facts) => {
              const found = facts.get(fact);
              return found && isMissing(found) && found.missing === cause;
            };
            expect(counts[side]).toBe(countOf(people, (facts) => Boolean(isWithout(facts))));
          }
          for (const { cells } of drift.facts) {
            expect(cells.reduce((sum, each) => sum + each[side], 0)).toBe(people.length);
          }
        }
      }),
      { numRuns: sampled(27, 5000) },
    );
  });

  it('is none between a sample and itself, in whatever order', () => {
    fc.assert(
      fc.property(aSmallPolicy, somebody, ({ fallback, score, rules }, people) => {
        const { facts, tests, missing } = driftOf(loadSmall(fallback, score, rules), people, people.toReversed());
        expect(facts.map(({ psi }) => psi)).toEqual(facts.map(() => 0));
        for (const { baseline, now } of [...tests, ...missing]) expect(now).toEqual(baseline);
      }),
      { numRuns: sampled(17, 5000) },
    );
  });

  it('puts a fact first that is spread otherwise, and a test whose truth changes', () => {
    const policy = policyOf(`${HEAD}rules:
  - { id: risky, when: { phone.score: { atLeast: 80 } }, then: reject }
  - { id: young, when: { email.domain.score: { atLeast: 50 } }, then: review }
  - { id: ported, when: { phone.porting.riskLevel: high }, then: review }
`);
    const person = (phone: number, email: number, porting: string | undefined) =>
      new Map<string, Fact>([
        ['phone.score', { value: phone }],
        ['email.domain.score', { value: email }],
        ['phone.porting.riskLevel', porting === undefined ? { missing: 'sourceFailed' } : { value: porting }],
      ]);
    const baseline = Array.from({ length: 200 }, (_, i) => person(i % 100, (i * 7) % 100, i % 2 ? 'low' : 'high'));
    const shifted = baseline.map((_, i) => person(50 + (i % 50), (i * 7) % 100, i % 2 ? 'low' : 'high'));
    const first = driftOf(policy, baseline, shifted);
    expect(first.facts.map(({ fact, psi, critical }) => [fact, psi > critical])).toEqual([
      ['phone.score', true],
      ['email.domain.score', false],
      ['phone.porting.riskLevel', false],
    ]);
    expect(first.tests[0]).toMatchObject({
      test: 'phone.score is at least 80',
      baseline: { true: 40, false: 160, unknown: 0 },
      now: { true: 80, false: 120, unknown: 0 },
    });
    const silent = baseline.map((_, i) => person(i % 100, (i * 7) % 100, i % 4 ? 'low' : undefined));
    const other = driftOf(policy, baseline, silent);
    const count = { source: 'phone', cause: 'sourceFailed', baseline: 0, now: 50 };
    expect(other.missing).toMatchObject([{ fact: 'phone.porting.riskLevel', ...count }]);
    // Two bins: those without the fact, and the others. With few, it is chance.
    const [missing = { psi: 0, critical: 0 }] = other.missing;
    expect(missing).toMatchObject(
      stabilityOf([
        { baseline: 0, now: 50 },
        { baseline: 200, now: 150 },
      ]),
    );
    expect(isChange(missing)).toBe(true);
    const few = baseline.map((_, i) => person(i % 100, (i * 7) % 100, i > 1 ? (i % 2 ? 'low' : 'high') : undefined));
    expect(driftOf(policy, baseline, few).missing.map(isChange)).toEqual([false]);
    expect(other.facts[0]).toMatchObject({ fact: 'phone.porting.riskLevel' });
    expect(other.facts[0]?.cells).toContainEqual({ cell: 'missing', baseline: 0, now: 50 });
  });

  it('has the cells of all axes of a fact, each on the day of its applicant', () => {
    const policy = policyOf(`${HEAD}facts:
  context.since: { type: date, description: since }
rules:
  - { id: new, when: { context.since: { withinLast: 30 days } }, then: review }
  - { id: old, when: { context.since: { before: "2026-11-01" } }, then: review }
`);
    const since = (value: string) => new Map([['context.since', { value }]]);
    const tally = new DriftTally(policy);
    const applicants = ['2026-11-20', '2026-12-20'].flatMap((day) =>
      ['2026-10-25', '2026-11-05', 'never'].map((value) => ({ name: { line: 1 }, day, facts: since(value) })),
    );
    const another = { name: { line: 7 }, day: '2026-12-20', facts: since('2026-01-01') };
    addApplicants(tally.baseline, joinFacts(policy, policy), applicants);
    addApplicants(tally.now, joinFacts(policy, policy), [...applicants, another]);
    const { facts, tests } = tally.result();
    expect(tests.map(({ test, now }) => [test, now])).toEqual([
      ['context.since is before 2026-11-01', { true: 3, false: 4, unknown: 0 }],
      ['context.since lies within the last 30 days', { true: 2, false: 5, unknown: 0 }],
    ]);
    expect(facts.map(({ fact, cells }) => [fact, cells.map(({ baseline, now }) => [baseline, now])])).toEqual([
      [
        'context.since',
        [
          [1, 2],
          [2, 2],
          [1, 1],
          [1, 1],
          [1, 1],
        ],
      ],
    ]);
  });

  it('leaves out those whom the policy cannot decide, and counts why', () => {
    const policy = policyOf(`${HEAD}rules:\n  - { id: risky, when: { phone.score: { atLeast: 80 } }, then: reject }\n`);
    const tally = new DriftTally(policy);
    tally.baseline.addUnjudged('erased', 2);
    const unknown = { name: { line: 1 }, day: DAY, facts: new Map(), isUnknown: () => true };
    addApplicants(tally.baseline, joinFacts(policy, policy), [unknown]);
    const { baseline, facts, tests } = tally.result();
    expect(baseline).toMatchObject({ rows: 3, decided: 0, undecided: { erased: 2, open: 1 } });
    expect([facts, tests]).toEqual([[], []]);
  });
});

describe('the critical value of PSI', () => {
  it('is (1/n + 1/m) times the 95 % quantile of chi-squared, and PSI the sum over the bins', () => {
    const { psi, critical } = stabilityOf([
      { baseline: 50, now: 60 },
      { baseline: 50, now: 140 },
      { baseline: 0, now: 0 },
    ]);
    expect(psi).toBeCloseTo((0.3 - 0.5) * Math.log(0.3 / 0.5) + (0.7 - 0.5) * Math.log(0.7 / 0.5), 12);
    // Wilson and Hilferty are 2.5 % off with one degree of freedom, and less with more.
    expect(critical / (1 / 100 + 1 / 200) / 3.841).toBeCloseTo(1, 1);
    const ten = stabilityOf(Array.from({ length: 11 }, () => ({ baseline: 10, now: 10 })));
    expect((ten.critical * 110) / 2).toBeCloseTo(18.307, 1);
    expect(stabilityOf([{ baseline: 5, now: 7 }])).toEqual({ psi: 0, critical: 0 });
    // Of 50 that are compared, each has the quantile of 99.9 %.
    const ofFifty = stabilityOf(
      Array.from({ length: 5 }, () => ({ baseline: 10, now: 10 })),
      50,
    );
    expect((ofFifty.critical * 50) / 2).toBeCloseTo(18.467, 0);
  });

  it('adds a half to both counts of a bin that is empty on one side', () => {
    const { psi } = stabilityOf([
      { baseline: 10, now: 9 },
      { baseline: 0, now: 1 },
    ]);
    expect(psi).toBeCloseTo((0.9 - 1) * Math.log(0.9) + (0.15 - 0.05) * Math.log(3), 12);
  });
});
