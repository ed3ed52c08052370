/** Formulas of random policies, evaluated by their definition, against the matcher: what each applicant is, holds. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { matcherOf } from '../../../src/decision/matcher/matcher.ts';
import { evaluate, TRUE, UNKNOWN } from '../../../src/decision/meaning/truth.ts';
import { Encoding, outcomeFormulas } from '../../../src/lab/solver/encode.ts';
import { isKept } from '../../../src/lab/solver/formula.ts';
import { SmtWriter } from '../../../src/lab/solver/session.ts';
import { OLD_NAME, withOwnComputations } from '../../../src/lab/space/own-computations.ts';
import { createSpace, jointTable } from '../../../src/lab/space/space.ts';
import { OUTCOMES, type Policy } from '../../../src/policy/language.ts';
import { asDerived, asReadBy } from '../../support/lab/applicants.ts';
import { EDITS } from '../../support/lab/edits.ts';
import { holds } from '../../support/lab/holds.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPolicyAsIs, readPlainFacts } from '../../support/runners/case.ts';
import { sampled } from '../../support/sampled.ts';

const folder = mkdtempSync(join(tmpdir(), 'verdict-lab-'));

it('what holds in the states of an applicant is what the matcher decides', () => {
  const someEdit = fc.tuple(fc.constantFrom(...Object.values(EDITS)), fc.nat(1e6));
  const cases = fc.tuple(aCase({ applicants: sampled(30, 400) }), someEdit);
  let compared = 0;
  for (const [{ policy, applicants, day }, [edit, die]] of fc.sample(cases, sampled(15, 1000))) {
    const old = loadPolicyAsIs(policy, folder);
    let now: Policy;
    try {
      now = loadPolicyAsIs(edit(policy, die), folder);
    } catch {
      continue; // The edit is not allowed in this policy.
    }
    const policies = [withOwnComputations(old, now, OLD_NAME), now];
    const table = jointTable(policies);
    const space = createSpace(policies, day);
    const encoding = new Encoding(space);
    const kept = space.ties.map(isKept);
    const sides = space.sides.map((side, i) => ({
      policy: side.policy,
      matcher: matcherOf(i === 0 ? old : now),
      formulas: outcomeFormulas(side, encoding),
      rules: side.rules.map(({ when }) => ({ when, ...encoding.truth(when) })),
    }));
    for (const plain of applicants) {
      const facts = asDerived(readPlainFacts(plain, old, day), table, day);
      const states = space.variables.map((variable) => variable.find(facts));
      const shown = JSON.stringify([policy, plain]);
      expect(
        kept.every((each) => holds(each, states)),
        `a tie excludes ${shown}`,
      ).toBe(true);
      for (const { policy: asked, matcher, formulas, rules } of sides) {
        const decided = OUTCOMES.filter((outcome) => holds(formulas[outcome], states));
        expect(decided, shown).toEqual([matcher.outcome(asReadBy(matcher.policy, facts), day).outcome]);
        const read = asReadBy(asked, facts);
        for (const { when, certain, possible } of rules) {
          const truth = evaluate(when, read, day);
          const expected = [truth === TRUE, truth === TRUE || truth === UNKNOWN];
          expect([holds(certain, states), holds(possible, states)], shown).toEqual(expected);
        }
        compared += 1;
      }
    }
  }
  expect(compared).toBeGreaterThan(300);
});

it('each sum of points at and beside the borders of the bands gives the outcome of the matcher', () => {
  const points = {
    'phone.valid': 10,
    'phone.operator.changed': 20,
    'ip.matchesPhoneCountry': 20,
    'identity.verified': -5,
  };
  const rules = Object.entries(points).map(
    ([fact, each], i) => `  - { id: r${i}, when: { ${fact}: true }, points: ${each} }`,
  );
  const policy = policyOf(`${HEAD}score: { review: 25, reject: 45 }\nrules:\n${rules.join('\n')}\n`);
  const space = createSpace([policy], '2026-11-20');
  const [side] = space.sides;
  const formulas = outcomeFormulas(side as NonNullable<typeof side>, new Encoding(space));
  for (let n = 0; n < 3 ** rules.length; n++) {
    const truths = Object.keys(points).map((path, i) => [path, Math.floor(n / 3 ** i) % 3] as const);
    const facts = new Map(truths.flatMap(([path, at]) => (at === 2 ? [] : [[path, { value: at === 1 }] as const])));
    const states = space.variables.map((variable) => variable.find(facts));
    const decided = OUTCOMES.filter((outcome) => holds(formulas[outcome], states));
    expect(decided, JSON.stringify(truths)).toEqual([matcherOf(policy).outcome(facts, '2026-11-20').outcome]);
  }
});

it('the solver answers with any state of a variable', () => {
  const writer = new SmtWriter();
  writer.declare(4);
  const answered = [0, 1, 2, 3].map((state) => writer.statesIn((constant) => Number(constant.split('_')[1]) <= state));
  expect(answered).toEqual([[0], [1], [2], [3]]);
});
