/** The shipped tests kill the mutants of the shipped policies. */

import { describe, expect, it } from 'vitest';
import { mutate, scoreOf } from '../../../src/lab/mutate/mutate.ts';
import { IS_SOAK } from '../../support/sampled.ts';

describe.runIf(IS_SOAK)('the shipped tests', () => {
  it('kill at least 95 % of the mutants of each shipped policy', async () => {
    const found = await mutate(['rules'], { thorough: true });
    expect(found.map(({ tested }) => tested.policy.name)).toEqual(['onboarding', 'onboarding-kyc', 'phone-only']);
    for (const { tested, results } of found) expect(scoreOf(results), tested.policy.name).toBeGreaterThanOrEqual(95);
  });
});
