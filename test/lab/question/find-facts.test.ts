/** Facts in states of variables, and the variables whose states exclude each other. */

import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/facts/read.ts';
import { findFacts } from '../../../src/lab/question/find-facts.ts';
import { createSpace } from '../../../src/lab/space/space.ts';
import type { Variable } from '../../../src/lab/space/variable.ts';
import { Steps } from '../../../src/lab/steps.ts';
import { loadPolicyText } from '../../../src/policy/read/parse.ts';
import { HEAD } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';

const TESTS = [
  'context.most: { atLeast: 5 }',
  'context.one: { atLeast: 5 }',
  'context.two: { atLeast: 5 }',
  'context.share: { atLeast: 1 }',
  'context.one: { fact: context.two }',
  'phone.operator.current: { fact: phone.operator.original }',
];

const ruleOn = (test: string, i: number) => `  - { id: r${i}, when: { ${test} }, then: review }`;

const POLICY = loadPolicyText(`${HEAD}facts:
  context.one: { type: integer, description: one }
  context.two: { type: integer, description: two }
  context.most: { type: integer, description: most, compute: { maximum: [context.one, context.two] } }
  context.share: { type: number, description: share, compute: { ratio: [context.one, 10] } }
rules:
${TESTS.map(ruleOn).join('\n')}
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

describe('where the search for a few facts is given up', () => {
  const limits = ['one', 'two', 'three'].flatMap((name) =>
    [10, 20, 30, 40].map((limit) => `context.${name}: { above: ${limit} }`),
  );
  const operands = '[context.one, context.two, context.three]';
  const computing = loadPolicyText(`${HEAD}facts:
  context.one: { type: number, description: one }
  context.two: { type: number, description: two }
  context.three: { type: number, description: three }
  context.most: { type: number, description: most, compute: { maximum: ${operands} } }
  context.least: { type: number, description: least, compute: { minimum: ${operands} } }
rules:
${['context.most: { above: 50 }', 'context.least: { above: 60 }', ...limits].map(ruleOn).join('\n')}
`);
  const { variables, ...rest } = createSpace([computing], DAY);
  let looks = 0;
  const counted = variables.map((variable): Variable => {
    const find: Variable['find'] = (...args) => {
      looks += 1;
      return variable.find(...args);
    };
    return { ...variable, find };
  });
  // At most 50 and at least 60: the first state after `missing`, and the last ones.
  const states = variables.map(({ path, states: all }) => (path === 'context.most' ? 1 : all.length - 1));
  const search = (steps?: Steps) => {
    looks = 0;
    const found = findFacts({ ...rest, variables: counted }, states, steps);
    if ('facts' in found) throw new Error('some were found');
    return found.stuck.map((variable) => variables[variable]?.path);
  };

  it('no variable alone is said to rule them out', () => {
    expect(search()).toEqual(expect.arrayContaining(['context.most', 'context.least']));
    // One search and a few small ones; a search for each smaller group looked 208,000 times.
    expect(looks).toBeLessThan(30_000);
  });

  it('because the steps are over, little more is tried', () => {
    search(new Steps(1_000));
    expect(looks).toBeLessThan(3_000);
  });
});
