/** What the warnings about points and scores claim, against random applicants. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { settle } from '../../../src/decision/meaning/outcome.ts';
import { evaluate, FALSE, TRUE } from '../../../src/decision/meaning/truth.ts';
import type { Diagnostic } from '../../../src/diagnostics.ts';
import type { Fact } from '../../../src/facts/fact.ts';
import { type Band, isActive, type Policy, strictness } from '../../../src/policy/language.ts';
import { readPolicyText } from '../../../src/policy/load.ts';
import { HEAD } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const DAYS = ['2026-06-30', '2026-07-01'] as const;

const aTest = fc.constantFrom(
  'phone.type: voip',
  'phone.type: [voip, mobile]',
  'phone.type: { notIn: [voip, pager] }',
  'phone.valid: true',
  'phone.valid: false',
  'phone.score: { above: 50 }',
  'phone.score: { atMost: 50 }',
  'phone.score: { between: [50, 80] }',
  'phone.score: { known: false }',
);
const aCondition = fc.oneof(
  aTest.map((test) => `{ ${test} }`),
  fc.tuple(fc.constantFrom('all', 'any'), aTest, aTest).map(([of, a, b]) => `{ ${of}: [{ ${a} }, { ${b} }] }`),
);
const aRule = fc.record({
  when: aCondition,
  effect: fc.oneof(
    fc.integer({ min: 0, max: 6 }).map((points) => `points: ${points * 10}`),
    fc.constantFrom('then: accept, points: 40', 'then: review, points: 60', 'then: reject, points: 10'),
    fc.constantFrom('points: -10', 'then: review', 'then: accept'),
  ),
  more: fc.constantFrom(
    '',
    '',
    '',
    ', mode: shadow',
    ', until: 2026-06-30',
    ', from: 2026-07-01',
    ', whenUnknown: ignore',
  ),
});
const aPolicy = fc
  .record({
    review: fc.integer({ min: -1, max: 8 }),
    above: fc.integer({ min: 1, max: 8 }),
    rules: fc.array(aRule, { minLength: 1, maxLength: 5 }),
  })
  .map(({ review, above, rules }) => {
    const score = `score: { review: ${review * 10}, reject: ${(review + above) * 10} }\n`;
    const lines = rules.map(({ when, effect, more }, i) => `  - { id: r${i}, when: ${when}, ${effect}${more} }\n`);
    return `${HEAD}${score}rules:\n${lines.join('')}`;
  });

const MISSING: Fact = { missing: 'notReturned' };
const values = (...all: readonly (string | number | boolean)[]): readonly Fact[] => [
  MISSING,
  ...all.map((value) => ({ value })),
];
/** Every applicant that the tests can tell apart. */
const APPLICANTS = values('voip', 'mobile', 'pager').flatMap((type) =>
  values(true, false).flatMap((valid) =>
    values(0, 50, 70, 90).map(
      (score) =>
        new Map([
          ['phone.type', type],
          ['phone.valid', valid],
          ['phone.score', score],
        ]),
    ),
  ),
);

function decide(policy: Policy, facts: ReadonlyMap<string, Fact>, day: string) {
  const found = policy.rules.flatMap((rule) => {
    const truth = evaluate(rule.when, facts, day);
    return rule.shadow || !isActive(rule, day) || truth === FALSE ? [] : [{ rule, truth }];
  });
  return { ...settle(policy, found), fired: found.flatMap(({ rule, truth }) => (truth === TRUE ? rule : [])) };
}

/** What is wrong with the warnings of a policy for one applicant. */
function refutations(claims: Claims, policy: Policy, facts: ReadonlyMap<string, Fact>, day: string): string[] {
  const { score, outcome, fired } = decide(policy, facts, day);
  const reached = strictness(score.band);
  const { never, always, overruled, without, isAlwaysZero } = claims;
  return [
    ...never.filter((band) => band === score.band).map((band) => `${band} is reached`),
    ...always.filter((band) => reached < strictness(band)).map((band) => `${band} is not reached`),
    ...(isAlwaysZero && (score.least !== 0 || score.most !== 0) ? ['the score is not 0'] : []),
    ...fired.filter((rule) => overruled.includes(rule.id) && reached <= strictness(rule.then)).map(({ id }) => id),
    ...(without && decide(without, facts, day).outcome !== outcome ? ['an accept makes a difference'] : []),
  ];
}

interface Claims {
  readonly never: readonly Band[];
  readonly always: readonly Band[];
  readonly overruled: readonly string[];
  /** The policy without accepts that change nothing, if there are any. */
  readonly without: Policy | undefined;
  readonly isAlwaysZero: boolean;
}

function claimsOf(policy: Policy, diagnostics: readonly Diagnostic[]): Claims {
  const of = (code: string) => diagnostics.filter((each) => each.code === code).map(({ message }) => message);
  const idsOf = (code: string) => of(code).flatMap((message) => /"([^"]+)"/.exec(message)?.[1] ?? []);
  const bandsOf = (code: string) => of(code).flatMap((text) => (/(review|reject) from/.exec(text)?.[1] ?? []) as Band);
  const idle = idsOf('accept-no-effect');
  return {
    never: bandsOf('band-never-reached'),
    always: bandsOf('band-always-reached'),
    overruled: idsOf('points-overrule-then'),
    without: idle.length > 0 ? { ...policy, rules: policy.rules.filter(({ id }) => !idle.includes(id)) } : undefined,
    isAlwaysZero: of('score-without-points').length > 0,
  };
}

it('bands are never or always reached, points overrule, accepts change nothing', () => {
  const tried: Record<string, number> = {};
  fc.assert(
    fc.property(aPolicy, (text) => {
      const { policy, diagnostics } = readPolicyText(text);
      if (!policy) return;
      for (const { code } of diagnostics) tried[code] = (tried[code] ?? 0) + 1;
      const claims = claimsOf(policy, diagnostics);
      const refuted = APPLICANTS.flatMap((facts) => DAYS.flatMap((day) => refutations(claims, policy, facts, day)));
      expect(refuted).toEqual([]);
    }),
    { numRuns: sampled(20, 2000) },
  );
  for (const code of ['band-never-reached', 'band-always-reached', 'points-overrule-then', 'accept-no-effect'])
    expect(tried[code] ?? 0, code).toBeGreaterThan(3);
});
