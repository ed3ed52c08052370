/** Cases that wait for a person -> one holder at a time. The rows are a projection of the log, and leases. */

import { randomUUID } from 'node:crypto';
import { VerdictError } from '../../errors.ts';
import type { References } from './references.ts';
import type { Statements } from './sql.ts';

export type CaseKind = 'review' | 'challenge' | 'recheck';

export type CaseState = 'open' | 'resolving' | 'resolved';

/** Times are in milliseconds since 1970. */
export interface NewCase {
  /** A UUID; of a review, the id of its decision. */
  readonly id: string;
  readonly decision: string;
  readonly kind: CaseKind;
  readonly queue: string;
  readonly openedAt: number;
  readonly due: number;
  /** The hash of who opened it, in the log: who decides nothing in it. */
  readonly opener?: string | undefined;
  /** Of its decision: what the policy calls itself, and the codes that decided. */
  readonly policy?: string | null | undefined;
  readonly codes?: readonly string[] | undefined;
}

export interface Case extends Required<Omit<NewCase, 'opener' | 'policy' | 'codes'>> {
  readonly policy: string | null;
  readonly codes: readonly string[];
  /** Read from its record; null until then, and once that is erased. */
  readonly score: number | null;
  /** The facts that its queue shows, by path; none is personal. */
  readonly facts: Readonly<Record<string, string>>;
  /** Nobody else gets it until then. */
  readonly reservedFor: string | null;
  readonly reservedUntil: number | null;
  /** Nobody is given it until then: it is on hold, or waits for what its caller was `asked` for. */
  readonly sleepsUntil: number | null;
  readonly asked: string | null;
  readonly takenAt: number | null;
  readonly state: CaseState;
  /** Who has it, if `until` is not over; a resolved case has no holder. */
  readonly holder: string | null;
  /** Each new holder gets a greater one, so that an earlier one is void. */
  readonly token: number;
  readonly until: number | null;
  readonly disposition: string | null;
  readonly resolvedAt: number | null;
  /** The id of the note in the log that resolves it. */
  readonly note: string | null;
}

/** A person's hold of a case. */
export interface Hold {
  readonly id: string;
  readonly token: number;
  readonly person: string;
}

/** The hashes that the log has of a person, one with each index key. Nobody gets a case that they opened. */
interface Acting {
  readonly actors?: readonly string[];
}

/**
 * All calls reject with `StateUnavailable`, within 5 seconds, if the store fails. A call that changes a case resolves
 * with undefined if the case is not in the state for it; `get` then says why. Leases end by the clock of the store.
 */
