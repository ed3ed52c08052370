/** Ranges of numbers, levels and days that rules ask for -> warnings about gaps and overlaps at their borders. */

import { LEVELS } from '../../facts/catalog.ts';
import { cached } from '../../platform/cached.ts';
import type { Argument, YearsTest } from '../arguments.ts';
import { type Axis, cellsIn } from '../cells/cells.ts';
import { isWithin, type Region } from '../cells/conjunctions.ts';
import { areActiveTogether, type Condition, type Rule, type Test } from '../language.ts';
import { askedOf, axisOf, type OperatorName, operatorRow, type RangeEnd } from '../operators.ts';
import { type Check, placeOfRule, testsIn } from './context.ts';

export function checkBorderGaps(check: Check): void {
  // Rows are looked at with the whole of their table.
  const rows = new Set(check.tables.flatMap((table) => table.rows));
  for (const border of bordersIn(check)) {
    if (border.ends.some(({ rule }) => rows.has(rule))) continue;
    for (const pair of pairsAt(border, false)) {
      const gap = gapBetween(...pair, check);
      if (gap !== undefined && !isNeutral(...pair, check) && !isAsked(gap, pair[0], check)) {
        reportGap(...pair, gap, check);
      }
    }
  }
}

/** The one cell between two ranges. */
function gapBetween(ending: End, beginning: End, check: Check): bigint | undefined {
  const last = cellsIn(rangeOf(ending, check)).at(-1);
  const first = cellsIn(rangeOf(beginning, check)).find((cell) => cell >= ending.axis.firstValue);
  return last !== undefined && first === last + 2 ? 1n << BigInt(last + 1) : undefined;
}

/** Whether a test names the value, or a rule fires for it wherever the rule next to it would. */
function isAsked(gap: bigint, { axis, rule }: End, { policy, cells, regions }: Check): boolean {
  for (const test of testsIn(policy)) {
    const asked = operatorRow(test.operator).isNaming ? cells.of(test) : undefined;
    if (asked?.axis === axis && (asked.isTrue & gap) !== 0n) return true;
  }
  const ownRegions = regions.find((each) => each.rule === rule)?.certain ?? [];
  return ownRegions.some((region) => {
    const inGap: Region = { ...region, sets: new Map(region.sets).set(axis, gap) };
    return regions.some(({ certain }) => certain.some((other) => other.sets.has(axis) && isWithin(inGap, other)));
  });
}

/**
 * Whether the value between may be left out on purpose: one of a few steps, with good signs on one side and bad
 * ones on the other.
 */
function isNeutral(ending: End, beginning: End, { policy }: Check): boolean {
  const type = policy.facts.get(ending.test.fact)?.type;
  return (type === 'integer' || type === 'level') && isBad(ending.rule) !== isBad(beginning.rule);
}

function isBad({ then, points = 0 }: Rule): boolean {
  return then === undefined ? points > 0 : then !== 'accept';
}

function reportGap(ending: End, beginning: End, gap: bigint, check: Check): void {
  const { test, axis, operator, value } = ending;
  const [first, second] = inOrder(ending, beginning, check);
  const left = `${test.fact} ${axis.cells[cellsIn(gap)[0] ?? 0]?.words}`;
  const message = `neither "${first.rule.id}" nor "${second.rule.id}" fires for ${left}, where their ranges meet`;
  const hint = operator === 'below' ? `write \`atMost: ${value}\` or \`atLeast: ${value}\` in one of them` : undefined;
  check.warn(check.nodes.get(second.test), 'border-gap', message, hint, placeOfRule(first.rule, check));
}

export function checkSharedBorders(check: Check): void {
  for (const border of bordersIn(check)) {
    for (const [ending, beginning] of pairsAt(border, true)) {
      const one = rangeOf(ending, check);
      const other = rangeOf(beginning, check);
      const common = one & other;
      // A range within another, such as a single value, may be intended to add to it.
      const isBorder = cellsIn(common).length === 1 && one !== common && other !== common;
      if (isBorder && !isSpanned(common, border.family, check)) reportOverlap(ending, beginning, common, check);
    }
  }
}

function reportOverlap(ending: End, beginning: End, common: bigint, check: Check): void {
  const [first, second] = inOrder(ending, beginning, check);
  const { test, axis } = ending;
  const shared = `${test.fact} ${axis.cells[cellsIn(common)[0] ?? 0]?.words}`;
  const message = `both "${first.rule.id}" and "${second.rule.id}" fire for ${shared}, where their ranges meet`;
  check.warn(
    check.nodes.get(second.test),
    'shared-border',
    message,
    hintFor(beginning, check),
    placeOfRule(first.rule, check),
  );
}

/** How a range that begins with a value leaves it out. */
function hintFor({ test, operator, argument, value }: End, { policy }: Check): string {
  const [, most] = operatorRow(operator).argument === 'range' ? (argument as readonly unknown[]) : [];
  const written = most === undefined ? `${operator}: ${value}` : `${operator}: [${value}, ${most}]`;
  const { type, range } = policy.facts.get(test.fact) ?? {};
  const greatest = type === 'level' ? LEVELS.at(-1) : range?.[1];
  const end = most === undefined || most === greatest ? '' : `, atMost: ${most}`;
  return `to let only one of them fire, write \`above: ${value}${end}\` instead of \`${written}\``;
}

