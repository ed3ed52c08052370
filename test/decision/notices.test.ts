/** Which notices of a decision an applicant is shown, and in which language. */

import { describe, expect, it } from 'vitest';
import type { Reason } from '../../src/decision/meaning/verdict.ts';
import { noticesOf } from '../../src/decision/notices.ts';
import type { Notice } from '../../src/policy/language.ts';

function reasonOf(notice: Notice | undefined, decisive = true): Reason {
  const about = { because: 'default', code: 'DEFAULT', outcome: 'review', decisive } as const;
  return notice === undefined ? about : { ...about, notice };
}

const textsIn = (language: string, ...notices: Notice[]) =>
  noticesOf({ reasons: notices.map((notice) => reasonOf(notice)) }, language).map(({ text }) => text);

describe('noticesOf', () => {
  it.each([
    ['de-AT', 'Oida'],
    ['DE-at', 'Oida'],
    ['de-CH', 'Hallo'],
    ['de-CH-1996-x-bank', 'Hallo'],
    ['de-AT-u-co-phonebk', 'Oida'],
    ['de', 'Hallo'],
    ['fr-CA', 'Hello'],
  ])('in %s finds the notice of that language, else of a shorter tag, else the English one: %s', (language, text) => {
    expect(textsIn(language, { 'de-at': 'Oida', de: 'Hallo', en: 'Hello', az: 'Salam' })).toEqual([text]);
  });

  it('refuses a language tag that is longer than any in use, in no time', () => {
    const notice = { de: 'Hallo', en: 'Hello' };
    expect(textsIn(`en-x${'-a'.repeat(48)}`, notice)).toEqual(['Hello']);
    expect(() => textsIn(`en-x${'-a'.repeat(50_000)}`, notice)).toThrow(/at most 100 characters/);
  });

  it('falls back to the first language in alphabetical order where there is no English', () => {
    expect(textsIn('it', { nl: 'Hoi', da: 'Hej' })).toEqual(['Hej']);
    expect(textsIn('de', { 'de-AT': 'Oida', 'en-GB': 'Hello' })).toEqual(['Oida']);
  });

  it('gives a single text in any language, each text once, in the order of the reasons', () => {
    expect(textsIn('de', 'One', { de: 'Zwei' }, 'One')).toEqual(['One', 'Zwei']);
    const reasons = [reasonOf('One'), reasonOf({ 'de-AT': 'Zwei' })];
    expect(noticesOf({ reasons }, 'de-AT')).toEqual([
      { code: 'DEFAULT', text: 'One', language: undefined },
      { code: 'DEFAULT', text: 'Zwei', language: 'de-AT' },
    ]);
  });

  it('leaves out reasons that are not decisive or have no notice', () => {
    expect(noticesOf({ reasons: [reasonOf('Other', false), reasonOf(undefined)] }, 'en')).toEqual([]);
  });

  it('refuses a malformed language, and what is no decision', () => {
    const refused = expect.objectContaining({ code: 'REQUEST_INVALID' });
    for (const wrong of ['de_AT', '', 'de,en;q=0.8', undefined as never]) {
      expect(() => noticesOf({ reasons: [] }, wrong)).toThrow(refused);
    }
    expect(() => noticesOf({} as never, 'en')).toThrow(refused);
  });
});
