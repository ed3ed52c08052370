/** References and cases -> tables of PostgreSQL, which processes of several machines share. */

import { createHmac, randomUUID } from 'node:crypto';
import { CodedCause, VerdictError } from '../../errors.ts';
import {
  type Connections,
  isDurable,
  openConnections,
  toMendInPostgres,
  within,
} from '../../platform/homes/connections.ts';
import { type Area, openTables } from '../../platform/homes/migrations.ts';
import { openHome, type ToMend } from '../../platform/homes/open-home.ts';
import type { Query } from '../../platform/homes/query.ts';
import { type Call, type Cases, createCases, type Home, type Parameter, type Row } from './cases.ts';
import { type Attempt, type Claim, type ClaimRequest, judgeClaim, StateUnavailable } from './references.ts';
import { POSTGRES, type Settling, type Statements, statementsOf } from './sql.ts';

const FORMAT = 1;
const { now } = POSTGRES;

export const STATE_TABLES: Area = {
  name: 'state',
  table: 'state_format',
  files: ['0001-tables', '0002-in-force', '0003-webhooks', '0004-queue', '0005-invitations'],
  command: 'verdict state migrate --state postgres:NAME',
};

const STATEMENTS = statementsOf(POSTGRES);

const OF_REFERENCES = {
  claim: `insert into reference values ($1, $2, $3, $4, 'running', null, ${now}) on conflict do nothing returning key`,
  find: `select question, decision, state, answer, at < ${now} - $4 as "isForgotten", owner <> $2 and not exists
      (select 1 from process where process.owner = reference.owner and beat > ${now} - $3) as "hasEnded"
    from reference where key = $1`,
  takeOver: `update reference set question = $2, decision = $3, owner = $4, state = 'running', answer = null,
      at = ${now}
    where key = $1 and decision = $5 and state = $6 returning key`,
  letGo: `delete from reference where key = any ($1) and decision = any ($2) and state = 'running'`,
  beat: `insert into process values ($1, ${now}) on conflict (owner) do update set beat = excluded.beat`,
  leave: 'delete from process where owner = $1',
  bury: `delete from process where beat < ${now} - $1`,
  forget: `delete from reference where key in
    (select key from reference where at < ${now} - $1 order by at limit 5000 for update skip locked)`,
};

const BEAT_MS = 5000;
/** So long without a beat of a process, by the store's clock: it has ended. */
const SILENT_MS = 30_000;
/** A process that could not beat for this share of that time claims nothing: others may soon think that it ended. */
const SILENT_SHARE = 5 / 6;
/** A claim that failed may be carried out late, by a server that hung: it is let go again for so long. */
const LATE_MS = 30_000;

/** Each call ends within this time. */
const LIMIT_MS = 5000;

const TO_MEND: ToMend = {
  ...toMendInPostgres('the state'),
  NOT_DURABLE:
    'synchronous_commit of PostgreSQL is off, so a claim may be lost: set it to on for the user of the state',
};

export interface PostgresOptions {
  /** The URL: postgres://user:password@host/database?sslmode=verify-full. */
  readonly postgres: string;
  /** The secret of the hashes: 64 hex digits. */
  readonly key: string;
  readonly rememberMs: number;
  /** How often this process shows that it lives. Default: 5 seconds. */
  readonly beatMs?: number;
  /** After this time without a beat a process has ended. Default: 30 seconds. */
  readonly silentMs?: number;
  /** How long a call waits. Default: 5 seconds. */
  readonly limitMs?: number;
  /** How many connections this process has at most. Default: 10. */
  readonly connections?: number | undefined;
}

/**
 * The state in a database; its tables are made if they are not there. Rejects with CONFIGURATION_INVALID if the
 * operator has to mend something, else with `StateUnavailable`.
 */
