/** The table of operators: its columns agree with each other. */

import { describe, expect, it } from 'vitest';
import { evaluateTest, TRUE } from '../../src/decision/meaning/truth.ts';
import { type FactType, LEVELS } from '../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber } from '../../src/facts/day.ts';
import { type FactValue, NEVER } from '../../src/facts/fact.ts';
import type { Argument, ArgumentKind } from '../../src/policy/arguments.ts';
import { Cells } from '../../src/policy/cells/cells.ts';
import type { Test } from '../../src/policy/language.ts';
import { describeTest, OPERATOR_NAMES, type OperatorName, operatorRow } from '../../src/policy/operators.ts';

const DAY = '2026-11-20';

const numbers = Array.from({ length: 61 }, (_, i) => (i - 20) / 2);
const days = Array.from({ length: 1601 }, (_, i) => dayOfNumber(dayNumber(DAY) + i - 800));

/** Values of each type, close to each other around the arguments below. */
const VALUES: Readonly<Record<FactType, readonly FactValue[]>> = {
  number: numbers,
  integer: numbers.filter(Number.isInteger),
  level: LEVELS,
  boolean: [true, false],
  enum: ['web', 'app', 'desk'],
  string: ['acme', 'acme.example', 'mail.acme.example', 'acm', 'other'],
  date: [...days, NEVER],
};

/** Two values of each type, the lesser one first. */
const PAIRS: Readonly<Record<FactType, readonly [FactValue, FactValue]>> = {
  number: [2, 7.5],
  integer: [2, 7],
  level: ['low', 'high'],
  boolean: [false, true],
  enum: ['web', 'app'],
  string: ['acme', 'other'],
  date: ['2026-03-01', '2027-02-01'],
};

/** Arguments of each kind. */
const ARGUMENTS: Readonly<Record<ArgumentKind, (type: FactType) => readonly Argument[]>> = {
  value: (type) => PAIRS[type],
  limit: (type) => PAIRS[type],
  values: (type) => [PAIRS[type], PAIRS[type].slice(0, 1)],
  range: (type) => [PAIRS[type]],
  duration: () => [0, 30],
  years: () => [
    [{ operator: 'atLeast', argument: 1 }],
    [
      { operator: 'below', argument: 2 },
      { operator: 'isNot', argument: 0 },
    ],
  ],
  day: (type) => PAIRS[type].map(String),
  truth: () => [true, false],
  text: () => ['acme', 'example'],
  pattern: () => [{ source: '^acme$', test: (text) => text === 'acme' }],
  list: () => [{ name: 'some', entries: new Map([['acme.example', undefined]]), longest: 12 }],
};

function testsBy(operator: OperatorName, type: FactType): readonly Test[] {
  return ARGUMENTS[operatorRow(operator).argument](type).map((argument, i) => ({
    ...{ kind: 'test', fact: 'context.it', operator, type, other: undefined },
    ...{ argument, expected: argument, key: `${operator} ${i}` },
  }));
}

describe('an operator', () => {
  it.each(OPERATOR_NAMES)('%s has one truth in each cell', (operator) => {
    const { types, format } = operatorRow(operator);
    for (const type of types) {
      const definition = { type, origin: 'caller', description: '', values: ['web', 'app', 'desk'] } as const;
      const facts = new Map([['context.it', { ...definition, ...(format === undefined ? {} : { format }) }]]);
      const seen = new Set<boolean>();
      for (const test of testsBy(operator, type)) {
        const cells = new Cells([test], facts);
        const { axis, isTrue } = cells.of(test);
        const found = VALUES[type].map((value) => {
          const cell = axis.find({ value }, undefined, DAY);
          return cell !== undefined && (isTrue & (1n << BigInt(cell))) !== 0n;
        });
        const truths = VALUES[type].map((value) => evaluateTest(test, { value }, undefined, DAY) === TRUE);
        expect(truths, `${type} ${test.key}`).toEqual(found);
        for (const truth of truths) seen.add(truth);
      }
      expect(seen, `${type} has values of both truths`).toEqual(new Set([true, false]));
    }
  });

  it.each(OPERATOR_NAMES.filter((name) => operatorRow(name).negates !== undefined))(
    '%s is true where the operator that it negates is false',
    (operator) => {
      const { types, negates = operator, sentence } = operatorRow(operator);
      expect(operatorRow(negates).negation).toBe(sentence);
      for (const type of types) {
        for (const test of testsBy(operator, type)) {
          for (const value of VALUES[type]) {
            const negated = evaluateTest({ ...test, operator: negates }, { value }, undefined, DAY);
            expect(evaluateTest(test, { value }, undefined, DAY) === TRUE).toBe(negated !== TRUE);
          }
        }
      }
    },
  );
});

it.each([
  [{ is: 18 }, 'lies exactly 18 completed years back'],
  [{ isNot: 18 }, 'lies any number but 18 completed years back'],
  [{ in: [18, 19] }, 'lies exactly 18 or 19 completed years back'],
  [{ notIn: [18, 19] }, 'lies any number but 18 or 19 completed years back'],
  [{ above: 18 }, 'lies more than 18 completed years back'],
  [{ atMost: 18 }, 'lies at most 18 completed years back'],
  [{ between: [18, 25] }, 'lies between 18 and 25 completed years back'],
  [{ atLeast: 18, below: 21 }, 'lies at least 18 and less than 21 completed years back'],
])('years are said as people say them: %j', (expected, words) => {
  expect(describeTest({ operator: 'yearsSince', expected })).toBe(words);
  const negated = describeTest({ operator: 'yearsSince', expected }, true);
  expect(negated).toBe(words.replace('lies', 'does not lie'));
});
