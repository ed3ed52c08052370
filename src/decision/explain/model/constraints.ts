/** Facts derived from other facts -> whether a combination of facts is possible. */

import { CATALOG_TABLE } from '../../../facts/catalog.ts';
import { deriveFact } from '../../../facts/compute.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';
import { readFact } from '../../../facts/fact-reader.ts';
import type { Geodata } from '../../../formats/geo/geodata.ts';
import {
  COMPARISONS,
  COUNTRY,
  compareTexts,
  definitionOf,
  inputsOf,
  VALID,
} from '../../../policy/cells/derivations.ts';

/** A fact by its path; undefined for a fact that no rule reads, which may have any value. */
export type LookUp = (path: string) => Fact | undefined;

/** Holds between a derived fact and its inputs. The applicant's own identity variables may be any that satisfy it. */
export interface Constraint {
  readonly facts: readonly string[];
  /** Facts of it that are compared for equality. */
  readonly compared: readonly string[];
  /**
   * Facts with only a few samples, such as one location a country. Where a rule reads one of
   * them, all samples may violate the constraint though other values would not.
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
  // The applicant's own variables may be any from which the derived fact follows.
  ...DERIVED.filter(({ inputs }) => !inputs.some(isOwn)).map((derived) => constraintOf(derived, geodata)),
];

/** A derived fact is what follows from its inputs; one that no rule reads may follow from its own inputs. */
function constraintOf({ path, inputs }: (typeof DERIVED)[number], geodata: Geodata | undefined): Constraint {
  const behind = [...new Set(inputs.flatMap((input) => [...inputsOf(input).filter((each) => !isOwn(each))]))];
  const isComparison = COMPARISONS.includes(path);
  return {
    facts: [...inputs, path, ...(inputs.includes(COUNTRY) ? [VALID] : []), ...behind],
    compared: isComparison ? inputs : [],
    sampled: [...inputs, ...behind].filter((each) => CATALOG_TABLE.get(each)?.type === 'number'),
    allows: (factOf) => {
      const fact = factOf(path);
      if (!fact) return true;
      const derived = isComparison ? compared(path, inputs, factOf, geodata) : derive(path, factOf, geodata);
      if (!derived) return true;
      return isMissing(fact) || isMissing(derived)
        ? isMissing(fact) && isMissing(derived)
        : fact.value === derived.value;
    },
  };
}

/** What a comparison gives for facts, or for what they are derived from; undefined if it may still be either. */
function compared(
  path: string,
  inputs: readonly string[],
  factOf: LookUp,
  geodata: Geodata | undefined,
): Fact | undefined {
  const facts = inputs.map((input) => factOf(input) ?? unread(input, factOf, geodata));
  const missing = facts.find((fact) => fact && isMissing(fact));
  const [one, other] = facts;
  if (missing || !one || !other || isMissing(one) || isMissing(other)) return missing;
  return compareTexts(path, one.value === other.value, geodata);
}

/** A fact that no rule reads; undefined if it can still be any. */
function unread(path: string, factOf: LookUp, geodata: Geodata | undefined): Fact | undefined {
  const valid = path === COUNTRY ? factOf(VALID) : undefined;
  if (valid && !isTrue(valid)) return { missing: 'invalid' };
  return inputsOf(path).some(isOwn) ? undefined : derive(path, factOf, geodata);
}

/** What is derived from the inputs of a fact; undefined if they can still be any. */
function derive(path: string, factOf: LookUp, geodata: Geodata | undefined): Fact | undefined {
  const inputs = inputsOf(path).map((input) => [input, factOf(input)] as const);
  for (const [, fact] of inputs) if (fact && isMissing(fact)) return fact;
  const knownInputs = inputs.flatMap(([input, fact]) => (fact ? [[input, fact] as const] : []));
  if (knownInputs.length === 0 || knownInputs.length < inputs.length || !geodata) return undefined;
  const definition = definitionOf(path);
  // What is derived is the same on every day.
  return readFact(definition, deriveFact(path, definition, new Map(knownInputs), geodata), '2000-01-01');
}

/** Whether a fact is one of the applicant's own identity variables. */
function isOwn(path: string): boolean {
  return CATALOG_TABLE.get(path)?.origin === 'applicant';
}

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