export async function openPostgres(options: PostgresOptions): Promise<Home> {
  if (!/^[\da-f]{64}$/i.test(options.key)) {
    const how = 'expected 64 hex digits, as of openssl rand -hex 32';
    throw new VerdictError('CONFIGURATION_INVALID', `the key of the state is malformed: ${how}`);
  }
  const { postgres, limitMs = LIMIT_MS, connections: most } = options;
  const unavailable = (code: string) => new StateUnavailable(code);
  const opened = await openConnections(postgres, { limitMs, what: 'state', most }, unavailable);
  const home = new PostgresHome(opened, { ...options, limitMs });
  await openHome(() => home.open(), { toMend: TO_MEND, close: () => void opened.end() });
  return home;
}

/** Cases within a transaction on a database that has the tables of the state. */
export function casesIn(query: Query): Cases {
  return createCases(async (name, parameters) => (await query(STATEMENTS[name], parameters)) as readonly Row[]);
}

type Settlement = readonly [name: Settling, ...parameters: readonly Parameter[]];

class PostgresHome implements Home {
  readonly #connections: Connections;
  readonly #query: Connections['query'];
  readonly #options: Required<Omit<PostgresOptions, 'connections'>>;
  readonly #owner = randomUUID();
  /** What could not be written goes along with a later claim, or with a beat. */
  #unsettled: Settlement[] = [];
  readonly #writing = new Set<Promise<unknown>>();
  /** Claims that failed, by their decision; `until`: after that they are not carried out any more. */
  readonly #lost = new Map<string, { readonly key: string; readonly until?: number }>();
  #beatAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(connections: Connections, options: PostgresOptions & { readonly limitMs: number }) {
    this.#options = { beatMs: BEAT_MS, silentMs: SILENT_MS, ...options };
    [this.#connections, this.#query] = [connections, connections.query];
  }

  get waiting(): number {
    return this.#connections.waiting();
  }

