/** Clear fields of a log's entries -> rows of `index.sqlite`, and what is found in them. Its calls are synchronous. */

import { hash } from 'node:crypto';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { Filter } from '../read/filter.ts';
import { judgementOf, type PlacedNote } from '../read/judgement.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import type { SearchEntry } from '../read/search-entry.ts';
import { idOfIndex, openIndex } from './index-database.ts';
import {
  asksForReasons,
  type CountedKind,
  type Criterion,
  countedOfDecision,
  criteriaOf,
  DISPOSITION_TERMS,
  dispositionTerm,
  keyOf,
  type Term,
  termsOfDecision,
} from './terms.ts';

/** Of so few decisions, or of this share of the entries, each is read by itself: the whole log takes longer. */
const [ALWAYS_NARROWED, NARROWED_SHARE] = [1000, 1 / 8];

/** What an entry is to an id. */
const ROLES = { decision: 1, noteOf: 2, note: 3, erasure: 4, event: 5, eventOf: 6 } as const;

const DAY_MS = 86_400_000;

/** Where a segment was read to. */
export interface ReadTo {
  readonly segment: number;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Of the last line. */
  readonly digest: string;
}

/** A line to index. */
export interface NewLine {
  readonly position: IndexedPosition;
  readonly entry: SearchEntry;
}

/** Where a decision is. */
export interface DecisionPosition extends IndexedPosition {
  readonly at: number;
  readonly id: string;
}

/** A decision that was found: the newest come first; at the same instant, the greater id. */
export interface FoundPosition extends DecisionPosition {
  /** Of notes and erasures that name it. */
  readonly others: readonly IndexedPosition[];
}

/** What to find. */
export interface IndexSearch {
  readonly filter: Filter;
  readonly limit: number;
  /** Only decisions that come after this one. */
  readonly after?: { readonly at: number; readonly id: string };
  /** Counts those that match, up to this number. */
  readonly mostCounted?: number;
}

/** What was found. `undecidable`: as in `CollectedResults`. */
export interface IndexResult {
  readonly found: readonly FoundPosition[];
  readonly total: number;
  readonly undecidable: number;
}

/** How many decisions of a day have a name; null for those that have none of its kind. */
export interface DayCount {
  /** yyyy-MM-dd, UTC. */
  readonly day: string;
  readonly text: string | null;
  readonly decisions: number;
}

/** The index of one log. */
export class IndexFile {
  readonly #path: string;
  readonly #id: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #chains = new Map<string, number>();
  readonly #keys = new Map<string, bigint>();

  /** Opens the file, and makes it if there is none; one that is damaged or of another format is made again. */
  constructor(path: string) {
    this.#path = path;
    const { database, id } = openIndex(path);
    this.#db = database;
    this.#id = id;
  }

