/** The facts that rules read -> the values of each that the rules can tell apart, alone and against each other. */

import type { FactTable } from '../../../facts/catalog.ts';
import { type Facts, type FactValue, isMissing } from '../../../facts/fact.ts';
import { type Axis, Cells } from '../../../policy/cells/cells.ts';
import { type Condition, type Rule, type Test, testsOf } from '../../../policy/language.ts';
import type { OperatorName } from '../../../policy/operators.ts';
import { findCell } from '../../matcher/find-cell.ts';
import { factAt } from '../../meaning/truth.ts';
import type { View } from './conjunctive-form.ts';
import type { Constraint } from './constraints.ts';
import { COUNTRY_UNIT } from './sample-texts.ts';
import { fillBetween, only, valuesOf } from './sample-values.ts';

/** Values that were found for a fact. */
export interface FoundValues {
  readonly values: readonly FactValue[];
  /** Whether there is one for everything that the rules can tell apart, however it depends on other facts. */
  readonly isComplete: boolean;
  /** Axes inside conditions that are evaluated whole. */
  readonly inside: readonly Axis[];
  /** Whether it counts which of two values it is, though they lie in the same cells. */
  readonly isCompared: boolean;
}

/** What values are sought for. */
export interface Search {
  /** The facts that the rules read. */
  readonly table: FactTable;
  readonly rules: readonly Rule[];
  readonly views: readonly View[];
  readonly relations: readonly Constraint[];
  readonly facts: Facts;
  readonly day: string;
}

/** Operators that look at a text as a whole, by its name. */
const NAMING_OPERATORS: readonly OperatorName[] = ['is', 'isNot', 'in', 'notIn', 'known'];

/** The values of every fact of the table, by path. */
export function findValues({ table, rules, views, relations, facts, day }: Search): ReadonlyMap<string, FoundValues> {
  const sources = views.map(({ source }) => source);
  const whole = sources.filter((source): source is Condition => 'kind' in source);
  const inside =
    whole.length === 0
      ? []
      : new Cells(
          whole.flatMap((each) => [...testsOf(each)]),
          table,
        ).axes;
  const axes = [...sources.filter((source): source is Axis => !('kind' in source)), ...inside];
  const tests = testsByFact(rules);
  const present = (path: string): FactValue | undefined => {
    const fact = factAt(facts, path);
    return isMissing(fact) ? undefined : fact.value;
  };
  const found = new Map<string, FoundValues>();
  for (const [path, definition] of table) {
    const isOwn = (axis: Axis) => axis.fact === path && axis.other === undefined;
    const own = axes.filter(isOwn);
    const values = valuesOf({ definition, axes: own, tests: tests.get(path) ?? [], present: present(path) }, day);
    const isComplete = definition.type !== 'string' || reachesAll(own, values, day);
    found.set(path, { values, isComplete, inside: inside.filter(isOwn), isCompared: false });
  }
  const pairs = [
    ...axes.flatMap(({ fact, other }) => (other === undefined ? [] : [[fact, other]])),
    ...relations.map(({ alike }) => alike.filter((path) => table.has(path))),
  ];
  for (const group of groupsOf(pairs)) {
    const now = group.flatMap((path) => present(path) ?? []);
    const pool = [...now, ...group.flatMap((path) => found.get(path)?.values ?? [])];
    for (const path of group) {
      const definition = table.get(path);
      const own = found.get(path);
      if (!definition || !own) continue;
      const all = definition.unit === COUNTRY_UNIT ? pool : fillBetween(pool, definition, group.length);
      // Of texts that are looked into, or for in lists, several of a kind may be needed, and were not sought.
      const isNamed = (tests.get(path) ?? []).every(({ operator }) => NAMING_OPERATORS.includes(operator));
      const isComplete = definition.type !== 'string' || isNamed;
      found.set(path, { ...own, values: only([...own.values, ...all], definition, day), isComplete, isCompared: true });
    }
  }
  return found;
}

function testsByFact(rules: readonly Rule[]): ReadonlyMap<string, readonly Test[]> {
  const tests = new Map<string, Map<string, Test>>();
  for (const { when } of rules) {
    for (const test of testsOf(when)) {
      const own = tests.get(test.fact) ?? new Map<string, Test>();
      tests.set(test.fact, own.set(test.key, test));
    }
  }
  return new Map([...tests].map(([path, own]) => [path, [...own.values()]]));
}

/** Whether values lie in every combination of the cells that some axes have. */
function reachesAll(axes: readonly Axis[], values: readonly FactValue[], day: string): boolean {
  const combinations = axes.reduce((product, axis) => product * (axis.cells.length - axis.firstValue), 1);
  const places = values.map((value) => axes.map((axis) => findCell(axis, { value }, undefined, day)).join());
  return new Set(places).size >= combinations;
}

/** Paths that are joined by pairs, directly or through others. */
function groupsOf(pairs: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let groups: (readonly string[])[] = [];
  for (const pair of pairs) {
    if (pair.length < 2) continue;
    const touching = groups.filter((group) => group.some((path) => pair.includes(path)));
    groups = [...groups.filter((group) => !touching.includes(group)), [...new Set([...touching.flat(), ...pair])]];
  }
  return groups;
}
