/** Runners with a planted bug -> the comparison of random cases finds each, and shrinks its case. */

import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/policy/policy.ts';
import { seekDisagreement } from '../support/runners/agreement.ts';
import type { GivenCase } from '../support/runners/case-file.ts';
import { rulesOf } from '../support/runners/plain.ts';
import { PLANTED } from '../support/runners/planted.ts';

test.each(PLANTED)('the comparison finds a runner with this bug and shrinks the case: $name', async (planted) => {
  // Few cases are about that day; the first of this seed is.
  const seed = planted.name.includes('28 February') ? 118 : 18;
  const sample = { seed, policies: 40, applicants: 20 };
  const { finding } = await seekDisagreement([planted], sample, temporaryFolder());
  expect(finding?.runner).toBe(planted.name);
  const { policy, facts = {} }: GivenCase = JSON.parse(finding?.text ?? '');
  expect(rulesOf(policy).length).toBeLessThanOrEqual(2);
  expect(Object.keys(facts).length).toBeLessThanOrEqual(2);
});
