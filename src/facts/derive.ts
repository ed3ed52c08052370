/** Present facts -> the facts computed from them: countries, validity, comparisons. */

import { numberingPlan } from '../formats/numbering-plan.ts';
import { countryAt, officialCode } from '../formats/territories.ts';
import { trimWhiteSpace } from '../text.ts';
import type { FactDefinition } from './catalog.ts';
import { type Facts, type FactValue, type GivenFact, isMissing, type PresentFact, shownValue } from './fact.ts';

/** Its arguments are the inputs, all present, in the order of the definition's `inputs`. */
type Derivation = (...inputs: PresentFact[]) => GivenFact;

/** The computation of each derived fact of the catalog, by path. */
export const DERIVATIONS: ReadonlyMap<string, Derivation> = new Map<string, Derivation>([
  ['applicant.emailDomain', (email) => present(domainOf(textOf(email)))],
  ['phone.country', (phoneNo) => present(officialCode(planOf(phoneNo)?.country))],
  ['phone.valid', (phoneNo) => ({ value: planOf(phoneNo) !== undefined })],
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

function planOf(phoneNo: PresentFact | undefined): ReturnType<typeof numberingPlan> {
  return phoneNo === undefined ? undefined : numberingPlan(String(phoneNo.value));
}
