/** Sets and members -> a table of PostgreSQL, which processes of several machines share. */

import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { foreignCode, VerdictError } from '../../errors.ts';
import { codeOfPg, openPool, problemOfPostgres, transaction, within } from '../state/pool.ts';
import {
  type Applying,
  GRACE_MS,
  SELF_SWEEP,
  SWEEP_ROWS,
  type Swept,
  type VelocityHome,
  VelocityUnavailable,
} from './home.ts';

const FORMAT = 1;
const [FIRST, LAST] = ['0', 'f'].map((digit) => `'${digit.repeat(32)}'::uuid`);

/** `keep` in milliseconds after `at`. The counts of an application are a row of their own. */
const TABLES = `
  create table velocity_format (format integer not null, key_check text not null);
  create table velocity_seen (set_id uuid not null, member uuid not null, at bigint not null, keep bigint not null,
    counts text, primary key (set_id, member));
  create index velocity_seen_at on velocity_seen (set_id, at);`;

/**
 * One call an application. Whoever counts a set holds its lock to the end of the transaction, and each statement of a
 * volatile function sees what was committed before it. Without a row of the key, the answer is null.
 */
const FUNCTIONS = `
  create or replace function velocity_sweep(from_set uuid, from_member uuid, until bigint, hashes uuid[],
    dry_run boolean, most integer, out deleted bigint, out next_set uuid, out next_member uuid) language plpgsql as $$
  begin
    select set_id, member into next_set, next_member from velocity_seen
      where (set_id, member) > (from_set, from_member) order by set_id, member offset most limit 1;
    with found as (select set_id, member, counts from velocity_seen
        where (set_id, member) > (from_set, from_member)
          and (set_id, member) <= (coalesce(next_set, ${LAST}), coalesce(next_member, ${LAST}))
          and (at + keep <= until or member = any (hashes) or substr(uuid_send(set_id), 1, 12) in
            (select substr(uuid_send(hash), 1, 12) from unnest(hashes) as each(hash)))
        order by set_id, member for update),
      gone as (delete from velocity_seen
        where not dry_run and (set_id, member) in (select set_id, member from found))
    select count(*) filter (where counts is null) into deleted from found;
  end $$;
  create or replace function velocity_apply(check_of_key text, record uuid, record_at bigint, record_keep bigint,
    count_sets uuid[], count_after bigint[], add_sets uuid[], add_members uuid[], add_at bigint[], add_keep bigint[])
    returns text language plpgsql as $$
  declare counted text;
  begin
    perform from velocity_format where format = ${FORMAT} and key_check = check_of_key;
    if not found then return null; end if;
    if record is not null then
      perform pg_advisory_xact_lock(lock) from (select distinct uuid_hash_extended(id, 0) as lock
        from unnest(record || count_sets || add_sets) as each(id) order by lock) as locks;
      select counts into counted from velocity_seen where set_id = record and member = record;
      if found then return counted; end if;
    end if;
    select coalesce(string_agg((select count(*) from velocity_seen where set_id = wanted and at > after)::text, ','
      order by place), '') into counted
      from unnest(count_sets, count_after) with ordinality as each(wanted, after, place);
    insert into velocity_seen as old select * from unnest(add_sets, add_members, add_at, add_keep)
      on conflict (set_id, member) do update
        set at = greatest(old.at, excluded.at), keep = greatest(old.keep, excluded.keep)
        where excluded.at > old.at or excluded.keep > old.keep;
    if record is not null then
      insert into velocity_seen values (record, record, record_at, record_keep, counted);
      if random() < 1.0 / ${SELF_SWEEP.everyth} then
        perform velocity_sweep(gen_random_uuid(), ${FIRST},
          least(extract(epoch from clock_timestamp()) * 1000, record_at)::bigint - ${GRACE_MS}, '{}', false,
          ${SELF_SWEEP.rows});
      end if;
    end if;
    return counted;
  end $$;`;

const SQL = {
  apply: 'select velocity_apply($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as counts',
  remove: `delete from velocity_seen where (set_id, member) in (select set_id, member from velocity_seen
      where (set_id, member) in (select * from unnest($1::uuid[], $2::uuid[])) order by set_id, member for update)`,
  sweep: `select deleted, next_set || '' || next_member as next from velocity_sweep($1, $2, $3, $4, $5, $6)`,
};

