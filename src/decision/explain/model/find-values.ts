/** The facts that rules read -> sample values of each that the rules can tell apart, alone and in comparisons. */

import type { FactDefinition, FactTable } from '../../../facts/catalog.ts';
import { computedIn, factsAmong, setComputed } from '../../../facts/compute.ts';
import { dayNumber } from '../../../facts/day.ts';
import { type Facts, type FactValue, isMissing } from '../../../facts/fact.ts';
import { type Axis, Cells } from '../../../policy/cells/cells.ts';
import { operandValues, valuesAround } from '../../../policy/cells/operand-values.ts';
import { fillBetween, nearestFirst, sampleValues, validValues } from '../../../policy/cells/sample-values.ts';
import { type Condition, type Rule, type Test, testsOf } from '../../../policy/language.ts';
import { askedOf } from '../../../policy/operators.ts';
import { findCell } from '../../matcher/cell-lookup.ts';
import { factAt } from '../../meaning/truth.ts';
import type { View } from './conjunctive-form.ts';
import type { Constraint } from './constraints.ts';

/** The sample values of a fact. */
export interface FoundValues {
  readonly values: readonly FactValue[];
  /** Whether every value that the rules can tell apart has a sample, also in comparisons with other facts. */
  readonly isComplete: boolean;
  /** The axes of the fact inside conditions that are evaluated as a whole. */
  readonly innerAxes: readonly Axis[];
  /** Whether two values in the same cells can differ in effect, because the fact is compared with another. */
  readonly isCompared: boolean;
}

/** The facts to sample, and what reads them. */
export interface SampleRequest {
  /** The facts that the rules read. */
  readonly table: FactTable;
  /** All facts of the policy, including those that it computes from facts of `table`. */
  readonly declared: FactTable;
  readonly rules: readonly Rule[];
  readonly views: readonly View[];
  readonly constraints: readonly Constraint[];
  readonly facts: Facts;
  readonly day: string;
}

/** The most values to fill in between samples, times the number of facts that are compared with each other. */
const MOST_FILLED = 3000;

/** The values of every fact of the table, by path. */
export function findValues(request: SampleRequest): ReadonlyMap<string, FoundValues> {
  const { table, declared, rules, views, constraints, facts, day } = request;
  const sources = views.map(({ source }) => source);
  const conditions = sources.filter((source): source is Condition => 'kind' in source);
  const innerTests = conditions.flatMap((each) => [...testsOf(each)]);
  const innerAxes = innerTests.length === 0 ? [] : new Cells(innerTests, declared).axes;
  const axes = [...sources.filter((source): source is Axis => !('kind' in source)), ...innerAxes];
  const tests = testsByFact(rules);
  const present = (path: string): FactValue | undefined => {
    const fact = factAt(facts, path);
    return isMissing(fact) ? undefined : fact.value;
  };
  const valuesByPath = new Map<string, FoundValues>();
  for (const [path, definition] of table) {
    const isOwn = (axis: Axis) => axis.fact === path && axis.other === undefined;
    const ownAxes = axes.filter(isOwn);
    const values = sampleValues(
      { definition, axes: ownAxes, tests: tests.get(path) ?? [], present: present(path) },
      day,
    );
    const isComplete = definition.type !== 'string' || coversAll(ownAxes, values, day);
    valuesByPath.set(path, { values, isComplete, innerAxes: innerAxes.filter(isOwn), isCompared: false });
  }
  const operands = addOperandValues(valuesByPath, axes, request);
  const pairs = [
    ...axes.flatMap(({ fact, other }) =>
      other === undefined ? [] : [[fact, other].filter((path) => table.has(path))],
    ),
    ...constraints.map(({ compared }) => compared.filter((path) => table.has(path))),
  ];
  for (const group of groupsOf(pairs)) {
    const now = group.flatMap((path) => present(path) ?? []);
    const pool = [...now, ...group.flatMap((path) => valuesByPath.get(path)?.values ?? [])];
    for (const path of group) {
      const definition = table.get(path);
      const ownValues = valuesByPath.get(path);
      if (!definition || !ownValues) continue;
      const isFilled = definition.format !== 'country' && pool.length * group.length <= MOST_FILLED;
      const all = isFilled ? fillBetween(pool, definition, group.length) : pool;
      const values = validValues([...ownValues.values, ...all], definition, day);
      // Tests of parts of a text, or of lists, may need several samples in one cell, but each has only one.
      const isNamed = (tests.get(path) ?? []).every(({ operator }) => {
        const subject = askedOf(operator);
        return subject !== 'parts' && subject !== 'entries';
      });
      const isComplete = !operands.has(path) && (definition.type === 'string' ? isNamed : isFilled);
      valuesByPath.set(path, { ...ownValues, values, isComplete, isCompared: true });
    }
  }
  for (const [path, found] of valuesByPath) {
    const definition = table.get(path);
    if (!definition) continue;
    const values = nearestFirst(found.values, { definition, present: present(path) }, day);
    valuesByPath.set(path, { ...found, values });
  }
  return valuesByPath;
}

