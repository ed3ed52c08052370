/** Sets and members -> a table of PostgreSQL, which processes of several machines share. */

import { createHmac } from 'node:crypto';
import { VerdictError } from '../../errors.ts';
import { type Connections, openConnections, toMendInPostgres } from '../../platform/homes/connections.ts';
import { type Area, migrate, problemOfLevel, readLevel } from '../../platform/homes/migrations.ts';
import { openHome, type ToMend } from '../../platform/homes/open-home.ts';
import {
  type Applied,
  type Applying,
  type HomeCoverage,
  type HomeCovered,
  type HomeKinds,
  type HomeRestoring,
  type Opening,
  OTHER_FORMAT,
  type Swept,
  type VelocityHome,
  VelocityUnavailable,
} from './home.ts';

const FORMAT = 2;
/** Maintenance has limits of its own: nobody waits for it. Rows of its pages, which hold locks. */
const [MAINTENANCE_MS, PAGE] = [150_000, 1000];
const ZERO = '0'.repeat(32);
/** Of an application that was swept, and of no set: the page begins after this, and the id. */
const APPLICATION = 'of application ';

/** Its functions have the numbers of `APPLICATION_MS`, `GRACE_MS` and `SELF_SWEEP`. */
export const VELOCITY_TABLES: Area = {
  name: 'velocity',
  table: 'velocity_member',
  files: ['0001-tables'],
  command: 'verdict velocity init',
};

const DROP_EARLIER = 'drop table velocity_format, velocity_seen';

const SQL = {
  ...{ apply: 'select velocity_count($1, $2) as answer', restore: 'select velocity_restore($1, $2) as answer' },
  cover: 'select velocity_cover($1, $2) as answer',
  coverage: `select jsonb_build_object('since', (select jsonb_agg((select since from velocity_kind
        where id = decode(each ->> 'kind', 'hex') and policy = ($2::jsonb ->> 'policy')::uuid) order by place)
        from jsonb_array_elements($2::jsonb -> 'kinds') with ordinality as asked(each, place)),
      'gap', (select value from velocity_fact where name = 'gap'),
      'logs', coalesce((select value from velocity_fact where name = 'logs'), '[]'),
      'policies', (select count(distinct policy) from velocity_kind),
      'filledTo', (select value from velocity_fact where name = 'filled')) as answer where velocity_is_open($1)`,
  sweep: `select deleted, encode(next_set, 'hex') || replace(next_member::text, '-', '') as next
    from velocity_sweep(decode($1, 'hex'), $2, $3, $4, $5, $6)`,
  sweepApplications: `select replace(next_id::text, '-', '') as next
    from velocity_sweep_applications($1, $2, $3, $4)`,
};

const TO_MEND: ToMend = {
  ...toMendInPostgres('the velocity store'),
  OTHER_FORMAT,
  // The first file of tables refuses earlier ones.
  SQLSTATE_55000: OTHER_FORMAT,
  NOT_INITIALISED: 'the velocity store has no tables in that database: verdict velocity init makes them',
  ISOLATION: 'default_transaction_isolation of the user of the velocity store is not read committed: counts would err',
};

/** With `init`, makes the tables, or brings them up to date. */
export async function openPostgres(
  url: string,
  key: Buffer,
  timeoutMs: number,
  { init, discards, connections }: Opening & { readonly connections?: number | undefined },
): Promise<VelocityHome> {
  // No such table, no such function.
  const unavailable = (code: string) =>
    new VelocityUnavailable(/_(42P01|42883)$/.test(code) ? 'NOT_INITIALISED' : code);
  const limits = { limitMs: timeoutMs, what: 'velocity store', most: connections };
  const home = new PostgresHome(await openConnections(url, limits, unavailable), key);
  const open = async () => {
    const isDiscarded = discards && (await home.discard());
    await (init || isDiscarded ? home.init() : home.check());
  };
  await openHome(open, { toMend: TO_MEND, close: () => home.close(), isPatient: !init });
  return home;
}

class PostgresHome implements VelocityHome {
  readonly #connections: Connections;
  readonly #keyCheck: string;

