/** The axes and tests of a fact -> sample values, at least one in every cell, also the nearest to the present value. */

import { type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import { dayNumber, dayOfNumber, lastDayWithYears } from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import { examplesOf, readPart } from '../../platform/formats/example.ts';
import type { Format } from '../../platform/formats/format.ts';
import { isNamedList, type Pattern } from '../arguments.ts';
import type { Test } from '../language.ts';
import type { Axis } from './cells.ts';
import { startOf } from './segments.ts';
import { literalsOf } from './text-axis.ts';
import type { NumberCells } from './value-axis.ts';

/** A fact to sample. */
export interface SampledFact {
  readonly definition: FactDefinition;
  /** Its axes, and the tests that lie on them. */
  readonly axes: readonly Axis[];
  readonly tests: readonly Test[];
  /** Its present value; undefined where it is missing. */
  readonly present: FactValue | undefined;
}

/** Sample values of a fact on a day, all of them valid. */
export function sampleValues({ definition, axes, tests, present }: SampledFact, day: string): FactValue[] {
  switch (definition.type) {
    case 'boolean':
      return [true, false];
    case 'enum':
      return [...(definition.values ?? [])];
    case 'level':
      return [...LEVELS];
    case 'string':
      return validValues(sampleTexts(axes, tests, definition.format, day), definition, day);
    default: {
      const from = present === undefined ? undefined : toNumber(present, definition);
      const numbers = axes.flatMap((axis) => numbersIn(axis, from, definition, day));
      // A fact that is only compared with other facts has no cells of its own.
      const ends = definition.range?.filter((end) => Math.abs(end) < Number.MAX_VALUE && end > Number.MIN_SAFE_INTEGER);
      const fallback = definition.type === 'date' ? [dayNumber(day)] : (ends ?? [0]);
      const values: FactValue[] = [...numbers, ...fallback].map((number) => toValue(number, definition));
      if (definition.type === 'date') values.push(NEVER);
      return validValues(values, definition, day);
    }
  }
}

/** The values that are valid for a fact, each once. */
export function validValues(values: readonly FactValue[], definition: FactDefinition, day: string): FactValue[] {
  return [...new Set(values)].filter((value) => {
    const fact = readFact(definition, { value }, day);
    return 'value' in fact && fact.value === value;
  });
}

/**
 * Values for a group of `facts` facts that are compared with each other: the given values, and between any
 * two neighbours as many more as there are facts, so that the facts can have any order among each other.
 */
export function fillBetween(values: readonly FactValue[], definition: FactDefinition, facts: number): FactValue[] {
  if (definition.type === 'string') {
    const taken = new Set(values);
    const { format } = definition;
    const plain = Array.from({ length: facts + taken.size }, (_, i) => `other ${i + 1}`);
    const fresh = format === undefined ? plain : [...examplesOf(format).take(facts + taken.size)];
    return [...values, ...fresh.filter((text) => !taken.has(text)).slice(0, facts)];
  }
  const isOrdered = definition.type === 'number' || definition.type === 'integer' || definition.type === 'date';
  if (!isOrdered) return [...values];
  // An integer may be compared with a number: values are placed between those of both.
  const numbers = values.flatMap((value) => toNumber(value, definition) ?? []).sort((a, b) => a - b);
  const steps = Array.from({ length: facts }, (_, n) => n + 1);
  const between = numbers.flatMap((number, i) => {
    const next = numbers[i + 1] ?? number + facts + 1;
    const before = i === 0 ? steps.map((step) => Math.ceil(number) - step) : [];
    const integers = steps.flatMap((step) => [Math.floor(number) + step, Math.ceil(next) - step]);
    const parts =
      definition.type === 'number' ? steps.map((step) => number + ((next - number) * step) / (facts + 1)) : [];
    return [...before, ...[...integers, ...parts].filter((each) => each > number && each < next)];
  });
  return [...values, ...between.map((number) => toValue(number, definition))];
}

/** The rank of a value in its order: the number itself, the index of a level, days since 1970. */
export function toNumber(value: FactValue, { type }: Pick<FactDefinition, 'type'>): number | undefined {
  if (type === 'level') return (LEVELS as readonly FactValue[]).indexOf(value);
  if (type === 'date') return value === NEVER ? undefined : dayNumber(String(value));
  return typeof value === 'number' ? value : undefined;
}

/** The value of a rank, `+ 0` to turn -0 into 0. A day outside the calendar gives a text that is not valid. */
export function toValue(number: number, { type }: FactDefinition): FactValue {
  return type === 'date' ? dayOfNumber(number) : number + 0;
}

/**
 * For each cell of an ordered axis: its witness, its first and last whole number, and the whole number nearest to
 * `from`; of a number that need not be whole, the same with as many digits as the policy's limits and `from` have. A
 * date has several axes, and the ends of a cell on one are needed to reach all cells on the others.
 */
function numbersIn(axis: Axis, from: number | undefined, definition: FactDefinition, day: string): number[] {
  const { numbers } = axis;
  if (!numbers) return [];
  const { firsts, most, isWhole } = numbers.steps;
  const written = [...[...firsts].map((first) => startOf(first).at), from ?? 0];
  const digits = isWhole ? 0 : Math.min(MOST_DIGITS, digitsOf(written));
  return [...firsts].flatMap((first, i) => {
    const witness = axis.cells[axis.firstValue + i]?.witness(day);
    const sample = witness === undefined ? undefined : toNumber(witness, definition);
    const near = [...new Set([0, digits])].flatMap((each) => {
      const inUnit = [leastFrom(first, each), mostUpTo(firsts[i + 1] ?? most, each, i + 1 === firsts.length)] as const;
      const ends = ranksOf(numbers.unit, inUnit, day);
      return ends[0] > ends[1] ? [] : [...ends, ...(from === undefined ? [] : [clamp(from, ends, each)])];
    });
    return [...(sample === undefined ? [] : [sample]), ...near];
  });
}

/** More digits than limits have. */
const MOST_DIGITS = 6;

/** How many digits after the point some numbers have. */
function digitsOf(numbers: readonly number[]): number {
  return Math.max(
    ...numbers.map((number) => {
      const [, digits = '', exponent = '0'] = /^-?\d+(?:\.(\d+))?(?:e(.+))?$/.exec(String(number)) ?? [];
      return Math.max(0, digits.length - Number(exponent));
    }),
  );
}

/** The least number with so many digits after the point that is at least `from`. */
function leastFrom(from: number, digits: number): number {
  return numbersNear(from, digits).find((number) => number >= from) ?? from;
}

/** The greatest number with so many digits after the point that is below an end, or at most at one that is included. */
function mostUpTo(end: number, digits: number, isIncluded: boolean): number {
  return numbersNear(end, digits).findLast((number) => number < end || (isIncluded && number === end)) ?? end;
}

/** The numbers with so many digits after the point beside a number, ascending; none where doubles are too far apart. */
function numbersNear(number: number, digits: number): readonly number[] {
  const middle = Math.round(number * 10 ** digits);
  if (!Number.isSafeInteger(middle)) return [];
  return [-1, 0, 1].map((more) => Number(`${middle + more}e-${digits}`));
}

type Ends = readonly [least: number, most: number];

/** The ends of a cell, as ranks of the fact's values: the later a date, the less its age. */
export function ranksOf(unit: NumberCells['unit'], [least, most]: Ends, day: string): Ends {
  if (unit === 'age') return [dayNumber(day) - most, dayNumber(day) - least];
  return unit === 'years' ? [lastDayWithYears(most + 1, day) + 1, lastDayWithYears(least, day)] : [least, most];
}

function clamp(number: number, [least, most]: Ends, digits: number): number {
  return Math.min(Math.max(Number(number.toFixed(digits)), least), most);
}

/**
 * Sorts values by distance from the present value, or a date that is missing from `day`; first those that people would
 * write. Values outside the order come last; values without an order stay as they are.
 */
export function nearestFirst(
  values: readonly FactValue[],
  { definition, present }: Pick<SampledFact, 'definition' | 'present'>,
  day: string,
): FactValue[] {
  const from = present === undefined ? undefined : toNumber(present, definition);
  const start = from ?? (definition.type === 'date' ? dayNumber(day) : undefined);
  if (start === undefined) return [...values];
  const distance = (value: FactValue) => Math.abs((toNumber(value, definition) ?? Number.POSITIVE_INFINITY) - start);
  const lengthOf = (value: FactValue) => String(value).length;
  const isLong = (value: FactValue) => Number(typeof value === 'number' && digitsOf([value]) > MOST_DIGITS);
  return [...values].sort(
    (one, other) => isLong(one) - isLong(other) || distance(one) - distance(other) || lengthOf(one) - lengthOf(other),
  );
}

/** The most texts that are composed of parts. */
const MOST_TEXTS = 500;

/** Texts that most tests do not match. */
const PLAIN_TEXTS = ['other', 'a', 'b', '0', 'a b'];

/** Sample texts for a fact on a day. They are not validated: some may not be values of the fact. */
function sampleTexts(axes: readonly Axis[], tests: readonly Test[], format: Format | undefined, day: string): string[] {
  const named = tests.flatMap(literalsOf).map(String);
  // The country of an applicant may follow from other facts; few of their values are tried.
  if (format === 'country') return [...examplesOf(format).take(MOST_COUNTRIES), ...named, ...tests.flatMap(entriesOf)];
  const witnesses = axes.flatMap(({ cells }) => cells.flatMap((cell) => cell.witness(day) ?? [])).map(String);
  const plain = format === undefined ? PLAIN_TEXTS : [...examplesOf(format).take(PLAIN_TEXTS.length)];
  const texts = composed(tests);
  const completed =
    format === undefined ? [] : texts.flatMap((text) => readPart(format, text, 'contains').example ?? []);
  return [...new Set([...witnesses, ...plain, ...named, ...texts, ...completed])];
}

/** The countries that are tried, those with the most telephone numbers. */
const MOST_COUNTRIES = 32;

/** The most entries of a list that are tried: most tests treat all entries of a list alike. */
const MOST_ENTRIES = 50;

function entriesOf({ argument }: Test): string[] {
  return isNamedList(argument) ? [...argument.entries.keys()].slice(0, MOST_ENTRIES) : [];
}

/** Every combination of a tested start, middle and end. The middles are also joined, for two `contains` of one fact. */
function composed(tests: readonly Test[]): string[] {
  const parts = (operator: Test['operator']) =>
    tests.filter((test) => test.operator === operator).map(({ argument }) => String(argument));
  const patterns = tests.flatMap(({ operator, argument }) =>
    operator === 'matches' ? alternativesOf((argument as Pattern).source).flatMap(sampleOf) : [],
  );
  const middles = parts('contains');
  const inside = ['', ...middles, ...patterns, ...(middles.length > 1 ? [middles.join(' ')] : [])];
  const texts: string[] = [];
  for (const start of ['', ...parts('startsWith')]) {
    for (const middle of inside) {
      for (const end of ['', ...parts('endsWith')]) {
        texts.push(`${start}${middle}${end}`);
        if (texts.length >= MOST_TEXTS) return texts;
      }
    }
  }
  return texts;
}

/** The most alternatives of one group that are tried. */
const MOST_ALTERNATIVES = 8;

/** A pattern with each of the alternatives of its first group that has some. */
function alternativesOf(source: string): string[] {
  const [group = '', inner] = /\((?:\?:)?([^()|]*(?:\|[^()|]*)+)\)/.exec(source) ?? [];
  if (inner === undefined) return [source];
  return inner
    .split('|')
    .slice(0, MOST_ALTERNATIVES)
    .map((each) => source.replace(group, () => each));
}

/** Texts that a simple pattern may match: the first character of a class, the first alternative, one repeat. */
function sampleOf(source: string): string[] {
  const sample = source
    .replace(/\(\?[a-zA-Z]*:?/g, '(')
    .replace(/\|[^()]*(?=\)|$)/g, '')
    .replace(/\[([^\]^])[^\]]*\]/g, '$1')
    .replace(/\\d/g, '0')
    .replace(/\\[wW]/g, 'a')
    .replace(/\\s/g, ' ')
    .replace(/\\[bBAz]/g, '')
    .replace(/([^\\]|^)[$^()]/g, '$1')
    .replace(/(.)\{(\d+)[^}]*\}/g, (_, one: string, count: string) => one.repeat(Math.min(Number(count), 100)))
    .replace(/([^\\])[*+?]/g, '$1')
    .replace(/([^\\]|^)\./g, '$1a')
    .replace(/\\(.)/g, '$1')
    .toLowerCase();
  return [sample, source.toLowerCase().replace(/[^\p{L}\p{N} ]/gu, '')];
}
