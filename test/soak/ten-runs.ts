/**
 * `node test/soak/ten-runs.ts [--runs 10] [--loops 3] [PATH ...]`: the tests of `npm test`, or those of paths, several
 * times in a row beside busy loops -> for each run its time, the report of it, what passed and failed, and why that
 * failed.
 * Ends with 1 if anything did.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { JsonTestResults } from 'vitest/node';

const ROOT = resolve(import.meta.dirname, '../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
/** By which a run fails that starts more processes than its budget has. */
const REPORT = join(ROOT, 'test/support/run-report.ts');
/** In `/proc/PID/stat`, from the third field on: the user and system time of the processes that it waited for. */
const [USER, SYSTEM] = [13, 14];
const TICKS_PER_SECOND = 100;

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '10' }, loops: { type: 'string', default: '3' } },
});
const [runs, loops] = [Number(options.runs), Number(options.loops)];
if (![runs, loops].every((each) => Number.isSafeInteger(each) && each >= 0)) {
  throw new Error('--runs and --loops must be whole numbers');
}

const folder = mkdtempSync(join(tmpdir(), 'verdict-runs-'));
const busy = Array.from({ length: loops }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
try {
  for (let run = 1; run <= runs; run++) await runOnce(run);
} finally {
  for (const loop of busy) loop.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

async function runOnce(run: number): Promise<void> {
  const [from, usedBefore] = [performance.now(), secondsOfChildren()];
  const file = join(folder, `${run}.json`);
  const reporters = ['--reporter=json', `--outputFile=${file}`, `--reporter=${REPORT}`];
  const args = ['run', '--config', 'test/vitest.config.ts', ...reporters, ...paths];
  const child = spawn(process.execPath, [VITEST, ...args], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  const seconds = (performance.now() - from) / 1000;
  const results: JsonTestResults = JSON.parse(readFileSync(file, 'utf8'));
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, testResults } = results;
  const names = testResults.flatMap(({ name, message, assertionResults }) => {
    const wrong = assertionResults.flatMap(({ status, fullName, failureMessages }) =>
      status === 'failed' ? [[fullName, ...(failureMessages ?? [])].join('\n')] : [],
    );
    return [...wrong, ...(message ? [message] : [])].map((each) => `  ${name.slice(ROOT.length + 1)}: ${each}`);
  });
  const used = (secondsOfChildren() - usedBefore).toFixed(0);
  const times = `${seconds.toFixed(0)} s, ${used} s of processors`;
  process.stdout.write(`run ${run}: ${times}, ${passed} passed, ${failed} failed, ${skipped} skipped, exit ${code}\n`);
  for (const name of names) process.stdout.write(`${name}\n`);
  if (code !== 0) process.exitCode = 1;
}

/** The time of the processes that have ended; not of a database that runs on its own, nor of the busy loops. */
function secondsOfChildren(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER]) + Number(fields[SYSTEM])) / TICKS_PER_SECOND;
}
