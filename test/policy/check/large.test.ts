/** The checks of large policies: what they find, how much work they do, and what they say of work they do not do. */

import { expect, it, vi } from 'vitest';
import { OPERATORS } from '../../../src/policy/operators.ts';
import { HEAD, readPolicyText } from '../../support/policy/policy.ts';
import { problemsOf } from '../../support/policy/problems.ts';

const times = (n: number, text: (i: number) => string, separator = '') =>
  Array.from({ length: n }, (_, i) => text(i)).join(separator);

it('a test of one value is evaluated in a few cells, not in each', () => {
  const holds = vi.spyOn(OPERATORS.is, 'holds');
  const { policy } = readPolicyText(
    `${HEAD}tables: [{ id: t, columns: [phone.score, points], rows: [${times(400, (i) => `[${i / 10}, 1]`, ', ')}] }]\n`,
  );
  const calls = holds.mock.calls.length;
  holds.mockRestore();
  expect(policy?.rules).toHaveLength(400);
  expect(calls).toBeLessThan(400 * 10);
});

it('a rule that one of many rows covers is found', () => {
  const rows = times(1500, (i) => `[${i / 100}, review]`, ', ');
  const text = `${HEAD}tables: [{ id: t, columns: [phone.score, then], rows: [${rows}] }]
rules:
  - { id: other, when: { phone.score: 99, ip.isp: x }, then: review }
  - { id: late, when: { phone.score: 14.9, ip.isp: x }, then: review }
`;
  const { diagnostics } = problemsOf(text);
  expect(diagnostics.map(({ code, message }) => [code, /"[^"]*"[^"]*"[^"]*"/.exec(message)?.[0]])).toEqual([
    ['covered', '"late" never matters: "t/1491"'],
  ]);
});

it('rules that are too many to be compared with each other are named', () => {
  const rules = times(
    650,
    (i) => `  - { id: r${i}, when: { phone.score: { between: [${i / 10}, ${i / 10 + 5}] } }, then: review }\n`,
  );
  const { diagnostics } = problemsOf(`${HEAD}rules:\n${rules}`);
  expect(diagnostics).toMatchObject([{ code: 'not-checked', severity: 'warning' }]);
  expect(diagnostics[0]?.message).toMatch(/from "r\d+" on were not compared with all others: \d+ rules/);
});
