/** Rows of a table -> a warning where a series of ranges leaves a gap. */

import type { FactTable } from '../../facts/catalog.ts';
import { count } from '../../text.ts';
import { type Axis, Cells, cellsIn, EVERY_STATE, STATES } from '../cells/cells.ts';
import { Conjunctions, isWithin, type Region } from '../cells/conjunctions.ts';
import { nextUp } from '../cells/segments.ts';
import type { NamedCells, NumberCells } from '../cells/value-axis.ts';
import { hasPersonalTexts } from '../identities.ts';
import { type Policy, type Rule, type Test, testsOf } from '../language.ts';
import type { Table } from '../read/tables/table.ts';
import { type Check, partsOf } from './context.ts';

/** A table with more combinations is not looked at. */
const MAX_COMBINATIONS = 10_000;
/** How many gaps a warning names. */
const MAX_EXAMPLES = 3;

export function checkTableGaps(check: Check): void {
  for (const table of check.tables) checkTable(table, check);
}

function checkTable(table: Table, { policy, warn }: Check): void {
  const { id, rows } = table;
  const tests = rows.flatMap(directTests);
  // By the table's own cells: those of the whole policy would be finer, and harder to read.
  const cells = new Cells(tests, policy.facts);
  const conjunctions = new Conjunctions(cells);
  const { total, examples } =
    gapsInWhole(table, cells, conjunctions) ?? countGaps(gapsInSeries(rows, cells, conjunctions, policy));
  if (total === 0) return;
  const shown = examples.map((example) => describe(example, policy.facts)).join('; ');
  const rest = total > examples.length ? ' and others' : '';
  const message = `the table "${id}" has no row for ${count(total, 'combination')} of its columns: ${shown}${rest}`;
  const head = table.node.kind === 'map' ? table.node.entries.get('id')?.value : undefined;
  warn(head ?? table.node, 'table-gap', `${message}; for these it asks for nothing`);
}

/** How many gaps there are, and the first few. */
interface Gaps {
  readonly total: number;
  readonly examples: readonly Combination[];
}

/** A cell of each of some axes, by its index. */
type Combination = ReadonlyMap<Axis, number>;

function countGaps(gaps: readonly Gap[]): Gaps {
  const combine = ({ axis, cell, others }: Gap): Combination =>
    new Map([[axis, cell], ...[...others.sets].map(([other, set]) => [other, cellsIn(set).at(-1) ?? 0] as const)]);
  return { total: gaps.length, examples: gaps.slice(0, MAX_EXAMPLES).map(combine) };
}

/** The gaps of a table that looks complete; undefined for any other, and for one of too many combinations. */
function gapsInWhole({ facts, rows }: Table, cells: Cells, conjunctions: Conjunctions): Gaps | undefined {
  const columns = facts.map((fact) => cells.axes.filter((axis) => axis.fact === fact));
  if (!looksComplete(columns, rows, conjunctions)) return undefined;
  const regions = rows.flatMap(({ when }) => conjunctions.of(when)?.flatMap(({ certain }) => certain ?? []) ?? []);
  return findGaps(columns.flat(), regions);
}

/**
 * Whether a table looks intended to cover every applicant. Many tables list a few bad combinations and rightly leave
 * the rest to the default; their columns name some values and skip the others. A column counts as complete if its rows,
 * apart from `any`, name every cell of its fact, or at least both ends of an order (a hole in between is then a
 * mistake). A table looks complete if one column is complete, and every other column is complete too or falls back on
 * `any` in some row.
 */
function looksComplete(
  columns: readonly (readonly Axis[])[],
  rows: readonly Rule[],
  conjunctions: Conjunctions,
): boolean {
  const isWhole = (axis: Axis) => isNamedWhole(axis, rows, conjunctions);
  const complete = columns.map((axes) => axes.length > 0 && axes.every(isWhole));
  return (
    complete.includes(true) &&
    columns.every((axes, i) => complete[i] || axes.length === 0 || rows.some((row) => !asksAbout(row, axes)))
  );
}

function asksAbout(row: Rule, axes: readonly Axis[]): boolean {
  return directTests(row).some(({ fact }) => axes.some((axis) => axis.fact === fact));
}

/** The tests of a row itself, not those of conditions that it names. */
function directTests({ when }: Rule): readonly Test[] {
  return [...partsOf(when)].filter((part) => part.kind === 'test');
}

