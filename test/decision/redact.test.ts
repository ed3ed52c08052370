/** What of a decision can be logged, and which of its reasons say something of the applicant. */

import { describe, expect, it } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import type { Decision } from '../../src/decision/decision.ts';
import { firedReasons } from '../../src/decision/meaning/verdict.ts';
import { redact } from '../../src/decision/redact.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { localVerifier, personOf } from '../support/audit/decisions.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';

const PERSON = personOf(0);

/** A policy that repeats all it can of the applicant, and names another person. */
const POLICY = `${HEAD}
defaultNotice: { en: canary-default }
score: { review: 1, notice: canary-score }
facts:
  context.branch: { type: string }
rules:
  - id: person
    when:
      any:
        - applicant.email: { in: [${PERSON.email}, canary-other@usual.example] }
        - context.branch: { contains: canary }
    then: review
    message: "{context.branch}"
    notice: { en: canary-notice }
    points: 1
  - { id: identity, when: { identity.verified: true }, then: review }
`;

async function decisionOf(): Promise<Decision> {
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier });
  const context = { branch: 'canary-branch' };
  return decider.decide(PERSON, { clientReference: 'canary-reference', context });
}

describe('redact', () => {
  it('leaves out all values of the applicant, of the caller and of people in the policy', async () => {
    const decision = await decisionOf();
    const canaries = /canary|@|203\.0|\d{10}/;
    expect(JSON.stringify(decision.reasons)).toMatch(canaries);
    const { id, mapping, ...redacted } = redact(decision);
    expect([id, mapping]).toEqual([decision.id, decision.mapping]);
    expect(JSON.stringify(redacted)).not.toMatch(canaries);
    expect(redacted.reasons[0]).toEqual({
      ...{ because: 'fired', rule: 'person', code: 'PERSON', outcome: 'review', decisive: true, points: 1 },
      evidence: [
        { fact: 'applicant.email', operator: 'in' },
        { fact: 'context.branch', operator: 'contains' },
      ],
    });
  });

  it('leaves out what it does not know, and keeps the rest', async () => {
    const decision = await decisionOf();
    const { clientReference: _, reasons: _reasons, policy, ...kept } = decision;
    const { reasons: _redacted, ...redacted } = redact({ ...decision, added: 'canary' } as Decision);
    const { name, version, language } = policy;
    expect(redacted).toEqual({ ...kept, policy: { name, version, language } });
  });

  it('refuses what is no decision with an error of its own', () => {
    for (const wrong of [null, 5, {}] as never[]) {
      expect(() => redact(wrong)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
    }
  });
});

describe('firedReasons', () => {
  it('has no reason of a rule that is undetermined, of the score or of the default', async () => {
    const fired = firedReasons(await decisionOf());
    expect(fired.map(({ rule, evidence }) => [rule, evidence.length])).toEqual([['person', 2]]);
  });

  it('is empty while the service is down, when most rules are decisive and undetermined', async () => {
    const verify = { verify: () => Promise.reject(new Error('down')) };
    const decider = createDecider({ policy: loadPolicy('rules/onboarding.yaml'), verify });
    const decision = await decider.decide(PERSON);
    expect(decision.reasons.filter(({ decisive }) => decisive).length).toBeGreaterThan(10);
    expect(firedReasons(decision)).toEqual([]);
  });
});
