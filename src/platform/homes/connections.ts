/** The URL of a PostgreSQL database -> connections to it, with a limit for each call; a code for what goes wrong. */

import { hash } from 'node:crypto';
import type { PoolConfig } from 'pg';
import { foreignCode, VerdictError } from '../../errors.ts';
import { loadOptional } from '../lazy.ts';
import type { ToMend } from './open-home.ts';
import type { Query } from './query.ts';

/** What a step of a call takes at most of its time; a statement by the server's clock, and by ours if it hangs. */
const SHARE = { connect: 0.4, statement: 0.4, answer: 0.5 };

/** A user with fewer rights may work with tables that another one makes. */
const GRANT = 'who owns them makes them, and grants select, insert, update and delete';

/** What the operator has to mend at the opening. `what` is stored, such as `the state`. */
export function toMendInPostgres(what: string): ToMend {
  return {
    SQLSTATE_28P01: `PostgreSQL refuses the user or the password of ${what}`,
    SQLSTATE_28000: `PostgreSQL refuses the user of ${what}, or a connection without TLS`,
    SQLSTATE_3D000: `the database of ${what} does not exist`,
    SQLSTATE_3F000: `the schema of ${what} does not exist`,
    SQLSTATE_08P01: `what stands before PostgreSQL refuses a parameter of ${what}, such as options in its URL`,
    SQLSTATE_42501: `the user of ${what} may not create its tables, or not read and write them; ${GRANT}`,
    OTHER_FORMAT: `the tables of ${what} have another format than this version writes`,
    OTHER_KEY: `the key of ${what} is not the one that its tables were written with; put that one back`,
  };
}

/** Rejects with CONFIGURATION_INVALID, which says how to install it. */
export async function loadPg(what = 'state'): Promise<typeof import('pg')> {
  return (await loadOptional<{ default: typeof import('pg') }>('pg', 8, `${what} in PostgreSQL needs`)).default;
}

/** The code of a call that got no connection in time, although others were answered: too much is asked for. */
export const POOL_BUSY = 'POOL_BUSY';

export type Connections = Awaited<ReturnType<typeof openConnections>>;

/**
 * Connections to a database. Nothing on them outlives a transaction, so that a pooler may stand before the server. Each
 * call ends in time, or rejects with `unavailable`. Rejects with CONFIGURATION_INVALID unless the URL is one
 * of PostgreSQL. `limitMs`: of a call; `what`: whose they are, in messages; `most`: how many there are.
 */
