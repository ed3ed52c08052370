/** The distance of a value from a test: in the fact's own unit, and relative to a width. */

import { describe, expect, test } from 'vitest';
import { type Distance, distanceOf } from '../../../src/decision/explain/distance.ts';
import { isMissing } from '../../../src/facts/fact.ts';
import { readFact } from '../../../src/facts/fact-reader.ts';
import { type Test, testsOf } from '../../../src/policy/language.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';
const DECLARED = `facts:
  context.count: { type: integer }
  context.other: { type: integer }
  context.amount: { type: number }
  context.due: { type: date }
`;

interface Example {
  /** A test in YAML. */
  readonly asked: string;
  readonly value: string | number | boolean;
  readonly isNegated?: boolean;
  readonly distance: Distance | undefined;
  readonly relative: number;
}

const number = (amount: number): Distance => ({ amount, unit: 'number' });
const days = (amount: number): Distance => ({ amount, unit: 'days' });
const years = (amount: number): Distance => ({ amount, unit: 'years' });
const levels = (amount: number): Distance => ({ amount, unit: 'levels' });

const EXAMPLES: readonly Example[] = [
  { asked: 'phone.score: { atLeast: 80 }', value: 46, distance: number(34), relative: 0.34 },
  { asked: 'phone.score: { above: 50 }', value: 50, distance: number(0), relative: 0 },
  { asked: 'phone.score: { below: 10 }', value: 12.5, distance: number(2.5), relative: 0.025 },
  { asked: 'phone.score: { between: [40, 60] }', value: 70, distance: number(10), relative: 0.1 },
  { asked: 'phone.score: { between: [40, 60] }', value: 45, isNegated: true, distance: number(5), relative: 0.05 },
  { asked: 'context.amount: { atMost: 0.1 }', value: 0.4, distance: number(0.3), relative: 0.3 },
  { asked: 'context.amount: { atLeast: 1000 }', value: 900, distance: number(100), relative: 0.1 },
  { asked: 'context.count: { above: 5 }', value: 5, distance: number(1), relative: 0.2 },
  { asked: 'context.count: { below: 5 }', value: 5, distance: number(1), relative: 0.2 },
  { asked: 'context.count: { above: 2.5 }', value: 2, distance: number(1), relative: 0.4 },
  { asked: 'context.count: 7', value: 3, distance: number(4), relative: 4 / 7 },
  { asked: 'context.count: 3', value: 3, isNegated: true, distance: number(1), relative: 1 / 3 },
  { asked: 'context.count: { in: [10, 20] }', value: 13, distance: number(3), relative: 0.3 },
  { asked: 'context.count: { notIn: [10, 11] }', value: 10, distance: number(1), relative: 0.1 },
  { asked: 'email.darkWeb.hitCount: { atLeast: 3 }', value: 0, distance: number(3), relative: 1 },
  { asked: 'phone.riskLevel: { atLeast: high }', value: 'low', distance: levels(2), relative: 0.5 },
  { asked: 'phone.riskLevel: veryHigh', value: 'veryLow', distance: levels(4), relative: 1 },
  { asked: 'phone.riskLevel: { below: medium }', value: 'medium', distance: levels(1), relative: 0.25 },
  {
    asked: 'phone.porting.portedDate: { withinLast: 30 days }',
    value: '2026-10-06',
    distance: days(15),
    relative: 0.5,
  },
  {
    asked: 'phone.porting.portedDate: { olderThan: 30 days }',
    value: '2026-10-21',
    distance: days(1),
    relative: 1 / 30,
  },
  { asked: 'phone.porting.portedDate: { withinLast: 3 days }', value: '2020-01-01', distance: days(2512), relative: 1 },
  {
    asked: 'phone.porting.portedDate: { withinLast: 3 days }',
    value: '2026-11-20',
    isNegated: true,
    distance: days(4),
    relative: 1,
  },
  { asked: 'context.due: { withinLast: 3 days }', value: '2026-11-25', distance: days(5), relative: 1 },
  { asked: 'context.due: { before: 2026-01-01 }', value: '2026-01-01', distance: days(1), relative: 1 / 365 },
  { asked: 'context.due: { after: 2026-01-01 }', value: '2025-12-30', distance: days(3), relative: 3 / 365 },
  { asked: 'phone.porting.portedDate: { withinLast: 3 days }', value: 'never', distance: undefined, relative: 1 },
  { asked: 'phone.porting.portedDate: { never: true }', value: '2026-11-01', distance: undefined, relative: 1 },
  { asked: 'context.due: { yearsSince: { atLeast: 18 } }', value: '2009-11-20', distance: years(1), relative: 1 / 18 },
  {
    asked: 'context.due: { yearsSince: { atLeast: 18, notIn: [18, 19] } }',
    value: '2009-11-20',
    distance: years(3),
    relative: 3 / 19,
  },
  {
    asked: 'context.due: { yearsSince: { between: [18, 30] } }',
    value: '2000-11-20',
    isNegated: true,
    distance: years(5),
    relative: 5 / 30,
  },
  { asked: 'phone.type: { in: [voip, pager] }', value: 'mobile', distance: undefined, relative: 1 },
  { asked: 'phone.valid: false', value: true, distance: undefined, relative: 1 },
  { asked: 'ip.isp: { contains: hosting }', value: 'Acme', distance: undefined, relative: 1 },
];

function readTest(asked: string): { readonly test: Test; readonly policy: ReturnType<typeof policyOf> } {
  const policy = policyOf(`${HEAD}${DECLARED}rules:\n  - id: it\n    when: { ${asked} }\n    then: review\n`);
  const [test] = [...testsOf(policy.rules[0]?.when ?? { kind: 'all', of: [] })];
  if (!test) throw new Error('no test');
  return { test, policy };
}

describe('the distance of a value from a test', () => {
  test.each(EXAMPLES)('$asked for $value', ({ asked, value, isNegated = false, distance, relative }) => {
    const { test: read, policy } = readTest(asked);
    const definition = policy.facts.get(read.fact);
    const fact = definition && readFact(definition, { value }, DAY);
    if (!fact || isMissing(fact)) throw new Error('the example is no value of its fact');
    const miss = distanceOf(read, isNegated, { value: fact.value, other: undefined }, definition, DAY);
    expect(miss.distance).toEqual(distance);
    expect(miss.relative).toBeCloseTo(relative, 10);
  });

  test('is measured from the other value where facts are compared', () => {
    const { test: read, policy } = readTest('context.count: { above: { fact: context.other } }');
    const definition = policy.facts.get(read.fact);
    expect(distanceOf(read, false, { value: 4, other: 10 }, definition, DAY)).toEqual({
      distance: { amount: 7, unit: 'number' },
      relative: 0.7,
    });
  });
});
