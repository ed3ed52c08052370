/**
 * A condition as plain data, facts and a day -> its truth and that of its parts: slow, obvious, without code of
 * the runners.
 */

import Big from 'big.js';
import { RE2JS } from 're2js';
import type { FactType } from '../../../src/facts/catalog.ts';
import type { Cause, FactValue } from '../../../src/facts/fact.ts';
import type { Format } from '../../../src/platform/formats/format.ts';
import type { OperatorName } from '../../../src/policy/operators.ts';
import {
  PLAIN_CATALOG,
  type PlainCondition,
  type PlainDefinition,
  type PlainEntry,
  type PlainFacts,
  type PlainFactTable,
  type PlainList,
  type PlainRuleSet,
} from './plain.ts';
import { formOf, isInBlock } from './reference-formats.ts';

/** What a condition is evaluated on. */
export interface EvaluationContext {
  readonly ownFacts: PlainFactTable;
  readonly conditions: NonNullable<PlainRuleSet['conditions']>;
  readonly lists: NonNullable<PlainRuleSet['lists']>;
  readonly facts: PlainFacts;
  readonly day: string;
  /** Operators whose evaluation fails. */
  readonly failing: readonly string[];
}

export type Truth = 'true' | 'false' | 'unknown';

/** A condition with its truth and its parts: a test, a combinator, a map or a name. */
export interface Node {
  readonly kind: 'test' | 'map' | 'name' | 'all' | 'any' | 'not' | 'atLeastOf';
  readonly truth: Truth;
  readonly parts: readonly Node[];
  readonly test?: PlainTest;
}

export interface PlainTest {
  readonly fact: string;
  readonly operator: string;
  readonly expected: unknown;
  readonly argument: unknown;
  readonly other: string | undefined;
}

const LEVELS: readonly unknown[] = ['veryLow', 'low', 'medium', 'high', 'veryHigh'];

/** The truth of a condition and of all its parts. */
export function walk(condition: PlainCondition, context: EvaluationContext): Node {
  if (typeof condition === 'string') {
    const named = context.conditions[condition];
    if (named === undefined) throw new Error(`no condition ${condition}`);
    return all('name', [walk(named, context)]);
  }
  const keys = Object.keys(condition).sort();
  return all(
    'map',
    keys.map((key) => walkEntry(key, condition[key], context)),
  );
}

function walkEntry(key: string, value: unknown, context: EvaluationContext): Node {
  const walkEach = (list: unknown) => (list as readonly PlainCondition[]).map((item) => walk(item, context));
  if (key === 'all') return all('all', walkEach(value));
  if (key === 'any') {
    const parts = walkEach(value);
    const truths = parts.map(({ truth }) => truth);
    const truth = truths.includes('true') ? 'true' : truths.includes('unknown') ? 'unknown' : 'false';
    return { kind: 'any', parts, truth };
  }
  if (key === 'not') {
    const part = walk(value as PlainCondition, context);
    const truth = part.truth === 'true' ? 'false' : part.truth === 'false' ? 'true' : 'unknown';
    return { kind: 'not', truth, parts: [part] };
  }
  if (key === 'atLeastOf') {
    const { count, of } = value as { count: number; of: unknown };
    const parts = walkEach(of);
    const sure = parts.filter(({ truth }) => truth === 'true').length;
    const open = parts.filter(({ truth }) => truth === 'unknown').length;
    return { kind: 'atLeastOf', parts, truth: sure >= count ? 'true' : sure + open < count ? 'false' : 'unknown' };
  }
  return all(
    'map',
    testsOf(value).map(([operator, expected]) => walkTest(key, operator, expected, context)),
  );
}

function all(kind: 'map' | 'name' | 'all', parts: readonly Node[]): Node {
  const truths = parts.map(({ truth }) => truth);
  return { kind, parts, truth: truths.includes('false') ? 'false' : truths.includes('unknown') ? 'unknown' : 'true' };
}

