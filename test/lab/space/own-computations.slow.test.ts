/** Two policies that compute one fact in two ways: whose decisions differ. */

import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/facts/read.ts';
import { diffPolicies, findDifference } from '../../../src/lab/diff/diff.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { checkDiff } from '../../support/lab/fault.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';

interface Written {
  readonly compute: string;
  readonly type?: 'integer' | 'number';
  readonly when?: string;
}

function policyWith({ compute, type = 'number', when = 'context.most: { below: 100 }' }: Written): Policy {
  const numbers = ['income', 'rent', 'limit'].map((name) => `  context.${name}: { type: number }\n`);
  return policyOf(`${HEAD}parameters: { factor: 0.5 }
facts:
${numbers.join('')}  context.most: { type: ${type}, compute: ${compute} }
rules:
  - { id: over, when: { context.limit: { above: { fact: context.most } } }, then: reject, whenUnknown: ignore }
  - { id: little, when: { ${when} }, then: review }
`);
}

const VALUES = [undefined, -1, 99.5, 150, 199.9, 200];

/** All combinations of some values. */
function applicantsOf({ facts }: Policy) {
  return VALUES.flatMap((income) =>
    VALUES.flatMap((rent) =>
      [undefined, 100, 150].map((limit) => {
        const given = Object.entries({ income, rent, limit }).flatMap(([name, value]) =>
          value === undefined ? [] : [[`context.${name}`, { value }] as const],
        );
        return readFacts(new Map(given), facts, DAY);
      }),
    ),
  );
}

const HALF = { compute: '{ product: [context.income, $factor] }' };

describe('a fact that two policies compute in two ways', () => {
  it.each<readonly [string, Written, Written]>([
    ['another literal', HALF, { compute: '{ product: [context.income, 0.75] }' }],
    ['another operand', HALF, { compute: '{ product: [context.rent, $factor] }' }],
    ['another operation', HALF, { compute: '{ difference: [context.income, context.rent] }' }],
    [
      'another type',
      { compute: '{ sum: [context.income, 50] }' },
      { compute: '{ sum: [context.income, 50] }', type: 'integer' },
    ],
    [
      'another rule too',
      HALF,
      {
        compute: '{ sum: [context.income, 1] }',
        when: 'any: [{ context.most: { below: 60 } }, { context.rent: { above: 150 } }]',
      },
    ],
  ])('decides applicants as the regions say: %s', async (_, one, other) => {
    const policies = [policyWith(one), policyWith(other)] as const;
    for (const [old, now] of [policies, policies.toReversed() as [Policy, Policy]].slice(0, sampled(1, 2))) {
      const found = await diffPolicies(old, now, { at: DAY });
      expect(found.elsewhere).toBe('same');
      for (const reader of [old, now]) {
        const { fault } = checkDiff([old, now], found, applicantsOf(reader), DAY);
        expect(fault).toBeUndefined();
      }
    }
  });

  it('is said with the policy that computes it so, and is never given', async () => {
    const [old, now] = [policyWith(HALF), policyWith({ compute: '{ product: [context.income, 0.75] }' })];
    const { regions } = await diffPolicies(old, now, { at: DAY });
    const milder = regions.find(({ from, to }) => from === 'review' && to === 'accept');
    expect(milder?.conditions).toContain('context.most is at least 100');
    expect(milder?.conditions).toContain('context.most (as computed by the old policy) is below 100');
    for (const { example, oldExample } of regions) {
      expect(JSON.stringify([example, oldExample])).not.toContain('context.most');
    }
    expect(await findDifference(old, now, { at: DAY })).toMatchObject({ kind: 'different' });
  });

  it('is said once where two tests together say it', async () => {
    const when = 'context.most: { atLeast: { fact: context.rent }, atMost: { fact: context.rent } }';
    const now = policyWith({ compute: '{ product: [context.income, 0.75] }', when });
    const { regions } = await diffPolicies(policyWith({ ...HALF, when }), now, { at: DAY });
    const said = regions.flatMap(({ conditions }) => conditions).filter((each) => each.includes(' and '));
    expect(said).toContain(
      'context.most (as computed by the old policy) is at least context.rent and is at most context.rent, or one of them is missing',
    );
  });

  it('that is spelt in another way is the same', async () => {
    const [old, now] = [policyWith(HALF), policyWith({ compute: '{ product: [$factor, context.income] }' })];
    expect(await findDifference(old, now, { at: DAY })).toEqual({ kind: 'same' });
  });
});
