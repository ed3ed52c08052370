/** Phone numbers, as the plans of libphonenumber have them, with and without a national prefix. */

import { createRequire } from 'node:module';
import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, it, test } from 'vitest';
import { withoutNationalPrefix } from '../../../src/platform/formats/format.ts';
import { sampled } from '../../support/sampled.ts';

/** The part of libphonenumber's metadata that is read here, by position: see its METADATA.md. */
interface Metadata {
  readonly country_calling_codes: Readonly<Record<string, readonly string[]>>;
  readonly countries: Readonly<Record<string, readonly unknown[]>>;
}

const [PATTERN, PREFIX, TYPES] = [2, 5, 11];

const plans: Metadata = createRequire(import.meta.url)('libphonenumber-js/metadata.max.json');

const parse = (digits: string) => parsePhoneNumberFromString(`+${digits}`, { extract: false });

/** Valid numbers of each kind in each country, with their calling code, and the prefix of its main country. */
function* validNumbers(): Generator<{ code: string; number: string; prefix: string | undefined }> {
  for (const [code, [main = '', ...others]] of Object.entries(plans.country_calling_codes)) {
    const prefix = plans.countries[main]?.[PREFIX] || undefined;
    for (const country of [main, ...others]) {
      const plan = plans.countries[country] ?? [];
      const kinds = (plan[TYPES] ?? []) as readonly (readonly [pattern?: string] | 0)[];
      const patterns = [plan[PATTERN] as string, ...kinds.map((kind) => (kind === 0 ? undefined : kind[0]))];
      for (const pattern of patterns.filter((each) => each)) {
        const arbitrary = fc.stringMatching(new RegExp(`^(?:${pattern})$`));
        for (const number of fc.sample(arbitrary, sampled(1, 40))) {
          if (parse(code + number)?.isValid()) yield { code, number, prefix: prefix as string | undefined };
        }
      }
    }
  }
}

describe('a national prefix', () => {
  const numbers = [...validNumbers()];

  it('is found in no number that has none', () => {
    const changed = numbers.filter(({ code, number }) => withoutNationalPrefix(code + number) !== code + number);
    expect(numbers.length).toBeGreaterThan(500);
    expect(changed).toEqual([]);
  });

  it('is dropped wherever libphonenumber drops it', () => {
    const kept = numbers.filter(({ code, number, prefix }) => {
      const whole = `${code}${prefix}${number}`;
      if (prefix === undefined || parse(whole)?.number !== `+${code}${number}`) return false;
      // Numbers that begin with the prefix, or with 0, can be called from within the country alone.
      const isAmbiguous = number.startsWith(prefix) || number.startsWith('0');
      return !isAmbiguous && withoutNationalPrefix(whole) !== code + number;
    });
    expect(kept).toEqual([]);
  });

  test.each([
    ['4407400123456', '447400123456'],
    ['44007400123456', '447400123456'],
    ['12025550100', '12025550100'],
    ['112025550100', '12025550100'],
    ['78121234567', '78121234567'],
    ['788121234567', '78121234567'],
    ['5491123456789', '5491123456789'],
    ['54111523456789', '5491123456789'],
    ['540111523456789', '5491123456789'],
    ['550151134567890', '551134567890'],
    ['378886377', '3780549886377'],
    ['3906123456', '3906123456'],
    ['99901', '99901'],
  ])('in %s leaves %s', (digits, left) => {
    expect(withoutNationalPrefix(digits)).toBe(left);
  });
});
