/** The operator table: every test of a fact. To add an operator, add a row. */

import { type FactDefinition, type FactType, LEVELS } from '../facts/catalog.ts';
import { completedYears, dayNumber, daysBetween } from '../facts/day.ts';
import { type FactValue, NEVER } from '../facts/fact.ts';
import type { Format } from '../platform/formats/format.ts';
import { isObject } from '../platform/json.ts';
import {
  ARGUMENT_KINDS,
  type ArgumentKind,
  type Arguments,
  isAmong,
  isInDomains,
  isIpBlock,
  isListed,
  type KindRow,
  YEARS,
  YEARS_OPERATORS,
  type YearsTest,
} from './arguments.ts';

/** The context on which the truth of a test may depend, besides the fact and the argument. */
export interface TestContext {
  readonly type: FactType;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
}

/** One end of a range of values, in the order of their axis. */
export interface RangeEnd {
  /** For ages and years of a date, a number. */
  readonly value: FactValue;
  /** Whether the range begins at the value, or ends there. */
  readonly side: 'begins' | 'ends';
  /** Whether the value belongs to the range. */
  readonly isIn: boolean;
}

/** One operator. */
export interface OperatorRow<Kind extends ArgumentKind> {
  /** The fact types that have it. */
  readonly types: readonly FactType[];
  /** The only format that a fact with this operator may have; any or none if absent. */
  readonly format?: Format;
  readonly argument: Kind;
  /** Whether the argument may be another fact of the same type. */
  readonly againstFact: boolean;
  /** Whether it is true only of the values that the argument names. */
  readonly isNaming: boolean;
  /** The operator that is true of a known value where this one is false, and that it is read as the negation of. */
  readonly negates: 'is' | 'in' | 'inList' | undefined;
  /** The truth of the test for a fact that is known. */
  holds(value: FactValue, argument: Arguments[Kind], context: TestContext): boolean;
  /**
   * The ends of the ranges where the test is true. INVARIANT: along an ordered axis, its truth changes nowhere else.
   */
  ends(argument: Arguments[Kind]): readonly RangeEnd[];
  /** Describes the test for people; `…` marks the place of the argument as written. */
  readonly sentence: string;
  /** Describes a known fact for which the test is false. */
  readonly negation: string;
}

const EVERY: readonly FactType[] = ['number', 'integer', 'level', 'boolean', 'enum', 'string', 'date'];

const PLAIN = { againstFact: false, isNaming: false, negates: undefined };
/** The values that operators with the same kind of argument share. */
const VALUE = { ...PLAIN, types: EVERY, argument: 'value', againstFact: true } as const;
const VALUES = { ...PLAIN, types: EVERY, argument: 'values' } as const;
const TRUTH = { ...PLAIN, argument: 'truth', ends: () => [] } as const;
const LIMIT = { ...PLAIN, types: ['number', 'integer', 'level'], argument: 'limit', againstFact: true } as const;
const TEXT = { ...PLAIN, types: ['string'], argument: 'text', ends: () => [] } as const;
const LIST = { ...TEXT, argument: 'list' } as const;
const DURATION = { ...PLAIN, types: ['date'], argument: 'duration' } as const;
const DAY = { ...PLAIN, types: ['date'], argument: 'day', againstFact: true } as const;

/** The end of a range that begins at a value, or ends there, with the value or without. */
const beginsAt = (value: FactValue): readonly RangeEnd[] => [{ value, side: 'begins', isIn: true }];
const beginsAfter = (value: FactValue): readonly RangeEnd[] => [{ value, side: 'begins', isIn: false }];
const endsAt = (value: FactValue): readonly RangeEnd[] => [{ value, side: 'ends', isIn: true }];
const endsBefore = (value: FactValue): readonly RangeEnd[] => [{ value, side: 'ends', isIn: false }];
/** A range of a single value, and the ranges on both sides of it. */
const only = (value: FactValue) => [...beginsAt(value), ...endsAt(value)];
const allBut = (value: FactValue) => [...endsBefore(value), ...beginsAfter(value)];
/** Blocks are left out: addresses have no order. */
const ofEach = (values: Arguments['values'], toEnds: (value: FactValue) => readonly RangeEnd[]) =>
  values.flatMap((value) => (isIpBlock(value) ? [] : toEnds(value)));

/** The number of a value in its type's order. */
function order(value: FactValue, type: FactType): number {
  return type === 'level' ? (LEVELS as readonly FactValue[]).indexOf(value) : Number(value);
}

/** Days from a date to the day of the decision; for `never` NaN, for which no comparison is true. */
function age(value: FactValue, day: string): number {
  return value === NEVER ? Number.NaN : daysBetween(String(value), day);
}

/** Whether all tests hold of the completed years from a date to the day of the decision; false for `never`. */
function holdsOfYears(value: FactValue, tests: readonly YearsTest[], day: string): boolean {
  if (value === NEVER) return false;
  const years = completedYears(dayNumber(String(value)), dayNumber(day));
  return tests.every(({ operator, argument }) =>
    operatorRow(operator).holds(years, argument, { type: YEARS.type, day }),
  );
}

