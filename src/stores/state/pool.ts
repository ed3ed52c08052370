/** The URL of a PostgreSQL database -> connections to it, with a limit for each call; a code for what goes wrong. */

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
    SQLSTATE_08P01: `what stands before PostgreSQL refuses a parameter of ${what}, such as options in its URL`,
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

/** What the connections of a store need. */
export interface ConnectionOptions {
  readonly url: string;
  /** How long a call may take. */
  readonly limitMs: number;
  /** Whose they are, in messages. */
  readonly what: string;
  /** How many there are at most. Default: 10. */
  readonly connections?: number | undefined;
  /** The error of a call that failed. */
  unavailable(code: string): Error;
}

const CONNECTIONS = 10;

/** The code of a call that got no connection in time, although others were answered: too much is asked for. */
export const POOL_BUSY = 'POOL_BUSY';

/** Rejects with CONFIGURATION_INVALID for a URL that is none of PostgreSQL. */
export async function openConnections(options: ConnectionOptions): Promise<Connections> {
  const { url, what } = options;
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw new VerdictError('CONFIGURATION_INVALID', `the URL of the ${what} is malformed: expected one of PostgreSQL`);
  }
  return new Connections(await loadPg(what), options);
}

export type Query = (text: string, parameters?: readonly unknown[]) => Promise<readonly unknown[]>;

/** Nothing of them outlives a transaction, so that a pooler may stand before the server. Each call ends in time. */
export class Connections {
  readonly #newPool: (limits: PoolConfig) => Pool;
  readonly #options: Pick<ConnectionOptions, 'limitMs' | 'unavailable'> & { readonly connections: number };
  #pool: Pool;
  /** Whether connections keep the limits that they begin with: a pooler refuses them, or ignores them. */
  #keepsLimits: Promise<boolean> | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor({ Pool }: typeof import('pg'), options: ConnectionOptions) {
    const { url, limitMs, connections = CONNECTIONS, unavailable } = options;
    this.#options = { limitMs, connections, unavailable };
    this.#newPool = (limits) => {
      const pool = new Pool({
        connectionString: url,
        application_name: 'verdict',
        max: connections,
        connectionTimeoutMillis: limitMs * SHARE.connect,
        keepAlive: true,
        allowExitOnIdle: true,
        ...limits,
      } satisfies PoolConfig);
      // A connection that is lost fails its statement; an idle one is replaced by the next statement.
      pool.on('error', () => {});
      return pool.on('connect', (client) => client.on('error', () => {}));
    };
    this.#pool = this.#newPool({
      statement_timeout: limitMs * SHARE.statement,
      idle_in_transaction_session_timeout: limitMs,
    });
  }

  /** How many calls wait for a connection. */
  get waiting(): number {
    return this.#pool.waitingCount;
  }

  /** The rows of one statement, which may have another limit than others. */
  query(text: string, parameters: readonly unknown[] = [], limitMs = this.#options.limitMs) {
    return this.#call(limitMs, async () => {
      const isLimited = (await this.#checkLimits()) && limitMs === this.#options.limitMs;
      if (!isLimited) return this.#transact(undefined, (query) => query(text, parameters), limitMs);
      return (await this.#pool.query(queryOf(text, parameters, limitMs))).rows as readonly unknown[];
    });
  }

  /** One at a time of those with the same name. */
  transaction<Result>(name: string, work: (query: Query) => Promise<Result>): Promise<Result> {
    const { limitMs } = this.#options;
    return this.#call(limitMs, async () => {
      await this.#checkLimits();
      return this.#transact(name, work, limitMs);
    });
  }

  end(): Promise<void> {
    return this.#call(this.#options.limitMs, () => this.#pool.end()).catch(() => {});
  }

  #checkLimits(): Promise<boolean> {
    this.#keepsLimits ??= this.#findLimits().catch((error: unknown) => {
      this.#keepsLimits = undefined;
      throw error;
    });
    return this.#keepsLimits;
  }

  async #findLimits(): Promise<boolean> {
    const text = `select from pg_settings where name = 'statement_timeout' and setting <> '0'`;
    try {
      return (await this.#pool.query(queryOf(text, [], this.#options.limitMs))).rows.length > 0;
    } catch (error) {
      if (codeOfPg(error) !== 'SQLSTATE_08P01') throw error;
      void this.#pool.end().catch(() => {});
      this.#pool = this.#newPool({});
      return false;
    }
  }

  async #transact<Result>(
    name: string | undefined,
    work: (query: Query) => Promise<Result>,
    limitMs: number,
  ): Promise<Result> {
    let end: (error?: Error) => void = () => {};
    try {
      const client = await this.#pool.connect();
      end = (error) => client.release(error);
      const query: Query = async (text, parameters) => (await client.query(queryOf(text, parameters, limitMs))).rows;
      // As a number, so that all goes with one message; names come from people.
      const lock = name === undefined ? '' : hash('sha256', `verdict ${name}`, 'buffer').readBigInt64BE();
      await query(`begin isolation level read committed; set local statement_timeout = ${limitMs * SHARE.statement};
        set local idle_in_transaction_session_timeout = ${limitMs};
        ${name === undefined ? '' : `select pg_advisory_xact_lock(${lock})`}`);
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

  async #call<Result>(limitMs: number, work: () => Promise<Result>): Promise<Result> {
    const { unavailable } = this.#options;
    try {
      const result = await within(work(), limitMs, () => unavailable('TIMED_OUT'));
      this.#answeredAt = performance.now();
      return result;
    } catch (error) {
      throw unavailable(this.#isBusy(error) ? POOL_BUSY : codeOfPg(error));
    }
  }

  #isBusy(error: unknown): boolean {
    const { limitMs, connections } = this.#options;
    const isUnconnected = error instanceof Error && error.message === 'timeout exceeded when trying to connect';
    const isAnswering = performance.now() - this.#answeredAt < limitMs * SHARE.connect;
    return isUnconnected && isAnswering && this.#pool.totalCount >= connections;
  }
}

function queryOf(text: string, parameters: readonly unknown[] = [], limitMs: number) {
  return { text, values: [...parameters], query_timeout: limitMs * SHARE.answer };
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
