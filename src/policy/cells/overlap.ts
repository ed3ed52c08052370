/** Conditions, each a list of tests that must all hold -> pairs that can hold together, by the cells of their tests. */

import type { FactTable } from '../../facts/catalog.ts';
import type { FactValue } from '../../facts/fact.ts';
import type { Test } from '../language.ts';
import { operatorRow } from '../operators.ts';
import { type Axis, type Cell, Cells, cellsIn } from './cells.ts';
import { Conjunctions, type Region, setOn } from './conjunctions.ts';

/** The tests of one condition. */
export type AllOf = readonly Test[];

/** A value of a fact that passes all its tests, or the fact's cells if no such value is known. */
export type SharedFact = { readonly value: FactValue } | { readonly cells: readonly Cell[] };

/** Two conditions, by index, that hold together, and facts for which they do. */
export interface Overlap {
  readonly earlier: number;
  readonly later: number;
  /** Each fact that they test. */
  readonly facts: ReadonlyMap<string, SharedFact>;
}

/** More than this at once is not useful to anyone who fixes them. */
const MAX_OVERLAPS = 10;
/** A condition that asks for more cells of an axis is compared with every other one there. */
const MAX_LISTED = 64;
/** A group of so few is compared pair by pair. */
const SMALL_GROUP = 8;
/** About half a second: a unit is a condition in a group, or 64 cells of two conditions compared. */
const MAX_WORK = 5_000_000;

/** The day does not matter: values that depend on it are not shown. */
const ANY_DAY = '2000-01-01';
const DEPEND_ON_DAY: ReadonlySet<string> = new Set(['age', 'years']);

/** Finds conditions that hold together. Conditions that ask for single values take time in n log n. */
export function findOverlaps(conditions: readonly AllOf[], facts: FactTable) {
  const cells = new Cells(conditions.flat(), facts);
  const conjunctions = new Conjunctions(cells);
  const possible: Asked[] = conditions.flatMap((tests, index) => {
    const region = conjunctions.meet(tests);
    return region ? { index, tests, region, listed: new Map() } : [];
  });
  const search = new Search((tests) => conjunctions.meet(tests));
  const isWhole = search.compare(possible, cells.axes);
  const overlaps = [...search.found.values()].sort((one, other) => one.later - other.later);
  return {
    /** For a condition that overlaps earlier ones, one of these. At most `MAX_OVERLAPS`, by the later condition. */
    found: overlaps.slice(0, MAX_OVERLAPS),
    /** Whether every two conditions were compared. */
    isWhole,
  };
}

/** A condition that can hold. */
interface Asked {
  readonly index: number;
  readonly tests: AllOf;
  readonly region: Region;
  /** The cells that it asks for on an axis; undefined if they are many. */
  readonly listed: Map<Axis, readonly number[] | undefined>;
}

class Search {
  /** By the later condition. */
  readonly found = new Map<number, Overlap>();
  readonly #meet: (tests: AllOf) => Region | undefined;
  #work = 0;

  constructor(meet: (tests: AllOf) => Region | undefined) {
    this.#meet = meet;
  }

  /** Compares each two of a group. False if the search ended before. */
  compare(group: readonly Asked[], axes: readonly Axis[]): boolean {
    this.#work += group.length * axes.length;
    if (group.length < 2) return true;
    if (this.#work > MAX_WORK || this.found.size >= MAX_OVERLAPS) return false;
    const divisions = group.length <= SMALL_GROUP ? [] : axes.map((axis) => divide(group, axis));
    const best = divisions.reduce<Division | undefined>(
      (one, other) => (one && one.cost <= other.cost ? one : other),
      undefined,
    );
    if (!best || best.cost >= (group.length * group.length) / 2) return this.#compareEach(group, axes);
    const others = axes.filter((axis) => axis !== best.axis);
    const parts =
      best.byCell.size === 0 ? [best.wide] : [...best.byCell.values()].map((part) => [...part, ...best.wide]);
    return parts.every((part) => this.compare(part, others));
  }

  #compareEach(group: readonly Asked[], axes: readonly Axis[]): boolean {
    for (const [i, one] of group.entries()) {
      for (let j = i + 1; j < group.length; j++) {
        if (this.#work > MAX_WORK || this.found.size >= MAX_OVERLAPS) return false;
        const other = group[j] as Asked;
        if (axes.every((axis) => this.#meetOn(axis, one, other))) this.#note(one, other);
      }
    }
    return true;
  }

  #meetOn(axis: Axis, one: Asked, other: Asked): boolean {
    this.#work += 1 + (axis.cells.length >> 6);
    return (setOn(axis, one.region) & setOn(axis, other.region)) !== 0n;
  }

  #note(one: Asked, other: Asked): void {
    const [earlier, later] = one.index < other.index ? [one, other] : [other, one];
    if (this.found.has(later.index)) return;
    const tests = [...earlier.tests, ...later.tests];
    const region = this.#meet(tests);
    if (region)
      this.found.set(later.index, { earlier: earlier.index, later: later.index, facts: showFacts(tests, region) });
  }
}

/** A group by the cells of one axis. */
interface Division {
  readonly axis: Axis;
  readonly byCell: ReadonlyMap<number, readonly Asked[]>;
  /** Conditions that ask for many cells of the axis, or do not test it. */
  readonly wide: readonly Asked[];
  /** The sum of the sizes of the parts. */
  readonly cost: number;
}

function divide(group: readonly Asked[], axis: Axis): Division {
  const byCell = new Map<number, Asked[]>();
  const wide: Asked[] = [];
  let listed = 0;
  for (const asked of group) {
    const cells = listCells(asked, axis);
    if (!cells) wide.push(asked);
    for (const cell of cells ?? []) {
      const part = byCell.get(cell);
      if (part) part.push(asked);
      else byCell.set(cell, [asked]);
      listed++;
    }
  }
  return { axis, byCell, wide, cost: listed + byCell.size * wide.length + (byCell.size === 0 ? group.length ** 2 : 0) };
}

function listCells({ region, listed }: Asked, axis: Axis): readonly number[] | undefined {
  const set = region.sets.get(axis);
  if (set === undefined) return undefined;
  if (!listed.has(axis)) {
    const cells = cellsIn(set);
    listed.set(axis, cells.length <= MAX_LISTED ? cells : undefined);
  }
  return listed.get(axis);
}

function showFacts(tests: AllOf, region: Region): Overlap['facts'] {
  const shown = new Map<string, SharedFact>();
  for (const [fact, asked] of Map.groupBy(tests, (test) => test.fact)) {
    const axes = [...region.sets].filter(([axis]) => axis.fact === fact);
    const isAlone = axes.every(([axis]) => axis.other === undefined && !DEPEND_ON_DAY.has(axis.numbers?.unit ?? ''));
    const value = isAlone
      ? axes.flatMap(([axis, set]) => valuesIn(axis, set)).find((each) => passes(each, asked))
      : undefined;
    const first = ([axis, set]: readonly [Axis, bigint]) => axis.cells[cellsIn(set).at(-1) ?? 0] ?? [];
    shown.set(fact, value === undefined ? { cells: axes.flatMap(first) } : { value });
  }
  return shown;
}

function valuesIn(axis: Axis, set: bigint): readonly FactValue[] {
  return cellsIn(set).flatMap((cell) => axis.cells[cell]?.witness(ANY_DAY) ?? []);
}

function passes(value: FactValue, tests: AllOf): boolean {
  return tests.every(
    ({ operator, argument, type }) =>
      argument !== undefined && operatorRow(operator).holds(value, argument, { type, day: ANY_DAY }),
  );
}
