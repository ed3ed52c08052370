/** The benchmark's own contestants, without other engines, all reach the same decisions. */

import { describe, expect, it } from 'vitest';
import { compile } from '../../src/decision/matcher/matcher.ts';
import { CATALOG_TABLE } from '../../src/facts/catalog.ts';
import { isMissing } from '../../src/facts/fact.ts';
import { comparePolicies } from './compare.ts';
import { type Contest, firedRules } from './contestant.ts';
import { DAY, generateApplicants, generatePolicy, readGenerated } from './generate.ts';
import { logicOf, viewOf } from './logic.ts';
import { handWritten, live, matcherBatch, matcherJson, matcherOutcome, matcherVerdict } from './ours.ts';
import { BENCH_FACTS } from './population.ts';
import { explosivePolicies } from './weigh.ts';

const RULES = 30;
const PEOPLE = 100;

const policy = readGenerated(generatePolicy(RULES, 1));

function contestOf(missing: number): Contest {
  const facts = generateApplicants(PEOPLE, missing, 2);
  return {
    policy,
    matcher: compile(policy),
    rules: policy.rules.map(({ id, when }) => ({ id, logic: logicOf(when) })),
    applicants: facts.map((each) => ({ facts: each, view: viewOf(each, CATALOG_TABLE, DAY) })),
    measured: PEOPLE,
  };
}

describe('the benchmark', () => {
  it('generates the same policies and applicants for the same seed', () => {
    expect(generatePolicy(RULES, 1)).toEqual(generatePolicy(RULES, 1));
    expect(generatePolicy(RULES, 1)).not.toEqual(generatePolicy(RULES, 2));
    expect(generateApplicants(5, 0.05, 2)).toEqual(generateApplicants(5, 0.05, 2));
  });

  it('generates rules that rarely fire and the requested share of missing facts', () => {
    const { applicants, matcher } = contestOf(0.05);
    const missing = applicants.flatMap(({ facts }) => [...facts.values()].filter(isMissing)).length;
    expect(missing / (PEOPLE * BENCH_FACTS.length)).toBeCloseTo(0.05, 1);
    const verdicts = applicants.map(({ facts }) => matcher.verdict(facts, DAY));
    const fired = verdicts.flatMap(firedRules).length / (PEOPLE * RULES);
    expect(fired).toBeGreaterThan(0.002);
    expect(fired).toBeLessThan(0.05);
    expect(verdicts.flatMap(({ undetermined }) => undetermined).length).toBeGreaterThan(0);
  });

  const contestants = {
    matcherOutcome: matcherOutcome('row'),
    'matcherOutcome of a Map': matcherOutcome('map'),
    matcherVerdict: matcherVerdict('row'),
    'matcherVerdict of a Map': matcherVerdict('map'),
    matcherJson,
    matcherBatch,
    live,
    handWritten: handWritten(10),
  };

  // A hand-written rule fires only if its condition is certainly true: `not` of a missing fact matches nothing.
  it.each(Object.entries(contestants))(
    '%s agrees with the verdict, with and without missing facts',
    async (_, enter) => {
      for (const missing of [0, 0.05]) {
        const contest = contestOf(missing);
        const { agrees } = enter(contest);
        for (const [i, { facts }] of contest.applicants.entries()) {
          expect(await agrees(i, contest.matcher.verdict(facts, DAY))).toBe(true);
        }
      }
    },
  );

  it.each(Object.entries(contestants))('%s is caught if it decides by another policy', async (_, enter) => {
    const contest = contestOf(0);
    const others = compile(readGenerated(generatePolicy(RULES, 3)));
    const { agrees } = enter(contest);
    const right = await Promise.all(
      contest.applicants.map(async ({ facts }, i) => agrees(i, others.verdict(facts, DAY))),
    );
    expect(right).toContain(false);
  });

  it('uses every result that it computes', async () => {
    const contest = contestOf(0.05);
    const expected = contest.applicants.slice(0, 50).map(({ facts }) => contest.matcher.verdict(facts, DAY));
    const { run } = matcherVerdict('row')(contest);
    expect(await run(50)).toBe(expected.reduce((sum, { reasons }) => sum + reasons.length, 0));
  });

  it('compares policies', async () => {
    const found = new Map((await Array.fromAsync(comparePolicies(3, 7))).map(({ what, found }) => [what, found]));
    expect(found.get('equal policies')).toBe('0 regions, 0 with an example, elsewhere same');
    expect(found.get('one edited threshold, computed facts')).toBe('1 regions, 1 with an example, elsewhere same');
    expect(found.get('one difference')).toBe('different');
    expect(found.get('prove guarantee')).toBe('proved');
    expect(found.get('prove outage:phone')).toBe('proved');
    expect(found.get('prove missing-never-helps')).toBe('proved');
    const ignoring = 'prove missing-never-helps, every tenth rule ignores what is unknown';
    expect(found.get(ignoring)).toBe('refuted');
  });

  it('can load policies that would explode in disjunctive normal form', () => {
    for (const plain of explosivePolicies(1).values()) expect(readGenerated(plain).rules).toHaveLength(100);
  });
});