function testsOf(asked: unknown): (readonly [operator: string, expected: unknown])[] {
  if (Array.isArray(asked)) return [['in', asked]];
  if (typeof asked !== 'object' || asked === null || nameOfOther(asked) !== undefined) return [['is', asked]];
  const operators = asked as Readonly<Record<string, unknown>>;
  return OPERATORS_IN_ORDER.filter((name) => name in operators).map((name) => [name, operators[name]]);
}

function nameOfOther(asked: unknown): string | undefined {
  const isMap = typeof asked === 'object' && asked !== null && !Array.isArray(asked);
  return isMap && 'fact' in asked ? String(asked.fact) : undefined;
}

function walkTest(fact: string, operator: string, expected: unknown, context: EvaluationContext): Node {
  const other = nameOfOther(expected);
  const definition = definitionOf(fact, context);
  const argument = other === undefined ? prepare(definition, operator, expected) : expected;
  const node = (truth: Truth): Node => ({
    kind: 'test',
    truth,
    parts: [],
    test: { fact, operator, expected, argument, other },
  });
  const subject = factAt(fact, context);
  if (operator === 'known') return node('missing' in subject === (expected === false) ? 'true' : 'false');
  if ('missing' in subject) return node('unknown');
  const object = other === undefined ? { value: argument } : factAt(other, context);
  if ('missing' in object || context.failing.includes(operator)) return node('unknown');
  const holds = holdsOf(operator);
  return node(holds(subject.value, object.value, context, definition.format) ? 'true' : 'false');
}

type Holds<Value> = (value: Value, argument: Value, context: EvaluationContext, format?: Format) => boolean;

/** Whether a test is true of a known value, in the documented order of operators. */
const HOLDS: Readonly<Record<Exclude<OperatorName, 'known'>, Holds<never>>> = {
  is: (value: unknown, argument: unknown) => value === argument,
  isNot: (value: unknown, argument: unknown) => value !== argument,
  in: (value: unknown, list: readonly unknown[], _, format) => list.some((item) => isMember(value, item, format)),
  notIn: (value: unknown, list: readonly unknown[], _, format) => !list.some((item) => isMember(value, item, format)),
  above: (value: unknown, limit: unknown) => order(value) > order(limit),
  atLeast: (value: unknown, limit: unknown) => order(value) >= order(limit),
  below: (value: unknown, limit: unknown) => order(value) < order(limit),
  atMost: (value: unknown, limit: unknown) => order(value) <= order(limit),
  between: (value: unknown, [low, high]: readonly unknown[]) =>
    order(low) <= order(value) && order(value) <= order(high),
  startsWith: (value: string, text: string) => value.slice(0, text.length) === text,
  endsWith: (value: string, text: string) => value.length >= text.length && value.slice(-text.length) === text,
  contains: (value: string, text: string) => value.split(text).length > 1,
  matches: (value: string, pattern: string) => RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE).matcher(value).find(),
  inList: (value: string, name: string, context, format) =>
    listOf(name, context, format).some((entry) => isMember(value, entry, format)),
  notInList: (value: string, name: string, context, format) =>
    !listOf(name, context, format).some((entry) => isMember(value, entry, format)),
  inDomainList: (value: string, name: string, context, format) =>
    listOf(name, context, format).some((entry) => value === entry || value.endsWith(`.${entry}`)),
  withinLast: (date: string, days: number, { day }) =>
    date !== 'never' && age(date, day) >= 0 && age(date, day) <= days,
  olderThan: (date: string, days: number, { day }) => date !== 'never' && age(date, day) > days,
  before: (date: string, limit: string) => date !== 'never' && limit !== 'never' && age(date, limit) > 0,
  after: (date: string, limit: string) => date !== 'never' && limit !== 'never' && age(date, limit) < 0,
  never: (date: string, truth: boolean) => (date === 'never') === truth,
  yearsSince: (date: string, tests: Readonly<Record<string, never>>, context) =>
    date !== 'never' &&
    Object.entries(tests).every(([operator, limit]) => {
      const holds = holdsOf(operator);
      return holds(completedYears(date, context.day), limit, context);
    }),
};

function holdsOf(operator: string): Holds<unknown> {
  return HOLDS[operator as keyof typeof HOLDS] as Holds<unknown>;
}

