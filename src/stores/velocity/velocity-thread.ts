/** Orders of the main thread -> rows of the file of a velocity store. See `velocity-sqlite.ts`. */

import { randomBytes, randomInt } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { APPLICATION_MS, isSameApplicant } from '../../decision/application.ts';
import { IDENTITY_VARIABLES } from '../../signals/variables.ts';
import { serveFile } from '../state/shared-file-thread.ts';
import {
  type Applied,
  type Applying,
  GRACE_MS,
  type HomeAsking,
  type HomeCount,
  type HomeCoverage,
  type HomeCovered,
  type HomeKinds,
  type HomeMember,
  type HomeRestoring,
  SELF_SWEEP,
  SWEEP_ROWS,
  type Swept,
  type VelocityHome,
} from './home.ts';
import type { Answer, Order } from './velocity-sqlite.ts';

/** `counts`: the answers of the application by their keys. `keep` in milliseconds. `fact`: the gap and the logs. */
const SCHEMA = `
  create table application (id blob primary key, reference blob not null, at integer not null,
    phoneNo blob, email blob, ip blob, counts text not null, outcome text, outcome_at integer, review text,
    review_at integer, label text, label_at integer) strict, without rowid;
  create index application_reference on application (reference, at);
  create table seen (set_id blob not null, member blob not null, at integer not null, value text,
    primary key (set_id, member)) strict, without rowid;
  create index seen_at on seen (set_id, at);
  create table kind (id blob not null, policy blob not null, keep integer not null, since integer not null,
    primary key (id, policy)) strict, without rowid;
  create table fact (name text primary key, value text not null) strict, without rowid`;

const KNOWN = ['outcome', 'review', 'label'] as const;
/** After every set and member, and after every id. */
const [LAST, LAST_ID] = ['f'.repeat(88), 'f'.repeat(32)];

/** Of the members of a set. */
const MEASURES = {
  ...{ applications: 'count(*)', distinct: 'count(distinct value)', sum: `coalesce(group_concat(value, ' '), '')` },
  ...{ first: `coalesce(min(seen.at), '')`, last: `coalesce(max(seen.at), '')` },
} as const;

/** Rows after ?1 ?2 until ?3 ?4 that are not kept at ?5, or are of one of the hashes in ?6. */
const SWEPT = `from seen where (set_id, member) > (unhex(?1), unhex(?2)) and (set_id, member) <= (unhex(?3), unhex(?4))
  and (at + coalesce((select max(keep) from kind where id = substr(set_id, 13, 4)), 0) <= ?5
    or member in (select unhex(value) from json_each(?6)) or value in (select value from json_each(?6))
    or substr(set_id, 1, 12) in (select substr(unhex(value), 1, 12) from json_each(?6))
    or substr(set_id, 17, 12) in (select substr(unhex(value), 1, 12) from json_each(?6)))`;

type Store = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  const statements = new Map<string, StatementSync>();
  /** Each text is prepared once. */
  const run = (text: string) => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  return { run };
}

function carryOut(store: Store, orders: readonly Order[]): readonly Answer[] {
  return orders.map((order) => {
    switch (order.do) {
      case 'apply':
        return apply(store, order.of);
      case 'restore':
        for (const each of order.of) restore(store, each);
        return undefined;
      case 'coverage':
        return coverageOf(store, order.of);
      case 'cover':
        return cover(store, order.of);
      case 'sweep':
        return sweep(store, order.what, order.from ?? '', SWEEP_ROWS);
      default:
        return undefined;
    }
  });
}

/** An application of the store. */
interface Found {
  readonly id: string;
  readonly at: number;
  readonly counts: Readonly<Record<string, string>>;
}

const HEX = [...['id', ...IDENTITY_VARIABLES].map((name) => `lower(hex(${name})) as ${name}`), 'at', 'counts'].join();

