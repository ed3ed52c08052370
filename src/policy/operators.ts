/** The operator table: everything that can be asked of a fact. Adding an operator is adding a row. */

import { type FactDefinition, type FactType, LEVELS } from '../facts/catalog.ts';
import { completedYears, dayNumber, daysBetween } from '../facts/day.ts';
import { type FactValue, NEVER } from '../facts/fact.ts';
import type { Format } from '../formats/format.ts';
import type { IpBlock } from '../formats/ip.ts';
import { type IpBlocks, isInBlock } from './ip-blocks.ts';

/** A regular expression in RE2 syntax, which takes time linear in the text. */
export interface Pattern {
  readonly source: string;
  /** Whether it matches anywhere in a folded text, without regard to case. */
  test(text: string): boolean;
}

/** A list of a policy, with its texts in the form of the facts that are looked up in it. */
export interface NamedList {
  readonly name: string;
  /** The texts in their one form, each with the last day on which it counts, or undefined if it always counts. */
  readonly entries: ReadonlyMap<string, string | undefined>;
  /** The length of the longest entry, in UTF-16 code units. */
  readonly longest: number;
  /** The CIDR blocks of a list of IP addresses; absent if it has none. */
  readonly blocks?: IpBlocks;
}

/** The kinds of arguments, each with the form in which an operator's row receives it. */
export interface Arguments {
  /** A literal of the fact's type, folded; or another fact, if the row allows it. */
  value: FactValue;
  /** A limit in the fact's order: a literal, or another fact. For an integer, any number. */
  limit: FactValue;
  /** Literals of the fact's type, at least one; for IP addresses CIDR blocks too. */
  values: readonly (FactValue | IpBlock)[];
  /** The ends of a range, both included. */
  range: readonly [least: FactValue, most: FactValue];
  /** A count of days. */
  duration: number;
  /** Tests of a number of completed years, all of which have to hold, in the order of the operators. */
  years: readonly YearsTest[];
  /** A calendar day, yyyy-MM-dd; or another fact. */
  day: string;
  /** true or false. */
  truth: boolean;
  /** A folded text that is not empty. */
  text: string;
  /** A regular expression. */
  pattern: Pattern;
  /** The name of a list. */
  list: NamedList;
}

/** The operators that `yearsSince` can ask with: those of a number that is always known. */
export const YEARS_OPERATORS = [
  'is',
  'isNot',
  'in',
  'notIn',
  'above',
  'atLeast',
  'below',
  'atMost',
  'between',
] as const;

/** A number of completed years, as the fact that its operators test. */
export const YEARS: FactDefinition = { type: 'integer', origin: 'derived', description: '' };

/** One operator with its argument, on a number of completed years. */
export interface YearsTest {
  readonly operator: (typeof YEARS_OPERATORS)[number];
  readonly argument: Argument;
}

/** Whether an argument is a list. */
export function isNamedList(argument: unknown): argument is NamedList {
  return typeof argument === 'object' && argument !== null && 'longest' in argument;
}

/** Whether a list has neither texts nor blocks. */
export function isEmptyList({ entries, blocks }: NamedList): boolean {
  return entries.size === 0 && blocks === undefined;
}

/** Whether one of some values is a CIDR block. */
export function isIpBlock(value: FactValue | IpBlock): value is IpBlock {
  return typeof value === 'object';
}

/** A kind of argument. */
export type ArgumentKind = keyof Arguments;

/** An argument of any kind. */
export type Argument = Arguments[ArgumentKind];

/** What the truth of a test may depend on, besides the fact and the argument. */
export interface TestContext {
  readonly type: FactType;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
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
  /** The truth of the test for a fact that is known. */
  holds(value: FactValue, argument: Arguments[Kind], context: TestContext): boolean;
  /** Describes the test for people; `…` marks the place of the argument as written. */
  readonly sentence: string;
}

const EVERY: readonly FactType[] = ['number', 'integer', 'level', 'boolean', 'enum', 'string', 'date'];
const ORDERED: readonly FactType[] = ['number', 'integer', 'level'];
const TEXT: readonly FactType[] = ['string'];
const DATE: readonly FactType[] = ['date'];

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

function compareDays(value: FactValue, limit: string, holds: (value: string, limit: string) => boolean): boolean {
  return value !== NEVER && limit !== NEVER && holds(String(value), limit);
}

/** Whether a value is one of some literals, or lies in a block among them. */
function isAmong(value: FactValue, literals: Arguments['values']): boolean {
  return literals.includes(value) || literals.some((each) => isIpBlock(each) && isInBlock(String(value), each));
}

/** Whether a text is in a list on a day: as an entry, or as an address of a block. */
function isListed(text: string, list: NamedList, day: string): boolean {
  return isEntry(text, list, day) || (list.blocks?.has(text, day) ?? false);
}

/** Whether a text is an entry that counts on a day. */
function isEntry(text: string, { entries }: NamedList, day: string): boolean {
  const until = entries.get(text);
  return until === undefined ? entries.has(text) : day <= until;
}

