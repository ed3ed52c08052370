/** How far a value is from a test: in the fact's own unit, and in steps of the policy's borders. */

import { describe, expect, test } from 'vitest';
import { type Distance, gapOf, stepsAcross } from '../../../src/decision/explain/distance.ts';
import { isMissing } from '../../../src/facts/fact.ts';
import { readFact } from '../../../src/facts/fact-reader.ts';
import { type Axis, Cells } from '../../../src/policy/cells/cells.ts';
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
  /** With no other test of the fact in the policy. */
  readonly steps: number | undefined;
}

const number = (amount: number): Distance => ({ amount, unit: 'number' });
const days = (amount: number): Distance => ({ amount, unit: 'days' });
const years = (amount: number): Distance => ({ amount, unit: 'years' });
const levels = (amount: number): Distance => ({ amount, unit: 'levels' });

const EXAMPLES: readonly Example[] = [
  { asked: 'phone.score: { atLeast: 80 }', value: 46, distance: number(34), steps: 0.425 },
  { asked: 'phone.score: { above: 50 }', value: 50, distance: number(0), steps: 0 },
  { asked: 'phone.score: { below: 10 }', value: 12.5, distance: number(2.5), steps: 0.0278 },
  { asked: 'phone.score: { between: [40, 60] }', value: 70, distance: number(10), steps: 0.25 },
  { asked: 'phone.score: { between: [40, 60] }', value: 45, isNegated: true, distance: number(5), steps: 0.25 },
  // A score is never below 0.
  { asked: 'phone.score: { below: 0 }', value: 0, distance: undefined, steps: undefined },
  { asked: 'phone.score: { between: [0, 10] }', value: 4, isNegated: true, distance: number(6), steps: 0.6 },
  { asked: 'context.amount: { atMost: 0.1 }', value: 0.4, distance: number(0.3), steps: 0.2308 },
  { asked: 'context.amount: { atLeast: 1000 }', value: 900, distance: number(100), steps: 0.0909 },
  { asked: 'context.count: { above: 5 }', value: 5, distance: number(1), steps: 0.0769 },
  { asked: 'context.count: { below: 5 }', value: 5, distance: number(1), steps: 0.0909 },
  { asked: 'context.count: { above: 2.5 }', value: 2, distance: number(1), steps: 0.1429 },
  { asked: 'context.count: 7', value: 3, distance: number(4), steps: 0.3333 },
  { asked: 'context.count: 3', value: 3, isNegated: true, distance: number(1), steps: 0.5 },
  { asked: 'context.count: { in: [10, 20] }', value: 13, distance: number(3), steps: 0.2778 },
  { asked: 'context.count: { notIn: [10, 11] }', value: 10, distance: number(1), steps: 0.5 },
  { asked: 'email.darkWeb.hitCount: { atLeast: 3 }', value: 0, distance: number(3), steps: 0.8333 },
  { asked: 'phone.riskLevel: { atLeast: high }', value: 'low', distance: levels(2), steps: 0.5 },
  { asked: 'phone.riskLevel: veryHigh', value: 'veryLow', distance: levels(4), steps: 0.875 },
  { asked: 'phone.riskLevel: { below: medium }', value: 'medium', distance: levels(1), steps: 0.1667 },
  {
    asked: 'phone.porting.portedDate: { withinLast: 30 days }',
    value: '2026-10-06',
    distance: days(15),
    steps: 0.3187,
  },
  {
    asked: 'phone.porting.portedDate: { olderThan: 30 days }',
    value: '2026-10-21',
    distance: days(1),
    steps: 0.0161,
  },
  {
    asked: 'phone.porting.portedDate: { withinLast: 3 days }',
    value: '2020-01-01',
    distance: days(2512),
    steps: 0.9984,
  },
  {
    asked: 'phone.porting.portedDate: { withinLast: 3 days }',
    value: '2026-11-20',
    isNegated: true,
    distance: days(4),
    steps: 0.875,
  },
  { asked: 'context.due: { withinLast: 3 days }', value: '2026-11-25', distance: days(5), steps: 0.8182 },
  { asked: 'context.due: { before: 2026-01-01 }', value: '2026-01-01', distance: days(1), steps: 0.0014 },
  { asked: 'context.due: { after: 2026-01-01 }', value: '2025-12-30', distance: days(3), steps: 0.0068 },
  { asked: 'phone.porting.portedDate: { withinLast: 3 days }', value: 'never', distance: undefined, steps: undefined },
  { asked: 'phone.porting.portedDate: { never: true }', value: '2026-11-01', distance: undefined, steps: undefined },
  { asked: 'context.due: { yearsSince: { atLeast: 18 } }', value: '2009-11-20', distance: years(1), steps: 0.027 },
  {
    asked: 'context.due: { yearsSince: { atLeast: 18, notIn: [18, 19] } }',
    value: '2009-11-20',
    distance: years(3),
    steps: 2.027,
  },
  {
    asked: 'context.due: { yearsSince: { between: [18, 30] } }',
    value: '2000-11-20',
    isNegated: true,
    distance: years(5),
    steps: 0.3462,
  },
  { asked: 'phone.type: { in: [voip, pager] }', value: 'mobile', distance: undefined, steps: undefined },
  { asked: 'phone.valid: false', value: true, distance: undefined, steps: undefined },
  { asked: 'ip.isp: { contains: hosting }', value: 'Acme', distance: undefined, steps: undefined },
];

