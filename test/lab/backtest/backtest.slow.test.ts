/** The counts of a backtest are the sums of single decisions, whatever the policies, the applicants and their order. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import type { Applicant } from '../../../src/lab/backtest/applicants.ts';
import { type BacktestOptions, BacktestTally, withRules } from '../../../src/lab/backtest/backtest.ts';
import { inOnePass } from '../../../src/lab/backtest/in-one-pass.ts';
import { joinFacts } from '../../../src/lab/backtest/joint-facts.ts';
import { LabelJoin } from '../../../src/lab/backtest/labels.ts';
import { OUTCOMES, type Policy } from '../../../src/policy/language.ts';
import { addApplicants } from '../../support/lab/add-applicants.ts';
import { aSmallPolicy, DAY, EVERYONE, loadSmall } from '../../support/lab/small-policies.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const OPTIONS = { by: [], worst: 3, compares: true } as const;

function tallyOf(policies: readonly [Policy, Policy], options: Partial<BacktestOptions> = {}, join?: LabelJoin) {
  const joint = joinFacts(...policies);
  const tally = new BacktestTally(policies, joint, { ...OPTIONS, ...options });
  return Object.assign(tally, {
    addAll: (applicants: Iterable<Applicant>) => addApplicants(inOnePass([tally], join), joint, applicants),
  });
}

const inLines = (people: readonly Facts[]) => people.map((facts, i) => ({ name: { line: i + 1 }, day: DAY, facts }));

function backtest(
  policies: readonly [Policy, Policy],
  people: readonly Facts[],
  options: Partial<BacktestOptions> = {},
) {
  const tally = tallyOf(policies, options);
  tally.addAll(inLines(people));
  return tally.result();
}

const verdictsBy = (policy: Policy, people: readonly Facts[]): readonly Verdict[] =>
  people.map((facts) => matcherOf(policy).verdict(facts, DAY));

const firedIn = ({ reasons, shadow }: Verdict, rule: string): boolean =>
  reasons.some((reason) => reason.because === 'fired' && reason.rule === rule) ||
  shadow.some((each) => each.rule === rule && each.result === 'fires');

const countOf = <Item>(items: readonly Item[], isMeant: (item: Item, i: number) => boolean) =>
  items.filter(isMeant).length;

const somebody = fc.array(fc.constantFrom(...EVERYONE), { minLength: 1, maxLength: 60 });

describe('a backtest', () => {
  it('counts what single decisions give, by outcome and by flow', () => {
    fc.assert(
      fc.property(aSmallPolicy, aSmallPolicy, somebody, (one, other, people) => {
        const policies = [one, other].map(({ fallback, score, rules }) => loadSmall(fallback, score, rules));
        const [old, now] = policies as [Policy, Policy];
        const counted = backtest([old, now], people);
        const [before, after] = [verdictsBy(old, people), verdictsBy(now, people)];
        for (const outcome of OUTCOMES) {
          expect(counted.outcomes[outcome]).toBe(countOf(after, (each) => each.outcome === outcome));
          expect(counted.before?.[outcome]).toBe(countOf(before, (each) => each.outcome === outcome));
        }
        for (const { from, to, applicants } of counted.flows ?? []) {
          expect(applicants).toBe(countOf(after, (each, i) => each.outcome === to && before[i]?.outcome === from));
        }
        expect([counted.rows, counted.decided]).toEqual([people.length, people.length]);
        const certain = after.filter(({ score }) => score.least === score.most);
        const open = after.length - certain.length;
        const values = [...new Set(certain.map(({ score }) => score.least))].toSorted((a, b) => a - b);
        const scores = values.map((points) => ({
          points,
          applicants: countOf(certain, ({ score }) => score.least === points),
        }));
        if (now.score.review === undefined && now.score.reject === undefined) expect(counted.scores).toBeUndefined();
        else expect(counted.scores).toMatchObject({ ...now.score, values: scores, open });
      }),
      { numRuns: sampled(27, 20_000) },
    );
  });

  it('says of each rule what fired, what is undetermined, and what becomes of applicants without it', () => {
    fc.assert(
      fc.property(aSmallPolicy, somebody, ({ fallback, score, rules }, people) => {
        const policy = loadSmall(fallback, score, rules);
        const verdicts = verdictsBy(policy, people);
        const { rules: counts } = backtest([policy, policy], people, { compares: false });
        for (const [i, text] of rules.entries()) {
          const id = `r${i}`;
          const isShadow = text.endsWith('mode: shadow');
          const without = rules.map((each, at) =>
            at === i ? (isShadow ? each.replace(', mode: shadow', '') : undefined) : each,
          );
          const others = verdictsBy(loadSmall(fallback, score, without), people);
          const fired = (each: Verdict) => firedIn(each, id);
          const count = counts.find(({ rule }) => rule === id);
          expect(count).toMatchObject({
            fired: countOf(verdicts, fired),
            alone: countOf(verdicts, (each, at) => fired(each) && others[at]?.outcome !== each.outcome),
            undetermined: countOf(
              verdicts,
              ({ undetermined, shadow }) =>
                undetermined.some(({ rule }) => rule === id) ||
                shadow.some(({ rule, result }) => rule === id && result === 'undetermined'),
            ),
          });
          for (const outcome of OUTCOMES) {
            const became = countOf(verdicts, (each, at) => fired(each) && others[at]?.outcome === outcome);
            expect(count?.without?.[outcome]).toBe(became);
          }
        }
      }),
      { numRuns: sampled(27, 20_000) },
    );
  });

  it('leaves a rule out as a policy without it does', () => {
    fc.assert(
      fc.property(aSmallPolicy, somebody, ({ fallback, score, rules }, people) => {
        const policy = loadSmall(fallback, score, rules);
        const edited = loadSmall(fallback, score, [undefined, ...rules.slice(1)]);
        const dropped = backtest([policy, withRules(policy, (rule) => rule !== 'r0')], people);
        const single = backtest([policy, edited], people);
        expect([dropped.outcomes, dropped.flows]).toEqual([single.outcomes, single.flows]);
        expect(dropped.worst).toEqual(single.worst);
      }),
      { numRuns: sampled(17, 5000) },
    );
  });
});

const PHONE = policyOf.bind(
  undefined,
  `${HEAD}rules:
  - { id: ported, when: { phone.porting.riskLevel: high }, then: review }
  - { id: young, when: { email.address.riskLevel: high }, then: reject }
`,
);

const factsOf = (given: Readonly<Record<string, string>>): Facts =>
  new Map(Object.entries(given).map(([path, value]) => [path, { value }])) as unknown as Facts;

it('a source that is down leaves out its facts, and no others', () => {
  const policy = PHONE();
  const people = ['high', 'low'].flatMap((phone) =>
    ['high', 'low'].map((email) => factsOf({ 'phone.porting.riskLevel': phone, 'email.address.riskLevel': email })),
  );
  const without = (path: string) =>
    people.map((facts) => new Map([...facts].filter(([each]) => each !== path)) as Facts);
  const down = (source: 'phone' | 'email') => backtest([policy, policy], people, { down: source });
  const outcomes = (some: readonly Facts[]) => backtest([policy, policy], some).outcomes;
  expect(down('phone').outcomes).toEqual(outcomes(without('phone.porting.riskLevel')));
  expect(down('email').outcomes).toEqual(outcomes(without('email.address.riskLevel')));
  expect(down('phone').outcomes).not.toEqual(outcomes(people));
  expect(down('phone').rules[0]).toMatchObject({
    undetermined: 4,
    missing: [{ fact: 'phone.porting.riskLevel', cause: 'notGiven', applicants: 4 }],
  });
});

it('somebody of the holdout has a label although rejected, and stands for those who were not let in', () => {
  const policy =
    policyOf(`${HEAD}rules: [{ id: high, when: { phone.riskLevel: high }, then: reject, whenUnknown: ignore }]
`);
  const join = new LabelJoin(
    { by: 'reference', labels: new Map([['A', { isFraud: true, at: undefined }]]) },
    { asOf: DAY, matureDays: 0 },
  );
  const tally = tallyOf([policy, policy], { compares: false, hasLabels: true }, join);
  const applicantOf = (holdout?: number): Applicant => {
    const facts = factsOf({ 'phone.riskLevel': 'high' });
    const decided = { outcome: 'reject', ...(holdout === undefined ? {} : { holdout }) } as const;
    return { name: { line: 1 }, day: DAY, facts, decided, ...(holdout === undefined ? {} : { reference: 'A' }) };
  };
  tally.addAll([undefined, 0.25, undefined, undefined, 1].map(applicantOf));
  const { labels } = tally.result();
  expect(labels?.labels).toEqual({ fraud: 2, good: 0, notLetIn: 3, unknown: 0, immature: 0, tooEarly: 0 });
  expect(labels?.now).toMatchObject({ precision: { least: 0.4, most: 1 }, byHoldout: { precision: 1, recall: 1 } });
});

it('groups hold everybody, weeks begin on a Monday, and a missing fact has a group', () => {
  const policy = PHONE();
  const tally = tallyOf([policy, policy], { by: ['week', 'month', 'phone.porting.riskLevel'] });
  const applicants = ['2026-11-01', '2026-11-02', '2026-11-08', '2026-11-09'].map((day, i): Applicant => {
    const facts = i === 0 ? new Map() : factsOf({ 'phone.porting.riskLevel': i === 1 ? 'high' : 'low' });
    return { name: { line: i }, day, facts };
  });
  tally.addAll(applicants);
  const { groups } = tally.result();
  expect(groups.map(({ by, values }) => [by, values.map(({ value, applicants }) => [value, applicants])])).toEqual([
    [
      'week',
      [
        ['2026-10-26', 1],
        ['2026-11-02', 2],
        ['2026-11-09', 1],
      ],
    ],
    ['month', [['2026-11', 4]]],
    [
      'phone.porting.riskLevel',
      [
        ['low', 2],
        ['high', 1],
        [null, 1],
      ],
    ],
  ]);
});

it('an applicant whom neither policy can decide is counted by why', () => {
  const policy = PHONE();
  const tally = tallyOf([policy, policy]);
  tally.addUnjudged('erased', 2);
  for (let i = 0; i < 30; i++) tally.addUnjudged('unreadable', 1, `problem ${Math.min(i, 25)}`);
  tally.addAll([{ name: { line: 1 }, day: DAY, facts: factsOf({}), isUnknown: () => true }]);
  expect(tally.result()).toMatchObject({
    ...{ rows: 33, decided: 0, outcomes: { accept: 0, review: 0, reject: 0 } },
    undecided: {
      erased: 2,
      unreadable: 30,
      open: 1,
      problems: { 'problem 0': 1, 'other problems': 10 },
      openFacts: { 'phone.porting.riskLevel': 1, 'email.address.riskLevel': 1 },
    },
  });
});