/** The completed years from a date to a day: its anniversaries are counted one by one. */
function completedYears(date: string, day: string): number {
  let years = 0;
  while (anniversary(date, years + 1) <= Date.parse(day)) years += 1;
  while (anniversary(date, years) > Date.parse(day)) years -= 1;
  return years;
}

/** The day, in milliseconds, on which so many years are completed; 29 February becomes 1 March of a common year. */
function anniversary(date: string, years: number): number {
  const [year = 0, month = 0, dayOfMonth = 0] = date.split('-').map(Number);
  return new Date(0).setUTCFullYear(year + years, month - 1, dayOfMonth);
}

const OPERATORS_IN_ORDER = Object.keys(HOLDS).flatMap((name) => (name === 'above' ? ['known', name] : [name]));

function order(value: unknown): number {
  return typeof value === 'number' ? value : LEVELS.indexOf(value);
}

/** Days from a date to a day. */
export function age(date: string, day: string): number {
  return (Date.parse(day) - Date.parse(date)) / (24 * 60 * 60 * 1000);
}

/** Whether a value is one of a list's members, or an address in a block of it. */
function isMember(value: unknown, member: unknown, format: Format | undefined): boolean {
  return isBlock(String(member), format) ? isInBlock(String(value), String(member)) : value === member;
}

function isBlock(text: string, format: Format | undefined): boolean {
  return format === 'ip' && text.includes('/');
}

/** A text of a policy as its fact's values are written. */
function read(text: string, format: Format | undefined): string {
  if (format === undefined) return fold(text);
  if (isBlock(text, format)) return text;
  const form = formOf(text, format);
  if (form === undefined) throw new Error(`the reference reads no ${format} in this text`);
  return form;
}

/** The entries of a list that count on the day. */
function listOf(name: string, { lists, day }: EvaluationContext, format: Format | undefined): readonly string[] {
  const list = lists[name];
  if (list === undefined) throw new Error(`no list ${name}`);
  const entries: readonly PlainEntry[] = isMap(list) ? list.entries : list;
  return entries.flatMap((entry) => {
    if (typeof entry === 'string') return [read(entry, format)];
    return entry.until === undefined || isDayOrLater(entry.until, day) ? [read(entry.value, format)] : [];
  });
}

function isMap<List extends PlainList>(list: List): list is Exclude<List, readonly unknown[]> {
  return !Array.isArray(list);
}

/** Whether a day is the same as another or later. */
export function isDayOrLater(day: string, other: string): boolean {
  return age(other, day) >= 0;
}

function prepare({ type, format }: PlainDefinition, operator: string, expected: unknown): unknown {
  const form = FORMS[operator as OperatorName];
  if (form === 'days') {
    const [count, unit] = String(expected).split(' ');
    return Number(count) * (unit?.startsWith('week') ? 7 : 1);
  }
  if (type !== 'string' || form === 'written') return expected;
  if (form === 'part') return fold(String(expected));
  return Array.isArray(expected) ? expected.map((item) => read(String(item), format)) : read(String(expected), format);
}

/** What the argument of an operator is compared as. */
const FORMS: Readonly<Record<OperatorName, 'values' | 'part' | 'days' | 'written'>> = {
  ...{ is: 'values', isNot: 'values', in: 'values', notIn: 'values', known: 'written' },
  ...{ above: 'values', atLeast: 'values', below: 'values', atMost: 'values', between: 'values' },
  ...{ startsWith: 'part', endsWith: 'part', contains: 'part', matches: 'written' },
  ...{ inList: 'written', notInList: 'written', inDomainList: 'written' },
  ...{ withinLast: 'days', olderThan: 'days', before: 'values', after: 'values', never: 'written' },
  yearsSince: 'written',
};

function fold(text: string): string {
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const trimmed = visible.normalize('NFC').replace(/^[\p{White_Space}\uFEFF]+|[\p{White_Space}\uFEFF]+$/gu, '');
  return Array.from(trimmed, (codePoint) => codePoint.toLowerCase())
    .join('')
    .normalize('NFC');
}

