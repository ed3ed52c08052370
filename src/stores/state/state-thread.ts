/** Orders of the main thread -> rows of `state.sqlite`. See `sqlite.ts`. */

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { isRunning, type ProcessId, thisProcess } from '../../platform/process.ts';
import type { Parameter, Row } from './cases.ts';
import { type Attempt, type Claim, type ClaimRequest, judgeClaim } from './references.ts';
import { checkPages, serveFile } from './shared-file-thread.ts';
import { SQLITE, type Statements, statementsOf } from './sql.ts';
import { type Answer, isGranted, type Order, type StateSetting } from './state-sqlite.ts';

const setting: StateSetting = workerData;

/**
 * `at` is when the reference was claimed, in milliseconds. A row of a process that ended in good order is absent, so
 * an owner without a row has ended.
 */
const SCHEMA = `
  create table reference (key text primary key, question text not null, decision text not null, owner text not null,
    state text not null, answer text, at integer not null) strict;
  create index reference_at on reference (at);
  create table process (owner text primary key, identity text not null, beat integer not null) strict`;

/** What a file of an earlier version may lack: see `src/migrations/state`, which has the same tables. */
const TABLES = `
  create table if not exists cases (id text primary key, decision text not null, kind text not null,
    queue text not null, opened_at bigint not null, due bigint not null, state text not null default 'open',
    holder text, token bigint not null default 0, until bigint, skipped text not null default '',
    disposition text, resolved_at bigint, note text);
  create index if not exists cases_next on cases (due, opened_at, id) where state <> 'resolved';
  create index if not exists cases_waiting on cases (due, id) where state <> 'resolved';
  create index if not exists cases_holder on cases (holder) where holder is not null;
  create index if not exists cases_decision on cases (decision);
  create index if not exists cases_list on cases (due, id);
  create index if not exists cases_count on cases (queue, state, due) where state <> 'resolved';
  create table if not exists people (name text primary key, roles text not null, seen_at bigint not null);
  create table if not exists invitations (id text primary key, name text not null, roles text not null,
    made_at bigint not null, used_at bigint);
  create index if not exists reference_open on reference (at) where state <> 'done';
  create table if not exists in_force (process text not null, name text not null, digest text not null,
    since bigint not null, seen bigint not null, primary key (process, name));
  create table if not exists proof (id text primary key, at bigint not null);
  create table if not exists follower (name text primary key, position text not null);
  create table if not exists sessions (id text primary key, subject text not null, person text not null,
    authenticated_at bigint, signed_in_at bigint not null, seen_at bigint not null);
  create index if not exists sessions_subject on sessions (subject);
  create table if not exists webhook (name text primary key, position text not null, stopped_at bigint);
  create table if not exists outbox (webhook text not null, id text not null, decision text not null,
    at bigint not null, body text not null, attempt bigint not null default 0, due bigint, dead_at bigint,
    failure text, primary key (webhook, id));
  create index if not exists outbox_due on outbox (webhook, due, at) where dead_at is null;
  create index if not exists outbox_order on outbox (webhook, decision, at, id) where dead_at is null;`;

/** What `cases` has since then, and the indexes of it. */
const ADDED = [
  ...['policy text', 'codes text', 'score real', 'facts text', 'described integer not null default 0'],
  ...['reserved_for text', 'reserved_until bigint', 'sleeps_until bigint', 'asked text', 'taken_at bigint'],
  ...['resolver text', 'label text', 'labelled_at bigint'],
];
const ADDED_INDEXES = `
  create index if not exists cases_reserved on cases (reserved_for) where reserved_for is not null;
  create index if not exists cases_undescribed on cases (id) where described = 0 and state <> 'resolved';
  create index if not exists cases_opened on cases (opened_at);
  create index if not exists cases_resolved on cases (resolved_at) where resolved_at is not null;`;

const STATEMENTS = statementsOf(SQLITE);

/** As many beats of this process without one of another: that one has ended, if nothing else can be known of it. */
const SILENT_BEATS = 6;
/** Forgotten at a time, beyond two for each claim: rows that a shorter memory leaves are many. */
const FORGOTTEN_A_BEAT = 64;

type State = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  database.exec(TABLES);
  const present = database
    .prepare(`select name from pragma_table_info('cases')`)
    .all()
    .map(({ name }) => name);
  for (const column of ADDED) {
    if (!present.includes(column.split(' ')[0] ?? '')) database.exec(`alter table cases add column ${column}`);
  }
  database.exec(ADDED_INDEXES);
  return {
    database,
    find: database.prepare('select * from reference where key = ? and at >= ?'),
    put: database.prepare(`insert or replace into reference values (?, ?, ?, ?, 'running', null, ?)`),
    forget: database.prepare(
      'delete from reference where rowid in (select rowid from reference where at < ? order by at limit ?)',
    ),
    register: database.prepare('insert into process values (?, ?, 0) on conflict do nothing'),
    beat: database.prepare('update process set beat = beat + 1 where owner = ?'),
    process: database.prepare('select * from process where owner = ?'),
    processes: database.prepare('select * from process'),
    leave: database.prepare('delete from process where owner = ?'),
    statements: new Map<keyof Statements, StatementSync>(),
  };
}

