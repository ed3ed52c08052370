/** Labels of a backtest, as an analyst types them: who was let in then, whatever the policy under test says. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openDuckDb } from '../../../../../src/decision/rows/duckdb.ts';
import type { Outcome } from '../../../../../src/policy/language.ts';
import { POLICY, backtestProject as project } from '../../../../support/cli/backtest-project.ts';

/** Of a hundred applicants on ten days, with scores 0 to 99: what was decided then, by people too, and by chance. */
const PEOPLE = Array.from({ length: 100 }, (_, i) => {
  const outcome: Outcome = i % 10 === 3 ? 'review' : i % 10 === 7 ? 'reject' : 'accept';
  const disposition = outcome !== 'review' || i > 50 ? '' : i % 20 === 3 ? 'approve' : 'decline';
  const letIn = outcome === 'reject' && i > 60 ? '0.25' : '';
  return { i, day: `2026-11-${String(1 + Math.floor(i / 10)).padStart(2, '0')}`, outcome, disposition, letIn };
});
const FRAUDS = PEOPLE.filter(({ i }) => i % 14 === 0 || i === 67);
const FILES = {
  'labels.csv': `reference,at\n${FRAUDS.map(({ i }) => `A${i},2026-12-31\n`).join('')}`,
  'past.csv': tableOf(['outcome', 'let_in']),
  'reviewed.csv': tableOf(['outcome', 'disposition', 'let_in']),
  'open.csv': tableOf(['let_in']),
};

function tableOf(columns: readonly ('outcome' | 'disposition' | 'let_in')[]): string {
  const rows = PEOPLE.map(({ i, day, letIn, ...decided }) => {
    const cells = columns.map((column) => (column === 'let_in' ? letIn : decided[column]));
    return [day, `A${i}`, i, i % 10 === 5 ? 'high' : 'low', ...cells].join();
  });
  return `${['at,client_reference,phone_score,phone_porting_risk_level', ...columns].join()}\n${rows.join('\n')}\n`;
}

/** By hand: good is who was let in and is no fraud. */
function goodOf({ isReviewed = false, isHeld = false }): readonly number[] {
  const isFraud = new Set(FRAUDS.map(({ i }) => i));
  return PEOPLE.flatMap(({ i, outcome, disposition, letIn }) => {
    const isLetIn =
      outcome === 'accept' ||
      (outcome === 'review' && (!isReviewed || disposition === 'approve')) ||
      (outcome === 'reject' && isHeld && letIn !== '');
    return isLetIn && !isFraud.has(i) ? i : [];
  });
}

/** What new.yaml rejects: scores from 60 on. */
const rejects = (i: number, from = 60) => i >= from;

