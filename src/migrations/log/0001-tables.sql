-- The tables of an audit log. Entries are only inserted; erasure and pruning delete.

create table if not exists verdict_migration (
  area text not null,
  number integer not null,
  name text not null,
  -- The least migration that a program has to know to work with these tables.
  least integer not null,
  at timestamptz not null default now(),
  primary key (area, number)
);

-- The index: where entries are, by ids that they name and by what they say. It has clear fields, and keyed hashes of
-- people and references. Its rows are written with the entry that they are of. It is not partitioned: a page of a search
-- takes the same time however old the log is. at is in milliseconds since 1970.

-- Entries but for the openings and ends of segments. start and "end" are where its line and the next one begin.
create sequence log_indexed_n;
create table log_indexed (
  n bigint primary key,
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

insert into verdict_migration (area, number, name, least) values ('log', 1, 'tables', 1);
