/** The axes and tests of a fact -> sample values, at least one in every cell, the nearest first. */

import { type FactDefinition, LEVELS } from '../../../facts/catalog.ts';
import { dayNumber, dayOfNumber, lastDayWithYears } from '../../../facts/day.ts';
import { type FactValue, NEVER } from '../../../facts/fact.ts';
import { readFact } from '../../../facts/fact-reader.ts';
import { examplesOf } from '../../../formats/example.ts';
import type { Axis } from '../../../policy/cells/cells.ts';
import type { NumberCells } from '../../../policy/cells/value-axis.ts';
import type { Test } from '../../../policy/language.ts';
import { sampleTexts } from './sample-texts.ts';

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
      return nearestFirst([...LEVELS], present, definition, day);
    case 'string':
      return validValues(sampleTexts(axes, tests, definition.format, day), definition, day);
    default: {
      const from = present === undefined ? undefined : toNumber(present, definition);
      const numbers = axes.flatMap((axis) => numbersIn(axis, from, definition, day));
      // A fact that is only compared with other facts has no cells of its own.
      const fallback = definition.type === 'date' ? [dayNumber(day)] : (definition.range ?? [0]);
      const values: FactValue[] = [...numbers, ...fallback].map((number) => toValue(number, definition));
      if (definition.type === 'date') values.push(NEVER);
      return nearestFirst(validValues(values, definition, day), present, definition, day);
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
    const whole = steps.flatMap((step) => [Math.floor(number) + step, Math.ceil(next) - step]);
    const parts =
      definition.type === 'number' ? steps.map((step) => number + ((next - number) * step) / (facts + 1)) : [];
    return [...before, ...[...whole, ...parts].filter((each) => each > number && each < next)];
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
 * For each cell of an ordered axis: its witness, its first and last whole number, and the whole number
 * nearest to `from`. A date has several axes, and the ends of a cell on one are needed to reach all cells on the
 * others.
 */
function numbersIn(axis: Axis, from: number | undefined, definition: FactDefinition, day: string): number[] {
  const { numbers } = axis;
  if (!numbers) return [];
  const { firsts, most, isWhole } = numbers.steps;
  return [...firsts].flatMap((first, i) => {
    const next = firsts[i + 1];
    const inUnit = [Math.ceil(first), next === undefined ? Math.floor(most) : Math.ceil(next) - 1] as const;
    const ends = ranksOf(numbers.unit, inUnit, day);
    const witness = axis.cells[axis.firstValue + i]?.witness(day);
    const any = witness === undefined ? undefined : toNumber(witness, definition);
    const whole = ends[0] <= ends[1] ? [...ends, ...(from === undefined ? [] : [clamp(from, ends)])] : [];
    return [...(any === undefined ? [] : [any]), ...(isWhole || definition.type === 'number' ? whole : [])];
  });
}

type Ends = readonly [least: number, most: number];

/** The ends of a cell, as ranks of the fact's values: the later a date, the less its age. */
function ranksOf(unit: NumberCells['unit'], [least, most]: Ends, day: string): Ends {
  if (unit === 'age') return [dayNumber(day) - most, dayNumber(day) - least];
  return unit === 'years' ? [lastDayWithYears(most + 1, day) + 1, lastDayWithYears(least, day)] : [least, most];
}

function clamp(number: number, [least, most]: Ends): number {
  return Math.min(Math.max(Math.round(number), least), most);
}

/** Sorts values by distance from the present value, or a date from `day`. Values outside the order come last. */
function nearestFirst(
  values: readonly FactValue[],
  present: FactValue | undefined,
  definition: FactDefinition,
  day: string,
): FactValue[] {
  const from = present === undefined ? undefined : toNumber(present, definition);
  const start = from ?? (definition.type === 'date' ? dayNumber(day) : undefined);
  if (start === undefined) return [...values];
  const distance = (value: FactValue) => Math.abs((toNumber(value, definition) ?? Number.POSITIVE_INFINITY) - start);
  return [...values].sort((one, other) => distance(one) - distance(other));
}
