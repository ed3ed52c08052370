/** A test -> the tests that it is easily taken for: its limit moved, its operator swapped, a value left out. */

import { LEVELS } from '../../facts/catalog.ts';
import { dayNumber, dayOfNumber } from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';
import type { Argument, Arguments } from '../../policy/arguments.ts';
import type { Test } from '../../policy/language.ts';
import { type OperatorName, operatorRow } from '../../policy/operators.ts';
import { testKey } from '../../policy/sameness.ts';
import { count } from '../../text.ts';
import { MOST_VALUES_LEFT_OUT } from '../limits.ts';
import { inPlaceOf, type PartEdit } from './policy-change.ts';

/** The operators that each is easily taken for: next to it, and its opposite. */
const SWAPS: Readonly<Record<OperatorName, readonly OperatorName[]>> = {
  ...{ is: ['isNot'], isNot: ['is'], in: ['notIn'], notIn: ['in'], known: [] },
  ...{ above: ['atLeast', 'atMost'], atLeast: ['above', 'below'], below: ['atMost', 'atLeast'] },
  ...{ atMost: ['below', 'above'], between: [], startsWith: [], endsWith: [], contains: [], matches: [] },
  ...{ inList: ['notInList'], notInList: ['inList'], inDomainList: [] },
  ...{ withinLast: ['olderThan'], olderThan: ['withinLast'], before: ['after'], after: ['before'] },
  ...{ never: [], yearsSince: [] },
};

/** The test with another argument; `expected` is how a policy would have it. */
export function withArgument(test: Test, argument: Argument, expected: unknown = argument): Test {
  return { ...test, argument, expected, key: testKey({ ...test, argument }) };
}

const STEPS = [
  ['up', 1],
  ['down', -1],
] as const;

/** The test with its limit, or an end of its range, one step further. */
export function moves(test: Test): readonly PartEdit[] {
  const { operator, argument, type } = test;
  if (argument === undefined) return [];
  const move = (name: string, value: Argument | undefined, expected?: unknown) =>
    value === undefined ? [] : [inPlaceOf(test, name, withArgument(test, value, expected))];
  switch (operatorRow(operator).argument) {
    case 'limit':
      return STEPS.flatMap(([name, by]) => move(name, movedLimit(argument as FactValue, by, type)));
    case 'range': {
      const ends = argument as Arguments['range'];
      return ends.flatMap((end, at) =>
        STEPS.flatMap(([name, by]) => {
          const value = movedLimit(end, by, type);
          return value === undefined ? [] : move(`end ${at} ${name}`, ends.with(at, value) as unknown as Argument);
        }),
      );
    }
    case 'duration':
      return STEPS.flatMap(([name, by]) => {
        const days = Number(argument) + by;
        return days < 0 ? [] : move(name, days, count(days, 'day'));
      });
    case 'day':
      return STEPS.flatMap(([name, by]) => move(name, movedDay(String(argument), by)));
    default:
      return [];
  }
}

/** A limit moved by one step of its type: a level, a whole number, or the last decimal that is written. */
function movedLimit(limit: FactValue, by: number, type: Test['type']): FactValue | undefined {
  if (type === 'level') return LEVELS[(LEVELS as readonly FactValue[]).indexOf(limit) + by];
  return movedNumber(Number(limit), by);
}

/** A number moved by steps of its last decimal. */
export function movedNumber(number: number, by: number): number {
  const decimals = (String(number).split('.')[1] ?? '').length;
  return Number((number + by / 10 ** decimals).toFixed(decimals));
}

function movedDay(day: string, by: number): string | undefined {
  return day === NEVER ? undefined : dayOfNumber(dayNumber(day) + by);
}

/** The test with an operator that is easily taken for its own, or with the other truth. */
export function swaps(test: Test): readonly PartEdit[] {
  const { operator, argument, expected } = test;
  if (asksTruth(test)) return [inPlaceOf(test, 'other truth', withArgument(test, !argument))];
  return SWAPS[operator].map((other) => {
    const swapped: Test = { ...test, operator: other, expected, key: testKey({ ...test, operator: other }) };
    return inPlaceOf(test, other, swapped);
  });
}

/** The test negated, if no operator is its opposite. */
export function negation(test: Test): readonly PartEdit[] {
  if (asksTruth(test) || SWAPS[test.operator].length > 0) return [];
  return [inPlaceOf(test, 'negated', { kind: 'not', of: [test] })];
}

function asksTruth({ operator, argument }: Test): boolean {
  return typeof argument === 'boolean' && operatorRow(operator).argument === 'truth';
}

/** The test without one of its values. */
export function withoutValues(test: Test): readonly PartEdit[] {
  const { argument, operator, expected } = test;
  if (operatorRow(operator).argument !== 'values' || !Array.isArray(argument) || argument.length < 2) return [];
  const written = Array.isArray(expected) ? expected : argument;
  return argument.slice(0, MOST_VALUES_LEFT_OUT).map((_, at) => {
    const without = (values: readonly unknown[]) => values.filter((__, i) => i !== at);
    return inPlaceOf(test, `without ${at}`, withArgument(test, without(argument) as Argument, without(written)));
  });
}
