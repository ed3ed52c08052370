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
  resolved_at as "resolvedAt", note, policy, codes, score, facts, reserved_for as "reservedFor",
  reserved_until as "reservedUntil", sleeps_until as "sleepsUntil", asked, taken_at as "takenAt"`;

/** In milliseconds: how long a case stays that of the person to whom it was given, or comes back, if it is due soon. */
const RESERVED_MS = 4 * 3_600_000;

const HOUR_MS = 3_600_000;

/** The ages of the backlog: so many hours or more, up to the next one. */
export const AGES: readonly number[] = [0, 1, 4, 24, 72];

export type Statements = ReturnType<typeof statementsOf>;

/** The statements that end a claim. */
const SETTLING = ['finishClaim', 'doubtClaim', 'releaseClaim'] as const;

export type Settling = (typeof SETTLING)[number];

export function isSettling(name: keyof Statements): name is Settling {
  return (SETTLING as readonly string[]).includes(name);
}

/** Each changes a case in one statement, so that of several callers one succeeds. */
export function statementsOf({ now, texts, objects, lock, lockFree }: Dialect) {
  const isOver = (column: string) => `(${column} is null or ${column} <= ${now})`;
  const isLiving = `until > ${now}`;
  const isMine = `holder = $1 and ${isLiving}`;
  const isHeld = 'id = $1 and token = $2 and holder = $3';
  /** Nobody else has it, or is to have it; it may sleep. */
  const mayBeMine = `${isOver('until')} and (${isOver('reserved_until')} or reserved_for = $1)`;
  const isFree = `${mayBeMine} and ${isOver('sleeps_until')}`;
  const later = (one: string, other: string) => `case when ${one} > ${other} then ${one} else ${other} end`;
  const keptUntil = (from: string) => later('due', `${from} + ${RESERVED_MS}`);
  const unheld = 'holder = null, until = null';
  const unreserved = 'reserved_for = null, reserved_until = null, sleeps_until = null, asked = null';
  /** What a new holder changes; who has it already holds it for longer. */
  const toMe = (leaseMs: string) => `token = token + case when ${isMine} then 0 else 1 end,
        state = case when ${isMine} then state else 'open' end, note = case when ${isMine} then note end,
        disposition = case when ${isMine} then disposition end, holder = $1, until = ${now} + ${leaseMs},
        taken_at = case when ${isMine} then taken_at else ${now} end, sleeps_until = null`;
  const next = 'order by due, opened_at, id limit 1';
  // Not in the order of an index: PostgreSQL without statistics would go through all cases for those of a person.
  const nextHeld = 'order by due + 0, opened_at, id limit 1';
  const ofSession = `person, authenticated_at as "authenticatedAt", signed_in_at as "signedInAt",
    seen_at as "seenAt", ${now} - seen_at as "idleMs"`;
  const among = (column: string, list: string) =>
    `(cast(${list} as text) is null or ${column} in (select value from ${texts(list)}))`;
  const isNoneOf = (list: string) =>
    `not exists (select 1 from ${texts(list)} where replace(skipped, value, '') <> skipped)`;
  const mayTake = (skippers: string, openers: string) => `state <> 'resolved' and ${isNoneOf(openers)}
      and (${isMine} or ${mayBeMine}
        and (reserved_for = $1 or ${isOver('sleeps_until')} and ${isNoneOf(skippers)}))`;
  const isAt = 'exists (select 1 from webhook where name = $1 and position = $2)';
  const hasAll = (column: string, list: string) => `(cast(${list} as text) is null or not exists (select 1
      from ${texts(list)} where replace(coalesce(${column}, ''), value, '') = coalesce(${column}, '')))`;
  const situation = `case when ${isLiving} then 'held' when sleeps_until > ${now} then 'waiting'
    when reserved_until > ${now} then 'given' else 'free' end`;
  const isWhose = (person: string) => `(cast(${person} as text) is null or holder = ${person} and ${isLiving}
      or reserved_for = ${person} and reserved_until > ${now})`;
  const ofList = `${among('queue', '$1')} and ${among('state', '$2')} and ${among('policy', '$3')}
      and ${hasAll('codes', '$4')} and ${hasAll('facts', '$5')} and ${among(situation, '$6')} and ${isWhose('$7')}
      and (cast($8 as bigint) is null or due <= ${now} + $8)`;
  const list = (condition: string, key = 'due', type = 'bigint') => `select ${COLUMNS} from cases
    where ${condition} and ${ofList} and (cast($9 as ${type}) is null or (${key}, id) > (cast($9 as ${type}), $10))
    order by ${key}, id limit $11`;
  const isWaiting = `state <> 'resolved'`;
  const ages = [...AGES]
    .reverse()
    .map((hours) => `when opened_at <= ${now} - ${hours * HOUR_MS} then ${hours}`)
    .join(' ');
  return {
    open: `insert into cases (id, decision, kind, queue, opened_at, due, skipped, policy, codes)
      select value ->> 'id', value ->> 'decision', value ->> 'kind', value ->> 'queue',
        cast(value ->> 'openedAt' as bigint), cast(value ->> 'due' as bigint), value ->> 'skipped',
        value ->> 'policy', value ->> 'codes'
      from ${objects('$1')} where true on conflict (id) do update set skipped = cases.skipped || excluded.skipped
        where replace(cases.skipped, excluded.skipped, '') = cases.skipped and excluded.skipped <> ''`,
    take: `update cases set ${toMe('$4')} where id = coalesce(
        (select id from cases where ${isWaiting} and ${isMine} and ${isNoneOf('$5')} ${nextHeld} ${lock}),
        (select id from cases where ${isWaiting} and reserved_for = $1 and reserved_until > ${now} and ${isFree}
          and ${among('queue', '$2')} and ${isNoneOf('$5')} ${nextHeld} ${lockFree}),
        (select id from cases where ${isWaiting} and ${isFree} and ${among('queue', '$2')}
          and ${isNoneOf('$3')} ${next} ${lockFree}))
      returning ${COLUMNS}`,
    takeOne: `update cases set ${toMe('$4')} where id = $2 and ${mayTake('$3', '$5')}
      returning ${COLUMNS}`,
    free: `select id from cases where id in (select value from ${texts('$2')}) and ${mayTake('$3', '$4')}`,
    renew: `update cases set until = ${now} + $4 where ${isHeld} and ${isWaiting} and ${isLiving}
      returning ${COLUMNS}`,
    release: `update cases set ${unheld}, ${unreserved}, skipped = skipped || $4 where ${isHeld} and state = 'open'
      returning ${COLUMNS}`,
    reassign: `update cases set ${unheld}, token = token + 1, state = 'open', note = null, disposition = null,
        reserved_for = $2, reserved_until = ${keptUntil(now)}
      where id = $1 and (state = 'open' or state = 'resolving' and ${isOver('until')}) and ${isNoneOf('$3')}
      returning ${COLUMNS}`,
    sleep: `update cases set ${unheld}, asked = coalesce($5, asked), reserved_for = $3,
        sleeps_until = coalesce(cast($4 as bigint), ${keptUntil(now)}),
        reserved_until = ${keptUntil(`coalesce(cast($4 as bigint), ${keptUntil(now)})`)}
      where ${isHeld} and state = 'open' and ${isLiving} returning ${COLUMNS}`,
    answer: `update cases set asked = null, sleeps_until = null, reserved_until = ${keptUntil(now)}
      where id = $1 and asked is not null and ${isWaiting} returning ${COLUMNS}`,
    escalate: `update cases set ${unheld}, ${unreserved}, queue = $4, skipped = skipped || $6,
        due = case when due < ${now} + $5 then due else ${now} + $5 end
      where ${isHeld} and state = 'open' and ${isLiving} and queue <> $4 returning ${COLUMNS}`,
    beginResolve: `update cases set state = 'resolving', note = $4, disposition = $5
      where ${isHeld} and until > ${now} + $6 and ${isNoneOf('$7')}
        and (state = 'open' or state = 'resolving' and note = $4 and disposition = $5)
      returning ${COLUMNS}`,
    finishResolve: `update cases set state = 'resolved', note = $3, disposition = $4, resolved_at = $5,
        resolver = coalesce($6, resolver), ${unheld}, ${unreserved}
      where id = coalesce($2, (select id from cases where decision = $1 and note = $3 limit 1), $1)
        and (state <> 'resolved' or (resolved_at, note) < ($5, $3))`,
    closeCase: `update cases set state = 'resolved', note = null, disposition = null, resolved_at = $2, ${unheld},
        ${unreserved} where id = $1 and ${isWaiting}`,
    labelCases: `update cases set label = $2, labelled_at = $3
      where decision = $1 and (labelled_at is null or labelled_at <= $3)`,
    undescribed: `select id, decision, queue from cases where described = 0 and ${isWaiting} order by id limit $1`,
    describe: 'update cases set score = $2, facts = $3, described = 1 where id = $1 and described = 0',
    forgetFacts: `update cases set score = null, facts = null, described = -1
      where decision in (select value from ${texts('$1')})`,
    get: `select ${COLUMNS} from cases where id = $1`,
    ofDecisions: `select ${COLUMNS} from cases where decision in (select value from ${texts('$1')})
      order by opened_at, id`,
    held: `select ${COLUMNS} from cases where ${isWaiting} and ${isMine} order by id`,
    given: `select ${COLUMNS} from cases where ${isWaiting} and reserved_for = $1 and reserved_until > ${now}
      and ${isOver('until')} order by due + 0, id limit 200`,
    list: list('true'),
    listWaiting: list(isWaiting),
    listByOpened: list(isWaiting, 'opened_at'),
    listByScore: list(isWaiting, 'coalesce(-score, 1e300)', 'double precision'),
    total: `select count(*) as count from cases where ${isWaiting} and ${ofList}`,
    counts: `select queue, state, count(*) as count, min(due) as "oldestDue",
        sum(case when due <= ${now} then 1 else 0 end) as overdue
      from cases where ${isWaiting} group by queue, state order by queue, state`,
    codes: `select codes, count(*) as count from cases where ${isWaiting} group by codes order by count(*) desc, codes`,
    overdue: `select count(*) as count from cases where ${isWaiting} and due <= ${now}`,
    backlog: `select queue, hours, count(*) as count, sum(late) as overdue from (select queue,
          case ${ages} else 0 end as hours, case when due <= ${now} then 1 else 0 end as late
        from cases where ${isWaiting}) as each
      group by queue, hours order by queue, hours`,
    flow: `select hour, sum(opened) as opened, sum(resolved) as resolved from (
        select opened_at / ${HOUR_MS} as hour, 1 as opened, 0 as resolved from cases where opened_at > ${now} - $1
        union all select resolved_at / ${HOUR_MS}, 0, 1 from cases where resolved_at > ${now} - $1) as each
      group by hour order by hour`,
    byPerson: `select resolver, max(decided) as decided, max(approved) as approved, max(overturned) as overturned,
        max(late) as late, avg(case when place in ((timed + 1) / 2, timed / 2 + 1) then spent end) as "medianMs"
      from (select resolver, spent, count(*) over person as decided, count(spent) over person as timed,
          sum(case when disposition = 'approve' then 1 else 0 end) over person as approved,
          sum(case when resolved_at > due then 1 else 0 end) over person as late,
          sum(case when label = case disposition when 'approve' then 'fraud' else 'genuine' end then 1 else 0 end)
            over person as overturned,
          case when spent is not null then row_number() over (partition by resolver order by spent is null, spent) end
            as place
        from (select *, resolved_at - taken_at as spent from cases
          where resolved_at > ${now} - $1 and resolver is not null) as done
        window person as (partition by resolver)) as each
      group by resolver order by max(decided) desc, resolver`,
    seePerson: `insert into people values ($1, $2, ${now})
      on conflict (name) do update set roles = excluded.roles, seen_at = excluded.seen_at`,
    people: `select name, roles from people where seen_at > ${now} - $1 order by name`,
    forgetPeople: `delete from people where seen_at <= ${now} - $1`,
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
    // The clock of PostgreSQL goes on while a statement runs, and all events have to be due at the same time.
    failEvent: `with clock as materialized (select ${now} as moment)
      update outbox set due = moment + coalesce(cast($6 as bigint), 0),
        failure = case when id = $2 then $5 else failure end,
        dead_at = case when id = $2 and cast($6 as bigint) is null then moment end
      from clock where webhook = $1 and decision = $4 and dead_at is null and due is not null
        and exists (select 1 from outbox where webhook = $1 and id = $2 and attempt = $3)`,
    stopWebhook: `update webhook set stopped_at = ${now} where name = $1`,
    startWebhook: 'update webhook set stopped_at = null where name = $1',
    resendEvents: `update outbox set due = ${now}, attempt = 0, dead_at = null, failure = null
      where webhook = $1 and due is not null and (failure is not null or attempt = 0) returning id`,
    outboxStates: `select name as webhook, count(id) - count(dead_at) as waiting, count(dead_at) as dead,
        min(dead_at) as "deadSince", min(at) as oldest, min(failure) as failure, stopped_at as "stoppedAt"
      from webhook left join outbox on webhook = name group by name, stopped_at order by name`,
    invite: `insert into invitations values ($1, $2, $3, ${now}, null)`,
    redeem: `update invitations set used_at = ${now} where id = $1 and used_at is null and made_at > ${now} - $2
      returning name, roles`,
    hasInvitation: 'select id from invitations where id = $1',
    invitations: `select name, roles, made_at as "madeAt", used_at as "usedAt",
        used_at is null and made_at <= ${now} - $1 as "hasExpired" from invitations order by name, made_at`,
    withdraw: 'delete from invitations where name = $1 returning id',
    beginSession: `insert into sessions values ($1, $2, $3, $4, ${now}, ${now})`,
    changePerson: 'update sessions set person = $2 where subject = $1',
    findSession: `select ${ofSession} from sessions
      where id = $1 and seen_at > ${now} - $2 and signed_in_at > ${now} - $3`,
    extendSession: `update sessions set seen_at = ${now} where id = $1 returning ${ofSession}`,
    endSession: 'delete from sessions where id = $1',
    endSessionsOf: 'delete from sessions where subject = $1',
    forgetSessions: `delete from sessions where seen_at <= ${now} - $1 or signed_in_at <= ${now} - $2`,
  };
}
