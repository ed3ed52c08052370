/** The mutants of small random policies, decided for every applicant there can be. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { firedReasons, type Verdict } from '../../../src/decision/meaning/verdict.ts';
import { readFactsLine } from '../../../src/facts/facts-line.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { DEFAULT_STEPS } from '../../../src/lab/limits.ts';
import { createJudge, type JudgedCase } from '../../../src/lab/mutate/judge.ts';
import { prepareKillings } from '../../../src/lab/mutate/killing-case.ts';
import { mutantsOf } from '../../../src/lab/mutate/mutants.ts';
import { Steps } from '../../../src/lab/steps.ts';
import { differencesIn, type Expectation, expectedScore } from '../../../src/lab/test/test-case.ts';
import { compileMutant, expectable, isSeen, toldBy } from '../../support/lab/mutant-verdicts.ts';
import { aSmallPolicy, DAY, EVERYONE, loadSmall } from '../../support/lab/small-policies.ts';
import { sampled } from '../../support/sampled.ts';

/** Expectations that hold for a verdict, of few keys each. */
function expectationsOf(verdict: Verdict): readonly Expectation[] {
  const { outcome, score, undetermined } = verdict;
  const rules = firedReasons(verdict).map(({ rule }) => rule);
  return [
    { outcome },
    { score: expectedScore(score) },
    { rules, outcome },
    { undetermined: undetermined.map(({ rule }) => rule) },
    { notice: toldBy(verdict).length > 0 ? 'any' : 'none' },
  ];
}

/** Two rules reject alike, one with a notice: with another outcome, it changes only what the applicant is told. */
const NOTICE = {
  ...{ fallback: 'accept', score: '' },
  rules: ['when: { context.old: true }, then: reject, notice: n', 'when: { context.old: true }, then: reject'],
};

/** What random policies seldom have: points without a band that count only if known, and a band of unknown points. */
const SELDOM = [
  { score: '', ending: ', whenUnknown: ignore' },
  { score: 'score: { review: 20 }\n', ending: '' },
].map(({ score, ending }) => ({
  ...{ fallback: 'accept', score, rules: [`when: { all: [{ context.old: true }] }, points: 20${ending}`] },
}));

describe('mutants of small policies', () => {
  it('are decided as by a matcher of their own; those proved to be equivalent decide everybody alike', async () => {
    const seen = { unreachable: 0, case: 0, open: 0, withheld: 0 };
    for (const { fallback, score, rules } of [NOTICE, ...SELDOM, ...fc.sample(aSmallPolicy, sampled(1, 200))]) {
      const policy = loadSmall(fallback, score, rules);
      const shown = JSON.stringify({ fallback, score, rules }, null, 1);
      const { mutants } = mutantsOf(policy, [DAY], () => undefined);
      const findKilling = await prepareKillings(policy, DAY, mutants, new Steps(DEFAULT_STEPS));
      const everyone = EVERYONE.map((given) => ({ facts: readFacts(given, policy.facts, DAY), at: DAY }));
      const decided = everyone.map(({ facts }) => matcherOf(policy).verdict(facts, DAY));
      const judge = createJudge(
        policy,
        mutants.map(({ change }) => change),
      );
      const judged = everyone.map(({ facts, at }) => judge(facts, at));
      for (const mutant of mutants) {
        const name = `${mutant.rules} ${mutant.before} -> ${mutant.after} ${shown}`;
        const matcher = compileMutant(policy, mutant);
        const verdicts = everyone.map(({ facts }) => matcher.verdict(facts, DAY));
        for (const [i, verdict] of decided.entries()) {
          const { isReachedBy, verdict: verdictOf } = judged[i] as JudgedCase;
          const changed = isReachedBy(mutant.change) ? verdictOf(mutant.change) : verdict;
          const all = (verdict: Verdict) => [expectable(verdict), toldBy(verdict)];
          expect(all(changed), name).toEqual(all(verdicts[i] as Verdict));
          for (const expectation of expectationsOf(verdict)) {
            const isFailed = differencesIn(verdicts[i] as Verdict, expectation).length > 0;
            expect(differencesIn(changed, expectation).length > 0, name).toBe(isFailed);
          }
        }
        const killing = await findKilling(mutant);
        seen[killing.kind] += 1;
        const isSeenBySomebody = decided.some((verdict, i) => isSeen(verdict, verdicts[i] as Verdict));
        if (isSeenBySomebody) expect(killing.kind, name).toBe('case');
        if (killing.kind !== 'case') continue;
        const read = readFactsLine(JSON.stringify(lineOf(killing.case)), policy.facts, DAY);
        if ('problem' in read) throw new Error(read.problem);
        expect(differencesIn(matcherOf(policy).verdict(read.facts, DAY), killing.case.expect), name).toEqual([]);
        expect(differencesIn(matcher.verdict(read.facts, DAY), killing.case.expect), name).not.toEqual([]);
      }
    }
    expect(seen.open).toBe(0);
    expect(seen.case).toBeGreaterThan(0);
    expect(seen.unreachable).toBeGreaterThan(0);
  });
});

function lineOf({ facts, missing }: { readonly facts: object; readonly missing?: object }) {
  return missing ? { facts, missing } : { facts };
}
