/** Questions to an index -> SQL, one text for SQLite and PostgreSQL; its rows -> the answers; entries -> rows. */

import { isDeepStrictEqual } from 'node:util';
import type { Query } from '../../platform/homes/query.ts';
import { DISPOSITIONS } from '../../policy/language.ts';
import { asksForReasons, type Filter, type Term } from '../read/filter.ts';
import { judgementOf, type PlacedNote } from '../read/judgement.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import type { SearchEntry } from '../read/search-entry.ts';
import { type CountedKind, countedOfDecision, earlierBy, keyOf } from './terms.ts';

/** A line to index. */
export interface NewLine {
  readonly position: IndexedPosition;
  readonly entry: SearchEntry;
}

/** What else is done in the transaction that writes lines. */
export type Alongside = (query: Query, lines: readonly NewLine[]) => Promise<void>;

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

/** Decisions from an instant until before another, in milliseconds since 1970; or the newest of a term, so many. */
export type Among =
  | { readonly from: number; readonly until: number }
  | { readonly term: Term; readonly newest: number };

/** What an entry is to an id. */
const ROLES = { decision: 1, noteOf: 2, note: 3, erasure: 4, event: 5, eventOf: 6 } as const;

const DAY_MS = 86_400_000;

/** Of so few decisions, or of this share of the entries, each is read by itself: the whole log takes longer. */
const [ALWAYS_NARROWED, NARROWED_SHARE] = [1000, 1 / 8];

/** Counts above this do not tell which criterion is rare. */
const MOST_TOLD = 1000;

/** A criterion of more terms does not lead to decisions: each would be a search of its own. */
const MOST_LEADING = 32;

/** A row as a driver returns it. */
export type Row = Readonly<Record<string, unknown>>;

export type Parameter = string | number | bigint | Uint8Array;

/** SQL with a `?` for each parameter. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly Parameter[];
}

/** Statements, one after the other; it goes on with the rows of each. SQLite answers at once, PostgreSQL does not. */
export type Question<Answer> = Generator<Statement, Answer, readonly Row[]>;

type Table = 'entry' | 'about' | 'decision' | 'term' | 'note' | 'name' | 'day';

/** Where SQLite and PostgreSQL differ. */
export interface Dialect {
  readonly table: (name: Table) => string;
  /** The name of an entry's chain, and the table that has it. */
  readonly chain: string;
  readonly joinChain: string;
  /** The rows of a table whose column has a value: looked up for each row before it. */
  readonly join: (table: string, alias: string, column: string, value: string) => string;
  /** The UUIDs of one parameter as the column `id` of a table `each`. */
  readonly each: string;
  readonly idsOf: (uuids: readonly string[]) => Parameter;
  /** A UUID as a parameter, and as it is returned. */
  readonly idOf: (uuid: string) => Parameter;
  readonly uuidOf: (id: unknown) => string;
}

/** What leads to the decisions of a filter, and what they are compared with. */
interface Plan {
  readonly filter: Filter;
  /** Each term leads to decisions; undefined: all decisions of the time. */
  readonly leads: readonly (Term | undefined)[];
  readonly compared: readonly (readonly Term[])[];
}

/** What is selected, from `first`, the alias of the table that leads to decisions, and `d`, which has them. */
interface Selected {
  readonly columns: string;
  /** Whether the term that leads to them has it all. */
  readonly isOfTerm?: boolean;
  readonly conditions?: readonly Condition[];
  readonly order?: string;
}

type Condition = readonly [text: string, ...parameters: readonly Parameter[]];

const DECISION = 'd.at, d.id, d.entry';