  async open(): Promise<void> {
    const keyCheck = createHmac('sha256', Buffer.from(this.#options.key, 'hex')).update('state').digest('base64');
    await openTables(this.#connections, STATE_TABLES);
    await this.#connections.transaction('schema', async (query) => {
      if (!(await isDurable(query))) throw new CodedCause('NOT_DURABLE');
      // The owner of the tables may not know the key.
      const isFirst = 'where not exists (select from state_format)';
      await query(`insert into state_format select cast($1 as integer), $2 ${isFirst}`, [FORMAT, keyCheck]);
      const [row] = await query('select format, key_check as "keyCheck" from state_format');
      const state = row as { readonly format: number; readonly keyCheck: string };
      if (state.format !== FORMAT) throw new CodedCause('OTHER_FORMAT');
      if (state.keyCheck !== keyCheck) throw new CodedCause('OTHER_KEY');
    });
    await this.#beat();
    this.#schedule();
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    this.#refuse();
    for (const settlement of this.#unsettled.splice(0)) this.#write(settlement).catch(ignore);
    try {
      return await this.#within(this.#claim(request));
    } catch (error) {
      // It may be written, unanswered.
      this.#lost.set(request.decision, { key: request.key });
      throw error;
    }
  }

  async finish(key: string, decision: string, answer: string, isRecorded = false): Promise<void> {
    const write = this.#write(['finishClaim', key, decision, answer]);
    if (isRecorded) write.catch(ignore);
    else await write;
  }

  async release(key: string, decision: string): Promise<void> {
    await this.#write(['releaseClaim', key, decision]);
  }

  async doubt(key: string, decision: string): Promise<void> {
    await this.#write(['doubtClaim', key, decision]);
  }

  async check(): Promise<void> {
    this.#refuse();
    // Writes, as a claim does.
    await this.#query(OF_REFERENCES.beat, [this.#owner]);
  }

  async run(name: keyof Statements, parameters: readonly Parameter[]): Promise<readonly Row[]> {
    if (this.#closing) throw new StateUnavailable('CLOSED');
    // Two calls of one person at once would get a case each: neither sees the other's.
    const run =
      name === 'take'
        ? this.#connections.transaction(`take ${parameters[0]}`, (query) => query(STATEMENTS[name], parameters))
        : this.#query(STATEMENTS[name], parameters);
    return (await run) as readonly Row[];
  }

  async runAll(name: string, calls: readonly Call[]): Promise<void> {
    if (this.#closing) throw new StateUnavailable('CLOSED');
    await this.#connections.transaction(name, async (query) => {
      for (const [each, parameters] of calls) await query(STATEMENTS[each], parameters);
    });
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      clearTimeout(this.#timer);
      const end = async () => {
        await Promise.allSettled(this.#writing);
        await this.#settle();
        await this.#query(OF_REFERENCES.leave, [this.#owner]);
      };
      await this.#within(end()).catch(ignore);
      await this.#connections.end();
    })();
    return this.#closing;
  }

  #refuse(): void {
    if (this.#closing) throw new StateUnavailable('CLOSED');
    const silentMs = performance.now() - this.#beatAt;
    if (silentMs > this.#options.silentMs * SILENT_SHARE) throw new StateUnavailable('TIMED_OUT');
  }

  async #claim(request: ClaimRequest): Promise<Claim> {
    const { key, question, decision } = request;
    const { silentMs, rememberMs, limitMs } = this.#options;
    const own = [key, question, decision, this.#owner];
    for (const endsAt = performance.now() + limitMs; performance.now() < endsAt; ) {
      if ((await this.#query(OF_REFERENCES.claim, own)).length > 0) return { state: 'granted' };
      const [found] = await this.#query(OF_REFERENCES.find, [key, this.#owner, silentMs, rememberMs]);
      if (found === undefined) continue;
      const earlier = found as Attempt & { readonly isForgotten: boolean; readonly hasEnded: boolean };
      const claim: Claim = earlier.isForgotten
        ? { state: 'granted' }
        : judgeClaim(request, earlier, () => earlier.hasEnded);
      if (claim.state !== 'granted') return claim;
      const expected = [...own, earlier.decision, earlier.state];
      if ((await this.#query(OF_REFERENCES.takeOver, expected)).length > 0) return claim;
    }
    throw new StateUnavailable('TIMED_OUT');
  }

  #write(settlement: Settlement): Promise<unknown> {
    const [name, ...parameters] = settlement;
    const write = this.#query(STATEMENTS[name], parameters).catch((error: unknown) => {
      this.#unsettled.push(settlement);
      throw error;
    });
    const forget = () => this.#writing.delete(write);
    this.#writing.add(write);
    write.then(forget, forget);
    return write;
  }

  async #settle(): Promise<void> {
    await Promise.all(this.#unsettled.splice(0).map((settlement) => this.#write(settlement)));
    const lost = [...this.#lost];
    if (lost.length === 0) return;
    await this.#query(OF_REFERENCES.letGo, [lost.map(([, { key }]) => key), lost.map(([decision]) => decision)]);
    const at = performance.now();
    for (const [decision, { key, until = at + LATE_MS }] of lost) {
      if (at < until) this.#lost.set(decision, { key, until });
      else this.#lost.delete(decision);
    }
  }

  /** Shows that this process lives, writes what is left, and removes what is old. */
  async #beat(): Promise<void> {
    const { silentMs, rememberMs } = this.#options;
    const at = performance.now();
    await this.#query(OF_REFERENCES.beat, [this.#owner]);
    this.#beatAt = at;
    await this.#settle();
    await this.#query(OF_REFERENCES.bury, [silentMs]);
    await this.#query(OF_REFERENCES.forget, [rememberMs]);
  }

  #schedule(): void {
    this.#timer = setTimeout(async () => {
      await this.#beat().catch(ignore);
      if (!this.#closing) this.#schedule();
    }, this.#options.beatMs).unref();
  }

  #within<Result>(work: Promise<Result>): Promise<Result> {
    return within(work, this.#options.limitMs, () => new StateUnavailable('TIMED_OUT'));
  }
}

function ignore(): void {}