/**
 * Adds values of operands that change computed facts, and values around the present result for facts that are compared
 * with computed ones. These are samples: not every effect has one. Returns the facts with added values.
 */
function addOperandValues(
  valuesByPath: Map<string, FoundValues>,
  axes: readonly Axis[],
  { table, declared, facts, day }: SampleRequest,
): ReadonlySet<string> {
  const sampled = new Set<string>();
  const add = (path: string, valuesFor: (definition: FactDefinition) => readonly FactValue[]) => {
    const definition = table.get(path);
    const knownValues = valuesByPath.get(path);
    if (!definition || !knownValues) return;
    const values = validValues([...knownValues.values, ...valuesFor(definition)], definition, day);
    valuesByPath.set(path, { ...knownValues, values, isComplete: false, isCompared: true });
    sampled.add(path);
  };
  const now = new Map(facts);
  setComputed(now, declared, new Set(axes.flatMap(({ fact, other }) => (other === undefined ? fact : [fact, other]))));
  const request = { facts: now, table: declared, today: dayNumber(day) };
  for (const [path, { compute }] of computedIn(declared)) {
    const ownAxes = axes.filter(({ fact, other }) => fact === path || other === path);
    if (ownAxes.length === 0) continue;
    for (const operand of factsAmong(compute.operands)) {
      add(operand, (definition) => operandValues(operand, definition, compute, ownAxes, request));
    }
    for (const { fact, other } of ownAxes) {
      if (other !== undefined)
        add(fact === path ? other : fact, (definition) => valuesAround(path, definition, request));
    }
  }
  return sampled;
}

function testsByFact(rules: readonly Rule[]): ReadonlyMap<string, readonly Test[]> {
  const tests = new Map<string, Map<string, Test>>();
  for (const { when } of rules) {
    for (const test of testsOf(when)) {
      const ownTests = tests.get(test.fact) ?? new Map<string, Test>();
      tests.set(test.fact, ownTests.set(test.key, test));
    }
  }
  return new Map([...tests].map(([path, own]) => [path, [...own.values()]]));
}

/** Whether the values cover every combination of cells of the axes. */
function coversAll(axes: readonly Axis[], values: readonly FactValue[], day: string): boolean {
  const combinations = axes.reduce((product, axis) => product * (axis.cells.length - axis.firstValue), 1);
  const covered = values.map((value) => axes.map((axis) => findCell(axis, { value }, undefined, day)).join());
  return new Set(covered).size >= combinations;
}

/** Groups of paths that are connected by pairs, directly or through other paths. */
function groupsOf(pairs: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let groups: (readonly string[])[] = [];
  for (const pair of pairs) {
    if (pair.length < 2) continue;
    const touching = groups.filter((group) => group.some((path) => pair.includes(path)));
    groups = [...groups.filter((group) => !touching.includes(group)), [...new Set([...touching.flat(), ...pair])]];
  }
  return groups;
}
