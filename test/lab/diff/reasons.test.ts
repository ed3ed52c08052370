/** The reasons of two policies where they decide the same, against the matcher. */

import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import type { FactValue } from '../../../src/facts/fact.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { diffPolicies } from '../../../src/lab/diff/diff.ts';
import { keyOf, noticeFormulas, reasonsOf } from '../../../src/lab/diff/reasons.ts';
import { Encoding } from '../../../src/lab/solver/encode.ts';
import { createSpace } from '../../../src/lab/space/space.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { checkDiff } from '../../support/lab/fault.ts';
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

const policy = (edit: readonly [string, string] = ['', '']) => policyOf(HEAD + RULES.replace(...edit));

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

const sought = (old: Policy, now: Policy) => diffPolicies(old, now, { at: DAY, mostRegions: 50, reasons: true });

it('the formulas of notices say of everybody which ones the matcher gives', () => {
  const own = policy();
  const space = createSpace([own], DAY);
  const [side] = space.sides;
  if (!side) throw new Error('no side');
  const formulas = noticeFormulas(side, new Encoding(space));
  for (const given of everyone()) {
    const facts = readFacts(given, own.facts, DAY);
    const states = space.variables.map((variable) => variable.find(facts));
    const said = [...formulas].flatMap(([key, formula]) => (holds(formula, states) ? [key] : [])).sort();
    expect(said, JSON.stringify([...given])).toEqual(reasonsOf(matcherOf(own).verdict(facts, DAY)).notices.map(keyOf));
  }
});

describe('reasons are compared', () => {
  it.each([
    ['a code that is another', ['reason: HIGH', 'reason: RISKY']],
    ['a notice that is another', ['We call you.', 'We write to you.']],
    [
      'a limit of a rule without an outcome',
      ['email.address.score: { atLeast: 80 }', 'email.address.score: { atLeast: 90 }'],
    ],
    ['a rule that is gone', [', reason: STAFF', ', reason: STAFF, mode: shadow']],
    ['points', ['points: 20', 'points: 31']],
    ['a rule that overrules no others', ['final: true, notice: Please wait.', 'notice: Please wait.']],
  ] as const)('of %s', async (_, edit) => {
    const [old, now] = [policy(), policy(edit)];
    const diff = await sought(old, now);
    expect(diff.reasons?.elsewhere).toBe('same');
    expect(diff.reasons?.regions.length).toBeGreaterThan(0);
    const people = everyone().map((given) => readFacts(given, now.facts, DAY));
    expect(checkDiff([old, now], diff, people, DAY).fault).toBeUndefined();
  });

  it('and are the same where a rule with the same code stands behind another', async () => {
    const behind =
      '  - { id: more, when: { phone.score: { atLeast: 90 } }, then: review, reason: HIGH, notice: We call you. }\n';
    const { reasons } = await sought(policy(), policyOf(HEAD + RULES + behind));
    expect(reasons).toEqual({ regions: [], elsewhere: 'same' });
  });

  it('and a notice is gone though a rule that always fires gives the same code', async () => {
    const always = 'tables: [{ id: t, columns: [phone.type, then, reason], rows: [[any, accept, MAIL]] }]\n';
    const mail = (least: number) => `{ atLeast: ${least} } }, then: accept, reason: MAIL, notice: Wait.`;
    const [old, now] = [80, 90].map((least) =>
      policyOf(HEAD + RULES.replace('{ atLeast: 80 } }, points: 40, reason: MAIL', mail(least)) + always),
    ) as [Policy, Policy];
    const diff = await sought(old, now);
    const people = everyone().map((given) => readFacts(given, now.facts, DAY));
    expect(checkDiff([old, now], diff, people, DAY).fault).toBeUndefined();
  });

  it.each([
    ['where another rule gives the code', 'phone.type: mobile }, points: 1, reason: HIGH', 'the reason HIGH'],
    [
      'where another rule gives the notice',
      'phone.type: mobile }, then: review, notice: We call you.',
      'the notice "We call you."',
    ],
  ])('and %s, the region says that none does', async (_, rule, what) => {
    const more = `  - { id: more, when: { ${rule} }\n`;
    const [old, now] = [
      RULES,
      RULES.replace('points: 20, reason: HIGH, notice: We call you.', 'points: 20, reason: NEW'),
    ].map((rules) => policyOf(HEAD + rules + more)) as [Policy, Policy];
    const { reasons } = await sought(old, now);
    expect(reasons?.elsewhere).toBe('same');
    const words = reasons?.regions.flatMap(({ conditions }) => conditions) ?? [];
    expect(words).toContain(`no other rule gives ${what}`);
    expect(words).toContain(`another rule gives ${what}`);
  });
});
