/** How a text starts and ends: one variable for all starts, and one for all ends. */

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Fact } from '../../../src/facts/fact.ts';
import { createSpace } from '../../../src/lab/space/space.ts';
import { testsOf } from '../../../src/policy/language.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const DAY = '2026-11-20';

function spaceOf(tests: readonly string[]) {
  const rules = tests.map((test, i) => `  - { id: r${i}, when: { ip.isp: { ${test} } }, then: review }\n`);
  return createSpace([policyOf(`${HEAD}rules:\n${rules.join('')}`)], DAY);
}

it('the state of a text says which starts and ends it has', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ö'), minLength: 1, maxLength: 4 });
  const place = fc.constantFrom('startsWith', 'endsWith');
  const policies = fc.uniqueArray(fc.tuple(place, text), { minLength: 3, maxLength: 12, selector: String });
  for (const [parts, texts] of fc.sample(fc.tuple(policies, fc.array(text, { minLength: 20 })), sampled(7, 300))) {
    const space = spaceOf([...parts.map(([where, part]) => `${where}: ${part}`), "matches: '^x'", 'contains: bbb']);
    expect(space.variables.length).toBeLessThanOrEqual(4);
    const tests = (space.sides[0]?.rules ?? []).flatMap(({ when }) => [...testsOf(when)]);
    for (const value of [...texts, ...parts.map(([, part]) => part), undefined]) {
      const fact: Fact = value === undefined ? { missing: 'notGiven' } : { value };
      const states = space.variables.map((variable) => variable.find(new Map([['ip.isp', fact]])));
      const tie = space.ties.find((each) => each.every(([at, excluded]) => excluded[states[at] as number]));
      expect(tie, JSON.stringify([parts, value])).toBeUndefined();
      for (const [i, [where, part]] of parts.entries()) {
        const { variable, isTrue, isUnknown } = space.statesOf(tests[i] as (typeof tests)[number]);
        const state = states[variable] as number;
        expect([isTrue[state], isUnknown[state]], JSON.stringify([parts, value])).toEqual([
          value?.[where as 'startsWith' | 'endsWith'](part) === true,
          value === undefined,
        ]);
      }
    }
  }
});

it('no start is tied to another one, and few to other tests', () => {
  const starts = Array.from({ length: 60 }, (_, i) => `startsWith: "net${i} "`);
  expect(spaceOf(starts)).toMatchObject({ variables: { length: 1 }, ties: [] });
  const { variables, ties } = spaceOf([...starts, ...starts.map((start) => start.replace('starts', 'ends'))]);
  expect([variables.length, ties.length]).toEqual([2, 2]);
  expect(spaceOf([...starts, 'is: net7 telecom', 'contains: t7']).ties.length).toBeLessThan(10);
});
