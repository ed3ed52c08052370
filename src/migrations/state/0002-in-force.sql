-- By which policies and mappings each process decides: since when, and when it last said so, in milliseconds since 1970.

create table in_force (
  process text not null,
  name text collate "C" not null,
  digest text collate "C" not null,
  since bigint not null,
  seen bigint not null,
  primary key (process, name)
);

insert into verdict_migration (area, number, name, least) values ('state', 2, 'in-force', 1);
