/** Random policies so small that every applicant whom they tell apart can be decided. */

import * as fc from 'fast-check';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Fact } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { OUTCOMES, type Policy } from '../../../src/policy/language.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';

/** The day of the decisions. */
export const DAY = '2026-11-20';

const FACTS = `facts:
  context.old: { type: boolean, description: old }
  context.channel: { type: enum, values: [web, app], description: channel }
  context.amount: { type: integer, description: amount }
`;

/** Every combination of values that tests of the policies below tell apart, and of missing facts. */
export const EVERYONE = [true, false, undefined].flatMap((old) =>
  ['web', 'app', undefined].flatMap((channel) =>
    [0, 1, 2, 3, 4, undefined].map((amount) => {
      const given = { 'context.old': old, 'context.channel': channel, 'context.amount': amount };
      return new Map(
        Object.entries(given).map(([path, value]): [string, Fact] => [
          path,
          value === undefined ? { missing: 'notGiven' } : { value },
        ]),
      );
    }),
  ),
);

const aTest = fc.oneof(
  fc.constantFrom('context.old: true', 'context.old: false'),
  fc.constantFrom('context.channel: web', 'context.channel: app', 'context.channel: { known: false }'),
  fc
    .tuple(fc.constantFrom('below', 'atMost', 'above', 'atLeast'), fc.integer({ min: 1, max: 3 }))
    .map(([operator, limit]) => `context.amount: { ${operator}: ${limit} }`),
);

const aCondition = fc
  .tuple(
    fc.constantFrom('all', 'any', 'not'),
    fc.array(
      aTest.map((test) => `{ ${test} }`),
      { minLength: 1, maxLength: 2 },
    ),
  )
  .map(([kind, tests]) => (kind === 'not' ? `{ not: ${tests[0]} }` : `{ ${kind}: [${tests}] }`));

/** The text of a rule, without its id. */
export const aSmallRule = fc
  .record({
    when: aCondition,
    effect: fc.constantFrom(
      ...['then: accept', 'then: review', 'then: review, reason: SHARED', 'then: reject', 'then: reject, notice: n'],
      ...['then: accept, final: true', 'then: review, final: true', 'then: reject, final: true', 'points: 20'],
      ...['points: 10', 'points: -10', 'then: review, points: 10', 'then: accept, final: true, reason: OWN'],
    ),
    ending: fc.constantFrom('', '', ', whenUnknown: ignore', ', mode: shadow'),
  })
  .map(({ when, effect, ending }) => `when: ${when}, ${effect}${ending}`);

/** The parts of a policy, for `loadSmall`. */
export const aSmallPolicy = fc.record({
  fallback: fc.constantFrom(...OUTCOMES),
  score: fc.constantFrom('', 'score: { review: 20 }\n', 'score: { review: 10, reject: 30 }\n'),
  rules: fc.array(aSmallRule, { minLength: 2, maxLength: 5 }),
});

/** The policy of these parts; a rule that is undefined is left out. */
export function loadSmall(fallback: string, score: string, rules: readonly (string | undefined)[]): Policy {
  const text = rules.map((rule, i) => (rule === undefined ? '' : `  - { id: r${i}, ${rule} }\n`)).join('');
  return loadPolicyText(`policy: p\nversion: "1"\ndefault: ${fallback}\n${score}${FACTS}${text && `rules:\n${text}`}`);
}

/** The verdicts of everyone. */
export function verdictsOf(policy: Policy): readonly Verdict[] {
  const matcher = matcherOf(policy);
  return EVERYONE.map((given) => matcher.verdict(readFacts(given, policy.facts, DAY), DAY));
}
