/** `verdict backtest --as-of`: what was decided then, by the lists of then, beside the policy at hand. */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDecider } from '../../../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../../../../support/audit/decisions.ts';
import { POLICY, backtestProject as project } from '../../../../support/cli/backtest-project.ts';
import { policyOf } from '../../../../support/policy/policy.ts';

const LISTED = `policy: onboarding
version: "3"
default: accept
lists: { blocked: { file: blocked.csv } }
rules: [{ id: blocked, when: { phone.country: { inList: blocked } }, then: reject, whenUnknown: ignore }]
`;

/** Nobody is blocked on the first four days, Germany on the next three, the United States since. */
const SNAPSHOTS = {
  'new.yaml': LISTED,
  'blocked.csv': 'value\nUS\n',
  'then/2026-11-01.yaml': POLICY,
  'then/2026-11-05/new.yaml': LISTED,
  'then/2026-11-05/blocked.csv': 'value\nDE\n',
  'then/2026-11-08/new.yaml': LISTED,
  'then/2026-11-08/blocked.csv': 'value\nUS\n',
  'then/notes.txt': 'none of these is a policy',
  'then/old/2025-01-01.yaml': POLICY,
};

describe('--as-of with a folder', () => {
  it('decides each row by the policy and the lists of its day', async () => {
    const { data, run } = project(SNAPSHOTS);
    const { before, outcomes, flows, rules, undecided } = await data('--as-of', './then');
    // Of 40, 30 and 30 rows 10, 8 and 7 are from Germany; of the first 40, 4 have a high risk and 4 an unknown one.
    expect(before).toEqual({ accept: 32 + 22 + 7, review: 8, reject: 8 + 23 });
    expect(outcomes).toEqual({ accept: 25, review: 0, reject: 75 });
    expect(
      flows.find((each: { from: string; to: string }) => each.from === 'reject' && each.to === 'accept'),
    ).toMatchObject({ applicants: 8 });
    expect([rules[0].firedBefore, undecided.policyMissing]).toEqual([31, 0]);
    const { stdout } = await run('--facts', 'facts.ndjson', '--as-of', './then', '--worst', '1');
    expect(stdout).toContain(`
  outcome  policies of then  onboarding 3  share  change
  accept   61                25            25.0%  -36 (-36.0 pp)
`);
  });

  it('decides no row from before the first policy, and columns as it does lines', async () => {
    const { 'then/2026-11-01.yaml': _, ...files } = SNAPSHOTS;
    const { data, run, toParquet } = project(files);
    const parquet = await toParquet();
    for (const days of [[], ['--from', '2026-11-03', '--to', '2026-11-06']]) {
      const { worst: _worst, ...counts } = await data('--as-of', './then', ...days);
      const ofColumns = await run('--facts', parquet, '--as-of', './then', ...days, '--json');
      expect(JSON.parse(ofColumns.stdout)).toMatchObject(counts);
    }
    const { rows, decided, undecided } = await data('--as-of', './then');
    expect([rows, decided, undecided.policyMissing]).toEqual([100, 60, 40]);
    expect((await run('--facts', 'facts.ndjson', '--as-of', './then')).stdout).toContain(
      'Not decided\n  40 without a policy of then: it was not kept\n',
    );
  });

  it('does not set parameters of then', async () => {
    const { data } = project({ 'then/2026-01-01.yaml': POLICY });
    const { before, outcomes } = await data('--as-of', './then', '--set', 'risky=40');
    expect([before.reject, outcomes.reject]).toEqual([20, 60]);
  });

  it.each([
    [
      { 'then/august.yaml': POLICY },
      2,
      'august.yaml does not have its first day as its name; expected one like 2026-08-01.yaml',
    ],
    [
      { 'then/2026-8-1.yml': POLICY },
      2,
      '2026-8-1.yml does not have its first day as its name; expected one like 2026-08-01.yml',
    ],
    [
      { 'then/2026-02-30/new.yaml': POLICY },
      2,
      '2026-02-30 does not have its first day as its name; expected one like 2026-08-01',
    ],
    [{ 'then/2026-08-01.yaml': POLICY, 'then/2026-08-01.yml': POLICY }, 2, 'has two policies from 2026-08-01 on'],
    [{ 'then/a.txt': '' }, 2, 'has no policy that has its first day as its name, such as 2026-08-01.yaml'],
    [{ 'then/2026-08-01.yaml': 'policy: none' }, 3, 'then/2026-08-01.yaml'],
    [{}, 3, 'cannot be read as a folder'],
  ])('%#: files that do not say which policy it is are refused', async (files, code, message) => {
    const { run } = project(files);
    const { exitCode, stdout, stderr } = await run('--facts', 'facts.ndjson', '--as-of', './then');
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toContain(message);
  });
});

it('--as-of log decides each record by the policy that it names, and leaves out one whose policy is gone', async () => {
  const folder = await logFolder();
  const log = await folder.open({});
  const policies = ['accept', 'review', 'reject'].map((outcome) =>
    policyOf(POLICY.replace('default: accept', `default: ${outcome}`)),
  );
  const recorded: string[] = [];
  for (const [i, policy] of [...policies, ...policies].entries()) {
    const decider = createDecider({ policy, verify: localVerifier, audit: log });
    recorded.push((await decider.decide(personOf(i))).outcome);
  }
  await log.close();
  const countOf = (outcome: string) => recorded.filter((each) => each === outcome).length;
  const { run } = project({ 'then/2020-01-01.yaml': POLICY.replace('default: accept', 'default: reject') });
  const args = ['--log', folder.place.dir, '--keys', folder.place.keys, '--json'];
  const counted = JSON.parse((await run(...args, '--as-of', 'log')).stdout);
  expect(counted.before).toEqual({ accept: countOf('accept'), review: countOf('review'), reject: countOf('reject') });
  expect(counted.before).not.toEqual(counted.outcomes);
  const { before } = JSON.parse((await run(...args, '--as-of', './then')).stdout);
  expect([counted.before.accept, before.accept]).toEqual([2, 0]);
  const archives = readdirSync(join(folder.dir, 'policies'));
  rmSync(
    join(folder.dir, 'policies', archives.find((each) => each.startsWith(policies[2]?.digest.slice(7) ?? '')) ?? ''),
  );
  const { decided, undecided } = JSON.parse((await run(...args, '--as-of', 'log')).stdout);
  expect([decided, undecided.policyMissing]).toEqual([4, 2]);
});

it('--as-of log goes with --log', async () => {
  const { exitCode, stderr } = await project().run('--facts', 'facts.ndjson', '--as-of', 'log');
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--as-of log goes with --log')]);
});
