import { describe, expect, it } from 'vitest';
import { HEAD, readPolicyText } from '../../support/policy/policy.ts';

const RULE = (id: string, when: string, then = 'review', more = '') =>
  `  - { id: ${id}, when: ${when}, then: ${then}${more} }\n`;
const RULES = (...rules: readonly string[]) => `rules:\n${rules.join('')}`;
const A = '{ phone.score: { above: 50 } }';

/** Each stands beside what a warning is for, and deserves none. */
const NEAR_MISSES: readonly (readonly [code: string, what: string, policy: string])[] = [
  [
    'unused-condition',
    'a condition that only another one uses',
    `conditions:\n  a: ${A}\n  b: { all: [a, { phone.valid: true }] }\n${RULES(RULE('r', 'b'))}`,
  ],
  [
    'unused-list',
    'a list that only a named condition looks into',
    `lists:\n  l: [x]\nconditions:\n  a: { ip.isp: { inList: l } }\n${RULES(RULE('r', 'a'))}`,
  ],
  ['same-condition', 'a trial of another outcome', RULES(RULE('a', A), RULE('b', A, 'reject', ', mode: shadow'))],
  [
    'same-condition',
    'a rule that takes the place of another on a day',
    RULES(RULE('a', A, 'review', ', until: 2999-01-31'), RULE('b', A, 'reject', ', from: 2999-02-01')),
  ],
  [
    'never-true',
    'a range that one value fits',
    RULES(RULE('r', '{ phone.porting.portCount: { above: 4, below: 6 } }')),
  ],
  [
    'always-true',
    'an `in` that lacks one value of the enum',
    RULES(RULE('r', '{ phone.serviceType: { in: [prepaid, postpaid] } }')),
  ],
  ['always-true', 'the most that a score can be', RULES(RULE('r', '{ phone.score: { atMost: 99.9 } }'))],
  [
    'covered',
    'a rule that a milder one covers',
    RULES(RULE('a', '{ phone.score: { above: 50 } }'), RULE('b', '{ phone.score: { above: 90 } }', 'reject')),
  ],
  [
    'covered',
    'a rule with points that a stricter one covers',
    `score: { review: 5 }\n${RULES(
      RULE('a', '{ phone.score: { above: 50 } }', 'reject'),
      RULE('b', '{ phone.score: { above: 90 } }', 'review', ', points: 5'),
    )}`,
  ],
  [
    'covered',
    'a rule that overlaps another in part',
    RULES(RULE('a', '{ phone.score: { between: [50, 80] } }'), RULE('b', '{ phone.score: { between: [70, 90] } }')),
  ],
  [
    'never-decides',
    'a final rule before a wider one',
    RULES(
      RULE('a', '{ phone.score: { above: 90 } }', 'reject', ', final: true'),
      RULE('b', '{ phone.score: { above: 50 } }', 'review', ', final: true'),
    ),
  ],
  [
    'table-gap',
    'a table that lists a few bad combinations',
    'tables:\n  - id: t\n    columns: [phone.type, phone.riskLevel, then]\n    rows:\n' +
      '      - [voip, high, reject]\n      - [pager, medium, review]\n',
  ],
  [
    'table-gap',
    'a table that says something of everybody',
    'tables:\n  - id: t\n    columns: [phone.riskLevel, phone.valid, then]\n    rows:\n' +
      '      - [{ atLeast: high }, any, reject]\n      - [{ below: high }, false, review]\n' +
      '      - [{ below: high }, true, accept]\n',
  ],
  [
    'notice-reveals',
    'a notice in plain words',
    RULES(RULE('r', A, 'review', ', notice: We could not confirm your phone number.')),
  ],
  [
    'notice-language',
    'notices of one text each',
    `${RULES(RULE('r', A, 'review', ', notice: Sorry.'))}defaultNotice: Welcome.\n`,
  ],
  [
    'fires-on-missing',
    '`known: true` beside a value',
    RULES(RULE('r', '{ identity.verified: { is: false, known: true } }')),
  ],
  [
    'fires-on-missing',
    'a negated test, which is unknown of a missing fact',
    RULES(RULE('r', '{ not: { phone.valid: true } }')),
  ],
  [
    'broad-accept',
    'a final accept of numbers on a list',
    'lists:\n  ours: ["447400123456"]\n' +
      `${RULES(RULE('r', '{ applicant.phoneNo: { inList: ours } }', 'accept', ', final: true'))}`,
  ],
  [
    'unknown-ignored',
    'a rule that asks for review and looks away',
    RULES(RULE('r', A, 'review', ', whenUnknown: ignore')),
  ],
  [
    'stage-repeats',
    'a stage that asks for one thing more',
    `stages: [[phoneNo], [phoneNo, ip], [phoneNo, ip, email]]\n${RULES(
      RULE('r', '{ ip.isp: a, email.address.status: invalid }'),
    )}`,
  ],
];

describe('no warning', () => {
  it.each(NEAR_MISSES)('%s for %s', (_code, _what, policy) => {
    const { diagnostics } = readPolicyText(HEAD + policy);
    expect(diagnostics).toEqual([]);
  });
});