export async function openConnections(
  url: string,
  { limitMs, what, most = 10 }: { readonly limitMs: number; readonly what: string; readonly most?: number | undefined },
  unavailable: (code: string) => Error,
) {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new VerdictError('CONFIGURATION_INVALID', `the URL of the ${what} is malformed: expected one of PostgreSQL`);
  }
  const { Pool } = await loadPg(what);
  const connectionTimeoutMillis = limitMs * SHARE.connect;
  const newPool = (limits: PoolConfig) => {
    const pool = new Pool({
      connectionString: url,
      application_name: 'verdict',
      max: most,
      connectionTimeoutMillis,
      keepAlive: true,
      allowExitOnIdle: true,
      ...limits,
    } satisfies PoolConfig);
    // A connection that is lost fails its statement; an idle one is replaced by the next statement.
    pool.on('error', () => {});
    return pool.on('connect', (client) => client.on('error', () => {}));
  };
  let pool = newPool({
    statement_timeout: limitMs * SHARE.statement,
    idle_in_transaction_session_timeout: limitMs,
  });
  let answered = 0;
  /** Whether connections keep the limits that they begin with: a pooler refuses them, or ignores them. */
  let keepsLimits: Promise<boolean> | undefined;
  const findLimits = async () => {
    const text = `select from pg_settings where name = 'statement_timeout' and setting <> '0'`;
    try {
      return (await pool.query(queryOf(text, [], limitMs))).rows.length > 0;
    } catch (error) {
      if (codeOfPg(error) !== 'SQLSTATE_08P01') {
        keepsLimits = undefined;
        throw error;
      }
      void pool.end().catch(() => {});
      pool = newPool({});
      return false;
    }
  };
  const checkLimits = () => {
    keepsLimits ??= findLimits();
    return keepsLimits;
  };
  /** `before`: how many were answered when the call began. */
  const isBusy = (error: unknown, before: number) => {
    const isUnconnected = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
    return isUnconnected && answered > before && pool.totalCount >= most;
  };
  const call = async <Result>(work: () => Promise<Result>, ms = limitMs): Promise<Result> => {
    const before = answered;
    try {
      const result = await within(work(), ms, () => unavailable('TIMED_OUT'));
      answered++;
      return result;
    } catch (error) {
      if (VerdictError.is(error)) throw error;
      throw unavailable(isBusy(error, before) ? POOL_BUSY : codeOfPg(error));
    }
  };
  /** `first`: SQL that is run before the work. */
  const transact = async <Result>(first: string, work: (query: Query) => Promise<Result>, ms: number) => {
    let end: (error?: Error) => void = () => {};
    try {
      const client = await pool.connect();
      end = (error) => client.release(error);
      const query: Query = async (text, parameters) => (await client.query(queryOf(text, parameters, ms))).rows;
      await query(`begin isolation level read committed; set local statement_timeout = ${ms * SHARE.statement};
        set local idle_in_transaction_session_timeout = ${ms}; ${first}`);
      const result = await work(query);
      await query('commit');
      end();
      return result;
    } catch (error) {
      // Without its connection the transaction is rolled back.
      end(error as Error);
      throw error;
    }
  };
  const begin = <Result>(first: string, work: (query: Query) => Promise<Result>, ms: number) =>
    call(async () => {
      await checkLimits();
      return transact(first, work, ms);
    }, ms);
  return {
    /** How many calls wait for a connection. */
    waiting: () => pool.waitingCount,
    /** The rows of one statement, which may have another limit than others. */
    query: (text: string, parameters: readonly unknown[] = [], ms = limitMs): Promise<readonly unknown[]> =>
      call(async () => {
        const isLimited = (await checkLimits()) && ms === limitMs;
        if (isLimited) return (await pool.query(queryOf(text, parameters, ms))).rows;
        return transact('', (query) => query(text, parameters), ms);
      }, ms),
    /** One at a time of those with the same name. */
    transaction: <Result>(name: string, work: (query: Query) => Promise<Result>, ms = limitMs): Promise<Result> => {
      // As a number, so that all goes with one message; names come from people.
      const lock = hash('sha256', `verdict ${name}`, 'buffer').readBigInt64BE();
      return begin(`select pg_advisory_xact_lock(${lock})`, work, ms);
    },
    /** Reads as of one moment. `settings`: SQL that is run before, such as for the planner. */
    reading: <Result>(settings: string, work: (query: Query) => Promise<Result>, ms = limitMs): Promise<Result> =>
      begin(`set transaction isolation level repeatable read, read only; ${settings}`, work, ms),
    end: (): Promise<void> => call(() => pool.end()).catch(() => {}),
  };
}

function queryOf(text: string, parameters: readonly unknown[] = [], limitMs: number) {
  return { text, values: [...parameters], query_timeout: limitMs * SHARE.answer };
}

/** Whether a commit is on the disk when it is answered: otherwise a crash of the server may lose it. */
export async function isDurable(query: Query): Promise<boolean> {
  const [found] = await query(`select current_setting('synchronous_commit') as sync`);
  return (found as { readonly sync: string }).sync !== 'off';
}

/** The result; rejects with the error if it takes longer. */
export async function within<Result>(work: Promise<Result>, limitMs: number, late: () => Error): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), limitMs);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** The code of Node or of PostgreSQL; pg gives its own errors none. */
function codeOfPg(error: unknown): string {
  const { code = '', message = '' } = error as { readonly code?: unknown; readonly message?: string };
  if (typeof code === 'string' && /^[\dA-Z]{5}$/.test(code) && /\d/.test(code)) return `SQLSTATE_${code}`;
  return foreignCode(error) ?? (message.includes('timeout') ? 'TIMED_OUT' : 'CONNECTION_LOST');
}
