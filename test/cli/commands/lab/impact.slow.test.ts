/** `verdict diff --facts` and `--log`: an edit and real applicants. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isTooMuch } from '../../../../src/cli/options/impact.ts';
import { createDecider } from '../../../../src/decision/decide.ts';
import type { Backtest } from '../../../../src/lab/backtest/backtest.ts';
import { loadPolicy } from '../../../../src/policy/read/parse.ts';
import { localVerifier, logFolder } from '../../../support/audit/decisions.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';

const policy = (limit: number) => `policy: test
version: "1"
default: accept
facts: { context.name: { type: string, personal: true } }
rules:
  - { id: risky, when: { phone.score: { atLeast: ${limit} } }, then: review, reason: RISKY }
  - { id: name, when: { context.name: Ada Secret }, then: reject, reason: NAMED, whenUnknown: ignore }
`;

const line = (score: number, rest: object = {}, facts: object = {}) =>
  JSON.stringify({ facts: { 'phone.score': score, ...facts }, ...rest });

const LINES = [
  line(50, { at: '2026-11-01' }),
  line(75, { at: '2026-11-01', clientReference: 'ref-2' }, { 'context.name': 'Ada Lane' }),
  line(95, { at: '2026-11-04' }),
  line(75, { at: '2026-11-04' }),
];

/** Compares a limit of 70 with one of 90, with these files in the folder. */
async function diff(files: Readonly<Record<string, string>>, ...args: string[]) {
  const folder = temporaryFolder({ 'old.yaml': policy(70), 'new.yaml': policy(90), ...files });
  const named = args.map((arg) => (Object.hasOwn(files, arg) ? join(folder, arg) : arg));
  return runCli(['diff', join(folder, 'old.yaml'), join(folder, 'new.yaml'), '--at', '2026-11-20', ...named]);
}

