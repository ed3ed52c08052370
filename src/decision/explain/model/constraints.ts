/** Facts derived from other facts -> whether a combination of facts is possible. */

import { CATALOG_TABLE, isOfApplicant } from '../../../facts/catalog.ts';
import { deriveFact } from '../../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import { readFact } from '../../../facts/fact-reader.ts';
import type { Geodata } from '../../../platform/formats/geo/geodata.ts';
import {
  COMPARISONS,
  COUNTRY,
  compareTexts,
  definitionOf,
  inputsOf,
  VALID,
} from '../../../policy/cells/derivations.ts';

/** Looks up a fact by its path; undefined for a fact that no rule reads, which may have any value. */
export type LookUp = (path: string) => Fact | undefined;

/** A relation of a derived fact and its inputs. Any identity variables of the applicant that satisfy it may be used. */
export interface Constraint {
  readonly facts: readonly string[];
  /** The facts in it that are compared for equality. */
  readonly compared: readonly string[];
  /**
   * Facts with only a few samples, such as one location for each country. If a rule reads one of them, all samples may
   * violate the constraint although other values would not.
   */
  readonly sampled: readonly string[];
  allows(factOf: LookUp): boolean;
}

const DERIVED = [...CATALOG_TABLE].flatMap(([path, definition]) =>
  definition.origin === 'derived' ? { path, definition, inputs: inputsOf(path) } : [],
);

/** The constraints of the catalog, each derived fact before the facts derived from it. */
export const constraintsOf = (geodata: Geodata | undefined): readonly Constraint[] => [
  {
    facts: [VALID, COUNTRY],
    compared: [],
    sampled: [],
    allows: (factOf) => {
      const valid = factOf(VALID);
      const country = factOf(COUNTRY);
      // A valid number may belong to no country, such as +800 freephone numbers; an invalid number belongs to none.
      return !valid || !country || isMissing(country) || isTrue(valid);
    },
  },
  // Facts derived from the applicant's own variables are free, since the variables may be any that fit.
  ...DERIVED.filter(({ inputs }) => !inputs.some(isOfApplicant)).map((derived) => constraintOf(derived, geodata)),
];

/** The constraint that a derived fact follows from its inputs; an input that no rule reads is derived likewise. */
function constraintOf({ path, inputs }: (typeof DERIVED)[number], geodata: Geodata | undefined): Constraint {
  const behind = [...new Set(inputs.flatMap((input) => [...inputsOf(input).filter((each) => !isOfApplicant(each))]))];
  const isComparison = COMPARISONS.includes(path);
  return {
    facts: [...inputs, path, ...(inputs.includes(COUNTRY) ? [VALID] : []), ...behind],
    compared: isComparison ? inputs : [],
    sampled: [...inputs, ...behind].filter((each) => CATALOG_TABLE.get(each)?.type === 'number'),
    allows: (factOf) => {
      const fact = factOf(path);
      if (!fact) return true;
      const derived = isComparison ? compare(path, inputs, factOf, geodata) : derive(path, factOf, geodata);
      if (!derived) return true;
      return isMissing(fact) || isMissing(derived)
        ? isMissing(fact) && isMissing(derived)
        : fact.value === derived.value;
    },
  };
}

/** The result of comparing facts, or facts that they are derived from; undefined if it may still be either. */
function compare(
  path: string,
  inputs: readonly string[],
  factOf: LookUp,
  geodata: Geodata | undefined,
): Fact | undefined {
  const facts = inputs.map((input) => factOf(input) ?? findUnread(input, factOf, geodata));
  const missing = facts.find((fact) => fact && isMissing(fact));
  const [one, other] = facts;
  if (missing || !one || !other || isMissing(one) || isMissing(other)) return missing;
  return compareTexts(path, one.value === other.value, geodata);
}

/** A fact that no rule reads; undefined if it can still have any value. */
function findUnread(path: string, factOf: LookUp, geodata: Geodata | undefined): Fact | undefined {
  const valid = path === COUNTRY ? factOf(VALID) : undefined;
  if (valid && !isTrue(valid)) return { missing: 'invalid' };
  return inputsOf(path).some(isOfApplicant) ? undefined : derive(path, factOf, geodata);
}

/** The fact that follows from its inputs; undefined if they can still have any value. */
function derive(path: string, factOf: LookUp, geodata: Geodata | undefined): Fact | undefined {
  const inputs = inputsOf(path).map((input) => [input, factOf(input)] as const);
  for (const [, fact] of inputs) if (fact && isMissing(fact)) return fact;
  const knownInputs = inputs.flatMap(([input, fact]) => (fact ? [[input, fact] as const] : []));
  if (knownInputs.length === 0 || knownInputs.length < inputs.length || !geodata) return undefined;
  const definition = definitionOf(path);
  // The derived value is the same on every day.
  return readFact(definition, deriveFact(path, definition, new Map(knownInputs), geodata), '2000-01-01');
}

/** The constraints between read facts that hold at present: a caller may supply derived facts that violate one. */
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
