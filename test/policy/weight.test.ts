/** What rules contribute to the outcome by policy/weight.ts, and that nothing else works it out from their keys. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Rule } from '../../src/policy/language.ts';
import { policyFromData } from '../../src/policy/read/parse.ts';
import { NO_WEIGHT, weigh, whenAsking } from '../../src/policy/weight.ts';

const SRC = resolve(import.meta.dirname, '../../src');

/** Code that reads, compares, shows or edits the key, and does not ask what follows from it. */
const READERS = [
  ...['policy/language.ts', 'policy/sameness.ts', 'policy/read/', 'policy/check/rule-checks.ts'],
  ...[
    'lab/diff/edits/',
    'lab/mutate/mutation-operators.ts',
    'report/html/parts/rule-cards.ts',
    'cli/commands/rules.ts',
  ],
];

function ruleOf(effect: string): Rule {
  const head = 'policy: test\nversion: "1"\ndefault: accept\nrules:\n';
  const [rule] = policyFromData(parse(`${head}  - { id: r, when: { phone.valid: true }, ${effect} }\n`)).rules;
  return rule as Rule;
}

test.each([
  ['then: accept, points: -5, final: true', { fired: 0, isFinal: true, points: -5, openLeast: -5 }],
  ['then: review, points: 5', { fired: 1, undetermined: 1, points: 5, openMost: 5 }],
  ['then: reject', { fired: 2, undetermined: 1 }],
  ['then: reject, points: 5, whenUnknown: ignore', { fired: 2, points: 5 }],
  ['points: 5', { points: 5, openMost: 5 }],
])('the weight of a rule with %s', (effect, weight) => {
  expect(weigh(ruleOf(effect))).toEqual({ ...NO_WEIGHT, ...weight });
});

test('an undetermined rule asks if it would ask for review or reject', () => {
  const truth = { certain: 'certain', possible: 'possible' };
  const found = ['accept', 'review', 'reject'].map((then) => whenAsking(weigh(ruleOf(`then: ${then}`)), truth));
  expect(found).toEqual(['certain', 'possible', 'possible']);
});

test('only the weight of a rule says what follows from whenUnknown', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replaceAll(sep, '/'));
  const found = files.filter((file) =>
    readFileSync(join(SRC, file), 'utf8')
      .split('\n')
      .some((line) => /\bwhenUnknown\b/.test(line) && !/^\s*(?:\/\*|\*|\/\/)/.test(line)),
  );
  expect(found.filter((file) => !READERS.some((reader) => file.startsWith(reader)))).toEqual(['policy/weight.ts']);
});
