/** Columns of facts, a row for each applicant -> the rules that fire in each row, and why others are undetermined. */

import { VerdictError } from '../../errors.ts';
import { computedIn } from '../../facts/compute.ts';
import type { Facts } from '../../facts/fact.ts';
import { type Axis, cellsIn } from '../../policy/cells/cells.ts';
import { factsOf, type Rule, testsOf } from '../../policy/language.ts';
import { gatherMissing, type MissingEvidence } from '../meaning/evidence.ts';
import { MISSING_CELL } from './cell-lookup.ts';
import { type Column, type Columns, createCellWriter, type Days, factAt, hasContent } from './columns.ts';
import type { BitAxis, Program } from './program.ts';
import { visitRules } from './scan.ts';

/** The rules that fire in a row or are undetermined in it, shadow rules too. Only valid until the next row. */
export interface RowTruths {
  readonly row: number;
  /** How many there are. */
  readonly size: number;
  /** Of each, below `size`, its index in the policy, ascending, and 1 if it fires. */
  readonly rules: Int32Array;
  readonly isFired: Uint8Array;
  /** The missing facts that leave a rule undetermined. */
  missing(rule: number): EvidenceCount;
}

/** Evidence and a count for the caller: one object for all rows of a scan in which a rule has that evidence. */
export interface EvidenceCount {
  readonly evidence: readonly MissingEvidence[];
  n: number;
}

/** Visits each row of columns. */
export type RowScan = (columns: Columns, days: Days, visit: (truths: RowTruths) => void) => void;

/** The words of a block's vectors, which stay in the processor's cache. */
const BLOCK_WORDS = 8192;

/** Creates the scan of rows. `activeOn` gives the vector of the conjunctions that are active on a day. */
export function createRowScan(program: Program, activeOn: (day: string) => Int32Array): RowScan {
  const { axes, policy, words } = program;
  const { rules, facts: table } = policy;
  const most = Math.max(64, Math.floor(BLOCK_WORDS / Math.max(1, words)));
  const block: Block = {
    most,
    cells: new Int32Array(axes.length * most),
    possible: new Int32Array(most * words),
    certain: new Int32Array(most * words),
    unsure: new Int32Array(most),
  };
  const evidence = new RowEvidence(program, block);
  let rowInBlock = 0;
  const truths = {
    ...{ row: 0, size: 0, rules: new Int32Array(rules.length), isFired: new Uint8Array(rules.length) },
    missing: (rule: number) => evidence.of(rule, truths.row, rowInBlock),
  };
  const add = (rule: number, isFired: boolean) => {
    truths.rules[truths.size] = rule;
    truths.isFired[truths.size] = isFired ? 1 : 0;
    truths.size += 1;
  };
  const begin = ({ possible, certain }: Block, from: number, size: number, days: Days) => {
    certain.fill(-1);
    for (let row = 0; row < size; row++) {
      const active = activeOn(days.at(from + row));
      for (let word = 0; word < words; word++) possible[row * words + word] = active[word] as number;
    }
  };
  return (columns, days, visit) => {
    const computedPath = [...computedIn(table).keys()].find((path) => columns.columns.has(path));
    if (computedPath !== undefined) {
      throw new VerdictError('REQUEST_INVALID', `the columns give ${computedPath}, which the policy computes`);
    }
    evidence.begin(columns, days);
    const writers = axes.map(({ source }) => createCellWriter(source, columns, table, days));
    for (let from = 0; from < columns.rows; from += most) {
      const size = Math.min(most, columns.rows - from);
      begin(block, from, size, days);
      for (const [axis, write] of writers.entries()) {
        write(block.cells.subarray(axis * most, axis * most + size), from);
        andAxis(program, block, axis, size);
      }
      for (rowInBlock = 0; rowInBlock < size; rowInBlock++) {
        truths.row = from + rowInBlock;
        truths.size = 0;
        visitRules(program, block, rowInBlock * words, add);
        visit(truths);
      }
    }
  };
}

/** The rows that are decided at once. */
interface Block {
  /** How many rows there may be. */
  readonly most: number;
  /** By axis and row, the cell on that axis. */
  readonly cells: Int32Array;
  /** By row and word, the conjunctions that are possible, and those that are certain if they are possible. */
  readonly possible: Int32Array;
  readonly certain: Int32Array;
  /** Rows whose cell leaves conjunctions possible that are not certain. */
  readonly unsure: Int32Array;
}

/** Rules out what the cells of one axis rule out. */
function andAxis({ axes, words, bits, isUnsure }: Program, block: Block, axis: number, size: number): void {
  const { most, cells, possible, certain, unsure } = block;
  const { firstCell } = axes[axis] as BitAxis;
  const stride = 2 * words;
  const first = axis * most;
  let unsureCount = 0;
  for (let row = 0; row < size; row++) {
    if ((isUnsure[firstCell + (cells[first + row] as number)] as number) !== 0) unsure[unsureCount++] = row;
  }
  if (words <= FEW_WORDS) {
    for (let word = 0; word < words; word++) {
      for (let row = 0; row < size; row++) {
        const start = (firstCell + (cells[first + row] as number)) * stride + word;
        possible[row * words + word] = (possible[row * words + word] as number) & (bits[start] as number);
      }
    }
  } else {
    for (let row = 0; row < size; row++) {
      const start = (firstCell + (cells[first + row] as number)) * stride;
      const at = row * words;
      for (let word = 0; word < words; word++) {
        possible[at + word] = (possible[at + word] as number) & (bits[start + word] as number);
      }
    }
  }
  for (let i = 0; i < unsureCount; i++) {
    const row = unsure[i] as number;
    const start = (firstCell + (cells[first + row] as number)) * stride + words;
    for (let word = 0; word < words; word++) {
      certain[row * words + word] = (certain[row * words + word] as number) & (bits[start + word] as number);
    }
  }
}

