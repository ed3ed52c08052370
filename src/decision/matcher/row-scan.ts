/** Columns of facts, a row for each applicant -> the rules that fire in each row, and why others are undetermined. */

import { VerdictError } from '../../errors.ts';
import { computedIn } from '../../facts/compute.ts';
import type { Facts } from '../../facts/fact.ts';
import { type Axis, cellsIn } from '../../policy/cells/cells.ts';
import { factsOf, type Rule, testsOf } from '../../policy/language.ts';
import { gatherMissing, type MissingEvidence } from '../meaning/evidence.ts';
import { MISSING_CELL } from './cell-lookup.ts';
import { type Columns, createCellWriter, type Days, factAt, hasValue } from './columns.ts';
import type { BitAxis, Program } from './program.ts';
import { createScan } from './scan.ts';

/** The rules that fire in a row or are undetermined in it, shadow rules too. Only valid until the next row. */
export interface RowTruths {
  readonly row: number;
  /** How many there are. */
  readonly size: number;
  /** Of each, below `size`, its index in the policy, ascending, and 1 if it fires. */
  readonly rules: Int32Array;
  readonly isFired: Uint8Array;
  /** The missing facts that leave a rule undetermined. Equal evidence is one and the same array. */
  missing(rule: number): readonly MissingEvidence[];
}

/** Visits each row of columns. */
export type RowScan = (columns: Columns, days: Days, visit: (truths: RowTruths) => void) => void;

/** The number of rows of a block: their cells stay in the processor's cache. */
const BLOCK = 1024;

/** Creates the scan of rows. `activeOn` gives the vector of the conjunctions that are active on a day. */
export function createRowScan(program: Program, activeOn: (day: string) => Int32Array): RowScan {
  const { axes, policy } = program;
  const { rules, facts: table } = policy;
  // A decision in the midst of a row, which is of the same matcher, has cells of its own.
  const cells = new Int32Array(axes.length);
  const scan = createScan(program, cells);
  const evidence = new RowEvidence(program, cells);
  const truths = {
    ...{ row: 0, size: 0, rules: new Int32Array(rules.length), isFired: new Uint8Array(rules.length) },
    missing: (rule: number) => evidence.of(rule, truths.row),
  };
  const add = (rule: number, isFired: boolean) => {
    truths.rules[truths.size] = rule;
    truths.isFired[truths.size] = isFired ? 1 : 0;
    truths.size += 1;
  };
  return (columns, days, visit) => {
    const computedPath = [...computedIn(table).keys()].find((path) => columns.columns.has(path));
    if (computedPath !== undefined) {
      throw new VerdictError('REQUEST_INVALID', `the columns give ${computedPath}, which the policy computes`);
    }
    evidence.begin(columns, days);
    const writers = axes.map(({ source }) => createCellWriter(source, columns, table, days));
    const blocks = axes.map(() => new Int32Array(BLOCK));
    for (let from = 0; from < columns.rows; from += BLOCK) {
      const size = Math.min(BLOCK, columns.rows - from);
      for (const [i, write] of writers.entries()) write((blocks[i] as Int32Array).subarray(0, size), from);
      for (let row = 0; row < size; row++) {
        for (let i = 0; i < cells.length; i++) {
          cells[i] = (axes[i] as BitAxis).firstCell + ((blocks[i] as Int32Array)[row] as number);
        }
        truths.row = from + row;
        truths.size = 0;
        scan(undefined, activeOn(days.at(from + row)), add);
        visit(truths);
      }
    }
  };
}

/** An axis of a rule, and by cell the truths of the rule's tests, as a number below `count`. */
interface Part {
  readonly axis: number;
  readonly firstCell: number;
  readonly path: string;
  readonly truths: Int32Array;
  readonly count: number;
}

