/** A condition -> the edits of its parts, up to named conditions, which are edited where they stand. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Arguments, isNamedList, YEARS, type YearsTest } from '../../policy/arguments.ts';
import { Cells } from '../../policy/cells/cells.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { operatorRow } from '../../policy/operators.ts';
import { testKey } from '../../policy/sameness.ts';
import { type By, editsOf } from './mutation-operators.ts';
import { inPlaceOf, type PartEdit } from './policy-change.ts';
import { withArgument } from './test-mutations.ts';

/** The edits of a condition and of its parts. */
export function partEdits(condition: Condition, facts: FactTable, path = ''): readonly By<PartEdit>[] {
  const named = (edits: readonly By<PartEdit>[]) => edits.map((each) => ({ ...each, name: `${path}:${each.name}` }));
  if (condition.kind === 'test') return named(testEdits(condition, facts));
  if (condition.kind === 'named') return [];
  const inner = condition.of.flatMap((part, i) => partEdits(part, facts, `${path}.${i}`));
  return [...named(editsOf(condition, ({ ofJoin }) => ofJoin)), ...inner];
}

/** The edits of a test, those of one meaning once, and none that mean the same as the test. */
function testEdits(test: Test, facts: FactTable): readonly By<PartEdit>[] {
  const edits = [...yearsEdits(test), ...editsOf(test, ({ ofTest }) => ofTest)];
  return isNamedList(test.argument) ? edits : unlike(test, edits, facts);
}

/** The edits of each of the tests of a number of years: those of a test of any whole number. */
function yearsEdits(test: Test): readonly By<PartEdit>[] {
  if (operatorRow(test.operator).argument !== 'years') return [];
  const years = test.argument as Arguments['years'];
  return years.flatMap(({ operator, argument }, at) => {
    const asked = { fact: '', operator, argument, other: undefined };
    const inner: Test = { kind: 'test', type: YEARS.type, expected: argument, ...asked, key: testKey(asked) };
    return editsOf(inner, ({ ofTest }) => ofTest).flatMap(({ operator: by, name, replacement }) => {
      if (replacement.kind !== 'test') return [];
      const changed = { operator: replacement.operator, argument: replacement.argument } as YearsTest;
      const all = years.with(at, changed);
      const written = Object.fromEntries(all.map((each) => [each.operator, each.argument]));
      return { ...inPlaceOf(test, `${at} ${name}`, withArgument(test, all, written)), operator: by };
    });
  });
}

/** Edits of different truth, in any state of the fact, than the test has and than those before have. */
function unlike(test: Test, edits: readonly By<PartEdit>[], facts: FactTable): readonly By<PartEdit>[] {
  const tests = edits.flatMap(({ replacement }) => (replacement.kind === 'test' ? [replacement] : []));
  const cells = new Cells([test, ...tests], facts);
  const keyOf = (condition: Condition): string => {
    if (condition.kind !== 'test') return 'negated';
    const { axis, isTrue, isUnknown } = cells.of(condition);
    return `${cells.axes.indexOf(axis)} ${isTrue} ${isUnknown}`;
  };
  const seen = new Set([keyOf(test)]);
  return edits.filter(({ replacement }) => {
    const key = keyOf(replacement);
    return !seen.has(key) && seen.add(key);
  });
}

/** The condition with another part in place of one, which is found by identity; itself if it does not have the part. */
export function withPart(condition: Condition, part: Condition, replacement: Condition): Condition {
  if (condition === part) return replacement;
  if (condition.kind === 'test') return condition;
  const of = condition.of.map((each) => withPart(each, part, replacement));
  return of.every((each, i) => each === condition.of[i]) ? condition : ({ ...condition, of } as Condition);
}