/** The ends of the ranges of all tests of a number of completed years. */
function endsOfYears(tests: readonly YearsTest[]): readonly RangeEnd[] {
  return tests.flatMap(({ operator, argument }) => operatorRow(operator).ends(argument));
}

function compareDays(value: FactValue, limit: string, holds: (value: string, limit: string) => boolean): boolean {
  return value !== NEVER && limit !== NEVER && holds(String(value), limit);
}

const row = <Kind extends ArgumentKind>(columns: OperatorRow<Kind>): OperatorRow<Kind> => columns;

/** The operators, in the order in which a fact's tests are listed. */
export const OPERATORS = {
  is: row({
    ...{ ...VALUE, sentence: 'is …', negation: 'is not …' },
    isNaming: true,
    ends: only,
    holds: (value, argument) => value === argument,
  }),
  isNot: row({
    ...{ ...VALUE, sentence: 'is not …', negation: 'is …' },
    negates: 'is',
    ends: allBut,
    holds: (value, argument) => value !== argument,
  }),
  in: row({
    ...{ ...VALUES, sentence: 'is one of …', negation: 'is none of …' },
    isNaming: true,
    ends: (values) => ofEach(values, only),
    holds: isAmong,
  }),
  notIn: row({
    ...{ ...VALUES, sentence: 'is none of …', negation: 'is one of …' },
    negates: 'in',
    ends: (values) => ofEach(values, allBut),
    holds: (value, values) => !isAmong(value, values),
  }),
  // Only `known` applies to missing facts too, which `evaluateTest` in decision/meaning/truth.ts handles.
  known: row({
    ...{ ...TRUTH, sentence: 'is known: …', negation: 'is not known: …' },
    types: EVERY,
    holds: (_value, truth) => truth,
  }),
  above: row({
    ...{ ...LIMIT, sentence: 'is above …', negation: 'is at most …' },
    ends: beginsAfter,
    holds: (value, limit, { type }) => order(value, type) > order(limit, type),
  }),
  atLeast: row({
    ...{ ...LIMIT, sentence: 'is at least …', negation: 'is below …' },
    ends: beginsAt,
    holds: (value, limit, { type }) => order(value, type) >= order(limit, type),
  }),
  below: row({
    ...{ ...LIMIT, sentence: 'is below …', negation: 'is at least …' },
    ends: endsBefore,
    holds: (value, limit, { type }) => order(value, type) < order(limit, type),
  }),
  atMost: row({
    ...{ ...LIMIT, sentence: 'is at most …', negation: 'is above …' },
    ends: endsAt,
    holds: (value, limit, { type }) => order(value, type) <= order(limit, type),
  }),
  between: row({
    ...{ ...LIMIT, sentence: 'is between …, both included', negation: 'is not between …' },
    ...{ argument: 'range', againstFact: false },
    ends: ([least, most]) => [...beginsAt(least), ...endsAt(most)],
    holds: (value, [least, most], { type }) =>
      order(value, type) >= order(least, type) && order(value, type) <= order(most, type),
  }),
  startsWith: row({
    ...{ ...TEXT, sentence: 'starts with …', negation: 'does not start with …' },
    holds: (value, text) => String(value).startsWith(text),
  }),
  endsWith: row({
    ...{ ...TEXT, sentence: 'ends with …', negation: 'does not end with …' },
    holds: (value, text) => String(value).endsWith(text),
  }),
  contains: row({
    ...{ ...TEXT, sentence: 'contains …', negation: 'does not contain …' },
    holds: (value, text) => String(value).includes(text),
  }),
  matches: row({
    ...{ ...TEXT, sentence: 'matches …', negation: 'does not match …' },
    argument: 'pattern',
    holds: (value, pattern) => pattern.test(String(value)),
  }),
  inList: row({
    ...{ ...LIST, sentence: 'is in the list …', negation: 'is not in the list …' },
    isNaming: true,
    holds: (value, list, { day }) => isListed(String(value), list, day),
  }),
  notInList: row({
    ...{ ...LIST, sentence: 'is not in the list …', negation: 'is in the list …' },
    negates: 'inList',
    holds: (value, list, { day }) => !isListed(String(value), list, day),
  }),
  inDomainList: row({
    ...{ ...LIST, sentence: 'is in the domain list …', negation: 'is not in the domain list …' },
    format: 'domain',
    holds: (value, list, { day }) => isInDomains(String(value), list, day),
  }),
  withinLast: row({
    ...{ ...DURATION, sentence: 'lies within the last …', negation: 'does not lie within the last …' },
    ends: (days) => [...beginsAt(0), ...endsAt(days)],
    holds: (value, days, { day }) => {
      const ageDays = age(value, day);
      return ageDays >= 0 && ageDays <= days;
    },
  }),
  olderThan: row({
    ...{ ...DURATION, sentence: 'is older than …', negation: 'is not older than …' },
    ends: beginsAfter,
    holds: (value, days, { day }) => age(value, day) > days,
  }),
  before: row({
    ...{ ...DAY, sentence: 'is before …', negation: 'is not before …' },
    ends: endsBefore,
    holds: (value, day) => compareDays(value, day, (one, limit) => one < limit),
  }),
  after: row({
    ...{ ...DAY, sentence: 'is after …', negation: 'is not after …' },
    ends: beginsAfter,
    holds: (value, day) => compareDays(value, day, (one, limit) => one > limit),
  }),
  never: row({
    ...{ ...TRUTH, sentence: 'never happened: …', negation: 'has happened: …' },
    types: ['date'],
    holds: (value, truth) => (value === NEVER) === truth,
  }),
  yearsSince: row({
    ...{ ...PLAIN, types: ['date'], argument: 'years' },
    sentence: 'lies … completed years back',
    negation: 'does not lie … completed years back',
    ends: endsOfYears,
    holds: (value, tests, { day }) => holdsOfYears(value, tests, day),
  }),
} as const satisfies Record<string, { [Kind in ArgumentKind]: OperatorRow<Kind> }[ArgumentKind]>;