function isNamedWhole(axis: Axis, rows: readonly Rule[], conjunctions: Conjunctions): boolean {
  let named = 0n;
  for (const row of rows) {
    const tests = directTests(row).filter(({ fact }) => fact === axis.fact);
    // A cell without a test is `any`.
    if (tests.length > 0) named |= conjunctions.meet(tests)?.sets.get(axis) ?? 0n;
  }
  const values = cellsIn(axis.within(STATES.value));
  const needed = axis.isOrdered ? [values[0], values.at(-1)] : values;
  const namedCells = new Set(cellsIn(named));
  return needed.every((index) => index !== undefined && namedCells.has(index));
}

/** The combinations of cells of known facts that lie in no region. */
function findGaps(axes: readonly Axis[], regions: readonly Region[]): Gaps | undefined {
  const choices = axes.map((axis) => cellsIn(axis.within(EVERY_STATE - STATES.missing)));
  const size = choices.reduce((product, { length }) => product * length, 1);
  if (size > MAX_COMBINATIONS) return undefined;
  // By combination, in the order of `combinations`, 1 if a region has it.
  const isCovered = new Uint8Array(size);
  for (const region of regions) cover(isCovered, axes, choices, region);
  const examples: Combination[] = [];
  let total = 0;
  let at = 0;
  for (const combination of combinations(choices)) {
    if (isCovered[at++] || !exists(combination, axes)) continue;
    total++;
    if (examples.length < MAX_EXAMPLES) {
      examples.push(new Map(axes.map((axis, i) => [axis, combination[i] ?? 0])));
    }
  }
  return { total, examples };
}

/** Marks the combinations of a region. */
function cover(
  isCovered: Uint8Array,
  axes: readonly Axis[],
  choices: readonly (readonly number[])[],
  { sets }: Region,
): void {
  let places = [0];
  for (const [i, axis] of axes.entries()) {
    const ownChoices = choices[i] ?? [];
    const set = sets.get(axis);
    const inSet = set === undefined ? undefined : new Set(cellsIn(set));
    const steps = [...ownChoices.keys()].filter(
      (index) => inSet === undefined || inSet.has(ownChoices[index] as number),
    );
    places = places.flatMap((place) => steps.map((step) => place * ownChoices.length + step));
  }
  for (const place of places) isCovered[place] = 1;
}

function* combinations(
  choices: readonly (readonly number[])[],
  chosen: readonly number[] = [],
): Generator<readonly number[]> {
  const next = choices[chosen.length];
  if (!next) yield chosen;
  else for (const index of next) yield* combinations(choices, [...chosen, index]);
}

/** Whether a fact has the same state on all of its axes: a date that never happened has no age. */
function exists(combination: readonly number[], axes: readonly Axis[]): boolean {
  const states = new Map<string, string>();
  return axes.every(({ subject, cells }, i) => {
    const state = cells[combination[i] ?? 0]?.state ?? 'missing';
    const firstState = states.get(subject) ?? state;
    states.set(subject, firstState);
    return firstState === state;
  });
}

/** `phone.type voip, phone.riskLevel at most low`. */
function describe(gap: Combination, facts: FactTable): string {
  const words = ({ fact, cells }: Axis, cell: number) =>
    hasPersonalTexts(fact, facts) ? '(not shown)' : (cells[cell]?.words ?? '');
  return [...gap].map(([axis, cell]) => `${axis.fact} ${words(axis, cell)}`).join(', ');
}

/** A cell that no row asks for, and what the rows around it ask of other columns. */
interface Gap {
  readonly axis: Axis;
  readonly cell: number;
  readonly others: Region;
}

/** Rows that differ in one column alone. */
interface Series {
  readonly axis: Axis;
  /** For each row, its tests of the column. */
  readonly asked: (readonly Test[])[];
  /** The tests of the other columns. */
  readonly others: readonly Test[];
}

const ALL_CELLS = -1n;

/** Of more series, the first are looked at. */
const MOST_SERIES = 1000;

/** The gaps that look like mistakes: an open end, or a gap of several values, may be intended. */
function gapsInSeries(rows: readonly Rule[], cells: Cells, conjunctions: Conjunctions, policy: Policy): readonly Gap[] {
  // Of names, the one that is left out may be the harmless one, unless harmless ones are listed too.
  const isListedWhole = rows.some((row) => asksForDefault(row, policy));
  const axes = cells.axes.filter((axis) => isListedWhole || isNumeric(axis));
  const series = seriesOf(rows, axes).filter(({ asked }) => asked.length > 1);
  const gaps = series.slice(0, MOST_SERIES).flatMap(({ axis, asked, others }): Gap[] => {
    const passed = (tests: readonly Test[]) => tests.reduce((set, test) => set & cells.of(test).isTrue, ALL_CELLS);
    const passing = asked.reduce((sum, tests) => sum | passed(tests), 0n);
    const gap = gapIn(axis, passing);
    const around = conjunctions.meet(others);
    return gap === undefined || !around ? [] : [{ axis, cell: gap, others: around }];
  });
  if (gaps.length === 0) return [];
  const regions = rows.flatMap(({ when }) => conjunctions.of(when)?.flatMap(({ certain }) => certain ?? []) ?? []);
  return gaps.filter((gap) => !regions.some((region) => isWithin(regionOf(gap), region)));
}

