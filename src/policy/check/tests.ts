/** Tests -> warnings about those that are the same for every value, alone or beside others of the same fact. */

import { EVERY_STATE, STATES } from '../cells/cells.ts';
import { isWithin } from '../cells/conjunctions.ts';
import type { Condition, Test } from '../language.ts';
import { operatorRow } from '../operators.ts';
import { type Check, conditionsOf } from './context.ts';

/** Looks for tests that are never true, or never false, of a known value. */
export function checkTests(check: Check): void {
  for (const condition of conditionsOf(check.policy)) visit(condition, check);
}

function visit(condition: Condition, check: Check): void {
  if (condition.kind === 'named') return;
  const [tests, others] =
    condition.kind === 'test' || condition.kind === 'all' ? split([condition]) : [[], condition.of];
  for (const group of bySubject(tests, check).values()) {
    const open = group.filter((test) => !isSettledAlone(test, check));
    if (open.length > 1) checkGroup(open, check);
  }
  for (const other of others) visit(other, check);
}

/** The tests that all have to hold, and the other parts beside them. */
function split(conditions: readonly Condition[]): readonly [Test[], Condition[]] {
  const tests: Test[] = [];
  const others: Condition[] = [];
  for (const condition of conditions) {
    if (condition.kind === 'test') tests.push(condition);
    else if (condition.kind !== 'all') others.push(condition);
    else {
      const [inner, rest] = split(condition.of);
      for (const test of inner) tests.push(test);
      others.push(...rest);
    }
  }
  return [tests, others];
}

function bySubject(tests: readonly Test[], { cells }: Check): ReadonlyMap<string, Test[]> {
  const groups = new Map<string, Test[]>();
  for (const test of tests) {
    const { subject } = cells.of(test).axis;
    const group = groups.get(subject) ?? [];
    groups.set(subject, group);
    group.push(test);
  }
  return groups;
}

/** Reports a test that is the same for every known value. */
function isSettledAlone(test: Test, check: Check): boolean {
  const { argument, operator, fact } = test;
  // What `known` tells apart is not among the known values; that a list is empty was said where it is declared.
  if (operator === 'known' || isEmptyList(argument)) return false;
  const { axis, isTrue } = check.cells.of(test);
  const known = axis.within(EVERY_STATE - STATES.missing);
  if ((isTrue & known) === 0n) {
    const message = `no known value of ${fact} ${saying(test)}: the test is never true, and what it guards never happens`;
    report(test, 'never-true', message, check);
    return true;
  }
  if ((isTrue & known) !== known) return false;
  const message = `every known value of ${fact} ${saying(test)}: the test is never false, and tells nobody from anybody`;
  report(test, 'always-true', message, check, `to ask whether it is known at all, write \`${fact}: { known: true }\``);
  return true;
}

function isEmptyList(argument: Test['argument']): boolean {
  return typeof argument === 'object' && 'longest' in argument && argument.entries.size === 0;
}

/** Reports the first test that contradicts those before it; or those that the others already imply. */
function checkGroup(group: readonly Test[], check: Check): void {
  const { conjunctions } = check;
  for (const [i, test] of group.entries()) {
    if (conjunctions.meet(group.slice(0, i + 1))) continue;
    const before = group.slice(0, i);
    const other = before.find((each) => !conjunctions.meet([each, test]));
    const others = other ? `with "${written(other)}"` : 'with the tests of it before';
    const message = `"${written(test)}" is never true together ${others}: no value of ${test.fact} passes all of them, and the whole never holds`;
    report(test, 'never-true', message, check);
    return;
  }
  let left = group;
  for (const test of group.toReversed()) {
    const others = left.filter((each) => each !== test);
    // `known: true` beside a value says what becomes of a missing one, and is needed.
    if (test.operator === 'known' || others.length === 0) continue;
    const [region, own] = [conjunctions.meet(others), conjunctions.meet([test])];
    if (!region || !own || !isWithin(region, own)) continue;
    const message = `the other tests of ${test.fact} beside it already imply "${written(test)}": it changes nothing, and misleads whoever edits it`;
    report(test, 'always-true', message, check);
    left = others;
  }
}

function report(test: Test, code: 'never-true' | 'always-true', message: string, check: Check, hint?: string): void {
  check.reported.add(test);
  check.warn(check.places.get(test), code, message, hint);
}

/** `is above 10`. */
function saying({ operator, expected }: Test): string {
  return operatorRow(operator).sentence.replace('…', () => shown(expected));
}

/** `above: 10`. */
function written({ operator, expected }: Test): string {
  return `${operator}: ${shown(expected)}`;
}

function shown(expected: unknown): string {
  return typeof expected === 'string' ? expected : JSON.stringify(expected);
}
