/** A file is counted alike by its columns and by the facts of its rows, whatever stands in it. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DuckDb, openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { openParquetRows } from '../../../src/decision/rows/parquet-rows.ts';
import { NOTHING_TO_COUNT_BY, type RowCounts } from '../../../src/decision/rows/row-counts.ts';
import { ChunkRows, type TakesRows } from '../../../src/lab/backtest/applicant-rows.ts';
import type { Applicant } from '../../../src/lab/backtest/applicants.ts';
import { type Backtest, type BacktestOptions, BacktestTally } from '../../../src/lab/backtest/backtest.ts';
import { readDecided } from '../../../src/lab/backtest/decided-then.ts';
import { joinFacts, withFacts } from '../../../src/lab/backtest/joint-facts.ts';
import { type Judged, LABELS } from '../../../src/lab/backtest/label-counts.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { generatePolicy, readGenerated } from '../../bench/generate.ts';
import { addApplicants } from '../../support/lab/add-applicants.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const AT = '2026-11-20';
/** More than two vectors of DuckDB, and than two blocks of the matcher. */
const ROWS = 4500;

/** Values of each column, some of which its fact cannot have. */
const CELLS: Readonly<Record<string, readonly [type: string, values: readonly string[]]>> = {
  phone_score: ['DOUBLE', ['0', '35.5', '80', '100', '101', '-3', `'nan'`, `'infinity'`, 'NULL']],
  email_address_score: ['FLOAT', ['0.1', '60', '99.5', `'nan'`, 'NULL']],
  email_dark_web_hit_count: ['BIGINT', ['0', '3', '-1', '9007199254740993', 'NULL']],
  phone_risk_level: ['VARCHAR', [`'high'`, `'High'`, `'low'`, `' '`, `''`, `'none'`, 'NULL']],
  phone_valid: ['BOOLEAN', ['true', 'false', 'NULL']],
  phone_porting_ported_date: [
    'DATE',
    [`'2026-11-19'`, `'2026-11-21'`, `'2027-01-01'`, `'infinity'`, `'1999-01-01'`, 'NULL'],
  ],
  phone_porting_ported_date_never: ['BOOLEAN', ['true', 'false', 'false', 'NULL']],
  email_domain_first_seen: ['DATE', [`'2026-11-01'`, `'2020-02-29'`, 'NULL']],
  phone_operator_current: [
    'VARCHAR',
    [`'Alder Mobile'`, `'alder  MOBILE'`, `' ÄLDER'`, `'Birch'`, `chr(0)||'x'`, `''`, 'NULL'],
  ],
  applicant_email_domain: [
    'VARCHAR',
    [`'mail-' || (i % 700) || '.example'`, `'Mail-1.Example'`, `'no domain'`, 'NULL'],
  ],
  context_channel: ['VARCHAR', [`'web'`, `'app'`, `'branch'`, `'Web'`, 'NULL']],
  context_held: ['DOUBLE', ['0.1', '1', '0', 'NULL']],
  at: ['DATE', [`'2026-11-20'`, `'2026-10-01'`, `'2025-12-31'`, `'infinity'`, 'NULL']],
  client_reference: ['VARCHAR', [`'ref-' || i`, `'same'`, 'NULL']],
};

const OLD = `${HEAD}facts:
  context.channel: { type: enum, values: [web, app] }
  context.held: { type: number }
velocity: { sameIp: { count: applications, by: ip, within: 1 hour } }
score: { review: 5, reject: 20 }
rules:
  - { id: burst, when: { velocity.sameIp: { atLeast: 4 } }, then: review }
  - { id: port, when: { all: [{ phone.valid: true }, { phone.porting.portedDate: { withinLast: 30 days } }] }, then: review }
  - { id: ever, when: { phone.porting.portedDate: never }, points: 4 }
  - { id: high, when: { phone.score: { atLeast: 80 } }, then: reject }
  - { id: web, when: { context.channel: web }, points: 6 }
`;

const NOW = `${HEAD}facts:
  context.channel: { type: enum, values: [web, app, branch] }
  context.held: { type: number }
  context.ratio: { type: number, compute: { ratio: [phone.score, email.address.score] } }
  context.doubled: { type: integer, compute: { sum: [velocity.sameIp, velocity.sameIp] } }
velocity: { sameIp: { count: applications, by: ip, within: 1 hour } }
lists:
  operators: [{ value: Alder Mobile, until: 2026-10-15 }, Birch]
score: { review: 5, reject: 20 }
rules:
  - { id: port, when: { any: [{ phone.porting.portedDate: { withinLast: 60 days } }, { phone.riskLevel: { atLeast: high } }] }, then: review }
  - { id: ever, when: { phone.porting.portedDate: never }, points: 4 }
  - { id: high, when: { all: [{ phone.score: { atLeast: 75 } }, { email.address.score: { atLeast: 60 } }] }, then: reject }
  - { id: ratio, when: { context.ratio: { atLeast: 2 } }, points: 3 }
  - { id: doubled, when: { context.doubled: { above: 9 } }, points: 6 }
  - { id: pair, when: { phone.score: { above: { fact: email.address.score } } }, points: 1 }
  - { id: list, when: { phone.operator.current: { inList: operators } }, then: review, from: 2026-01-01 }
  - { id: like, when: { applicant.emailDomain: { matches: 'mail-1\\d\\.example' } }, points: 7 }
  - { id: hits, when: { not: { email.darkWeb.hitCount: { atMost: 0 } } }, then: review, mode: shadow }
  - { id: young, when: { email.domain.firstSeen: { withinLast: 90 days } }, points: 9 }
  - { id: given, when: { phone.operator.current: { known: false } }, points: 2, final: true, then: review }
`;

