/** A test run -> a list of its slowest files, printed at the end. */

import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;
/** A run with fewer files is only a part of the tests. */
const FEWEST = 50;

export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < FEWEST) return;
    const files = modules.map((module) => ({ file: module.relativeModuleId, ms: durationOf(module) }));
    const slowest = files.sort((one, other) => other.ms - one.ms).slice(0, SHOWN);
    const lines = slowest.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file}`);
    process.stdout.write(`\nThe ${SHOWN} slowest test files:\n${lines.join('\n')}\n`);
  }
}

/** The duration in milliseconds, including imports and set-up of the file. */
function durationOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic();
  return duration + collectDuration + setupDuration;
}
