/** Facts that are derived from others -> whether some facts can all be as they are at once. */

import { CATALOG, type FactDefinition } from '../../../facts/catalog.ts';
import { deriveFact } from '../../../facts/derive.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import { readFact } from '../../../facts/read.ts';

/** A fact by its path; undefined for one that nobody looks at, so that it may be anything. */
export type LookUp = (path: string) => Fact | undefined;

/** What holds between a derived fact and its inputs. The applicant's own phone number, email and IP may be any that fit. */
export interface Constraint {
  readonly facts: readonly string[];
  /** Facts of it that are compared for being the same. */
  readonly alike: readonly string[];
  /** Facts of which, where they are read, a few are tried that may all not fit though others would: a place for each country. */
  readonly sampled: readonly string[];
  fits(look: LookUp): boolean;
}

const LATITUDE = 'ip.location.latitude';
const LONGITUDE = 'ip.location.longitude';

/** The relations of the catalog, derived facts before what is derived from them. */
export const CONSTRAINTS: readonly Constraint[] = [
  {
    facts: ['phone.valid', 'phone.country'],
    alike: [],
    sampled: [],
    fits: (look) => {
      const valid = look('phone.valid');
      const country = look('phone.country');
      // A number that fits a plan may be of no country, one that fits none is of none.
      return !valid || !country || isMissing(country) || isTrue(valid);
    },
  },
  {
    facts: ['phone.operator.current', 'phone.operator.original', 'phone.operator.changed'],
    alike: ['phone.operator.current', 'phone.operator.original'],
    sampled: [],
    fits: (look) =>
      fitsComparison(
        look('phone.operator.changed'),
        [look('phone.operator.current'), look('phone.operator.original')],
        (isSame) => !isSame,
      ),
  },
  {
    facts: [LATITUDE, LONGITUDE, 'ip.country'],
    alike: [],
    sampled: [LATITUDE, LONGITUDE],
    fits: (look) => {
      const country = look('ip.country');
      if (!country) return true;
      const located = locatedCountry(look);
      if (!located) return true;
      return isMissing(country) ? isMissing(located) : !isMissing(located) && located.value === country.value;
    },
  },
  {
    facts: ['ip.matchesPhoneCountry', 'ip.country', 'phone.country', 'phone.valid', LATITUDE, LONGITUDE],
    alike: ['ip.country', 'phone.country'],
    sampled: [LATITUDE, LONGITUDE],
    fits: (look) => {
      const valid = look('phone.valid');
      const unplanned: Fact | undefined = valid && !isTrue(valid) ? { missing: 'invalid' } : undefined;
      const countries = [look('ip.country') ?? locatedCountry(look), look('phone.country') ?? unplanned];
      return fitsComparison(look('ip.matchesPhoneCountry'), countries, (isSame) => isSame);
    },
  },
];

/** The relations between facts that a policy reads, of those that hold now: facts may have been given by themselves. */
export function constraintsAmong(paths: ReadonlySet<string>, facts: Facts): readonly Constraint[] {
  const look = (path: string): Fact | undefined =>
    paths.has(path) ? (facts.get(path) ?? { missing: 'notGiven' }) : undefined;
  return CONSTRAINTS.filter((relation) => {
    const read = relation.facts.filter((path) => paths.has(path));
    return read.length > 1 && relation.fits(look);
  });
}

function isTrue(fact: Fact): boolean {
  return !isMissing(fact) && fact.value === true;
}

function fitsComparison(
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

/** The country of a location; undefined where it can still be any. */
function locatedCountry(look: LookUp): Fact | undefined {
  const [latitude, longitude] = [look(LATITUDE), look(LONGITUDE)];
  for (const part of [latitude, longitude]) if (part && isMissing(part)) return part;
  if (!latitude || !longitude) return undefined;
  const definition: FactDefinition = CATALOG['ip.country'];
  const location: Facts = new Map([
    [LATITUDE, latitude],
    [LONGITUDE, longitude],
  ]);
  // Days are of no account to a country.
  return readFact(definition, deriveFact('ip.country', definition, location), '2000-01-01');
}
