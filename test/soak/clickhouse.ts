/**
 * `npm run test:clickhouse`: installs chdb, an embedded ClickHouse, into a temporary folder and runs the checks of
 * every SQL engine on it, and backtests. With `-- --keep` the answers that other tests take for ClickHouse are written
 * again.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkAnswers, checkRandomly, timeBacktest } from '../support/lab/sql-backtests.ts';
import { conformanceChecks, ENGINE_CHECKS, randomCheck, type SqlCheck } from '../support/runners/sql-checks.ts';
import { type ChdbSession, clickHouseOn } from '../support/runners/sql-engines.ts';

/** About 550 MB: too large for a dependency of the project. */
const CHDB = 'chdb@3.4.0';
const POLICIES = 300;
const APPLICANTS = 20;
const TIMED_ROWS = 1_000_000;

const folder = mkdtempSync(join(tmpdir(), 'verdict-clickhouse-'));
const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  say(`installing ${CHDB} into a temporary folder …`);
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  execFileSync('npm', ['install', ...options, CHDB], { stdio: ['ignore', 'ignore', 'inherit'] });
  const { Session } = createRequire(join(folder, 'node_modules/'))('chdb') as { Session: new () => ChdbSession };
  const session = new Session();
  say(`ClickHouse ${session.query('SELECT version()', 'TSV').trim()}`);
  const engine = clickHouseOn(session);
  const keeps = process.argv.includes('--keep');
  const checks: readonly SqlCheck[] = [
    { name: 'the backtest of the example', run: (_, at) => checkAnswers(session, at, keeps) },
    { name: `${POLICIES} random backtests`, run: (_, at) => checkRandomly(session, at, POLICIES) },
    ...[...ENGINE_CHECKS, ...conformanceChecks(), randomCheck(POLICIES, APPLICANTS)],
  ];
  let failed = 0;
  for (const check of checks) {
    try {
      await check.run(engine, mkdtempSync(join(folder, 'policy-')));
    } catch (error) {
      failed += 1;
      say(`FAILED: ${check.name}\n${error instanceof Error ? error.message : error}`);
    }
  }
  for (const rules of [30, 300]) {
    const { alone, beside } = await timeBacktest(session, folder, TIMED_ROWS, rules);
    say(`${TIMED_ROWS} rows by ${rules} rules: ${alone} ms; beside a policy before: ${beside} ms`);
  }
  await engine.close();
  say(`${checks.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
