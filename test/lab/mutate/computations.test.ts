/** Mutants of computed facts, and of parameters in them, against policies that are written so. */

import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Facts } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { DEFAULT_STEPS } from '../../../src/lab/limits.ts';
import { createJudge, type JudgedCase } from '../../../src/lab/mutate/judge.ts';
import { prepareKillings } from '../../../src/lab/mutate/killing-case.ts';
import { mutantsOf } from '../../../src/lab/mutate/mutants.ts';
import { Steps } from '../../../src/lab/steps.ts';
import { expectable, isSeen } from '../../support/lab/mutant-verdicts.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';

const POLICY = `${HEAD}parameters: { factor: 2 }
facts:
  context.income: { type: integer }
  context.rent: { type: integer }
  context.left: { type: integer, compute: { difference: [context.income, context.rent] } }
  context.least: { type: integer, compute: { minimum: [context.income, 3] } }
  context.part: { type: number, compute: { ratio: [context.rent, $factor] } }
rules:
  - { id: little, when: { context.left: { below: 1 } }, then: review, whenUnknown: ignore }
  - { id: never, when: { context.least: { atLeast: 6 } }, then: reject, whenUnknown: ignore }
  - { id: part, when: { context.part: { above: 1 }, context.income: { below: $factor } }, points: 1 }
`;

/** The policy with another text in place of one; whatever is written once. */
function rewritten(before: string, after: string) {
  const asWritten = before.replace('[context.rent, 2]', '[context.rent, $factor]');
  expect(POLICY.split(asWritten)).toHaveLength(2);
  return policyOf(POLICY.replace(asWritten, after));
}

const VALUES = [undefined, -4, 0, 1, 2, 3, 4, 5, 9];

/** An applicant for each pair of these values. */
const GIVEN: readonly Facts[] = VALUES.flatMap((income) =>
  VALUES.map((rent) => {
    const given = Object.entries({ income, rent });
    return new Map(given.flatMap(([name, value]) => (value === undefined ? [] : [[`context.${name}`, { value }]])));
  }),
);

describe('a mutant of a computed fact', () => {
  it('decides as the policy that is written so', async () => {
    const policy = policyOf(POLICY);
    const { mutants, notMutated } = mutantsOf(policy, [DAY], ({ factor }) =>
      rewritten('factor: 2', `factor: ${factor}`),
    );
    expect(notMutated).toEqual([]);
    const own = mutants.filter(({ operator }) => operator === 'computation' || operator === 'parameter');
    expect(own.map(({ after }) => after)).toContain('compute: { difference: [context.rent, context.income] }');
    const judge = createJudge(
      policy,
      own.map(({ change }) => change),
    );
    const judged = GIVEN.map((given) => judge(readFacts(given, policy.facts, DAY), DAY));
    const kinds = new Set<string>();
    for (const mutant of own) {
      const { change, before, after } = mutant;
      const name = `${before} -> ${after}`;
      const written = rewritten(before, after);
      const verdictsOn = (given: Facts) =>
        [policy, written].map((each) => matcherOf(each).verdict(readFacts(given, each.facts, DAY), DAY)) as [
          Verdict,
          Verdict,
        ];
      const all = GIVEN.map(verdictsOn);
      for (const [at, [one, other]] of all.entries()) {
        const { isReachedBy, verdict } = judged[at] as JudgedCase;
        expect(expectable(isReachedBy(change) ? verdict(change) : one), name).toEqual(expectable(other));
      }
      const findKilling = await prepareKillings(policy, DAY, [mutant], new Steps(DEFAULT_STEPS));
      const killing = await findKilling(mutant);
      kinds.add(killing.kind);
      const isSeenBySomebody = all.some(([one, other]) => isSeen(one, other));
      expect(killing.kind, name).toBe(isSeenBySomebody ? 'case' : 'unreachable');
      if (killing.kind === 'case') expect(isSeen(...verdictsOn(killing.facts)), name).toBe(true);
    }
    expect(kinds).toEqual(new Set(['case', 'unreachable']));
  });
});
