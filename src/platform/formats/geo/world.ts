/** A phone number -> its numbering plan; a location -> its country: by the tables of two packages. */

import type * as CountryCoder from '@rapideditor/country-coder';
import type * as PhoneNumbers from 'libphonenumber-js/max';
import type { CountryCode } from 'libphonenumber-js/max';
import { lazy, require } from '../../lazy.ts';
import { officialCode } from '../country.ts';
import type { Geodata, NumberingPlan } from './geodata.ts';

const examples = lazy(() => require<Readonly<Record<string, string>>>('libphonenumber-js/examples.mobile.json'));
const plans = lazy(() => require<typeof PhoneNumbers>('libphonenumber-js/max'));

/** The latest number: two facts are derived from each. */
let last: { readonly digits: string; readonly plan: NumberingPlan | undefined } | undefined;

/** Undefined if no numbering plan has the number. */
function numberingPlan(digits: string): NumberingPlan | undefined {
  if (last?.digits === digits) return last.plan;
  // Without `extract: false` the library searches the text for a number.
  const number = plans().parsePhoneNumberFromString(`+${digits}`, { extract: false });
  last = { digits, plan: number?.isValid() ? { country: number.country } : undefined };
  return last.plan;
}

/** Numbers, as E.164 digits: one of each country, one of no country and one that no plan has. */
export function exampleNumbers(): readonly string[] {
  const { getCountryCallingCode } = plans();
  const national = Object.entries(examples());
  const digits = national.map(([country, number]) => `${getCountryCallingCode(country as CountryCode)}${number}`);
  // Universal freephone numbers (ITU-T E.169.1) belong to no country; no country has the code 999.
  return [...digits, '80012345678', '9991234567'];
}

/** The countries with a calling code that begins with these digits, or that they begin with. */
function countriesOfPrefix(digits: string): readonly string[] {
  const { getCountries, getCountryCallingCode } = plans();
  const agrees = (code: string) => code.startsWith(digits) || digits.startsWith(code);
  const countries = getCountries().filter((country) => agrees(getCountryCallingCode(country)));
  return [...new Set(countries.flatMap((country) => officialCode(country) ?? []))];
}

/** The package with the borders. */
export const coder = lazy(() => require<typeof CountryCoder>('@rapideditor/country-coder'));

/** Undefined on the open sea and where no country is coded. */
export function countryAt(latitude: number, longitude: number): string | undefined {
  return coder().iso1A2Code([longitude, latitude], { level: 'territory' }) ?? undefined;
}

/** Loads both packages. Throws CONFIGURATION_INVALID if one cannot be loaded. */
export function loadWorld(): void {
  plans();
  coder();
}

/** The tables of this package: libphonenumber's numbering plans, country-coder's borders. Loaded on first use. */
export const WORLD: Geodata = { numberingPlan, countriesOfPrefix, countryAt };
