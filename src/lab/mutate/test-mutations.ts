/** A test -> the tests that it is easily taken for: its limit moved, its operator swapped, a value left out. */

import { type FactTable, LEVELS } from '../../facts/catalog.ts';
import { dayNumber, dayOfNumber } from '../../facts/day.ts';
import { type FactValue, NEVER } from '../../facts/fact.ts';
import { Cells } from '../../policy/cells/cells.ts';
import type { Condition, Test } from '../../policy/language.ts';
import {
  type Argument,
  type Arguments,
  isNamedList,
  type OperatorName,
  operatorRow,
  YEARS,
  type YearsTest,
} from '../../policy/operators.ts';
import { testKey } from '../../policy/sameness.ts';
import { count } from '../../text.ts';
import type { MutationOperator, PartMutation } from './mutation-operators.ts';

/** The operators that are easily taken for each other: next to it, and its opposite. */
const SWAPS: { readonly [Name in OperatorName]?: readonly OperatorName[] } = {
  ...{ is: ['isNot'], isNot: ['is'], in: ['notIn'], notIn: ['in'] },
  ...{ above: ['atLeast', 'atMost'], atLeast: ['above', 'below'], below: ['atMost', 'atLeast'] },
  ...{ atMost: ['below', 'above'], inList: ['notInList'], notInList: ['inList'] },
  ...{ withinLast: ['olderThan'], olderThan: ['withinLast'], before: ['after'], after: ['before'] },
};

/** More values of one test are not left out one by one. */
const MOST_VALUES = 20;

/** The edits of a test, those of one meaning once, and none that mean the same as the test. */
export function testMutations(test: Test, facts: FactTable): readonly PartMutation[] {
  const edits = [...moves(test, facts), ...swaps(test), ...dropped(test)];
  return isNamedList(test.argument) ? edits : unlike(test, edits, facts);
}

function edit(part: Test, operator: MutationOperator, name: string, replacement: Condition): PartMutation {
  return { operator, name, part, replacement, shown: [part, replacement] };
}

/** The test with another argument; `expected` is how a policy would have it. */
function withArgument(test: Test, argument: Argument, expected: unknown = argument): Test {
  return { ...test, argument, expected, key: testKey({ ...test, argument }) };
}

const STEPS = [
  ['up', 1],
  ['down', -1],
] as const;

function moves(test: Test, facts: FactTable): PartMutation[] {
  const { operator, argument, type } = test;
  if (argument === undefined) return [];
  const moved = (name: string, value: Argument | undefined, expected?: unknown) =>
    value === undefined ? [] : [edit(test, 'threshold', name, withArgument(test, value, expected))];
  switch (operatorRow(operator).argument) {
    case 'limit':
      return STEPS.flatMap(([name, by]) => moved(name, movedLimit(argument as FactValue, by, type)));
    case 'range': {
      const ends = argument as Arguments['range'];
      return ends.flatMap((end, at) =>
        STEPS.flatMap(([name, by]) => {
          const value = movedLimit(end, by, type);
          return value === undefined ? [] : moved(`end ${at} ${name}`, ends.with(at, value) as unknown as Argument);
        }),
      );
    }
    case 'duration':
      return STEPS.flatMap(([name, by]) => {
        const days = Number(argument) + by;
        return days < 0 ? [] : moved(name, days, count(days, 'day'));
      });
    case 'day':
      return STEPS.flatMap(([name, by]) => moved(name, movedDay(String(argument), by)));
    case 'years':
      return yearsMutations(argument as Arguments['years'], facts).map(({ operator: by, name, years }) =>
        edit(test, by, name, withArgument(test, years, asWritten(years))),
      );
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

interface YearsMutation {
  readonly operator: MutationOperator;
  readonly name: string;
  readonly years: Arguments['years'];
}

/** The edits of one of the tests of a number of years: those of a test of any whole number. */
function yearsMutations(years: Arguments['years'], facts: FactTable): YearsMutation[] {
  return years.flatMap(({ operator, argument }, at) => {
    const asked = { fact: '', operator, argument, other: undefined };
    const inner: Test = {
      ...{ kind: 'test', type: YEARS.type, expected: argument },
      ...asked,
      key: testKey(asked),
    };
    return [...moves(inner, facts), ...swaps(inner), ...dropped(inner)].flatMap(
      ({ operator: by, name, replacement }) => {
        if (replacement.kind !== 'test') return [];
        const changed = { operator: replacement.operator, argument: replacement.argument } as YearsTest;
        return { operator: by, name: `${at} ${name}`, years: years.with(at, changed) };
      },
    );
  });
}

function asWritten(years: Arguments['years']): unknown {
  return Object.fromEntries(years.map(({ operator, argument }) => [operator, argument]));
}

function swaps(test: Test): PartMutation[] {
  const { operator, argument, expected } = test;
  if (typeof argument === 'boolean' && operatorRow(operator).argument === 'truth') {
    return [edit(test, 'operator', 'other truth', withArgument(test, !argument))];
  }
  const others = SWAPS[operator];
  if (!others) return [edit(test, 'not', 'negated', { kind: 'not', of: [test] })];
  return others.map((other) => {
    const swapped: Test = { ...test, operator: other, expected, key: testKey({ ...test, operator: other }) };
    return edit(test, 'operator', other, swapped);
  });
}

function dropped(test: Test): PartMutation[] {
  const { argument, operator, expected } = test;
  if (operatorRow(operator).argument !== 'values' || !Array.isArray(argument) || argument.length < 2) return [];
  const written = Array.isArray(expected) ? expected : argument;
  return argument.slice(0, MOST_VALUES).map((_, at) => {
    const without = (values: readonly unknown[]) => values.filter((__, i) => i !== at);
    return edit(test, 'value', `without ${at}`, withArgument(test, without(argument) as Argument, without(written)));
  });
}

/** Edits of different truth, in any state of the fact, than the test has and than those before have. */
function unlike(test: Test, edits: readonly PartMutation[], facts: FactTable): readonly PartMutation[] {
  const tests = edits.flatMap(({ replacement }) => (replacement.kind === 'test' ? [replacement] : []));
  const cells = new Cells([test, ...tests], facts);
  const keyOf = (condition: Condition): string => {
    if (condition.kind !== 'test') return 'negated';
    const { axis, isTrue, isUnknown } = cells.of(condition);
    return `${cells.axes.indexOf(axis)} ${isTrue} ${isUnknown}`;
  };
  const seen = new Set([keyOf(test)]);
  return edits.filter(({ replacement }) => {
    const key = keyOf(replacement);
    return !seen.has(key) && seen.add(key);
  });
}