/** The cells of a row -> why its rules are undetermined, which is the same for all rows in which the tests are. */
class RowEvidence {
  readonly #program: Program;
  readonly #cells: Int32Array;
  readonly #axes: ReadonlyMap<unknown, number>;
  /** By rule; null for a rule whose evidence the cells do not tell. */
  readonly #parts = new Map<number, readonly Part[] | null>();
  readonly #known = new Map<number, Map<number, readonly MissingEvidence[]>>();
  readonly #byText = new Map<string, readonly MissingEvidence[]>();
  #columns: Columns = { rows: 0, columns: new Map() };
  #days: Days | undefined;

  constructor(program: Program, cells: Int32Array) {
    this.#program = program;
    this.#cells = cells;
    this.#axes = new Map(program.axes.map(({ source }, i) => [source, i]));
  }

  begin(columns: Columns, days: Days): void {
    [this.#columns, this.#days] = [columns, days];
  }

  of(index: number, row: number): readonly MissingEvidence[] {
    const rule = this.#program.policy.rules[index] as Rule;
    const key = this.#keyOf(index, rule, row);
    if (key === undefined) return this.#read(rule, row);
    const known = this.#known.get(index) ?? new Map<number, readonly MissingEvidence[]>();
    this.#known.set(index, known);
    const found = known.get(key) ?? this.#read(rule, row);
    known.set(key, found);
    return found;
  }

  /** A number for the truths of the rule's tests; undefined if a value that its fact cannot have is among them. */
  #keyOf(index: number, rule: Rule, row: number): number | undefined {
    let parts = this.#parts.get(index);
    if (parts === undefined) {
      parts = this.#partsOf(rule);
      this.#parts.set(index, parts);
    }
    if (parts === null) return undefined;
    let key = 0;
    for (let i = 0; i < parts.length; i++) {
      const { axis, firstCell, path, truths, count } = parts[i] as Part;
      const cell = (this.#cells[axis] as number) - firstCell;
      if (cell === MISSING_CELL && hasValue(this.#columns.columns.get(path), row)) return undefined;
      key = key * count + (truths[cell] as number);
    }
    return key;
  }

  #partsOf(rule: Rule): readonly Part[] | null {
    const { cells, axes, policy } = this.#program;
    const tests = new Map([...testsOf(rule.when)].map((test) => [test.key, cells.of(test)]));
    const parts: Part[] = [];
    for (const [axis, ofAxis] of Map.groupBy(tests.values(), (each) => each.axis)) {
      const index = this.#axes.get(axis);
      if (index === undefined || axis.other !== undefined || policy.facts.get(axis.fact)?.compute) return null;
      const { firstCell } = axes[index] as BitAxis;
      parts.push({ axis: index, firstCell, path: axis.fact, ...truthsOf(axis, ofAxis) });
    }
    return parts.reduce((product, { count }) => product * count, 1) <= Number.MAX_SAFE_INTEGER ? parts : null;
  }

  #read({ when }: Rule, row: number): readonly MissingEvidence[] {
    const { facts: table } = this.#program.policy;
    const day = this.#days?.at(row) ?? '';
    const facts: Facts = new Map(
      [...factsOf(when)].map((path) => [path, factAt(this.#columns, table, path, row, day)]),
    );
    const missing = gatherMissing(when, facts, day);
    const text = missing.map(({ fact, cause }) => `${fact} ${cause}`).join();
    const same = this.#byText.get(text) ?? missing;
    this.#byText.set(text, same);
    return same;
  }
}

/** By cell of an axis, a number for the truths of some tests there. */
function truthsOf(
  { cells }: Axis,
  tests: readonly { readonly isTrue: bigint; readonly isUnknown: bigint }[],
): Pick<Part, 'truths' | 'count'> {
  const names = cells.map(() => '');
  for (const { isTrue, isUnknown } of tests) {
    const [known, open] = [new Set(cellsIn(isTrue)), new Set(cellsIn(isUnknown))];
    for (const cell of names.keys()) names[cell] += open.has(cell) ? '?' : known.has(cell) ? '+' : '-';
  }
  const numbers = new Map([...new Set(names)].map((name, i) => [name, i]));
  return { truths: Int32Array.from(names, (name) => numbers.get(name) ?? 0), count: numbers.size };
}