/** What the velocity counts for each row; nothing for some. */
const counts: RowCounts = new Map([
  [
    'velocity.sameIp',
    new Float64Array(new SharedArrayBuffer(8 * (ROWS + 1))).map((_, row) => (row * 7) % 11 || NOTHING_TO_COUNT_BY),
  ],
]);

let folder: string;
let db: DuckDb;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verdict-rows-'));
  db = await openDuckDb();
});

afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

async function write(seed: number, columns: typeof CELLS, rows = ROWS): Promise<string> {
  const file = join(folder, `${seed}.parquet`);
  const cells = Object.entries(columns).map(([name, [type, values]]) => {
    const cases = values.map((value, at) => `WHEN ${at} THEN CAST(${value} AS ${type})`);
    return `CASE hash(i, ${seed}, '${name}') % ${values.length} ${cases.join(' ')} END AS "${name}"`;
  });
  await db.connection.run(
    `COPY (SELECT ${cells.join(', ')} FROM range(${rows}) AS r(i)) TO '${file}' (FORMAT parquet)`,
  );
  return file;
}

async function countBoth(
  policies: readonly [Policy, Policy],
  file: string,
  given: Partial<BacktestOptions>,
  judge?: (applicant: Applicant) => Judged,
): Promise<readonly [Backtest, Backtest]> {
  const joint = joinFacts(...policies);
  const options = { by: [], worst: 5, compares: policies[0] !== policies[1], ...given };
  const [byRow, byColumn] = [1, 2].map(() => new BacktestTally(policies, joint, options)) as [
    BacktestTally,
    BacktestTally,
  ];
  const takes = (tally: BacktestTally): TakesRows => ({
    addRows: (rows, isMeant) =>
      tally.addRows(rows, isMeant, undefined, judge && ((row) => judge(rows.applicantAt(row)))),
  });
  const reader = withFacts(
    options.by.filter((by) => by !== 'month'),
    joint,
  );
  const one = await openDuckDb();
  const applicants: Applicant[] = [];
  for await (const row of (await openParquetRows(reader, one, { file, at: AT, counts })).rows()) {
    if ('problem' in row) byRow.addUnjudged('unreadable', 1, row.problem);
    else {
      const { clientReference: reference, number, at: day, facts } = row;
      const name = { row: number, ...(reference === undefined ? {} : { clientReference: reference }) };
      const decided = readDecided(row.decided);
      applicants.push({ name, day, facts, reference, decided: 'problem' in decided ? {} : decided });
    }
  }
  one.close();
  addApplicants(takes(byRow), joint, applicants);
  const other = await openDuckDb();
  for await (const rows of (await openParquetRows(reader, other, { file, at: AT, counts })).chunks()) {
    for (let row = 0; row < rows.rows; row++) {
      const problem = rows.problemAt(row);
      if (problem !== undefined) byColumn.addUnjudged('unreadable', 1, problem);
    }
    takes(byColumn).addRows(new ChunkRows(rows, reader), (row) => rows.problemAt(row) === undefined);
  }
  other.close();
  return [byRow.result(), byColumn.result()];
}

describe('a file', () => {
  it('with values that facts cannot have is counted alike by its columns and by the facts of its rows', async () => {
    const judge = ({ reference, name, day, decided }: Applicant): Judged => {
      const text = `${reference} ${'row' in name ? name.row : ''} ${day} ${JSON.stringify(decided)}`;
      return { label: LABELS[text.length % LABELS.length] ?? 'good', weight: decided?.holdout ?? 1 };
    };
    const [old, now] = [policyOf(OLD), policyOf(NOW)];
    for (let seed = 1; seed <= sampled(1, 100); seed++) {
      const file = await write(seed, CELLS, sampled(2100, ROWS));
      for (const [policies, given] of [
        [[old, now], { by: ['context.channel', 'month', 'phone.score'], hasLabels: true }],
        [[now, now], { hasLabels: true }],
        [[now, old], { down: 'phone' }],
      ] as const) {
        const [byRow, byColumn] = await countBoth(policies, file, given, 'hasLabels' in given ? judge : undefined);
        expect(byColumn).toEqual(byRow);
        expect(byRow.undecided.unreadable).toBeGreaterThan(0);
      }
    }
  });

  it('is counted alike by policies of many rules', async () => {
    for (let seed = 1; seed <= sampled(1, 50); seed++) {
      const file = await write(1000 + seed, CELLS, sampled(2100, ROWS));
      const [old, now] = [generatePolicy(20, seed), generatePolicy(200, seed + 1000)].map(readGenerated) as [
        Policy,
        Policy,
      ];
      const [byRow, byColumn] = await countBoth([old, now], file, {});
      expect(byColumn).toEqual(byRow);
      expect(byColumn.rules.some(({ missing = [] }) => missing.some(({ cause }) => cause === 'invalid'))).toBe(true);
    }
  });
});
