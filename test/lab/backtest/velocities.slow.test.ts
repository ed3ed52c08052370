/** Files count as a store of velocity does: the applications of random files, and those that `decide` would count. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countVelocities } from '../../../src/cli/input/count-velocities.ts';
import { beganAt } from '../../../src/decision/application.ts';
import type { ToldLabel } from '../../../src/decision/rows/counted-rows.ts';
import { openDuckDb } from '../../../src/decision/rows/duckdb.ts';
import { NONE_SEEN, NOTHING_TO_COUNT_BY } from '../../../src/decision/rows/row-counts.ts';
import { planAsking, planCounting } from '../../../src/decision/velocity.ts';
import type { Asking, CountedNumber } from '../../../src/decision/velocity-store.ts';
import { readFacts } from '../../../src/facts/read.ts';
import { velocitiesIn } from '../../../src/facts/velocity.ts';
import { joinFacts } from '../../../src/lab/backtest/joint-facts.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { silentIo } from '../../support/cli/cli.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';
import { decisionId } from '../../support/stores/velocity/counting.ts';
import { memoryStore } from '../../support/stores/velocity/memory-store.ts';

const DAY = '2026-08-01';
const COLUMNS = ['at', 'client_reference', 'outcome', 'phoneNo', 'email', 'ip', 'device', 'visits'] as const;

type Row = Readonly<Record<(typeof COLUMNS)[number], string | undefined>>;

const MINUTE = 60_000;
/** Times at the edges of windows, several of them the same. */
const at = fc
  .record({
    minutes: fc.constantFrom(0, 1, 30, 60, 61, 90, 720, 1439, 1440, 1500, 2160),
    ms: fc.constantFrom(0, 0, 1, -1),
  })
  .map(({ minutes, ms }) => new Date(Date.UTC(2026, 7, 1, 12) + minutes * MINUTE + ms).toISOString());