  /** Whether another file, or none, has taken its place. */
  get isReplaced(): boolean {
    return idOfIndex(this.#path) !== this.#id;
  }

  /** Where the segments of a chain were read to. */
  readTo(chain: string): readonly ReadTo[] {
    return this.#all('select * from segment where chain = ? order by segment', chain) as unknown as ReadTo[];
  }

  /** How far each segment was read, as a digest: it changes with the log. */
  get state(): string {
    const read = this.#all('select chain, segment, end, digest from segment order by chain, segment');
    return hash('sha256', JSON.stringify(read), 'base64');
  }

  /** How many entries it has. */
  get entries(): number {
    return Number(this.#all('select count(*) as n from entry')[0]?.['n']);
  }

  /**
   * Adds lines of one segment, in one transaction. Adds nothing if the segment was read to another place meanwhile: a
   * further process follows the log too.
   */
  add(chain: string, from: ReadTo | undefined, to: ReadTo, lines: readonly NewLine[]): void {
    this.#inTransaction(() => {
      const [now] = this.#all('select end from segment where chain = ? and segment = ?', chain, to.segment);
      if (now?.['end'] !== from?.end) return;
      this.#addLines(lines);
      this.#count(chain, to.segment, lines);
      this.#run(
        'insert or replace into segment values (?, ?, ?, ?, ?, ?)',
        ...[chain, to.segment, to.line, to.start, to.end, to.digest],
      );
    });
  }

  /** Forgets segments that were pruned, or are not those that were read: at once, since it goes through all terms. */
  forget(chain: string, segments: readonly number[]): void {
    if (segments.length === 0) return;
    this.#inTransaction(() => {
      const segmentIs = `chain = ${this.#chainOf(chain)} and segment in (${segments.map(Number).join(', ')})`;
      const gone = `(select n from entry where ${segmentIs})`;
      const noted = this.#all(`select distinct decision from note where entry in ${gone}`);
      this.#db.exec(`
        delete from day where ${segmentIs};
        delete from term where entry in ${gone};
        delete from decision where entry in ${gone};
        delete from note where entry in ${gone};
        delete from about where entry in ${gone};
        delete from entry where ${segmentIs};`);
      for (const each of segments) this.#run('delete from segment where chain = ? and segment = ?', chain, each);
      for (const { decision } of noted) this.#setDispositions(decision as Uint8Array);
    });
  }

  /** The entries about an id, in the order in which they were read. */
  find(id: string, withEvents = true): readonly IndexedPosition[] {
    const rows = this.#all(
      `select distinct chain.name as chain, segment, line, start, end, entry.n from about
        join entry on entry.n = about.entry join chain on chain.n = entry.chain
        where id = ? and role <> ? order by entry.n`,
      ...[bytesOf(id), withEvents ? 0 : ROLES.eventOf],
    );
    return rows.map(positionIn);
  }

  /**
   * All decisions that pass a filter, or of which that cannot be told; undefined if they are so many that the log is
   * read as fast. The caller compares the records.
   */
  narrow(filter: Filter): readonly DecisionPosition[] | undefined {
    const { from, where, params } = this.#matching(filter);
    const entries = Number(this.#all('select max(n) as n from entry')[0]?.['n'] ?? 0);
    const most = Math.max(ALWAYS_NARROWED, Math.floor(entries * NARROWED_SHARE));
    const rows = this.#all(
      `select d.at, d.id, chain.name as chain, segment, line, start, end from ${from}
        join entry on entry.n = d.entry join chain on chain.n = entry.chain where ${where} limit ?`,
      ...[...params, most + 1],
    );
    return rows.length > most ? undefined : rows.map(decisionIn);
  }

  /** The tables and the condition of a filter, and the time in them. */
  #matching(filter: Filter) {
    const criteria = this.#rarestFirst(criteriaOf(filter));
    const [first] = criteria;
    const driving = first?.length === 1 ? first[0] : undefined;
    const from = driving ? 'term as first join decision as d on d.entry = first.entry' : 'decision as d';
    const at = driving ? 'first.at' : 'd.at';
    const params: SQLInputValue[] = driving ? [keyOf(driving)] : [];
    const where = driving ? ['first.key = ?'] : [];
    for (const terms of driving ? criteria.slice(1) : criteria) {
      const marks = terms.map(() => '?').join(', ');
      const isSame = 't.at = d.at and t.entry = d.entry';
      where.push(`exists (select 1 from term as t where t.key in (${marks}) and ${isSame})`);
      params.push(...terms.map(keyOf));
    }
    const limits = [
      [filter.from, '>='],
      [filter.to, '<='],
    ] as const;
    for (const [time, sign] of limits) {
      if (time === undefined) continue;
      where.push(`${at} ${sign} ?`);
      params.push(Date.parse(time));
    }
    return { from, at, where: where.length > 0 ? where.join(' and ') : 'true', params };
  }

  /** Decisions that pass a filter, as far as the index can tell: the caller compares the records. */
  search(search: IndexSearch): IndexResult {
    return this.#inTransaction(() => this.#search(search), 'deferred');
  }

  #search({ filter, limit, after, mostCounted }: IndexSearch): IndexResult {
    const { from, at, where: meets, params } = this.#matching(filter);
    const isEarlier = asksForReasons(filter) ? 'd.earlier' : '0';
    const page = after ? ([`(${at}, d.id) < (?, ?)`, after.at, bytesOf(after.id)] as const) : (['true'] as const);
    const found = this.#all(
      `select d.at, d.id, chain.name as chain, segment, line, start, end from ${from}
        join entry on entry.n = d.entry join chain on chain.n = entry.chain
        where ${meets} and ${isEarlier} = 0 and ${page[0]} order by ${at} desc, d.id desc limit ?`,
      ...[...params, ...page.slice(1), limit],
    ).map((row): FoundPosition => {
      const decision = decisionIn(row);
      const others = this.find(decision.id).filter((other) => !isDeepStrictEqual(other, positionIn(row)));
      return { ...decision, others };
    });
    const matching = `select ${isEarlier} as earlier from ${from} where ${meets} limit ?`;
    const [counted] =
      mostCounted === undefined
        ? []
        : this.#all(`select count(*) as n, total(earlier) as earlier from (${matching})`, ...params, mostCounted);
    const undecidable = Number(counted?.['earlier'] ?? 0);
    return { found, total: Number(counted?.['n'] ?? 0) - undecidable, undecidable };
  }

  /** How many decisions of each day, from that of an instant on, have which texts of a kind. */
  dayCounts(kind: CountedKind, from = 0): readonly DayCount[] {
    const rows = this.#all(
      `select day, text, sum(n) as n from day join name on name.key = day.key where kind = ? and day >= ?
        group by day, text order by day, text`,
      ...[kind, Math.floor(from / DAY_MS)],
    );
    return rows.map(({ day, text, n }) => ({
      day: new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
      text: text as string | null,
      decisions: Number(n),
    }));
  }

  close(): void {
    this.#db.close();
  }

  /** By the notes of a decision, in whatever order the entries were read. */
  #setDispositions(decision: Uint8Array): void {
    const notes = this.#all(
      `select at, id, seq, disposition, chain.name as chain from note
        join entry on entry.n = note.entry join chain on chain.n = entry.chain where decision = ?`,
      decision,
    ).map((row) => ({ ...row, at: new Date(Number(row['at'])).toISOString(), id: textOf(row['id'] as Uint8Array) }));
    const judged = Object.values(judgementOf(notes as unknown as readonly PlacedNote[]));
    const found = this.#all(
      'select entry, at from about join decision using (entry) where about.id = ? and role = ?',
      ...[decision, ROLES.decision],
    ) as unknown as readonly { readonly entry: number; readonly at: number }[];
    for (const { entry, at } of found) {
      for (const term of DISPOSITION_TERMS) {
        this.#run('delete from term where key = ? and at = ? and entry = ?', this.#keyOf(term), at, entry);
      }
      for (const { disposition } of judged) {
        this.#run('insert into term values (?, ?, ?)', this.#keyOf(dispositionTerm(disposition)), at, entry);
      }
    }
  }

  /** Terms are inserted in the order of their keys: those that share a page then change it together. */
  #addLines(lines: readonly NewLine[]): void {
    const rows: (readonly [key: bigint, at: number, entry: number])[] = [];
    for (const line of lines) {
      const n = this.#addLine(line);
      if (line.entry.kind !== 'decision') continue;
      const at = Date.parse(line.entry.at);
      for (const term of termsOfDecision(line.entry)) rows.push([this.#keyOf(term), at, n]);
    }
    rows.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
    for (const row of rows) this.#run('insert or ignore into term values (?, ?, ?)', ...row);
    const noted = lines.flatMap(({ entry }) => {
      if (entry.kind === 'note') return [entry.decision];
      return entry.kind === 'decision' && this.#hasNote(entry.id) ? [entry.id] : [];
    });
    for (const decision of new Set(noted)) this.#setDispositions(bytesOf(decision));
  }

  /** Counts the decisions of one segment. */
  #count(chain: string, segment: number, lines: readonly NewLine[]): void {
    const counts = new Map<string, { readonly term: Term; readonly day: number; n: number }>();
    for (const { entry } of lines) {
      if (entry.kind !== 'decision') continue;
      const day = Math.floor(Date.parse(entry.at) / DAY_MS);
      for (const term of countedOfDecision(entry)) {
        const name = `${day} ${term.kind} ${term.text}`;
        const known = counts.get(name);
        if (known) known.n += 1;
        else counts.set(name, { term, day, n: 1 });
      }
    }
    for (const { term, day, n } of counts.values()) {
      const key = this.#keyOf(term);
      this.#run('insert or ignore into name values (?, ?, ?)', key, term.kind, term.text);
      this.#run(
        'insert into day values (?, ?, ?, ?, ?) on conflict do update set n = n + excluded.n',
        ...[this.#chainOf(chain), segment, key, day, n],
      );
    }
  }

  /** Returns its number. */
  #addLine({ position, entry }: NewLine): number {
    if (entry.kind === 'open' || entry.kind === 'seal') return 0;
    const { chain, segment, line, start, end } = position;
    const { lastInsertRowid } = this.#run(
      'insert into entry values (null, ?, ?, ?, ?, ?)',
      ...[this.#chainOf(chain), segment, line, start, end],
    );
    const n = Number(lastInsertRowid);
    const about = (id: string, role: number) =>
      this.#run('insert or ignore into about values (?, ?, ?)', bytesOf(id), role, n);
    if (entry.kind === 'erasure') for (const id of entry.records) about(id, ROLES.erasure);
    if (entry.kind === 'note') {
      about(entry.id, ROLES.note);
      about(entry.decision, ROLES.noteOf);
      this.#run(
        'insert into note values (?, ?, ?, ?, ?, ?)',
        ...[bytesOf(entry.decision), Date.parse(entry.at), bytesOf(entry.id), n, entry.seq, entry.disposition],
      );
    }
    if (entry.kind === 'event') {
      about(entry.id, ROLES.event);
      if (entry.object) about(entry.object, ROLES.eventOf);
    }
    if (entry.kind === 'decision') {
      about(entry.id, ROLES.decision);
      const isEarlier = entry.reasons ? 0 : 1;
      this.#run('insert into decision values (?, ?, ?, ?)', n, Date.parse(entry.at), bytesOf(entry.id), isEarlier);
    }
    return n;
  }

  #hasNote(decision: string): boolean {
    return this.#all('select 1 from note where decision = ? limit 1', bytesOf(decision)).length > 0;
  }

  /** Remembers the keys of kinds that have few texts. */
  #keyOf(term: Term): bigint {
    if (term.kind === 'subject' || term.kind === 'reference') return keyOf(term);
    const name = `${term.kind} ${term.text}`;
    const key = this.#keys.get(name) ?? keyOf(term);
    this.#keys.set(name, key);
    return key;
  }

  #chainOf(name: string): number {
    const known = this.#chains.get(name);
    if (known !== undefined) return known;
    this.#run('insert or ignore into chain values (null, ?)', name);
    const n = Number(this.#all('select n from chain where name = ?', name)[0]?.['n']);
    this.#chains.set(name, n);
    return n;
  }

  /** The criterion that fewest decisions meet comes first: it leads to them. Exact counts are not needed for that. */
  #rarestFirst(criteria: readonly Criterion[]): readonly Criterion[] {
    const counted = criteria.map((criterion) => {
      const [term, ...more] = criterion;
      if (!term || more.length > 0) return { criterion, n: Number.POSITIVE_INFINITY };
      const [row] = this.#all('select count(*) as n from (select 1 from term where key = ? limit 1000)', keyOf(term));
      return { criterion, n: Number(row?.['n']) };
    });
    return counted.sort((one, other) => one.n - other.n).map(({ criterion }) => criterion);
  }

  /** `deferred`: it only reads, and all of it as of one moment, whatever another process writes. */
  #inTransaction<Result>(work: () => Result, kind: 'immediate' | 'deferred' = 'immediate'): Result {
    this.#db.exec(`begin ${kind}`);
    try {
      const result = work();
      this.#db.exec('commit');
      return result;
    } catch (error) {
      this.#chains.clear();
      this.#db.exec('rollback');
      throw error;
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const prepared = this.#db.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #run(sql: string, ...params: SQLInputValue[]) {
    return this.#prepare(sql).run(...params);
  }

  #all(sql: string, ...params: SQLInputValue[]): Record<string, unknown>[] {
    return this.#prepare(sql).all(...params);
  }
}

function positionIn({ chain, segment, line, start, end }: Record<string, unknown>): IndexedPosition {
  return { chain, segment, line, start, end } as unknown as IndexedPosition;
}

function decisionIn(row: Record<string, unknown>): DecisionPosition {
  return { ...positionIn(row), at: Number(row['at']), id: textOf(row['id'] as Uint8Array) };
}

/** The 16 bytes of a UUID. */
function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
