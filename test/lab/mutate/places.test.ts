/** Where mutants are in the files of a policy: the text that each of them edits. */

import { expect, it } from 'vitest';
import type { Place } from '../../../src/diagnostics.ts';
import { mutantsOf } from '../../../src/lab/mutate/mutants.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const policyWith = (limit: unknown) =>
  policyOf(`${HEAD}parameters: { limit: ${limit} }
facts:
  context.income: { type: number }
  context.part: { type: number, compute: { product: [context.income, 0.5] } }
conditions:
  rich: { context.part: { above: 10 } }
lists: { codes: [KP, IR] }
score: { review: 5 }
rules:
  - id: a
    when: { any: [rich, { phone.type: voip }], not: { phone.country: { inList: codes } } }
    points: 5
  - { id: b, when: { context.income: { below: $limit } }, then: review }
  - { id: c, when: { context.part: { above: $limit } }, then: review }
`);

it('a mutant has the place of what it edits', () => {
  const { mutants } = mutantsOf(policyWith(2), ['2026-11-20'], (values) => policyWith(values['limit']));
  const texts = Map.groupBy(mutants, ({ operator }) => operator)
    .entries()
    .map(([operator, own]) => {
      const places = own.flatMap(({ place }) => place ?? []);
      const textOf = ({ line, position: { column, length } }: Place) => line.slice(column - 1, column - 1 + length);
      return [operator, [...new Set(places.map(textOf))]];
    });
  const a = { any: 'any: [rich, { phone.type: voip }]', not: 'not: { phone.country: { inList: codes } }' };
  expect(Object.fromEntries(texts)).toMatchObject({
    ...{ band: ['{ review: 5 }'], default: ['accept'], outcome: ['then: review'], points: ['points: 5'] },
    computation: ['compute: { product: [context.income, 0.5] }'],
    ...{ join: [`{ ${a.any}, ${a.not} }`, a.any], not: [a.not], 'list-entry': ['codes'] },
    ...{ operator: ['voip', 'codes', '$limit', '10'], threshold: ['$limit', '10'], parameter: ['limit: 2'] },
    test: [a.any, a.not, 'rich', 'voip'],
  });
});
