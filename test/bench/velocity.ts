/**
 * `npm run bench:velocity [-- --turn-ms 500 --turns 3 --size 20000 --folder DIR]`: applications counted for 1, 8 and 64
 * concurrent callers, in each store, and plain sets of the client library alone, in rotation in one
 * process -> applications a second, and what a million of them take, as Markdown.
 */

import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { createClient } from '@redis/client';
import pg from 'pg';
import type { AskedCount, Counting, SeenSet } from '../../src/decision/velocity-store.ts';
import {
  createVelocityStore,
  initVelocityStore,
  type OpenVelocityStore,
  type VelocityStoreOptions,
} from '../../src/stores/velocity/velocity.ts';
import { PostgresServer } from '../support/stores/state/postgres.ts';
import { decisionId } from '../support/stores/velocity/counting.ts';
import { RedisServer } from '../support/stores/velocity/redis.ts';
import { middle } from './measure.ts';

const CALLERS = [1, 8, 64];
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

const { values: options } = parseArgs({
  options: {
    'turn-ms': { type: 'string', default: '500' },
    turns: { type: 'string', default: '3' },
    size: { type: 'string', default: '20000' },
    // Choose another disk if temporary files are kept in memory.
    folder: { type: 'string', default: tmpdir() },
  },
});
const [turnMs, turns, size] = [Number(options['turn-ms']), Number(options.turns), Number(options.size)];
const root = mkdtempSync(join(options.folder, 'verdict-bench-'));
const keyFile = join(root, 'velocity.key');

let last = 0;

/** Seven counts of an application, of five values, and what it adds. */
function nextApplication(text: (text: string) => string): Counting {
  const n = ++last;
  const phone = text(`p${n}`);
  const [ip, network] = [text(`i${(n * 7919) % 50_000}`), text(`n${(n * 7919) % 5000}`)];
  const [domain, device] = [text(`d${n % 200}`), text(`v${n % 90_000}`)];
  const count = (of: string, kind: string, withinMs: number, more: Partial<AskedCount> = {}): AskedCount => {
    return { of: [of], kind, measure: 'applications', withinMs, ...more };
  };
  const people = 'applications by phoneNo';
  const counts = [
    count(ip, 'applications by ip', HOUR_MS),
    count(ip, 'distinct phoneNo by ip', 7 * DAY_MS, { measure: 'distinct' }),
    count(network, 'applications by ip/24', HOUR_MS),
    count(domain, 'applications by emailDomain', DAY_MS),
    count(device, 'distinct email by context.device', 7 * DAY_MS, { measure: 'distinct' }),
    count(phone, `${people} with outcome`, 365 * DAY_MS, { where: { key: 'outcome', value: 'reject' } }),
    count(phone, people, 365 * DAY_MS, { where: { key: 'label', value: 'fraud' } }),
  ];
  return {
    ...{ decision: decisionId(n, Date.now()), reference: text(`r${n}`), applicant: { phoneNo: phone, ip } },
    ...{ policy: text('policy'), kinds: counts.map(({ kind, withinMs: keepMs }) => ({ kind, keepMs })) },
    ...{ hasPast: false, counts },
    adds: counts.map(({ of, kind, measure }) => ({ of, kind, ...(measure === 'distinct' ? { value: phone } : {}) })),
  };
}

/** An application for a store that keeps no application apart, made without a keyed hash. */
function nextReady() {
  const { decision, counts, adds } = nextApplication((text) => hash('md5', text));
  const at = Date.now();
  const set = ({ of: [of = ''], kind }: SeenSet) => of.slice(0, 24) + hash('md5', kind).slice(0, 8);
  return {
    ...{ id: decision.replaceAll('-', ''), at, adds: adds.map(set) },
    counts: counts.map((each) => ({ set: set(each), after: at - each.withinMs })),
  };
}

type Ready = ReturnType<typeof nextReady>;

interface Contestant {
  readonly title: string;
  readonly options: VelocityStoreOptions;
  /** Counts the members of sets, and adds one to each, by the client library alone: the least that counting needs. */
  readonly raw: (of: Ready) => Promise<unknown> | unknown;
  /** The bytes of the store now. */
  readonly bytes: () => Promise<number>;
  readonly end: () => Promise<unknown>;
}

