/** A dialect of SQL -> the statements of cases, sessions and answers: one text for both databases. */

/** Where SQLite and PostgreSQL differ. */
export interface Dialect {
  /** The store's clock, in milliseconds since 1970: those of the processes may differ. */
  readonly now: string;
  /** The rows of a parameter that is a JSON array of texts, or of objects; their column is `value`. */
  readonly texts: (parameter: string) => string;
  readonly objects: (parameter: string) => string;
  /** What a selected row is locked with: waiting for others, or leaving out what they hold. */
  readonly lock: string;
  readonly lockFree: string;
}

/** SQLite has one writer at a time, so its rows need no locks. */
export const SQLITE: Dialect = {
  now: `cast(unixepoch('subsec') * 1000 as bigint)`,
  texts: (parameter) => `json_each(${parameter})`,
  objects: (parameter) => `json_each(${parameter})`,
  lock: '',
  lockFree: '',
};

export const POSTGRES: Dialect = {
  now: 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)',
  texts: (parameter) => `jsonb_array_elements_text(cast(cast(${parameter} as text) as jsonb)) as each(value)`,
  objects: (parameter) => `jsonb_array_elements(cast(${parameter} as jsonb)) as each(value)`,
  lock: 'for update',
  lockFree: 'for update skip locked',
};

/** The row of `follower` that names the log whose decisions the state has. */
export const LOG = 'id of the log';

const COLUMNS = `id, decision, kind, queue, opened_at as "openedAt", due, state, holder, token, until, disposition,
  resolved_at as "resolvedAt", note`;

export type Statements = ReturnType<typeof statementsOf>;

/** The statements that end a claim. */
const SETTLING = ['finishClaim', 'doubtClaim', 'releaseClaim'] as const;

export type Settling = (typeof SETTLING)[number];

export function isSettling(name: keyof Statements): name is Settling {
  return (SETTLING as readonly string[]).includes(name);
}

