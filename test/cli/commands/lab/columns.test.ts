/** What backtests, differences and drift say of columns that do not fit, before anybody reads their numbers. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDuckDb } from '../../../../src/decision/rows/duckdb.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}facts:
  context.market: { type: string }
velocity:
  sameIp1h: { count: applications, by: ip, within: 1 hour }
  sameDomain: { count: applications, by: emailDomain, within: 1 hour }
rules:
  - { id: risky, when: { phone.score: { atLeast: 80 } }, then: reject }
  - { id: burst, when: { velocity.sameIp1h: { atLeast: 2 } }, then: review }
  - { id: domain, when: { velocity.sameDomain: { atLeast: 2 } }, then: review }
`;

const ROW = '2026-08-01T10:00:00Z,A,12,203.0.113.7,a@mail.example';
const RIGHT = `at,client_reference,phone_score,applicant_ip,applicant_email\n${ROW}\n`;
const IP = `at,client_reference,phone_score,ip,applicant_email\n${ROW}\n`;
const COUNT = `at,client_reference,phone_score,applicant_ip,applicant_email,velocity_same_ip_1h\n${ROW},3\n`;

async function project(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder({ 'policy.yaml': POLICY, ...files });
  const placed = (arg: string) => (/^[\w-]+\.(yaml|csv|parquet)$/.test(arg) ? join(folder, arg) : arg);
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await runCli(args.map(placed));
    const shorten = (text: string) => text.replaceAll(`${folder}/`, '');
    return { exitCode, stdout: shorten(stdout), stderr: shorten(stderr) };
  };
  const backtest = (...args: string[]) => run('backtest', '--policy', 'policy.yaml', '--facts', ...args);
  return { placed, run, backtest };
}

async function asParquet(csv: string, parquet: string): Promise<void> {
  const db = await openDuckDb();
  const rows = `SELECT * REPLACE (CAST("at" AS TIMESTAMP) AS "at") FROM read_csv('${csv}')`;
  await db.connection.run(`COPY (${rows}) TO '${parquet}' (FORMAT parquet)`);
  db.close();
}

describe('columns that do not fit', () => {
  it.each(['a.csv', 'a.parquet'])(
    'are named before all else: a velocity has nothing to count by (%s)',
    async (file) => {
      const { placed, backtest } = await project({ 'a.csv': IP });
      if (file === 'a.parquet') await asParquet(placed('a.csv'), placed(file));
      const { exitCode, stdout, stderr } = await backtest(file);
      expect([exitCode, stderr]).toEqual([
        0,
        `note: no column applicant_ip: its fact is missing in every row
note: the column ip is not read; did you mean "applicant_ip"?
`,
      ]);
      expect(stdout).toContain(`1 decision, 2026-08-01

Columns that do not fit
  no column applicant_ip: its fact is missing in every row
  the column ip is not read; did you mean "applicant_ip"?

  outcome `);
      const gaps = { absent: ['applicant_ip'], unread: [{ column: 'ip', meant: ['applicant_ip'] }] };
      expect(JSON.parse((await backtest(file, '--json')).stdout).columns).toEqual([{ file, ...gaps }]);
    },
  );

  it('include a count of the own under another name', async () => {
    const { backtest } = await project({ 'a.csv': COUNT });
    const { stdout, stderr } = await backtest('a.csv');
    const words = 'the column velocity_same_ip_1h is not read; did you mean "velocity_same_ip1h"?';
    expect(stderr).toBe(`note: ${words}\n`);
    expect(stdout).toContain(`Columns that do not fit\n  ${words}\n`);
  });

  it('are none where all fits, nor is one that the map sets aside', async () => {
    const { run, backtest } = await project({ 'a.csv': RIGHT, 'b.csv': IP, 'c.yaml': 'applicant.ip: ~\n' });
    const { stdout, stderr } = await backtest('a.csv');
    expect([stdout, stderr]).toEqual([expect.not.stringContaining('do not fit'), '']);
    expect(JSON.parse((await backtest('a.csv', '--json')).stdout).columns).toEqual([]);
    const mapped = await run('backtest', '--policy', 'policy.yaml', '--facts', 'b.csv', '--columns', 'c.yaml');
    expect(mapped.stderr).toBe('note: 1 column is not read: ip\n');
  });

  it('are one line for a hundred that resemble nothing', async () => {
    const others = Array.from({ length: 100 }, (_, i) => `warehouse_${i}`);
    const text = `${others},${RIGHT.replace('\n', `\n${others.map(() => '')},`)}`;
    const { backtest } = await project({ 'a.csv': text });
    const words = '100 columns are not read: warehouse_0, warehouse_1, warehouse_2 and 97 more';
    expect(await backtest('a.csv')).toMatchObject({
      stderr: `note: ${words}\n`,
      stdout: expect.stringContaining(`\n\nColumns that do not fit\n  ${words}\n\n`),
    });
  });

  it('of several files are said with the file, and once for those of one form', async () => {
    const { backtest } = await project({ 'a.csv': RIGHT, 'b.csv': IP, 'c.csv': IP });
    const { stdout, stderr } = await backtest('a.csv', 'b.csv', 'c.csv', '--by', 'phone.score');
    expect(stderr).toBe(`note: b.csv: no column applicant_ip: its fact is missing in every row
note: b.csv: the column ip is not read; did you mean "applicant_ip"?
`);
    expect(stdout).toContain(`Columns that do not fit
  b.csv and 1 more file: no column applicant_ip: its fact is missing in every row
  b.csv and 1 more file: the column ip is not read; did you mean "applicant_ip"?
`);
  });

  it('include one by which groups are counted', async () => {
    const { backtest } = await project({ 'a.csv': RIGHT.replace('client_reference', 'market') });
    const { stderr } = await backtest('a.csv', '--by', 'context.market');
    expect(stderr).toContain('no column context_market: its fact is missing in every row\n');
    expect(stderr).toContain('the column market is not read; did you mean "context_market"?\n');
  });

  it('are named by drift and diff too', async () => {
    const { run } = await project({ 'a.csv': RIGHT, 'b.csv': IP });
    const args = ['--policy', 'policy.yaml', '--baseline', 'a.csv', '--facts', 'b.csv'];
    const drift = await run('drift', ...args);
    expect(drift.stderr).toContain('note: b.csv: the column ip is not read; did you mean "applicant_ip"?\n');
    expect(drift.stdout).toMatch(/^.*\n\nColumns that do not fit\n {2}b\.csv: no column applicant_ip: /);
    const { columns } = JSON.parse((await run('drift', ...args, '--json')).stdout);
    expect(columns).toMatchObject([{ absent: ['applicant_ip'] }]);
    const diff = await run('diff', 'policy.yaml', 'policy.yaml', '--facts', 'b.csv');
    expect(diff.stderr).toContain('note: the column ip is not read; did you mean "applicant_ip"?\n');
  });
});
