/** What nobody gets in small random policies, against every applicant there can be. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_STEPS } from '../../../../src/lab/limits.ts';
import { findUnreachedBands, findUnreachedOutcomes } from '../../../../src/lab/prove/check/never-reached.ts';
import { createReasoner } from '../../../../src/lab/question/reasoner.ts';
import { Steps } from '../../../../src/lab/steps.ts';
import { OUTCOMES } from '../../../../src/policy/language.ts';
import { aSmallPolicy, DAY, loadSmall, verdictsOf } from '../../../support/lab/small-policies.ts';
import { sampled } from '../../../support/sampled.ts';

const steps = () => new Steps(DEFAULT_STEPS);

describe('in small random policies', () => {
  it('the outcomes and bands that nobody gets are found, and no others', async () => {
    const seen = { reached: 0, never: 0 };
    for (const { fallback, score, rules } of fc.sample(aSmallPolicy, sampled(4, 1000))) {
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
});