/** Each changes a case in one statement, so that of several callers one succeeds. */
export function statementsOf({ now, texts, objects, lock, lockFree }: Dialect) {
  const [isLiving, isFree] = [`until > ${now}`, `(until is null or until <= ${now})`];
  const isMine = `holder = $1 and ${isLiving}`;
  const isHeld = 'id = $1 and token = $2 and holder = $3';
  const next = 'order by due, opened_at, id limit 1';
  // Not in the order of an index: PostgreSQL without statistics would go through all cases for those of a person.
  const nextHeld = 'order by due + 0, opened_at, id limit 1';
  const ofSession = `person, authenticated_at as "authenticatedAt", signed_in_at as "signedInAt",
    seen_at as "seenAt", ${now} - seen_at as "idleMs"`;
  const among = (column: string, list: string) =>
    `(cast(${list} as text) is null or ${column} in (select value from ${texts(list)}))`;
  const isNoneOf = (list: string) =>
    `not exists (select 1 from ${texts(list)} where replace(skipped, value, '') <> skipped)`;
  const isAt = 'exists (select 1 from webhook where name = $1 and position = $2)';
  const list = (condition: string) => `select ${COLUMNS} from cases where ${condition} and ${among('queue', '$1')}
      and ${among('state', '$2')} and (cast($3 as bigint) is null or (due, id) > ($3, $4))
    order by due, id limit $5`;
  return {
    open: `insert into cases (id, decision, kind, queue, opened_at, due, skipped)
      select value ->> 'id', value ->> 'decision', value ->> 'kind', value ->> 'queue',
        cast(value ->> 'openedAt' as bigint), cast(value ->> 'due' as bigint), value ->> 'skipped'
      from ${objects('$1')} where true on conflict (id) do update set skipped = cases.skipped || excluded.skipped
        where replace(cases.skipped, excluded.skipped, '') = cases.skipped and excluded.skipped <> ''`,
    take: `update cases set token = token + case when ${isMine} then 0 else 1 end,
        state = case when ${isMine} then state else 'open' end, note = case when ${isMine} then note end,
        disposition = case when ${isMine} then disposition end, holder = $1, until = ${now} + $4
      where id = coalesce(
        (select id from cases where state <> 'resolved' and ${isMine} and ${isNoneOf('$5')} ${nextHeld} ${lock}),
        (select id from cases where state <> 'resolved' and ${isFree} and ${among('queue', '$2')}
          and ${isNoneOf('$3')} ${next} ${lockFree}))
      returning ${COLUMNS}`,
    renew: `update cases set until = ${now} + $4 where ${isHeld} and state <> 'resolved' and ${isLiving}
      returning ${COLUMNS}`,
    release: `update cases set holder = null, until = null, skipped = skipped || $4 where ${isHeld} and state = 'open'
      returning ${COLUMNS}`,
    reassign: `update cases set holder = $2, token = token + 1, until = ${now} + $3, state = 'open', note = null,
        disposition = null
      where id = $1 and (state = 'open' or state = 'resolving' and ${isFree}) and ${isNoneOf('$4')}
      returning ${COLUMNS}`,
    beginResolve: `update cases set state = 'resolving', note = $4, disposition = $5
      where ${isHeld} and until > ${now} + $6 and ${isNoneOf('$7')}
        and (state = 'open' or state = 'resolving' and note = $4 and disposition = $5)
      returning ${COLUMNS}`,
    finishResolve: `update cases set state = 'resolved', note = $3, disposition = $4, resolved_at = $5, holder = null,
        until = null
      where id = coalesce($2, (select id from cases where decision = $1 and note = $3 limit 1), $1)
        and (state <> 'resolved' or (resolved_at, note) < ($5, $3))`,
    closeCase: `update cases set state = 'resolved', note = null, disposition = null, resolved_at = $2, holder = null,
        until = null where id = $1 and state <> 'resolved'`,
    get: `select ${COLUMNS} from cases where id = $1`,
    ofDecision: `select ${COLUMNS} from cases where decision = $1 order by opened_at, id`,
    held: `select ${COLUMNS} from cases where state <> 'resolved' and ${isMine} order by id`,
    list: list('true'),
    listWaiting: list(`state <> 'resolved'`),
    counts: `select queue, state, count(*) as count, min(due) as "oldestDue" from cases where state <> 'resolved'
      group by queue, state order by queue, state`,
    position: 'select position from follower where name = $1',
    setPosition: `insert into follower values ($1, $2)
      on conflict (name) do update set position = excluded.position where follower.position = $3`,
    clearPositions: `update follower set position = $1 where name <> '${LOG}'`,
    clearCases: 'delete from cases',
    answersAfter: `select key, at, case when substr(answer, 1, length($3)) <> $3 then answer end as answer
      from (select key, at, answer from reference where (at, key) > (cast($1 as bigint), $2)
        order by at, key limit 500) as next order by at, key`,
    rewriteAnswer: 'update reference set answer = $3 where key = $1 and answer = $2',
    finishClaim: `update reference set state = 'done', answer = $3
      where key = $1 and decision = $2 and state <> 'done'`,
    doubtClaim: `update reference set state = 'doubt' where key = $1 and decision = $2 and state = 'running'`,
    releaseClaim: `delete from reference where key = $1 and decision = $2 and state = 'running'`,
    findProof: 'select id from proof where id = $1',
    keepProof: `insert into proof values ($1, ${now}) on conflict do nothing`,
    forgetProofs: `delete from proof where at < ${now} - $1`,
    restoreAnswers: `insert into reference (key, question, decision, owner, state, answer, at)
      select value ->> 'key', value ->> 'question', value ->> 'decision', '', 'done', value ->> 'answer',
        cast(value ->> 'at' as bigint) from ${objects('$1')} where true
      on conflict (key) do update set question = excluded.question, decision = excluded.decision, state = 'done',
        answer = excluded.answer, at = excluded.at
      where reference.decision = excluded.decision and reference.state <> 'done'
        or reference.decision <> excluded.decision and reference.at < excluded.at
      returning key`,
    showInForce: `insert into in_force (process, name, digest, since, seen)
      select $1, value ->> 'name', value ->> 'digest', ${now}, ${now} from ${objects('$2')} where true
      on conflict (process, name) do update set digest = excluded.digest, seen = excluded.seen,
        since = case when in_force.digest = excluded.digest then in_force.since else excluded.since end`,
    inForce: `select name, digest, count(*) as count, ${now} - min(since) as "forMs" from in_force
      where seen > ${now} - $1 group by name, digest order by name, count(*) desc, min(since)`,
    forgetInForce: `delete from in_force where seen < ${now} - $1`,
    inDoubt: `select decision from reference where state <> 'done' and at >= ${now} - $1
        and (state = 'doubt' or owner not in (select owner from process))
      order by at limit $2`,
    webhookPosition: 'select position from webhook where name = $1',
    beginWebhook: 'insert into webhook (name, position) values ($1, $2) on conflict do nothing',
    moveWebhook: 'update webhook set position = $3 where name = $1 and position = $2',
    // Not `max(due)`, which both databases would look for in the order of an index: through all events of the webhook.
    releaseEvents: `update outbox set due = coalesce((select max(first.due + 0) from outbox as first
          where first.webhook = $1 and first.decision = outbox.decision and first.dead_at is null
            and first.failure is not null), ${now})
      where webhook = $1 and due is null and ${isAt}`,
    putEvents: `insert into outbox (webhook, id, decision, at, body)
      select $1, value ->> 'id', value ->> 'decision', cast(value ->> 'at' as bigint), value ->> 'body'
      from ${objects('$3')} where ${isAt} on conflict do nothing`,
    takeEvents: `update outbox set due = ${now} + $3, attempt = attempt + 1 where webhook = $1 and id in
        (select id from outbox as next where webhook = $1 and dead_at is null and due <= ${now}
          and id = (select first.id from outbox as first where first.webhook = $1 and first.dead_at is null
            and first.decision = next.decision order by first.at, first.id limit 1)
          and exists (select 1 from webhook where name = $1 and stopped_at is null)
        order by due, at limit $2 ${lockFree})
      returning id, decision, at, body, attempt`,
    deliverEvent: 'delete from outbox where webhook = $1 and id = $2',
    failEvent: `update outbox set due = ${now} + coalesce(cast($6 as bigint), 0),
        failure = case when id = $2 then $5 else failure end,
        dead_at = case when id = $2 and cast($6 as bigint) is null then ${now} end
      where webhook = $1 and decision = $4 and dead_at is null and due is not null
        and exists (select 1 from outbox where webhook = $1 and id = $2 and attempt = $3)`,
    stopWebhook: `update webhook set stopped_at = ${now} where name = $1`,
    startWebhook: 'update webhook set stopped_at = null where name = $1',
    resendEvents: `update outbox set due = ${now}, attempt = 0, dead_at = null, failure = null
      where webhook = $1 and due is not null and (failure is not null or attempt = 0) returning id`,
    outboxStates: `select name as webhook, count(id) - count(dead_at) as waiting, count(dead_at) as dead,
        min(dead_at) as "deadSince", min(at) as oldest, min(failure) as failure, stopped_at as "stoppedAt"
      from webhook left join outbox on webhook = name group by name, stopped_at order by name`,
    beginSession: `insert into sessions values ($1, $2, $3, $4, ${now}, ${now})`,
    changePerson: 'update sessions set person = $2 where subject = $1',
    findSession: `select ${ofSession} from sessions
      where id = $1 and seen_at > ${now} - $2 and signed_in_at > ${now} - $3`,
    extendSession: `update sessions set seen_at = ${now} where id = $1 returning ${ofSession}`,
    endSession: 'delete from sessions where id = $1',
    forgetSessions: `delete from sessions where seen_at <= ${now} - $1 or signed_in_at <= ${now} - $2`,
  };
}
