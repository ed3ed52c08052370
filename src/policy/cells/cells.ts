/**
 * The tests of a policy -> the cells into which they cut each fact. Within a cell every test has the same truth, so a
 * policy distinguishes only finitely many cells.
 */

import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';
import type { Test } from '../language.ts';
import { operatorRow } from '../operators.ts';
import { axisKey, valueAxis } from './axis.ts';
import type { TextForm } from './text-forms.ts';
import type { NamedCells, NumberCells, ValueAxis } from './value-axis.ts';

/** The states of a fact: missing, a date that is known never to have happened, or a value. */
export const STATES = { missing: 1, never: 2, value: 4 } as const;

/** A set of states, as the sum of their numbers. */
export type States = number;

/** Every state. */
export const EVERY_STATE: States = STATES.missing + STATES.never + STATES.value;

/** One cell. */
export interface Cell {
  readonly state: keyof typeof STATES;
  /** Describes its values for people. */
  readonly words: string;
  /**
   * A value in it on a day (yyyy-MM-dd). Undefined for the cell of missing facts, for an age that no calendar day has,
   * and for a cell that is known only by the truth of its test.
   */
  witness(day: string): FactValue | undefined;
}

/**
 * One way in which a policy looks at a fact. Most facts have one axis. A date has one for its age in days, one for its
 * completed years and one for its calendar day. A test that neither orders nor enumerates values (`contains`,
 * `matches`, one fact against another, a list whose entries have last days) has an axis of its own, with the cells
 * missing, true and false. A set of cells is a bit set in which `cells[i]` is `1n << i`.
 */
export interface Axis {
  /** The fact; for one fact against another, a name of the pair, which has states of its own. */
  readonly subject: string;
  readonly fact: string;
  /** The other fact of a test against a fact. */
  readonly other: string | undefined;
  /** First the cell of missing facts, then `never` for a date alone, then the values in their order. */
  readonly cells: readonly Cell[];
  /** Whether the values have an order, which the cells follow. */
  readonly isOrdered: boolean;
  /** The cells of some states. */
  within(states: States): bigint;
  /** The cell in which a fact lies on a day; undefined for a value that the fact's definition does not allow. */
  find(fact: Fact, other: Fact | undefined, day: string): number | undefined;
  /** What the texts of a cell of values have in common, if the fact is a text that is not compared with another. */
  formOf?(cell: number): TextForm;
  /** Look-up tables of the values' cells, by number or by value. Add `firstValue` to get an index of `cells`. */
  readonly numbers?: NumberCells;
  readonly named?: NamedCells;
  /** The index of the first cell of values. */
  readonly firstValue: number;
}

/** The indexes of the cells of a set, ascending. */
export function cellsIn(set: bigint): number[] {
  // By hexadecimal digits: shifting a set of n cells n times would take n² steps.
  const digits = set.toString(16);
  const indexes: number[] = [];
  for (let at = digits.length - 1; at >= 0; at--) {
    if (digits[at] === '0') continue;
    const digit = Number.parseInt(digits[at] as string, 16);
    for (let bit = 0; bit < 4; bit++) if (digit & (1 << bit)) indexes.push((digits.length - 1 - at) * 4 + bit);
  }
  return indexes;
}

/** The truth of a test by cells: in all other cells it is false. */
export interface TestCells {
  readonly axis: Axis;
  /** The cells in which it is true. */
  readonly isTrue: bigint;
  /** The cells in which it is unknown. */
  readonly isUnknown: bigint;
}

/** The cells of all facts that some tests are about. */
export class Cells {
  readonly axes: readonly Axis[];
  readonly #byTest = new Map<string, TestCells>();

