/** Present facts -> the facts computed from them: countries, validity, comparisons. */

import { officialCode } from '../formats/country.ts';
import type { Geodata, NumberingPlan } from '../formats/geo/geodata.ts';
import { trimWhiteSpace } from '../text.ts';
import type { FactDefinition } from './catalog.ts';
import { type Facts, type FactValue, type GivenFact, isMissing, type PresentFact, shownValue } from './fact.ts';

/** The inputs are all present, in the order of the definition's `inputs`. */
type Derivation = (geodata: Geodata | undefined, ...inputs: PresentFact[]) => GivenFact;

/** The computation of each derived fact of the catalog, by path. */
export const DERIVATIONS: ReadonlyMap<string, Derivation> = new Map<string, Derivation>([
  ['applicant.emailDomain', (_, email) => present(domainOf(textOf(email)))],
  ['phone.country', lookUp((geodata, phoneNo) => present(officialCode(planOf(geodata, phoneNo)?.country)))],
  ['phone.valid', lookUp((geodata, phoneNo) => ({ value: planOf(geodata, phoneNo) !== undefined }))],
  ['phone.operator.changed', (_, current, original) => ({ value: current?.value !== original?.value })],
  [
    'ip.country',
    lookUp((geodata, latitude, longitude) =>
      present(officialCode(geodata.countryAt(Number(latitude?.value), Number(longitude?.value)))),
    ),
  ],
  ['ip.matchesPhoneCountry', (_, ip, phone) => ({ value: ip?.value === phone?.value })],
]);

/**
 * A derived fact. If an input is missing, the fact is missing with the cause of the first missing input. Without
 * geodata, a fact that needs them is `unmapped`.
 */
export function deriveFact(
  path: string,
  { inputs = [] }: FactDefinition,
  facts: Facts,
  geodata: Geodata | undefined,
): GivenFact {
  const values: PresentFact[] = [];
  for (const input of inputs) {
    const fact = facts.get(input) ?? { missing: 'notGiven' };
    if (isMissing(fact)) return { missing: fact.missing };
    values.push(fact);
  }
  return DERIVATIONS.get(path)?.(geodata, ...values) ?? { missing: 'notGiven' };
}

function lookUp(look: (geodata: Geodata, ...inputs: PresentFact[]) => GivenFact): Derivation {
  return (geodata, ...inputs) => (geodata ? look(geodata, ...inputs) : { missing: 'unmapped' });
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

function planOf(geodata: Geodata, phoneNo: PresentFact | undefined): NumberingPlan | undefined {
  return phoneNo && geodata.numberingPlan(String(phoneNo.value));
}
