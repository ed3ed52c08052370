/** Tests that are true of a missing fact and can make a rule fire -> a warning each, with the rules. */

import { fold, pushDown } from '../../fold.ts';
import type { Condition, Test } from '../../language.ts';
import { type Check, nameRules } from '../context.ts';

export function checkFiresOnMissing({ policy, nodes, warn }: Check): void {
  const affected = policy.rules.flatMap((rule) => [...testsOfMissing(rule.when)].map((test) => ({ test, rule })));
  for (const [test, pairs] of Map.groupBy(affected, (pair) => pair.test)) {
    const rules = pairs.map(({ rule }) => rule);
    const cause = 'a source that fails, or an applicant who leaves something out, is enough';
    const message = `the rule ${nameRules(rules)} can fire because ${test.fact} is missing: ${cause}`;
    warn(nodes.get(test), 'fires-on-missing', message);
  }
}

/** The tests of a condition that help it to be true where a fact is missing, each once. */
function testsOfMissing(condition: Condition): ReadonlySet<Test> {
  const helping = pushDown<readonly Test[]>({
    literal: (test, isPositive) => {
      return test.operator === 'known' && (test.argument === false) === isPositive ? [test] : [];
    },
    atLeast: (_count, parts) => parts.flat(),
  });
  return new Set(fold(condition, helping)(true));
}
