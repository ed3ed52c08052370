/** Lines of facts -> their results by SQL on DuckDB; a result -> the part of a verdict that needs no facts. */

import type { DuckDBAppender, JS } from '@duckdb/node-api';
import { VerdictError } from '../../../errors.ts';
import type { FactType } from '../../../facts/catalog.ts';
import { givenFacts } from '../../../facts/compute.ts';
import { dayNumber } from '../../../facts/day.ts';
import { type FactValue, isMissing, NEVER } from '../../../facts/fact.ts';
import type { FactsLine } from '../../../facts/facts-line.ts';
import { conditionFacts, OUTCOMES, type Outcome, type Policy, type Rule } from '../../../policy/language.ts';
import type { RuleTruth, Score } from '../../meaning/outcome.ts';
import { TRUE, UNKNOWN } from '../../meaning/truth.ts';
import {
  type DefaultReason,
  type FiredReason,
  giveVerdict,
  type ScoreReason,
  type UndeterminedReason,
  type Verdict,
} from '../../meaning/verdict.ts';
import { formatRefusal, type SqlRefusal } from '../dialect.ts';
import { type SqlOptions, toSql } from '../sql.ts';
import type { DuckDb } from './duckdb.ts';

/** The number of lines decided at once: enough to outweigh the planning of hundreds of rules. */
export const BATCH_LINES = 8192;

/** Decides lines by one policy. */
interface LineDecider {
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
      // Planned for each batch: DuckDB plans by the current rows, and would assume that an empty table has no NULLs.
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

/** The result of a row by `toSql`. */
export interface SqlRow {
  readonly outcome: Outcome;
  /** Rule ids, in the policy's order. */
  readonly fired: readonly string[];
  readonly undetermined: readonly string[];
  readonly scoreLeast: number;
  readonly scoreMost: number;
}

/** A row of `toSql`: its keys, in their order, and its result; undefined if the row has no day. */
interface KeyedRow {
  readonly keys: readonly JS[];
  readonly row: SqlRow | undefined;
}

/** Reads a row of the result of `toSql` from DuckDB's cells. */
export function readRow(cells: readonly (JS | null)[], keyCount: number): KeyedRow {
  const keys = cells.slice(0, keyCount) as readonly JS[];
  const [outcomeCell, fired, undetermined, least, most] = cells.slice(keyCount);
  const outcome = OUTCOMES.find((each): each is Outcome => each === outcomeCell);
  if (outcome === undefined) return { keys, row: undefined };
  const ids = (list: unknown) => (Array.isArray(list) ? list.map(String) : []);
  const row = {
    outcome,
    fired: ids(fired),
    undetermined: ids(undetermined),
    scoreLeast: Number(least),
    scoreMost: Number(most),
  };
  return { keys, row };
}

/**
 * A verdict as SQL gives it, with the same keys. It lacks shadow rules, and everything that needs the facts (`message`
 * and `evidence` of rules that fired, `missing` of undetermined ones).
 */
interface SqlVerdict {
  readonly outcome: Outcome;
  readonly reasons: readonly (
    | Omit<FiredReason, 'message' | 'evidence'>
    | UndeterminedReason
    | ScoreReason
    | DefaultReason
  )[];
  readonly undetermined: readonly { readonly rule: string; readonly asks: 'review' | null }[];
  readonly score: Score;
}

/** Creates the function that turns a row of a policy's SQL into a verdict. */
export function summariser(policy: Policy): (row: SqlRow) => SqlVerdict {
  const rules = new Map(policy.rules.map((rule, index) => [rule.id, { index, rule: withoutCondition(rule) }]));
  const findAll = (ids: readonly string[], truth: RuleTruth['truth']) =>
    ids.flatMap((id) => {
      const rule = rules.get(id);
      return rule ? [{ ...rule, truth }] : [];
    });
  return (row) => {
    const truths = [...findAll(row.fired, TRUE), ...findAll(row.undetermined, UNKNOWN)];
    truths.sort((a, b) => a.index - b.index);
    // Without conditions and messages, facts and day make no difference.
    const verdict = giveVerdict(policy, truths, new Map(), '');
    const { outcome, score } = verdict;
    if (outcome !== row.outcome || score.least !== row.scoreLeast || score.most !== row.scoreMost) {
      throw new Error('the outcome by SQL contradicts its own rules');
    }
    return withoutFacts(verdict);
  };
}

/** The part of a verdict that SQL gives, for comparison. */
export function withoutFacts({ outcome, reasons, undetermined, score }: Verdict): SqlVerdict {
  return {
    outcome,
    reasons: reasons.map((reason) => {
      if (reason.because !== 'fired') return reason;
      const { message: _message, evidence: _evidence, ...rest } = reason;
      return rest;
    }),
    undetermined: undetermined.map(({ rule, asks }) => ({ rule, asks })),
    score,
  };
}

function withoutCondition(rule: Rule): Rule {
  return { ...rule, when: { kind: 'all', of: [] }, message: undefined };
}
