/** The promises of the policy language, on random policies and facts. */

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { PROMISES } from '../../support/runners/promises.ts';
import { sampled } from '../../support/sampled.ts';

/** Policies for each promise, and applicants for each policy; `npm run test:soak` tries far more. */
const CASES = sampled(4, 100);
const APPLICANTS = 5;

const NAMES = [
  'missing_never_helps',
  'order_of_rules_changes_nothing',
  'order_of_keys_changes_nothing',
  'one_more_strict_rule_never_makes_milder',
  'one_more_final_reject_never_makes_milder',
  'no_rule_is_silenced_by_an_error',
  'reasons_do_not_depend_on_arrival',
];

test.each(NAMES)('%s', async (name) => {
  let held = 0;
  const property = PROMISES[name]?.property(APPLICANTS, temporaryFolder(), () => held++);
  if (!property) throw new Error(`no promise ${name}`);
  await fc.assert(property, { numRuns: CASES });
  expect(held).toBe(CASES * APPLICANTS);
});
