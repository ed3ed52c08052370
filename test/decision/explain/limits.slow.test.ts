/** Explanations of policies made to be hard: the work is limited, and what was not found out is marked. */

import { expect, test } from 'vitest';
import { explain } from '../../../src/decision/explain/explain.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { explainNow } from '../../support/decision/explained.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const DAY = '2026-11-20';
const FACTS = Array.from({ length: 60 }, (_, i) => `context.f${i}`);

/** Rules of at least 30 of 60 tests: none has a disjunctive form, and each has 10^17 fixes. */
function hardPolicy(rules: number) {
  const declared = FACTS.map((path) => `  ${path}: { type: integer }\n`).join('');
  const tests = (rule: number) => FACTS.map((path, i) => `{ ${path}: { above: ${rule * 7 + (i % 5)} } }`).join(', ');
  const written = Array.from(
    { length: rules },
    (_, rule) => `  - { id: r${rule}, then: review, when: { atLeastOf: { count: 30, of: [${tests(rule)}] } } }\n`,
  );
  return policyOf(`${HEAD}facts:\n${declared}rules:\n${written.join('')}`);
}

function factsOf(policy: ReturnType<typeof policyOf>, value: (i: number) => number) {
  return readFacts(new Map(FACTS.map((path, i) => [path, { value: value(i) }])), policy.facts, DAY);
}

test('a rule whose nearest fix takes too long to find is marked, and the next ones too', () => {
  const policy = hardPolicy(4);
  const { notFired, changes } = explainNow(
    policy,
    factsOf(policy, (i) => i % 9),
    DAY,
    { to: 'reject' },
  );
  expect(notFired.length).toBeGreaterThan(0);
  const unsearched = notFired.filter(({ isSearched }) => isSearched === false);
  expect(unsearched.length).toBeGreaterThan(0);
  for (const { stoppedBy } of unsearched) expect(stoppedBy).toEqual([]);
  expect(changes.result).toBe('never');
});

test('an explanation pauses for other work, and is the same at any pace', async () => {
  const policy = hardPolicy(2);
  const facts = factsOf(policy, (i) => (i % 2 ? 1000 : 0));
  let turns = 0;
  let isRunning = true;
  const count = () => {
    turns++;
    if (isRunning) setImmediate(count);
  };
  setImmediate(count);
  const explanation = await explain(policy, facts, DAY);
  isRunning = false;
  expect(turns).toBeGreaterThan(3);
  expect(explainNow(policy, facts, DAY)).toEqual(explanation);
});