describe('verdict diff with real applicants', () => {
  it('counts them by region and by change, and shows the worst, without their personal facts', async () => {
    const { exitCode, stdout } = await diff({ 'facts.ndjson': LINES.join('\n') }, '--facts', 'facts.ndjson');
    expect(stdout).toContain('  2 real applicants\n');
    expect(stdout).toContain(`

4 decisions, 2026-11-01 to 2026-11-04

  outcome  before  after  share  change
  accept   1       3      75.0%  +2 (+50.0 pp)
  review   3       1      25.0%  -2 (-50.0 pp), -0.5 a day
  reject   0       0      0.0%   0 (0.0 pp)

2 are decided differently (50.0%): review to accept 2.

review to accept: 1 region
`);
    expect(stdout.slice(stdout.indexOf('Real applicants'))).toBe(`Real applicants

The worst
  review to accept  line 2, reference ref-2 on 2026-11-01
    decided by RISKY; now by DEFAULT
  review to accept  line 4 on 2026-11-04
    decided by RISKY; now by DEFAULT
`);
    expect(stdout).not.toContain('Ada Lane');
    expect(exitCode).toBe(1);
  });

  it('names the rules whose points made the score that decided', async () => {
    const scored = (points: number) => `policy: p
version: "1"
default: accept
score: { review: 40 }
rules:
  - { id: voip, when: { phone.type: voip }, points: 30 }
  - { id: risky, when: { phone.score: { above: 50 } }, points: ${points} }
`;
    const files = { 'a.yaml': scored(20), 'b.yaml': scored(5), 'f.csv': 'phone_type,phone_score\nvoip,60\nvoip,10\n' };
    const folder = temporaryFolder(files);
    const [old, now, facts] = ['a.yaml', 'b.yaml', 'f.csv'].map((name) => join(folder, name));
    const run = ['diff', old ?? '', now ?? '', '--at', '2026-11-20', '--facts', facts ?? ''];
    expect((await runCli(run)).stdout).toContain('    decided by SCORE (voip, risky); now by DEFAULT\n');
    const { impact } = JSON.parse((await runCli([...run, '--json'])).stdout);
    expect(impact.worst).toMatchObject([
      { reasons: { old: ['SCORE'], new: ['DEFAULT'] }, scoredBy: { old: ['voip', 'risky'], new: [] } },
    ]);
  });

  it('gives the numbers as data', async () => {
    const { stdout } = await diff({ 'f.ndjson': LINES.join('\n') }, '--facts', 'f.ndjson', '--json', '--worst', '1');
    const { changes, impact } = JSON.parse(stdout);
    expect(changes[0].regions[0].applicants).toBe(2);
    expect(impact).toMatchObject({
      ...{ decided: 4, changed: 2, outsideRegions: 0, period: { days: 4 }, before: { review: 3 } },
      worst: [{ line: 2, clientReference: 'ref-2', day: '2026-11-01', from: 'review', to: 'accept' }],
      undecided: { unreadable: 0, erased: 0, aborted: 0, open: 0, openFacts: {} },
    });
    expect(impact.worst[0].reasons).toEqual({ old: ['RISKY'], new: ['DEFAULT'] });
    expect(impact.worst).toHaveLength(1);
    expect(impact.flows).toHaveLength(9);
    expect(impact.flows[3]).toEqual({ from: 'review', to: 'accept', applicants: 2, share: 0.5 });
  });

  it('says which lines cannot be read, counts the others, and ends with 3', async () => {
    const lines = [...LINES, '{"facts": Ada Secret}', '{"facts":{"phone.skore":1}}'].join('\n');
    const { exitCode, stdout, stderr } = await diff({ 'facts.ndjson': lines }, '--facts', 'facts.ndjson');
    expect(stderr).toContain('verdict: line 5: ');
    expect(stderr).toContain('verdict: line 6: no fact "phone.skore" is declared; did you mean "phone.score"?');
    expect(stdout).toContain('2 are decided differently (50.0%)');
    expect(stdout).toContain('Not decided\n  2 cannot be read\n');
    expect(stdout + stderr).not.toMatch(/Ada (Lane|Secret)/);
    expect(exitCode).toBe(3);
  });

  it('counts by what is in force on another day where that is asked for, and else says what begins later', async () => {
    const ending = policy(70).replace('reason: RISKY', 'reason: RISKY, until: 2026-11-30');
    const files = { 'ending.yaml': ending, 'f.ndjson': LINES.join('\n') };
    const folder = temporaryFolder({ 'old.yaml': policy(70), ...files });
    const count = (...args: string[]) => {
      const versions = ['old.yaml', 'ending.yaml'].map((name) => join(folder, name));
      return runCli(['diff', ...versions, '--at', '2026-11-20', '--facts', join(folder, 'f.ndjson'), ...args]);
    };
    const { stdout } = await count();
    expect(stdout).toContain('Nobody is decided differently.');
    expect(stdout).toContain('--as-if-in-force 2026-12-01');
    const { stdout: later } = await count('--as-if-in-force', '2026-12-01', '--json');
    const { impact, changes } = JSON.parse(later);
    expect(impact).toMatchObject({ changed: 3, outsideRegions: 0, inForceOn: '2026-12-01' });
    expect(impact.beginLater).toBeUndefined();
    expect(changes[0].regions[0]).toMatchObject({ applicants: 3, firstDay: '2026-12-01' });
  });

  it('says what each of several edits does alone, and what is left without it', async () => {
    const edited = (limit: number, name: string, then: string) =>
      policy(limit).replace('Ada Secret', name).replace('then: reject', `then: ${then}`);
    const files = {
      'before.yaml': edited(70, 'Ada Secret', 'reject'),
      'after.yaml': edited(90, 'Ada Lane', 'review'),
      'facts.ndjson': LINES.join('\n'),
    };
    const folder = temporaryFolder(files);
    const [before, after, facts] = Object.keys(files).map((name) => join(folder, name)) as [string, string, string];
    const run = ['diff', before, after, '--at', '2026-11-20', '--facts', facts];
    const { stdout } = await runCli(run);
    const from = stdout.indexOf('  each edit alone');
    expect(
      stdout.slice(from, stdout.indexOf('\n\n', stdout.indexOf('who change'))),
    ).toBe(`  each edit alone                                             changed  review to accept  only it  others undo it
  rule risky: phone.score atLeast 70 is now 90                2        2                 1        1
  rule name: context.name is: other values (not … and 1 more  0        0                 0        0
  all together                                                1        1

  left without it                                             changed  review to accept
  rule risky: phone.score atLeast 70 is now 90                0        0
  rule name: context.name is: other values (not … and 1 more  2        2

Of the 1 who change: 1 by one edit alone.`);
    const { edits } = JSON.parse((await runCli([...run, '--json'])).stdout).impact;
    const flows = (applicants: number) => [{ from: 'review', to: 'accept', applicants }];
    expect(edits).toEqual({
      ...{ changed: 1, flows: flows(1), severalAlone: 0, togetherOnly: 0 },
      edits: [
        {
          ...{ kind: 'rule', name: 'risky', texts: ['rule risky: phone.score atLeast 70 is now 90'] },
          ...{ alone: { changed: 2, flows: flows(2) }, left: { changed: 0, flows: [] }, only: 1, notInWhole: 1 },
        },
        {
          ...{ kind: 'rule', name: 'name', texts: edits.edits[1].texts },
          ...{ alone: { changed: 0, flows: [] }, left: { changed: 2, flows: flows(2) }, only: 0, notInWhole: 0 },
        },
      ],
    });
    expect(edits.edits[1].texts).toHaveLength(2);
    const markdown = await runCli([...run, '--format', 'markdown']);
    expect(markdown.stdout).toContain('| each edit alone | changed | review to accept | only it | others undo it |');
  });

  it('says that an empty file has no applicants', async () => {
    const { stdout } = await diff({ 'facts.ndjson': '' }, '--facts', 'facts.ndjson');
    expect(stdout).toContain('\nNo applicant was decided\n');
  });

  it('counts the decisions of a log, of the days that are wanted', async () => {
    const { dir, keys, open } = await logFolder();
    const audit = await open();
    const file = join(temporaryFolder({ 'p.yaml': policy(70) }), 'p.yaml');
    for (const day of ['2026-11-01', '2026-11-02', '2026-11-04']) {
      const now = () => Date.parse(`${day}T12:00:00Z`);
      const decider = createDecider({ policy: loadPolicy(file), verify: localVerifier, audit, now });
      for (const name of ['Ada Secret', 'Bo Secret']) {
        await decider.decide({ phoneNo: '+447700900002' }, { context: { name } });
      }
    }
    await audit.close();
    const log = ['--log', dir, '--keys', keys];
    const { stdout, exitCode } = await diff({}, ...log, '--format', 'markdown');
    const parts = ['### Real applicants\n\n', '| after |', '### Changed decisions\n\n', '\n### review to accept\n'];
    const places = parts.map((part) => stdout.indexOf(part));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    expect(stdout).toMatch(/\| after \| .* \| 6 \|/);
    expect(stdout).not.toMatch(/Secret|447700/);
    expect(exitCode).toBe(1);
    const { stdout: later } = await diff({}, ...log, '--from', '2026-11-02', '--json');
    expect(JSON.parse(later).impact.decided).toBe(4);
  });

  it.each([
    [['--from', '2026-11-01'], '--from goes with --log'],
    [['--max-changed', '1%'], '--max-changed goes with --log or --facts'],
    [['--as-if-in-force', '2026-12-01'], '--as-if-in-force goes with --log or --facts'],
    [['--by', 'month'], '--by goes with --log or --facts'],
    [['--facts', 'f.ndjson', '--by', 'phone.scor'], 'no fact phone.scor; did you mean "phone.score"?'],
    [['--facts', 'f.ndjson', '--by', 'context.name'], '--by: context.name is personal'],
    [['--log', 'log', '--columns', 'c'], '--columns goes with --facts'],
    [['--facts', 'f.ndjson', '--columns', 'c'], '--columns goes with a CSV or Parquet file'],
  ])('refuses %j', async (args, message) => {
    const { exitCode, stderr } = await diff({ 'f.ndjson': '' }, ...args);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });

  it('counts them by a fact that no rule asks for, of lines and of tables', async () => {
    const files = {
      'f.ndjson': [line(75, {}, { 'phone.type': 'voip' }), line(75, {}, { 'phone.type': 'voip' }), line(95)].join('\n'),
      'f.csv': 'phone_score,phone_type\n75,voip\n75,voip\n95,\n',
    };
    const named = { 'f.ndjson': 'phone.type', 'f.csv': 'phone_type' };
    for (const [file, by] of Object.entries(named)) {
      const { stdout } = await diff(files, '--facts', file, '--by', by);
      expect(stdout).toContain(`
  phone.type  applicants  accept      review      reject    changed
  voip        2           2 (100.0%)  0 (0.0%)    0 (0.0%)  2 (100.0%)
  missing     1           0 (0.0%)    1 (100.0%)  0 (0.0%)  0 (0.0%)
`);
    }
    const { stdout } = await diff(files, '--facts', 'f.csv', '--by', 'phone.type', '--format', 'markdown');
    expect(stdout).toContain('| phone.type | applicants | accept | review | reject | changed |');
    const { stdout: json } = await diff(files, '--facts', 'f.csv', '--by', 'month', '--json');
    expect(JSON.parse(json).impact.groups[0].values).toMatchObject([{ value: '2026-11', applicants: 3, changed: 2 }]);
  });

  it('fails where more changed than may, or where that cannot be known', async () => {
    const facts = { 'f.ndjson': LINES.join('\n') };
    const codeOf = async (...args: string[]) => (await diff(facts, '--facts', 'f.ndjson', ...args)).exitCode;
    expect(await codeOf('--max-changed', '50%')).toBe(0);
    expect(await codeOf('--max-changed', '49.9%')).toBe(1);
    expect(await codeOf('--max-changed', '2')).toBe(0);
    expect(await codeOf('--max-changed', '1')).toBe(1);
    expect(await codeOf('--max-changed', '50%', '--fail-on', 'review->accept')).toBe(1);
    expect(await codeOf('--max-changed', '50%', '--fail-on', 'reject->accept')).toBe(0);
    expect(await codeOf('--max-changed', '101%')).toBe(2);
    const backtest = { decided: 10, changed: 1, undecided: { open: 2 } } as Backtest;
    expect(isTooMuch({ applicants: 2 }, backtest)).toBeUndefined();
    expect(isTooMuch({ applicants: 3 }, backtest)).toBe(false);
  });
});
