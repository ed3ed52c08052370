/** What is asked of an index -> SQL, one text for SQLite and PostgreSQL; rows -> what was found; entries -> rows. */

import { isDeepStrictEqual } from 'node:util';
import type { Filter } from '../read/filter.ts';
import { judgementOf, type PlacedNote } from '../read/judgement.ts';
import type { IndexedPosition } from '../read/read-log.ts';
import type { SearchEntry } from '../read/search-entry.ts';
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
} from './terms.ts';

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

type Table = 'entry' | 'about' | 'decision' | 'term' | 'note' | 'name' | 'day';

/** Where SQLite and PostgreSQL differ. */
export interface Dialect {
  readonly table: (name: Table) => string;
  /** The name of an entry's chain, and the table that has it. */
  readonly chain: string;
  readonly joinChain: string;
  /** A UUID as a parameter, and as it is returned. */
  readonly idOf: (uuid: string) => Parameter;
  readonly uuidOf: (id: unknown) => string;
  /** The rows of a table whose column has a value: looked up for each row before it. */
  readonly join: (table: string, alias: string, column: string, value: string) => string;
  /** Some UUIDs as the column `id` of a table `each`. */
  readonly each: (uuids: readonly string[]) => Condition;
}

/** What leads to the decisions of a filter, and what they are compared with. */
export interface Plan {
  readonly filter: Filter;
  /** Each term leads to decisions; undefined: all decisions of the time. */
  readonly leads: readonly (Term | undefined)[];
  readonly compared: readonly Criterion[];
}

/** What a search returns of a decision. */
const DECISION = 'd.at, d.id, d.entry';

interface Asked {
  readonly columns: string;
  readonly conditions?: readonly Condition[];
  readonly order?: string;
}

export type Condition = readonly [text: string, ...parameters: readonly Parameter[]];

function mayLead({ length }: Criterion): boolean {
  return length <= MOST_LEADING;
}

/**
 * The rarest criterion leads, by `counts` of all terms that may. A term without a decision leads to none, so the counts
 * have to be of the same moment.
 */
export function planOf(filter: Filter, counts: readonly number[]): Plan {
  const criteria = criteriaOf(filter);
  const left = [...counts];
  const counted = criteria.filter(mayLead).map((criterion) => {
    const ns = left.splice(0, criterion.length);
    return { criterion, leads: criterion.filter((_, i) => ns[i] !== 0), n: ns.reduce((sum, n) => sum + n, 0) };
  });
  const [rarest] = counted.sort((one, other) => one.n - other.n);
  if (!rarest) return { filter, leads: [undefined], compared: criteria };
  return { filter, leads: rarest.leads, compared: criteria.filter((criterion) => criterion !== rarest.criterion) };
}

