/** A policy -> the same policy with other conditions in place of some of its tests. */

import type { Condition, Policy, Test } from '../../policy/language.ts';

/** Gives a function that replaces the tests of a condition; it rewrites each condition once. */
export function testRewriter(rewrite: (test: Test) => Condition): (condition: Condition) => Condition {
  const rewritten = new Map<Condition, Condition>();
  const rewriteAll = (condition: Condition): Condition => {
    const cached = rewritten.get(condition) ?? rewriteIn(condition, rewrite, rewriteAll);
    rewritten.set(condition, cached);
    return cached;
  };
  return rewriteAll;
}

function rewriteIn(
  condition: Condition,
  rewrite: (test: Test) => Condition,
  rewriteAll: (part: Condition) => Condition,
): Condition {
  if (condition.kind === 'test') return rewrite(condition);
  if (condition.kind === 'not' || condition.kind === 'named')
    return { ...condition, of: [rewriteAll(condition.of[0])] };
  return { ...condition, of: condition.of.map(rewriteAll) };
}

/** Rewrites the conditions of all rules and guarantees, and the named ones. */
export function withConditions(policy: Policy, rewrite: (condition: Condition) => Condition): Policy {
  return {
    ...policy,
    rules: policy.rules.map((rule) => ({ ...rule, when: rewrite(rule.when) })),
    guarantees: policy.guarantees.map((guarantee) => ({ ...guarantee, when: rewrite(guarantee.when) })),
    conditions: new Map([...policy.conditions].map(([name, condition]) => [name, rewrite(condition)])),
  };
}
