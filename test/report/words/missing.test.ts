/** Why a fact is missing, in words: of a fact that follows from others they name these. */

import { expect, it } from 'vitest';
import { causeList, causeWords } from '../../../src/report/words/missing.ts';

it.each([
  ['phone.score', 'notRequested', 'was not asked for'],
  ['phone.score', 'sourceFailed', 'its source did not answer'],
  ['phone.score', 'invalid', 'its value could not be read'],
  ['context.channel', 'invalid', 'its value could not be read'],
  ['applicant.email', 'notRequested', 'was not asked about'],
  ['applicant.email', 'notGiven', 'was not given'],
  ['phone.country', 'invalid', 'cannot be worked out from applicant.phoneNo'],
  ['phone.country', 'notGiven', 'cannot be worked out, since applicant.phoneNo was not given'],
  ['applicant.emailDomain', 'notRequested', 'cannot be worked out, since applicant.email was not asked about'],
  ['ip.matchesPhoneCountry', 'invalid', 'cannot be worked out from ip.country and phone.country'],
  [
    'ip.matchesPhoneCountry',
    'notReturned',
    'cannot be worked out, since ip.country or phone.country was not in the answer',
  ],
  [
    'phone.operator.changed',
    'sourceFailed',
    'cannot be worked out, since the source of phone.operator.current or phone.operator.original did not answer',
  ],
  ['phone.country', 'error', 'is known, but its test failed'],
] as const)('%s with the cause %s: %s', (path, cause, words) => {
  expect(causeWords(path, cause)).toBe(words);
});

it('causes without their facts are said one after the other, and what is no cause stays what it is', () => {
  expect(causeList(['notReturned', 'sourceFailed', 'other'])).toBe(
    'was not in the answer; its source did not answer; other',
  );
});
