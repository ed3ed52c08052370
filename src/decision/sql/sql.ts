/** Runner 3: a policy -> one SELECT that gives outcome, fired and undetermined rules and score of every row of a facts table. */

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
import { TestWriter, watchTexts } from './test-writer.ts';
import { FactWriter } from './typed-columns.ts';

/** The day of the decision: one for all rows, yyyy-MM-dd, or a DATE column of the table. */
export type SqlDay = string | { readonly column: string };

/** What the SELECT is written for. */
export interface SqlOptions {
  readonly dialect: DialectName;
  /** The table's name: its parts, such as `['lake', 'applicants']`, or a text with dots between them. */
  readonly table: string | readonly string[];
  readonly at: SqlDay;
  /** Columns by path, where they are not named by the convention. */
  readonly columns?: ColumnMap;
  /** Columns of the table that the result has too, before all others. */
  readonly keys?: readonly string[];
}

/** A SELECT; or, where the dialect cannot say the policy exactly, none, and all that it cannot say. */
export interface SqlExport {
  readonly sql: string | undefined;
  readonly refusals: readonly SqlRefusal[];
}

/**
 * Writes a policy as one SELECT. A row of its result, in no promised order, has the columns `keys`, `outcome`, `fired` and
 * `undetermined` (lists of rule ids in the policy's order, shadow rules left out), `score_least` and `score_most`. A row
 * whose day of the decision is NULL has no outcome, no rules and no score. Throws a `VerdictError` where `at` is no day.
 */
export function toSql(policy: Policy, options: SqlOptions): SqlExport {
  const { at, columns = {}, keys = [] } = options;
  if (typeof at === 'string' && !isDay(at)) {
    throw new VerdictError('CONFIGURATION_INVALID', '`at` is neither a calendar day written yyyy-MM-dd nor { column }');
  }
  const dialect = watchTexts(DIALECTS[options.dialect]);
  const rules = rulesThatCount(policy, at);
  const asked = rulesByTest(rules);
  const places = placesOf(
    [...asked.values()].map(({ test }) => test),
    policy.facts,
    columns,
  );
  const rulesOf = new Map([...asked].map(([key, found]) => [key, found.rules]));
  const query = new Query(dialect, rules.length + asked.size);
  const quote = (column: string) => `t.${dialect.identifier(column)}`;

  const keyColumns = keys.map((key) => query.column({ sql: quote(key), stage: 0 }, 'key').sql);
  const day =
    typeof at === 'string' ? undefined : query.column({ sql: dialect.dayNumber(quote(at.column)), stage: 0 }, 'day');
  const dayOrLiteral = day ?? dayNumber(String(at));
  const facts = new FactWriter(query, dialect, policy.facts, places, day ?? { sql: String(dayOrLiteral), stage: 0 });
  const tests = new TestWriter({ query, dialect, facts, day: dayOrLiteral, rulesOf });
  const conditions = new ConditionWriter(query, (test) => tests.write(test));
  const written = rules.map((rule) => ({ rule, when: whileActive(rule, conditions.write(rule.when), day) }));
  const ruleColumns = written.map(({ rule, when }) => ({ rule, ...query.column(when, 'rule') }));
  const results = writeSettlement(policy, ruleColumns, stageOf(ruleColumns), query, dialect);

  const refusals = [
    ...columnRefusals(dialect, places, policy.facts, columns, OUTPUTS, keys),
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

/** The rules that have a part in the result; those that are not active on a day that is known are left out. */
function rulesThatCount({ rules }: Policy, at: SqlDay): readonly Rule[] {
  return rules.filter((rule) => !rule.shadow && (typeof at !== 'string' || isActive(rule, at)));
}

/** The tests of these rules, by their keys, each with the ids of the rules that it is in. */
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

/** The tests of a condition; those of a named one once, however many ways lead to it. */
function* testsOnce(condition: Condition, seen: Set<string>): Generator<Test> {
  if (condition.kind === 'test') yield condition;
  else if (condition.kind !== 'named' || !seen.has(condition.name)) {
    if (condition.kind === 'named') seen.add(condition.name);
    for (const part of condition.of) yield* testsOnce(part, seen);
  }
}

/** Where the facts that these tests ask about stand. */
function placesOf(tests: Iterable<Test>, table: FactTable, map: ColumnMap): Map<string, FactColumns> {
  const places = new Map<string, FactColumns>();
  for (const { fact, other } of tests) {
    for (const path of other === undefined ? [fact] : [fact, other]) {
      places.set(path, columnsOf(path, table.get(path)?.type ?? '', map));
    }
  }
  return places;
}

/** A rule's condition on the days on which it is active, false on others. Without a column of days it is active. */
function whileActive({ from, until }: Rule, when: Expression, day: Expression | undefined): Expression {
  if (!day || (from === undefined && until === undefined)) return when;
  const ends = [
    ...(from === undefined ? [] : [`${day.sql} >= ${dayNumber(from)}`]),
    ...(until === undefined ? [] : [`${day.sql} <= ${dayNumber(until)}`]),
  ];
  return { sql: `(${[...ends, when.sql].join(' AND ')})`, stage: stageOf([when, day]) };
}

/** About the rules that need the most steps. */
function depthRefusals(
  { depth }: Query,
  written: readonly { readonly rule: Rule; readonly when: Expression }[],
): SqlRefusal[] {
  if (depth <= MAX_STAGES) return [];
  const most = stageOf(written.map(({ when }) => when));
  const deepest = written.filter(({ when }) => when.stage === most);
  const rules = deepest.map(({ rule }) => rule.id);
  const place = deepest[0] && placeOf(deepest[0].rule);
  const hint = 'let fewer conditions name, or count, others that do so too';
  return [refusal('sql-depth', `${depth} steps; at most ${MAX_STAGES} can be nested`, { rules, place, hint })];
}
