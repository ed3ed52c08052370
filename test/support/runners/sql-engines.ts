/** A facts table and a SELECT -> its rows, by each SQL engine in this process. */

import type { DuckDBAppender } from '@duckdb/node-api';
import pg from 'pg';
import { DIALECTS, type DialectName } from '../../../src/decision/sql/dialect.ts';
import { dayNumber } from '../../../src/facts/day.ts';
import type { PostgresServer } from '../stores/state/postgres.ts';
import type { Cell, CellType, FactsTable, SqlResult } from './facts-table.ts';

/** An SQL engine. */
export interface SqlEngine {
  readonly dialect: DialectName;
  /** Whether its texts can contain U+0000. */
  readonly holdsNul: boolean;
  /** Runs a SELECT over the table `facts` and gives its rows by their column `id`. */
  run(table: FactsTable, sql: string): Promise<readonly (SqlResult & { readonly id: number })[]>;
  close(): Promise<void>;
}

/** An SQL engine in which tests make tables of their own. */
export interface OpenEngine extends SqlEngine {
  /** Runs statements, and then a SELECT. */
  query(script: readonly string[], sql: string): ReturnType<SqlEngine['run']>;
}

const DUCKDB_TYPES: Readonly<Record<CellType, string>> = {
  id: 'INTEGER',
  number: 'DOUBLE',
  integer: 'BIGINT',
  boolean: 'BOOLEAN',
  text: 'VARCHAR',
  date: 'DATE',
};

/** DuckDB's day numbers of infinite dates. */
const INFINITIES: Readonly<Record<string, number>> = { infinity: 2 ** 31 - 1, '-infinity': 1 - 2 ** 31 };

