/** The mutants of random policies with all features, and of a large one, against many random applicants. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { readFactsLine } from '../../../src/facts/facts-line.ts';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import type { KillingCase } from '../../../src/lab/mutate/killing-case.ts';
import { type Mutant, mutantsOf } from '../../../src/lab/mutate/mutants.ts';
import { type Answer, seekKillings } from '../../../src/lab/mutate/seek-killings.ts';
import { Steps } from '../../../src/lab/steps.ts';
import { differencesIn } from '../../../src/lab/test/test-case.ts';
import type { Policy } from '../../../src/policy/language.ts';
import * as bench from '../../bench/generate.ts';
import { manyOf } from '../../support/lab/applicants.ts';
import { compileMutant, isSeen } from '../../support/lab/mutant-verdicts.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPolicyAsIs } from '../../support/runners/case.ts';
import { IS_SOAK, sampled } from '../../support/sampled.ts';

/** How many mutants were answered how. */
type Seen = Record<Exclude<Answer, KillingCase> | 'case', number>;

const NONE: Seen = { case: 0, equivalent: 0, undecided: 0, personal: 0 };

/** Seeks a case or a proof for each mutant, and holds each answer against matchers of the mutants' own. */
async function checkAnswers(
  { policy, mutants, day }: { readonly policy: Policy; readonly mutants: readonly Mutant[]; readonly day: string },
  people: readonly Facts[],
): Promise<Seen> {
  const { answers } = await seekKillings({
    ...{ tested: { path: 'policy.yaml', mapping: loadMapping(), policy }, days: [day], mutants },
    ...{ steps: new Steps(sampled(5_000_000, 60_000_000)), names: [], earlier: undefined },
  });
  const { verdict } = matcherOf(policy);
  const cases = new Map<Answer, Facts>();
  for (const answer of answers.values()) {
    if (typeof answer === 'object') cases.set(answer, factsOf(answer, policy));
  }
  // The cases of other mutants lie at the borders.
  const decided = [...cases.values(), ...people].map((facts) => [facts, verdict(facts, day)] as const);
  const seen = { ...NONE };
  for (const mutant of mutants) {
    const answer = answers.get(mutant) ?? 'undecided';
    const name = `${mutant.rules} ${mutant.before} -> ${mutant.after}`;
    const changed = compileMutant(policy, mutant);
    if (answer === 'equivalent') {
      const other = decided.find(([facts, before]) => isSeen(before, changed.verdict(facts, day)));
      if (other) expect.fail(`${name} is seen: ${JSON.stringify([...other[0]])}`);
    }
    if (typeof answer === 'object') {
      const facts = cases.get(answer) as Facts;
      expect(differencesIn(verdict(facts, day), answer.expect), name).toEqual([]);
      expect(differencesIn(changed.verdict(facts, day), answer.expect), name).not.toEqual([]);
    }
    seen[typeof answer === 'object' ? 'case' : answer] += 1;
  }
  return seen;
}

/** The facts of a case, read as a test reads them. */
function factsOf({ facts, missing = {}, at }: KillingCase, { facts: table }: Policy): Facts {
  const read = readFactsLine(JSON.stringify({ facts, missing }), table, at);
  if ('problem' in read) throw new Error(read.problem);
  return read.facts;
}

/** So many of the mutants, spread over all of them. */
function some(mutants: readonly Mutant[], most: number): readonly Mutant[] {
  const step = Math.max(1, mutants.length / most);
  return Array.from({ length: Math.min(mutants.length, most) }, (_, i) => mutants[Math.floor(i * step)] as Mutant);
}

describe('a mutant that is proved to be equivalent decides every applicant alike, and a case kills any other', () => {
  it('of random policies with all features', async () => {
    const all = { ...NONE };
    for (const { policy: plain, applicants, day } of fc.sample(
      aCase({ applicants: sampled(10, 60) }),
      sampled(1, 80),
    )) {
      const policy = loadPolicyAsIs(plain, temporaryFolder());
      const { mutants } = mutantsOf(policy, [day], (values) => {
        try {
          const parameters = { ...plain.parameters, ...values };
          return loadPolicyAsIs({ ...plain, parameters }, temporaryFolder());
        } catch {
          return undefined;
        }
      });
      const people = [...manyOf(applicants, sampled(200, 10_000), policy, day)];
      try {
        const seen = await checkAnswers({ policy, mutants: some(mutants, sampled(8, 60)), day }, people);
        for (const [answer, count] of Object.entries(seen)) all[answer as keyof Seen] += count;
      } catch (error) {
        throw new Error(`${JSON.stringify([plain, day])}`, { cause: error });
      }
    }
    expect(all.equivalent).toBeGreaterThan(0);
    expect(all.case).toBeGreaterThan(0);
    if (IS_SOAK) expect(all.undecided).toBeLessThan(all.equivalent / 8);
  });

  it('of a large policy', async () => {
    const policy = bench.readGenerated(bench.generatePolicy(sampled(30, 300), 7));
    const { mutants } = mutantsOf(policy, [bench.DAY], () => undefined);
    const people = bench.generateApplicants(sampled(100, 10_000), 0.05, 7);
    const seen = await checkAnswers({ policy, mutants: some(mutants, sampled(5, 300)), day: bench.DAY }, people);
    expect(seen.case).toBeGreaterThan(0);
  });
});