/** The name of an operator. */
export type OperatorName = keyof typeof OPERATORS;

/** The operators with a kind of argument. */
export type OperatorOf<Kind extends ArgumentKind> = {
  [Name in OperatorName]: (typeof OPERATORS)[Name]['argument'] extends Kind ? Name : never;
}[OperatorName];

/** The names of all operators, in the table's order. */
export const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly OperatorName[];

/** Whether a text names an operator. */
export function isOperator(name: string): name is OperatorName {
  return Object.hasOwn(OPERATORS, name);
}

/** How the tests of `yearsSince` say how many years. */
const YEARS_WORDS: Readonly<Record<YearsTest['operator'], string>> = {
  ...{ is: 'exactly', in: 'exactly', isNot: 'any number but', notIn: 'any number but', between: 'between' },
  ...{ above: 'more than', atLeast: 'at least', below: 'less than', atMost: 'at most' },
};

/** The tests of `yearsSince`, as written, in words: `less than 18 and any number but 3`; undefined for others. */
export function yearsWords(expected: unknown, show: (argument: unknown) => string): string | undefined {
  if (!isObject(expected)) return undefined;
  const tests = YEARS_OPERATORS.filter((name) => Object.hasOwn(expected, name));
  if (tests.length === 0) return undefined;
  const words = (name: YearsTest['operator']) => {
    const years = expected[name];
    return Array.isArray(years) ? years.map(show).join(name === 'between' ? ' and ' : ' or ') : show(years);
  };
  return tests.map((name) => `${YEARS_WORDS[name]} ${words(name)}`).join(' and ');
}

/** A test as written, or its negation, without its fact: `is above 10`, `is at most 10`. */
export function describeTest({ operator, expected, other }: AskedTest, isNegated = false): string {
  const { sentence, negation } = operatorRow(operator);
  const words = isNegated ? negation : sentence;
  return words.replace('…', () => other ?? yearsWords(expected, show) ?? show(expected));
}

/** A test as YAML: `above: 10`. */
export function writeTest({ operator, expected }: AskedTest): string {
  return `${operator}: ${show(expected)}`;
}

interface AskedTest {
  readonly operator: OperatorName;
  readonly expected: unknown;
  readonly other?: string | undefined;
}

function show(expected: unknown): string {
  return typeof expected === 'string' ? expected : JSON.stringify(expected);
}

/** What the tests of an operator ask for. */
export function askedOf(operator: OperatorName): KindRow['asksFor'] {
  return ARGUMENT_KINDS[operatorRow(operator).argument].asksFor;
}

/** The axis of an operator's tests. */
export function axisOf(operator: OperatorName): KindRow['axis'] {
  return ARGUMENT_KINDS[operatorRow(operator).argument].axis;
}

/** The operator that a test of this one is read as, or as the negation of. */
export function positiveOf(operator: OperatorName): OperatorName {
  return operatorRow(operator).negates ?? operator;
}

/** A row of the table, without the kind of its argument in its type. */
export function operatorRow(name: OperatorName): OperatorRow<ArgumentKind> {
  // INVARIANT: an argument reaches `holds` only as the parser made it for the row's own kind.
  return OPERATORS[name] as OperatorRow<ArgumentKind>;
}

/** The operators that a fact has, by its type and its format. */
export function operatorsOf({ type, format }: Pick<FactDefinition, 'type' | 'format'>): readonly OperatorName[] {
  return OPERATOR_NAMES.filter((name) => {
    const row = operatorRow(name);
    return row.types.includes(type) && (row.format === undefined || format === undefined || row.format === format);
  });
}
