/** Tables that look meant to be complete -> warnings about combinations of their columns' cells that no row matches. */

import { count } from '../../../text.ts';
import { type Axis, Cells, cellsIn, EVERY_STATE, STATES } from '../../cells/cells.ts';
import { Conjunctions, type Region } from '../../cells/conjunctions.ts';
import type { Rule, Test } from '../../language.ts';
import type { Table } from '../../read/tables/table.ts';
import { type Check, partsOf } from '../context.ts';

/** A table with more combinations is not looked at. */
const MAX_COMBINATIONS = 10_000;
/** How many gaps a warning names. */
const MAX_EXAMPLES = 3;

export function checkTableGaps(check: Check): void {
  for (const table of check.tables) checkTable(table, check);
}

function checkTable(table: Table, { policy, warn }: Check): void {
  const { id, rows, facts } = table;
  const tests = rows.flatMap(testsOf);
  // By the table's own cells: those of the whole policy would be finer, and harder to read.
  const cells = new Cells(tests, policy.facts);
  const conjunctions = new Conjunctions(cells);
  const regions = rows.flatMap(({ when }) => conjunctions.of(when)?.flatMap(({ certain }) => certain ?? []) ?? []);
  const columns = facts.map((fact) => cells.axes.filter((axis) => axis.fact === fact));
  const axes = columns.flat();
  if (!looksComplete(columns, rows, conjunctions)) return;
  const found = findGaps(axes, regions);
  if (!found || found.total === 0) return;
  const shown = found.examples.map((example) => describe(example, axes)).join('; ');
  const rest = found.total > found.examples.length ? ' and others' : '';
  const combinations = count(found.total, 'combination');
  const message = `the table "${id}" has no row for ${combinations} of its columns: ${shown}${rest}`;
  const head = table.node.kind === 'map' ? table.node.entries.get('id')?.value : undefined;
  warn(head ?? table.node, 'table-gap', `${message}; for these it asks for nothing`);
}

/**
 * Whether a table looks meant to cover everybody. Many tables list a few bad combinations and rightly leave the rest to
 * the default; their columns name some values and skip the others. A column counts as complete if its rows, apart from
 * `any`, name every cell of its fact, or at least both ends of an order (a hole in between is then a slip). A table
 * looks complete if one column is complete, and every other column is complete too or falls back on `any` in some row.
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
  return testsOf(row).some(({ fact }) => axes.some((axis) => axis.fact === fact));
}

function testsOf({ when }: Rule): readonly Test[] {
  return [...partsOf(when)].filter((part) => part.kind === 'test');
}

function isNamedWhole(axis: Axis, rows: readonly Rule[], conjunctions: Conjunctions): boolean {
  let named = 0n;
  for (const row of rows) {
    const tests = testsOf(row).filter(({ fact }) => fact === axis.fact);
    // A cell without a test is `any`.
    if (tests.length > 0) named |= conjunctions.meet(tests)?.sets.get(axis) ?? 0n;
  }
  const values = cellsIn(axis.within(STATES.value));
  const needed = axis.isOrdered ? [values[0], values.at(-1)] : values;
  const found = new Set(cellsIn(named));
  return needed.every((index) => index !== undefined && found.has(index));
}

/** The combinations of cells of known facts that lie in no region: how many there are, and the first few. */
function findGaps(
  axes: readonly Axis[],
  regions: readonly Region[],
): { readonly total: number; readonly examples: readonly (readonly number[])[] } | undefined {
  const choices = axes.map((axis) => cellsIn(axis.within(EVERY_STATE - STATES.missing)));
  const size = choices.reduce((product, { length }) => product * length, 1);
  if (size > MAX_COMBINATIONS) return undefined;
  // By combination, in the order of `combinations`, 1 if a region has it.
  const isCovered = new Uint8Array(size);
  for (const region of regions) cover(isCovered, axes, choices, region);
  const examples: (readonly number[])[] = [];
  let total = 0;
  let at = 0;
  for (const combination of combinations(choices)) {
    if (isCovered[at++] || !exists(combination, axes)) continue;
    total++;
    if (examples.length < MAX_EXAMPLES) examples.push(combination);
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
    const own = choices[i] ?? [];
    const set = sets.get(axis);
    const inSet = set === undefined ? undefined : new Set(cellsIn(set));
    const steps = [...own.keys()].filter((index) => inSet === undefined || inSet.has(own[index] as number));
    places = places.flatMap((place) => steps.map((step) => place * own.length + step));
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
    const known = states.get(subject) ?? state;
    states.set(subject, known);
    return known === state;
  });
}

/** `phone.type voip, phone.riskLevel at most low`. */
function describe(combination: readonly number[], axes: readonly Axis[]): string {
  return axes.map(({ fact, cells }, i) => `${fact} ${cells[combination[i] ?? 0]?.words ?? ''}`).join(', ');
}
