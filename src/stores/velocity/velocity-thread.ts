/** Orders of the main thread -> rows of the file of a velocity store. See `sqlite.ts`. */

import { randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { serveFile } from '../state/shared-file-thread.ts';
import { type Applying, GRACE_MS, SELF_SWEEP, SWEEP_ROWS, type Swept } from './home.ts';
import type { Answer, Order } from './velocity-sqlite.ts';

/** `keep` in milliseconds after `at`. The counts of an application are a row of their own. */
const SCHEMA = `
  create table seen (set_id blob not null, member blob not null, at integer not null, keep integer not null,
    counts text, primary key (set_id, member)) strict, without rowid;
  create index seen_at on seen (set_id, at)`;

/** Rows after ?1 ?2 until ?3 ?4 that are not kept at ?5, or are of one of the hashes in ?6. */
const SWEPT = `from seen where (set_id, member) > (unhex(?1), unhex(?2)) and (set_id, member) <= (unhex(?3), unhex(?4))
  and (at + keep <= ?5 or member in (select unhex(value) from json_each(?6))
    or substr(set_id, 1, 12) in (select substr(unhex(value), 1, 12) from json_each(?6)))`;
const LAST = 'f'.repeat(64);

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
    next: database.prepare(`select lower(hex(set_id) || hex(member)) as next from seen
      where (set_id, member) > (unhex(?), unhex(?)) order by set_id, member limit 1 offset ?`),
    found: database.prepare(`select count(*) filter (where counts is null) as found ${SWEPT}`),
    erase: database.prepare(`delete ${SWEPT}`),
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
  const start = [from.slice(0, 32), from.slice(32)] as const;
  const next = store.next.get(...start, most)?.['next'] as string | undefined;
  const end = next ?? LAST;
  const [until, hashes, isDryRun] = 'now' in what ? [what.now, [], false] : [null, what.hashes, what.isDryRun];
  const swept = [...start, end.slice(0, 32), end.slice(32), until, JSON.stringify(hashes)] as const;
  const deleted = Number(store.found.get(...swept)?.['found']);
  if (!isDryRun) store.erase.run(...swept);
  return next === undefined ? { deleted } : { deleted, next };
}

serveFile<Store, Order, Answer>(workerData, { format: 1, schema: SCHEMA, prepare, carryOut });
