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
}

export interface Case extends Omit<NewCase, 'opener'> {
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
   * The next case that nobody holds and this person has not skipped: first due, then first opened. Who holds one gets
   * that one again, with its token and a new lease.
   */
  take(
    of: Acting & {
      readonly person: string;
      /** Default: all. */
      readonly queues?: readonly string[] | undefined;
      readonly leaseMs: number;
    },
  ): Promise<Case | undefined>;
  renew(of: Hold & { readonly leaseMs: number }): Promise<Case | undefined>;
  /** `skip`: this person does not get it again. A case whose resolution has begun is not given back. */
  release(of: Hold & { readonly skip: boolean }): Promise<Case | undefined>;
  /** Gives an unresolved case to a person, who may hold others and may have skipped it. */
  reassign(
    of: Acting & { readonly id: string; readonly to: string; readonly leaseMs: number },
  ): Promise<Case | undefined>;
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
  }): Promise<void>;
  /** Closes a case that is not resolved, without an answer: its decision was made again. */
  close(of: { readonly id: string; readonly at: number }): Promise<void>;
  get(id: string): Promise<Case | undefined>;
  /** The cases of a decision. */
  of(decision: string): Promise<readonly Case[]>;
  /** What a person holds now: several after a reassignment. */
  held(person: string): Promise<readonly Case[]>;
  /** Sorted by `due`, then `id`; `after` is the last one of the page before. */
  list(of: {
    readonly queues?: readonly string[] | undefined;
    readonly states?: readonly CaseState[] | undefined;
    readonly after?: { readonly due: number; readonly id: string } | undefined;
    readonly limit: number;
  }): Promise<readonly Case[]>;
  /** Of the cases that are not resolved. */
  counts(): Promise<readonly CaseCount[]>;
  /** How far a follower of the log has read. */
  position(name: string): Promise<string | undefined>;
  /** Changes nothing if the position is not `before` any more, as after `clear`. */
  setPosition(name: string, position: string, before: string | undefined): Promise<void>;
  /** Forgets all cases, and replaces each position with a text that is none: cases are made again from the log. */
  clear(): Promise<void>;
}

export interface CaseCount {
  readonly queue: string;
  readonly state: CaseState;
  readonly count: number;
  readonly oldestDue: number;
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
      const rows = cases.map(({ opener, ...row }) => ({ ...row, skipped: opener ? lineOf(opener) : '' }));
      // PostgreSQL takes each row once: two processes may have opened a case at the same time.
      await run('open', [JSON.stringify([...new Map(rows.map((row) => [row.id, row])).values()])]);
    },
    take: async ({ person, actors = [], queues, leaseMs }) =>
      one('take', person, listOf(queues), linesOf([person, ...actors]), leaseMs, linesOf(actors)),
    renew: ({ id, token, person, leaseMs }) => one('renew', id, token, person, leaseMs),
    release: ({ id, token, person, skip }) => one('release', id, token, person, skip ? lineOf(person) : ''),
    reassign: ({ id, to, actors = [], leaseMs }) => one('reassign', id, to, leaseMs, linesOf(actors)),
    beginResolve: ({ id, token, person, actors = [], note, disposition, leastMs }) =>
      one('beginResolve', id, token, person, note, disposition, leastMs, linesOf(actors)),
    finishResolve: async ({ decision, id = null, note, disposition, at }) =>
      void (await run('finishResolve', [decision, id, note, disposition, at])),
    close: async ({ id, at }) => void (await run('closeCase', [id, at])),
    get: (id) => one('get', id),
    of: async (decision) => (await run('ofDecision', [decision])).map(caseOf),
    held: async (person) => (await run('held', [person])).map(caseOf),
    list: async ({ queues, states, after, limit }) => {
      const parameters = [listOf(queues), listOf(states), after?.due ?? null, after?.id ?? null, limit];
      // Most cases are resolved: a page of those that wait must not read them all.
      const isWaiting = states !== undefined && !states.includes('resolved');
      return (await run(isWaiting ? 'listWaiting' : 'list', parameters)).map(caseOf);
    },
    counts: async () => (await run('counts', [])).map((row) => withNumbers<CaseCount>(row, ['count', 'oldestDue'])),
    position: async (name) => (await run('position', [name]))[0]?.['position'] as string | undefined,
    setPosition: async (name, position, before) => void (await run('setPosition', [name, position, before ?? null])),
    clear: async () => {
      // In this order: after a crash between them the log is read again, and finds its cases.
      await run('clearPositions', [`cleared ${randomUUID()}`]);
      await run('clearCases', []);
    },
  };
}

const NUMBERS = ['openedAt', 'due', 'token', 'until', 'resolvedAt'];

const caseOf = (row: Row) => withNumbers<Case>(row, NUMBERS);

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
