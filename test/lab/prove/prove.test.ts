/** Properties of small policies: proved where they hold, and refuted by an applicant where they do not. */

import { describe, expect, it } from 'vitest';
import { type Proof, proveProperties } from '../../../src/lab/prove/prove.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';
const ANY = expect.any(Number);

const rule = (when: string, effect: string) => `  - { when: { ${when} }, ${effect} }\n`;

/** A policy of these rules, which get ids, and of further keys. */
function policyWith(rules: readonly string[], more = '') {
  const named = rules.map((each, i) => each.replace('{ when', `{ id: rule-${i}, when`));
  return policyOf(`${HEAD}${named.length > 0 ? `rules:\n${named.join('')}` : ''}${more}`);
}

async function prove(property: string, rules: readonly string[], more?: string): Promise<Proof> {
  const [proof] = await proveProperties(policyWith(rules, more), { at: DAY, properties: [property] });
  if (!proof) throw new Error('no proof');
  return proof;
}

const shown = ({ applicants }: Proof) =>
  applicants.map(({ example: { facts, missing }, outcome }) => [facts, outcome, ...(missing ? [missing] : [])]);

const RISKY = rule('phone.score: { atLeast: 80 }', 'then: review');
const VOIP = rule('phone.type: voip', 'then: reject');
const CLEAN = rule('email.domain.type: corporate', 'then: accept, final: true');
const guarantee = (claim: string, when: string) => `guarantees: [{ id: one, ${claim}, when: { ${when} } }]\n`;

type Row = readonly [what: string, property: string, rules: readonly string[], more?: string];

const HOLDS: readonly Row[] = [
  ['a rule asks for it', 'guarantee', [VOIP], guarantee('never: accept', 'phone.type: voip')],
  ['a narrower condition', 'guarantee', [RISKY], guarantee('atLeast: review', 'phone.score: { above: 85 }')],
  [
    'an unknown condition',
    'guarantee',
    [rule('phone.valid: { known: false }', 'then: accept, final: true'), VOIP],
    guarantee('never: accept', 'phone.valid: true, phone.type: voip'),
  ],
  [
    'a fact that no rule reads',
    'guarantee',
    [rule('phone.valid: { known: true }', 'then: reject')],
    guarantee('always: reject', 'phone.valid: true, ip.isp: { contains: x }'),
  ],
  [
    'a condition that nobody meets',
    'guarantee',
    [],
    guarantee('never: accept', 'phone.score: { above: 80, below: 20 }'),
  ],
  ['rules as they are meant', 'missing-never-helps', [RISKY, VOIP]],
  ['an accept that needs facts', 'missing-never-helps', [CLEAN, RISKY]],
  [
    'a pair',
    'missing-never-helps',
    [rule('phone.operator.current: { isNot: { fact: phone.operator.original } }', 'then: review')],
  ],
  ['a rule on what is missing', 'missing-never-helps', [rule('phone.valid: { known: false }', 'then: reject')]],
  [
    'a source that only another one counts on',
    'outage:email',
    [rule('phone.score: { atLeast: 80 }', 'then: review, whenUnknown: ignore')],
  ],
  ['a source that asks for review', 'outage:phone', [RISKY]],
  [
    'a fact of the applicant',
    'outage:phone',
    [rule('applicant.phoneNo: "447400123456"', 'then: reject, whenUnknown: ignore')],
  ],
  [
    'what is derived from the number alone',
    'outage:phone',
    [rule('phone.country: GB', 'then: reject, whenUnknown: ignore')],
  ],
  ['a limit', 'monotone:phone.score', [RISKY, rule('phone.score: { above: 90 }', 'then: reject')]],
  ['a level', 'monotone:phone.riskLevel', [rule('phone.riskLevel: { atLeast: medium }', 'then: review')]],
  ['a fact that no rule reads', 'monotone:phone.score', [VOIP]],
  [
    'points that rise',
    'monotone:phone.score',
    [rule('phone.score: { atLeast: 50 }', 'points: 5'), rule('phone.type: voip', 'points: 5')],
    'score: { review: 10 }\n',
  ],
  ['the outcome of a rule', 'reachable:reject', [VOIP]],
  [
    'the outcome of points',
    'reachable:review',
    [rule('phone.type: voip', 'points: 5'), rule('phone.valid: false', 'points: 5')],
    'score: { review: 10 }\n',
  ],
];

type Broken = readonly [what: string, property: string, rules: readonly string[], more: string, applicants: object];

