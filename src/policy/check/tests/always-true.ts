/** Tests that every known value passes, alone or beside the others of its fact -> warnings. */

import { isWithin } from '../../cells/conjunctions.ts';
import type { Test } from '../../language.ts';
import { describeTest, writeTest } from '../../operators.ts';
import type { Check } from '../context.ts';
import { constantTruth, reportTest, testGroups } from './test-groups.ts';

export function checkAlwaysTrue(check: Check): void {
  for (const group of testGroups(check)) {
    for (const test of group) {
      if (constantTruth(test, check) !== true) continue;
      const message = `every known value of ${test.fact} ${describeTest(test)}: the test is always true`;
      const hint = `to ask only whether it is known, write \`${test.fact}: { known: true }\``;
      reportTest(test, 'always-true', message, check, hint);
    }
    const open = group.filter((test) => constantTruth(test, check) === undefined);
    checkImplied(open, check);
  }
}

/** Reports the tests that the others of a group already imply, unless the group contradicts itself. */
function checkImplied(group: readonly Test[], check: Check): void {
  const { conjunctions } = check;
  if (group.length < 2 || !conjunctions.meet(group)) return;
  let needed = group;
  for (const test of group.toReversed()) {
    const others = needed.filter((each) => each !== test);
    // `known: true` beside a value decides what becomes of a missing one, and is needed.
    if (test.operator === 'known' || others.length === 0) continue;
    const [region, own] = [conjunctions.meet(others), conjunctions.meet([test])];
    if (!region || !own || !isWithin(region, own)) continue;
    const message = `"${writeTest(test)}" changes nothing: the other tests of ${test.fact} beside it already imply it`;
    reportTest(test, 'always-true', message, check, 'remove it, or change its value');
    needed = others;
  }
}
