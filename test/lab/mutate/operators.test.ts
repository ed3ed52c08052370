/** Each operator of mutation: the mutants that it makes, and a set of tests that kills them all. */

import { describe, expect, it } from 'vitest';
import { scoreOf } from '../../../src/lab/mutate/mutate.ts';
import { OPERATORS } from '../../../src/lab/mutate/mutation-operators.ts';
import { asTests, killingCases, mutantWords, mutated } from '../../support/lab/mutation.ts';

type Row = readonly [operator: keyof typeof OPERATORS, policy: string, mutants: readonly string[]];

const rule = (when: string, rest = 'then: review') => `rules: [{ id: a, when: ${when}, ${rest} }]\n`;

const ROWS: readonly Row[] = [
  [
    'threshold',
    rule('{ context.amount: { atLeast: 5 }, context.share: { above: 0.5 } }'),
    [
      ...['is at least 5 -> is at least 6', 'is at least 5 -> is at least 4'],
      ...['is above 0.5 -> is above 0.6', 'is above 0.5 -> is above 0.4'],
    ],
  ],
  [
    'threshold',
    rule('{ phone.riskLevel: { atLeast: veryHigh }, context.amount: { between: [2, 4] } }'),
    [
      ...['3 and 4', '1 and 4', '2 and 5', '2 and 3'].map(
        (ends) => `is between 2 and 4, both included -> is between ${ends}, both included`,
      ),
      'phone.riskLevel is at least veryHigh -> phone.riskLevel is at least high',
    ],
  ],
  [
    'threshold',
    rule('{ context.since: { withinLast: 1 week, before: 2026-11-18 } }'),
    [
      ...['lies within the last 1 week -> lies within the last 8 days'],
      ...['lies within the last 1 week -> lies within the last 6 days'],
      ...['is before 2026-11-18 -> is before 2026-11-19', 'is before 2026-11-18 -> is before 2026-11-17'],
    ],
  ],
  [
    'threshold',
    rule('{ context.born: { yearsSince: { below: 18 } } }'),
    ['19', '17'].map(
      (years) => `lies less than 18 completed years back -> lies less than ${years} completed years back`,
    ),
  ],
  [
    'operator',
    rule('{ context.share: { above: 2 }, context.old: true, context.since: { known: true, olderThan: 3 days } }'),
    [
      'is true -> is not true',
      ...['is above 2 -> is at least 2', 'is above 2 -> is at most 2'],
      ...['is known -> is not known', 'is older than 3 days -> lies within the last 3 days'],
    ],
  ],
  // At least 6 is above 5, and at most 5 is below 6.
  ['operator', rule('{ context.amount: { atLeast: 6 } }'), ['is at least 6 -> is below 6']],
  [
    'value',
    rule('{ context.channel: [web, app] }'),
    ['is one of web, app -> is one of app', 'is one of web, app -> is one of web'],
  ],
  [
    'list-entry',
    `lists: { codes: [x, y] }\n${rule('{ context.code: { inList: codes } }')}`,
    ['entry 1 of the list codes -> removed', 'entry 2 of the list codes -> removed'],
  ],
  ['test', rule('{ context.old: true, context.channel: web }'), ['is web -> removed', 'is true -> removed']],
  [
    'test',
    rule('{ atLeastOf: { count: 1, of: [{ context.old: true }, { context.channel: web }] } }'),
    ['is true -> removed', 'is web -> removed'],
  ],
  [
    'join',
    rule('{ atLeastOf: { count: 1, of: [{ context.old: true }, { context.channel: web }] } }'),
    ['at least 1 of (is true; is web) -> at least 2 of (is true; is web)'],
  ],
  [
    'join',
    rule('{ any: [{ context.old: true }, { context.channel: web }] }'),
    ['is true or is web -> is true and is web'],
  ],
  ['not', rule('{ not: { context.old: true } }'), ['not (is true) -> is true']],
  ['not', rule('{ context.code: { startsWith: x } }'), ['starts with x -> not (starts with x)']],
  [
    'parameter',
    `parameters: { limit: 5 }\n${rule('{ context.amount: { atLeast: $limit }, context.share: { above: $limit } }')}`,
    ['limit: 5 -> limit: 6', 'limit: 5 -> limit: 4'],
  ],
  ['rule', rule('{ context.old: true }'), ['rule a -> removed']],
  [
    'row',
    'tables: [{ id: t, columns: [context.channel, then], rows: [[web, review], [app, reject]] }]\n',
    ['row t/1 -> removed', 'row t/2 -> removed'],
  ],
  ['outcome', rule('{ context.old: true }'), ['then: review -> then: accept', 'then: review -> then: reject']],
  [
    'points',
    rule('{ context.old: true }', 'points: 5'),
    ['points: 5 -> points: 6', 'points: 5 -> points: 4', 'points: 5 -> points: 0'],
  ],
  [
    'computation',
    `  context.scaled: { type: integer, description: scaled, compute: { sum: [context.amount, 2] } }
${rule('{ context.scaled: { atLeast: 12 } }')}`,
    [
      'compute: { sum: [context.amount, 2] } -> compute: { sum: [context.amount, 3] }',
      'compute: { sum: [context.amount, 2] } -> compute: { sum: [context.amount, 1] }',
      'compute: { sum: [context.amount, 2] } -> compute: { product: [context.amount, 2] }',
    ],
  ],
  [
    'final',
    `rules: [{ id: a, when: { context.old: true }, then: accept, final: true }, { id: b, when: { context.channel: web }, then: review }]\n`,
    ['final: true -> removed'],
  ],
  ['unknown', rule('{ context.old: true }'), ['whenUnknown: review -> whenUnknown: ignore']],
  ['shadow', rule('{ context.old: true }', 'then: review, mode: shadow'), ['mode: shadow -> live']],
  [
    'band',
    `score: { review: 5 }\n${rule('{ context.old: true }', 'points: 5 }, { id: b, when: { context.channel: web }, points: 4')}`,
    [
      'score: { review: 5 } -> score: { review: 6 }',
      'score: { review: 5 } -> score: { review: 4 }',
      'score: { review: 5 } -> removed',
    ],
  ],
  [
    'default',
    rule('{ context.old: true }'),
    ['default: accept -> default: review', 'default: accept -> default: reject'],
  ],
];

describe('an operator of mutation', () => {
  it.for(ROWS)('%s: %s', async ([operator, policy, mutants]) => {
    const { results } = await mutated(policy);
    const own = results.filter((each) => each.operator === operator);
    expect(own.map(mutantWords)).toEqual(mutants);
    const cases = killingCases(results);
    const after = await mutated(policy, asTests(cases));
    const open = after.results.filter(({ status }) => status !== 'killed' && status !== 'equivalent');
    expect(open.map(mutantWords)).toEqual([]);
    expect(after.results.filter((each) => each.operator === operator).every(({ status }) => status === 'killed')).toBe(
      true,
    );
    expect(scoreOf(after.results)).toBe(100);
  });

  it('each of them is shown', () => {
    expect(new Set(ROWS.map(([operator]) => operator))).toEqual(new Set(Object.keys(OPERATORS)));
  });
});
