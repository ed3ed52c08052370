-- What the queue shows of a case, and for whom it is kept.

-- policy and codes are those of the decision. score and facts are read from the record once, with described = 1, and
-- emptied when it is erased, with described = -1: facts that are not personal, of those that a queue shows.
alter table cases add column policy text collate "C", add column codes text collate "C",
  add column score double precision, add column facts text collate "C",
  add column described integer not null default 0;
-- A case is kept for a person until reserved_until, and given to nobody until sleeps_until. asked is the code of what
-- its caller was asked for.
alter table cases add column reserved_for text collate "C", add column reserved_until bigint,
  add column sleeps_until bigint, add column asked text collate "C";
-- resolver is the keyed hash of who resolved it, label what came to light later.
alter table cases add column taken_at bigint, add column resolver text collate "C",
  add column label text collate "C", add column labelled_at bigint;
create index cases_reserved on cases (reserved_for) where reserved_for is not null;
create index cases_undescribed on cases (id) where described = 0 and state <> 'resolved';
create index cases_opened on cases (opened_at);
create index cases_resolved on cases (resolved_at) where resolved_at is not null;

-- Who signed in lately, with their roles.
create table people (
  name text collate "C" primary key,
  roles text not null,
  seen_at bigint not null
);

insert into verdict_migration (area, number, name, least) values ('state', 4, 'queue', 1);