/** The application that is certain, or one of this reference, applicant and day: the latest of several. */
function find({ run }: Store, { decision, application, reference, applicant, at }: HomeAsking): Found | undefined {
  const certain = run(`select ${HEX} from application where id = unhex(?)`).get(application ?? decision);
  if (certain || application !== undefined) return certain && foundIn(certain);
  const near = run(`select ${HEX} from application where reference = unhex(?) and at > ? and at < ?
    order by at desc, id desc`).all(reference, at - APPLICATION_MS, at + APPLICATION_MS);
  const same = near.find((row) => {
    const known = IDENTITY_VARIABLES.flatMap((each) => (row[each] === '' ? [] : [[each, row[each]] as const]));
    return isSameApplicant(Object.fromEntries(known), applicant);
  });
  return same && foundIn(same);
}

function foundIn({ id, at, counts }: Record<string, unknown>): Found {
  return { id: String(id), at: Number(at), counts: JSON.parse(String(counts)) };
}

/** The application, with what is known of the applicant by now. */
function put(store: Store, asking: HomeAsking, found: Found | undefined): Found {
  const { run } = store;
  const { decision, application = decision, reference, began, applicant } = asking;
  const identity = IDENTITY_VARIABLES.map((each) => applicant[each] ?? null);
  if (!found) {
    run(`insert into application (id, reference, at, phoneNo, email, ip, counts)
      values (unhex(?), unhex(?), ?, unhex(?), unhex(?), unhex(?), '{}')`).run(
      application,
      reference,
      began,
      ...identity,
    );
    return { id: application, at: began, counts: {} };
  }
  run(`update application set phoneNo = coalesce(phoneNo, unhex(?1)), email = coalesce(email, unhex(?2)),
    ip = coalesce(ip, unhex(?3)) where id = unhex(?4) and (phoneNo is null and ?1 is not null or
    email is null and ?2 is not null or ip is null and ?3 is not null)`).run(...identity, found.id);
  return found;
}

function add({ run }: Store, { id, at }: Found, members: readonly HomeMember[]): void {
  const insert = run('insert into seen values (unhex(?), unhex(?), ?, ?) on conflict do nothing');
  for (const { set, value = null } of members) insert.run(set, id, at, value);
}

function apply(store: Store, applying: Applying): Applied {
  const { isPeek, missed, counts, adds, at } = applying;
  if (missed) widenGap(store, missed);
  if (!isPeek) register(store, applying, applying.hasPast ? at : 0, at);
  const known = isPeek ? undefined : find(store, applying);
  const application = isPeek ? { id: '', at, counts: {} } : put(store, applying, known);
  const since = sinceOf(store, applying);
  const kept: Record<string, string> = { ...application.counts };
  const answers = counts.map((count, i) => {
    const answer = kept[count.key] ?? answerOf(store, count, application);
    if ((since[i] ?? 0) <= afterOf(count, application) + 1) kept[count.key] = answer;
    return answer;
  });
  if (!isPeek) {
    add(store, application, adds);
    const { run } = store;
    run('update application set counts = ? where id = unhex(?)').run(JSON.stringify(kept), application.id);
    if (!known && randomInt(SELF_SWEEP.everyth) === 0) {
      const now = Math.min(Date.now(), at) - GRACE_MS;
      for (const from of [randomBytes(32).toString('hex'), APPLICATION]) sweep(store, { now }, from, SELF_SWEEP.rows);
    }
  }
  return { application: application.id, began: application.at, answers, since };
}

/** The last time that is before the window. */
function afterOf({ withinMs, since }: Pick<HomeCount, 'withinMs' | 'since'>, { at }: Pick<Found, 'at'>): number {
  return Math.max(-1, at - withinMs, since - 1);
}

