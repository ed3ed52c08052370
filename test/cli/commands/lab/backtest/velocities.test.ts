/** `verdict backtest` counts velocities from the rows themselves, as an analyst tries a new one. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDuckDb } from '../../../../../src/decision/rows/duckdb.ts';
import { runCli } from '../../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../../support/policy/policy.ts';

const POLICY = `${HEAD}velocity:
  sameIp: { count: applications, by: ip, within: 1 hour }
  rejected: { count: applications, by: ip, where: { outcome: reject }, within: 7 days }
rules:
  - { id: burst, when: { velocity.sameIp: { atLeast: 2 } }, then: review }
  - { id: again, when: { velocity.rejected: { atLeast: 1 } }, then: reject }
`;

const ROWS = [
  'at,client_reference,outcome,applicant_ip',
  '2026-08-01T10:00:00Z,A,accept,203.0.113.7',
  '2026-08-01T10:30:00Z,B,reject,203.0.113.8',
  '2026-08-01T10:20:00Z,C,accept,203.0.113.7',
  '2026-08-01T10:59:59Z,D,accept,203.0.113.7',
  '2026-08-02T10:00:00Z,E,accept,203.0.113.8',
  '2026-08-02T10:00:00Z,A,accept,203.0.113.7',
];

/** The report on files of these texts, and on a Parquet file of the first one. */
async function backtest(files: Readonly<Record<string, string>>, ...options: string[]) {
  const folder = temporaryFolder({ 'policy.yaml': POLICY, ...files });
  const [csv] = Object.keys(files);
  if (options.includes('a.parquet')) {
    const db = await openDuckDb();
    const rows = `SELECT * REPLACE (CAST("at" AS TIMESTAMP) AS "at") FROM read_csv('${join(folder, csv ?? '')}')`;
    await db.connection.run(`COPY (${rows}) TO '${join(folder, 'a.parquet')}' (FORMAT parquet)`);
    db.close();
  }
  const placed = options.map((each) => (/\.(yaml|csv|parquet|ndjson)$/.test(each) ? join(folder, each) : each));
  const args = ['backtest', '--policy', join(folder, 'policy.yaml'), ...placed];
  const { exitCode, stdout, stderr } = await runCli(args);
  return { args, exitCode, stdout: stdout.replaceAll(`${folder}/`, ''), stderr: stderr.replaceAll(`${folder}/`, '') };
}