  constructor(connections: Connections, key: Buffer) {
    this.#connections = connections;
    this.#keyCheck = createHmac('sha256', key).update('velocity').digest('base64');
  }

  /** Drops the tables of the format before, if they are there. */
  async discard(): Promise<boolean> {
    const of1 = 'select from velocity_format where format = 1 and key_check = $1';
    const found = await this.#connections.query(of1, [this.#keyCheck]).catch(() => []);
    if (found.length > 0) await this.#query(DROP_EARLIER, []);
    return found.length > 0;
  }

  async init(): Promise<void> {
    await migrate(this.#connections, VELOCITY_TABLES);
    const isFirst = 'where not exists (select from velocity_format)';
    await this.#connections.transaction('velocity schema', (query) =>
      query(`insert into velocity_format select cast($1 as integer), $2 ${isFirst}`, [FORMAT, this.#keyCheck]),
    );
    await this.check();
  }

  /** Rejects if the tables are not those of this version and key. */
  async check(): Promise<void> {
    const { isolation } = await this.#query(`select current_setting('default_transaction_isolation') as isolation`, []);
    if (isolation !== 'read committed') throw new VelocityUnavailable('ISOLATION');
    const { format, key } = await this.#query('select format, key_check as key from velocity_format', []);
    if (format === undefined) throw new VelocityUnavailable('NOT_INITIALISED');
    if (format !== FORMAT) throw new VelocityUnavailable('OTHER_FORMAT');
    if (key !== this.#keyCheck) throw new VelocityUnavailable('OTHER_KEY');
    const problem = problemOfLevel(VELOCITY_TABLES, await readLevel(this.#connections.query, VELOCITY_TABLES));
    if (problem !== undefined) throw new VerdictError('CONFIGURATION_INVALID', problem);
  }

  apply(of: Applying): Promise<Applied> {
    return this.#ask(SQL.apply, of);
  }

  async restore(of: readonly HomeRestoring[]): Promise<void> {
    await this.#ask(SQL.restore, of, of.some(({ isDecision }) => isDecision) ? MAINTENANCE_MS : undefined);
  }

  async coverage(of: HomeKinds): Promise<HomeCoverage> {
    const coverage = await this.#ask<HomeCoverage>(SQL.coverage, of);
    return { ...coverage, since: coverage.since ?? [] };
  }

  async cover(of: HomeCovered): Promise<void> {
    await this.#ask(SQL.cover, of);
  }

  async sweep(what: Swept, from = '0'.repeat(32)) {
    const [until, hashes] = 'now' in what ? [what.now, []] : [null, what.hashes];
    if (from.startsWith(APPLICATION)) {
      const { next } = await this.#query(
        SQL.sweepApplications,
        [from.slice(APPLICATION.length) || ZERO, until, hashes, PAGE],
        MAINTENANCE_MS,
      );
      return typeof next === 'string' ? { deleted: 0, next: APPLICATION + next } : { deleted: 0 };
    }
    const isDryRun = 'isDryRun' in what && what.isDryRun;
    const page = [from.slice(0, -32), from.slice(-32), until, hashes, isDryRun, PAGE];
    const { deleted, next } = await this.#query(SQL.sweep, page, MAINTENANCE_MS);
    if (typeof next === 'string') return { deleted: Number(deleted), next };
    return isDryRun ? { deleted: Number(deleted) } : { deleted: Number(deleted), next: APPLICATION };
  }

  close(): Promise<void> {
    return this.#connections.end();
  }

  /** What a function answers to one argument. */
  async #ask<Answer>(text: string, of: unknown, limitMs?: number): Promise<Answer> {
    const { answer } = await this.#query(text, [this.#keyCheck, JSON.stringify(of)], limitMs);
    if (answer === null || answer === undefined) throw new VelocityUnavailable('OTHER_KEY');
    return answer as Answer;
  }

  /** The first row. */
  async #query(text: string, parameters: readonly unknown[], limitMs?: number) {
    const [row] = await this.#connections.query(text, parameters, limitMs);
    return (row ?? {}) as Readonly<Record<string, unknown>>;
  }
}
