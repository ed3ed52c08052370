/** Clear fields of a log's entries -> rows of `index.sqlite`, and what is found in them. Its calls are synchronous. */

import { hash } from 'node:crypto';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Filter, Term } from '../read/filter.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import { idOfIndex, openIndex } from './index-database.ts';
import {
  type Among,
  aboutOf,
  type DayCount,
  type DecisionPosition,
  dayRowsOf,
  type IndexResult,
  type IndexSearch,
  type NewLine,
  type Question,
  questionsOf,
} from './index-sql.ts';
import { type CountedKind, rememberedKeys, termsOfDecision } from './terms.ts';

/** CROSS: in this order. */
const QUESTIONS = questionsOf({
  table: (name) => name,
  chain: 'chain.name',
  joinChain: 'join chain on chain.n = entry.chain',
  join: (table, alias, column, value) => `cross join ${table} as ${alias} on ${alias}.${column} = ${value}`,
  each: '(select unhex(value) as id from json_each(?)) as each',
  idsOf: (uuids) => JSON.stringify(uuids.map((uuid) => uuid.replaceAll('-', ''))),
  idOf: bytesOf,
  uuidOf,
});

/** Where a segment was read to. */
export interface ReadTo {
  readonly segment: number;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Of the last line. */
  readonly digest: string;
}

/** The index of one log. */
export class IndexFile {
  readonly #path: string;
  readonly #id: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #chains = new Map<string, number>();
  readonly #keyOf = rememberedKeys();

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
    return this.#ask(QUESTIONS.entries());
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
      this.#count(lines);
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
      this.#setDispositions(noted.map(({ decision }) => uuidOf(decision)));
    });
  }

  find(id: string, withEvents?: boolean): readonly IndexedPosition[] {
    return this.#ask(QUESTIONS.about([id], withEvents));
  }

  narrow(filter: Filter): readonly DecisionPosition[] | undefined {
    return this.#inTransaction(() => this.#ask(QUESTIONS.narrow(filter)), 'deferred');
  }

  search(search: IndexSearch): IndexResult {
    return this.#inTransaction(() => this.#ask(QUESTIONS.search(search)), 'deferred');
  }

  dayCounts(kind: CountedKind, from?: number): readonly DayCount[] {
    return this.#ask(QUESTIONS.dayCounts(kind, from));
  }

  texts(kind: CountedKind): readonly string[] {
    return this.#ask(QUESTIONS.texts(kind));
  }

  begins(terms: readonly Term[]): readonly (number | undefined)[] {
    return this.#ask(QUESTIONS.begins(terms));
  }

  counts(terms: readonly Term[], among: Among): readonly number[] {
    return this.#ask(QUESTIONS.counts(terms, among));
  }

  close(): void {
    this.#db.close();
  }

  /** By the notes of decisions, in whatever order the entries were read. */
  #setDispositions(decisions: readonly string[]): void {
    for (const { key, at, entry, has } of this.#ask(QUESTIONS.dispositions(decisions))) {
      if (has) this.#run('insert or ignore into term values (?, ?, ?)', key, at, entry);
      else this.#run('delete from term where key = ? and at = ? and entry = ?', key, at, entry);
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
    this.#setDispositions([...new Set(noted)]);
  }

  #count(lines: readonly NewLine[]): void {
    for (const { chain, segment, term, day, n } of dayRowsOf(lines)) {
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
    for (const [id, role] of aboutOf(entry)) this.#run('insert into about values (?, ?, ?)', bytesOf(id), role, n);
    if (entry.kind === 'note') {
      this.#run(
        'insert into note values (?, ?, ?, ?, ?, ?)',
        ...[bytesOf(entry.decision), Date.parse(entry.at), bytesOf(entry.id), n, entry.seq, entry.disposition],
      );
    }
    if (entry.kind === 'decision') {
      const isEarlier = entry.reasons ? 0 : 1;
      this.#run('insert into decision values (?, ?, ?, ?)', n, Date.parse(entry.at), bytesOf(entry.id), isEarlier);
    }
    return n;
  }

  #hasNote(decision: string): boolean {
    return this.#all('select 1 from note where decision = ? limit 1', bytesOf(decision)).length > 0;
  }

  #chainOf(name: string): number {
    const known = this.#chains.get(name);
    if (known !== undefined) return known;
    this.#run('insert or ignore into chain values (null, ?)', name);
    const n = Number(this.#all('select n from chain where name = ?', name)[0]?.['n']);
    this.#chains.set(name, n);
    return n;
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

  #ask<Answer>(question: Question<Answer>): Answer {
    let asked = question.next([]);
    while (!asked.done) asked = question.next(this.#all(asked.value.text, ...asked.value.parameters));
    return asked.value;
  }

  #all(sql: string, ...params: SQLInputValue[]): Record<string, unknown>[] {
    return this.#prepare(sql).all(...params);
  }
}

/** The 16 bytes of a UUID. */
function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function uuidOf(bytes: unknown): string {
  return Buffer.from(bytes as Uint8Array)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
