/** The tests of one axis of a fact -> the cells of its values, each with a witness: a value that lies in it. */

import { type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import {
  completedYears,
  dayNumber,
  dayOfNumber,
  daysBetween,
  dayWithYears,
  FIRST_DAY,
  LAST_DAY,
} from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';
import { cached } from '../../platform/cached.ts';
import { examplesOf, readPart } from '../../platform/formats/example.ts';
import type { Format } from '../../platform/formats/format.ts';
import { count } from '../../text.ts';
import { isNamedList, type NamedList } from '../arguments.ts';
import type { Test } from '../language.ts';
import { axisOf, describeTest, type OperatorOf, operatorRow, positiveOf } from '../operators.ts';
import { addressesByRegion } from './ip-regions.ts';
import {
  type Border,
  cutOrder,
  describeSegment,
  type Order,
  segmentAfter,
  stepOf,
  stepsOf,
  witnessOf,
} from './segments.ts';
import { literalsOf, startsAndEnds, textAxis } from './text-axis.ts';
import { formOfTest } from './text-forms.ts';
import type { NumberCells, ValueAxis } from './value-axis.ts';

/** Equal for tests that share an axis. */
export function axisKey({ fact, other, type, operator, argument, key }: Test): string {
  const positive = positiveOf(operator);
  if (other !== undefined) return `${fact} ${positive} ${other}`;
  if (type === 'date') return `${fact} ${axisOf(operator)}`;
  if (axisOf(operator) === 'alone') return key;
  return isNamedList(argument) && hasEnds(argument) ? `${fact} ${positive} ${argument.name}` : fact;
}

/** The axis of tests with the same key, all of one fact. */
export function valueAxis(tests: readonly Test[], definition: FactDefinition): ValueAxis {
  const [{ operator, argument, other }] = tests as [Test];
  if (other !== undefined || axisOf(operator) === 'alone' || (isNamedList(argument) && hasEnds(argument))) {
    return truthAxis(tests, definition.format);
  }
  switch (definition.type) {
    case 'boolean':
      return enumeratedAxis(tests, [true, false]);
    case 'enum':
      return enumeratedAxis(tests, definition.values ?? []);
    case 'string':
      return textAxis(tests, definition.format);
    default:
      return orderedAxis(tests, definition);
  }
}

/** Whether some entry of a list has a last day, so that its members depend on the day. */
const hasEnds = cached((list: NamedList): boolean => {
  const blocks = list.blocks?.all ?? [];
  return [...list.entries.values(), ...blocks.map(({ until }) => until)].some((until) => until !== undefined);
});

/** An order, with the conversions between a fact's values and its numbers. */
interface Scale extends Order {
  readonly unit: NumberCells['unit'];
  /** Undefined for `never`. */
  toNumber(value: FactValue, day: string): number | undefined;
  toValue(number: number, day: string): FactValue | undefined;
  /** A day on which this number of the order has a value. */
  dayFor(number: number): string;
}

const MOST_DAYS = daysBetween(FIRST_DAY, LAST_DAY);

const LEVEL_NUMBERS: ReadonlyMap<FactValue, number> = new Map(LEVELS.map((level, i) => [level, i]));

/** The scale of the values that tests of an axis compare, of a fact whose values are ordered. */
function scaleOf(axis: ReturnType<typeof axisOf>, { type, range, past }: FactDefinition): Scale {
  if (axis === 'age') return ageScale(past);
  if (axis === 'years') return yearsScale(past);
  if (type === 'date') return DAY_SCALE;
  const isLevel = type === 'level';
  const widest = type === 'integer' ? Number.MAX_SAFE_INTEGER : Number.MAX_VALUE;
  const [least, most] = isLevel ? [0, LEVELS.length - 1] : (range ?? [-widest, widest]);
  return {
    unit: isLevel ? 'level' : 'number',
    least,
    most,
    isWhole: type !== 'number',
    show: (number) => (isLevel ? String(LEVELS[number]) : String(number)),
    toNumber: (value) => (isLevel ? LEVEL_NUMBERS.get(value) : Number(value)),
    toValue: (number) => (isLevel ? LEVELS[number] : number),
    dayFor: () => LAST_DAY,
  };
}

const DAY_SCALE: Scale = {
  unit: 'day',
  least: dayNumber(FIRST_DAY),
  most: dayNumber(LAST_DAY),
  isWhole: true,
  show: dayOfNumber,
  toNumber: (value) => (value === NEVER ? undefined : dayNumber(String(value))),
  toValue: dayOfNumber,
  dayFor: () => LAST_DAY,
};

/** Creates the function that returns the number of a day. It caches the last day, which most questions are about. */
function cachedDayNumber(): (day: string) => number {
  let lastDay = LAST_DAY;
  let lastNumber = dayNumber(LAST_DAY);
  return (day) => {
    if (day !== lastDay) {
      lastNumber = dayNumber(day);
      lastDay = day;
    }
    return lastNumber;
  };
}

/** The value of a day number; undefined outside the calendar. */
function valueOfDay(number: number): FactValue | undefined {
  return number < DAY_SCALE.least || number > DAY_SCALE.most ? undefined : dayOfNumber(number);
}

/** Years from 0001-01-01 to 9999-12-31. Backwards they are -9999, because a year counts only when it is completed. */
const MOST_YEARS = 9998;

function yearsScale(past = false): Scale {
  const numberOf = cachedDayNumber();
  return {
    unit: 'years',
    least: past ? 0 : -MOST_YEARS - 1,
    most: MOST_YEARS,
    isWhole: true,
    show: (years) => (years < 0 ? aheadBy(years, 'year') : `${count(years, 'year')} ago`),
    showAhead: (years) => aheadBy(years, 'year'),
    toNumber: (value, day) => (value === NEVER ? undefined : completedYears(dayNumber(String(value)), numberOf(day))),
    toValue: (years, day) => valueOfDay(dayWithYears(years, day)),
    dayFor: (years) => (years < 0 ? FIRST_DAY : LAST_DAY),
  };
}

function ageScale(past = false): Scale {
  const numberOf = cachedDayNumber();
  return {
    unit: 'age',
    least: past ? 0 : -MOST_DAYS,
    most: MOST_DAYS,
    isWhole: true,
    show: (days) => `${count(days, 'day')} old`,
    showAhead: (days) => aheadBy(days, 'day'),
    toNumber: (value, day) => (value === NEVER ? undefined : numberOf(day) - dayNumber(String(value))),
    toValue: (days, day) => valueOfDay(dayNumber(day) - days),
    dayFor: (days) => (days < 0 ? FIRST_DAY : LAST_DAY),
  };
}

function aheadBy(age: number, unit: 'day' | 'year'): string {
  return `${count(-age, unit)} ahead`;
}

/** An axis of a fact whose values are ordered: of its values, or of a date's ages or completed years. */
export function orderedAxis(
  tests: readonly Test[],
  definition: FactDefinition,
): ValueAxis & { readonly numbers: NumberCells } {
  const [{ operator: first }] = tests as [Test];
  const scale = scaleOf(axisOf(first), definition);
  const bordersOf = ({ operator, argument }: Test): readonly Border[] => {
    if (argument === undefined) return [];
    return operatorRow(operator)
      .ends(argument)
      .flatMap(({ value, side, isIn }) => {
        // Tests of ages and years name numbers, not dates.
        const at = axisOf(operator) === 'value' ? scale.toNumber(value, LAST_DAY) : Number(value);
        return at === undefined ? [] : { at, side: (side === 'begins') === isIn ? 'before' : 'after' };
      });
  };
  const segments = cutOrder(scale, tests.flatMap(bordersOf));
  const steps = stepsOf(segments, scale);
  return {
    isOrdered: true,
    changes: (test) => bordersOf(test).map((border) => segmentAfter(steps, border)),
    numbers: { unit: scale.unit, steps, segments, toNumber: scale.toNumber, order: scale },
    cells: segments.map((segment) => {
      const number = witnessOf(segment);
      const day = scale.dayFor(number);
      return {
        words: describeSegment(segment, scale),
        witness: (on) => scale.toValue(number, on),
        holds: (test) => holds(test, scale.toValue(number, day), day),
      };
    }),
    find: (value, _, day) => {
      const number = scale.toNumber(value, day);
      const index = number === undefined ? -1 : stepOf(steps, number);
      return index < 0 ? undefined : index;
    },
  };
}

/** Each value that a test names is a cell; all other values together are one more. */
function enumeratedAxis(tests: readonly Test[], values: readonly FactValue[]): ValueAxis {
  const literals = new Set(tests.flatMap(literalsOf));
  const others = values.filter((value) => !literals.has(value));
  const groups = [...values.filter((value) => literals.has(value)).map((value) => [value]), others];
  const cells = groups.filter((group) => group.length > 0);
  const indexes = new Map(cells.flatMap((group, i) => group.map((value) => [value, i] as const)));
  return {
    isOrdered: false,
    changes: (test) => startsAndEnds(literalsOf(test).map((value) => indexes.get(value))),
    cells: cells.map((group) => ({
      words: group.join(' or '),
      witness: () => group[0],
      holds: (test) => holds(test, group[0], LAST_DAY),
    })),
    find: (value) => indexes.get(value),
    named: { cells: indexes, others: undefined },
  };
}

/** Two cells: the first where the first test (or the one it negates) is true, the second where it is false. */
function truthAxis(tests: readonly Test[], format: Format | undefined): ValueAxis {
  const [first] = tests as [Test];
  const positive = { ...first, operator: positiveOf(first.operator) };
  const candidates = first.other === undefined ? candidatesFor(first, format) : [];
  return {
    isOrdered: false,
    changes: () => [1],
    ...(first.type === 'string' && first.other === undefined
      ? { formOf: (cell: number) => formOfTest(positive, cell === 0) }
      : {}),
    cells: [true, false].map((truth) => ({
      words: describeTest(positive, !truth),
      witness: (day) => candidates.find((value) => holds(positive, value, day) === truth),
      holds: (test) => (test.operator === positive.operator) === truth,
    })),
    find: (value, other, day) =>
      holds(other === undefined ? positive : { ...positive, argument: other }, value, day) ? 0 : 1,
  };
}

/** Texts among which a witness is sought for each cell. */
function candidatesFor({ operator, argument }: Test, format: Format | undefined): readonly FactValue[] {
  const entries = isNamedList(argument) ? [...argument.entries.keys()] : [];
  if (format === undefined)
    return [...entries, ...(typeof argument === 'string' ? [argument] : []), 'a', 'b', '0', 'a b'];
  const blocks = isNamedList(argument) ? (argument.blocks?.all ?? []) : [];
  const part =
    typeof argument === 'string' ? readPart(format, argument, operator as OperatorOf<'text'>).example : undefined;
  const addresses = format === 'ip' ? addressesByRegion(blocks, entries) : [];
  return [
    ...entries,
    ...(part === undefined ? [] : [part]),
    ...addresses,
    ...examplesOf(format).take(entries.length + 9),
  ];
}

function holds({ operator, argument, type }: Test, value: FactValue | undefined, day: string): boolean {
  return value !== undefined && argument !== undefined && operatorRow(operator).holds(value, argument, { type, day });
}
