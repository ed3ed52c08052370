/** When a policy gives its notices, against the matcher. */

import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { FactValue } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { keyOf, noticeFormulas, noticesOf } from '../../../src/lab/diff/notices.ts';
import { Encoding } from '../../../src/lab/solver/encode.ts';
import { createSpace } from '../../../src/lab/space/space.ts';
import { holds } from '../../support/lab/holds.ts';
import { policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';

const HEAD = `policy: test
version: "1"
default: accept
defaultNotice: Welcome.
score: { review: { atLeast: 30, notice: Too many signs. }, reject: { atLeast: 60, notice: Far too many. } }
`;
const RULES = `rules:
  - { id: scored, when: { phone.score: { atLeast: 80 } }, then: review, points: 20, reason: HIGH, notice: We call you. }
  - { id: mailed, when: { email.address.score: { atLeast: 80 } }, points: 40, reason: MAIL }
  - { id: voip, when: { phone.type: voip }, then: reject, final: true, reason: VOIP, notice: No such number. }
  - { id: calm, when: { email.address.score: { below: 60 } }, then: review, final: true, notice: Please wait. }
  - { id: staff, when: { phone.type: mobile, phone.score: { below: 20 } }, then: accept, final: true, reason: STAFF }
`;

const VALUES: Readonly<Record<string, readonly (FactValue | undefined)[]>> = {
  'phone.score': [undefined, 10, 50, 79, 80, 90],
  'email.address.score': [undefined, 50, 70, 85, 95],
  'phone.type': [undefined, 'voip', 'mobile', 'landline'],
};

/** Every combination of these values. */
function everyone(): readonly ReadonlyMap<string, { value: FactValue }>[] {
  let all: ReadonlyMap<string, { value: FactValue }>[] = [new Map()];
  for (const [path, values] of Object.entries(VALUES)) {
    all = all.flatMap((one) =>
      values.map((value) => (value === undefined ? one : new Map([...one, [path, { value }]]))),
    );
  }
  return all;
}

it('the formulas of notices say of everybody which ones the matcher gives', () => {
  const own = policyOf(HEAD + RULES);
  const space = createSpace([own], DAY);
  const [side] = space.sides;
  if (!side) throw new Error('no side');
  const formulas = noticeFormulas(side, new Encoding(space));
  for (const given of everyone()) {
    const facts = readFacts(given, own.facts, DAY);
    const states = space.variables.map((variable) => variable.find(facts));
    const said = [...formulas].flatMap(([key, formula]) => (holds(formula, states) ? [key] : [])).sort();
    expect(said, JSON.stringify([...given])).toEqual(noticesOf(matcherOf(own).verdict(facts, DAY)).map(keyOf));
  }
});