function sqlite(): Contestant {
  const file = join(root, 'velocity.sqlite');
  const database = new DatabaseSync(join(root, 'raw.sqlite'));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table seen (set_id blob not null, member blob not null, at integer not null, primary key (set_id, member))
      strict, without rowid;
    create index seen_at on seen (set_id, at)`);
  const count = database.prepare('select count(*) as count from seen where set_id = unhex(?) and at > ?');
  const add = database.prepare('insert into seen values (unhex(?), unhex(?), ?) on conflict do nothing');
  return {
    ...{ title: 'SQLite', options: { sqlite: file, keyFile, timeoutMs: 60_000 } },
    raw: ({ id, at, counts, adds }) => {
      database.exec('begin immediate');
      for (const { set, after } of counts) count.get(set, after);
      for (const set of adds) add.run(set, id, at);
      database.exec('commit');
    },
    bytes: async () => {
      const reader = new DatabaseSync(file);
      reader.exec('pragma wal_checkpoint(truncate)');
      reader.close();
      return statSync(file).size;
    },
    end: async () => database.close(),
  };
}

async function postgres(): Promise<Contestant> {
  const server = await PostgresServer.start({ fsync: 'on', shared_buffers: '128MB' });
  const url = await server.newSchema();
  const options = { postgres: url, keyFile, timeoutMs: 60_000 };
  await initVelocityStore(options);
  const pool = new pg.Pool({ connectionString: url }).on('error', () => {});
  await pool.query(`create table raw_seen (set_id uuid, member uuid, at bigint, primary key (set_id, member));
    create index raw_seen_at on raw_seen (set_id, at)`);
  const tables = ['velocity_member', 'velocity_application'].map((each) => `pg_total_relation_size('${each}')`);
  return {
    ...{ title: 'PostgreSQL', options },
    raw: ({ id, at, counts, adds }) =>
      pool.query(
        `with added as (insert into raw_seen select each, $3, $4 from unnest($5::uuid[]) as adding(each)
            on conflict do nothing)
          select (select count(*) from raw_seen where set_id = wanted and at > after)
            from unnest($1::uuid[], $2::bigint[]) as asked(wanted, after)`,
        [counts.map(({ set }) => set), counts.map(({ after }) => after), id, at, adds],
      ),
    bytes: async () => {
      await pool.query('checkpoint');
      const { rows: sizes } = await pool.query(`select ${tables.join(' + ')} as bytes`);
      return Number(sizes[0].bytes);
    },
    end: async () => {
      await pool.end();
      await server.stop();
    },
  };
}

async function redis(): Promise<Contestant> {
  const server = await RedisServer.start({ appendfsync: 'everysec' });
  const options = { redis: server.newDatabase(), keyFile, timeoutMs: 60_000 };
  await initVelocityStore(options);
  const client = createClient({ url: options.redis });
  await client.connect();
  return {
    ...{ title: 'Redis', options },
    raw: ({ id, at, counts, adds }) => {
      const all = client.multi();
      for (const { set, after } of counts) all.zCount(set, `(${after}`, '+inf');
      for (const set of adds) all.zAdd(set, { score: at, value: id });
      return all.exec();
    },
    bytes: async () => Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]),
    end: async () => {
      await client.close();
      await server.stop();
    },
  };
}

/** Runs `work` with `callers` concurrent callers for one turn and returns the rate per second. */
async function measure(callers: number, work: () => Promise<unknown> | unknown): Promise<number> {
  const began = performance.now();
  let done = 0;
  const caller = async () => {
    while (performance.now() - began < turnMs) {
      await work();
      done++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (done * 1000) / (performance.now() - began);
}

/** The bytes of so many applications in a store that is empty before. */
async function fill(store: OpenVelocityStore, { bytes }: Contestant): Promise<number> {
  const before = await bytes();
  for (let done = 0; done < size; done += 500) {
    await Promise.all(Array.from({ length: 500 }, () => store.count(nextApplication(store.hash))));
  }
  return (await bytes()) - before;
}

const rows: string[] = [];
const sizes: string[] = [];
for (const contestant of [sqlite(), await postgres(), await redis()]) {
  const { title, raw, end } = contestant;
  const store = await createVelocityStore(contestant.options);
  const bytes = await fill(store, contestant);
  sizes.push(`| ${title} | ${((bytes * 1e6) / size / 2 ** 20).toFixed(0)} MiB |`);
  const ours = () => store.count(nextApplication(store.hash));
  for (const callers of CALLERS) {
    const [own, alone]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < turns; turn++) {
      own.push(await measure(callers, ours));
      alone.push(await measure(callers, () => raw(nextReady())));
    }
    const [counted, sent] = [middle(own), middle(alone)];
    rows.push(
      `| ${title} | ${callers} | ${counted.toFixed(0)} | ${sent.toFixed(0)} | ${(counted / sent).toFixed(2)} |`,
    );
  }
  await store.close();
  await end();
}
rmSync(root, { recursive: true });

const machine = `Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model}`;
process.stdout.write(`Median of ${turns} turns of ${turnMs} ms each; ${machine}

| store | callers | applications a second | plain sets of the client library | ratio |
| --- | ---: | ---: | ---: | ---: |
${rows.join('\n')}

A million applications with seven counts and seven members each, from ${size}:

| store | size |
| --- | ---: |
${sizes.join('\n')}
`);