/** One end of a range of a fact. */
interface End extends RangeEnd {
  readonly rule: Rule;
  readonly test: Test;
  readonly axis: Axis;
  /** Where the operator stands that names the value: that of the test, or one within `yearsSince`. */
  readonly operator: OperatorName;
  readonly argument: Argument;
}

/** Ends at one value. */
interface Border {
  readonly ends: readonly End[];
  readonly family: Family;
}

/** The ranges of one fact, of the rules of one table, or of none, whose other conditions are the same. */
interface Family {
  readonly ends: End[];
  readonly borders: Map<unknown, End[]>;
}

/** The borders at which ranges of different rules may meet. Found once. */
const bordersIn = cached(findBorders);

function findBorders(check: Check): readonly Border[] {
  const { policy, tables, identify, cells } = check;
  const found = policy.rules.flatMap((rule) => endsOf(rule, check));
  // Most policies ask for the values of a fact from below or from above alone.
  const met = new Set(
    [...Map.groupBy(found, ({ axis }) => axis)].flatMap(([axis, ends]) => (canMeet(ends) ? axis : [])),
  );
  const tableOf = new Map(tables.flatMap((table) => table.rows.map((row) => [row, table.id] as const)));
  const axes = new Map(cells.axes.map((axis, i) => [axis, i]));
  const families = new Map<string, Family>();
  for (const end of found) {
    if (!met.has(end.axis)) continue;
    const others = partsOfAll(end.rule.when).filter((part) => part.kind !== 'test' || cells.of(part).axis !== end.axis);
    const same = [...new Set(others.map(identify))].sort();
    const key = JSON.stringify([tableOf.get(end.rule), end.rule.shadow, axes.get(end.axis), same]);
    const family: Family = families.get(key) ?? { ends: [], borders: new Map() };
    families.set(key, family);
    family.ends.push(end);
    family.borders.set(end.value, [...(family.borders.get(end.value) ?? []), end]);
  }
  return [...families.values()].flatMap((family) =>
    [...family.borders.values()].flatMap((ends) => (ends.length > 1 ? { ends, family } : [])),
  );
}

/** Whether some value is the end of one range and the beginning of another, and belongs to both, or to neither. */
function canMeet(ends: readonly End[]): boolean {
  const beginnings = new Set(ends.flatMap(({ side, value, isIn }) => (side === 'begins' ? `${isIn} ${value}` : [])));
  return ends.some(({ side, value, isIn }) => side === 'ends' && beginnings.has(`${isIn} ${value}`));
}

/** The conditions that all have to hold. */
function partsOfAll(condition: Condition): readonly Condition[] {
  if (condition.kind === 'named') return partsOfAll(condition.of[0]);
  return condition.kind === 'all' ? condition.of.flatMap(partsOfAll) : [condition];
}

function endsOf(rule: Rule, { cells }: Check): readonly End[] {
  return partsOfAll(rule.when).flatMap((test) => {
    if (test.kind !== 'test' || test.argument === undefined) return [];
    const asked = test.operator === 'yearsSince' ? (test.argument as readonly YearsTest[]) : [test];
    const sides = asked.flatMap(({ operator, argument }) =>
      argument === undefined ? [] : endsNamed(operator, argument).map((end) => ({ operator, argument, ...end })),
    );
    if (sides.length === 0) return [];
    const { axis } = cells.of(test);
    return sides.map((side) => ({ rule, test, axis, ...side }));
  });
}

/** The ends that a value can be left out at, or belong to two ranges at; each range of ages begins or ends today. */
function endsNamed(operator: OperatorName, argument: Argument): readonly RangeEnd[] {
  const isNamed = askedOf(operator) === 'limits' && axisOf(operator) !== 'age';
  return isNamed ? operatorRow(operator).ends(argument) : [];
}

/** The cells that all tests of the rule on the axis of an end leave. */
function rangeOf({ rule, axis }: End, { cells, conjunctions }: Check): bigint {
  const parts = partsOfAll(rule.when);
  const tests = parts.filter((part) => part.kind === 'test' && cells.of(part).axis === axis) as readonly Test[];
  return conjunctions.meet(tests)?.sets.get(axis) ?? 0n;
}

const ranges = new WeakMap<Family, readonly bigint[]>();

/** Whether some range of a family goes on beyond a cell on both sides: the family does not divide the values. */
function isSpanned(cell: bigint, family: Family, check: Check): boolean {
  const all = ranges.get(family) ?? [...new Set(family.ends.map((end) => rangeOf(end, check)))];
  ranges.set(family, all);
  return all.some((range) => (range & (cell << 1n)) !== 0n && (range & cell) !== 0n && (range & (cell >> 1n)) !== 0n);
}

/** Of more ranges that end, or begin, at one value, the first are looked at. */
const MOST_ENDS = 20;

/** Each range that ends at a border, with each of another rule that begins there and is active on some same day. */
function* pairsAt({ ends }: Border, isIn: boolean): Generator<readonly [ending: End, beginning: End]> {
  const at = (side: End['side']) => ends.filter((end) => end.isIn === isIn && end.side === side).slice(0, MOST_ENDS);
  for (const ending of at('ends')) {
    for (const beginning of at('begins')) {
      if (ending.rule !== beginning.rule && areActiveTogether(ending.rule, beginning.rule)) yield [ending, beginning];
    }
  }
}

/** Two ends in the order of their rules in the policy. */
function inOrder(one: End, other: End, { policy: { rules } }: Check): readonly [End, End] {
  return rules.indexOf(one.rule) < rules.indexOf(other.rule) ? [one, other] : [other, one];
}
