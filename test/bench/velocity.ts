/**
 * `npm run bench:velocity [-- --turn-ms 500 --turns 3 --size 20000 --folder DIR]`: applications counted for 1, 8 and 64
 * concurrent callers, in each store, and the same statements sent by the client library alone, in rotation in one
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
import {
  createVelocityStore,
  initVelocityStore,
  type OpenVelocityStore,
  type VelocityStoreOptions,
} from '../../src/stores/velocity/velocity.ts';
import { APPLY } from '../../src/stores/velocity/velocity-redis.ts';
import { PostgresServer } from '../support/stores/state/postgres.ts';
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
function nextApplication(text: (text: string) => string) {
  const n = ++last;
  const at = Date.now();
  const [application, phone, ip] = [text(`a${n}`), text(`p${n}`), text(`i${(n * 7919) % 50_000}`)];
  const [network, domain, device] = [text(`n${(n * 7919) % 5000}`), text(`d${n % 200}`), text(`v${n % 90_000}`)];
  const kinds = [
    { of: ip, kind: 'applications', withinMs: HOUR_MS, member: application },
    { of: ip, kind: 'distinct phoneNo', withinMs: 7 * DAY_MS, member: phone },
    { of: network, kind: 'applications', withinMs: HOUR_MS, member: application },
    { of: domain, kind: 'applications', withinMs: DAY_MS, member: application },
    { of: device, kind: 'distinct email', withinMs: 7 * DAY_MS, member: phone },
    { of: phone, kind: 'applications where outcome=reject', withinMs: 365 * DAY_MS, member: undefined },
    { of: phone, kind: 'applications where disposition=fraud', withinMs: 365 * DAY_MS, member: undefined },
  ];
  return {
    ...{ application, at },
    counts: kinds.map(({ of, kind, withinMs }) => ({ of, kind, withinMs })),
    adds: kinds.flatMap(({ withinMs: keepMs, member, ...set }) => (member ? [{ ...set, member, at, keepMs }] : [])),
  };
}

/** An application as the stores have it, made without a keyed hash. */
function nextReady() {
  const { application, at, counts, adds } = nextApplication((text) => hash('md5', text));
  const set = ({ of, kind }: { readonly of: string; readonly kind: string }) =>
    of.slice(0, 24) + hash('md5', kind).slice(0, 8);
  return {
    record: { id: application, at, keepMs: 365 * DAY_MS },
    counts: counts.map((each) => ({ set: set(each), after: at - each.withinMs })),
    adds: adds.map((each) => ({ set: set(each), member: each.member, at, keepMs: each.keepMs })),
  };
}

type Ready = ReturnType<typeof nextReady>;

interface Contestant {
  readonly title: string;
  readonly options: VelocityStoreOptions;
  /** Sends the same by the client library alone. */
  readonly raw: (of: Ready) => Promise<unknown> | unknown;
  /** The bytes of the store now. */
  readonly bytes: () => Promise<number>;
  readonly end: () => Promise<unknown>;
}

function sqlite(): Contestant {
  const file = join(root, 'velocity.sqlite');
  const database = new DatabaseSync(join(root, 'raw.sqlite'));
  database.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table seen (set_id blob not null, member blob not null, at integer not null, keep integer not null,
      counts text, primary key (set_id, member)) strict, without rowid;
    create index seen_at on seen (set_id, at)`);
  const find = database.prepare('select counts from seen where set_id = unhex(?1) and member = unhex(?1)');
  const count = database.prepare('select count(*) as count from seen where set_id = unhex(?) and at > ?');
  const add = database.prepare(`insert into seen values (unhex(?), unhex(?), ?, ?, ?) on conflict do update
    set at = max(at, excluded.at)`);
  return {
    ...{ title: 'SQLite', options: { sqlite: file, keyFile, timeoutMs: 60_000 } },
    raw: ({ record, counts, adds }) => {
      database.exec('begin immediate');
      find.get(record.id);
      const counted = counts.map(({ set, after }) => count.get(set, after)?.['count']);
      for (const { set, member, at, keepMs } of adds) add.run(set, member, at, keepMs, null);
      add.run(record.id, record.id, record.at, record.keepMs, counted.join());
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
  const { rows } = await pool.query('select key_check from velocity_format');
  return {
    ...{ title: 'PostgreSQL', options },
    raw: ({ record, counts, adds }) =>
      pool.query('select velocity_apply($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as counts', [
        ...[rows[0].key_check, record.id, record.at, record.keepMs],
        ...[counts.map(({ set }) => set), counts.map(({ after }) => after)],
        ...[adds.map(({ set }) => set), adds.map(({ member }) => member)],
        ...[adds.map(({ at }) => at), adds.map(({ keepMs }) => keepMs)],
      ]),
    bytes: async () => {
      await pool.query('checkpoint');
      const { rows: sizes } = await pool.query(`select pg_total_relation_size('velocity_seen') as bytes`);
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
  const format = (await client.get('velocity:format')) ?? '';
  const key = (id: string) => `velocity:${id.slice(0, 22)}`;
  return {
    ...{ title: 'Redis', options },
    raw: ({ record, counts, adds }) => {
      const keys = ['velocity:format', key(record.id), ...[...counts, ...adds].map(({ set }) => key(set))];
      const kept = [`${record.at + record.keepMs}`, `${record.keepMs + DAY_MS}`];
      const added = adds.flatMap(({ member, at, keepMs }) => [member, `${at}`, `${keepMs}`, `${keepMs + DAY_MS}`]);
      const args = [format, `${counts.length}`, ...kept, ...counts.map(({ after }) => `${after}`), ...added];
      return client.sendCommand(['EVALSHA', APPLY.sha, `${keys.length}`, ...keys, ...args]);
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

| store | callers | applications a second | the client library alone | ratio |
| --- | ---: | ---: | ---: | ---: |
${rows.join('\n')}

A million applications with seven counts and five members each, from ${size}:

| store | size |
| --- | ---: |
${sizes.join('\n')}
`);