function answerOf({ run }: Store, { set, measure, withinMs, since, where }: HomeCount, { id, at }: Found): string {
  const after = afterOf({ withinMs, since }, { at });
  const known = where ? `and ${where.key} = ?` : '';
  const join = where ? 'join application on application.id = member' : '';
  const text = `select ${MEASURES[measure]} as answer from seen ${join}
    where set_id = unhex(?) and seen.at > ? and member <> unhex(?) ${known}`;
  return String(run(text).get(set, after, id, ...(where ? [where.value] : []))?.['answer']);
}

/** Notes how long kinds are kept. What a longer window reaches into was not kept so far. */
function register({ run }: Store, { policy, kinds }: HomeKinds, sinceOfNew: number, now: number): void {
  const select = run(
    `select keep, since, (select max(keep) from kind where id = unhex(?1)) as most from kind
     where id = unhex(?1) and policy = unhex(?2)`,
  );
  const isNew = !run('select 1 from kind limit 1').get();
  for (const { kind, keepMs } of kinds) {
    const found = select.get(kind, policy);
    if (found && Number(found['keep']) >= keepMs) continue;
    const kept =
      found && Math.max(Number(found['since']), Number(found['most']) >= keepMs ? 0 : now - Number(found['most']));
    const since = kept ?? (isNew ? sinceOfNew : now);
    run(`insert into kind values (unhex(?), unhex(?), ?, ?)
      on conflict do update set keep = excluded.keep, since = excluded.since`).run(kind, policy, keepMs, since);
  }
}

/** From when on each count is complete. */
function sinceOf(store: Store, { policy, counts, at }: Applying): readonly number[] {
  const since = store.run('select since from kind where id = unhex(?) and policy = unhex(?)');
  const gap = gapOf(store);
  return counts.map(({ kind }) => {
    const found = since.get(kind, policy)?.['since'];
    return Math.max(gap ? gap.to + 1 : 0, Number(found ?? at));
  });
}

function restore(store: Store, { isDecision, adds, known, counted, ...asking }: HomeRestoring): void {
  const found = find(store, asking);
  if (!found && !isDecision) return;
  const application = found && !isDecision ? found : put(store, asking, found);
  add(store, application, adds);
  const counts = JSON.stringify({ ...counted, ...application.counts });
  store.run('update application set counts = ?1 where id = unhex(?2) and counts <> ?1').run(counts, application.id);
  for (const key of KNOWN) {
    const later = known[key];
    if (!later) continue;
    const text = `update application set ${key} = ?1, ${key}_at = ?2
      where id = unhex(?3) and coalesce(${key}_at, 0) <= ?2`;
    store.run(text).run(later.value, later.at, application.id);
  }
}

function coverageOf(store: Store, { policy, kinds }: HomeKinds): HomeCoverage {
  const since = store.run('select since from kind where id = unhex(?) and policy = unhex(?)');
  return {
    since: kinds.map(({ kind }) => (since.get(kind, policy)?.['since'] as number | undefined) ?? null),
    gap: gapOf(store) ?? null,
    logs: JSON.parse(factOf(store, 'logs') ?? '[]'),
    policies: Number(store.run('select count(distinct policy) as count from kind').get()?.['count']),
    filledTo: JSON.parse(factOf(store, 'filled') ?? 'null'),
  };
}

function cover(store: Store, { at, since, log, gap, ...kinds }: HomeCovered): undefined {
  register(store, kinds, at, at);
  if (since !== undefined) {
    const update = store.run('update kind set since = min(since, ?) where id = unhex(?) and policy = unhex(?)');
    for (const { kind } of kinds.kinds) update.run(since, kind, kinds.policy);
  }
  if (log !== undefined) {
    const logs: string[] = JSON.parse(factOf(store, 'logs') ?? '[]');
    setFact(store, 'logs', JSON.stringify([...new Set([...logs, log])].sort()));
    setFact(store, 'filled', JSON.stringify(Math.max(at, Number(factOf(store, 'filled') ?? 0))));
  }
  const known = gapOf(store);
  const isFilled = gap && known && gap.from <= known.from && gap.to >= known.to;
  if (isFilled) store.run(`delete from fact where name = 'gap'`).run();
  return undefined;
}