/** Whether a text is too long for a fact, or has too many combining marks in a row. */
function isUnbounded(text: string): boolean {
  const visible = text.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return new TextEncoder().encode(text).length > 4096 || /\p{M}{31}/u.test(visible);
}

function definitionOf(path: string, { ownFacts }: EvaluationContext): PlainDefinition {
  const catalog: PlainFactTable = PLAIN_CATALOG;
  const definition = ownFacts[path] ?? catalog[path];
  if (!definition) throw new Error(`no fact ${path}`);
  return definition;
}

export function typeOf(path: string, context: EvaluationContext): FactType {
  return definitionOf(path, context).type;
}

/** The value of a computed fact; missing as its first missing operand is, and invalid if no value of its type. */
function computed(
  type: FactType,
  compute: NonNullable<PlainDefinition['compute']>,
  context: EvaluationContext,
): { value: FactValue; shown: FactValue } | { missing: Cause } {
  const [[name, operands] = ['', []]] = Object.entries(compute);
  const values: FactValue[] = [];
  for (const operand of operands) {
    const fact = typeof operand === 'number' ? { value: operand } : factAt(operand, context);
    if ('missing' in fact) return fact;
    values.push(fact.value);
  }
  const [first = 0, second = 0] = values;
  if (name === 'daysBetween' && values.includes('never')) return { missing: 'invalid' };
  const numbers = values.map(Number);
  let result = Number.NaN;
  if (name === 'daysBetween') result = age(String(first), String(second));
  if (name === 'difference') result = sumOf(Number(first), -Number(second));
  if (name === 'ratio') result = decimals(Number(first), Number(second), 'div');
  if (name === 'minimum') result = Math.min(...numbers);
  if (name === 'maximum') result = Math.max(...numbers);
  if (name === 'sum') result = numbers.reduce(sumOf);
  if (name === 'product') result = numbers.reduce((one, other) => decimals(one, other, 'times'));
  const isOfType = type === 'integer' ? Number.isSafeInteger(result) : Number.isFinite(result);
  const value = result === 0 ? 0 : result;
  return isOfType ? { value, shown: value } : { missing: 'invalid' };
}

/** The sum of the decimals that are written for two numbers, to 21 places; of large numbers that of doubles. */
function sumOf(one: number, other: number): number {
  if (![one, other].every((number) => Math.abs(number) < 2 ** 53)) return one + other;
  return new Big(one).round(21, Big.roundHalfUp).plus(new Big(other).round(21, Big.roundHalfUp)).toNumber();
}

/** The product or the quotient of the decimals that are written for two numbers. */
function decimals(one: number, other: number, name: 'times' | 'div'): number {
  const result = name === 'times' ? one * other : one / other;
  if (!Number.isFinite(result) || !Number.isFinite(other)) return result;
  Big.DP = 700;
  return new Big(one)[name](other).toNumber();
}

/** A fact as tests see it, and as it is shown. */
export function factAt(
  path: string,
  context: EvaluationContext,
): { value: FactValue; shown: FactValue } | { missing: Cause } {
  const { type, past, format, compute, min = -Infinity, max = Infinity } = definitionOf(path, context);
  if (compute) return computed(type, compute, context);
  const fact = context.facts[path] ?? { missing: 'notGiven' };
  if ('missing' in fact) return fact;
  const shown = fact.value;
  if (Number(fact.value) < min || Number(fact.value) > max) return { missing: 'invalid' };
  if (type === 'string') {
    if (isUnbounded(String(fact.value))) return { missing: 'invalid' };
    if (format !== undefined && fold(String(fact.value)) !== '') {
      const form = formOf(String(fact.value), format);
      return form === undefined ? { missing: 'invalid' } : { value: form, shown };
    }
    const value = fold(String(fact.value));
    return value === '' ? { missing: 'notGiven' } : { value, shown };
  }
  if (type === 'date' && past && fact.value !== 'never') {
    const daysAhead = -age(String(fact.value), context.day);
    if (daysAhead > 1) return { missing: 'invalid' };
    if (daysAhead === 1) return { value: context.day, shown: context.day };
  }
  return { value: fact.value, shown };
}
