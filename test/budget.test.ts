/** The house does not grow unnoticed: each number of test/budget.json is a limit; a commit raises it with a reason. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COUNTED, measureHouse, type Size } from './support/budget.ts';
import { BUDGET_FILE, overBudget, type RunSize, textOf } from './support/run-report.ts';

const budget: Size & RunSize = JSON.parse(readFileSync(BUDGET_FILE, 'utf8'));
const size = measureHouse();

/** By name, what there is and what there may be. */
const numbers = new Map<string, readonly [size: number, budget: number]>([
  ...Object.entries(size.stages).flatMap(([stage, counts]) =>
    COUNTED.map((what) => [`${stage}: ${what}`, [counts[what], budget.stages[stage]?.[what] ?? 0]] as const),
  ),
  ['cliOptions', [size.cliOptions, budget.cliOptions]],
  ['diagnosticCodes', [size.diagnosticCodes, budget.diagnosticCodes]],
]);

test('no number is over its budget', () => {
  process.stdout.write(tableOf());
  const over = [...numbers].filter(([, [is, may]]) => is > may);
  expect(Object.fromEntries(over), 'CONTRIBUTING.md says how to raise a budget').toEqual({});
});

test('there is something to count everywhere', () => {
  const none = Object.entries(size.stages).filter(([, { lines, processTests }]) => lines === 0 && processTests === 0);
  expect(none).toEqual([]);
  expect(Object.keys(budget.stages)).toEqual(Object.keys(size.stages));
  for (const what of COUNTED) expect(Object.values(size.stages).some((counts) => counts[what] > 10)).toBe(true);
  expect(size.cliOptions).toBeGreaterThan(100);
  expect(size.diagnosticCodes).toBeGreaterThan(50);
});

test('a stage that starts more processes than it may is named', () => {
  expect(overBudget(budget.processes, budget.processes)).toEqual([]);
  expect(overBudget({ audit: 2, docs: 1 }, { audit: 1, docs: 1 })).toEqual(['audit: 2 processes, at most 1']);
  expect(overBudget({ lab: 1 }, {})).toEqual(['lab: 1 processes, at most 0']);
});

function tableOf(): string {
  const row = (cells: readonly (string | number)[]) =>
    cells.map((cell, i) => (i === 0 ? String(cell).padEnd(14) : String(cell).padStart(16))).join('');
  const { stages, cliOptions, diagnosticCodes } = size;
  const cell = (is: number, may: number) => (is === may ? `${is}` : `${is} of ${may}`);
  const rows = Object.entries(stages).map(([stage, counts]) =>
    row([stage, ...COUNTED.map((what) => cell(counts[what], budget.stages[stage]?.[what] ?? 0))]),
  );
  const total = COUNTED.map((what) => Object.values(stages).reduce((sum, counts) => sum + counts[what], 0));
  return [
    row(['', ...COUNTED]),
    ...rows,
    row(['all', ...total]),
    `options of the command line: ${cell(cliOptions, budget.cliOptions)}`,
    `diagnostic codes: ${cell(diagnosticCodes, budget.diagnosticCodes)}`,
    textOf(budget.processes),
    `The slowest test files: ${budget.slowest.join(', ')}\n`,
  ].join('\n');
}