const identity = JSON.stringify(thisProcess());

/** Without orders, as the beat of this process is due. */
function carryOut(state: State, orders: readonly Order[]): readonly Answer[] {
  state.register.run(setting.owner, identity);
  const answers = orders.map((order) => carryOutOne(state, order));
  const claims = answers.filter(isGranted).length;
  if (isBeatDue) beat(state);
  if (isBeatDue || claims > 0) state.forget.run(oldest(), 2 * claims + (isBeatDue ? FORGOTTEN_A_BEAT : 0));
  return answers;
}

function carryOutOne(state: State, order: Order): Answer {
  switch (order.do) {
    case 'claim':
      return claim(state, order.request);
    case 'run':
      return run(state, order.name, order.parameters);
    case 'runAll':
      for (const [name, parameters] of order.calls) run(state, name, parameters);
      return undefined;
    case 'open':
      checkPages(state.database);
      return undefined;
    case 'check':
      // Writes, as a claim does.
      state.beat.run(setting.owner);
      return undefined;
    case 'close':
      state.leave.run(setting.owner);
      return undefined;
    case 'scrub':
      return undefined;
  }
}

function run({ database, statements }: State, name: keyof Statements, parameters: readonly Parameter[]): Row[] {
  const statement = statements.get(name) ?? database.prepare(STATEMENTS[name]);
  statements.set(name, statement);
  return statement.all(Object.fromEntries(parameters.map((value, i) => [`$${i + 1}`, value]))) as Row[];
}

function claim(state: State, request: ClaimRequest): Claim {
  const { key, question, decision } = request;
  const earlier = state.find.get(key, oldest()) as (Attempt & { readonly owner: string }) | undefined;
  const claim: Claim = earlier
    ? judgeClaim(request, earlier, () => hasEnded(state, earlier.owner))
    : { state: 'granted' };
  if (claim.state === 'granted') state.put.run(key, question, decision, setting.owner, now());
  return claim;
}

/** A clock that no setting of the clock moves while this process runs: references would be forgotten by it. */
function now(): number {
  return Math.round(performance.timeOrigin + performance.now());
}

/**
 * Older references are forgotten, whatever became of them. Who asks about one that is running or in doubt after all
 * that time asks a new question, and a file that keeps them grows for ever.
 */
function oldest(): number {
  return now() - setting.rememberMs;
}

interface ProcessRow {
  readonly owner: string;
  readonly identity: string;
  readonly beat: number;
}

/** By owner: the beat last seen, and how many beats of this process ago it was new. No clock is compared. */
let heard: ReadonlyMap<string, { readonly beat: number; readonly missed: number }> = new Map();

function hasEnded(state: State, owner: string): boolean {
  if (owner === setting.owner) return false;
  const row = state.process.get(owner) as ProcessRow | undefined;
  return !row || rowHasEnded(row);
}

function rowHasEnded({ owner, identity }: ProcessRow): boolean {
  const known = isRunning(JSON.parse(identity) as ProcessId);
  return known === undefined ? (heard.get(owner)?.missed ?? 0) >= SILENT_BEATS : !known;
}

/** Shows that this process lives, listens to the others, and removes those that have ended. */
function beat(state: State): void {
  state.beat.run(setting.owner);
  const rows = state.processes.all() as unknown as ProcessRow[];
  heard = new Map(
    rows.map(({ owner, beat }) => {
      const last = heard.get(owner);
      return [owner, { beat, missed: last?.beat === beat ? last.missed + 1 : 0 }];
    }),
  );
  for (const row of rows) if (row.owner !== setting.owner && rowHasEnded(row)) state.leave.run(row.owner);
}

let isBeatDue = false;
const { turn, ended } = serveFile<State, Order, Answer>(setting, {
  ...{ format: 1, schema: SCHEMA, prepare, carryOut },
  // This also rewrites the free pages of earlier versions, which did not use `secure_delete`.
  scrub: 'vacuum; pragma wal_checkpoint(truncate)',
});

/** From this thread: the main one may be busy for longer than others wait. */
const beats = setInterval(() => {
  isBeatDue = true;
  turn();
  isBeatDue = false;
}, setting.beatMs);
void ended.then(() => clearInterval(beats));