function gapOf(store: Store): { readonly from: number; readonly to: number } | undefined {
  const value = factOf(store, 'gap');
  return value === undefined ? undefined : JSON.parse(value);
}

function widenGap(store: Store, missed: { readonly from: number; readonly to: number }): void {
  const { from, to } = gapOf(store) ?? missed;
  setFact(store, 'gap', JSON.stringify({ from: Math.min(from, missed.from), to: Math.max(to, missed.to) }));
}

function factOf({ run }: Store, name: string): string | undefined {
  return run('select value from fact where name = ?').get(name)?.['value'] as string | undefined;
}

function setFact({ run }: Store, name: string, value: string): void {
  run('insert into fact values (?, ?) on conflict do update set value = excluded.value').run(name, value);
}

/** Of an application that was swept, and of no set: the page begins after this, and the id. */
const APPLICATION = 'of application ';

/** Sweeps a page of the sets, or after these one of the applications. `from`: a set and a member, or an application. */
function sweep(store: Store, what: Swept, from: string, most: number): SweptPage {
  if (from.startsWith(APPLICATION)) return sweepApplications(store, what, from.slice(APPLICATION.length), most);
  const { run } = store;
  const start = [from.slice(0, -32), from.slice(-32)] as const;
  const next = run(`select lower(hex(set_id) || hex(member)) as next from seen
    where (set_id, member) > (unhex(?), unhex(?)) order by set_id, member limit 1 offset ?`).get(...start, most)?.[
    'next'
  ];
  const end = String(next ?? LAST);
  const swept = [...start, end.slice(0, -32), end.slice(-32), ...sweptOf(what)] as const;
  const deleted = Number(run(`select count(*) as found ${SWEPT}`).get(...swept)?.['found']);
  if (!isDryRun(what)) run(`delete ${SWEPT}`).run(...swept);
  return next === undefined && isDryRun(what) ? { deleted } : { deleted, next: String(next ?? APPLICATION) };
}

type SweptPage = Awaited<ReturnType<VelocityHome['sweep']>>;

function sweptOf(what: Swept): readonly [until: number | null, hashes: string] {
  return 'now' in what ? [what.now, '[]'] : [null, JSON.stringify(what.hashes)];
}

function isDryRun(what: Swept): boolean {
  return 'isDryRun' in what && what.isDryRun;
}

/** No members are deleted with an application; what is known of an erased person goes from the others. */
function sweepApplications({ run }: Store, what: Swept, from: string, most: number): SweptPage {
  const next = run(`select lower(hex(id)) as next from application where id > unhex(?)
    order by id limit 1 offset ?`).get(from, most)?.['next'];
  const range = [from, String(next ?? LAST_ID), ...sweptOf(what)] as const;
  const isOf = (column: string) => `${column} in (select unhex(value) from json_each(?4))`;
  const page = 'id > unhex(?1) and id <= unhex(?2)';
  run(`delete from application where ${page} and (${isOf('id')} or
    at + max(${APPLICATION_MS}, coalesce((select max(keep) from kind), 0)) <= ?3)`).run(...range);
  if ('hashes' in what) {
    const erased = IDENTITY_VARIABLES.map((each) => `${each} = iif(${isOf(each)}, null, ${each})`).join();
    run(`update application set counts = iif(?3 is null, '{}', counts), ${erased}
      where ${page} and (${IDENTITY_VARIABLES.map(isOf).join(' or ')})`).run(...range);
  }
  return next === undefined ? { deleted: 0 } : { deleted: 0, next: `${APPLICATION}${next}` };
}

serveFile<Store, Order, Answer>(workerData, {
  ...{ format: 2, schema: SCHEMA, dropEarlier: 'drop table seen', prepare, carryOut },
});