/** What the operator has to mend, besides what any store in PostgreSQL may need. */
const TO_MEND: Readonly<Record<string, string>> = {
  NOT_INITIALISED: 'the velocity store has no tables in that database: verdict velocity init makes them',
  ISOLATION: 'default_transaction_isolation of the user of the velocity store is not read committed: counts would err',
};

/** With `init`, makes the tables unless they are there. */
export async function openPostgres(url: string, key: Buffer, timeoutMs: number, init: boolean): Promise<VelocityHome> {
  const home = new PostgresHome(await openPool(url, timeoutMs, 'velocity store'), key, timeoutMs);
  try {
    await (init ? home.init() : home.check());
  } catch (error) {
    const code = foreignCode(error) ?? '';
    const problem = TO_MEND[code] ?? problemOfPostgres(code, 'the velocity store');
    if (problem === undefined && !init) return home;
    await home.close();
    throw problem === undefined ? error : new VerdictError('CONFIGURATION_INVALID', problem, { cause: error });
  }
  return home;
}

class PostgresHome implements VelocityHome {
  readonly #pool: Pool;
  readonly #keyCheck: string;
  readonly #timeoutMs: number;

  constructor(pool: Pool, key: Buffer, timeoutMs: number) {
    this.#pool = pool;
    this.#keyCheck = createHmac('sha256', key).update('velocity').digest('base64');
    this.#timeoutMs = timeoutMs;
  }

  async init(): Promise<void> {
    await this.#within(
      transaction(this.#pool, 'velocity schema', async (query) => {
        const [row] = await query(`select to_regclass('velocity_format') is null as "isNew"`);
        if ((row as { readonly isNew: boolean }).isNew) {
          await query(TABLES);
          await query('insert into velocity_format values ($1, $2)', [FORMAT, this.#keyCheck]);
        }
        await query(FUNCTIONS);
      }),
    );
    await this.check();
  }

  /** Rejects if the tables are not those of this version and key. */
  async check(): Promise<void> {
    const { isolation } = await this.#query(`select current_setting('default_transaction_isolation') as isolation`, []);
    if (isolation !== 'read committed') throw new VelocityUnavailable('ISOLATION');
    const { format, key } = await this.#query('select format, key_check as key from velocity_format', []);
    if (format !== FORMAT) throw new VelocityUnavailable('OTHER_FORMAT');
    if (key !== this.#keyCheck) throw new VelocityUnavailable('OTHER_KEY');
  }

  async apply({ record, counts, adds }: Applying): Promise<string> {
    const { counts: counted } = await this.#query(SQL.apply, [
      ...[this.#keyCheck, record?.id, record?.at, record?.keepMs],
      ...[counts.map(({ set }) => set), counts.map(({ after }) => after)],
      ...[adds.map(({ set }) => set), adds.map(({ member }) => member)],
      ...[adds.map(({ at }) => at), adds.map(({ keepMs }) => keepMs)],
    ]);
    if (typeof counted !== 'string') throw new VelocityUnavailable('OTHER_KEY');
    return counted;
  }

  async remove(members: Parameters<VelocityHome['remove']>[0]): Promise<void> {
    await this.#query(SQL.remove, [members.map(({ set }) => set), members.map(({ member }) => member)]);
  }

  async sweep(what: Swept, from = '0'.repeat(64)) {
    const wanted = 'now' in what ? [what.now, [], false] : [null, what.hashes, what.isDryRun];
    const row = await this.#query(SQL.sweep, [from.slice(0, 32), from.slice(32), ...wanted, SWEEP_ROWS]);
    const [deleted, next] = [Number(row['deleted']), row['next']];
    return typeof next === 'string' ? { deleted, next: next.replaceAll('-', '') } : { deleted };
  }

  async close(): Promise<void> {
    await this.#within(this.#pool.end()).catch(() => {});
  }

  /** The first row. */
  async #query(text: string, parameters: readonly unknown[]): Promise<Readonly<Record<string, unknown>>> {
    const { rows } = await this.#within(this.#pool.query(text, [...parameters]));
    return rows[0] ?? {};
  }

  async #within<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await within(work, this.#timeoutMs, () => new VelocityUnavailable('TIMED_OUT'));
    } catch (error) {
      if (error instanceof VelocityUnavailable) throw error;
      const code = codeOfPg(error);
      // No such table, no such function.
      throw new VelocityUnavailable(/_(42P01|42883)$/.test(code) ? 'NOT_INITIALISED' : code);
    }
  }
}
