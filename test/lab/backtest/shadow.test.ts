/** A shadow rule is judged on what is on record: what was erased or aborted is counted, and not guessed. */

import { expect, it } from 'vitest';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { shadowImpact } from '../../../src/lab/backtest/shadow.ts';
import { localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: watched, when: { phone.riskLevel: { known: true } }, then: reject, mode: shadow }
`;

it('an erased decision is left out', async () => {
  const folder = await logFolder();
  const log = await folder.open({});
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit: log });
  for (let i = 0; i < 3; i++) await decider.decide(personOf(i));
  const before = await shadowImpact(folder.place, 'watched', () => {});
  await eraseSubject({ log, subject: personOf(0).email });
  await log.close();
  const { impact, unreadable } = await shadowImpact(folder.place, 'watched', () => {});
  expect(before.impact).toMatchObject({ decisions: 3, undecided: { erased: 0 } });
  expect(impact).toMatchObject({ rule: 'watched', decisions: 2, undecided: { erased: 1, unreadable: 0 } });
  expect(impact.fired + impact.undetermined).toBe(2);
  expect(unreadable).toEqual([]);
});