describe('verdict backtest of a policy with velocities', () => {
  it('counts as of each row, in the order of time', async () => {
    const csv = await backtest({ 'a.csv': ROWS.join('\n') }, '--facts', 'a.csv');
    expect([csv.exitCode, csv.stderr]).toEqual([0, '']);
    expect(csv.stdout).toBe(`6 decisions, 2026-08-01 to 2026-08-02

  outcome  applicants  share  a day
  accept   4           66.7%
  review   1           16.7%  0.5 a day
  reject   1           16.7%

  rule   fired  alone  without it
  burst  1      1      1 accept
  again  1      1      1 accept

  counted from the rows  counts                                                    complete from
  velocity.sameIp        applications by ip within 1 hour                          2026-08-01T11:00Z
  velocity.rejected      applications by ip where outcome is reject within 7 days  2026-08-08T10:00Z
`);
    const parquet = await backtest({ 'a.csv': ROWS.join('\n') }, '--facts', 'a.parquet', '--from', '2026-08-02');
    expect(parquet.stdout).toMatch(/^2 decisions.*accept +1 .*again +1 +1 +1 accept/s);
  });

  it('counts for each of two policies by its own definition', async () => {
    const old = POLICY.replace('1 hour', '30 minutes').replace('atLeast: 2', 'atLeast: 1');
    for (const file of ['a.csv', 'a.parquet']) {
      const files = { 'a.csv': ROWS.join('\n'), 'old.yaml': old };
      const { stdout } = await backtest(files, '--against', 'old.yaml', '--facts', file);
      expect(stdout).toContain('2 are decided differently (33.3%): accept to review 1, review to accept 1.');
      expect(stdout).toMatch(/velocity.sameIp .as counted by the old policy. +applications by ip within 30 minutes /);
    }
  });

  it('takes the counts of a file that has them', async () => {
    const counts = ['velocity_same_ip', 2, 2, '', 0, 0, 0];
    const files = { 'a.csv': ROWS.map((row, i) => `${row},${counts[i]}`).join('\n') };
    const { stdout } = await backtest(files, '--facts', 'a.csv', '--json');
    const { outcomes, velocities } = JSON.parse(stdout);
    expect(outcomes).toEqual({ accept: 2, review: 3, reject: 1 });
    expect(velocities.counted).toMatchObject([{ velocity: 'velocity.rejected' }]);
    const line = {
      facts: { 'applicant.ip': '203.0.113.8' },
      at: '2026-08-02T10:59:00Z',
      decision: { outcome: 'accept' },
    };
    const both = await backtest(
      { ...files, 'b.ndjson': JSON.stringify(line) },
      '--facts',
      'a.csv',
      'b.ndjson',
      '--json',
    );
    expect(JSON.parse(both.stdout)).toMatchObject({
      outcomes: { accept: 2, review: 3, reject: 2 },
      velocities: { counted: [{ velocity: 'velocity.sameIp' }, { velocity: 'velocity.rejected' }] },
    });
  });

  it('counts nothing where a file does not say what is needed, and says so', async () => {
    const without = (column: number) =>
      ROWS.map((row, at) =>
        row
          .split(',')
          .map((cell, i) => (i === column && at > 0 ? '' : cell))
          .join(),
      ).join('\n');
    const line = `{"facts":{"applicant.ip":"203.0.113.7"},"at":"2026-08-01T12:00:00Z"}\n`;
    const table: readonly (readonly [files: Record<string, string>, problem: string, undetermined: string])[] = [
      [
        { 'a.csv': without(2) },
        'velocity.rejected is missing: no row of a.csv has an outcome (column outcome).',
        'again',
      ],
      [
        { 'a.csv': ROWS.join('\n').replaceAll(/T[\d:]+Z/g, '') },
        'no row of a.csv has a time of day (column at).',
        'burst',
      ],
      [
        { 'a.csv': ROWS.join('\n').replace('applicant_ip', 'ip') },
        'no row of a.csv has a valid applicant.ip (column applicant_ip).',
        'burst',
      ],
      [{ 'a.csv': ROWS.join('\n'), 'b.ndjson': line }, 'no row of b.ndjson has an outcome.', 'again'],
    ];
    for (const [files, problem, rule] of table) {
      const { stdout } = await backtest(files, '--facts', ...Object.keys(files));
      expect(stdout).toContain(problem);
      expect(stdout).toMatch(new RegExp(`${rule} +0 .* velocity\\.\\w+ not given`));
    }
    const untimed = ROWS.join('\n').replace('2026-08-02T10:00:00Z,E', '2026-08-02,E');
    expect((await backtest({ 'a.csv': untimed }, '--facts', 'a.csv')).stdout).toContain(
      'Not counted: 1 row without a time, or unreadable.',
    );
    const unzoned = await backtest({ 'a.csv': ROWS.join('\n').replaceAll('Z,', ',') }, '--facts', 'a.csv');
    expect(unzoned.stderr).toContain('verdict: line 2: "at" has to be a calendar day, yyyy-MM-dd, or an instant');
    const times = await backtest({ 'a.csv': ROWS.join('\n') }, '--facts', 'a.csv', '--from', '2026-08-01T12:00:00Z');
    expect([times.exitCode, times.stderr]).toEqual([
      ...[2, 'verdict: --from: rows are chosen by their days; expected one such as 2026-08-01\n'],
    ]);
    const stdin = await runCli((await backtest({}, '--facts', '-')).args, { stdin: line });
    expect(stdin.stdout).toContain('velocity.sameIp is missing: standard input is read once: name a file.');
    const device = await backtest({}, '--facts', '/dev/null');
    expect(device.stdout).toContain('velocity.sameIp is missing: /dev/null is read once: name a file.');
  });

  it('has no time from which counts are complete where no row can be read', async () => {
    const { stdout } = await backtest({ 'a.ndjson': '{"fact":{}}\n' }, '--facts', 'a.ndjson');
    expect(stdout).toMatch(/velocity.sameIp +applications by ip within 1 hour +–\n/);
  });

  it('refuses an outcome that is none, without saying it', async () => {
    const files = { 'a.csv': ROWS.join('\n').replace('reject', 'DECLINED') };
    const { exitCode, stderr } = await backtest(files, '--facts', 'a.csv');
    expect([exitCode, stderr]).toEqual([3, 'verdict: a.csv, line 3: the outcome is none of accept, review, reject\n']);
  });

  it('diff and drift count them too, and say what is missing', async () => {
    const old = POLICY.replace('atLeast: 2', 'atLeast: 3');
    const without = ROWS.join('\n').replaceAll(/,(accept|reject),/g, ',,');
    const folder = temporaryFolder({ 'old.yaml': old, 'new.yaml': POLICY, 'a.csv': ROWS.join('\n'), 'b.csv': without });
    const [before = '', now = '', file = '', other = ''] = ['old.yaml', 'new.yaml', 'a.csv', 'b.csv'].map((name) =>
      join(folder, name),
    );
    const { stdout } = await runCli(['diff', before, now, '--facts', file]);
    expect(stdout).toContain('1 is decided differently (16.7%): ');
    const drift = await runCli(['drift', '--policy', now, '--baseline', file, '--facts', other, '--json']);
    expect(JSON.parse(drift.stdout).tests).toContainEqual(
      expect.objectContaining({
        test: 'velocity.sameIp is at least 2',
        baseline: { true: 1, false: 5, unknown: 0 },
        now: { true: 1, false: 5, unknown: 0 },
      }),
    );
    expect(drift.stderr).toBe(`note: nothing before 2026-08-01 is counted: until 2026-08-08 velocities can be too low
note: velocity.rejected is missing: no row of ${other} has an outcome (column outcome)
note: nothing before 2026-08-01 is counted: until 2026-08-01 velocities can be too low
`);
  });
});

