/** The shipped policies keep their guarantees, and no source that fails helps anybody. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { proveProperties } from '../../../src/lab/prove/prove.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { ROOT } from '../../support/docs/docs.ts';

const OUTAGES = ['outage:phone', 'outage:email', 'outage:ip'];

it.each([
  ['onboarding', OUTAGES],
  ['phone-only', OUTAGES],
  // The others read the match of the identity only where a further service gives it.
  ['onboarding-kyc', [...OUTAGES, 'outage:identity', 'missing-never-helps']],
])('%s keeps what it promises', async (name, properties) => {
  const policy = loadPolicy(join(ROOT, 'rules', `${name}.yaml`));
  expect(policy.guarantees.length).toBeGreaterThan(1);
  const proofs = await proveProperties(policy, { at: '2026-11-20', properties: ['guarantee', ...properties] });
  expect(proofs.filter(({ result }) => result !== 'proved')).toEqual([]);
});
