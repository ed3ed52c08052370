/** Orders of the main thread -> rows of the file of a velocity store. See `sqlite.ts`. */

import { randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { serveFile } from '../state/shared-file-thread.ts';
import { type Applying, GRACE_MS, SELF_SWEEP, SWEEP_ROWS, type Swept } from './home.ts';
import type { Answer, Order } from './sqlite.ts';

/** `keep` in milliseconds after `at`. The counts of an application are a row of their own. */
const SCHEMA = `
  create table seen (set_id blob not null, member blob not null, at integer not null, keep integer not null,
    counts text, primary key (set_id, member)) strict, without rowid;
  create index seen_at on seen (set_id, at)`;

type Store = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  return {
    counted: database.prepare('select counts from seen where set_id = unhex(?1) and member = unhex(?1)'),
    count: database.prepare('select count(*) as count from seen where set_id = unhex(?) and at > ?'),
    add: database.prepare(`insert into seen values (unhex(?), unhex(?), ?, ?, null) on conflict do update
      set at = max(at, excluded.at), keep = max(keep, excluded.keep)
      where excluded.at > at or excluded.keep > keep`),
    record: database.prepare('insert into seen values (unhex(?1), unhex(?1), ?2, ?3, ?4)'),
    remove: database.prepare('delete from seen where set_id = unhex(?) and member = unhex(?)'),
    rows: database.prepare(`select lower(hex(set_id)) as "set", lower(hex(member)) as member, at + keep as until,
        counts is null as isMember
      from seen where (set_id, member) > (unhex(?), unhex(?)) order by set_id, member limit ?`),
  };
}

function carryOut(store: Store, orders: readonly Order[]): readonly Answer[] {
  return orders.map((order) => {
    switch (order.do) {
      case 'apply':
        return apply(store, order.of);
      case 'sweep':
        return sweep(store, order.what, order.from ?? '', SWEEP_ROWS);
      case 'remove':
        for (const { set, member } of order.members) store.remove.run(set, member);
        return undefined;
      default:
        return undefined;
    }
  });
}

function apply(store: Store, { record, counts, adds }: Applying): string {
  const earlier = record && store.counted.get(record.id)?.['counts'];
  if (typeof earlier === 'string') return earlier;
  const counted = counts.map(({ set, after }) => store.count.get(set, after)?.['count']).join();
  for (const { set, member, at, keepMs } of adds) store.add.run(set, member, at, keepMs);
  if (record) {
    store.record.run(record.id, record.at, record.keepMs, counted);
    if (randomInt(SELF_SWEEP.everyth) === 0) {
      const now = Math.min(Date.now(), record.at) - GRACE_MS;
      sweep(store, { now }, randomBytes(16).toString('hex'), SELF_SWEEP.rows);
    }
  }
  return counted;
}

function sweep(store: Store, what: Swept, from: string, most: number): Exclude<Answer, string | undefined> {
  const rows = store.rows.all(from.slice(0, 32), from.slice(32), most) as unknown as readonly {
    readonly set: string;
    readonly member: string;
    readonly until: number;
    readonly isMember: number;
  }[];
  const hashes = new Set('hashes' in what ? what.hashes : []);
  const values = new Set([...hashes].map((each) => each.slice(0, 24)));
  const gone = rows.filter(({ set, member, until }) =>
    'now' in what ? until <= what.now : hashes.has(member) || values.has(set.slice(0, 24)),
  );
  const isDryRun = 'hashes' in what && what.isDryRun;
  if (!isDryRun) for (const { set, member } of gone) store.remove.run(set, member);
  const last = rows.at(-1);
  const deleted = gone.filter(({ isMember }) => isMember === 1).length;
  return last && rows.length === most ? { deleted, next: last.set + last.member } : { deleted };
}

serveFile<Store, Order, Answer>(workerData, { format: 1, schema: SCHEMA, prepare, carryOut });