describe('velocities by what people say later', () => {
  const LABELLED = `${HEAD}velocity:
  frauds: { count: applications, by: ip, where: { disposition: fraud }, within: 30 days }
  genuine: { count: applications, by: ip, where: { disposition: genuine }, within: 30 days }
  declined: { count: applications, by: ip, where: { disposition: decline }, within: 30 days }
rules:
  - { id: known, when: { velocity.frauds: { atLeast: 1 } }, then: review, whenUnknown: ignore }
  - { id: cleared, when: { velocity.genuine: { atLeast: 1 } }, then: accept, whenUnknown: ignore }
  - { id: declined, when: { velocity.declined: { atLeast: 1 } }, then: review, whenUnknown: ignore }
`;
  const LATER = [
    'at,client_reference,outcome,applicant_ip',
    '2026-08-01T10:00:00Z,A,accept,203.0.113.7',
    '2026-08-03T23:59:59Z,B,accept,203.0.113.7',
    '2026-08-04T00:00:00Z,C,accept,203.0.113.7',
    '2026-08-06T10:00:00Z,D,accept,203.0.113.7',
    '2026-08-06T10:00:00Z,A,accept,203.0.113.8',
    '2026-08-06T11:00:00Z,E,accept,203.0.113.8',
  ].join('\n');

  const labelled = (labels: string, rows: string, ...options: string[]) =>
    backtest({ 'a.csv': rows, 'labels.csv': labels, 'policy.yaml': LABELLED }, '--facts', 'a.csv', ...options);

  it.each([
    ['from the end of its day on', 'A,fraud,2026-08-03', { known: 2, cleared: 0 }],
    ['until a later day takes it back', 'A,fraud,2026-08-03\nA,genuine,2026-08-05', { known: 1, cleared: 1 }],
    ['in the order of days', 'A,genuine,2026-08-05\nA,fraud,2026-08-03', { known: 1, cleared: 1 }],
    ['from its first day on', 'A,fraud,2026-08-06\nA,fraud,2026-08-02', { known: 3, cleared: 0 }],
    ['of applications until then', 'A,fraud,2026-08-06\nE,genuine,2026-08-06', { known: 0, cleared: 0 }],
  ])('a label counts %s', async (_what, labels, counts) => {
    const { stdout } = await labelled(`reference,label,at\n${labels}\n`, LATER, '--labels', 'labels.csv', '--json');
    const fired = JSON.parse(stdout).rules.map(({ rule, fired }: { rule: string; fired: number }) => [rule, fired]);
    expect(Object.fromEntries(fired)).toEqual({ ...counts, declined: 0 });
  });

  it.each([
    ['it counts labels, which `verdict backtest --labels FILE` reads', undefined, LATER],
    ['the labels name decisions, and rows have references', 'decision,at\nA,2026-08-03', LATER],
    ['the labels have no day (column at)', 'reference,at\nA,2026-08-03\nB,', LATER],
    [
      'no row of a.csv has a reference (column client_reference)',
      'reference,at\nA,2026-08-03',
      LATER.replaceAll(/,[A-E],/g, ',,'),
    ],
  ])('are missing where %s', async (problem, labels, rows) => {
    const { stdout } = await labelled(labels ?? '', rows, ...(labels ? ['--labels', 'labels.csv'] : []));
    for (const name of ['frauds', 'genuine']) expect(stdout).toContain(`velocity.${name} is missing: ${problem}`);
    expect(stdout).toContain('velocity.declined is missing: files do not say when somebody was approved or declined.');
    expect(stdout).toMatch(/known +0 .* velocity\.frauds not given/);
  });

  it.each([
    ['2026-08-04', true],
    ['2026-08-05', false],
  ])('says that labels end on %s, before the rows: %s', async (day, isSaid) => {
    const { stdout } = await labelled(`reference,at\nA,2026-08-03\nnobody,${day}\n`, LATER, '--labels', 'labels.csv');
    const said = `No label is of a day after ${day}: what is counted of labels after it can be too low.`;
    expect(stdout.includes(said)).toBe(isSaid);
  });

  it('diff says which command counts them', async () => {
    const folder = temporaryFolder({ 'old.yaml': `${HEAD}rules: []\n`, 'new.yaml': LABELLED, 'a.csv': LATER });
    const [old = '', now = '', file = ''] = ['old.yaml', 'new.yaml', 'a.csv'].map((name) => join(folder, name));
    const { stdout } = await runCli(['diff', old, now, '--facts', file]);
    expect(stdout).toContain('velocity.frauds is missing: it counts labels, which `verdict backtest --labels FILE`');
  });
});
