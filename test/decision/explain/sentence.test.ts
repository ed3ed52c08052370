/** A test -> its sentence, also where the opposite is asked. */

import { describe, expect, test } from 'vitest';
import { saysValue, sentenceOf } from '../../../src/decision/explain/sentence.ts';
import { OPERATOR_NAMES, operatorRow } from '../../../src/policy/operators.ts';

const PAIRS = [
  ['is', 'isNot'],
  ['in', 'notIn'],
  ['above', 'atMost'],
  ['atLeast', 'below'],
  ['inList', 'notInList'],
] as const;

describe('the sentence of a test', () => {
  test('says the opposite as a statement', () => {
    for (const [one, other] of PAIRS) {
      for (const [operator, opposite] of [[one, other] as const, [other, one] as const]) {
        expect(sentenceOf({ operator, expected: 1, negated: true })).toBe(operatorRow(opposite).sentence);
      }
    }
    for (const operator of OPERATOR_NAMES) {
      const [asked, opposite] = [false, true].map((negated) =>
        sentenceOf({ operator, expected: [], ...(negated ? { negated } : {}) }),
      );
      expect(opposite).not.toBe(asked);
      expect(opposite?.match(/…/g)).toEqual(asked?.match(/…/g));
    }
    expect(sentenceOf({ operator: 'known', expected: true, negated: true })).toBe('is not known');
    expect(sentenceOf({ operator: 'never', expected: false, negated: true })).toBe('never happened');
    expect(sentenceOf({ operator: 'ofALaterEngine', expected: 1, negated: true })).toBe('not: ofALaterEngine');
  });

  test('says the value of a fact that is equal to it', () => {
    const is = (expected: unknown, negated?: true) => ({ operator: 'is', expected, ...(negated ? { negated } : {}) });
    expect(saysValue(is('web'), 'web')).toBe(true);
    expect(saysValue(is(3), 3)).toBe(true);
    expect(saysValue({ operator: 'isNot', expected: 'web', negated: true }, 'web')).toBe(true);
    expect(saysValue(is('acme'), 'ACME')).toBe(false);
    expect(saysValue(is('branch', true), 'web')).toBe(false);
    expect(saysValue(is({ fact: 'context.other' }), 'web')).toBe(false);
  });
});
