/** A missing fact -> words for its cause; for a derived fact, they name its inputs. */

import { expect, it } from 'vitest';
import { plain } from '../../../src/report/plain-text.ts';
import { causeWords, missingWords } from '../../../src/report/words/missing.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}facts:
  context.channel: { type: string }
  context.debts: { type: number }
  context.income: { type: number }
  context.ratio: { type: number, compute: { ratio: [context.debts, context.income] } }
  context.gap: { type: integer, compute: { daysBetween: [email.address.firstSeen, phone.porting.portedDate] } }
rules:
  - { id: gap, when: { context.gap: { below: 3 } }, then: review }
`;

it.each([
  ['phone.score', 'notRequested', 'not requested'],
  ['phone.score', 'sourceFailed', 'its source did not answer'],
  ['phone.score', 'invalid', 'its value cannot be read'],
  ['context.channel', 'invalid', 'its value cannot be read'],
  ['applicant.email', 'notRequested', 'not sent to the service'],
  ['applicant.email', 'notGiven', 'not given'],
  ['phone.country', 'invalid', 'cannot be derived from applicant.phoneNo'],
  ['phone.country', 'notGiven', 'cannot be derived, since applicant.phoneNo was not given'],
  ['applicant.emailDomain', 'notRequested', 'cannot be derived, since applicant.email was not sent to the service'],
  ['ip.matchesPhoneCountry', 'invalid', 'cannot be derived from ip.country and phone.country'],
  ['ip.matchesPhoneCountry', 'notReturned', 'cannot be derived, since ip.country or phone.country was not returned'],
  [
    'phone.operator.changed',
    'sourceFailed',
    'cannot be derived, since the source of phone.operator.current or phone.operator.original did not answer',
  ],
  ['phone.country', 'error', 'known, but its test failed'],
  ['context.ratio', 'invalid', 'cannot be derived from context.debts and context.income'],
  ['context.ratio', 'notGiven', 'cannot be derived, since context.debts or context.income was not given'],
  [
    'context.gap',
    'invalid',
    'cannot be derived from email.address.firstSeen and phone.porting.portedDate: one of them is never, or cannot be read',
  ],
] as const)('%s with the cause %s: %s', (path, cause, words) => {
  expect(causeWords(path, cause, policyOf(POLICY).facts)).toBe(words);
});

it('missing facts are listed after their cause, and an unknown cause is kept', () => {
  const words = plain(missingWords({ sourceFailed: ['a', 'b'], other: ['c'] }));
  expect(words).toBe('its source did not answer: a, b; other: c');
  expect(missingWords({})).toEqual([]);
});