export interface Cases {
  /** A case that is there already stays as it is. */
  open(cases: readonly NewCase[]): Promise<void>;
  /**
   * The next case that nobody holds and this person has not skipped: first what is kept for them, then the first due,
   * then the first opened. Who holds one gets that one again, with its token and a new lease. With `id` it is that
   * case, also one that sleeps, if it is kept for them.
   */
  take(
    of: Acting & {
      readonly person: string;
      readonly id?: string;
      /** Default: all. */
      readonly queues?: readonly string[] | undefined;
      readonly leaseMs: number;
    },
  ): Promise<Case | undefined>;
  /** Of some cases, those that `take` would give to a person by their id. */
  free(of: Acting & { readonly person: string; readonly ids: readonly string[] }): Promise<readonly string[]>;
  renew(of: Hold & { readonly leaseMs: number }): Promise<Case | undefined>;
  /** `skip`: this person does not get it again. A case whose resolution has begun is not given back. */
  release(of: Hold & { readonly skip: boolean }): Promise<Case | undefined>;
  /** Keeps an unresolved case for a person, who may have skipped it, until it is due, and for four hours at least. */
  reassign(of: Acting & { readonly id: string; readonly to: string }): Promise<Case | undefined>;
  /**
   * The case of a holder sleeps, and is then kept for them as one that is reassigned. Default of `until`: when it is
   * due, in four hours at least. `asked`: what its caller was asked for.
   */
  sleep(of: Hold & { readonly until?: number; readonly asked?: string }): Promise<Case | undefined>;
  /** Wakes a case whose caller was asked. */
  answer(of: { readonly id: string }): Promise<Case | undefined>;
  /** To another queue, due within its time at the latest; this person does not get it again. */
  escalate(of: Hold & { readonly queue: string; readonly withinMs: number }): Promise<Case | undefined>;
  /**
   * Step 1, before the note is appended to the log: only while more than `leastMs` of the lease are left. The same
   * person may repeat it with the same note and disposition. If the lease ends, the case returns to the queue.
   */
  beginResolve(
    of: Hold & Acting & { readonly note: string; readonly disposition: string; readonly leastMs: number },
  ): Promise<Case | undefined>;
  /**
   * Step 3, after the note is in the log: by whoever sees it, any number of times, in any order. Of two notes the later
   * one counts. Without `id` it is the case that waits for this note, else the review of the decision.
   */
  finishResolve(of: {
    readonly decision: string;
    readonly id?: string | undefined;
    readonly note: string;
    readonly disposition: string;
    readonly at: number;
    /** The hash of who resolves it, in the log. */
    readonly resolver?: string | undefined;
  }): Promise<void>;
  /** What came to light of a decision; of two labels the later one counts. */
  label(of: { readonly decision: string; readonly label: string; readonly at: number }): Promise<void>;
  /** Cases that wait, whose records were not read yet. */
  undescribed(limit: number): Promise<readonly Pick<Case, 'id' | 'decision' | 'queue'>[]>;
  /** Changes nothing once the record was erased. */
  describe(of: Pick<Case, 'id' | 'score' | 'facts'>): Promise<void>;
  /** Empties what was read from records that are erased. */
  forgetFacts(decisions: readonly string[]): Promise<void>;
  /** Closes a case that is not resolved, without an answer: its decision was made again. */
  close(of: { readonly id: string; readonly at: number }): Promise<void>;
  get(id: string): Promise<Case | undefined>;
  /** The cases of decisions. */
  of(...decisions: readonly string[]): Promise<readonly Case[]>;
  /** What a person holds now: several after a reassignment. */
  held(person: string): Promise<readonly Case[]>;
  /** What is kept for a person now, and held by nobody. */
  given(person: string): Promise<readonly Case[]>;
  /** `after`: the last one of the page before, by what they are sorted by and its id. */
  list(
    of: CaseFilter & {
      /** Default: `due`. By `opened` and `score`, the highest first, there are only those that wait. */
      readonly sort?: CaseSort | undefined;
      readonly after?: { readonly at: number; readonly id: string } | undefined;
      readonly limit: number;
    },
  ): Promise<readonly Case[]>;
  /** How many wait that a filter leaves. */
  total(of: CaseFilter): Promise<number>;
  /** Of the cases that are not resolved. */
  counts(): Promise<readonly CaseCount[]>;
  overdue(): Promise<number>;
  /** The codes that decided those that wait, the most frequent first. */
  codes(): Promise<readonly string[]>;
  /** How many wait, by queue and age. */
  backlog(): Promise<readonly Backlog[]>;
  /** How many were opened and resolved in each hour, which is counted from 1970, of the last time. */
  flow(ms: number): Promise<readonly { readonly hour: number; readonly opened: number; readonly resolved: number }[]>;
  /** What each person, by the hash in the log, resolved in the last time. */
  byPerson(ms: number): Promise<readonly Resolved[]>;
  /** How far a follower of the log has read. */
  position(name: string): Promise<string | undefined>;
  /** Changes nothing if the position is not `before` any more, as after `clear`. */
  setPosition(name: string, position: string, before: string | undefined): Promise<void>;
  /** Forgets all cases, and replaces each position with a text that is none: cases are made again from the log. */
  clear(): Promise<void>;
}

export const CASE_SORTS = ['due', 'opened', 'score'] as const;

export type CaseSort = (typeof CASE_SORTS)[number];

/** `waiting`: on hold, or for an answer; `given`: kept for a person. */
export const SITUATIONS = ['free', 'held', 'waiting', 'given'] as const;

export type Situation = (typeof SITUATIONS)[number];

export interface CaseFilter {
  readonly queues?: readonly string[] | undefined;
  readonly states?: readonly CaseState[] | undefined;
  readonly policies?: readonly string[] | undefined;
  /** All of which decided. */
  readonly codes?: readonly string[] | undefined;
  readonly facts?: Readonly<Record<string, string>> | undefined;
  readonly situations?: readonly Situation[] | undefined;
  /** Who holds it, or for whom it is kept. */
  readonly holder?: string | undefined;
  /** Due within this time from now; 0 for what is overdue. */
  readonly dueMs?: number | undefined;
}

