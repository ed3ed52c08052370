/** A log's entries -> rows of PostgreSQL, written in the transaction that appends them; and what is found there. */

import type { Connections } from '../../platform/homes/connections.ts';
import type { Query } from '../../platform/homes/query.ts';
import { ID } from '../entry/schema.ts';
import type { Filter, Term } from '../read/filter.ts';
import {
  type Among,
  aboutOf,
  dayRowsOf,
  type IndexSearch,
  type NewLine,
  type Question,
  questionsOf,
  type Row,
} from './index-sql.ts';
import { type CountedKind, rememberedKeys, termsOfDecision } from './terms.ts';

/** OFFSET: the planner makes no other join of it, whatever the statistics say. */
const QUESTIONS = questionsOf({
  table: (name) => (name === 'entry' ? 'log_indexed' : `log_${name}`),
  chain: 'entry.chain',
  joinChain: '',
  join: (table, alias, column, value) =>
    `cross join lateral (select * from ${table} where ${table}.${column} = ${value} offset 0) as ${alias}`,
  each: 'unnest(cast(? as uuid[])) as each (id)',
  idsOf: (uuids) => `{${uuids.filter(ID.is)}}`,
  idOf: (uuid) => uuid,
  uuidOf: String,
});

/** A page is read in the order of an index. Of a new term statistics know nothing: all that has it would be sorted. */
const PLANNER = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort', 'jit']
  .map((name) => `set local ${name} = off`)
  .join('; ');

/** What goes through a part of the log, for a command, may take long; so may counting more than this. */
const [LONG_MS, MOST_COUNTED] = [120_000, 100_000];

const keyOfLine = rememberedKeys();

/** All rows of some lines, in one statement. Returns the decisions among them that have notes. */
const INSERT = `
  with given as materialized (
    select * from jsonb_to_recordset(cast($1 as jsonb)) as each (chain uuid, segment integer, line integer,
      start integer, "end" integer, about uuid[], roles smallint[], at bigint, id uuid, earlier smallint,
      terms bigint[], decision uuid, seq bigint, disposition text)
  ), indexed as (
    insert into log_indexed (chain, segment, line, start, "end")
      select chain, segment, line, start, "end" from given returning *
  ), line as materialized (
    select indexed.n, given.* from given join indexed using (chain, segment, start)
  ), counted as materialized (
    select * from jsonb_to_recordset(cast($2 as jsonb)) as each (chain uuid, segment integer, key bigint, kind text,
      text text, day integer, n bigint)
  ), named as (
    insert into log_about select each.id, role, n from line cross join unnest(about, roles) as each (id, role)
  ), decided as (
    insert into log_decision select n, at, id, earlier from line where terms is not null
  ), found as (
    insert into log_term select key, at, n from line cross join unnest(terms) as key order by key
  ), noted as (
    insert into log_note select decision, at, id, n, seq, disposition from line where decision is not null
  ), texts as (
    insert into log_name select distinct key, kind, text from counted order by key on conflict do nothing
  ), days as (
    insert into log_day select day, key, chain, segment, n from counted order by day, key
      on conflict (day, key, chain, segment) do update set n = log_day.n + excluded.n
  )
  select id from line where terms is not null
    and exists (select 1 from log_note where log_note.decision = line.id offset 0)`;

/** The first number of the locks of notes, and how many there are: a transaction holds no more, however many notes. */
const [LOCK_CLASS, LOCKS] = [0x6e6f7465, 64];

const LOCK = `select pg_advisory_xact_lock(${LOCK_CLASS}, slot) from (
  select distinct (hashtext(cast(decision as text)) & ${LOCKS - 1}) as slot from unnest(cast($1 as uuid[])) as decision
  order by slot) as slots`;

const SET_DISPOSITIONS = `
  with each as (
    select * from jsonb_to_recordset(cast($1 as jsonb)) as each (key bigint, at bigint, entry bigint, has boolean)
  ), gone as (
    delete from log_term as term using each
      where not has and term.key = each.key and term.at = each.at and term.entry = each.entry
  )
  insert into log_term select key, at, entry from each where has on conflict do nothing`;

/**
 * Adds lines within the transaction that writes them; once in each, since it waits for other transactions in a fixed
 * order. INVARIANT: of a decision and a note about it, one is committed before the other is added.
 */
