-- The store of velocities: what was seen before, by keyed hashes. Tables that were made before there were migrations
-- keep their rows; their functions are replaced.

create table if not exists verdict_migration (
  area text not null,
  number integer not null,
  name text not null,
  -- The least migration that a program has to know to work with these tables.
  least integer not null,
  at timestamptz not null default now(),
  primary key (area, number)
);

-- One row, which `verdict velocity init` writes: key_check shows whether the key is the same, and nothing else.
create table if not exists velocity_format (format integer not null, key_check text not null);

do $$ begin
  if exists (select from velocity_format where format <> 2) then
    raise exception 'these tables have an earlier format' using errcode = 'object_not_in_prerequisite_state';
  end if;
end $$;

-- counts: the answers that the application was counted, by their keys. Times are milliseconds since 1970.
create table if not exists velocity_application (
  id uuid primary key,
  reference uuid not null,
  at bigint not null,
  phone_no uuid,
  email uuid,
  ip uuid,
  counts jsonb not null default '{}',
  outcome text,
  outcome_at bigint,
  review text,
  review_at bigint,
  label text,
  label_at bigint
);
create index if not exists velocity_application_reference on velocity_application (reference, at);

create table if not exists velocity_member (
  set_id bytea not null,
  member uuid not null,
  at bigint not null,
  value text,
  primary key (set_id, member)
);
create index if not exists velocity_member_at on velocity_member (set_id, at);

-- keep: for how long the members of its sets are kept, in milliseconds.
create table if not exists velocity_kind (
  id bytea not null,
  policy uuid not null,
  keep bigint not null,
  since bigint not null,
  primary key (id, policy)
);

-- The gap in what was counted, the logs that filled the store, and until when.
create table if not exists velocity_fact (name text primary key, value jsonb not null);

-- One call per application. A transaction that counts a set holds its lock until it ends, and each statement of a
-- volatile function sees what was committed before it. Without a row of the key, the answer is null.

create or replace function velocity_is_open(check_of_key text) returns boolean language sql as $$
  select exists (select from velocity_format where format = 2 and key_check = check_of_key) $$;

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
      and at > made - 86400000 and at < made + 86400000
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
    or at + greatest(86400000, (select max(keep) from velocity_kind)) <= until);
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
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
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
          case each ->> 'measure'
          when 'applications' then 'count(*)::text'
          when 'distinct' then 'count(distinct value)::text'
          when 'sum' then 'coalesce(string_agg(value, '' ''), '''')'
          when 'first' then 'coalesce(min(seen.at)::text, '''')'
          when 'last' then 'coalesce(max(seen.at)::text, '''')' end)
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
    -- One of 256 applications sweeps up to 2048 rows.
    if is_new and random() < 1.0 / 256 then
      beginning := least(extract(epoch from clock_timestamp()) * 1000, made)::bigint - 86400000;
      perform velocity_sweep(uuid_send(gen_random_uuid()), nobody, beginning, '{}', false, 2048);
      perform velocity_sweep_applications(nobody, beginning, '{}', 2048);
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
    update velocity_application set outcome = each -> 'known' -> 'outcome' ->> 'value',
      outcome_at = (each -> 'known' -> 'outcome' ->> 'at')::bigint where id = app.id
      and coalesce(outcome_at, 0) <= (each -> 'known' -> 'outcome' ->> 'at')::bigint;
    update velocity_application set review = each -> 'known' -> 'review' ->> 'value',
      review_at = (each -> 'known' -> 'review' ->> 'at')::bigint where id = app.id
      and coalesce(review_at, 0) <= (each -> 'known' -> 'review' ->> 'at')::bigint;
    update velocity_application set label = each -> 'known' -> 'label' ->> 'value',
      label_at = (each -> 'known' -> 'label' ->> 'at')::bigint where id = app.id
      and coalesce(label_at, 0) <= (each -> 'known' -> 'label' ->> 'at')::bigint;
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
end $$;

insert into verdict_migration (area, number, name, least) values ('velocity', 1, 'tables', 1);