/** What an index is asked, as SQL, and what its rows say. */
export function statementsOf({ table, chain, joinChain, idOf, uuidOf, join, each }: Dialect) {
  const place = `${chain} as chain, segment, line, start, "end"`;
  const joinEntry = (entry: string) => `${join(table('entry'), 'entry', 'n', entry)} ${joinChain}`;
  const decisionIn = (row: Row): DecisionPosition => {
    return { ...positionIn(row), at: Number(row['at']), id: uuidOf(row['id']) };
  };

  /**
   * Selects from the decisions of a plan, each once; undefined if there are none. `asked` gets the alias of the table
   * that leads to them; `d` has the decision. `around`: the statement, from them.
   */
  const matching = (
    { filter, leads, compared }: Plan,
    limit: number,
    asked: (first: string) => Asked,
    around: (decisions: string) => string,
  ): Statement | undefined => {
    const parameters: Parameter[] = [];
    const searches = leads.map((lead, i) => {
      const first = lead ? 'first' : 'd';
      const { columns, conditions = [], order = '' } = asked(first);
      const met: readonly Condition[] = [
        ...(lead ? [['first.key = ?', keyOf(lead)] as const] : []),
        // OFFSET: PostgreSQL would make a join of it, and go through all decisions that have the terms.
        ...compared.map((terms): Condition => {
          const isSame = `t.at = ${first}.at and t.entry = ${first}.entry`;
          const has = `t.key in (${terms.map(() => '?').join(', ')}) and ${isSame}`;
          const text = `exists (select 1 from ${table('term')} as t where ${has} limit 1 offset 0)`;
          return [text, ...terms.map(keyOf)];
        }),
        ...(filter.from === undefined ? [] : [[`${first}.at >= ?`, Date.parse(filter.from)] as const]),
        ...(filter.to === undefined ? [] : [[`${first}.at <= ?`, Date.parse(filter.to)] as const]),
        ...conditions,
      ];
      parameters.push(...met.flatMap(([, ...values]) => values), limit);
      const where = met.map(([text]) => text).join(' and ') || 'true';
      const decision = table('decision');
      const led = `${table('term')} as first ${join(decision, 'd', 'entry', 'first.entry')}`;
      const from = lead ? led : `${decision} as d`;
      const text = `select ${columns} from ${from} where ${where} ${order} limit ?`;
      return `select * from (${text}) as search${i}`;
    });
    if (searches.length === 0) return undefined;
    return { text: around(searches.join(' union ')), parameters: [...parameters, limit] };
  };

  return {
    /** How many decisions each term has that may lead to them; undefined if none may. */
    counts: (filter: Filter): Statement | undefined => {
      const keys = criteriaOf(filter).filter(mayLead).flat().map(keyOf);
      const told = `select 1 from ${table('term')} where key = ? limit ${MOST_TOLD}`;
      const counts = keys.map((_, i) => `(select count(*) from (${told}) as told) as n${i}`);
      return keys.length === 0 ? undefined : { text: `select ${counts.join(', ')}`, parameters: keys };
    },

    found: (plan: Plan, { filter, limit, after }: IndexSearch): Statement | undefined => {
      const asked = (first: string) => ({
        columns: DECISION,
        conditions: [
          ...(asksForReasons(filter) ? [['d.earlier = 0'] as const] : []),
          // An index serves the first of both.
          ...(after ? [[`${first}.at <= ?`, after.at] as const] : []),
          ...(after ? [[`(${first}.at, d.id) < (?, ?)`, after.at, idOf(after.id)] as const] : []),
        ],
        order: `order by ${first}.at desc, d.id desc`,
      });
      return matching(plan, limit, asked, (decisions) => {
        return `select d.at, d.id, ${place} from (${decisions}) as d ${joinEntry('d.entry')}
          order by d.at desc, d.id desc limit ?`;
      });
    },

    /** How many match, `n`, and how many of them cannot be decided, `earlier`. */
    total: (plan: Plan, { mostCounted: most }: IndexSearch): Statement | undefined => {
      if (most === undefined) return undefined;
      const columns = `d.entry, ${asksForReasons(plan.filter) ? 'd.earlier' : '0'} as earlier`;
      return matching(
        plan,
        most,
        () => ({ columns }),
        (decisions) => {
          return `select count(*) as n, coalesce(sum(earlier), 0) as earlier from (${decisions} limit ?) as d`;
        },
      );
    },

    narrowed: (plan: Plan, most: number): Statement | undefined =>
      matching(
        plan,
        most,
        () => ({ columns: DECISION }),
        (decisions) => {
          return `select d.at, d.id, ${place} from (${decisions}) as d ${joinEntry('d.entry')} limit ?`;
        },
      ),

    last: { text: `select max(n) as n from ${table('entry')}`, parameters: [] } as Statement,

    entries: { text: `select count(*) as n from ${table('entry')}`, parameters: [] } as Statement,

    /** The entries about ids, in the order in which they were read. */
    about: (ids: readonly string[], withEvents: boolean): Statement => {
      const [from, ...parameters] = each(ids);
      return {
        text: `select distinct each.id as about, ${place}, entry.n
          from ${from} ${join(table('about'), 'about', 'id', 'each.id')} ${joinEntry('about.entry')}
          where role <> ? order by entry.n`,
        parameters: [...parameters, withEvents ? 0 : ROLES.eventOf],
      };
    },

    dayCounts: (kind: CountedKind, from: number): Statement => ({
      text: `select day, text, sum(n) as n from ${table('day')} as day
        join ${table('name')} as name on name.key = day.key
        where kind = ? and day >= ? group by day, text order by day, text nulls first`,
      parameters: [kind, Math.floor(from / DAY_MS)],
    }),

    /** The notes about decisions, and where those decisions are. */
    notes: (decisions: readonly string[]): Statement => {
      const [from, ...parameters] = each(decisions);
      return {
        text: `select decision, at, note.id, seq, disposition, ${chain} as chain
          from ${from} ${join(table('note'), 'note', 'decision', 'each.id')} ${joinEntry('note.entry')}`,
        parameters,
      };
    },
    noted: (decisions: readonly string[]): Statement => {
      const [from, ...parameters] = each(decisions);
      return {
        text: `select each.id as decision, d.entry, d.at from ${from} ${join(table('about'), 'about', 'id', 'each.id')}
          ${join(table('decision'), 'd', 'entry', 'about.entry')} where role = ${ROLES.decision}`,
        parameters,
      };
    },

    decisionIn,

    /** The ids of rows of `found`, each once. */
    idsIn: (found: readonly Row[]): readonly string[] => [...new Set(found.map(({ id }) => uuidOf(id)))],

    /** From rows of `found`, of `about` of their ids, and of `total`. */
    resultIn: (found: readonly Row[], others: readonly Row[], [counted]: readonly Row[]): IndexResult => {
      const about = Map.groupBy(others, (row) => uuidOf(row['about']));
      const undecidable = Number(counted?.['earlier'] ?? 0);
      return {
        found: found.map((row) => {
          const [decision, position] = [decisionIn(row), positionIn(row)];
          const all = (about.get(decision.id) ?? []).map(positionIn);
          return { ...decision, others: all.filter((other) => !isDeepStrictEqual(other, position)) };
        }),
        total: Number(counted?.['n'] ?? 0) - undecidable,
        undecidable,
      };
    },

    /** From rows of `notes` and of `noted`: which terms decisions have by their notes, and which they have not. */
    dispositions: (notes: readonly Row[], noted: readonly Row[]) => {
      const said = notes.map((row) => ({
        decision: uuidOf(row['decision']),
        note: { ...row, at: new Date(Number(row['at'])).toISOString(), id: uuidOf(row['id']), seq: Number(row['seq']) },
      }));
      return noted.flatMap((row) => {
        const id = uuidOf(row['decision']);
        const own = said.filter(({ decision }) => decision === id).map(({ note }) => note as unknown as PlacedNote);
        const has = Object.values(judgementOf(own)).map(({ disposition }) => keyOf(dispositionTerm(disposition)));
        const [at, entry] = [Number(row['at']), Number(row['entry'])];
        return DISPOSITION_TERMS.map((term) => keyOf(term)).map((key) => ({ key, at, entry, has: has.includes(key) }));
      });
    },
  };
}

/** The counts in a row of `counts`. */
export function countsIn([row = {}]: readonly Row[]): readonly number[] {
  return Object.values(row).map(Number);
}

/** How many decisions are narrowed to at most, of a log whose last entry has a number. */
export function mostNarrowed(last: unknown): number {
  return Math.max(ALWAYS_NARROWED, Math.floor(Number(last ?? 0) * NARROWED_SHARE));
}

export function positionIn({ chain, segment, line, start, end }: Row): IndexedPosition {
  return { chain, segment, line, start, end } as unknown as IndexedPosition;
}

export function dayCountIn({ day, text, n }: Row): DayCount {
  const date = new Date(Number(day) * DAY_MS).toISOString().slice(0, 10);
  return { day: date, text: text as string | null, decisions: Number(n) };
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
