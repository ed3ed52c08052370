/** `verdict drift`, as an analyst types it. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDecider } from '../../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../../../support/audit/decisions.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { policyOf, temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `policy: onboarding
version: "1"
default: accept
parameters: { risky: 80 }
rules:
  - { id: risky-score, when: { phone.score: { atLeast: $risky } }, then: reject, whenUnknown: ignore }
  - { id: porting, when: { phone.porting.riskLevel: { atLeast: high } }, then: review }
`;

/** Ten applicants a day: scores from a lowest one to 99, and some without a risk of porting. */
function linesOf(month: string, lowest: number, hasPorting: (i: number) => boolean, count = 100): string {
  const lines = Array.from({ length: count }, (_, i) => {
    const porting = hasPorting(i) ? { 'phone.porting.riskLevel': i % 10 === 5 ? 'high' : 'low' } : {};
    const facts = { 'phone.score': lowest + (i % (100 - lowest)), ...porting };
    return JSON.stringify({ facts, at: `2026-${month}-${String(1 + Math.floor(i / 10)).padStart(2, '0')}` });
  });
  return `${lines.join('\n')}\n`;
}

function project(files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder({
    'policy.yaml': POLICY,
    'then.ndjson': linesOf('08', 0, (i) => i % 10 !== 9),
    'now.ndjson': linesOf('11', 60, (i) => i % 10 < 6, 200),
    ...files,
  });
  const placed = (arg: string) => (/^[\w-]+\.(?:yaml|ndjson|csv)$/.test(arg) ? join(folder, arg) : arg);
  const baseline = ['drift', '--policy', 'policy.yaml', '--baseline', 'then.ndjson'];
  const run = (...args: string[]) => runCli([...baseline, ...args].map(placed));
  const data = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
  return { placed, baseline, run, data };
}

