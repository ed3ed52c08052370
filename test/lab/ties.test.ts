/** Variables of one fact, or of a pair: one is missing where the other is. */

import { describe, expect, it } from 'vitest';
import { diffPolicies } from '../../src/lab/diff/diff.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';

const OTHER_OPERATOR = 'phone.operator.current: { isNot: { fact: phone.operator.original } }';
const BOTH_KNOWN = '{ phone.operator.current: { known: true } }, { phone.operator.original: { known: true } }';
/** Each about another part of the text. */
const PARTS = ['contains: telecom', 'startsWith: the', "matches: '^[a-m]+$'", "matches: '[0-9]{3}$'"];

const rule = (id: string, conditions: string, whenUnknown = 'ignore') =>
  `  - { id: ${id}, when: { all: [${conditions}] }, then: review, whenUnknown: ${whenUnknown} }\n`;

const FIRST = rule('first', '{ phone.valid: false }');

describe('policies are proved the same if they would differ only where', () => {
  it.each([
    [
      'one of two facts is missing and the pair is not',
      [rule('pair', `{ ${OTHER_OPERATOR} }, { phone.operator.current: { known: false } }`), ''],
    ],
    [
      'two facts are known and the pair is not',
      ['ignore', 'review'].map((whenUnknown) => rule('pair', `{ ${OTHER_OPERATOR} }, ${BOTH_KNOWN}`, whenUnknown)),
    ],
    [
      'a text is missing and one of its parts is not',
      [PARTS.map((test, i) => rule(`part${i}`, `{ ip.isp: { known: false } }, { ip.isp: { ${test} } }`)).join(''), ''],
    ],
  ])('%s', async (_, [one, other]) => {
    const policies = [one, other].map((rules) => policyOf(`${HEAD}rules:\n${FIRST}${rules}`));
    const [old, now] = policies as [(typeof policies)[0], (typeof policies)[0]];
    expect(await diffPolicies(old, now, { at: '2026-11-20' })).toEqual({ regions: [], elsewhere: 'same' });
  });
});
