/** Runner 3: a policy -> one SELECT of each row's outcome, fired and undetermined rules, and score. */

import { VerdictError } from '../../errors.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { dayNumber, isDay } from '../../facts/day.ts';
import { type Condition, isActive, type Policy, type Rule, type Test } from '../../policy/language.ts';
import { placeOf } from '../../policy/source-map.ts';
import { type ColumnMap, columnRefusals, columnsOf, type FactColumns } from './column-names.ts';
import { ConditionWriter } from './condition.ts';
import { DIALECTS, type DialectName } from './dialect.ts';
import { type Expression, MAX_STAGES, Query, stageOf } from './query.ts';
import { refusal, type SqlRefusal } from './refusal.ts';
import { OUTPUTS, writeSettlement } from './settlement.ts';
import { checkTexts, TestWriter } from './test-writer.ts';
import { FactWriter } from './typed-columns.ts';

/** The day of the decision: a day for all rows, yyyy-MM-dd, or a DATE column of the table. */
export type SqlDay = string | { readonly column: string };

/** How the SELECT is written. */
export interface SqlOptions {
  readonly dialect: DialectName;
  /** The name of the table: its parts, such as `['lake', 'applicants']`, or a text with dots between them. */
  readonly table: string | readonly string[];
  readonly at: SqlDay;
  /** Columns by path, where they are not named by the convention. */
  readonly columns?: ColumnMap;
  /** Columns of the table to repeat at the start of the result. */
  readonly keys?: readonly string[];
}

/** A SELECT; or refusals, and no SELECT, if the dialect cannot express the policy exactly. */
export interface SqlExport {
  readonly sql: string | undefined;
  readonly refusals: readonly SqlRefusal[];
}

/**
 * Writes a policy as one SELECT. Its result has the columns `keys`, `outcome`, `fired` and `undetermined`
 * (lists of rule ids in the policy's order, without shadow rules), `score_least` and `score_most`. The order of
 * rows is not promised. If the day of the decision is NULL, a row has no outcome, no rules and no score. Throws
 * CONFIGURATION_INVALID if `at` is not a day.
 */
export function toSql(policy: Policy, options: SqlOptions): SqlExport {
  const { at, columns = {}, keys = [] } = options;
  if (typeof at === 'string' && !isDay(at)) {
    throw new VerdictError('CONFIGURATION_INVALID', '`at` has to be a calendar day, yyyy-MM-dd, or { column }');
  }
  const dialect = checkTexts(DIALECTS[options.dialect]);
  const rules = countedRules(policy, at);
  const byTest = rulesByTest(rules);
  const factColumns = factColumnsOf(
    [...byTest.values()].map(({ test }) => test),
    policy.facts,
    columns,
  );
  const rulesOf = new Map([...byTest].map(([key, { rules: ids }]) => [key, ids]));
  const query = new Query(dialect, rules.length + byTest.size);
  const quote = (column: string) => `t.${dialect.identifier(column)}`;

  const keyColumns = keys.map((key) => query.column({ sql: quote(key), stage: 0 }, 'key').sql);
  const day =
    typeof at === 'string' ? undefined : query.column({ sql: dialect.dayNumber(quote(at.column)), stage: 0 }, 'day');
  const dayOrLiteral = day ?? dayNumber(String(at));
  const facts = new FactWriter({
    query,
    dialect,
    table: policy.facts,
    columns: factColumns,
    day: day ?? { sql: String(dayOrLiteral), stage: 0 },
  });
  const tests = new TestWriter({ query, dialect, facts, day: dayOrLiteral, rulesOf });
  const conditions = new ConditionWriter(query, (test) => tests.write(test));
  const written = rules.map((rule) => ({ rule, when: whileActive(rule, conditions.write(rule.when), day) }));
  const ruleColumns = written.map(({ rule, when }) => ({ rule, ...query.column(when, 'rule') }));
  const results = writeSettlement(policy, ruleColumns, stageOf(ruleColumns), query, dialect);

  const refusals = [
    ...columnRefusals(dialect, factColumns, policy.facts, columns, OUTPUTS, keys),
    ...tests.refusals,
    ...depthRefusals(query, written),
  ];
  if (refusals.length > 0) return { sql: undefined, refusals };
  const nothing = ['NULL', dialect.emptyList, dialect.emptyList, 'NULL', 'NULL'];
  const outputs = OUTPUTS.map((name, i) => {
    const result = results[i] ?? '';
    return `${day ? `CASE WHEN ${day.sql} IS NULL THEN ${nothing[i]} ELSE ${result} END` : result} AS ${name}`;
  });
  const keysAsNamed = keyColumns.map((column, i) => `${column} AS ${dialect.identifier(keys[i] ?? '')}`);
  const parts = typeof options.table === 'string' ? options.table.split('.') : options.table;
  const table = parts.map((part) => dialect.identifier(part)).join('.');
  return { sql: query.render(table, [...keysAsNamed, ...outputs]), refusals };
}

