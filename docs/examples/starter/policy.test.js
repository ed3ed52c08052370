// @ts-check
/** What the policy has to do, whatever else changes: `npm test`. Put cases of your own in place of these. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFiles, compile, firedReasons, formatDiagnostic, loadPolicy, readFacts } from 'verdict-engine';

const policy = loadPolicy('rules/onboarding.yaml');
const day = '2026-11-20';

/** @param {Record<string, string | number | boolean>} known the facts that are known; all others are missing */
function decide(known) {
  const given = Object.entries(known).map(([fact, value]) => /** @type {const} */ ([fact, { value }]));
  return compile(policy).verdict(readFacts(new Map(given), policy.facts, day), day);
}

test('the files in rules/ have no mistakes and no suspicious rules', () => {
  assert.deepEqual(checkFiles(['rules/']).diagnostics.map(formatDiagnostic), []);
});

test('a number that moved a week ago, with a risky email, is reviewed as an account takeover', () => {
  const verdict = decide({ 'phone.porting.portedDate': '2026-11-13', 'email.address.riskLevel': 'high' });
  assert.equal(verdict.outcome, 'review');
  assert.ok(firedReasons(verdict).some(({ code }) => code === 'PORTED_AND_RISKY_EMAIL'));
});

test('somebody of whom nothing is known is never accepted', () => {
  assert.equal(decide({}).outcome, 'review');
});
