-- The keys of an audit log, each wrapped by the master key. A row that is deleted is a record that nobody can read.

create table if not exists verdict_migration (
  area text not null,
  number integer not null,
  name text not null,
  -- The least migration that a program has to know to work with these tables.
  least integer not null,
  at timestamptz not null default now(),
  primary key (area, number)
);

-- The keys of hashes and of signatures, and those of the texts about people in archived policies.
create table key_file (
  name text collate "C" primary key,
  bytes bytea not null
);

-- Data keys are made in blocks; a slot of a block without its row is erased.
create table key_block (
  name text collate "C" primary key,
  slots integer not null
);

-- One data key a record.
create table key_data (
  block text collate "C" not null references key_block,
  slot integer not null,
  bytes bytea not null,
  primary key (block, slot)
);

insert into verdict_migration (area, number, name, least) values ('keys', 1, 'tables', 1);