function regionOf({ axis, cell, others: { sets, states } }: Gap): Region {
  return {
    sets: new Map(sets).set(axis, 1n << BigInt(cell)),
    states: new Map(states).set(axis.subject, STATES.value),
  };
}

function isNumeric({ numbers }: Axis): boolean {
  return numbers !== undefined && numbers.unit !== 'level';
}

/** The series of each fact that is looked at along one axis alone. */
function seriesOf(rows: readonly Rule[], axes: readonly Axis[]): readonly Series[] {
  const axisOf = new Map(
    [...Map.groupBy(axes, ({ fact }) => fact)].flatMap(([fact, [axis, ...more]]) =>
      axis && more.length === 0 ? [[fact, axis] as const] : [],
    ),
  );
  const series = new Map<string, Series>();
  for (const { when } of rows) {
    const byFact = Map.groupBy(testsOf(when), (test) => test.fact);
    for (const [fact, tests] of byFact) {
      const axis = axisOf.get(fact);
      if (!axis) continue;
      const others = [...byFact].flatMap(([other, its]) => (other === fact ? [] : its));
      const key = [fact, ...others.map((test) => test.key).sort()].join('\n');
      const entry = series.get(key) ?? { axis, asked: [], others };
      entry.asked.push(tests);
      series.set(key, entry);
    }
  }
  return [...series.values()];
}

/** The cell of an axis that is left out; undefined if none is, or if it may be intended. */
function gapIn(axis: Axis, asked: bigint): number | undefined {
  const { firstValue, numbers, named } = axis;
  const left = cellsIn(axis.within(STATES.value) & ~asked).map((cell) => cell - firstValue);
  const isOnly = left.length === 1;
  const gapCell = left.find((cell) => {
    if (!numbers) return isOnly && isOneOfMany(cell, named);
    if (!isInside(axis, cell)) return false;
    return isNumeric(axis) ? isBetweenRanges(cell, left, numbers) : isOnly && isStep(cell, numbers);
  });
  return gapCell === undefined ? undefined : gapCell + firstValue;
}

/** Whether an axis has cells on both sides of one, counted from the first cell of values. */
function isInside({ firstValue, cells }: Axis, cell: number): boolean {
  return cell > 0 && cell < cells.length - firstValue - 1;
}

/** Whether a cell is one of three values or more. */
function isOneOfMany(cell: number, named: NamedCells | undefined): boolean {
  if (!named || named.others !== undefined || named.cells.size < 3) return false;
  return [...named.cells.values()].filter((each) => each === cell).length === 1;
}

/** Whether a cell is one whole number. */
function isStep(cell: number, { steps: { firsts } }: NumberCells): boolean {
  return firsts[cell + 1] === (firsts[cell] as number) + 1;
}

/** Whether a cell is one value, or lies between whole numbers that follow each other, with longer ranges around. */
function isBetweenRanges(cell: number, left: readonly number[], numbers: NumberCells): boolean {
  const { firsts, isWhole } = numbers.steps;
  if (left.includes(cell - 1) || left.includes(cell + 1)) return false;
  const start = firsts[cell] as number;
  const next = firsts[cell + 1] as number;
  const isOne = isWhole ? isStep(cell, numbers) : next === nextUp(start);
  const isBetweenWholes = !isWhole && Number.isInteger(next) && start === nextUp(next - 1);
  const isLong = (first: number, beyond: number) => {
    const [least, end] = [firsts[first] as number, firsts[beyond] ?? Number.POSITIVE_INFINITY];
    return isWhole ? end > least + 1 : end > nextUp(least);
  };
  const from = (left.findLast((each) => each < cell) ?? -1) + 1;
  const to = left.find((each) => each > cell) ?? firsts.length;
  return (isOne || isBetweenWholes) && isLong(from, cell) && isLong(cell + 1, to);
}

/** Whether a row only repeats the default: such rows are written to have a row for every applicant. */
function asksForDefault({ then, points = 0 }: Rule, policy: Policy): boolean {
  return points === 0 && (then === undefined || then === policy.default);
}
