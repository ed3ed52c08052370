/** Sets and members -> a table of PostgreSQL, which processes of several machines share. */

import { createHmac } from 'node:crypto';
import { APPLICATION_MS } from '../../decision/application.ts';
import { foreignCode, VerdictError } from '../../errors.ts';
import { type Connections, openConnections, problemOfPostgres } from '../../platform/postgres/connections.ts';
import {
  type Applied,
  type Applying,
  GRACE_MS,
  type HomeCoverage,
  type HomeCovered,
  type HomeKinds,
  type HomeRestoring,
  type Opening,
  OTHER_FORMAT,
  SELF_SWEEP,
  type Swept,
  type VelocityHome,
  VelocityUnavailable,
} from './home.ts';

const FORMAT = 2;
/** Maintenance has limits of its own: nobody waits for it. Rows of its pages, which hold locks. */
const [MAINTENANCE_MS, PAGE] = [150_000, 1000];
const KNOWN = ['outcome', 'review', 'label'] as const;
const ZERO = '0'.repeat(32);
const FIRST = `'${ZERO}'::uuid`;
/** Of an application that was swept, and of no set: the page begins after this, and the id. */
const APPLICATION = 'of application ';

/** `counts`: the answers of the application by their keys. `keep` in milliseconds; `fact`: the gap and the logs. */
const TABLES = `
  create table velocity_format (format integer not null, key_check text not null);
  create table velocity_application (id uuid primary key, reference uuid not null, at bigint not null,
    phone_no uuid, email uuid, ip uuid, counts jsonb not null default '{}', outcome text, outcome_at bigint,
    review text, review_at bigint, label text, label_at bigint);
  create index velocity_application_reference on velocity_application (reference, at);
  create table velocity_member (set_id bytea not null, member uuid not null, at bigint not null, value text,
    primary key (set_id, member));
  create index velocity_member_at on velocity_member (set_id, at);
  create table velocity_kind (id bytea not null, policy uuid not null, keep bigint not null, since bigint not null,
    primary key (id, policy));
  create table velocity_fact (name text primary key, value jsonb not null);`;

const DROP_EARLIER = 'drop table velocity_format, velocity_seen';

/** Of the members of a set that count. */
const MEASURES = {
  ...{ applications: 'count(*)::text', distinct: 'count(distinct value)::text' },
  ...{ sum: `coalesce(string_agg(value, ' '), '')`, first: `coalesce(min(seen.at)::text, '')` },
  last: `coalesce(max(seen.at)::text, '')`,
};

/**
 * One call an application. Whoever counts a set holds its lock to the end of the transaction, and each statement of a
 * volatile function sees what was committed before it. Without a row of the key, the answer is null.
 */