/** The rules that count: no shadow rules, and on a given day only active ones. */
function countedRules({ rules }: Policy, at: SqlDay): readonly Rule[] {
  return rules.filter((rule) => !rule.shadow && (typeof at !== 'string' || isActive(rule, at)));
}

/** The tests of these rules by key, each with the ids of the rules that contain it. */
function rulesByTest(rules: readonly Rule[]): Map<string, { readonly test: Test; readonly rules: string[] }> {
  const found = new Map<string, { readonly test: Test; readonly rules: string[] }>();
  for (const { id, when } of rules) {
    for (const test of testsOnce(when, new Set())) {
      const known = found.get(test.key);
      if (!known) found.set(test.key, { test, rules: [id] });
      else if (known.rules.at(-1) !== id) known.rules.push(id);
    }
  }
  return found;
}

/** The tests of a condition; those of a named condition once, however often it is named. */
function* testsOnce(condition: Condition, seen: Set<string>): Generator<Test> {
  if (condition.kind === 'test') yield condition;
  else if (condition.kind !== 'named' || !seen.has(condition.name)) {
    if (condition.kind === 'named') seen.add(condition.name);
    for (const part of condition.of) yield* testsOnce(part, seen);
  }
}

/** The columns of the facts that these tests read. */
function factColumnsOf(tests: Iterable<Test>, table: FactTable, map: ColumnMap): Map<string, FactColumns> {
  const found = new Map<string, FactColumns>();
  for (const { fact, other } of tests) {
    for (const path of other === undefined ? [fact] : [fact, other]) {
      found.set(path, columnsOf(path, table.get(path)?.type ?? '', map));
    }
  }
  return found;
}

/** A rule's condition, false on days on which it is not active. Without a column of days every rule is active. */
function whileActive({ from, until }: Rule, when: Expression, day: Expression | undefined): Expression {
  if (!day || (from === undefined && until === undefined)) return when;
  const ends = [
    ...(from === undefined ? [] : [`${day.sql} >= ${dayNumber(from)}`]),
    ...(until === undefined ? [] : [`${day.sql} <= ${dayNumber(until)}`]),
  ];
  return { sql: `(${[...ends, when.sql].join(' AND ')})`, stage: stageOf([when, day]) };
}

/** Refuses a query that is too deep, and names the rules that need the deepest nesting. */
function depthRefusals(
  { depth }: Query,
  written: readonly { readonly rule: Rule; readonly when: Expression }[],
): SqlRefusal[] {
  if (depth <= MAX_STAGES) return [];
  const most = stageOf(written.map(({ when }) => when));
  const deepest = written.filter(({ when }) => when.stage === most);
  const rules = deepest.map(({ rule }) => rule.id);
  const place = deepest[0] && placeOf(deepest[0].rule);
  const hint = 'nest named conditions and atLeastOf less deeply';
  return [
    refusal('sql-depth', `the query nests ${depth} levels; at most ${MAX_STAGES} are possible`, { rules, place, hint }),
  ];
}
