-- Which policies each process decides by: since when, and when it last said so, in milliseconds since 1970.

create table in_force (
  process text not null,
  policy text collate "C" not null,
  digest text collate "C" not null,
  since bigint not null,
  seen bigint not null,
  primary key (process, policy)
);

insert into verdict_migration (area, number, name, least) values ('state', 2, 'in-force', 1);
