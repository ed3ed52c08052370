-- The events that webhooks send.

-- position is how far the log was read; a receiver that wants no more has stopped_at.
create table webhook (
  name text collate "C" primary key,
  position text collate "C" not null,
  stopped_at bigint
);

-- An event without due is not sent yet; while it is sent, due is the end of the lease. A dead one was given up.
create table outbox (
  webhook text collate "C" not null,
  id text collate "C" not null,
  decision text collate "C" not null,
  at bigint not null,
  body text not null,
  attempt bigint not null default 0,
  due bigint,
  dead_at bigint,
  failure text,
  primary key (webhook, id)
);
create index outbox_due on outbox (webhook, due, at) where dead_at is null;
create index outbox_order on outbox (webhook, decision, at, id) where dead_at is null;

insert into verdict_migration (area, number, name, least) values ('state', 3, 'webhooks', 1);
