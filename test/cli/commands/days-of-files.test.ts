/** One file of applicants, in three forms: every command takes each row for the day on which it was decided. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { runCli } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `policy: days
version: "1"
default: accept
facts: { context.born: { type: date } }
rules:
  - { id: then, until: 2026-08-31, when: { context.born: { known: true } }, then: review }
  - { id: adult, from: 2026-09-01, when: { context.born: { yearsSince: { atLeast: 18 } } }, then: reject }
`;

/** Times around midnight, as senders in three zones write them: two of the last day of August, three of the first. */
const TIMES = [
  '2026-08-31T23:59:59Z',
  '2026-09-01T11:59:59+12:00',
  '2026-08-31T17:00:00-07:00',
  '2026-09-01T00:00:00Z',
  '2026-09-01T12:00:00+12:00',
];
const DAYS = { from: '2026-08-31', to: '2026-09-01', days: 2 };
const OUTCOMES = ['review', 'review', 'reject', 'reject', 'reject'];

const CSV = `at,context_born\n${TIMES.map((at) => `${at},2008-09-01\n`).join('')}`;
const LINES = TIMES.map((at) => `${JSON.stringify({ at, facts: { 'context.born': '2008-09-01' } })}\n`).join('');

async function project() {
  const folder = temporaryFolder({ 'policy.yaml': POLICY, 'rows.csv': CSV, 'rows.ndjson': LINES });
  const db = await openDuckDb();
  const cells = TIMES.map((at) => `(TIMESTAMPTZ '${at}', DATE '2008-09-01')`).join(', ');
  const rows = `(FROM (VALUES ${cells}) t("at", context_born))`;
  await db.connection.run(`COPY ${rows} TO '${join(folder, 'rows.parquet')}' (FORMAT parquet)`);
  db.close();
  writeFileSync(join(folder, 'zone.yaml'), POLICY.replace('default:', 'timeZone: America/Los_Angeles\ndefault:'));
  const placed = (arg: string) => (/^\w+\.\w+$/.test(arg) ? join(folder, arg) : arg);
  return async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await runCli(args.map(placed));
    expect([exitCode, stderr]).toEqual([0, '']);
    return stdout;
  };
}

describe.each(['rows.csv', 'rows.ndjson', 'rows.parquet'])('%s', (file) => {
  it.each(['matcher', 'live'])('is decided by the %s on UTC days', async (runner) => {
    const run = await project();
    const printed = await run('evaluate', '--policy', 'policy.yaml', '--facts', file, '--runner', runner);
    const outcomes = printed.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).outcome));
    expect(outcomes).toEqual(OUTCOMES);
  });

  it.each(['matcher', 'live'])('is decided by the %s on days of the time zone of the policy', async (runner) => {
    const run = await project();
    const printed = await run('evaluate', '--policy', 'zone.yaml', '--facts', file, '--runner', runner);
    // In Los Angeles it is the last of August for another seven hours.
    const outcomes = printed.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).outcome));
    expect(outcomes).toEqual(['review', 'review', 'review', 'review', 'review']);
  });

  it('is counted by each of two policies on its own days', async () => {
    const run = await project();
    const args = ['backtest', '--against', 'policy.yaml', '--policy', 'zone.yaml', '--facts', file, '--json'];
    const { period, flows, worst } = JSON.parse(await run(...args));
    const changes = flows.filter(({ applicants }: { applicants: number }) => applicants > 0);
    expect(period).toEqual({ from: '2026-08-31', to: '2026-08-31', days: 1 });
    expect(changes).toMatchObject([
      { from: 'review', to: 'review', applicants: 2 },
      { from: 'reject', to: 'review', applicants: 3 },
    ]);
    expect(worst[0]).toMatchObject({ day: '2026-08-31', from: 'reject', to: 'review' });
  });

  it('is counted on UTC days', async () => {
    const run = await project();
    const args = ['backtest', '--policy', 'policy.yaml', '--facts', file, '--by', 'month', '--json'];
    expect(JSON.parse(await run(...args))).toMatchObject({
      period: DAYS,
      rules: [
        { rule: 'then', fired: 2 },
        { rule: 'adult', fired: 3 },
      ],
    });
    expect(JSON.parse(await run(...args, '--from', '2026-09-01'))).toMatchObject({ decided: 3 });
    expect(JSON.parse(await run(...args, '--to', '2026-08-31'))).toMatchObject({ decided: 2 });
  });

  it('is compared on UTC days', async () => {
    const run = await project();
    const drift = await run('drift', '--policy', 'policy.yaml', '--baseline', file, '--facts', file, '--json');
    expect(JSON.parse(drift)).toMatchObject({ baseline: { period: DAYS } });
    const diff = await run('diff', 'policy.yaml', 'policy.yaml', '--facts', file, '--json');
    expect(JSON.parse(diff)).toMatchObject({ impact: { period: DAYS } });
  });
});
