/**
 * The tests that a policy makes of its facts -> the cells that they cut each fact into: within a cell every test has the
 * same truth. So finitely many cells are all that a policy can tell apart.
 */

import type { FactTable } from '../../facts/catalog.ts';
import { type Fact, type FactValue, isMissing, NEVER } from '../../facts/fact.ts';
import type { Test } from '../language.ts';
import { operatorRow } from '../operators.ts';
import { axisKey, valueAxis } from './axis.ts';
import type { NamedCells, NumberCells, ValueAxis } from './value-axis.ts';

/** What a fact can be: missing, a date known not to have happened, or anything else. */
export const STATES = { missing: 1, never: 2, value: 4 } as const;

/** Some of the states, as the sum of their numbers. */
export type States = number;

/** Every state. */
export const EVERY_STATE: States = STATES.missing + STATES.never + STATES.value;

/** One cell. */
export interface Cell {
  readonly state: keyof typeof STATES;
  /** What lies in it, for people. */
  readonly words: string;
  /**
   * A value in it on a day (yyyy-MM-dd). Undefined for what is missing, where no calendar day is as old, and where a cell
   * is known by the truth of its test alone.
   */
  witness(day: string): FactValue | undefined;
}

/**
 * One way in which a policy looks at a fact. Most facts have one axis; a date has one for its age and one for its
 * calendar day; what neither orders nor enumerates (`contains`, `matches`, one fact against another, a list whose entries
 * end) has an axis of its own with the cells missing, true and false. Sets of cells are bits, that of `cells[i]` is
 * `1n << i`.
 */
export interface Axis {
  /** The fact; for one fact against another a name of the pair, which has states of its own. */
  readonly subject: string;
  readonly fact: string;
  /** The fact that it is compared with. */
  readonly other: string | undefined;
  /** First what is missing, then `never` where it is of a date alone, then values in their order. */
  readonly cells: readonly Cell[];
  /** Whether the values have an order, and the cells stand in it. */
  readonly isOrdered: boolean;
  /** The cells of some states. */
  within(states: States): bigint;
  /** The cell in which a fact lies on a day; undefined for a value that the fact's definition does not allow. */
  find(fact: Fact, other: Fact | undefined, day: string): number | undefined;
  /** The values as numbers, where they are ordered by such, and single values. Their cells stand behind those of the states. */
  readonly numbers?: NumberCells;
  readonly named?: NamedCells;
  /** The cell of the first value. */
  readonly firstValue: number;
}

/** A test by cells. In all other cells it is false. */
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

  /** `facts` are those that the tests may name. */
  constructor(tests: Iterable<Test>, facts: FactTable) {
    const groups = new Map<string, Map<string, Test>>();
    for (const test of tests) {
      const key = axisKey(test);
      const group = groups.get(key) ?? new Map<string, Test>();
      groups.set(key, group.set(test.key, test));
    }
    this.axes = [...groups].map(([key, group]) => this.#cut(key, [...group.values()], facts));
  }

  /** The cells of one of the tests. */
  of(test: Test): TestCells {
    const cells = this.#byTest.get(test.key);
    if (!cells) throw new RangeError(`not one of the tests: ${test.operator} of ${test.fact}`);
    return cells;
  }

  /** The axis that some tests share, and the truth of each in its cells. */
  #cut(key: string, tests: readonly Test[], facts: FactTable): Axis {
    const [first] = tests as [Test];
    const definition = facts.get(first.fact);
    if (!definition) throw new RangeError(`not a fact of the table: ${first.fact}`);
    const values = valueAxis(tests, definition);
    const axis = withStates(key, first, values);
    const firstValue = axis.cells.length - values.cells.length;
    for (const test of tests) {
      let isTrue = 0n;
      for (const [i, { holds }] of values.cells.entries()) if (holds(test)) isTrue |= 1n << BigInt(firstValue + i);
      if (firstValue === 2 && isTrueOfNever(test)) isTrue |= 2n;
      if (test.operator === 'known' && test.argument === false) isTrue |= 1n;
      this.#byTest.set(test.key, { axis, isTrue, isUnknown: test.operator === 'known' ? 0n : 1n });
    }
    return axis;
  }
}

/** Of the operators, `never` and those that compare values for being the same take it as one more value. */
function isTrueOfNever({ operator, argument, type }: Test): boolean {
  // The day is of no account to what never happened.
  return argument !== undefined && operatorRow(operator).holds(NEVER, argument, { type, day: '2000-01-01' });
}

const MISSING: Cell = { state: 'missing', words: 'missing', witness: () => undefined };
const NEVER_HAPPENED: Cell = { state: 'never', words: NEVER, witness: () => NEVER };

/** An axis of values with the states that a fact can be in beside them. */
function withStates(key: string, { fact, other, type }: Test, values: ValueAxis): Axis {
  const hasNever = type === 'date' && other === undefined;
  const cells: readonly Cell[] = [
    MISSING,
    ...(hasNever ? [NEVER_HAPPENED] : []),
    ...values.cells.map(({ words, witness }) => ({ state: 'value', words, witness }) as const),
  ];
  const firstValue = cells.length - values.cells.length;
  const every = (1n << BigInt(cells.length)) - 1n;
  const valueBits = every & ~((1n << BigInt(firstValue)) - 1n);
  return {
    subject: other === undefined ? fact : key,
    fact,
    other,
    cells,
    isOrdered: values.isOrdered,
    firstValue,
    ...(values.numbers ? { numbers: values.numbers } : {}),
    ...(values.named ? { named: values.named } : {}),
    within: (states) =>
      (states & STATES.missing ? 1n : 0n) |
      (hasNever && states & STATES.never ? 2n : 0n) |
      (states & STATES.value ? valueBits : 0n),
    find: (found, against, day) => {
      if (isMissing(found) || (other !== undefined && (against === undefined || isMissing(against)))) return 0;
      if (hasNever && found.value === NEVER) return 1;
      const otherValue = against && !isMissing(against) ? against.value : undefined;
      const index = values.find(found.value, otherValue, day);
      return index === undefined ? undefined : firstValue + index;
    },
  };
}