/** DuckDB; undefined if it is not installed. */
export async function startDuckDb(): Promise<OpenEngine | undefined> {
  const duckdb = await import('@duckdb/node-api').catch(() => undefined);
  if (!duckdb) return undefined;
  const instance = await duckdb.DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const quote = DIALECTS.duckdb.identifier;
  const append = (appender: DuckDBAppender, value: Cell, type: CellType) => {
    if (value === null) appender.appendNull();
    else if (type === 'id') appender.appendInteger(Number(value));
    else if (type === 'number') appender.appendDouble(Number(value));
    else if (type === 'integer') appender.appendBigInt(BigInt(value));
    else if (type === 'boolean') appender.appendBoolean(value === true);
    else if (type === 'text') appender.appendVarchar(String(value));
    else appender.appendDate(new duckdb.DuckDBDateValue(INFINITIES[value as string] ?? dayNumber(String(value))));
  };
  const engine: OpenEngine = {
    dialect: 'duckdb',
    holdsNul: true,
    async run({ columns, rows }, sql) {
      const definitions = columns.map(({ name, type }) => `${quote(name)} ${DUCKDB_TYPES[type]}`);
      await connection.run(`CREATE OR REPLACE TABLE facts (${definitions.join(', ')})`);
      const appender = await connection.createAppender('facts');
      for (const row of rows) {
        for (const [i, { type }] of columns.entries()) append(appender, row[i] ?? null, type);
        appender.endRow();
      }
      appender.closeSync();
      return engine.query([], sql);
    },
    async query(script, sql) {
      for (const statement of script) await connection.run(statement);
      const found = await connection.runAndReadAll(sql);
      return found.getRowObjectsJson().map((row) => {
        const numbers = {
          id: Number(row['id']),
          score_least: Number(row['score_least']),
          score_most: Number(row['score_most']),
        };
        return { ...row, ...numbers } as unknown as SqlResult & { id: number };
      });
    },
    async close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
  return engine;
}

const POSTGRES_TYPES: Readonly<Record<CellType, string>> = {
  id: 'integer',
  number: 'double precision',
  integer: 'bigint',
  boolean: 'boolean',
  text: 'text',
  date: 'date',
};

/** PostgreSQL, by one connection to a server that runs when the first statement does. */
export function postgresOn(server: PostgresServer): OpenEngine {
  let connecting: Promise<pg.Client> | undefined;
  const connect = async () => {
    const client = new pg.Client({ connectionString: await server.newSchema() });
    await client.connect();
    return client;
  };
  const execute = async (statement: string, values: unknown[] = []) => {
    connecting ??= connect();
    return (await connecting).query<SqlResult & { id: number }>(statement, values);
  };
  const quote = DIALECTS.postgres.identifier;
  const engine: OpenEngine = {
    dialect: 'postgres',
    holdsNul: false,
    async run({ columns, rows }, sql) {
      const definitions = columns.map(({ name, type }) => `${quote(name)} ${POSTGRES_TYPES[type]}`).join(', ');
      await execute(`DROP TABLE IF EXISTS facts; CREATE TABLE facts (${definitions})`);
      // JSON has no NaN; PostgreSQL reads it from a text.
      const cell = (value: Cell) => (typeof value === 'number' && !Number.isFinite(value) ? String(value) : value);
      const objects = rows.map((row) => Object.fromEntries(columns.map(({ name }, i) => [name, cell(row[i] ?? null)])));
      await execute(`INSERT INTO facts SELECT * FROM json_to_recordset($1) AS rows(${definitions})`, [
        JSON.stringify(objects),
      ]);
      return engine.query([], sql);
    },
    async query(script, sql) {
      for (const statement of script) await execute(statement);
      return (await execute(sql)).rows.map((row) => ({
        ...row,
        score_least: Number(row.score_least),
        score_most: Number(row.score_most),
      }));
    },
    close: async () => (await connecting)?.end(),
  };
  return engine;
}

const CLICKHOUSE_TYPES: Readonly<Record<CellType, string>> = {
  id: 'Int32',
  number: 'Nullable(Float64)',
  integer: 'Nullable(Int64)',
  boolean: 'Nullable(Bool)',
  text: 'Nullable(String)',
  date: 'Nullable(Date32)',
};

/** The part of chdb that is used here. */
export interface ChdbSession {
  query(sql: string, format: string): string;
  cleanup(): void;
}

/** Statements that make a table in ClickHouse, with its rows. */
export function clickHouseTable({ columns, rows }: FactsTable, name = 'facts'): readonly string[] {
  const quote = DIALECTS.clickhouse.identifier;
  const definitions = columns.map(({ name, type }) => `${quote(name)} ${CLICKHOUSE_TYPES[type]}`);
  // JSON has no NaN; ClickHouse reads it from a text.
  const cell = (value: Cell) =>
    JSON.stringify(typeof value === 'number' && !Number.isFinite(value) ? String(value) : value);
  const lines = rows.map(
    (row) => `{${columns.map(({ name }, i) => `${JSON.stringify(name)}:${cell(row[i] ?? null)}`).join()}}`,
  );
  // ClickHouse's fast parser of decimals is sometimes off by one bit.
  const settings = 'SETTINGS precise_float_parsing = 1';
  return [
    `DROP TABLE IF EXISTS ${name}`,
    `CREATE TABLE ${name} (${definitions.join(', ')}) ENGINE = Memory`,
    `INSERT INTO ${name} ${settings} FORMAT JSONEachRow ${lines.join('\n')}`,
  ];
}

/** ClickHouse, as chdb. */
export function clickHouseOn(session: ChdbSession): SqlEngine {
  // By default a query of more than 256 KiB or 50,000 parts is refused (docs/at-scale.md).
  session.query('SET max_query_size = 16777216, max_ast_elements = 1000000', 'Null');
  return {
    dialect: 'clickhouse',
    holdsNul: true,
    async run(table, sql) {
      for (const statement of clickHouseTable(table)) session.query(statement, 'Null');
      const found = session.query(sql, 'JSONEachRow');
      const parsed = found.split('\n').filter((line) => line !== '');
      return parsed.map((line) => {
        const row = JSON.parse(line);
        return { ...row, score_least: Number(row.score_least), score_most: Number(row.score_most) };
      });
    },
    close: async () => session.cleanup(),
  };
}
