/** Orders of the main thread -> rows of `state.sqlite`, in a thread of its own: SQLite waits. See `sqlite.ts`. */

import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { foreignCode } from '../errors.ts';
import { isRunning, type ProcessId, thisProcess } from '../platform/process.ts';
import type { Row } from './cases.ts';
import { type Attempt, type Claim, type ClaimRequest, judgeClaim } from './references.ts';
import { SQLITE, type Statements, schemaOf, statementsOf } from './sql.ts';
import { type Answer, isGranted, type Message, type Order, type Reply, type StateSetting } from './sqlite.ts';

const setting: StateSetting = workerData;

const FORMAT = 1;
/**
 * `at` is when the reference was claimed, in milliseconds. A row of a process that ended in good order is absent, so
 * an owner without a row has ended.
 */
const SCHEMA = `
  create table reference (key text primary key, question text not null, decision text not null, owner text not null,
    state text not null, answer text, at integer not null) strict;
  create index reference_at on reference (at);
  create table process (owner text primary key, identity text not null, beat integer not null) strict;
  create table key_check (value text not null) strict;
  pragma user_version = ${FORMAT};`;

const STATEMENTS = statementsOf(SQLITE);

/** As many beats of this process without one of another: that one has ended, if nothing else can be known of it. */
const SILENT_BEATS = 6;
/** Forgotten at a time, beyond two for each claim: rows that a shorter memory leaves are many. */
const FORGOTTEN_A_BEAT = 64;

/** The primary result codes of SQLite (sqlite.org/rescode.html) that a disk or a file may cause. */
const CODES: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/** A failure that SQLite does not see. */
class StateProblem extends Error {
  readonly code: 'OTHER_FORMAT' | 'OTHER_KEY' | 'SQLITE_CORRUPT' | 'STATE_REPLACED';

  constructor(code: StateProblem['code']) {
    super(code);
    this.code = code;
  }
}

type State = ReturnType<typeof openState>;

function openState() {
  if (idOf(setting.file) !== setting.fileId) throw new StateProblem('STATE_REPLACED');
  const database = new DatabaseSync(setting.file);
  try {
    // `full`: a commit is on the disk, so that a claim survives a power failure.
    database.exec(`pragma busy_timeout = ${setting.lockMs}; pragma journal_mode = wal; pragma synchronous = full`);
    database.exec('begin immediate');
    const { user_version: format } = { ...database.prepare('pragma user_version').get() };
    const isNew = format === 0 && !database.prepare('select 1 from sqlite_schema').get();
    if (isNew) {
      database.exec(SCHEMA);
      database.prepare('insert into key_check values (?)').run(setting.keyCheck);
    } else if (format !== FORMAT) throw new StateProblem('OTHER_FORMAT');
    database.exec(schemaOf(SQLITE));
    const { value } = { ...database.prepare('select value from key_check').get() };
    if (value !== setting.keyCheck) throw new StateProblem('OTHER_KEY');
    database.exec('commit');
    return {
      database,
      // Processes that open the file from now on take the log with this name.
      walId: idOf(`${setting.file}-wal`),
      find: database.prepare('select * from reference where key = ? and at >= ?'),
      put: database.prepare(`insert or replace into reference values (?, ?, ?, ?, 'running', null, ?)`),
      finish: database.prepare(
        `update reference set state = 'done', answer = ? where key = ? and decision = ? and state <> 'done'`,
      ),
      doubt: database.prepare(
        `update reference set state = 'doubt' where key = ? and decision = ? and state = 'running'`,
      ),
      release: database.prepare(`delete from reference where key = ? and decision = ? and state = 'running'`),
      forget: database.prepare(
        'delete from reference where rowid in (select rowid from reference where at < ? order by at limit ?)',
      ),
      register: database.prepare('insert into process values (?, ?, 0) on conflict do nothing'),
      beat: database.prepare('update process set beat = beat + 1 where owner = ?'),
      process: database.prepare('select * from process where owner = ?'),
      processes: database.prepare('select * from process'),
      leave: database.prepare('delete from process where owner = ?'),
      ofCases: new Map<keyof Statements, StatementSync>(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

const identity = JSON.stringify(thisProcess());
let state: State | undefined;
/** Once the file was removed or replaced, the claims of other processes may be in another one: for good. */
let isReplaced = false;

function idOf(path: string): string {
  const { dev, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${dev}:${ino}`;
}

/** Carries out all waiting orders in one transaction, so that they share one write to the disk. */
function carryOut(messages: readonly Message[], isBeat = false): void {
  const reply = { answers: [] as { id: number; answer: Answer }[] };
  try {
    if (isReplaced) throw new StateProblem('STATE_REPLACED');
    state ??= openState();
    state.database.exec('begin immediate');
    state.register.run(setting.owner, identity);
    let claims = 0;
    for (const { id, order } of messages) {
      const answer = carryOutOne(state, order);
      if (isGranted(answer)) claims++;
      reply.answers.push({ id, answer });
    }
    if (isBeat) beat(state);
    if (isBeat || claims > 0) state.forget.run(oldest(), 2 * claims + (isBeat ? FORGOTTEN_A_BEAT : 0));
    state.database.exec('commit');
    isReplaced = idOf(setting.file) !== setting.fileId || idOf(`${setting.file}-wal`) !== state.walId;
    if (isReplaced) throw new StateProblem('STATE_REPLACED');
    parentPort?.postMessage(reply satisfies Reply);
  } catch (error) {
    // Closing rolls back, and the next time begins with the file as it is then.
    state?.database.close();
    state = undefined;
    const answers = messages.map(({ id }) => ({ id }));
    parentPort?.postMessage({ answers, code: codeOf(error) } satisfies Reply);
  }
  if (messages.some(({ order }) => order.do === 'close')) end();
}

function carryOutOne(state: State, order: Order): Answer {
  switch (order.do) {
    case 'claim':
      return claim(state, order.request);
    case 'run': {
      const { name, parameters } = order;
      const statement = state.ofCases.get(name) ?? state.database.prepare(STATEMENTS[name]);
      state.ofCases.set(name, statement);
      return statement.all(Object.fromEntries(parameters.map((value, i) => [`$${i + 1}`, value]))) as Row[];
    }
    case 'finish':
      state.finish.run(order.answer, order.key, order.decision);
      return undefined;
    case 'release':
    case 'doubt':
      state[order.do].run(order.key, order.decision);
      return undefined;
    case 'open':
      if (state.database.prepare('pragma quick_check(1)').get()?.['quick_check'] !== 'ok') {
        throw new StateProblem('SQLITE_CORRUPT');
      }
      return undefined;
    case 'check':
      // Writes, as a claim does.
      state.beat.run(setting.owner);
      return undefined;
    case 'close':
      state.leave.run(setting.owner);
      return undefined;
  }
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

function codeOf(error: unknown): string {
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined;
  if (errcode === undefined) return foreignCode(error) ?? 'UNKNOWN';
  return CODES[errcode & 0xff] ?? `SQLITE_${errcode}`;
}

function drain(messages: Message[]): readonly Message[] {
  if (!parentPort) return messages;
  for (let next = receiveMessageOnPort(parentPort); next; next = receiveMessageOnPort(parentPort)) {
    messages.push(next.message);
  }
  return messages;
}

/** From this thread: the main one may be busy for longer than others wait. */
const beats = setInterval(() => carryOut(drain([]), true), setting.beatMs);
parentPort?.on('message', (first: Message) => carryOut(drain([first])));

function end(): void {
  clearInterval(beats);
  state?.database.close();
  parentPort?.close();
}
