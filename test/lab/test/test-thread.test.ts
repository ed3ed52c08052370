/** The summary of a run of tests in a thread of its own, as the service shows it. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { TestFunctions } from '../../../src/lab/test/test-thread.ts';
import { Thread } from '../../../src/platform/thread.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const RULES = `rules:
  - { id: voip, when: { phone.type: voip }, then: review }
  - { id: risky, when: { email.address.riskLevel: high }, points: 5 }
  - { id: tried, when: { phone.type: mobile }, then: reject, mode: shadow }
  - { id: untested, when: { ip.country: DE }, then: review, whenUnknown: ignore }
`;

const TESTS = `policy: p.yaml
at: 2026-11-20
tests:
  - { name: a voip number, facts: { phone.type: voip, email.address.riskLevel: high }, expect: { outcome: review } }
  - { name: a mobile number, facts: { phone.type: mobile }, expect: { outcome: reject } }
  - { name: another day, skip: later, facts: { ip.country: DE }, expect: { outcome: review } }
`;

it('names the cases in which each rule fires, of those that were run', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'p.yaml'), `${HEAD}${RULES}`);
  writeFileSync(join(folder, 'p.test.yaml'), TESTS);
  const thread = new Thread<TestFunctions>('lab/test/test-thread', undefined);
  onTestFinished(() => thread.end());
  const { fired, ...counts } = await thread.call('summaryOf', folder);
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 1, failing: ['a mobile number'], problems: [] });
  expect([...fired].map(([, byRule]) => Object.fromEntries(byRule))).toEqual([
    { voip: ['a voip number'], risky: ['a voip number'], tried: ['a mobile number'] },
  ]);
});

it('says what is wrong with a file of tests, without what a test may name', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'p.yaml'), `${HEAD}${RULES}`);
  writeFileSync(
    join(folder, 'p.test.yaml'),
    `${TESTS}  - { name: x, facts: { phone.kind: a@b.example }, expect: {} }\n`,
  );
  const thread = new Thread<TestFunctions>('lab/test/test-thread', undefined);
  onTestFinished(() => thread.end());
  const { problems } = await thread.call('summaryOf', folder);
  expect(problems).toContainEqual(expect.stringMatching(/^p\.test\.yaml:7:\d+: error\[unknown-fact\]/));
  expect(problems.join()).not.toContain('@');
});
