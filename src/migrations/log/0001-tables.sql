-- The tables of the audit log: its lines, byte for byte those of a log in a folder, its small files, and its index.

create table if not exists verdict_migration (
  area text not null,
  number integer not null,
  name text not null,
  -- The least migration that a program has to know to work with these tables.
  least integer not null,
  at timestamptz not null default now(),
  primary key (area, number)
);

-- One chain a writing process; beat shows that its writer lives.
create table log_chain (
  id uuid primary key,
  beat timestamptz not null default now()
);

-- log.json, public keys, archived policies and mappings, tombstones. They are added, and never changed.
create table log_file (
  folder text collate "C" not null,
  name text collate "C" not null,
  bytes bytea not null,
  primary key (folder, name)
);

-- The leases of the chains: who writes a chain, and how its last writer left it.
create table log_owner (
  folder text collate "C" not null,
  name text collate "C" not null,
  bytes bytea not null,
  at timestamptz not null default now(),
  primary key (folder, name)
);

-- The parts of a chain; a part is of one day. An append compares and sets bytes: of two writers one succeeds.
create table log_segment (
  chain uuid not null references log_chain,
  number integer not null,
  day date not null,
  lines integer not null,
  bytes integer not null,
  primary key (chain, number)
) with (fillfactor = 50);
create index log_segment_day on log_segment (day);

-- A line without its line break; start is its offset in its segment, in bytes. Lines are inserted, and never updated.
create table log_entry (
  day date not null,
  chain uuid not null,
  segment integer not null,
  line integer not null,
  start integer not null,
  text text not null,
  primary key (day, chain, segment, start)
) partition by range (day);
-- Most of a line is encrypted, and does not get shorter.
alter table log_entry alter column text set storage external;

-- The index: where entries are, by ids that they name and by what they say. It has clear fields, and keyed hashes of
-- people and references. Its rows are written with the entry that they are of. It is not partitioned: a page of a search
-- takes the same time however old the log is. at is in milliseconds since 1970.

-- Entries but for the openings and ends of segments. start and "end" are where its line and the next one begin.
create table log_indexed (
  n bigint generated always as identity primary key,
  chain uuid not null,
  segment integer not null,
  line integer not null,
  start integer not null,
  "end" integer not null
);
create index log_indexed_segment on log_indexed (chain, segment);

-- What an entry is to an id: 1 its decision, 2 a note about it, 3 its note, 4 its erasure, 5 its event, 6 an event about
-- it. Pruning finds the rows of a few old entries by the small index of blocks.
create table log_about (
  id uuid not null,
  role smallint not null,
  entry bigint not null,
  primary key (id, role, entry)
);
create index log_about_entry on log_about using brin (entry);

-- earlier is 1 for a record that does not say which role its codes had.
create table log_decision (
  entry bigint primary key,
  at bigint not null,
  id uuid not null,
  earlier smallint not null
);
create index log_decision_at on log_decision (at, id);

-- What a decision is found by: key is of an outcome, a code, a rule, a policy, a person, a reference. A dozen rows each.
create table log_term (
  key bigint not null,
  at bigint not null,
  entry bigint not null,
  primary key (key, at, entry)
);
create index log_term_entry on log_term using brin (entry);

create table log_note (
  decision uuid not null,
  at bigint not null,
  id uuid not null,
  entry bigint not null,
  seq bigint not null,
  disposition text not null,
  primary key (decision, at, id, entry)
);

-- The texts of keys that are counted by day; null for decisions that have none of the kind.
create table log_name (
  key bigint primary key,
  kind text not null,
  text text collate "C"
);

-- How many decisions of a segment have a key, by days since 1970. A row is updated many times, so pages have room.
create table log_day (
  day integer not null,
  key bigint not null,
  chain uuid not null,
  segment integer not null,
  n bigint not null,
  primary key (day, key, chain, segment)
) with (fillfactor = 50);

-- Makes the partition of a day, for a service that may not make tables. Attached, since a partition that is created
-- would wait for all who read.
create function log_add_day(of_day date) returns void language plpgsql security definer set search_path from current
as $$
declare
  part text := 'log_entry_' || to_char(of_day, 'YYYYMMDD');
begin
  if to_regclass(part) is not null then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('verdict days of ' || current_schema, 0));
  -- Another may have made it meanwhile, and to_regclass remembers in a transaction that there was none.
  perform from pg_class c join pg_namespace n on n.oid = relnamespace where relname = part and nspname = current_schema;
  if found then return; end if;
  execute format('create table %I (like log_entry including all)', part);
  execute format('alter table log_entry attach partition %I for values from (%L) to (%L)', part, of_day, of_day + 1);
end $$;

-- Removes the partition of a day that has no segments any more; one that is being read is emptied.
create function log_drop_day(of_day date) returns void language plpgsql security definer set search_path from current
set lock_timeout = '2s' as $$
declare
  part text := 'log_entry_' || to_char(of_day, 'YYYYMMDD');
begin
  if exists (select from log_segment where day = of_day) or to_regclass(part) is null then return; end if;
  begin
    execute format('drop table %I', part);
  exception when lock_not_available then
    execute format('truncate table %I', part);
  end;
end $$;

revoke all on function log_add_day(date), log_drop_day(date) from public;

insert into verdict_migration (area, number, name, least) values ('log', 1, 'tables', 1);