const BREAKS: readonly Broken[] = [
  [
    'a limit off by one',
    'guarantee',
    [rule('phone.score: { above: 80 }', 'then: review')],
    guarantee('never: accept', 'phone.score: { atLeast: 80 }'),
    [[{ 'phone.score': 80 }, 'accept']],
  ],
  [
    'an allow list',
    'guarantee',
    [VOIP, CLEAN],
    guarantee('always: reject', 'phone.type: voip'),
    [[{ 'phone.type': 'voip', 'email.domain.type': 'corporate' }, 'accept']],
  ],
  [
    'what is unknown',
    'guarantee',
    [VOIP],
    guarantee('never: review', 'phone.valid: false'),
    [[{ 'phone.valid': false }, 'review']],
  ],
  [
    'a rule that ignores what is unknown',
    'missing-never-helps',
    [rule('phone.type: voip', 'then: reject, whenUnknown: ignore')],
    '',
    [
      [{ 'phone.type': 'voip' }, 'reject'],
      [{}, 'accept'],
    ],
  ],
  [
    'an accept of what is missing',
    'missing-never-helps',
    [VOIP, rule('phone.valid: { known: false }', 'then: accept, final: true')],
    '',
    [
      [{ 'phone.valid': true }, 'review'],
      [{}, 'accept'],
    ],
  ],
  [
    'a pair of which one is gone',
    'missing-never-helps',
    [rule('email.address.score: { above: { fact: phone.score } }', 'then: review, whenUnknown: ignore')],
    '',
    [
      [{ 'email.address.score': ANY, 'phone.score': ANY }, 'review'],
      [{ 'phone.score': ANY }, 'accept'],
    ],
  ],
  [
    'a rule that ignores an outage',
    'outage:email',
    [RISKY, rule('email.domain.type: disposable', 'then: reject, whenUnknown: ignore')],
    '',
    [
      [{ 'phone.score': 0, 'email.domain.type': 'disposable' }, 'reject'],
      [{ 'phone.score': ANY }, 'accept', { 'email.domain.type': 'sourceFailed' }],
    ],
  ],
  [
    'what is derived from the source',
    'outage:phone',
    [rule('phone.operator.changed: true', 'then: review, whenUnknown: ignore')],
    '',
    [
      [{ 'phone.operator.changed': true }, 'review'],
      [{}, 'accept'],
    ],
  ],
  [
    'a gap above',
    'monotone:phone.score',
    [rule('phone.score: { between: [80, 90] }', 'then: review')],
    '',
    [
      [{ 'phone.score': 90 }, 'review'],
      [{ 'phone.score': 91 }, 'accept'],
    ],
  ],
  [
    'a level by itself',
    'monotone:phone.riskLevel',
    [rule('phone.riskLevel: high', 'then: reject'), rule('phone.riskLevel: veryHigh', 'then: review')],
    '',
    [
      [{ 'phone.riskLevel': 'high' }, 'reject'],
      [{ 'phone.riskLevel': 'veryHigh' }, 'review'],
    ],
  ],
  [
    'a fact that another one is compared with',
    'monotone:phone.score',
    [rule('email.address.score: { above: { fact: phone.score } }', 'then: review')],
    '',
    [
      [{ 'email.address.score': ANY, 'phone.score': ANY }, 'review'],
      [{ 'email.address.score': ANY, 'phone.score': ANY }, 'accept'],
    ],
  ],
  ['an outcome that no rule asks for', 'reachable:reject', [RISKY], '', []],
  [
    'points that are too few',
    'reachable:reject',
    [rule('phone.type: voip', 'points: 5'), rule('phone.type: pager', 'points: 5')],
    'score: { review: 5, reject: 10 }\n',
    [],
  ],
];

it('a rule that nobody needs refutes that every rule matters', async () => {
  expect((await prove('every-rule-matters', [VOIP, RISKY])).result).toBe('proved');
  const narrower = rule('phone.type: voip, phone.valid: false', 'then: reject, reason: RULE_0');
  const { result, rules } = await prove('every-rule-matters', [VOIP, narrower]);
  expect([result, rules]).toEqual(['refuted', ['rule-1']]);
});

describe('a property is proved of', () => {
  it.each(HOLDS.map(([what, ...row]) => ({ what, row })))('$what: $row.0', async ({ row }) => {
    expect((await prove(...row)).result).toBe('proved');
  });
});

describe('a property is refuted by the smallest applicant, for', () => {
  it.each(BREAKS)('%s: %s', async (_, property, rules, more, applicants) => {
    const proof = await prove(property, rules, more);
    expect(proof.result).toBe('refuted');
    expect(shown(proof)).toEqual(applicants);
  });
});