describe('labels', () => {
  it.each([
    ['past.csv', {}],
    ['reviewed.csv', { isReviewed: true }],
  ])('know from %s who was let in, whatever is compared', async (file, known) => {
    const { run } = project(FILES);
    const labels = ['--facts', file, '--labels', 'labels.csv', '--json'];
    const dataOf = async (...args: string[]) => JSON.parse((await run(...labels, ...args)).stdout);
    const good = goodOf(known);
    const goodRejected = good.filter((i) => rejects(i)).length;
    for (const [args, now] of [
      [[], goodRejected],
      [['--against', 'old.yaml'], goodRejected],
      [['--drop', 'risky-score'], 0],
      [['--only', 'risky-score'], goodRejected],
      [['--only', 'porting', '--against', 'old.yaml'], 0],
      [['--drill', 'email'], goodRejected],
      [['--sweep', 'risky=60..60/5', '--against', 'old.yaml'], goodRejected],
    ] as const) {
      const { labels: counted, joined } = await dataOf(...args);
      expect([args, counted.labels.good, counted.now.goodRejected]).toEqual([args, good.length, now]);
      expect(joined).toMatchObject({ filled: 0, notDecided: 0 });
    }
    const { sweep } = await dataOf('--sweep', 'risky=40..80/20');
    expect(sweep.map(({ labels }: { labels: { now: object } }) => labels.now)).toMatchObject(
      [40, 60, 80].map((from) => ({ goodRejected: good.filter((i) => rejects(i, from)).length })),
    );
    const { rules, joined, labels: counted } = await dataOf();
    expect(rules[0].labels).toMatchObject({ good: goodRejected, fraud: FRAUDS.filter(({ i }) => rejects(i)).length });
    const reviews = PEOPLE.filter(({ outcome }) => outcome === 'review').length;
    expect(joined.reviewsLetIn).toBe('isReviewed' in known ? 0 : reviews);
    expect(counted.labels.unknown).toBe('isReviewed' in known ? 5 : 0);
    const text = (await run(...labels.slice(0, -1))).stdout;
    const first = `\n\n${reviews} reviews of then count as let in: no column disposition says otherwise.\n\n`;
    expect(text.includes(first)).toBe(!('isReviewed' in known));
  });

  it.each(['let_in', 'letIn'])('take the holdout of the column %s, which is no fact of the policy', async (holdout) => {
    const { run } = project(FILES);
    const args = ['--facts', 'reviewed.csv', '--labels', 'labels.csv', '--holdout', holdout];
    const { stdout, stderr } = await run(...args, '--json');
    const { labels, joined } = JSON.parse(stdout);
    const good = goodOf({ isReviewed: true, isHeld: true });
    expect(labels.labels.good).toBe(good.length);
    expect(joined.heldOut).toBe(4);
    // Three good ones and a fraud stand for four each.
    const others = good.filter((i) => rejects(i) && PEOPLE[i]?.letIn === '').length;
    const frauds = FRAUDS.filter(({ i }) => rejects(i) && PEOPLE[i]?.letIn === '').length;
    expect(labels.now.byHoldout.precision).toBeCloseTo((frauds + 4) / (frauds + 4 + others + 12), 12);
    expect(stderr).not.toContain('let_in');
  });

  it('are the same of lines of JSON and of Parquet', async () => {
    const linesWith = (asFact: boolean) =>
      PEOPLE.map(({ i, day: at, outcome, disposition, letIn }) => {
        const own = letIn === '' || asFact ? {} : { letIn };
        const decision = { outcome, ...(disposition === '' ? {} : { disposition }), ...own };
        const held = asFact ? { 'context.held': letIn } : {};
        const facts = { 'phone.score': i, 'phone.porting.riskLevel': i % 10 === 5 ? 'high' : 'low', ...held };
        return JSON.stringify({ facts, at, clientReference: `A${i}`, decision });
      }).join('\n');
    const { folder, run } = project({ ...FILES, 'lines.ndjson': linesWith(false), 'held.ndjson': linesWith(true) });
    const db = await openDuckDb();
    const from = `read_csv('${folder}/reviewed.csv', types = { 'at': 'DATE', 'phone_score': 'INTEGER' })`;
    await db.connection.run(`COPY (SELECT * FROM ${from}) TO '${folder}/reviewed.parquet' (FORMAT parquet)`);
    db.close();
    const dataOf = async (...args: string[]) => {
      const { labels, joined } = JSON.parse((await run(...args, '--labels', 'labels.csv', '--json')).stdout);
      return { labels, joined };
    };
    const csv = await dataOf('--facts', 'reviewed.csv', '--holdout', 'let_in');
    expect(await dataOf('--facts', `${folder}/reviewed.parquet`, '--holdout', 'let_in')).toEqual(csv);
    expect(await dataOf('--facts', 'lines.ndjson', '--holdout', 'letIn')).toEqual(csv);
    expect(await dataOf('--facts', 'held.ndjson', '--holdout', 'context.held')).toEqual(csv);
    const none = await run('--facts', 'lines.ndjson', '--labels', 'labels.csv', '--holdout', 'leftIn');
    expect(none.stdout).toContain('\nNobody has a probability in leftIn.\n');
  });

  it('let the policy of --against decide rows without an outcome alone, and say how many', async () => {
    const table = tableOf(['outcome', 'let_in']).split('\n');
    const some = table.map((row, i) => (i > 60 && i <= 100 ? row.replace(/,(?:accept|review|reject),/, ',,') : row));
    const { run } = project({ ...FILES, 'some.csv': some.join('\n') });
    const dataOf = async (...args: string[]) =>
      JSON.parse((await run('--facts', 'some.csv', '--labels', 'labels.csv', '--json', ...args)).stdout);
    const isFraud = new Set(FRAUDS.map(({ i }) => i));
    // From 60 on the policy before says it: it rejects scores from 80 on.
    const good = PEOPLE.filter(({ i, outcome }) => !isFraud.has(i) && (i < 60 ? outcome !== 'reject' : i < 80));
    for (const args of [[], ['--drop', 'porting'], ['--sweep', 'risky=60..60/5']]) {
      const { labels, joined } = await dataOf('--against', 'old.yaml', ...args);
      expect([labels.labels.good, joined.filled, joined.decidedBy]).toEqual([good.length, 40, 'onboarding 1']);
    }
    const { stdout } = await run('--facts', 'some.csv', '--labels', 'labels.csv', '--against', 'old.yaml');
    expect(stdout).toContain('\n\n40 have no outcome of then, and count as decided by onboarding 1.\n\n');
    const { labels, joined } = await dataOf();
    expect([labels.labels.unknown, joined.notDecided]).toEqual([40 - FRAUDS.filter(({ i }) => i >= 60).length, 40]);
  });

  it('of hardly anybody here are the first thing that is said, and nothing is a share of nobody', async () => {
    const labelsOf = (some: readonly string[]) => `reference\n${some.join('\n')}\n`;
    const wrong = FRAUDS.map(({ i }) => `a${i}`);
    const { run } = project({
      ...FILES,
      'none.csv': labelsOf(wrong),
      'one.csv': labelsOf(['A0', ...wrong, 'b1', 'b2', 'b3']),
      'some.csv': labelsOf(['A0', ...wrong.slice(2), 'b1']),
    });
    const runWith = (labels: string) => run('--facts', 'past.csv', '--labels', labels);
    const none = await runWith('none.csv');
    expect(none.exitCode).toBe(3);
    const differ = 'their references differ from those of the applicants, and what they say below means nothing';
    expect(none.stdout.split('\n\n')[1]).toBe(`None of 9 labels is of somebody here: ${differ}.`);
    expect(none.stdout).toContain('of all frauds           –\n');
    const undated = /No label has a day \(column at\): they count as known up to today, \d{4}-\d\d-\d\d\.\n/;
    expect(none.stdout).toMatch(undated);
    expect((await run('--facts', 'past.csv', '--labels', 'labels.csv')).stdout).not.toMatch(undated);
    const one = await runWith('one.csv');
    expect([one.exitCode, one.stdout.split('\n\n')[1]]).toEqual([3, `1 of 13 labels is of somebody here: ${differ}.`]);
    expect((await runWith('some.csv')).exitCode).toBe(0);
  });

  it('put a price on reviews, accepted frauds and rejected good ones, with its range', async () => {
    const { run } = project(FILES);
    const args = ['--facts', 'reviewed.csv', '--labels', 'labels.csv', '--against', 'old.yaml'];
    const cost = ['--cost', 'review=4, accepted-fraud=900.5,rejected-good=60'];
    const { labels } = JSON.parse((await run(...args, ...cost, '--json')).stdout);
    const { money } = labels;
    const isFraud = new Set(FRAUDS.map(({ i }) => i));
    const good = new Set(goodOf({ isReviewed: true }));
    const decides = (from: number) => (i: number) => (i >= from ? 'reject' : i % 10 === 5 ? 'review' : 'accept');
    const count = (isMeant: (i: number) => boolean) => PEOPLE.filter(({ i }) => isMeant(i)).length;
    for (const [side, from] of [
      ['before', 80],
      ['now', 60],
    ] as const) {
      const by = decides(from);
      const review = 4 * count((i) => by(i) === 'review');
      const frauds = 900.5 * count((i) => by(i) === 'accept' && isFraud.has(i));
      const unknown = (outcome: Outcome) => count((i) => by(i) === outcome && !isFraud.has(i) && !good.has(i));
      const rejected = 60 * count((i) => by(i) === 'reject' && good.has(i));
      expect(money[side]).toEqual({
        review,
        acceptedFraud: { least: frauds, most: frauds + 900.5 * unknown('accept') },
        rejectedGood: { least: rejected, most: rejected + 60 * unknown('reject') },
        sum: {
          least: review + frauds + rejected,
          most: review + frauds + rejected + 900.5 * unknown('accept') + 60 * unknown('reject'),
        },
      });
    }
    const { stdout } = await run(...args, ...cost);
    expect(stdout).toMatch(/\n {2}cost +onboarding 1 +onboarding 2 +change\n {2}reviews +32 +24\n/);
    const swept = await run(...args, ...cost, '--sweep', 'risky=60..80/20');
    expect(swept.stdout).toMatch(/ good rejected +cost\n/);
  });

  it.each([
    ['outcome', 'accept', 'accepted', '"outcome" is none of accept, review and reject; did you mean "accept"?'],
    ['disposition', 'decline', 'jane@example.com', '"disposition" is none of approve and decline'],
    ['let_in', '0.25', '25%', 'the probability of the holdout has to be a number from 0 to 1, with a point: 0.05'],
  ])(
    'leave out a row whose %s cannot be read, by its line, and nobody else',
    async (_column, right, wrong, problem) => {
      const table = FILES['reviewed.csv'];
      const line = table.slice(0, table.indexOf(right)).split('\n').length;
      const { run } = project({ ...FILES, 'reviewed.csv': table.replace(right, wrong) });
      const args = ['--facts', 'reviewed.csv', '--labels', 'labels.csv', '--holdout', 'let_in'];
      const { exitCode, stdout, stderr } = await run(...args);
      expect(exitCode).toBe(3);
      expect(stderr).toContain(`verdict: line ${line}: ${problem}\n`);
      expect(stdout + stderr).not.toContain('jane');
      expect(stdout).toContain('99 decisions');
      // Who does not ask for labels is not told.
      expect((await run('--facts', 'reviewed.csv')).exitCode).toBe(0);
    },
  );

  it('need a holdout that the file has', async () => {
    const { run } = project(FILES);
    const args = ['--facts', 'reviewed.csv', '--labels', 'labels.csv', '--holdout', 'let_ni'];
    const { exitCode, stderr } = await run(...args);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('the file has no column let_ni of the holdout')]);
    expect(stderr).toContain('did you mean "let_in"?');
  });

  it('let the policies of then decide rows without an outcome', async () => {
    const { folder, run } = project(FILES);
    const then = `${folder}/then`;
    mkdirSync(then);
    for (const [from, limit] of [['2026-01-01', 80] as const, ['2026-11-06', 60] as const]) {
      writeFileSync(`${then}/${from}.yaml`, POLICY.replace('value: 80', `value: ${limit}`));
    }
    const args = ['--facts', 'open.csv', '--labels', 'labels.csv', '--as-of', then, '--json'];
    const { labels, joined } = JSON.parse((await run(...args)).stdout);
    const isFraud = new Set(FRAUDS.map(({ i }) => i));
    // Before the sixth day scores reach 49, so that nobody is rejected; from then on scores from 60 on are.
    expect(labels.labels.good).toBe(PEOPLE.filter(({ i }) => !isFraud.has(i) && i < 60).length);
    expect(joined).toMatchObject({ filled: 100, decidedBy: 'policies of then' });
  });
});