const maybe = (...values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

const rows: fc.Arbitrary<readonly Row[]> = fc.array(
  fc.record({
    at,
    client_reference: maybe('A', 'B', 'C', 'D', 'E', 'F'),
    outcome: maybe('accept', 'review', 'reject', 'reject'),
    phoneNo: maybe('+1 202 555 0101', '12025550101', '12025550102', '12025550103', 'no number'),
    email: maybe('a@mail.example', 'A@Mail.Example', 'b@mail.example', 'c@post.example', 'none'),
    ip: maybe(
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '203.0.113.200',
      '198.51.100.1',
      '10.0.0.1',
      '2001:db8::1',
      '2a00::1',
    ),
    device: maybe('d1', ' D1 ', 'd2'),
    visits: maybe('1', '2'),
  }),
  { minLength: 4, maxLength: 25 },
);

const velocity = fc.record({
  count: fc.constantFrom(
    ...['applications', 'applications', 'distinct phoneNo', 'distinct email', 'distinct ip', 'distinct context.device'],
    ...['sum context.visits', 'first', 'last'],
  ),
  by: fc.constantFrom(
    ...['phoneNo', 'email', 'ip', 'ip/24', 'ip/64', 'emailDomain', 'context.device', 'context.visits'],
    ...['[email, context.device]', '[ip, phoneNo]'],
  ),
  where: fc.constantFrom(
    ...['', '', '', '', 'outcome: reject', 'outcome: accept', 'context.device: d1', 'context.visits: 2'],
    ...['disposition: fraud', 'disposition: fraud', 'disposition: genuine'],
  ),
  within: fc.constantFrom('1 minute', '30 minutes', '1 hour', '1 day', '2 days'),
});

/** Labels of the days of the rows, at whose ends some rows are. */
const labels: fc.Arbitrary<readonly ToldLabel[]> = fc.array(
  fc.record({
    reference: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F', 'nobody'),
    label: fc.constantFrom('fraud', 'fraud', 'genuine'),
    day: fc.constantFrom('2026-07-31', '2026-08-01', '2026-08-01', '2026-08-02'),
  }),
  { maxLength: 12 },
);

const policies = fc.array(velocity, { minLength: 6, maxLength: 10 }).map((velocities) => {
  const written = velocities.map(({ count, by, where, within }, i) => {
    const counted = by.includes(count.replace('distinct ', '')) ? 'applications' : count;
    return `  v${i}: { count: ${counted}, by: ${by}, ${where === '' ? '' : `where: { ${where} }, `}within: ${within} }`;
  });
  const rules = velocities.map((_, i) => `  - { id: r${i}, when: { velocity.v${i}: { atLeast: 1 } }, then: review }`);
  const facts = 'facts:\n  context.device: { type: string }\n  context.visits: { type: integer }\n';
  return `${HEAD}${facts}velocity:\n${written.join('\n')}\nrules:\n${rules.join('\n')}\n`;
});

const PATHS = {
  ...{ phoneNo: 'applicant.phoneNo', email: 'applicant.email', ip: 'applicant.ip' },
  ...{ device: 'context.device', visits: 'context.visits' },
} as const;

function givenOf(row: Pick<Row, keyof typeof PATHS>): Record<string, string | number> {
  const entries = Object.entries(PATHS).flatMap(([column, path]) => {
    const text = row[column as keyof typeof PATHS];
    return text === undefined ? [] : [[path, column === 'visits' ? Number(text) : text] as const];
  });
  return Object.fromEntries(entries);
}

/** Writes rows as each kind of file; gives the number of the first row. */
const WRITERS = {
  ndjson: async (file: string, rows: readonly Row[]) => {
    const lines = rows.map(({ at, client_reference: clientReference, outcome, ...row }) => {
      return JSON.stringify({
        facts: givenOf(row),
        at,
        clientReference,
        ...(outcome ? { decision: { outcome } } : {}),
      });
    });
    writeFileSync(file, lines.join('\n'));
    return 1;
  },
  csv: async (file: string, rows: readonly Row[]) => {
    const names = COLUMNS.map((name) => (name in PATHS ? PATHS[name as keyof typeof PATHS] : name));
    const head = names.map((name) => name.replace('.', '_').replace('phoneNo', 'phone_no')).join();
    writeFileSync(file, [head, ...rows.map((row) => COLUMNS.map((name) => row[name] ?? '').join())].join('\n'));
    return 2;
  },
  parquet: async (file: string, rows: readonly Row[]) => {
    const type = ['TIMESTAMP', 'TIMESTAMPTZ', 'TIMESTAMP_MS', 'TIMESTAMP_NS'][rows.length % 4];
    await WRITERS.csv(`${file}.csv`, rows);
    const db = await openDuckDb();
    const typed = `* REPLACE (CAST("at" AS ${type}) AS "at", CAST(context_visits AS BIGINT) AS context_visits)`;
    await db.connection.run(
      `COPY (SELECT ${typed} FROM read_csv('${file}.csv', all_varchar = true, header = true)) TO '${file}' (FORMAT parquet)`,
    );
    db.close();
    return 1;
  },
} as const;

/** A count as files have it. */
function shown(count: CountedNumber | undefined): number {
  if (typeof count === 'object') return NONE_SEEN;
  return count ?? NOTHING_TO_COUNT_BY;
}

/**
 * What `decide` would count for each row in the order of time, with each label noted at the end of its day, and which
 * velocities have a value to count by in it.
 */
async function countedLive(policy: Policy, rows: readonly Row[], labels: readonly ToldLabel[]) {
  const velocities = velocitiesIn(policy.facts);
  const store = memoryStore();
  const counted: { readonly counts: ReadonlyMap<string, number>; readonly own: ReadonlySet<string> }[] = [];
  const inTime = [...rows.entries()].toSorted(([, one], [, other]) =>
    (one.at ?? '') < (other.at ?? '') ? -1 : one.at === other.at ? 0 : 1,
  );
  const toNote = labels.map((each) => ({ ...each, knownAt: Date.parse(each.day) + 1440 * MINUTE }));
  toNote.sort((one, other) => one.knownAt - other.knownAt);
  const begun: { readonly reference: string; readonly time: number; readonly asking: Asking }[] = [];
  for (const [number, [i, row]] of inTime.entries()) {
    const { client_reference: reference = `row ${i}`, outcome } = row;
    const given = new Map(Object.entries(givenOf(row)).map(([path, value]) => [path, { value }]));
    const facts = readFacts(given, policy.facts, DAY);
    const time = Date.parse(row.at ?? '');
    while (toNote[0] && toNote[0].knownAt <= time) {
      const [{ reference, label, knownAt }] = toNote.splice(0, 1) as [(typeof toNote)[0]];
      for (const each of begun.filter((one) => one.reference === reference && one.time < knownAt)) {
        await store.know({ ...each.asking, known: { label: { value: label, at: knownAt } } });
      }
    }
    const seen = { decision: decisionId(number, time), reference, facts };
    const { counting, paths } = planCounting('test', velocities, seen, store);
    const { application, counts: numbers } = await store.count({ ...counting, hasPast: false });
    const counts = new Map(paths.map((path, at) => [path, shown(numbers[at])]));
    const known = outcome ? { outcome: { value: outcome, at: time } } : {};
    const asking = planAsking({ ...seen, application }, store);
    begun.push({ reference, time: beganAt(application), asking });
    await store.know({ ...asking, known });
    counted[i] = { counts, own: new Set(paths) };
  }
  return counted;
}

describe('the velocities of files', () => {
  it('are those that decisions at these times would have counted', async () => {
    const folder = temporaryFolder({});
    let run = 0;
    const kinds = fc.constantFrom(...(Object.keys(WRITERS) as (keyof typeof WRITERS)[]));
    await fc.assert(
      fc.asyncProperty(
        policies,
        rows,
        rows,
        kinds,
        kinds,
        labels,
        async (text, ...[one, other, kind, otherKind, labels]) => {
          const policy = policyOf(text);
          run += 1;
          const parts = [
            { rows: one, kind, file: join(folder, `${run}-one.${kind}`) },
            { rows: other, kind: otherKind, file: join(folder, `${run}-other.${otherKind}`) },
          ];
          const firsts: number[] = [];
          for (const { rows, kind, file } of parts) firsts.push(await WRITERS[kind](file, rows));
          const files = parts.map(({ file }) => file);
          const found = await countVelocities(joinFacts(policy, policy), files, { at: DAY }, silentIo(), labels);
          const expected = await countedLive(policy, [...one, ...other], labels);
          for (const path of velocitiesIn(policy.facts).keys()) {
            const isMissing = found?.problems.has(path);
            const live = expected.map(({ counts }) => (isMissing ? null : counts.get(path)) ?? NOTHING_TO_COUNT_BY);
            const numbers = parts.flatMap(({ rows, file }, part) =>
              rows.map((_, i) => found?.counts.get(file)?.get(path)?.[i + (firsts[part] ?? 0)] ?? NOTHING_TO_COUNT_BY),
            );
            expect(numbers).toEqual(live);
            const { count, where, by = [] } = velocitiesIn(policy.facts).get(path) ?? {};
            const isAnywhere = [expected.slice(0, one.length), expected.slice(one.length)].every((part) =>
              part.some(({ own }) => own.has(path)),
            );
            if (count === 'applications' && !where && by.length === 1) expect(isMissing).toBe(!isAnywhere);
          }
        },
      ),
      { numRuns: sampled(2, 400) },
    );
  });
});