const FUNCTIONS = `
  create or replace function velocity_is_open(check_of_key text) returns boolean language sql as $$
    select exists (select from velocity_format where format = ${FORMAT} and key_check = check_of_key) $$;
  create or replace function velocity_lock(sets text[]) returns void language sql as $$
    select pg_advisory_xact_lock(lock) from
      (select distinct hashtextextended(id, 0) as lock from unnest(sets) as each(id) order by lock) as locks $$;
  create or replace function velocity_put(asking jsonb, makes boolean, out app velocity_application,
    out is_new boolean) language plpgsql as $$
  declare
    certain uuid := coalesce(asking ->> 'application', asking ->> 'decision');
    made bigint := asking ->> 'at'; known jsonb := asking -> 'applicant';
    phone uuid := known ->> 'phoneNo'; mail uuid := known ->> 'email'; address uuid := known ->> 'ip';
  begin
    is_new := false;
    select * into app from velocity_application where id = certain;
    if not found and asking ->> 'application' is null then
      select * into app from velocity_application as near where reference = (asking ->> 'reference')::uuid
        and at > made - ${APPLICATION_MS} and at < made + ${APPLICATION_MS}
        and (near.phone_no = phone or near.phone_no is null or phone is null)
        and (near.email = mail or near.email is null or mail is null)
        and (near.ip = address or near.ip is null or address is null)
        order by at desc, id desc limit 1;
    end if;
    if app.id is null then
      if not makes then return; end if;
      is_new := true;
      insert into velocity_application (id, reference, at, phone_no, email, ip) values (certain,
        (asking ->> 'reference')::uuid, (asking ->> 'began')::bigint, phone, mail, address) returning * into app;
    elsif makes and (app.phone_no is null and phone is not null or app.email is null and mail is not null
      or app.ip is null and address is not null) then
      update velocity_application as known set phone_no = coalesce(known.phone_no, phone),
        email = coalesce(known.email, mail), ip = coalesce(known.ip, address) where id = app.id;
    end if;
  end $$;
  create or replace function velocity_add(app velocity_application, adds jsonb) returns void language sql as $$
    insert into velocity_member select decode(each ->> 'set', 'hex'), app.id, app.at, each ->> 'value'
      from jsonb_array_elements(adds) as adding(each) on conflict do nothing $$;
  create or replace function velocity_register(kinds jsonb, of_policy uuid, since_of_new bigint, now bigint)
    returns void language plpgsql as $$
  declare is_new boolean := not exists (select from velocity_kind);
  begin
    insert into velocity_kind as old select decode(each ->> 'kind', 'hex'), of_policy, (each ->> 'keepMs')::bigint,
        case when is_new then since_of_new else now end
      from jsonb_array_elements(kinds) as asked(each) where not exists (select from velocity_kind
        where id = decode(each ->> 'kind', 'hex') and policy = of_policy and keep >= (each ->> 'keepMs')::bigint)
      order by 1
      on conflict (id, policy) do update set keep = excluded.keep, since = greatest(old.since,
        (select case when max(keep) >= excluded.keep then 0 else now - max(keep) end from velocity_kind as all_of
          where all_of.id = old.id));
  end $$;
  create or replace function velocity_sweep(from_set bytea, from_member uuid, until bigint, hashes uuid[],
    dry_run boolean, most integer, out deleted bigint, out next_set bytea, out next_member uuid) language plpgsql as $$
  begin
    select set_id, member into next_set, next_member from velocity_member
      where (set_id, member) > (from_set, from_member) order by set_id, member offset most limit 1;
    with found as (select set_id, member from velocity_member
        where (set_id, member) > (from_set, from_member)
          and (next_set is null or (set_id, member) <= (next_set, next_member))
          and (at + coalesce((select max(keep) from velocity_kind where id = substr(set_id, 13, 4)), 0) <= until
            or member = any (hashes)
            or value = any (select replace(hash::text, '-', '') from unnest(hashes) as each(hash))
            or substr(set_id, 1, 12) in (select substr(uuid_send(hash), 1, 12) from unnest(hashes) as each(hash))
            or substr(set_id, 17, 12) in (select substr(uuid_send(hash), 1, 12) from unnest(hashes) as each(hash)))
        order by set_id, member for update),
      gone as (delete from velocity_member
        where not dry_run and (set_id, member) in (select set_id, member from found))
    select count(*) into deleted from found;
  end $$;
  create or replace function velocity_sweep_applications(from_id uuid, until bigint, hashes uuid[], most integer,
    out next_id uuid) language plpgsql as $$
  begin
    select id into next_id from velocity_application where id > from_id order by id offset most limit 1;
    delete from velocity_application where id > from_id and (next_id is null or id <= next_id) and (id = any (hashes)
      or at + greatest(${APPLICATION_MS}, (select max(keep) from velocity_kind)) <= until);
    update velocity_application set counts = '{}',
      phone_no = case when phone_no = any (hashes) then null else phone_no end,
      email = case when email = any (hashes) then null else email end,
      ip = case when ip = any (hashes) then null else ip end
      where id > from_id and (next_id is null or id <= next_id)
        and (phone_no = any (hashes) or email = any (hashes) or ip = any (hashes));
  end $$;
  create or replace function velocity_count(check_of_key text, asking jsonb) returns jsonb language plpgsql as $$
  declare
    app velocity_application; own record; is_new boolean := false; is_peek boolean := asking -> 'isPeek';
    kept jsonb := '{}'; answers jsonb := '[]'; since jsonb := '[]'; made bigint := asking ->> 'at';
    each jsonb; answer text; beginning bigint; complete bigint; gap_end bigint;
  begin
    if not velocity_is_open(check_of_key) then return null; end if;
    if not is_peek then
      perform velocity_lock(array(select asking ->> 'reference'
        union all select counted ->> 'set' from jsonb_array_elements(asking -> 'counts') as one(counted)
        union all select added ->> 'set' from jsonb_array_elements(asking -> 'adds') as one(added)));
      if asking -> 'missed' <> 'null' then
        insert into velocity_fact as old values ('gap', asking -> 'missed') on conflict (name) do update set value =
          jsonb_build_object('from', least((old.value ->> 'from')::bigint, (excluded.value ->> 'from')::bigint),
            'to', greatest((old.value ->> 'to')::bigint, (excluded.value ->> 'to')::bigint));
      end if;
      perform velocity_register(asking -> 'kinds', (asking ->> 'policy')::uuid,
        case when (asking -> 'hasPast')::boolean then made else 0 end, made);
      select * into own from velocity_put(asking, true);
      app := own.app; is_new := own.is_new; kept := app.counts;
    else app.at := made;
    end if;
    select coalesce((value ->> 'to')::bigint + 1, 0) into gap_end from velocity_fact where name = 'gap';
    for each in select * from jsonb_array_elements(asking -> 'counts') loop
      select velocity_kind.since into complete from velocity_kind where id = decode(each ->> 'kind', 'hex')
        and policy = (asking ->> 'policy')::uuid;
      complete := greatest(coalesce(complete, made), coalesce(gap_end, 0));
      beginning := greatest(-1, app.at - (each ->> 'withinMs')::bigint, (each ->> 'since')::bigint - 1);
      answer := kept ->> (each ->> 'key');
      if answer is null then
        execute format('select %s from velocity_member as seen
          left join velocity_application as app on $4 is not null and app.id = seen.member
          where seen.set_id = $1 and seen.at > $2 and seen.member is distinct from $3
            and ($4 is null or case $4 when ''outcome'' then app.outcome when ''review'' then app.review
              else app.label end = $5)',
          case each ->> 'measure' ${Object.entries(MEASURES)
            .map(([measure, of]) => `when '${measure}' then $measure$${of}$measure$`)
            .join(' ')} end)
          into answer using decode(each ->> 'set', 'hex'), beginning, app.id, each -> 'where' ->> 'key',
            each -> 'where' ->> 'value';
      end if;
      if complete <= beginning + 1 then kept := kept || jsonb_build_object(each ->> 'key', answer); end if;
      answers := answers || to_jsonb(answer);
      since := since || to_jsonb(complete);
    end loop;
    if not is_peek then
      perform velocity_add(app, asking -> 'adds');
      update velocity_application set counts = kept where id = app.id;
      if is_new and random() < 1.0 / ${SELF_SWEEP.everyth} then
        beginning := least(extract(epoch from clock_timestamp()) * 1000, made)::bigint - ${GRACE_MS};
        perform velocity_sweep(uuid_send(gen_random_uuid()), ${FIRST}, beginning, '{}', false, ${SELF_SWEEP.rows});
        perform velocity_sweep_applications(${FIRST}, beginning, '{}', ${SELF_SWEEP.rows});
      end if;
    end if;
    return jsonb_build_object('application', replace(app.id::text, '-', ''), 'began', app.at, 'answers', answers,
      'since', since);
  end $$;
  create or replace function velocity_restore(check_of_key text, restoring jsonb) returns boolean language plpgsql as $$
  declare app velocity_application; own record; each jsonb;
  begin
    if not velocity_is_open(check_of_key) then return null; end if;
    perform velocity_lock(array(select one ->> 'reference' from jsonb_array_elements(restoring) as asked(one)
      union all select added ->> 'set' from jsonb_array_elements(restoring) as asked(one),
        jsonb_array_elements(one -> 'adds') as adding(added)));
    for each in select * from jsonb_array_elements(restoring) loop
      select * into own from velocity_put(each, (each -> 'isDecision')::boolean);
      app := own.app;
      continue when app.id is null;
      perform velocity_add(app, each -> 'adds');
      update velocity_application set counts = (each -> 'counted') || counts where id = app.id
        and not counts @> (each -> 'counted');
      ${KNOWN.map(
        (key) => `update velocity_application set ${key} = each -> 'known' -> '${key}' ->> 'value',
        ${key}_at = (each -> 'known' -> '${key}' ->> 'at')::bigint where id = app.id
        and coalesce(${key}_at, 0) <= (each -> 'known' -> '${key}' ->> 'at')::bigint;`,
      ).join('\n      ')}
    end loop;
    return true;
  end $$;
  create or replace function velocity_cover(check_of_key text, covered jsonb) returns boolean language plpgsql as $$
  begin
    if not velocity_is_open(check_of_key) then return null; end if;
    perform velocity_register(covered -> 'kinds', (covered ->> 'policy')::uuid, (covered ->> 'at')::bigint,
      (covered ->> 'at')::bigint);
    update velocity_kind set since = least(since, (covered ->> 'since')::bigint)
      where policy = (covered ->> 'policy')::uuid and id in (select decode(each ->> 'kind', 'hex')
        from jsonb_array_elements(covered -> 'kinds') as kinds(each));
    if covered ->> 'log' is not null then
      insert into velocity_fact as old values ('logs', jsonb_build_array(covered -> 'log')) on conflict (name) do update
        set value = case when old.value @> excluded.value then old.value else old.value || excluded.value end;
      insert into velocity_fact as old values ('filled', covered -> 'at') on conflict (name) do update
        set value = greatest(old.value::bigint, excluded.value::bigint)::text::jsonb;
    end if;
    delete from velocity_fact where name = 'gap' and (covered -> 'gap' ->> 'from')::bigint <= (value ->> 'from')::bigint
      and (covered -> 'gap' ->> 'to')::bigint >= (value ->> 'to')::bigint;
    return true;
  end $$;`;

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

/** What the operator has to mend, besides what any store in PostgreSQL may need. */
const TO_MEND: Readonly<Record<string, string>> = {
  OTHER_FORMAT,
  NOT_INITIALISED: 'the velocity store has no tables in that database: verdict velocity init makes them',
  ISOLATION: 'default_transaction_isolation of the user of the velocity store is not read committed: counts would err',
};

/** With `init`, makes the tables unless they are there. */
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
  try {
    const isDiscarded = discards && (await home.discard());
    await (init || isDiscarded ? home.init() : home.check());
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
    await this.#connections.transaction('velocity schema', async (query) => {
      const [row] = await query(`select to_regclass('velocity_format') is null as "isNew"`);
      if ((row as { readonly isNew: boolean }).isNew) {
        await query(TABLES);
        await query('insert into velocity_format values ($1, $2)', [FORMAT, this.#keyCheck]);
      } else await this.check();
      await query(FUNCTIONS);
    });
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
