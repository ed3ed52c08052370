/** `guarantees` of a policy: what they refer to, and what they leave alone. */

import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { replaceIdentities } from '../../../src/policy/identities.ts';
import { keepsTo, OUTCOMES } from '../../../src/policy/language.ts';
import { policyFromData } from '../../../src/policy/read/parse.ts';
import { placeOf, policyData } from '../../../src/policy/source-map.ts';
import { HEAD, policyOf, readPolicyText } from '../../support/policy/policy.ts';

const NAMES = `${HEAD}parameters: { limit: 80 }
facts: { context.channel: { type: enum, values: [web, app] } }
lists: { blocked: [spam.example] }
conditions: { onWeb: { context.channel: web } }
`;
const GUARANTEES = `guarantees:
  - id: web
    description: Agreed.
    never: accept
    when: { all: [onWeb, { phone.score: { above: $limit } }, { applicant.emailDomain: { inDomainList: blocked } }] }
  - { id: voip, always: reject, when: { phone.type: voip } }
  - { id: unassigned, atLeast: review, when: { phone.status: unassigned } }
`;

describe('a guarantee', () => {
  it('reads names as a rule does, and counts as a use of them', () => {
    const { policy, diagnostics } = readPolicyText(NAMES + GUARANTEES);
    expect(diagnostics.map(({ code }) => code)).toEqual(['no-active-rule']);
    expect(policy?.guarantees).toMatchObject([
      { id: 'web', description: 'Agreed.', claim: 'never', outcome: 'accept' },
      { id: 'voip', claim: 'always', outcome: 'reject' },
      { id: 'unassigned', claim: 'atLeast', outcome: 'review' },
    ]);
    expect(policy?.guarantees.map((each) => placeOf(each)?.position.line)).toEqual([9, 13, 14]);
    const unused = new Set(readPolicyText(NAMES).diagnostics.map(({ code }) => code));
    expect([...unused].sort()).toEqual(['no-active-rule', 'unused-condition', 'unused-list', 'unused-parameter']);
  });

  it('changes no decision, and is part of the digest and of the policy as data', () => {
    const [one, other] = [policyOf(NAMES), policyOf(NAMES + GUARANTEES)];
    const day = '2026-11-20';
    const facts = readFacts(new Map([['phone.type', { value: 'voip' }]]), other.facts, day);
    expect(matcherOf(other).verdict(facts, day)).toEqual(matcherOf(one).verdict(facts, day));
    expect(other.digest).not.toBe(one.digest);
    const again = policyFromData(policyData(other));
    expect(again.digest).toBe(other.digest);
    expect(again.guarantees).toEqual(other.guarantees);
  });

  it('has its personal texts replaced, and those of the lists that it alone uses', () => {
    const policy = policyOf(`${HEAD}lists: { known: [jo@mail.example], other: [anna] }
guarantees:
  - { id: a, never: accept, when: { applicant.email: sam@mail.example } }
  - { id: b, never: accept, when: { applicant.email: { inList: known } } }
  - { id: c, never: accept, when: { ip.isp: { inList: other } } }
`);
    const replaced = JSON.stringify(replaceIdentities(policy, policyData(policy), () => 'hidden'));
    expect(replaced).not.toMatch(/jo@|sam@/);
    expect(replaced).toContain('anna');
  });

  it.each([
    ['never', 'accept', ['review', 'reject']],
    ['never', 'review', ['accept', 'reject']],
    ['always', 'reject', ['reject']],
    ['atLeast', 'review', ['review', 'reject']],
    ['atLeast', 'reject', ['reject']],
  ] as const)('%s %s is kept by %j', (claim, outcome, kept) => {
    expect(OUTCOMES.filter((decided) => keepsTo({ claim, outcome }, decided))).toEqual(kept);
  });
});
