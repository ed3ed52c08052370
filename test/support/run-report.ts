/**
 * A run of all tests -> its ten slowest files and the processes that they started by stage, printed and kept for
 * test/budget.json. A run fails that starts more processes than the budget has.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../..');
export const BUDGET_FILE = resolve(ROOT, 'test/budget.json');
/** What the last run of all tests measured; the budget is written from it. */
export const RUN_FILE = resolve(ROOT, 'node_modules/.cache/verdict/run.json');

const SHOWN = 10;
/** A run with fewer files is only a part of the tests. */
const FEWEST = 350;

/** What a run of all tests takes. */
export interface RunSize {
  /** The files that take longest; their order depends on the machine, so that it is not judged. */
  readonly slowest: readonly string[];
  /** By stage, the processes that its test files start. */
  readonly processes: Readonly<Record<string, number>>;
}

export default class RunReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < FEWEST) return;
    const files = modules.map((module) => ({
      file: module.relativeModuleId,
      ms: durationOf(module),
      processes: module.meta().processes ?? 0,
    }));
    const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, SHOWN);
    const processes: Record<string, number> = {};
    for (const { file, processes: count } of files) {
      if (count > 0) processes[stageOf(file)] = (processes[stageOf(file)] ?? 0) + count;
    }
    const size: RunSize = {
      processes: Object.fromEntries(Object.entries(processes).sort()),
      slowest: slowest.map(({ file }) => file),
    };
    mkdirSync(dirname(RUN_FILE), { recursive: true });
    writeFileSync(RUN_FILE, JSON.stringify(size));
    const lines = slowest.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
    process.stdout.write(`\nThe ${SHOWN} slowest test files:\n${lines.join('\n')}\n${textOf(processes)}\n`);
    const budget: Partial<RunSize> = JSON.parse(readFileSync(BUDGET_FILE, 'utf8'));
    const over = overBudget(processes, budget.processes ?? {});
    if (over.length === 0) return;
    process.stdout.write(`\nOver the budget of test/budget.json:\n${over.join('\n')}\n`);
    process.exitCode = 1;
  }
}

/** A folder of `test`; `files` are those beside the folders. */
export function stageOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? '') : 'files';
}

export function textOf(processes: RunSize['processes']): string {
  const total = Object.values(processes).reduce((sum, count) => sum + count, 0);
  const parts = Object.entries(processes).map(([stage, count]) => `${stage} ${count}`);
  return `Processes started by tests: ${total} (${parts.toSorted().join(', ')})`;
}

/** A line for each stage that starts more processes than it may. */
export function overBudget(processes: RunSize['processes'], budget: RunSize['processes']): readonly string[] {
  const over = Object.entries(processes).filter(([stage, count]) => count > (budget[stage] ?? 0));
  return over.map(([stage, count]) => `${stage}: ${count} processes, at most ${budget[stage] ?? 0}`);
}

/** The duration in milliseconds, including imports and set-up of the file. */
function durationOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return duration + collectDuration + setupDuration;
}
