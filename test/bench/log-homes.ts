/**
 * `node test/bench/log-homes.ts [--turn-ms 1000] [--turns 3] [--records 100000] [--folder DIR]`: decisions recorded for
 * 1, 8 and 64 concurrent callers in a folder and in PostgreSQL (fsync on), in rotation in one process; then the log in
 * PostgreSQL at each tenfold number of records from 1,000 on: rate of writing, size, pages, one decision -> Markdown.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLogIndex } from '../../src/audit/index/open-index.ts';
import { initAuditLog } from '../../src/audit/init.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import { readRecord } from '../../src/audit/query/decision-record.ts';
import { searchIndex } from '../../src/audit/query/search-index.ts';
import { createDecider } from '../../src/decision/decide.ts';
import type { Verifier } from '../../src/decision/fetch/service-call.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { PERSONAS } from '../../src/sandbox/personas.ts';
import { localVerifier, personOf } from '../support/audit/decisions.ts';
import { PostgresServer } from '../support/stores/state/postgres.ts';
import { middle } from './measure.ts';
import { headOf, table } from './report.ts';

const CALLERS = [1, 8, 64];

const { values: options } = parseArgs({
  options: {
    'turn-ms': { type: 'string', default: '1000' },
    turns: { type: 'string', default: '3' },
    records: { type: 'string', default: '100000' },
    folder: { type: 'string', default: tmpdir() },
  },
});
const [turnMs, turns, records] = [Number(options['turn-ms']), Number(options.turns), Number(options.records)];
const whole = (value: number) => Math.round(value).toLocaleString('en');

const root = mkdtempSync(join(options.folder, 'verdict-bench-'));
const server = await PostgresServer.start({ fsync: 'on', shared_buffers: '512MB' });
const folder = { dir: join(root, 'log'), keys: join(root, 'keys') };
const database = { postgres: await server.newSchema(), keys: { masterKey: 'cd'.repeat(32) } };
for (const place of [folder, database]) await initAuditLog(place);
const logs = { folder: await createAuditLog(folder), database: await createAuditLog(database) };
const policy = loadPolicy(join(import.meta.dirname, '../../rules/onboarding.yaml'));
const verify = await prepareAnswers();
const deciders = Object.fromEntries(
  Object.entries(logs).map(([name, audit]) => [name, createDecider({ policy, verify, audit, deadlineMs: 60_000 })]),
);

/** Prepares all answers in advance: generating them must not count as decision time. */
async function prepareAnswers(): Promise<Verifier> {
  const bodies = new Map<string, object>();
  for (let n = 0; n < PERSONAS.length; n++) {
    const person = personOf(n);
    const { body } = await localVerifier.verify({ ...person, clientReference: 'bench' });
    bodies.set(person.phoneNo.slice(1), body as object);
  }
  return { verify: async ({ phoneNo, clientReference }) => ({ body: { ...bodies.get(phoneNo), clientReference } }) };
}

let next = 0;
/** Decisions a second. */
async function measure(callers: number, home: string, isOver: (done: number, ms: number) => boolean): Promise<number> {
  const began = performance.now();
  let [done, begun] = [0, 0];
  const caller = async () => {
    while (!isOver(begun, performance.now() - began)) {
      begun++;
      await deciders[home]?.decide(personOf(next++));
      done++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (done * 1000) / (performance.now() - began);
}

async function timed(times: number, work: (i: number) => Promise<unknown>): Promise<string> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await work(i);
    all.push(performance.now() - began);
  }
  return middle(all).toFixed(1);
}

try {
  const forTurn = (_: number, ms: number) => ms >= turnMs;
  for (const home of Object.keys(logs)) await measure(64, home, forTurn);
  const rates = new Map<string, number[]>();
  for (let turn = 0; turn < turns; turn++) {
    for (const callers of CALLERS) {
      for (const home of Object.keys(logs)) {
        const name = `${home} ${callers}`;
        rates.set(name, [...(rates.get(name) ?? []), await measure(callers, home, forTurn)]);
      }
    }
  }
  const rows = CALLERS.map((callers) => {
    const [inFolder, inDatabase] = Object.keys(logs).map((home) => middle(rates.get(`${home} ${callers}`) ?? []));
    return [
      `${callers}`,
      whole(inFolder ?? 0),
      whole(inDatabase ?? 0),
      ((inDatabase ?? 0) / (inFolder ?? 1)).toFixed(2),
    ];
  });
  process.stdout.write(`${headOf([])}\n\n${table(['callers', 'folder, /s', 'PostgreSQL, /s', 'ratio'], rows)}\n\n`);

  const index = await openLogIndex(database);
  const grown: string[][] = [];
  for (let step = 1000; step <= records; step *= 10) {
    const missing = step - (await index.entries());
    const rate = missing > 0 ? await measure(64, 'database', (done) => done >= missing) : 0;
    await server.sql(database.postgres, 'analyze');
    const first = await searchIndex(index, { filter: {}, limit: 50 });
    const page = (filter: object) => () => searchIndex(index, { filter, limit: 50 });
    const id = first.rows[0]?.id ?? '';
    const [size] = (await server.sql(
      database.postgres,
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class where relkind = 'r' and
        relnamespace = current_schema::regnamespace`,
    )) as readonly { readonly bytes: string }[];
    grown.push([
      whole(step),
      whole(rate),
      whole(Number(size?.bytes) / step),
      await timed(40, page({ outcomes: ['review'] })),
      await timed(40, page({ reasons: [first.rows[0]?.codes?.[0] ?? 'PORTED_AND_RISKY_EMAIL'] })),
      await timed(40, page({ from: first.rows.at(-1)?.at ?? '', to: first.rows[0]?.at ?? '' })),
      await timed(40, () => readRecord(database, id, { index, checkSegment: false })),
      whole(process.memoryUsage().rss / 1024 / 1024),
    ]);
  }
  const titles = ['records', 'written, /s', 'bytes a record', '50 of an outcome, ms', '50 of a code, ms'];
  process.stdout.write(`${table([...titles, '50 of a time, ms', 'one decision, ms', 'RSS, MiB'], grown)}\n`);
} finally {
  for (const log of Object.values(logs)) await log.close();
  await server.stop();
  rmSync(root, { recursive: true, force: true });
}
