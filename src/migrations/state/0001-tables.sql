-- The tables of the state: references, cases that wait for a person, sessions, and proofs that are kept.
-- Tables that were made before there were migrations get what they lack.

create table if not exists verdict_migration (
  area text not null,
  number integer not null,
  name text not null,
  -- The least migration that a program has to know to work with these tables.
  least integer not null,
  at timestamptz not null default now(),
  primary key (area, number)
);

-- One row, which the first service writes: key_check shows whether the key of the state is the same, and nothing else.
create table if not exists state_format (
  format integer not null,
  key_check text not null
);

-- at is when the reference was claimed, in milliseconds since 1970; key and question are keyed hashes.
create table if not exists reference (
  key text collate "C" primary key,
  question text not null,
  decision text collate "C" not null,
  owner text not null,
  state text not null,
  answer text,
  at bigint not null
);
create index if not exists reference_at on reference (at);
create index if not exists reference_open on reference (at) where state <> 'done';

-- A process that ended in good order has no row.
create table if not exists process (
  owner text primary key,
  beat bigint not null
);

-- skipped has a line for each person who may not or does not want to take the case.
create table if not exists cases (
  id text collate "C" primary key,
  decision text collate "C" not null,
  kind text collate "C" not null,
  queue text collate "C" not null,
  opened_at bigint not null,
  due bigint not null,
  state text collate "C" not null default 'open',
  holder text collate "C",
  token bigint not null default 0,
  until bigint,
  skipped text collate "C" not null default '',
  disposition text collate "C",
  resolved_at bigint,
  note text collate "C"
);
create index if not exists cases_next on cases (due, opened_at, id) where state <> 'resolved';
create index if not exists cases_waiting on cases (due, id) where state <> 'resolved';
create index if not exists cases_holder on cases (holder) where holder is not null;
create index if not exists cases_decision on cases (decision);
create index if not exists cases_list on cases (due, id);
-- The first one of this name had resolved cases too.
drop index if exists cases_count;
create index cases_count on cases (queue, state, due) where state <> 'resolved';

create table if not exists follower (
  name text collate "C" primary key,
  position text collate "C" not null
);

create table if not exists proof (
  id text collate "C" primary key,
  at bigint not null
);

create table if not exists sessions (
  id text collate "C" primary key,
  subject text collate "C" not null,
  person text collate "C" not null,
  authenticated_at bigint,
  signed_in_at bigint not null,
  seen_at bigint not null
);
create index if not exists sessions_subject on sessions (subject);

insert into verdict_migration (area, number, name, least) values ('state', 1, 'tables', 1);
