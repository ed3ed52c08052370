/** Facts derived from other facts -> whether a combination of facts is possible. */

import { CATALOG, type FactDefinition } from '../../../facts/catalog.ts';
import { deriveFact } from '../../../facts/derive.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import { readFact } from '../../../facts/fact-reader.ts';
import type { Geodata } from '../../../formats/geo/geodata.ts';

/** A fact by its path; undefined for a fact that no rule reads, which may have any value. */
export type LookUp = (path: string) => Fact | undefined;

/** Holds between a derived fact and its inputs. The applicant's own identity variables may be any that satisfy it. */
export interface Constraint {
  readonly facts: readonly string[];
  /** Facts of it that are compared for equality. */
  readonly compared: readonly string[];
  /**
   * Facts of which only a few samples are tried, such as one location a country. Where a rule reads one of
   * them, all samples may violate the constraint though other values would not.
   */
  readonly sampled: readonly string[];
  allows(factOf: LookUp): boolean;
}

const LATITUDE = 'ip.location.latitude';
const LONGITUDE = 'ip.location.longitude';

/** The constraints of the catalog, each derived fact before the facts derived from it. */
export const constraintsOf = (geodata: Geodata | undefined): readonly Constraint[] => [
  {
    facts: ['phone.valid', 'phone.country'],
    compared: [],
    sampled: [],
    allows: (factOf) => {
      const valid = factOf('phone.valid');
      const country = factOf('phone.country');
      // A valid number may belong to no country, such as +800 freephone numbers; an invalid number belongs to none.
      return !valid || !country || isMissing(country) || isTrue(valid);
    },
  },
  {
    facts: ['phone.operator.current', 'phone.operator.original', 'phone.operator.changed'],
    compared: ['phone.operator.current', 'phone.operator.original'],
    sampled: [],
    allows: (factOf) =>
      isComparisonOf(
        factOf('phone.operator.changed'),
        [factOf('phone.operator.current'), factOf('phone.operator.original')],
        (isSame) => !isSame,
      ),
  },
  {
    facts: [LATITUDE, LONGITUDE, 'ip.country'],
    compared: [],
    sampled: [LATITUDE, LONGITUDE],
    allows: (factOf) => {
      const country = factOf('ip.country');
      if (!country) return true;
      const located = locatedCountry(factOf, geodata);
      if (!located) return true;
      return isMissing(country) ? isMissing(located) : !isMissing(located) && located.value === country.value;
    },
  },
  {
    facts: ['ip.matchesPhoneCountry', 'ip.country', 'phone.country', 'phone.valid', LATITUDE, LONGITUDE],
    compared: ['ip.country', 'phone.country'],
    sampled: [LATITUDE, LONGITUDE],
    allows: (factOf) => {
      const valid = factOf('phone.valid');
      const unplanned: Fact | undefined = valid && !isTrue(valid) ? { missing: 'invalid' } : undefined;
      const countries = [factOf('ip.country') ?? locatedCountry(factOf, geodata), factOf('phone.country') ?? unplanned];
      return isComparisonOf(factOf('ip.matchesPhoneCountry'), countries, (isSame) => isSame);
    },
  },
];

/** The constraints between read facts that hold now: a caller may supply derived facts that violate one. */
export function constraintsAmong(
  paths: ReadonlySet<string>,
  facts: Facts,
  geodata: Geodata | undefined,
): readonly Constraint[] {
  const factOf = (path: string): Fact | undefined =>
    paths.has(path) ? (facts.get(path) ?? { missing: 'notGiven' }) : undefined;
  return constraintsOf(geodata).filter((constraint) => {
    const read = constraint.facts.filter((path) => paths.has(path));
    return read.length > 1 && constraint.allows(factOf);
  });
}

function isTrue(fact: Fact): boolean {
  return !isMissing(fact) && fact.value === true;
}

function isComparisonOf(
  result: Fact | undefined,
  inputs: readonly (Fact | undefined)[],
  expected: (isSame: boolean) => boolean,
): boolean {
  if (!result) return true;
  if (inputs.some((input) => input && isMissing(input))) return isMissing(result);
  const [one, other] = inputs;
  if (!one || !other) return true;
  return (
    !isMissing(result) && !isMissing(one) && !isMissing(other) && result.value === expected(one.value === other.value)
  );
}

/** The country of the location; undefined where it can still be any. */
function locatedCountry(factOf: LookUp, geodata: Geodata | undefined): Fact | undefined {
  const [latitude, longitude] = [factOf(LATITUDE), factOf(LONGITUDE)];
  for (const part of [latitude, longitude]) if (part && isMissing(part)) return part;
  if (!latitude || !longitude || !geodata) return undefined;
  const definition: FactDefinition = CATALOG['ip.country'];
  const location: Facts = new Map([
    [LATITUDE, latitude],
    [LONGITUDE, longitude],
  ]);
  // A country is read the same on every day.
  return readFact(definition, deriveFact('ip.country', definition, location, geodata), '2000-01-01');
}
