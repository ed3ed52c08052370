/** The idle rules of small random policies, against every applicant there can be. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import { DEFAULT_STEPS } from '../../../src/lab/limits.ts';
import { createRemoval, findIneffectiveRules } from '../../../src/lab/prove/ineffective-rules.ts';
import { createReasoner } from '../../../src/lab/question/reasoner.ts';
import { or } from '../../../src/lab/solver/formula.ts';
import { Steps } from '../../../src/lab/steps.ts';
import type { Rule } from '../../../src/policy/language.ts';
import { aSmallPolicy, DAY, loadSmall, verdictsOf } from '../../support/lab/small-policies.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

/** Whether the decisive reason of a rule says what no other decisive rule says. */
function explainsAlone({ reasons }: Verdict, { id }: Rule): boolean {
  const decisive = reasons.filter((reason) => reason.because === 'fired' && reason.decisive);
  const words = (reason: (typeof decisive)[number] | undefined) => {
    if (reason?.because !== 'fired') return undefined;
    return { code: reason.code.startsWith('R') ? undefined : reason.code, notice: reason.notice };
  };
  const own = decisive.find((reason) => reason.because === 'fired' && reason.rule === id);
  if (!own) return false;
  const others = decisive.filter((reason) => reason !== own);
  if (others.length === 0 && own.outcome !== 'accept') return true;
  const { code, notice } = words(own) ?? {};
  return (
    (code !== undefined || notice !== undefined) &&
    others.every((other) => {
      const { code: otherCode, notice: otherNotice } = words(other) ?? {};
      return (code !== undefined && code !== otherCode) || (notice !== undefined && notice !== otherNotice);
    })
  );
}

/**
 * What random policies seldom have: rules that add the same, both fired, or one of them undetermined; points of a
 * shadow rule alone; and a final rule that an undetermined one overrules.
 */
const SELDOM = [
  ['when: { context.channel: web }, then: review', 'when: { context.channel: web }, then: review'],
  [
    'when: { context.channel: { known: false } }, points: 20, whenUnknown: ignore',
    'when: { context.channel: web }, points: 20, whenUnknown: ignore',
  ],
  ['when: { context.channel: web }, points: 20, mode: shadow'],
  [
    'when: { context.channel: { known: false } }, points: 20, whenUnknown: ignore',
    'when: { context.channel: web }, points: 20, whenUnknown: ignore',
    'when: { context.channel: web }, then: reject, whenUnknown: ignore',
  ],
  [
    'when: { context.amount: { atMost: 3 } }, points: 20',
    'when: { context.amount: { atMost: 3 } }, points: 20, mode: shadow',
  ],
]
  .map((rules) => ({ fallback: 'accept', score: 'score: { review: 20 }\n', rules }))
  .concat({
    ...{ fallback: 'accept', score: '' },
    rules: [
      'when: { context.old: { known: true } }, then: accept, final: true, mode: shadow',
      'when: { context.old: true }, then: accept, final: true, reason: OWN, mode: shadow',
    ],
  })
  .concat({
    ...{ fallback: 'reject', score: '' },
    rules: [
      'when: { context.amount: { atMost: 3 } }, then: reject, final: true',
      'when: { context.amount: { above: 3 } }, then: review, final: true',
      'when: { context.channel: web }, then: review, final: true, whenUnknown: ignore',
    ],
  });

describe('idle rules', () => {
  it('are those without which each applicant gets the same outcome, and none is the only explanation', async () => {
    const seen = { fires: 0, matters: 0, idle: 0 };
    for (const { fallback, score, rules } of [...SELDOM, ...fc.sample(aSmallPolicy, sampled(5, 3000))]) {
      const policy = loadSmall(fallback, score, rules);
      const conditions = policy.rules.map(({ when }) => when);
      const reasoner = await createReasoner([policy], DAY, conditions);
      const idle = await findIneffectiveRules(reasoner, policy.rules, new Steps(DEFAULT_STEPS));
      const removalOf = createRemoval(reasoner);
      const shown = JSON.stringify({ fallback, score, rules }, null, 1);
      expect(idle.undecided, shown).toEqual([]);
      const asIs = verdictsOf(policy);
      for (const [i, rule] of policy.rules.entries()) {
        const text = rules[i] as string;
        const live = rule.shadow ? rules.with(i, text.replace(', mode: shadow', '')) : undefined;
        const withIt = live ? verdictsOf(loadSmall(fallback, score, live)) : asIs;
        const without = verdictsOf(loadSmall(fallback, score, rules.toSpliced(i, 1)));
        const fires = withIt.some(({ reasons }) =>
          reasons.some((reason) => 'rule' in reason && reason.because === 'fired' && reason.rule === rule.id),
        );
        const matters = withIt.some(
          (verdict, at) => verdict.outcome !== without[at]?.outcome || explainsAlone(verdict, rule),
        );
        expect(idle.neverFire.includes(rule), `${rule.id} ${shown}`).toBe(!fires);
        expect(idle.neverMatter.includes(rule), `${rule.id} ${shown}`).toBe(fires && !matters);
        const { explains, delays, decides } = removalOf(rule);
        const answer = await reasoner.solver.ask([or([explains, delays, decides])], new Steps(DEFAULT_STEPS));
        expect(answer.kind, `${rule.id} ${shown}`).toBe(matters ? 'satisfiable' : 'unsatisfiable');
        seen[!fires ? 'fires' : matters ? 'matters' : 'idle'] += 1;
      }
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });

  it('are none that lower the score only where they are undetermined', async () => {
    const never = 'all: [{ phone.valid: true }, { phone.valid: false }]';
    const policy = policyOf(`${HEAD}score: { reject: 40 }
rules:
  - { id: high, when: { phone.score: { atLeast: 80 } }, points: 40, whenUnknown: ignore }
  - { id: less, when: { ${never} }, points: -10 }
`);
    const reasoner = await createReasoner([policy], DAY);
    const less = policy.rules.find(({ id }) => id === 'less') as Rule;
    const answer = await reasoner.solver.ask([createRemoval(reasoner)(less).delays], new Steps(DEFAULT_STEPS));
    expect(answer.kind).toBe('satisfiable');
  });
});