export function questionsOf({ table, chain, joinChain, join, each, idsOf, idOf, uuidOf }: Dialect) {
  const place = `${chain} as chain, segment, line, start, "end"`;
  const joinEntry = (entry: string) => `${join(table('entry'), 'entry', 'n', entry)} ${joinChain}`;
  const joinDecision = (entry: string) => join(table('decision'), 'd', 'entry', entry);
  const decisionIn = (row: Row): DecisionPosition => {
    return { ...positionIn(row), at: Number(row['at']), id: uuidOf(row['id']) };
  };

  function* rowsOf(text: string, ...parameters: readonly Parameter[]): Question<readonly Row[]> {
    return yield { text, parameters };
  }

  /** The rarest criterion leads; of its terms, those that a decision has. */
  function* planOf(filter: Filter): Question<Plan> {
    const { sought = [] } = filter;
    const leading = sought.filter(({ length }) => length <= MOST_LEADING);
    const keys = leading.flat().map(keyOf);
    const told = `select 1 from ${table('term')} where key = ? limit ${MOST_TOLD}`;
    const counts = keys.map((_, i) => `(select count(*) from (${told}) as told) as n${i}`);
    const [row = {}] = keys.length === 0 ? [] : yield* rowsOf(`select ${counts.join(', ')}`, ...keys);
    const left = Object.values(row).map(Number);
    const counted = leading.map((criterion) => {
      const ns = left.splice(0, criterion.length);
      return { criterion, leads: criterion.filter((_, i) => ns[i] !== 0), n: ns.reduce((sum, n) => sum + n, 0) };
    });
    const [rarest] = counted.sort((one, other) => one.n - other.n);
    if (!rarest) return { filter, leads: [undefined], compared: sought };
    return { filter, leads: rarest.leads, compared: sought.filter((each) => each !== rarest.criterion) };
  }

  function conditionsOf({ filter, compared }: Plan, first: string): readonly Condition[] {
    return [
      // OFFSET: PostgreSQL would make a join of it, and go through all decisions that have the terms.
      ...compared.map((terms): Condition => {
        const isSame = `t.at = ${first}.at and t.entry = ${first}.entry`;
        const has = `t.key in (${terms.map(() => '?').join(', ')}) and ${isSame}`;
        const text = `exists (select 1 from ${table('term')} as t where ${has} limit 1 offset 0)`;
        return [text, ...terms.map(keyOf)];
      }),
      ...(filter.from === undefined ? [] : [[`${first}.at >= ?`, Date.parse(filter.from)] as const]),
      ...(filter.to === undefined ? [] : [[`${first}.at <= ?`, Date.parse(filter.to)] as const]),
    ];
  }

  /** Selects from the decisions of a plan, each once; `around`: the statement, from them and up to a limit. */
  function* matching(
    plan: Plan,
    limit: number,
    select: (first: string, lead: Term | undefined) => Selected,
    around: (decisions: string) => string,
  ): Question<readonly Row[]> {
    const parameters: Parameter[] = [];
    const searches = plan.leads.map((lead, i) => {
      const first = lead ? 'first' : 'd';
      const { columns, isOfTerm, conditions = [], order = '' } = select(first, lead);
      const isLed: readonly Condition[] = lead ? [['first.key = ?', keyOf(lead)]] : [];
      const met = [...isLed, ...conditionsOf(plan, first), ...conditions];
      parameters.push(...met.flatMap(([, ...values]) => values), limit);
      const led = `${table('term')} as first ${isOfTerm ? '' : joinDecision('first.entry')}`;
      const from = lead ? led : `${table('decision')} as d`;
      const where = met.map(([text]) => text).join(' and ') || 'true';
      return `select * from (select ${columns} from ${from} where ${where} ${order} limit ?) as search${i}`;
    });
    return searches.length === 0 ? [] : yield* rowsOf(around(searches.join(' union ')), ...parameters, limit);
  }

  function* entriesAbout(ids: readonly string[], withEvents: boolean): Question<readonly Row[]> {
    return yield* rowsOf(
      `select distinct each.id as about, ${place}, entry.n
        from ${each} ${join(table('about'), 'about', 'id', 'each.id')} ${joinEntry('about.entry')}
        where role <> ? order by entry.n`,
      ...[idsOf(ids), withEvents ? 0 : ROLES.eventOf],
    );
  }

  return {
    *entries(): Question<number> {
      const [row] = yield* rowsOf(`select count(*) as n from ${table('entry')}`);
      return Number(row?.['n']);
    },

    /** The entries about ids, in the order in which they were read. */
    *about(ids: readonly string[], withEvents = true): Question<readonly IndexedPosition[]> {
      return (yield* entriesAbout(ids, withEvents)).map(positionIn);
    },

    /**
     * All decisions that pass a filter, or of which that cannot be told; undefined if they are so many that the log is
     * read as fast. The caller compares the records.
     */
    *narrow(filter: Filter): Question<readonly DecisionPosition[] | undefined> {
      const [last] = yield* rowsOf(`select max(n) as n from ${table('entry')}`);
      const most = Math.max(ALWAYS_NARROWED, Math.floor(Number(last?.['n'] ?? 0) * NARROWED_SHARE));
      const around = (decisions: string) =>
        `select d.at, d.id, ${place} from (${decisions}) as d ${joinEntry('d.entry')} limit ?`;
      const rows = yield* matching(yield* planOf(filter), most + 1, () => ({ columns: DECISION }), around);
      return rows.length > most ? undefined : rows.map(decisionIn);
    },

    /** Decisions that pass a filter, as far as the index can tell: the caller compares the records. */
    *search({ filter, limit, after, mostCounted }: IndexSearch): Question<IndexResult> {
      const plan = yield* planOf(filter);
      const select = (first: string) => ({
        columns: DECISION,
        conditions: [
          ...(asksForReasons(filter) ? [['d.earlier = 0'] as const] : []),
          // An index serves the first of both.
          ...(after ? [[`${first}.at <= ?`, after.at] as const] : []),
          ...(after ? [[`(${first}.at, d.id) < (?, ?)`, after.at, idOf(after.id)] as const] : []),
        ],
        order: `order by ${first}.at desc, d.id desc`,
      });
      const page = (decisions: string) => `select d.at, d.id, ${place} from (${decisions}) as d ${joinEntry('d.entry')}
        order by d.at desc, d.id desc limit ?`;
      const found = (yield* matching(plan, limit, select, page)).map(decisionIn);
      const ids = [...new Set(found.map(({ id }) => id))];
      const about = Map.groupBy(yield* entriesAbout(ids, true), (row) => uuidOf(row['about']));
      const count = (decisions: string) =>
        `select count(*) as n, coalesce(sum(earlier), 0) as earlier from (${decisions} limit ?) as d`;
      const counting = (first: string, lead: Term | undefined) => {
        const earlier = asksForReasons(filter) ? lead && earlierBy(lead) : 0;
        return { columns: `${first}.entry, ${earlier ?? 'd.earlier'} as earlier`, isOfTerm: earlier !== undefined };
      };
      const [counted] = mostCounted === undefined ? [] : yield* matching(plan, mostCounted, counting, count);
      const undecidable = Number(counted?.['earlier'] ?? 0);
      return {
        found: found.map(({ at, id, ...position }) => {
          const others = (about.get(id) ?? []).map(positionIn);
          return { ...position, at, id, others: others.filter((other) => !isDeepStrictEqual(other, position)) };
        }),
        total: Number(counted?.['n'] ?? 0) - undecidable,
        undecidable,
      };
    },

    /** How many decisions of each day, from that of an instant on, have which texts of a kind. */
    *dayCounts(kind: CountedKind, from = 0): Question<readonly DayCount[]> {
      const rows = yield* rowsOf(
        `select day, text, sum(n) as n from ${table('day')} as day join ${table('name')} as name on name.key = day.key
          where kind = ? and day >= ? group by day, text order by day, text nulls first`,
        ...[kind, Math.floor(from / DAY_MS)],
      );
      return rows.map(({ day, text, n }) => ({
        day: new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
        text: text as string | null,
        decisions: Number(n),
      }));
    },

    /** The texts of a kind that decisions have. */
    *texts(kind: CountedKind): Question<readonly string[]> {
      const rows = yield* rowsOf(
        `select text from ${table('name')} as name
          where kind = ? and text is not null and key in (select key from ${table('day')} as day)`,
        kind,
      );
      return rows.map(({ text }) => String(text));
    },

    /** When the first decision that has each term was made, in milliseconds since 1970; undefined without one. */
    *begins(terms: readonly Term[]): Question<readonly (number | undefined)[]> {
      const firsts = terms.map((_, i) => `(select min(at) from ${table('term')} where key = ?) as n${i}`);
      const [row = {}] = terms.length === 0 ? [] : yield* rowsOf(`select ${firsts.join(', ')}`, ...terms.map(keyOf));
      return terms.map((_, i) => (row[`n${i}`] === null ? undefined : Number(row[`n${i}`])));
    },

    /** How many decisions have each term, among those of a time, or among the newest that have another term. */
    *counts(terms: readonly Term[], among: Among): Question<readonly number[]> {
      if (terms.length === 0) return [];
      const isTimed = 'until' in among;
      const newest = `select at, entry from ${table('term')} where key = ? order by at desc, entry desc limit ?`;
      const from = `${isTimed ? '' : `(${newest}) as d cross join `}${table('term')} as t`;
      const where = isTimed ? 't.at >= ? and t.at < ?' : 't.at = d.at and t.entry = d.entry';
      const rows = yield* rowsOf(
        `select cast(t.key as text) as key, count(*) as n from ${from}
          where ${where} and t.key in (${terms.map(() => '?').join(', ')}) group by t.key`,
        ...(isTimed ? [among.from, among.until] : [keyOf(among.term), among.newest]),
        ...terms.map(keyOf),
      );
      const counted = new Map(rows.map(({ key, n }) => [String(key), Number(n)]));
      return terms.map((term) => counted.get(String(keyOf(term))) ?? 0);
    },

    /** Which terms decisions have by their notes, and which they have not. */
    *dispositions(decisions: readonly string[]) {
      const notes = yield* rowsOf(
        `select decision, at, note.id, seq, disposition, ${chain} as chain
          from ${each} ${join(table('note'), 'note', 'decision', 'each.id')} ${joinEntry('note.entry')}`,
        idsOf(decisions),
      );
      const noted = yield* rowsOf(
        `select each.id as decision, d.entry, d.at from ${each}
          ${join(table('about'), 'about', 'id', 'each.id')} ${joinDecision('about.entry')} where role = ?`,
        ...[idsOf(decisions), ROLES.decision],
      );
      const said = Map.groupBy(notes, ({ decision }) => uuidOf(decision));
      return noted.flatMap(({ decision, entry, at }) => {
        const own = (said.get(uuidOf(decision)) ?? []).map((row) => {
          return {
            ...row,
            at: new Date(Number(row['at'])).toISOString(),
            id: uuidOf(row['id']),
            seq: Number(row['seq']),
          };
        });
        const judged = Object.values(judgementOf(own as unknown as readonly PlacedNote[]));
        return DISPOSITIONS.map((disposition) => ({
          ...{ key: keyOf({ kind: 'disposition', text: disposition }), at: Number(at), entry: Number(entry) },
          has: judged.some((note) => note.disposition === disposition),
        }));
      });
    },
  };
}