export interface CaseCount {
  readonly queue: string;
  readonly state: CaseState;
  readonly count: number;
  readonly oldestDue: number;
  readonly overdue: number;
}

export interface Backlog {
  readonly queue: string;
  /** One of `AGES`. */
  readonly hours: number;
  readonly count: number;
  readonly overdue: number;
}

export interface Resolved {
  readonly resolver: string;
  readonly decided: number;
  readonly approved: number;
  /** Approved, and labelled as fraud; or declined, and labelled as genuine. */
  readonly overturned: number;
  /** After it was due. */
  readonly late: number;
  /** From when its holder took it; null if that is not known of any. */
  readonly medianMs: number | null;
}

export type Parameter = string | number | null;

export type Row = Readonly<Record<string, Parameter>>;

/** Runs a statement in a transaction of its own, or with others that change other rows. */
export type Run = (name: keyof Statements, parameters: readonly Parameter[]) => Promise<readonly Row[]>;

/** Runs statements in one transaction, of which one runs at a time among those of its name. */
export type RunAll = (name: string, calls: readonly Call[]) => Promise<unknown>;

export type Call = readonly [name: keyof Statements, parameters: readonly Parameter[]];

/** Where references and cases are kept. */
export interface Home extends References {
  /** How many calls wait for a connection, where there are some. */
  readonly waiting?: number;
  readonly run: Run;
  readonly runAll: RunAll;
  /** Takes what was overwritten or deleted out of the files; absent where a server does that in its time. */
  scrub?(): Promise<void>;
}

export function createCases(run: Run): Cases {
  const one = async (name: keyof Statements, ...parameters: readonly Parameter[]) =>
    (await run(name, parameters)).map(caseOf)[0];
  return {
    open: async (cases) => {
      const rows = cases.map(({ opener, codes, ...row }) => {
        return { ...row, skipped: opener ? lineOf(opener) : '', codes: codes && JSON.stringify(codes) };
      });
      // PostgreSQL takes each row once: two processes may have opened a case at the same time.
      await run('open', [JSON.stringify([...new Map(rows.map((row) => [row.id, row])).values()])]);
    },
    take: async ({ person, id, actors = [], queues, leaseMs }) => {
      const others = [linesOf([person, ...actors]), leaseMs, linesOf(actors)];
      return id === undefined ? one('take', person, listOf(queues), ...others) : one('takeOne', person, id, ...others);
    },
    free: async ({ person, ids, actors = [] }) => {
      const parameters = [person, listOf(ids), linesOf([person, ...actors]), linesOf(actors)];
      return (await run('free', parameters)).map(({ id }) => String(id));
    },
    renew: ({ id, token, person, leaseMs }) => one('renew', id, token, person, leaseMs),
    release: ({ id, token, person, skip }) => one('release', id, token, person, skip ? lineOf(person) : ''),
    reassign: ({ id, to, actors = [] }) => one('reassign', id, to, linesOf(actors)),
    sleep: ({ id, token, person, until = null, asked = null }) => one('sleep', id, token, person, until, asked),
    answer: ({ id }) => one('answer', id),
    escalate: ({ id, token, person, queue, withinMs }) =>
      one('escalate', id, token, person, queue, withinMs, lineOf(person)),
    beginResolve: ({ id, token, person, actors = [], note, disposition, leastMs }) =>
      one('beginResolve', id, token, person, note, disposition, leastMs, linesOf(actors)),
    finishResolve: async ({ decision, id = null, note, disposition, at, resolver = null }) =>
      void (await run('finishResolve', [decision, id, note, disposition, at, resolver])),
    label: async ({ decision, label, at }) => void (await run('labelCases', [decision, label, at])),
    undescribed: async (limit) => (await run('undescribed', [limit])) as unknown as Awaited<UndescribedCases>,
    describe: async ({ id, score, facts }) => void (await run('describe', [id, score, JSON.stringify(facts)])),
    forgetFacts: async (decisions) => void (await run('forgetFacts', [listOf(decisions)])),
    close: async ({ id, at }) => void (await run('closeCase', [id, at])),
    get: (id) => one('get', id),
    of: async (...decisions) => (await run('ofDecisions', [listOf(decisions)])).map(caseOf),
    held: async (person) => (await run('held', [person])).map(caseOf),
    given: async (person) => (await run('given', [person])).map(caseOf),
    list: async ({ after, limit, sort = 'due', ...filter }) => {
      const parameters = [...filterTexts(filter), after?.at ?? null, after?.id ?? null, limit];
      // Most cases are resolved: a page of those that wait must not read them all.
      const isWaiting = filter.states !== undefined && !filter.states.includes('resolved');
      return (await run(sort === 'due' && !isWaiting ? 'list' : LISTS[sort], parameters)).map(caseOf);
    },
    total: async (filter) => Number((await run('total', filterTexts(filter)))[0]?.['count']),
    counts: async () => rowsOf<CaseCount>(await run('counts', []), ['count', 'oldestDue', 'overdue']),
    overdue: async () => Number((await run('overdue', []))[0]?.['count']),
    codes: async () => [...new Set((await run('codes', [])).flatMap((row) => caseOf(row).codes))],
    backlog: async () => rowsOf<Backlog>(await run('backlog', []), ['hours', 'count', 'overdue']),
    flow: async (ms) => rowsOf(await run('flow', [ms]), ['hour', 'opened', 'resolved']),
    byPerson: async (ms) => rowsOf<Resolved>(await run('byPerson', [ms]), RESOLVED_NUMBERS),
    position: async (name) => (await run('position', [name]))[0]?.['position'] as string | undefined,
    setPosition: async (name, position, before) => void (await run('setPosition', [name, position, before ?? null])),
    clear: async () => {
      // In this order: after a crash between them the log is read again, and finds its cases.
      await run('clearPositions', [`cleared ${randomUUID()}`]);
      await run('clearCases', []);
    },
  };
}