export async function addToIndex(query: Query, lines: readonly NewLine[]): Promise<void> {
  const notes = lines.flatMap(({ entry }) => (entry.kind === 'note' ? [entry.decision] : []));
  await lockNotes(query, notes);
  const rows = lines.flatMap(({ position, entry }) => {
    const [about, roles] = [aboutOf(entry).map(([id]) => id), aboutOf(entry).map(([, role]) => role)];
    return about.length === 0 ? [] : [{ ...position, ...rowOf(entry), about, roles }];
  });
  if (rows.length === 0) return;
  const counted = dayRowsOf(lines).map(({ term, ...row }) => {
    return { ...row, key: String(keyOfLine(term)), kind: term.kind, text: term.text && storable(term.text) };
  });
  const noted = await query(INSERT, [JSON.stringify(rows), JSON.stringify(counted)]);
  const before = noted.map((row) => String((row as Row)['id']));
  await setDispositions(query, [...new Set([...notes, ...before])]);
}

function rowOf(entry: NewLine['entry']) {
  if (entry.kind === 'note') {
    const { id, decision, seq, disposition } = entry;
    return { at: Date.parse(entry.at), id, decision, seq, disposition };
  }
  if (entry.kind !== 'decision') return {};
  const terms = [...new Set(termsOfDecision(entry).map((term) => String(keyOfLine(term))))];
  return { at: Date.parse(entry.at), id: entry.id, earlier: entry.reasons ? 0 : 1, terms };
}

/** PostgreSQL has no NUL in a text, and no half of a pair of UTF-16. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Two notes on a decision at once: the second sees the first. */
async function lockNotes(query: Query, decisions: readonly string[]): Promise<void> {
  if (decisions.length > 0) await query(LOCK, [decisions]);
}

async function setDispositions(query: Query, decisions: readonly string[]): Promise<void> {
  if (decisions.length === 0) return;
  const terms = await ask(query, QUESTIONS.dispositions(decisions));
  await query(SET_DISPOSITIONS, [JSON.stringify(terms.map(({ key, ...row }) => ({ ...row, key: String(key) })))]);
}

/** Removes the rows of pruned segments within the transaction that prunes them. */
export async function forgetSegments(query: Query, chain: string, segments: readonly number[]): Promise<void> {
  const isTheirs = 'chain = $1 and segment = any ($2)';
  const segment = [chain, segments];
  const [range] = await query(`select min(n) as first, max(n) as last from log_indexed where ${isTheirs}`, segment);
  const { first, last } = range as Row;
  if (first === null) return;
  const gone = `entry between $3 and $4 and exists
    (select 1 from log_indexed where n = entry and ${isTheirs} offset 0)`;
  const all = [...segment, first, last];
  const noted = await query(`select distinct cast(decision as text) as decision from log_note where ${gone}`, all);
  const decisions = noted.map((row) => String((row as Row)['decision']));
  await lockNotes(query, decisions);
  for (const table of ['term', 'note', 'about', 'decision']) await query(`delete from log_${table} where ${gone}`, all);
  for (const table of ['day', 'indexed']) await query(`delete from log_${table} where ${isTheirs}`, segment);
  await setDispositions(query, decisions);
}

/** What a log's index answers; see `LogIndex`. */
export function postgresIndex({ query, reading }: Connections) {
  return {
    entries: () => ask(query, QUESTIONS.entries()),
    find: (id: string, withEvents?: boolean) => ask(query, QUESTIONS.about([id], withEvents)),
    about: (ids: readonly string[]) => ask(query, QUESTIONS.about(ids)),
    narrow: (filter: Filter) => reading('', (moment) => ask(moment, QUESTIONS.narrow(filter)), LONG_MS),
    search: (search: IndexSearch) => {
      const ms = (search.mostCounted ?? 0) > MOST_COUNTED ? LONG_MS : undefined;
      return reading(PLANNER, (moment) => ask(moment, QUESTIONS.search(search)), ms);
    },
    dayCounts: (kind: CountedKind, from?: number) => ask(query, QUESTIONS.dayCounts(kind, from)),
    texts: (kind: CountedKind) => ask(query, QUESTIONS.texts(kind)),
    begins: (terms: readonly Term[]) => reading(PLANNER, (moment) => ask(moment, QUESTIONS.begins(terms))),
    counts: (terms: readonly Term[], among: Among) =>
      reading(PLANNER, (moment) => ask(moment, QUESTIONS.counts(terms, among))),
  };
}

async function ask<Answer>(query: Query, question: Question<Answer>): Promise<Answer> {
  let asked = question.next([]);
  while (!asked.done) {
    let n = 0;
    const text = asked.value.text.replaceAll('?', () => `$${++n}`);
    asked = question.next((await query(text, asked.value.parameters)) as readonly Row[]);
  }
  return asked.value;
}
