/** What is read without Node and without large tables, so that a browser can: it is read as those would read it. */

import { createRequire } from 'node:module';
import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCountry } from '../../../src/platform/formats/country.ts';
import { asciiForm } from '../../../src/platform/formats/domain.ts';
import { sampled } from '../../support/sampled.ts';

const coder: typeof import('@rapideditor/country-coder') = createRequire(import.meta.url)('@rapideditor/country-coder');

/** The codes of a country, as country-coder has them. */
type Country = Partial<Record<'iso1A2' | 'iso1A3' | 'iso1N3' | 'isoStatus', string>>;

/** Labels as UTS 46 encodes them, and labels that are not quite so. */
const encoded = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }), fc.constantFrom('', 'a', '-', '9'), fc.nat(8))
  .map(([label, more, at]) => {
    const ascii = domainToASCII(label);
    return ascii.slice(0, 4 + at) + more + ascii.slice(4 + at);
  });
const made = fc.stringMatching(/^xn--[a-z0-9]{1,4}-?[a-z0-9]{0,4}$/);

test('an encoded domain is one by Node too', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(encoded, made), (label) => {
      const domain = `${label}.example`;
      if (!/^xn--[a-z0-9-]*[a-z0-9]\.example$/.test(domain)) return;
      const unicode = domainToUnicode(domain);
      const isOne = !unicode.includes('xn--') && domainToASCII(unicode) === domain;
      if (isOne) accepted++;
      expect(asciiForm(domain)).toBe(isOne ? domain : undefined);
    }),
    { numRuns: sampled(500, 200_000) },
  );
  expect(accepted).toBeGreaterThan(50);
});

test('the country meant by an alpha-3 or numeric code is the one with that code', () => {
  const features: readonly { readonly properties: Country }[] = coder.borders.features;
  const countries = features.flatMap(({ properties: { iso1A2, iso1A3, iso1N3, isoStatus } }) => {
    return isoStatus === 'official' && iso1A2 ? [{ iso1A2, iso1A3, iso1N3 }] : [];
  });
  expect(countries.length).toBeGreaterThan(240);
  for (const { iso1A2, iso1A3, iso1N3 } of countries) {
    for (const code of [iso1A3, iso1N3]) if (code) expect(findCountry(code), code).toBe(iso1A2);
  }
});