/** Up to this many words a loop over rows for each is faster than a loop over words for each row. */
const FEW_WORDS = 4;

/** An axis of a rule, and by cell the truths of the rule's tests, as a number below `count`. */
interface Part {
  readonly axis: number;
  readonly truths: Int32Array;
  readonly count: number;
}

const UNKNOWN_KEY = -1;

/** The cells of a row -> why its rules are undetermined, which is the same for all rows in which the tests are. */
class RowEvidence {
  readonly #program: Program;
  readonly #block: Block;
  readonly #axes: ReadonlyMap<unknown, number>;
  /** By rule; null for a rule whose evidence the cells do not tell. */
  readonly #parts: (readonly Part[] | null | undefined)[] = [];
  readonly #known: (Map<number, EvidenceCount> | undefined)[] = [];
  readonly #counts = new EvidenceCounts();
  #columns: Columns = { rows: 0, columns: new Map() };
  /** By axis. */
  #columnOf: readonly (Column | undefined)[] = [];
  #days: Days | undefined;

  constructor(program: Program, block: Block) {
    this.#program = program;
    this.#block = block;
    this.#axes = new Map(program.axes.map(({ source }, i) => [source, i]));
  }

  begin(columns: Columns, days: Days): void {
    [this.#columns, this.#days] = [columns, days];
    this.#columnOf = this.#program.axes.map(({ source }) =>
      'kind' in source ? undefined : columns.columns.get(source.fact),
    );
  }

  of(index: number, row: number, rowInBlock: number): EvidenceCount {
    const rule = this.#program.policy.rules[index] as Rule;
    const key = this.#keyOf(index, rule, row, rowInBlock);
    if (key === UNKNOWN_KEY) return this.#read(index, rule, row);
    let known = this.#known[index];
    if (known === undefined) {
      known = new Map();
      this.#known[index] = known;
    }
    let found = known.get(key);
    if (found === undefined) {
      found = this.#read(index, rule, row);
      known.set(key, found);
    }
    return found;
  }

  /** A number for the truths of the rule's tests; `UNKNOWN_KEY` if a fact is missing with a cause of its own. */
  #keyOf(index: number, rule: Rule, row: number, rowInBlock: number): number {
    let parts = this.#parts[index];
    if (parts === undefined) {
      parts = this.#partsOf(rule);
      this.#parts[index] = parts;
    }
    if (parts === null) return UNKNOWN_KEY;
    let key = 0;
    for (let i = 0; i < parts.length; i++) {
      const { axis, truths, count } = parts[i] as Part;
      const cell = this.#block.cells[axis * this.#block.most + rowInBlock] as number;
      if (cell === MISSING_CELL && hasContent(this.#columnOf[axis], row)) return UNKNOWN_KEY;
      key = key * count + (truths[cell] as number);
    }
    return key;
  }

  #partsOf(rule: Rule): readonly Part[] | null {
    const { cells, policy } = this.#program;
    const tests = new Map([...testsOf(rule.when)].map((test) => [test.key, cells.of(test)]));
    const parts: Part[] = [];
    for (const [axis, ofAxis] of Map.groupBy(tests.values(), (each) => each.axis)) {
      const index = this.#axes.get(axis);
      if (index === undefined || axis.other !== undefined || policy.facts.get(axis.fact)?.compute) return null;
      parts.push({ axis: index, ...truthsOf(axis, ofAxis) });
    }
    return parts.reduce((product, { count }) => product * count, 1) <= Number.MAX_SAFE_INTEGER ? parts : null;
  }

  #read(index: number, { when }: Rule, row: number): EvidenceCount {
    const { facts: table } = this.#program.policy;
    const day = this.#days?.at(row) ?? '';
    const facts: Facts = new Map(
      [...factsOf(when)].map((path) => [path, factAt(this.#columns, table, path, row, day)]),
    );
    return this.#counts.of(index, gatherMissing(when, facts, day));
  }
}

/** Evidence of rules -> its counts. */
class EvidenceCounts {
  readonly #counts = new Map<string, EvidenceCount>();

  /** The same object for equal evidence of a rule, which is given by its index. */
  of(rule: number, evidence: readonly MissingEvidence[]): EvidenceCount {
    const name = [rule, ...evidence.map(({ fact, cause }) => `${fact} ${cause}`)].join();
    const count = this.#counts.get(name) ?? { evidence, n: 0 };
    this.#counts.set(name, count);
    return count;
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
