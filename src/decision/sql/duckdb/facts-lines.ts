/** Lines of facts -> their results by SQL on DuckDB, a batch at a time. */

import type { DuckDBAppender } from '@duckdb/node-api';
import { VerdictError } from '../../../errors.ts';
import type { FactType } from '../../../facts/catalog.ts';
import { givenFacts } from '../../../facts/compute.ts';
import { dayNumber } from '../../../facts/day.ts';
import { type FactValue, isMissing, NEVER } from '../../../facts/fact.ts';
import type { FactsLine } from '../../../facts/facts-line.ts';
import { conditionFacts, type Policy } from '../../../policy/language.ts';
import { formatRefusal, type SqlRefusal } from '../refusal.ts';
import { type SqlOptions, toSql } from '../sql.ts';
import { type DuckDb, readRow } from './duckdb.ts';
import type { SqlRow } from './summary.ts';

/** The number of lines decided at once: enough to outweigh the planning of hundreds of rules. */
export const BATCH_LINES = 8192;

/** Decides lines by one policy. */
export interface LineDecider {
  /** Gives a row for each line, in order. */
  decide(lines: readonly Pick<FactsLine, 'facts' | 'at'>[]): Promise<readonly SqlRow[]>;
}

/** The column type of each type of fact. */
const COLUMN_TYPES: Readonly<Record<FactType, string>> = {
  number: 'DOUBLE',
  integer: 'DOUBLE',
  boolean: 'BOOLEAN',
  level: 'VARCHAR',
  enum: 'VARCHAR',
  string: 'VARCHAR',
  date: 'DATE',
};

/** Prepares a policy; throws CONFIGURATION_INVALID if SQL cannot express it exactly. */
export async function prepareLines(policy: Policy, { package: duckdb, connection }: DuckDb): Promise<LineDecider> {
  // The columns are numbered, since names by the convention could collide.
  const factColumns = [...givenFacts(conditionFacts(policy.rules), policy.facts)].map((path, i) => {
    const type = policy.facts.get(path)?.type ?? 'string';
    return { path, type, column: `fact_${i}` };
  });
  const definitions = factColumns.flatMap(({ column, type }) => {
    const definition = `${column} ${COLUMN_TYPES[type]}`;
    return type === 'date' ? [definition, `${column}_never BOOLEAN`] : [definition];
  });
  await connection.run(`CREATE TABLE lines (${['number INTEGER', 'day DATE', ...definitions].join(', ')})`);
  const columns = Object.fromEntries(factColumns.map(({ path, column }) => [path, column]));
  const at = { column: 'day' };
  const sql = writeOrThrow(policy, { dialect: 'duckdb', table: 'lines', at, columns, keys: ['number'] });
  const dateOf = (day: string) => new duckdb.DuckDBDateValue(dayNumber(day));
  const append = (appender: DuckDBAppender, value: FactValue | undefined, type: FactType) => {
    const isDate = type === 'date';
    if (value === undefined || (value === NEVER && isDate)) appender.appendNull();
    else if (isDate) appender.appendDate(dateOf(String(value)));
    else if (typeof value === 'number') appender.appendDouble(value);
    else if (typeof value === 'boolean') appender.appendBoolean(value);
    else appender.appendVarchar(value);
    if (isDate) appender.appendBoolean(value === NEVER);
  };
  return {
    async decide(lines) {
      await connection.run('DELETE FROM lines');
      const appender = await connection.createAppender('lines');
      for (const [number, { facts, at }] of lines.entries()) {
        appender.appendInteger(number);
        appender.appendDate(dateOf(at));
        for (const { path, type } of factColumns) {
          const fact = facts.get(path);
          append(appender, fact === undefined || isMissing(fact) ? undefined : fact.value, type);
        }
        appender.endRow();
      }
      appender.closeSync();
      // Not prepared once: DuckDB plans by the table's current rows, and would take an empty table to have no NULLs.
      const result = await connection.runAndReadAll(`SELECT * FROM (${sql}) ORDER BY number`);
      return result.getRowsJS().map((cells) => {
        const { row } = readRow(cells, 1);
        // INVARIANT: every line has a day, so its row has a result.
        if (!row) throw new TypeError('a row without a day');
        return row;
      });
    },
  };
}

/** Writes the SELECT; throws CONFIGURATION_INVALID with all refusals. */
export function writeOrThrow(policy: Policy, options: SqlOptions): string {
  const { sql, refusals } = toSql(policy, options);
  if (sql !== undefined) return sql;
  throw refusalError(refusals);
}

/** The error of refusals. */
export function refusalError(refusals: readonly SqlRefusal[]): VerdictError {
  const message = `SQL cannot express this policy exactly:\n${refusals.map(formatRefusal).join('\n')}`;
  return new VerdictError('CONFIGURATION_INVALID', message);
}
