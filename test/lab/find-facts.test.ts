/** Facts in states of variables, and the variables whose states exclude each other. */

import { expect, it } from 'vitest';
import { readFacts } from '../../src/facts/read.ts';
import { findFacts } from '../../src/lab/reasoning/find-facts.ts';
import { createSpace } from '../../src/lab/space/space.ts';
import { loadPolicyText } from '../../src/policy/read/parse.ts';
import { HEAD } from '../support/policy/policy.ts';

const DAY = '2026-11-20';

const TESTS = [
  'context.most: { atLeast: 5 }',
  'context.one: { atLeast: 5 }',
  'context.two: { atLeast: 5 }',
  'context.share: { atLeast: 1 }',
  'context.one: { fact: context.two }',
  'phone.operator.current: { fact: phone.operator.original }',
];

const POLICY = loadPolicyText(`${HEAD}facts:
  context.one: { type: integer, description: one }
  context.two: { type: integer, description: two }
  context.most: { type: integer, description: most, compute: { maximum: [context.one, context.two] } }
  context.share: { type: number, description: share, compute: { ratio: [context.one, 10] } }
rules:
${TESTS.map((test, i) => `  - { id: r${i}, when: { ${test} }, then: review }`).join('\n')}
`);

const space = createSpace([POLICY], DAY);

/** The states in which the tests of rules have these truths. */
function statesWith(truths: Readonly<Record<string, boolean>>): readonly number[] {
  return space.variables.map((variable, i) => {
    const wanted = POLICY.rules.flatMap(({ id, when }) => {
      if (when.kind !== 'test' || truths[id] === undefined) return [];
      const test = space.statesOf(when);
      return test.variable === i ? [test.isTrue.map((isTrue, at) => isTrue === truths[id] && !test.isUnknown[at])] : [];
    });
    return variable.states.findIndex((_, at) => at > 0 && wanted.every((states) => states[at]));
  });
}

it('facts are found that lie in the states', () => {
  const states = statesWith({ r0: true, r1: false, r2: true, r3: false, r4: false, r5: true });
  const found = findFacts(space, states);
  if (!('facts' in found)) throw new Error('none were found');
  const facts = readFacts(found.facts, POLICY.facts, DAY);
  expect(space.variables.map(({ find }) => find(facts))).toEqual(states);
});

it('where there are none, a few variables exclude each other', () => {
  const states = statesWith({ r0: true, r1: false, r2: false, r3: false, r4: false, r5: true });
  const found = findFacts(space, states);
  if ('facts' in found) throw new Error('some were found');
  const paths = found.stuck.map((variable) => space.variables[variable]?.path);
  expect(new Set(paths)).toEqual(new Set(['context.most', 'context.one', 'context.two']));
});
