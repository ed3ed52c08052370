/** The reasons of two policies where they decide the same, against the matcher. */

import { describe, expect, it } from 'vitest';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import { type FactValue, isMissing } from '../../src/facts/fact.ts';
import { readFactsLine } from '../../src/facts/facts-line.ts';
import { readFacts } from '../../src/facts/read.ts';
import { diffReasons } from '../../src/lab/reasons/diff-reasons.ts';
import { reasonFormulas, reasonsOf } from '../../src/lab/reasons/reason-formulas.ts';
import { Encoding } from '../../src/lab/solver/encode.ts';
import type { Formula } from '../../src/lab/solver/formula.ts';
import { createSpace } from '../../src/lab/space/space.ts';
import type { Policy } from '../../src/policy/language.ts';
import { policyOf } from '../support/policy/policy.ts';

const DAY = '2026-11-20';

const HEAD = `policy: test
version: "1"
default: accept
defaultNotice: Welcome.
score: { review: 30, reject: 60, notice: Too many signs. }
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

const sought = (old: Policy, now: Policy) =>
  diffReasons(old, now, {
    ...{ at: DAY, timeoutMs: 10_000, endsAt: performance.now() + 10_000, mostRegions: 50 },
    where: undefined,
  });

/** Whether a formula holds in these states. */
function holds(formula: Formula, states: readonly number[]): boolean {
  switch (formula.kind) {
    case 'constant':
      return formula.value;
    case 'isIn':
      return formula.states[states[formula.variable] as number] === true;
    case 'not':
      return !holds(formula.of[0], states);
    case 'and':
      return formula.of.every((part) => holds(part, states));
    case 'or':
      return formula.of.some((part) => holds(part, states));
    case 'sumAtLeast':
      return (
        formula.terms.reduce((sum, [weight, part]) => sum + (holds(part, states) ? weight : 0), 0) >= formula.least
      );
  }
}

describe('the formulas of reasons', () => {
  it('say of everybody which codes and notices the matcher gives', () => {
    const own = policy();
    const space = createSpace([own], DAY);
    const [side] = space.sides;
    if (!side) throw new Error('no side');
    const { codes, notices } = reasonFormulas(side, new Encoding(space));
    for (const given of everyone()) {
      const facts = readFacts(given, own.facts, DAY);
      const states = space.variables.map((variable) => variable.find(facts));
      const said = (formulas: ReadonlyMap<string, Formula>) =>
        [...formulas].flatMap(([key, formula]) => (holds(formula, states) ? [key] : [])).sort();
      const expected = reasonsOf(matcherOf(own).verdict(facts, DAY));
      expect({ codes: said(codes), notices: said(notices) }, JSON.stringify([...given])).toEqual(expected);
    }
  });
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
  ] as const)('of %s', async (_, edit) => {
    const [old, now] = [policy(), policy(edit)];
    const { regions, elsewhere } = await sought(old, now);
    expect(elsewhere).toBe('same');
    const changeOf = (given: ReadonlyMap<string, { value: FactValue }>) => {
      const facts = readFacts(given, now.facts, DAY);
      const [one, other] = [old, now].map((each) => matcherOf(each).verdict(facts, DAY));
      if (!one || !other || one.outcome !== other.outcome) return undefined;
      const [before, after] = [reasonsOf(one), reasonsOf(other)];
      const without = (these: typeof before, those: typeof before) => ({
        codes: these.codes.filter((code) => !those.codes.includes(code)),
        notices: these.notices.filter((notice) => !those.notices.includes(notice)),
      });
      return JSON.stringify({ added: without(after, before), removed: without(before, after) });
    };
    const found = regions.map(({ added, removed }) => JSON.stringify({ added, removed }));
    const none = JSON.stringify({ added: { codes: [], notices: [] }, removed: { codes: [], notices: [] } });
    const expected = new Set(everyone().flatMap((given) => changeOf(given) ?? []));
    expected.delete(none);
    expect(new Set(found)).toEqual(expected);
    for (const [i, { example }] of regions.entries()) {
      const read = readFactsLine(JSON.stringify(example), now.facts, DAY);
      if ('problem' in read) throw new Error(read.problem);
      const given = new Map(
        [...read.facts].flatMap(([path, fact]) => (isMissing(fact) ? [] : [[path, fact] as const])),
      );
      expect(changeOf(given)).toBe(found[i]);
    }
  });

  it('and are the same where a rule with the same code stands behind another', async () => {
    const behind =
      '  - { id: more, when: { phone.score: { atLeast: 90 } }, then: review, reason: HIGH, notice: We call you. }\n';
    expect(await sought(policy(), policyOf(HEAD + RULES + behind))).toEqual({ regions: [], elsewhere: 'same' });
  });
});
