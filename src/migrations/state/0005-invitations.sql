-- Links that let people in once. id is the keyed hash of the link's secret, which is nowhere else.

create table invitations (
  id text collate "C" primary key,
  name text collate "C" not null,
  roles text not null,
  made_at bigint not null,
  used_at bigint
);

insert into verdict_migration (area, number, name, least) values ('state', 5, 'invitations', 1);
