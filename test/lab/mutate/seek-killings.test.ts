/** Cases and proofs for mutants that no test kills: shared, kept for later runs, and never with somebody's data. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import { DEFAULT_STEPS } from '../../../src/lab/limits.ts';
import { mutantsOf } from '../../../src/lab/mutate/mutants.ts';
import { type Answer, type Kept, seekKillings } from '../../../src/lab/mutate/seek-killings.ts';
import { Steps } from '../../../src/lab/steps.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { killingCases, mutated } from '../../support/lab/mutation.ts';
import { aSmallPolicy, aSmallRule, DAY, loadSmall } from '../../support/lab/small-policies.ts';
import { sampled } from '../../support/sampled.ts';

async function seek(policy: Policy, earlier: Kept | undefined) {
  const { mutants } = mutantsOf(policy, [DAY], () => undefined);
  const tested = { path: 'policy.yaml', mapping: loadMapping(), policy };
  const found = await seekKillings({
    tested,
    days: [DAY],
    mutants,
    steps: new Steps(DEFAULT_STEPS),
    names: [],
    earlier,
  });
  const kindOf = (answer: Answer | undefined) => (typeof answer === 'object' ? 'case' : answer);
  return { ...found, kinds: mutants.map((mutant) => [mutant.key, kindOf(found.answers.get(mutant))]) };
}

const anEdit = aSmallPolicy.chain((policy) =>
  fc.record({ policy: fc.constant(policy), at: fc.nat(policy.rules.length - 1), rule: aSmallRule }),
);

/** A final rule beside which nothing is stricter, until another rule is edited. */
const FINAL_RULE = {
  policy: {
    ...{ fallback: 'accept' as const, score: '' },
    rules: ['when: { context.channel: web }, then: accept', 'when: { context.old: true }, then: accept, final: true'],
  },
  ...{ at: 0, rule: 'when: { context.channel: web }, then: reject' },
};

describe('cases and proofs', () => {
  it('of an earlier run change no answer, before an edit of the policy and after it', async () => {
    const reused = { cases: 0, proofs: 0 };
    for (const { policy, at, rule } of [FINAL_RULE, ...fc.sample(anEdit, sampled(1, 200))]) {
      const { fallback, score, rules } = policy;
      const [old, edited] = [rules, rules.with(at, rule)].map((each) => loadSmall(fallback, score, each));
      const first = await seek(old as Policy, undefined);
      const again = await seek(old as Policy, first.kept);
      expect(again.kinds).toEqual(first.kinds);
      expect(again.kept).toEqual(first.kept);
      expect(again.reused).toEqual({ cases: first.kept.cases.length, proofs: first.kept.equivalent.length });
      const after = await seek(edited as Policy, first.kept);
      expect(after.kinds, JSON.stringify(policy)).toEqual((await seek(edited as Policy, undefined)).kinds);
      reused.cases += after.reused.cases;
      reused.proofs += again.reused.proofs;
    }
    expect(reused.cases).toBeGreaterThan(0);
    expect(reused.proofs).toBeGreaterThan(0);
  });

  it('are not claimed where neither is found', async () => {
    const code = '[{ context.code: { matches: "^a+x" } }, { context.code: { matches: "^b+x" } }]';
    const { results } = await mutated(`rules: [{ id: a, when: { all: ${code} }, then: review }]\n`);
    const open = results.filter(({ killing }) => killing === 'undecided');
    expect(open.length).toBeGreaterThan(0);
    for (const { status } of open) expect(status).not.toBe('equivalent');
  });

  it('are shared by the mutants that one case kills', async () => {
    const { results } = await mutated('rules: [{ id: a, when: { context.amount: { atLeast: 5 } }, then: review }]\n');
    const living = results.filter(({ killing }) => typeof killing === 'object');
    expect(living.length).toBeGreaterThan(killingCases(results).length);
  });

  it('are for each day of the tests', async () => {
    const policy = `rules:
  - { id: a, when: { context.since: { withinLast: 1 week, before: 2026-11-18 } }, then: review }
`;
    const later = ['a', 'b'].map((name) => `- { name: ${name}, at: 2027-06-01, expect: { notice: none } }\n`).join('');
    const { results } = await mutated(policy, `${later}- { name: c, expect: { notice: none } }\n`);
    const moved = results.filter(({ operator }) => operator === 'threshold');
    expect(new Set(moved.map(({ status }) => status))).toEqual(new Set(['notReached']));
  });

  it('never have a value of a personal fact that the policy names', async () => {
    const policy = `lists: { blocked: [bob@example.com] }
rules: [{ id: a, when: { applicant.email: { inList: blocked } }, then: reject }]
`;
    const { results } = await mutated(policy);
    expect(JSON.stringify(results.map(({ reachedBy: _, ...each }) => each))).not.toContain('bob');
    expect(results.find(({ operator }) => operator === 'list-entry')?.killing).toBe('personal');
    expect(results.find(({ operator }) => operator === 'rule')?.killing).toMatchObject({ facts: {} });
  });
});