/** Whether a domain or one above it is an entry: `a.b.example`, `b.example`, `example`. */
function isInDomains(domain: string, list: NamedList, day: string): boolean {
  for (let at = 0; at >= 0; at = domain.indexOf('.', at) + 1 || -1) {
    // Longer texts are skipped: a text of dots alone would otherwise take quadratic time.
    if (domain.length - at <= list.longest && isEntry(domain.slice(at), list, day)) return true;
  }
  return false;
}

const row = <Kind extends ArgumentKind>(
  types: readonly FactType[],
  argument: Kind,
  againstFact: boolean,
  sentence: string,
  holds: OperatorRow<Kind>['holds'],
): OperatorRow<Kind> => ({ types, argument, againstFact, sentence, holds });

/** The operators, in the order in which a fact's tests are listed. */
export const OPERATORS = {
  is: row(EVERY, 'value', true, 'is …', (value, argument) => value === argument),
  isNot: row(EVERY, 'value', true, 'is not …', (value, argument) => value !== argument),
  in: row(EVERY, 'values', false, 'is one of …', (value, values) => isAmong(value, values)),
  notIn: row(EVERY, 'values', false, 'is none of …', (value, values) => !isAmong(value, values)),
  // `known` alone is asked of missing facts too, which `evaluateTest` in decision/meaning/truth.ts handles.
  known: row(EVERY, 'truth', false, 'is known: …', (_value, truth) => truth),
  above: row(ORDERED, 'limit', true, 'is above …', (v, limit, { type }) => order(v, type) > order(limit, type)),
  atLeast: row(ORDERED, 'limit', true, 'is at least …', (v, limit, { type }) => order(v, type) >= order(limit, type)),
  below: row(ORDERED, 'limit', true, 'is below …', (v, limit, { type }) => order(v, type) < order(limit, type)),
  atMost: row(ORDERED, 'limit', true, 'is at most …', (v, limit, { type }) => order(v, type) <= order(limit, type)),
  between: row(
    ORDERED,
    'range',
    false,
    'is between …, both included',
    (v, [least, most], { type }) => order(v, type) >= order(least, type) && order(v, type) <= order(most, type),
  ),
  startsWith: row(TEXT, 'text', false, 'starts with …', (value, text) => String(value).startsWith(text)),
  endsWith: row(TEXT, 'text', false, 'ends with …', (value, text) => String(value).endsWith(text)),
  contains: row(TEXT, 'text', false, 'contains …', (value, text) => String(value).includes(text)),
  matches: row(TEXT, 'pattern', false, 'matches …', (value, pattern) => pattern.test(String(value))),
  inList: row(TEXT, 'list', false, 'is in the list …', (value, list, { day }) => isListed(String(value), list, day)),
  notInList: row(
    TEXT,
    'list',
    false,
    'is not in the list …',
    (value, list, { day }) => !isListed(String(value), list, day),
  ),
  inDomainList: {
    ...row(TEXT, 'list', false, 'is in the domain list …', (value, list, { day }) =>
      isInDomains(String(value), list, day),
    ),
    format: 'domain',
  },
  withinLast: row(DATE, 'duration', false, 'lies within the last …', (value, days, { day }) => {
    const ageDays = age(value, day);
    return ageDays >= 0 && ageDays <= days;
  }),
  olderThan: row(DATE, 'duration', false, 'is older than …', (value, days, { day }) => age(value, day) > days),
  before: row(DATE, 'day', true, 'is before …', (value, day) => compareDays(value, day, (v, limit) => v < limit)),
  after: row(DATE, 'day', true, 'is after …', (value, day) => compareDays(value, day, (v, limit) => v > limit)),
  never: row(DATE, 'truth', false, 'never happened: …', (value, truth) => (value === NEVER) === truth),
  yearsSince: row(DATE, 'years', false, 'is a number of completed years ago that …', (value, tests, { day }) =>
    holdsOfYears(value, tests, day),
  ),
} as const satisfies Record<string, { [Kind in ArgumentKind]: OperatorRow<Kind> }[ArgumentKind]>;

/** The name of an operator. */
export type OperatorName = keyof typeof OPERATORS;

/** The names of all operators, in the table's order. */
export const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly OperatorName[];

/** Whether a text names an operator. */
export function isOperator(name: string): name is OperatorName {
  return Object.hasOwn(OPERATORS, name);
}

/** The tests of `yearsSince`, as written, in words: `is below 18 and is not 3`; undefined for any other argument. */
export function yearsWords(expected: unknown, show: (argument: unknown) => string): string | undefined {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return undefined;
  const tests = YEARS_OPERATORS.filter((name) => Object.hasOwn(expected, name));
  if (tests.length === 0) return undefined;
  const argumentOf = (name: string) => show((expected as Readonly<Record<string, unknown>>)[name]);
  return tests.map((name) => operatorRow(name).sentence.replace('…', () => argumentOf(name))).join(' and ');
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