type UndescribedCases = ReturnType<Cases['undescribed']>;

const LISTS = { due: 'listWaiting', opened: 'listByOpened', score: 'listByScore' } as const;

/** What a case is sorted by, as `after` has it. */
export function placeOf({ id, due, openedAt, score }: Case, sort: CaseSort = 'due') {
  return { id, at: { due, opened: openedAt, score: score === null ? 1e300 : -score }[sort] };
}

const RESOLVED_NUMBERS = ['decided', 'approved', 'overturned', 'late', 'medianMs'];

const NUMBERS = [
  ...['openedAt', 'due', 'token', 'until', 'resolvedAt', 'score', 'reservedUntil', 'sleepsUntil', 'takenAt'],
];

function caseOf(row: Row): Case {
  const { codes, facts } = row;
  return {
    ...withNumbers<Case>(row, NUMBERS),
    codes: codes ? JSON.parse(String(codes)) : [],
    facts: facts ? JSON.parse(String(facts)) : {},
  };
}

/** Codes and facts are JSON, in which such a text is found only if it is one of them. */
function filterTexts({ queues, states, policies, codes, facts = {}, situations, holder, dueMs }: CaseFilter) {
  const pairs = Object.entries(facts).map((pair) => pair.map((text) => JSON.stringify(checkText(text))).join(':'));
  const texts = [queues, states, policies, codes?.map((code) => JSON.stringify(code)), pairs, situations];
  return [...texts.map(listOf), holder ?? null, dueMs ?? null];
}

function rowsOf<Of>(rows: readonly Row[], columns: readonly string[]): readonly Of[] {
  return rows.map((row) => withNumbers<Of>(row, columns));
}

/** A row with numbers in these columns: PostgreSQL returns whole numbers as texts. */
export function withNumbers<Of>(row: Row, columns: readonly string[]): Of {
  const numbers = columns.map((column) => [column, row[column] === null ? null : Number(row[column])]);
  return { ...row, ...Object.fromEntries(numbers) };
}

function listOf(texts: readonly string[] | undefined): string | null {
  return texts ? JSON.stringify(texts.map(checkText)) : null;
}

/** The text. Throws REQUEST_INVALID for one that PostgreSQL cannot hold. */
export function checkText(text: string): string {
  if (!text.includes('\0') && text.isWellFormed()) return text;
  throw new VerdictError('REQUEST_INVALID', 'a text has U+0000 or half of a character, which no text may have');
}

function linesOf(people: readonly string[]): string {
  return JSON.stringify(people.map(lineOf));
}

/** A text that is found among such texts only if the person is: JSON has no line ends. */
function lineOf(person: string): string {
  return `\n${JSON.stringify(person)}\n`;
}
