/** Facts -> the facts computed from them: derived facts of the catalog, and those that a policy computes. */

import { cached } from '../platform/cached.ts';
import { officialCode } from '../platform/formats/country.ts';
import type { Geodata, NumberingPlan } from '../platform/formats/geo/geodata.ts';
import { trimWhiteSpace } from '../text.ts';
import type { Computation, FactDefinition, FactTable, FactType, Operand } from './catalog.ts';
import { daysBetween } from './day.ts';
import { exactProduct, exactRatio, exactSum } from './decimal.ts';
import {
  type Fact,
  type Facts,
  type FactValue,
  type GivenFact,
  isMissing,
  NEVER,
  type PresentFact,
  shownValue,
} from './fact.ts';

/** All inputs are present, in the order of the definition's `inputs`. */
type Derivation = (geodata: Geodata | undefined, ...inputs: PresentFact[]) => GivenFact;

/** The computation of each derived fact of the catalog, by path. */
export const DERIVATIONS: ReadonlyMap<string, Derivation> = new Map<string, Derivation>([
  ['applicant.emailDomain', (_, email) => toGivenFact(domainOf(textOf(email)))],
  ['applicant.mailbox', (_, email) => toGivenFact(email?.value)],
  ['phone.country', lookUp((geodata, phoneNo) => toGivenFact(officialCode(planOf(geodata, phoneNo)?.country)))],
  ['phone.valid', lookUp((geodata, phoneNo) => ({ value: planOf(geodata, phoneNo) !== undefined }))],
  ['phone.operator.changed', (_, current, original) => ({ value: current?.value !== original?.value })],
  [
    'ip.country',
    lookUp((geodata, latitude, longitude) =>
      toGivenFact(officialCode(geodata.countryAt(Number(latitude?.value), Number(longitude?.value)))),
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

/** The value, or `invalid` if the inputs have no result. */
function toGivenFact(value: FactValue | undefined): GivenFact {
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

const NUMBERS: readonly FactType[] = ['number', 'integer'];
const DATES: readonly FactType[] = ['date'];

interface ComputationRow {
  /** The types of facts that may be operands. Where numbers are allowed, so are literals. */
  readonly types: readonly FactType[];
  /** The least and the greatest number of operands. */
  readonly operands: readonly [least: number, most: number];
  /** One step from left to right. For dates, undefined if one is `never`. */
  step(one: FactValue, other: FactValue): number | undefined;
}

const MANY = [2, 100] as const;
const TWO = [2, 2] as const;

const ofNumbers = (
  operands: ComputationRow['operands'],
  step: (one: number, other: number) => number,
): ComputationRow => ({ types: NUMBERS, operands, step: (one, other) => step(Number(one), Number(other)) });

/** What can be computed, from left to right. INVARIANT: where an operand rises, no step both rises and falls. */
export const COMPUTATIONS = {
  sum: ofNumbers(MANY, exactSum),
  product: ofNumbers(MANY, exactProduct),
  minimum: ofNumbers(MANY, Math.min),
  maximum: ofNumbers(MANY, Math.max),
  difference: ofNumbers(TWO, (one, other) => exactSum(one, -other)),
  ratio: ofNumbers(TWO, exactRatio),
  daysBetween: {
    types: DATES,
    operands: TWO,
    step: (from, to) => (from === NEVER || to === NEVER ? undefined : daysBetween(String(from), String(to))),
  },
} satisfies Readonly<Record<Computation['name'], ComputationRow>>;

/** The names of the computations. */
export const COMPUTATION_NAMES = Object.keys(COMPUTATIONS) as readonly Computation['name'][];

/** The facts among operands, each once. */
export function factsAmong(operands: readonly Operand[]): readonly string[] {
  return [...new Set(operands.flatMap((operand) => (typeof operand === 'number' ? [] : [operand.fact])))];
}

/**
 * A computed fact: missing with the cause of the first operand that is missing, else `invalid` where a date is `never`,
 * or where the result is not finite or not a value of its type.
 */
export function computeFact({ type }: FactDefinition, { name, operands }: Computation, facts: Facts): Fact {
  const values: FactValue[] = [];
  for (const operand of operands) {
    const fact = typeof operand === 'number' ? { value: operand } : (facts.get(operand.fact) ?? NOT_GIVEN);
    if (isMissing(fact)) return { missing: fact.missing };
    values.push(fact.value);
  }
  const result = values.reduce<FactValue | undefined>((one, other, i) => {
    return one === undefined || i === 0 ? one : COMPUTATIONS[name].step(one, other);
  }, values[0]);
  const isValid = type === 'integer' ? Number.isSafeInteger(result) : Number.isFinite(result);
  // The sum turns -0 into 0.
  return isValid ? { value: Number(result) + 0 } : INVALID;
}

/** Equal for computed facts that always have the same value. */
export function computationKey({ type, range, compute: { name, operands } }: ComputedDefinition): string {
  const isOrderFree = name === 'minimum' || name === 'maximum' || (operands.length === 2 && SYMMETRIC.has(name));
  const texts = operands.map((operand) => JSON.stringify(operand));
  return JSON.stringify([type, range, name, isOrderFree ? texts.toSorted() : texts]);
}

/** The operations in which the order of two operands does not matter; with more, rounding depends on it. */
const SYMMETRIC: ReadonlySet<Computation['name']> = new Set(['sum', 'product'] as const);

const NOT_GIVEN: Fact = Object.freeze({ missing: 'notGiven' });
const INVALID: Fact = Object.freeze({ missing: 'invalid' });

/** Computed facts by path. */
type ComputedFacts = ReadonlyMap<string, ComputedDefinition>;

type ComputedDefinition = FactDefinition & { readonly compute: Computation };

/** The computed facts of a table. */
export const computedIn = cached((table: FactTable): ComputedFacts => {
  const computed = [...table].flatMap(([path, definition]) => {
    const { compute } = definition;
    return compute === undefined ? [] : [[path, { ...definition, compute }] as const];
  });
  return new Map(computed);
});

/** Sets computed facts of a table from their operands: all of them, or those among `paths`. */
export function setComputed(facts: Map<string, Fact>, table: FactTable, paths?: ReadonlySet<string>): void {
  for (const [path, definition] of computedIn(table)) {
    if (paths?.has(path) !== false) facts.set(path, computeFact(definition, definition.compute, facts));
  }
}

/** These facts, each computed one preceded by its operands. */
export function withOperands(paths: Iterable<string>, table: FactTable): Set<string> {
  const computed = computedIn(table);
  return new Set([...paths].flatMap((path) => [...factsAmong(computed.get(path)?.compute.operands ?? []), path]));
}

/** The facts to give for these facts: each computed one is replaced by its operands. */
export function givenFacts(paths: Iterable<string>, table: FactTable): Set<string> {
  const computed = computedIn(table);
  return new Set([...withOperands(paths, table)].filter((path) => !computed.has(path)));
}

/** `the ratio of context.creditLimit and context.income`. */
export function computationWords({ name, operands }: Computation): string {
  const words = operands.map((operand) => (typeof operand === 'number' ? String(operand) : operand.fact));
  const what = name === 'daysBetween' ? 'days' : name;
  const join = name === 'daysBetween' ? `from ${words.join(' to ')}` : `of ${words.join(', ')}`;
  return `the ${what} ${join}`;
}
