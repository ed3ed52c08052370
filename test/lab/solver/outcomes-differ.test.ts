/** Whether changes of small random policies change an outcome, against every applicant there can be. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { DEFAULT_STEPS } from '../../../src/lab/limits.ts';
import { createReasoner } from '../../../src/lab/question/reasoner.ts';
import { outcomeFormulas, outcomesDiffer } from '../../../src/lab/solver/encode.ts';
import { Steps } from '../../../src/lab/steps.ts';
import { rulesInEffect } from '../../../src/policy/language.ts';
import { aSmallPolicy, aSmallRule, DAY, loadSmall, verdictsOf } from '../../support/lab/small-policies.ts';
import { sampled } from '../../support/sampled.ts';

/** The parts of a policy, and of changed ones: one rule or two others, or other settings. A rule may be removed. */
const aCase = aSmallPolicy.chain((policy) => {
  const { rules } = policy;
  const aChange = fc.record({
    by: fc.constantFrom('rule', 'rule', 'rule', 'two rules', 'settings'),
    at: fc.nat(rules.length - 1),
    rule: fc.option(aSmallRule, { nil: undefined }),
    second: aSmallRule,
    settings: aSmallPolicy,
  });
  const changed = aChange.map(({ by, at, rule, second, settings }) => {
    if (by === 'settings') return { ...settings, rules };
    const one: readonly (string | undefined)[] = rules.map((each, i) => (i === at ? rule : each));
    return { ...policy, rules: by === 'rule' ? one : one.with((at + 1) % rules.length, second) };
  });
  return fc.record({ policy: fc.constant(policy), changes: fc.array(changed, { minLength: 4, maxLength: 8 }) });
});

/** A rule that reaches a band alone, with fewer points and with more. Unknown facts do not change the outcome. */
const FEWER_POINTS = ['review', 'reject'].map((band) => {
  const of = (points: number) => ({
    fallback: 'accept' as const,
    score: `score: { ${band}: 20 }\n`,
    rules: [
      `when: { all: [{ context.old: true }] }, points: ${points}, whenUnknown: ignore`,
      'when: { all: [{ context.channel: web }] }, points: 5',
    ],
  });
  return { policy: of(20), changes: [of(10), of(30)] };
});

it('the formula holds somewhere exactly if somebody gets another outcome', async () => {
  const found = { satisfiable: 0, unsatisfiable: 0, unknown: 0 };
  for (const { policy: plain, changes } of [...FEWER_POINTS, ...fc.sample(aCase, sampled(4, 3000))]) {
    const policy = loadSmall(plain.fallback, plain.score, plain.rules);
    const changed = changes.map(({ fallback, score, rules }) => loadSmall(fallback, score, rules));
    const conditions = changed.flatMap(({ rules }) => rules.map(({ when }) => when));
    const reasoner = await createReasoner([policy], DAY, conditions);
    const sideOf = (of: typeof policy) => ({ policy: of, rules: rulesInEffect(of, DAY) });
    const formulas = outcomeFormulas(sideOf(policy), reasoner.encoding);
    const before = verdictsOf(policy);
    for (const [i, now] of changed.entries()) {
      const differs = outcomesDiffer(formulas, outcomeFormulas(sideOf(now), reasoner.encoding));
      const answer = await reasoner.solver.ask([differs], new Steps(DEFAULT_STEPS));
      const isSame = verdictsOf(now).every(({ outcome }, at) => outcome === before[at]?.outcome);
      expect(answer.kind, JSON.stringify([plain, changes[i]], null, 1)).toBe(isSame ? 'unsatisfiable' : 'satisfiable');
      found[answer.kind] += 1;
    }
  }
  expect(found.satisfiable).toBeGreaterThan(5);
  expect(found.unsatisfiable).toBeGreaterThan(5);
});
