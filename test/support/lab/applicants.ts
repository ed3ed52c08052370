/** Facts of random applicants -> the same as an applicant can have them: derived facts follow from their inputs. */

import type { FactTable } from '../../../src/facts/catalog.ts';
import { setComputed } from '../../../src/facts/compute.ts';
import { deriveFact } from '../../../src/facts/derive.ts';
import { type Fact, type Facts, isMissing } from '../../../src/facts/fact.ts';
import { readFact } from '../../../src/facts/fact-reader.ts';
import { WORLD } from '../../../src/formats/geo/world.ts';

/** A derived fact keeps its value where one of its inputs is missing, as in a log without facts of the person. */
export function asDerived(facts: Facts, table: FactTable, day: string): Map<string, Fact> {
  const found = new Map(facts);
  const isKnown = (path: string) => !isMissing(found.get(path) ?? { missing: 'notGiven' });
  for (const [path, definition] of table) {
    const { origin, inputs = [], compute } = definition;
    if (origin !== 'derived' || compute || !inputs.every(isKnown)) continue;
    found.set(path, readFact(definition, deriveFact(path, definition, found, WORLD), day));
  }
  // An invalid number has no country, and none of another number.
  const valid = found.get('phone.valid');
  const isNowhere = isKnown('applicant.phoneNo') && !isKnown('phone.country');
  if (isNowhere || (valid && 'value' in valid && valid.value === false)) {
    for (const path of ['phone.country', 'ip.matchesPhoneCountry']) {
      if (found.has(path)) found.set(path, { missing: 'invalid' });
    }
  }
  setComputed(found, table);
  return found;
}
