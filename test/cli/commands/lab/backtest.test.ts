/** `verdict backtest`, as an analyst types it. */

import { describe, expect, it } from 'vitest';
import { addNote } from '../../../../src/audit/query/note.ts';
import { createDecider } from '../../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../../../support/audit/decisions.ts';
import { LINES, POLICY, backtestProject as project } from '../../../support/cli/backtest-project.ts';
import { pageOf } from '../../../support/cli/cli.ts';
import { policyOf } from '../../../support/policy/policy.ts';

describe('verdict backtest', () => {
  it('says in numbers what a policy would have done, and how that differs from the one before', async () => {
    const { run } = project();
    const { exitCode, stdout, stderr } = await run(
      '--against',
      'old.yaml',
      '--facts',
      'facts.ndjson',
      '--by',
      'phone.country,week',
    );
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`100 decisions, 2026-11-01 to 2026-11-10

  outcome  onboarding 1  onboarding 2  share  change
  accept   64            48            48.0%  -16 (-16.0 pp)
  review   16            12            12.0%  -4 (-4.0 pp), -0.4 a day
  reject   20            40            40.0%  +20 (+20.0 pp)

20 are decided differently (20.0%): accept to reject 16, review to reject 4.

  rule         fired before  fired  alone  without it           fires most with  undetermined  because of
  risky-score  20            40     40     32 accept, 8 review  porting 4
  porting      10            10     6      6 accept, 4 reject   risky-score 4    10            phone.porting.riskLevel not given

  phone.country  applicants  accept      review      reject      changed
  us             75          33 (44.0%)  12 (16.0%)  30 (40.0%)  15 (20.0%)
  de             25          15 (60.0%)  0 (0.0%)    10 (40.0%)  5 (20.0%)

  week        applicants  accept      review      reject       changed
  2026-10-26  10          8 (80.0%)   2 (20.0%)   0 (0.0%)     0 (0.0%)
  2026-11-02  70          40 (57.1%)  10 (14.3%)  20 (28.6%)   20 (28.6%)
  2026-11-09  20          0 (0.0%)    0 (0.0%)    20 (100.0%)  0 (0.0%)

The worst
  accept to reject  line 61, reference A60 on 2026-11-07
    decided by DEFAULT; now by RISKY_SCORE
  accept to reject  line 62, reference A61 on 2026-11-07
    decided by DEFAULT; now by RISKY_SCORE
  accept to reject  line 63, reference A62 on 2026-11-07
    decided by DEFAULT; now by RISKY_SCORE
  accept to reject  line 64, reference A63 on 2026-11-07
    decided by DEFAULT; now by RISKY_SCORE
  accept to reject  line 65, reference A64 on 2026-11-07
    decided by DEFAULT; now by RISKY_SCORE
`);
  });

  it('counts by a fact that is named by its column or the end of its path, once', async () => {
    const { data } = project();
    const named = await data('--by', 'phone.type,phone.country');
    expect(named.groups).toHaveLength(2);
    expect((await data('--by', 'phone_type,Phone.Country,phone-country,phone.country')).groups).toEqual(named.groups);
    expect((await data('--by', 'isp')).groups).toMatchObject([{ by: 'ip.isp' }]);
  });

  it('compares a policy with itself, without a rule, with one alone, without a source, and with other values', async () => {
    const { data, run } = project();
    expect((await data()).outcomes).toEqual({ accept: 48, review: 12, reject: 40 });
    const dropped = await data('--drop', 'risky-score');
    expect(dropped.outcomes).toEqual({ accept: 80, review: 20, reject: 0 });
    expect(dropped.worst[0].reasons).toEqual({ old: ['RISKY_SCORE'], new: ['DEFAULT'] });
    expect((await data('--only', 'risky-score')).outcomes).toEqual({ accept: 60, review: 0, reject: 40 });
    expect((await data('--drill', 'phone')).outcomes).toEqual({ accept: 0, review: 100, reject: 0 });
    expect((await data('--drill', 'email')).outcomes).toEqual({ accept: 48, review: 12, reject: 40 });
    const { sweep } = await data('--sweep', 'risky=40..80/20');
    expect(sweep.map(({ value, outcomes }: Record<string, object>) => [value, outcomes])).toEqual(
      await Promise.all(
        ['40', '60', '80'].map(async (value) => [value, (await data('--set', `risky=${value}`)).outcomes]),
      ),
    );
    const { stdout } = await run('--facts', 'facts.ndjson', '--sweep', 'risky=60..80/20');
    expect(stdout).toContain(`
  risky  accept  review  reject  reviews a day  changed
  60     48      12      40      1.2            0
  80     64      16      20      1.6            20
`);
  });

  it('names the step of a sweep at which many applicants change at once', async () => {
    const lines = [
      ...LINES,
      ...Array(30).fill(JSON.stringify({ facts: { 'phone.score': 55, 'phone.porting.riskLevel': 'low' } })),
    ];
    const { run } = project({ 'facts.ndjson': `${lines.join('\n')}\n` });
    const { stdout } = await run('--facts', 'facts.ndjson', '--sweep', 'risky=40..80/10');
    expect(stdout).toContain(`Cliffs of risky: many applicants have one value
  from 50 to 60: 38 at once, 8 at a usual step
`);
    expect((await run('--facts', 'facts.ndjson', '--sweep', 'risky=60..80/10')).stdout).not.toContain('Cliffs');
  });

  it('shows how many are in each band of the score, and how many are close below the next one', async () => {
    const { run } = project({
      'new.yaml': `policy: onboarding
version: "1"
default: accept
score: { review: { atLeast: 10 }, reject: { atLeast: 20 } }
rules:
  - { id: some, when: { phone.score: { atLeast: 90 } }, points: 5, whenUnknown: ignore }
  - { id: more, when: { phone.score: { atLeast: 95 } }, points: 5, whenUnknown: ignore }
  - { id: most, when: { phone.score: { atLeast: 98 } }, points: 10, whenUnknown: ignore }
`,
    });
    const { stdout } = await run('--facts', 'facts.ndjson');
    expect(stdout).toContain(`
  score    points    applicants  share  within 5 points of the next band
  no band  below 10  95          95.0%  5
  review   from 10   3           3.0%   0
  reject   from 20   2           2.0%
`);
  });

  it('counts what it cannot decide, and says how many', async () => {
    const { run } = project({ 'facts.ndjson': `${LINES.join('\n')}\n{"facts":{"phone.score":1},"at":"2026-02-30"}\n` });
    const { exitCode, stdout, stderr } = await run('--facts', 'facts.ndjson');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('verdict: line 101: "at" has to be a calendar day');
    expect(stdout).toContain(
      '\nNot decided\n  1 cannot be read\n    1: "at" has to be a calendar day, yyyy-MM-dd, or an instant like 2026-11-20T12:00:00Z\n',
    );
  });

  it('takes several files, and only the days that are asked for', async () => {
    const { data, run } = project({ 'more.csv': 'phone_score,at\n99,2026-11-01\n1,2026-12-01\n' });
    expect((await data('--from', '2026-11-02', '--to', '2026-11-03')).decided).toBe(20);
    const { stdout } = await run('--facts', 'facts.ndjson', 'more.csv', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ rows: 102, decided: 102, outcomes: { reject: 41 } });
  });

  it('takes patterns of files, each file once, and says in which one a line cannot be read', async () => {
    const days = { 'day-1.csv': 'phone_score,at\n99,2026-11-01\n', 'day-2.csv': 'phone_score,at\n1,2026-02-30\n' };
    const { folder, run } = project(days);
    const { stdout, stderr } = await run('--facts', 'day-*.csv', 'day-1.csv', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ rows: 2, decided: 1, undecided: { unreadable: 1 } });
    expect(stderr).toContain(`verdict: ${folder}/day-2.csv: line 2: "at" has to be a calendar day`);
    const none = await run('--facts', 'night-*.csv');
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('--facts: no file matches')]);
    const named = project({ 'day-*.csv': 'phone_score\n7\n', ...days });
    expect(JSON.parse((await named.run('--facts', 'day-*.csv', '--json')).stdout).rows).toBe(1);
  });

  it('reads a log, each applicant on their own day, with the notes as labels', async () => {
    const folder = await logFolder();
    const log = await folder.open({});
    const policy = policyOf(POLICY);
    const ids: string[] = [];
    for (const day of ['01', '02', '03']) {
      const now = () => Date.parse(`2026-10-${day}T12:00:00Z`);
      const decider = createDecider({ policy, verify: localVerifier, audit: log, now });
      ids.push((await decider.decide(personOf(ids.length))).id);
    }
    await addNote({ log, decision: ids[0] ?? '', disposition: 'fraud', by: 'R', why: 'w' });
    await log.close();
    const { run } = project();
    const args = ['--log', folder.place.dir, '--keys', folder.place.keys, '--labels', 'log', '--json'];
    const result = JSON.parse((await run(...args)).stdout);
    expect(result).toMatchObject({ rows: 3, decided: 3, period: { from: '2026-10-01', to: '2026-10-03' } });
    expect(result.labels.labels).toMatchObject({ fraud: 1 });
    expect(JSON.parse((await run(...args, '--from', '2026-10-02')).stdout).decided).toBe(2);
  });

  it('writes a page that shows the same', async () => {
    const { placed } = project();
    const args = ['backtest', '--policy', 'new.yaml', '--against', 'old.yaml', '--facts', 'facts.ndjson'];
    const page = await pageOf([...args, '--labels', 'fraud.csv', '--by', 'month'].map(placed));
    expect(page).toContain('<h1>20 of 100 applicants are decided differently</h1>');
    const sharesOf = (outcome: string) =>
      new RegExp(`class="band ${outcome}" x="[\\d.]+%" width="([\\d.]+)%"`).exec(month)?.[1];
    const month = page.slice(page.indexOf('id="by-month"'));
    expect(['accept', 'review', 'reject'].map(sharesOf)).toEqual(['48', '12', '40']);
    for (const words of [
      'onboarding 2, compared with onboarding 1: 100 decisions, 2026-11-01 to 2026-11-10.',
      '<span class="shade reject-4">16',
      'A60',
      'Good applicants rejected',
    ]) {
      expect(page.toLowerCase()).toContain(words.toLowerCase());
    }
  });

  it.each([
    [['--facts', 'facts.ndjson', '--log', 'log'], "cannot be used with option '--facts <file...>'"],
    [[], 'expected either --facts or --log'],
    [
      ['--facts', 'facts.ndjson', '--drop', 'risky-score', '--against', 'old.yaml'],
      '--against and --drop exclude each other',
    ],
    [
      ['--facts', 'facts.ndjson', '--drop', 'risky-scor'],
      'the policy has no rule risky-scor; did you mean "risky-score"?',
    ],
    [['--facts', 'facts.ndjson', '--sweep', 'risky=60'], 'Expected a parameter and its values, such as'],
    [['--facts', 'facts.ndjson', '--sweep', 'risky=90..60/5'], 'Expected a parameter and its values, such as'],
    [['--facts', 'facts.ndjson', '--sweep', 'risky=0..1/0.001'], 'Those are 1001 values; at most 200 are tried.'],
    [['--facts', 'facts.ndjson', '--labels', 'log'], '--labels log goes with --log'],
    [['--facts', 'facts.ndjson', '--mature', '60 days'], '--mature goes with --labels'],
    [['--facts', 'facts.ndjson', '--labels', 'fraud.csv', '--mature', '60'], 'Expected a number of days, such as'],
    [
      ['--facts', 'facts.ndjson', '--by', 'phone.contry'],
      'the policies have no fact phone.contry; did you mean "phone.country"?',
    ],
    [
      ['--facts', 'facts.ndjson', '--by', 'score'],
      'no fact score; did you mean "phone.score", "email.domain.score" or "email.address.score"?',
    ],
    [['--facts', 'facts.ndjson', '--holdout', 'phone.score'], '--holdout goes with --labels'],
    [
      ['--facts', 'facts.ndjson', '--sweep', 'risky=60..80/10', '--against', 'old.yaml'],
      '--against and --sweep exclude each other; with --labels, --against says what was decided then',
    ],
    [
      ['--facts', 'facts.ndjson', '--labels', 'fraud.csv'],
      '--labels: nothing says what was decided then, and who was rejected has no label; give the file a column outcome',
    ],
    [['--facts', '-', '--labels', 'fraud.csv', '--against', 'old.yaml'], '--labels: standard input is read once'],
    [['--facts', '/dev/null', '--labels', 'fraud.csv', '--against', 'old.yaml'], '--labels: /dev/null is read once'],
    [['--facts', 'facts.ndjson', '--cost', 'review=4'], '--cost goes with --labels'],
    ...['reviews=4', 'review=-1', 'review=4,review=5', 'review', 'accepted-fraud=1e3'].map(
      (cost): [string[], string] => [
        ['--facts', 'facts.ndjson', '--labels', 'fraud.csv', '--cost', cost],
        'Expected amounts of review, accepted-fraud and rejected-good, once each, such as review=4,accepted-fraud=900',
      ],
    ),
    [['--log', 'log', '--columns', 'c.yaml'], '--columns goes with --facts'],
    [['--facts', 'facts.ndjson', '--keys', 'k'], '--keys goes with --log'],
  ])('%j is refused', async (args, message) => {
    const { exitCode, stdout, stderr } = await project().run(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
