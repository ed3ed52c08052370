/** Present facts -> the facts computed from them: countries, validity, comparisons. */

import { createRequire } from 'node:module';
import { parsePhoneNumber } from '../signals/phone-number.ts';
import { trimWhiteSpace } from '../text.ts';
import type { FactDefinition } from './catalog.ts';
import { type Facts, type FactValue, type GivenFact, isMissing, type PresentFact, shownValue } from './fact.ts';

// It takes 65 ms to load, so it is loaded with the first location; by `require`, because facts are read synchronously.
const require = createRequire(import.meta.url);
let countryCoder: typeof import('@rapideditor/country-coder') | undefined;

/** Its arguments are the inputs, all present, in the order of the definition's `inputs`. */
type Derivation = (...inputs: PresentFact[]) => GivenFact;

/** The computation of each derived fact of the catalog, by path. */
export const DERIVATIONS: ReadonlyMap<string, Derivation> = new Map<string, Derivation>([
  ['applicant.emailDomain', (email) => present(domainOf(textOf(email)))],
  ['phone.country', (phoneNo) => present(planOf(textOf(phoneNo))?.country)],
  ['phone.valid', (phoneNo) => ({ value: planOf(textOf(phoneNo)) !== undefined })],
  ['phone.operator.changed', (current, original) => ({ value: current?.value !== original?.value })],
  ['ip.country', (latitude, longitude) => present(countryAt(Number(latitude?.value), Number(longitude?.value)))],
  ['ip.matchesPhoneCountry', (ip, phone) => ({ value: ip?.value === phone?.value })],
]);

/** A derived fact. If an input is missing, the fact is missing with the cause of the first missing input. */
export function deriveFact(path: string, { inputs = [] }: FactDefinition, facts: Facts): GivenFact {
  const values: PresentFact[] = [];
  for (const input of inputs) {
    const fact = facts.get(input) ?? { missing: 'notGiven' };
    if (isMissing(fact)) return { missing: fact.missing };
    values.push(fact);
  }
  return DERIVATIONS.get(path)?.(...values) ?? { missing: 'notGiven' };
}

/** The value, or `invalid` if the inputs give none. */
function present(value: FactValue | undefined): GivenFact {
  return value === undefined ? { missing: 'invalid' } : { value };
}

function textOf(fact: PresentFact | undefined): string {
  return fact === undefined ? '' : trimWhiteSpace(String(shownValue(fact)));
}

function domainOf(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  return at < 0 || at === email.length - 1 ? undefined : email.slice(at + 1);
}

/** The plan of the latest number: two facts are derived from it, twice in one decision. */
let lastPlan: { readonly phoneNo: string; readonly plan: Plan | undefined } | undefined;

/** A numbering plan; numbers such as +800 belong to no country. */
interface Plan {
  readonly country: string | undefined;
}

/** The numbering plan that a number fits; undefined if it fits none. */
function planOf(phoneNo: string): Plan | undefined {
  if (lastPlan?.phoneNo === phoneNo) return lastPlan.plan;
  const international = phoneNo.startsWith('+') ? phoneNo : `+${phoneNo}`;
  const number = parsePhoneNumber(international);
  const plan = number?.isValid() ? { country: officialCode(number.country) } : undefined;
  lastPlan = { phoneNo, plan };
  return plan;
}

/** Undefined on the open sea and where no country is coded. */
function countryAt(latitude: number, longitude: number): string | undefined {
  countryCoder ??= require('@rapideditor/country-coder') as typeof import('@rapideditor/country-coder');
  return officialCode(countryCoder.iso1A2Code([longitude, latitude], { level: 'territory' }) ?? undefined);
}

/**
 * Codes that ISO 3166-1 reserves for parts of a country -> the code of the country. The two libraries use them
 * differently; this makes them agree. Ascension, Tristan da Cunha; Ceuta and Melilla.
 */
const RESERVED_CODES: ReadonlyMap<string, string> = new Map([
  ['AC', 'SH'],
  ['TA', 'SH'],
  ['EA', 'ES'],
]);

function officialCode(code: string | undefined): string | undefined {
  return code === undefined ? undefined : (RESERVED_CODES.get(code) ?? code);
}
