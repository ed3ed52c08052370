/** The conditions of a policy -> the tests of one fact that all have to hold, group by group. */

import type { DiagnosticCode } from '../../../diagnostics.ts';
import { isEmptyList, isNamedList } from '../../arguments.ts';
import { EVERY_STATE, STATES } from '../../cells/cells.ts';
import type { Condition, Test } from '../../language.ts';
import { type Check, conditionsOf } from '../context.ts';

/** The groups of all conditions; most have one test. */
export function* testGroups(check: Check): Generator<readonly Test[]> {
  for (const condition of conditionsOf(check.policy)) yield* groupsIn(condition, check);
}

function* groupsIn(condition: Condition, check: Check): Generator<readonly Test[]> {
  if (condition.kind === 'named') return;
  const [tests, others] =
    condition.kind === 'test' || condition.kind === 'all' ? split([condition]) : [[], condition.of];
  yield* Map.groupBy(tests, (test) => check.cells.of(test).axis.subject).values();
  for (const other of others) yield* groupsIn(other, check);
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

/** The truth of a test that is the same for every known value; undefined where it depends on the value. */
export function constantTruth(test: Test, { cells }: Check): boolean | undefined {
  const { argument, operator } = test;
  // `known` is asked of missing facts too. An empty list was reported where it is declared.
  if (operator === 'known' || (isNamedList(argument) && isEmptyList(argument))) return undefined;
  const { axis, isTrue } = cells.of(test);
  const known = axis.within(EVERY_STATE - STATES.missing);
  if ((isTrue & known) === 0n) return false;
  return (isTrue & known) === known ? true : undefined;
}

/** Reports a test, so that what follows from it is not reported again. */
export function reportTest(test: Test, code: DiagnosticCode, message: string, check: Check, hint?: string): void {
  check.reported.add(test);
  check.warn(check.nodes.get(test), code, message, hint);
}
