/** Tests that no known value passes, alone or beside the others of its fact -> warnings. */

import type { Test } from '../../language.ts';
import { describeTest, writeTest } from '../../operators.ts';
import type { Check } from '../context.ts';
import { constantTruth, reportTest, testGroups } from './test-groups.ts';

export function checkNeverTrue(check: Check): void {
  for (const group of testGroups(check)) {
    for (const test of group) {
      if (constantTruth(test, check) !== false) continue;
      const message = `no known value of ${test.fact} ${describeTest(test)}: the test is never true`;
      reportTest(test, 'never-true', message, check);
    }
    const open = group.filter((test) => constantTruth(test, check) === undefined);
    checkContradiction(open, check);
  }
}

/** Reports the first test that contradicts those before it. */
function checkContradiction(group: readonly Test[], check: Check): void {
  const { conjunctions } = check;
  if (group.length < 2) return;
  for (const [i, test] of group.entries()) {
    if (conjunctions.meet(group.slice(0, i + 1))) continue;
    const other = group.slice(0, i).find((each) => !conjunctions.meet([each, test]));
    const [others, all] = other ? [`"${writeTest(other)}"`, 'both'] : ['the tests before it', 'all of them'];
    const result = `no value of ${test.fact} passes ${all}, so the condition is never true`;
    reportTest(test, 'never-true', `"${writeTest(test)}" contradicts ${others}: ${result}`, check);
    return;
  }
}
