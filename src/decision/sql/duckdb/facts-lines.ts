/** Lines of facts in hand -> what SQL on DuckDB says of them, a batch at a time. */

import type { DuckDBAppender } from '@duckdb/node-api';
import { VerdictError } from '../../../errors.ts';
import type { FactType } from '../../../facts/catalog.ts';
import { dayNumber } from '../../../facts/day.ts';
import { type FactValue, isMissing, NEVER } from '../../../facts/fact.ts';
import type { FactsLine } from '../../../facts/facts-line.ts';
import { conditionFacts, type Policy } from '../../../policy/language.ts';
import { formatRefusal, type SqlRefusal } from '../refusal.ts';
import { type SqlOptions, toSql } from '../sql.ts';
import { type DuckDb, readRow } from './duckdb.ts';
import type { SqlRow } from './summary.ts';

/** So many lines are decided at once: enough to make up for planning hundreds of rules. */
export const BATCH_LINES = 8192;

/** Decides lines by one policy. */
export interface LineDecider {
  /** One row for each line, in their order. */
  decide(lines: readonly Pick<FactsLine, 'facts' | 'at'>[]): Promise<readonly SqlRow[]>;
}

/** A fact with its column, by its place among the facts that the policy asks about. */
interface Place {
  readonly path: string;
  readonly type: FactType;
  readonly column: string;
}

/** What a value of each type is in the table, and how it is appended. */
const CELLS: Readonly<
  Record<FactType, readonly [type: string, append: (appender: DuckDBAppender, value: FactValue) => void]>
> = {
  number: ['DOUBLE', (appender, value) => appender.appendDouble(Number(value))],
  integer: ['DOUBLE', (appender, value) => appender.appendDouble(Number(value))],
  boolean: ['BOOLEAN', (appender, value) => appender.appendBoolean(value === true)],
  level: ['VARCHAR', (appender, value) => appender.appendVarchar(String(value))],
  enum: ['VARCHAR', (appender, value) => appender.appendVarchar(String(value))],
  string: ['VARCHAR', (appender, value) => appender.appendVarchar(String(value))],
  date: ['DATE', () => undefined],
};

/** Prepares a policy; throws a `VerdictError` where SQL cannot say it exactly. */
export async function prepareLines(policy: Policy, { package: duckdb, connection }: DuckDb): Promise<LineDecider> {
  const places = placesOf(policy);
  const definitions = places.flatMap(({ column, type }) => {
    const definition = `${column} ${CELLS[type][0]}`;
    return type === 'date' ? [definition, `${column}_never BOOLEAN`] : [definition];
  });
  await connection.run(`CREATE TABLE lines (${['number INTEGER', 'day DATE', ...definitions].join(', ')})`);
  const columns = Object.fromEntries(places.map(({ path, column }) => [path, column]));
  const sql = writeOrThrow(policy, {
    dialect: 'duckdb',
    table: 'lines',
    at: { column: 'day' },
    columns,
    keys: ['number'],
  });
  const dateOf = (day: string) => new duckdb.DuckDBDateValue(dayNumber(day));
  const append = (appender: DuckDBAppender, value: FactValue | undefined, type: FactType) => {
    const isDate = type === 'date';
    if (value === undefined || (value === NEVER && isDate)) appender.appendNull();
    else if (isDate) appender.appendDate(dateOf(String(value)));
    else CELLS[type][1](appender, value);
    if (isDate) appender.appendBoolean(value === NEVER);
  };
  return {
    async decide(lines) {
      await connection.run('DELETE FROM lines');
      const appender = await connection.createAppender('lines');
      for (const [number, { facts, at }] of lines.entries()) {
        appender.appendInteger(number);
        appender.appendDate(dateOf(at));
        for (const { path, type } of places) {
          const fact = facts.get(path);
          append(appender, fact === undefined || isMissing(fact) ? undefined : fact.value, type);
        }
        appender.endRow();
      }
      appender.closeSync();
      // Not prepared once for all: DuckDB plans by what the table holds at that time, and would take an empty one for without NULLs.
      const result = await connection.runAndReadAll(`SELECT * FROM (${sql}) ORDER BY number`);
      return result.getRowsJS().map((cells) => {
        const { row } = readRow(cells, 1);
        // INVARIANT: a line has a day, and so has its row.
        if (!row) throw new TypeError('a row without a day');
        return row;
      });
    },
  };
}

/** The facts that the policy asks about. Their columns are numbered: conventional names could collide. */
function placesOf({ rules, facts }: Policy): readonly Place[] {
  return [...conditionFacts(rules)].map((path, i) => ({
    path,
    type: facts.get(path)?.type ?? 'string',
    column: `fact_${i}`,
  }));
}

/** The SELECT; throws what it cannot say. */
export function writeOrThrow(policy: Policy, options: SqlOptions): string {
  const { sql, refusals } = toSql(policy, options);
  if (sql !== undefined) return sql;
  throw refuse(refusals);
}

/** An error with all that SQL cannot say. */
export function refuse(refusals: readonly SqlRefusal[]): VerdictError {
  const message = `SQL cannot say this policy exactly:\n${refusals.map(formatRefusal).join('\n')}`;
  return new VerdictError('CONFIGURATION_INVALID', message);
}
