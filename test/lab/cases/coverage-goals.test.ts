/** The formulas of goals, against what every applicant of random small policies reaches. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readFacts } from '../../../src/facts/read.ts';
import { goalFormulas, Reach } from '../../../src/lab/cases/coverage-goals.ts';
import { Encoding } from '../../../src/lab/solver/encode.ts';
import { createSpace } from '../../../src/lab/space/space.ts';
import { CoverageCounter } from '../../../src/lab/test/coverage/coverage.ts';
import { holds } from '../../support/lab/holds.ts';
import { aSmallPolicy, DAY, EVERYONE, loadSmall } from '../../support/lab/small-policies.ts';
import { sampled } from '../../support/sampled.ts';

/** Goals that every policy of the sample has between them. */
const EVERY_KIND = {
  fallback: 'accept',
  score: 'score: { review: 10, reject: 30 }\n',
  rules: [
    'when: { all: [{ context.old: true }] }, then: reject, notice: n',
    'when: { all: [{ context.channel: web }] }, then: accept, final: true',
    'when: { all: [{ context.amount: { atLeast: 2 } }] }, points: 10',
  ],
};

it('where a goal is reached, its formula holds', () => {
  const seen = new Set<string>();
  for (const { fallback, score, rules } of [EVERY_KIND, ...fc.sample(aSmallPolicy, sampled(5, 3000))]) {
    const policy = loadSmall(fallback, score, rules);
    const gaps = new CoverageCounter(policy).gaps();
    const reach = new Reach(policy, gaps);
    const space = createSpace(
      [policy],
      DAY,
      policy.rules.map(({ when }) => when),
    );
    const formulaOf = goalFormulas({ space, encoding: new Encoding(space) });
    const formulas = gaps.map(formulaOf);
    for (const given of EVERYONE) {
      const facts = readFacts(given, policy.facts, DAY);
      const states = space.variables.map((variable) => variable.find(facts));
      for (const goal of reach.of(facts, DAY).goals) {
        const { item, goal: of } = gaps[goal] as (typeof gaps)[number];
        const shown = `${item.key} ${of.name} ${JSON.stringify([fallback, score, rules])}`;
        expect(holds(formulas[goal] as (typeof formulas)[number], states), shown).toBe(true);
        seen.add(`${item.kind} ${of.name}`);
      }
    }
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'rule undetermined',
      'rule does not fire',
      'final decides',
      'notice given',
      'band reached',
    ]),
  );
});