  /** `facts` has the facts that the tests name. */
  constructor(tests: Iterable<Test>, facts: FactTable) {
    const groups = new Map<string, Map<string, Test>>();
    for (const test of tests) {
      const key = axisKey(test);
      const group = groups.get(key) ?? new Map<string, Test>();
      groups.set(key, group.set(test.key, test));
    }
    this.axes = [...groups].map(([key, group]) => this.#cut(key, [...group.values()], facts));
  }

  /** The truth of one of the tests by cells. */
  of(test: Test): TestCells {
    const cells = this.#byTest.get(test.key);
    if (!cells) throw new RangeError(`not one of the tests: ${test.operator} of ${test.fact}`);
    return cells;
  }

  /** Cuts the axis that some tests share, and records the truth of each test in its cells. */
  #cut(key: string, tests: readonly Test[], facts: FactTable): Axis {
    const [first] = tests as [Test];
    const definition = facts.get(first.fact);
    if (!definition) throw new RangeError(`not a fact of the table: ${first.fact}`);
    const values = valueAxis(tests, definition);
    const axis = withStates(key, first, values);
    const firstValue = axis.cells.length - values.cells.length;
    for (const test of tests) {
      let isTrue = trueCells(test, values) << BigInt(firstValue);
      if (firstValue === 2 && isTrueOfNever(test)) isTrue |= 2n;
      if (test.operator === 'known' && test.argument === false) isTrue |= 1n;
      this.#byTest.set(test.key, { axis, isTrue, isUnknown: test.operator === 'known' ? 0n : 1n });
    }
    return axis;
  }
}

/** The cells of values in which a test is true: from each change to the next, its truth is that of the first cell. */
function trueCells(test: Test, { cells, changes }: ValueAxis): bigint {
  const starts = [...new Set([0, ...changes(test)])].filter((start) => start < cells.length).sort((a, b) => a - b);
  let merged = 0n;
  for (const [i, start] of starts.entries()) {
    const end = starts[i + 1] ?? cells.length;
    if (cells[start]?.holds(test)) merged |= ((1n << BigInt(end - start)) - 1n) << BigInt(start);
  }
  return merged;
}

/** Whether a test is true of a date that never happened: `never`, and operators that test for equality. */
function isTrueOfNever({ operator, argument, type }: Test): boolean {
  // The day does not matter for a date that never happened.
  return argument !== undefined && operatorRow(operator).holds(NEVER, argument, { type, day: '2000-01-01' });
}

const MISSING: Cell = { state: 'missing', words: 'missing', witness: () => undefined };
const NEVER_HAPPENED: Cell = { state: 'never', words: NEVER, witness: () => NEVER };

/** An axis of values, with the cells of the other states before them. */
function withStates(key: string, { fact, other, type }: Test, values: ValueAxis): Axis {
  const hasNever = type === 'date' && other === undefined;
  const cells: readonly Cell[] = [
    MISSING,
    ...(hasNever ? [NEVER_HAPPENED] : []),
    ...values.cells.map(({ words, witness }) => ({ state: 'value', words, witness }) as const),
  ];
  const firstValue = cells.length - values.cells.length;
  const { formOf } = values;
  const every = (1n << BigInt(cells.length)) - 1n;
  const valueBits = every & ~((1n << BigInt(firstValue)) - 1n);
  return {
    subject: other === undefined ? fact : key,
    fact,
    other,
    cells,
    isOrdered: values.isOrdered,
    firstValue,
    ...(formOf ? { formOf: (cell: number) => formOf(cell - firstValue) } : {}),
    ...(values.numbers ? { numbers: values.numbers } : {}),
    ...(values.named ? { named: values.named } : {}),
    within: (states) =>
      (states & STATES.missing ? 1n : 0n) |
      (hasNever && states & STATES.never ? 2n : 0n) |
      (states & STATES.value ? valueBits : 0n),
    find: (fact, against, day) => {
      if (isMissing(fact) || (other !== undefined && (against === undefined || isMissing(against)))) return 0;
      if (hasNever && fact.value === NEVER) return 1;
      const otherValue = against && !isMissing(against) ? against.value : undefined;
      const index = values.find(fact.value, otherValue, day);
      return index === undefined ? undefined : firstValue + index;
    },
  };
}
