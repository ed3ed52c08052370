/** The URL of a PostgreSQL database -> a pool of connections within a deadline; a code for what goes wrong. */

import { hash } from 'node:crypto';
import type { Pool, PoolConfig } from 'pg';
import { foreignCode, VerdictError } from '../../errors.ts';

/** What a step of a call takes at most of its time; a statement by the server's clock, and by ours if it hangs. */
const SHARE = { connect: 0.4, statement: 0.4, answer: 0.5 };

/** What the operator has to mend, by the code of the error at the opening. `what` is stored, such as `the state`. */
export function problemOfPostgres(code: string | undefined, what: string): string | undefined {
  const problems: Readonly<Record<string, string>> = {
    SQLSTATE_28P01: `PostgreSQL refuses the user or the password of ${what}`,
    SQLSTATE_28000: `PostgreSQL refuses the user of ${what}, or a connection without TLS`,
    SQLSTATE_3D000: `the database of ${what} does not exist`,
    SQLSTATE_3F000: `the schema of ${what} does not exist`,
    SQLSTATE_42501: `the user of ${what} may not create its tables, or not read and write them`,
    OTHER_FORMAT: `the tables of ${what} have another format than this version writes`,
    OTHER_KEY: `the key of ${what} is not the one that its tables were written with; put that one back`,
  };
  return problems[code ?? ''];
}

const PG = 'pg';

/** Loads pg. Rejects with CONFIGURATION_INVALID, which says how to install it. */
export async function loadPg(what = 'state'): Promise<typeof import('pg')> {
  return (import(/* webpackIgnore: true */ PG) as Promise<{ default: typeof import('pg') }>).then(
    (loaded) => loaded.default,
    () => {
      const how = 'it is an optional package: npm install pg@8';
      throw new VerdictError('CONFIGURATION_INVALID', `${what} in PostgreSQL needs pg, which cannot be loaded; ${how}`);
    },
  );
}

/** A pool whose every step ends within a part of `limitMs`. Rejects with CONFIGURATION_INVALID for another URL. */
export async function openPool(url: string, limitMs: number, what: string): Promise<Pool> {
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new VerdictError('CONFIGURATION_INVALID', `the URL of the ${what} is malformed: expected one of PostgreSQL`);
  }
  const { Pool } = await loadPg(what);
  const pool = new Pool({
    connectionString: url,
    application_name: 'verdict',
    connectionTimeoutMillis: limitMs * SHARE.connect,
    statement_timeout: limitMs * SHARE.statement,
    query_timeout: limitMs * SHARE.answer,
    idle_in_transaction_session_timeout: limitMs,
    keepAlive: true,
    allowExitOnIdle: true,
  } satisfies PoolConfig);
  // A connection that is lost fails its statement; an idle one is replaced by the next statement.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

export type Query = (text: string, parameters?: readonly unknown[]) => Promise<readonly unknown[]>;

/** One at a time of those with the same name. Rejects with the error of pg. */
export async function transaction<Result>(
  pool: Pool,
  name: string,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  let end: (error?: Error) => void = () => {};
  try {
    const client = await pool.connect();
    end = (error) => client.release(error);
    const query: Query = async (text, parameters) => (await client.query(text, parameters && [...parameters])).rows;
    // As a number, so that both go with one message; names come from people.
    const lock = hash('sha256', `verdict ${name}`, 'buffer').readBigInt64BE();
    await query(`begin isolation level read committed; select pg_advisory_xact_lock(${lock})`);
    const result = await work(query);
    await query('commit');
    end();
    return result;
  } catch (error) {
    // Without its connection the transaction is rolled back.
    end(error as Error);
    throw error;
  }
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
export function codeOfPg(error: unknown): string {
  const { code = '', message = '' } = error as { readonly code?: unknown; readonly message?: string };
  if (typeof code === 'string' && /^[\dA-Z]{5}$/.test(code) && /\d/.test(code)) return `SQLSTATE_${code}`;
  return foreignCode(error) ?? (message.includes('timeout') ? 'TIMED_OUT' : 'CONNECTION_LOST');
}