function readTest(asked: string): { readonly test: Test; readonly policy: ReturnType<typeof policyOf> } {
  const policy = policyOf(`${HEAD}${DECLARED}rules:\n  - id: it\n    when: { ${asked} }\n    then: review\n`);
  const [test] = [...testsOf(policy.rules[0]?.when ?? { kind: 'all', of: [] })];
  if (!test) throw new Error('no test');
  return { test, policy };
}

describe('the distance of a value from a test', () => {
  test.each(EXAMPLES)('$asked for $value', ({ asked, value, isNegated = false, distance, steps }) => {
    const { test: read, policy } = readTest(asked);
    const definition = policy.facts.get(read.fact);
    const fact = definition && readFact(definition, { value }, DAY);
    if (!fact || isMissing(fact)) throw new Error('the example is no value of its fact');
    const gap = gapOf(read, isNegated, { value: fact.value, other: undefined }, definition, DAY);
    expect(gap?.distance).toEqual(distance);
    const { numbers } = new Cells([read], policy.facts).of(read).axis;
    if (steps === undefined) expect(gap && numbers).toBeUndefined();
    else expect(gap && numbers && stepsAcross(numbers, gap.from, gap.to)).toBeCloseTo(steps, 4);
  });

  test('is measured from the other value where facts are compared', () => {
    const { test: read, policy } = readTest('context.count: { above: { fact: context.other } }');
    const definition = policy.facts.get(read.fact);
    expect(gapOf(read, false, { value: 4, other: 10 }, definition, DAY)).toEqual({
      distance: number(7),
      from: 4,
      to: 11,
    });
  });

  test("has the more steps, the more of the policy's own borders lie on the way", () => {
    const asked = ['phone.score: { atLeast: 80 }', ...[50, 60, 70].map((limit) => `phone.score: { above: ${limit} }`)];
    const rules = asked.map((when, i) => `  - { id: r${i}, when: { ${when} }, then: review }\n`).join('');
    const { rules: read, facts } = policyOf(`${HEAD}rules:\n${rules}`);
    const tests = read.flatMap(({ when }) => [...testsOf(when)]);
    const [{ numbers }] = new Cells(tests, facts).axes as [Axis];
    if (!numbers) throw new Error('no numbers');
    expect(stepsAcross(numbers, 75, 80)).toBeCloseTo(0.5, 4);
    expect(stepsAcross(numbers, 46, 80)).toBeCloseTo(3 + 4 / 50, 4);
    expect(stepsAcross(numbers, 80, 46)).toBeCloseTo(3 + 4 / 50, 4);
  });
});