function positionIn({ chain, segment, line, start, end }: Row): IndexedPosition {
  return { chain, segment, line, start, end } as unknown as IndexedPosition;
}

/** The ids that an entry is about, each once, and what it is to them. */
export function aboutOf(entry: SearchEntry): readonly (readonly [id: string, role: number])[] {
  switch (entry.kind) {
    case 'decision':
      return [[entry.id, ROLES.decision]];
    case 'note':
      return [
        [entry.id, ROLES.note],
        [entry.decision, ROLES.noteOf],
      ];
    case 'event':
      return [[entry.id, ROLES.event], ...(entry.object ? [[entry.object, ROLES.eventOf] as const] : [])];
    case 'erasure':
      return [...new Set(entry.records)].map((id) => [id, ROLES.erasure] as const);
    default:
      return [];
  }
}

/** A segment's decisions of a day that have a term. */
export interface DayRow {
  readonly chain: string;
  readonly segment: number;
  readonly term: Term<CountedKind>;
  readonly day: number;
  readonly n: number;
}

export function dayRowsOf(lines: readonly NewLine[]): readonly DayRow[] {
  const rows = new Map<string, { -readonly [Field in keyof DayRow]: DayRow[Field] }>();
  for (const { position, entry } of lines) {
    if (entry.kind !== 'decision') continue;
    const { chain, segment } = position;
    const day = Math.floor(Date.parse(entry.at) / DAY_MS);
    for (const term of countedOfDecision(entry)) {
      const name = `${chain} ${segment} ${day} ${term.kind} ${term.text}`;
      const known = rows.get(name);
      if (known) known.n += 1;
      else rows.set(name, { chain, segment, term, day, n: 1 });
    }
  }
  return [...rows.values()];
}