describe('verdict drift', () => {
  it('says what changed between the applicants of then and of now', async () => {
    const { exitCode, stdout, stderr } = await project().run('--facts', 'now.ndjson');
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`2 of 2 facts changed by more than chance

  outcome    baseline    now         change
  accept     64.0%       25.0%       -39.0 pp
  review     16.0%       25.0%       +9.0 pp
  reject     20.0%       50.0%       +30.0 pp
  decided    100         200
  first day  2026-08-01  2026-11-01
  last day   2026-08-10  2026-11-20

  fact                     PSI   critical  above chance  changed most
  phone.score              0.42  0.074     5.6 times     below 80: 80.0% to 50.0%
  phone.porting.riskLevel  0.56  0.11      5.1 times     at most medium: 80.0% to 50.0%

  missing                  source  because    baseline  now    change    above chance
  phone.porting.riskLevel  phone   not given  10.0%     40.0%  +30.0 pp  9.6 times

  test                                      true            false           unknown         above chance
  phone.score is at least 80                20.0% to 50.0%  80.0% to 50.0%  0.0% to 0.0%    5.6 times
  phone.porting.riskLevel is at least high  10.0% to 10.0%  80.0% to 50.0%  10.0% to 40.0%  5.1 times

What this cannot say
  Where nothing changes, one list in 20 names something nevertheless: the critical values allow for its length.
  Whether a change matters: with many applicants a small one is above chance too.
  What changes within a cell, which the policy does not see.
  Whether there is more fraud: only labels say that.
`);
  });

  it('finds nothing between the same applicants, and takes the parameters of the policy that is asked about', async () => {
    const { run, data } = project();
    const { stdout } = await run('--facts', 'then.ndjson');
    expect(stdout).toContain('None of 2 facts changed by more than chance\n');
    expect(stdout).not.toContain(' times');
    const none = ['2 facts', '1 missing fact', '2 tests'].map(
      (words) => `\n${words} changed by no more than chance.\n`,
    );
    for (const words of none) expect(stdout).toContain(words);
    const { tests } = await data('--facts', 'now.ndjson', '--set', 'risky=90');
    expect(tests).toContainEqual(
      expect.objectContaining({
        test: 'phone.score is at least 90',
        baseline: { true: 10, false: 90, unknown: 0 },
        now: { true: 50, false: 150, unknown: 0 },
      }),
    );
  });

  it('has the same numbers as data, for several files and for the days that are asked for', async () => {
    const { data } = project({ 'more.csv': 'phone_score,at\n99,2026-11-01\n1,2026-12-01\n' });
    const drift = await data('--facts', 'now.ndjson', 'more.csv', '--from', '2026-11-02', '--to', '2026-11-30');
    expect(drift.baseline).toMatchObject({ rows: 100, decided: 100, outcomes: { accept: 64, review: 16, reject: 20 } });
    expect(drift.now).toMatchObject({ decided: 190, period: { from: '2026-11-02', to: '2026-11-20' } });
    expect(drift.facts.map(({ fact }: { fact: string }) => fact).sort()).toEqual([
      'phone.porting.riskLevel',
      'phone.score',
    ]);
    expect((await data('--facts', 'now.ndjson', 'more.csv')).now.decided).toBe(202);
  });

  it('counts what it cannot decide on each side, and says how many', async () => {
    const bad = '{"facts":{"phone.score":1},"at":"2026-02-30"}\n';
    const { run } = project({ 'bad.ndjson': linesOf('11', 0, () => true) + bad, 'none.ndjson': bad });
    const { exitCode, stdout, stderr } = await run('--facts', 'bad.ndjson');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('verdict: line 101: "at" has to be a calendar day');
    expect(stdout).toContain('\nNot decided\n  now: 1 cannot be read\n');
    const none = await run('--facts', 'none.ndjson');
    expect(none.exitCode).toBe(3);
    expect(none.stdout).toMatch(/^No applicant of now was decided\n/);
    expect(none.stdout).not.toContain('PSI');
  });

  it('reads the applicants of now from a log, each on their own day', async () => {
    const folder = await logFolder();
    const log = await folder.open({});
    for (const day of ['01', '02', '03']) {
      const now = () => Date.parse(`2026-10-${day}T12:00:00Z`);
      const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit: log, now });
      await decider.decide(personOf(Number(day)));
    }
    await log.close();
    const { data } = project();
    const args = ['--log', folder.place.dir, '--keys', folder.place.keys];
    expect((await data(...args)).now).toMatchObject({
      ...{ rows: 3, decided: 3, period: { from: '2026-10-01', to: '2026-10-03' } },
    });
    expect((await data(...args, '--from', '2026-10-02')).now.decided).toBe(2);
  });

  it('shows the first tests that changed, and all of them as data', async () => {
    const rules = Array.from(
      { length: 25 },
      (_, i) => `  - { id: r${i}, when: { phone.score: { above: ${i + 40} } }, then: review }`,
    );
    const files = { 'policy.yaml': `policy: p\nversion: "1"\ndefault: accept\nrules:\n${rules.join('\n')}\n` };
    const { run, data } = project(files);
    expect((await run('--facts', 'now.ndjson')).stdout).toContain('\n5 more: --json lists them.\n');
    expect((await data('--facts', 'now.ndjson')).tests.length).toBe(25);
  });

  it.each([
    [[], 'expected either --facts or --log'],
    [['--facts', 'now.ndjson', '--keys', 'k'], '--keys goes with --log'],
    [['--facts', 'now.ndjson', '--columns', 'c.yaml'], '--columns goes with a CSV or Parquet file'],
    [['--facts', 'now.ndjson', '--at', 'today'], 'Expected a calendar day: yyyy-MM-dd.'],
    [['--facts', 'now.ndjson', '--from', 'today'], "error: option '--from <time>' has an invalid value"],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stdout, stderr } = await project().run(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });

  it('is refused without a baseline, and ends without a policy that can be read', async () => {
    const { placed, run } = project({ 'broken.yaml': 'policy: p\n' });
    const without = await runCli(['drift', '--policy', 'policy.yaml', '--facts', 'now.ndjson'].map(placed));
    expect(without.exitCode).toBe(2);
    expect(without.stderr).toContain("required option '--baseline <file...>' not specified");
    const broken = ['drift', '--policy', 'broken.yaml', '--baseline', 'then.ndjson', '--facts', 'now.ndjson'];
    expect((await runCli(broken.map(placed))).exitCode).toBe(3);
    expect((await run('--facts', 'absent.ndjson')).exitCode).toBe(3);
  });
});
