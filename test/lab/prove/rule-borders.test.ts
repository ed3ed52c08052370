/** Rules, and applicants for whom each of them makes the difference. */

import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { DEFAULT_STEPS } from '../../../src/lab/limits.ts';
import { effectsAt } from '../../../src/lab/prove/effects.ts';
import { bordersOf, seekAtBorders } from '../../../src/lab/prove/ineffective-rules.ts';
import { Encoding } from '../../../src/lab/solver/encode.ts';
import { createSpace } from '../../../src/lab/space/space.ts';
import { Steps } from '../../../src/lab/steps.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';
const FACTS = ['phone.valid', 'phone.operator.changed', 'ip.matchesPhoneCountry', 'identity.verified'];

/** The rules of a policy that matter to one of the applicants. */
function shownOf(score: string, rules: readonly string[]): readonly string[] {
  const policy = policyOf(`${HEAD}score: ${score}\nrules:\n${rules.map((rule) => `  - { ${rule} }\n`).join('')}`);
  const space = createSpace([policy], DAY);
  const shown = new Set<string>();
  const isOpen = ({ id }: { readonly id: string }) => !shown.has(id);
  const reasoner = { space, encoding: new Encoding(space) };
  const borders = bordersOf(reasoner, policy.rules);
  for (const given of seekAtBorders(reasoner, borders, isOpen, 1000, new Steps(DEFAULT_STEPS))) {
    const { matter } = effectsAt(matcherOf(policy), readFacts(given, policy.facts, DAY), DAY);
    for (const { id } of matter) shown.add(id);
  }
  return [...shown].sort();
}

const plus = FACTS.map((fact, i) => `id: plus-${i}, when: { ${fact}: true }, points: 10`);

it.each([
  ['points that reach a band', '{ review: 20 }', [...plus]],
  [
    'points that reach a band beside rules for another',
    '{ reject: 20 }',
    [...plus, 'id: all, when: { phone.score: { below: 200 } }, then: review'],
  ],
  [
    'points that keep the score out of a band',
    '{ review: 10 }',
    ['id: minus, when: { phone.type: mobile }, points: -10', ...plus],
  ],
])('%s matter to somebody', (_, score, rules) => {
  const expected = rules.flatMap((rule) => /id: ((?:plus|minus)[-\d]*)/.exec(rule)?.[1] ?? []).sort();
  expect(shownOf(score, rules)).toEqual(expect.arrayContaining(expected));
});

it('nobody is sought where points reach no band', () => {
  expect(shownOf('{ review: 50 }', plus)).toEqual([]);
});
