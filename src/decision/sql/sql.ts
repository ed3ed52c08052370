/** Runner 3: a policy -> one SELECT of each row's outcome, fired and undetermined rules, and score. */

import { givenFacts } from '../../facts/compute.ts';
import { DAY, dayNumber } from '../../facts/day.ts';
import { ANY_TEXT, type Kind, listOf, mapOf, oneOf, optionsReader, readArgument } from '../../given/options.ts';
import { type Condition, isActive, type Policy, type Rule, type Test } from '../../policy/language.ts';
import { POLICY, placeOf } from '../../policy/source-map.ts';
import { type ColumnMap, columnRefusals, columnsOf, nameRefusals } from './column-names.ts';
import { conditionWriter } from './condition.ts';
import { DIALECTS, type DialectName } from './dialect.ts';
import { type Expression, MAX_STAGES, Query, stageOf } from './query.ts';
import { refusal, type SqlRefusal } from './refusal.ts';
import { OUTPUTS, writeSettlement } from './settlement.ts';
import { createTestWriter } from './test-writer.ts';

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
 * CONFIGURATION_INVALID for options that cannot be used, such as a day that does not exist.
 */
export function toSql(policy: Policy, options: SqlOptions): SqlExport {
  readArgument('the policy', POLICY, policy);
  return writeSelect(policy, readOptions(options));
}

const isColumn = (value: unknown) => ANY_TEXT.is((value as { readonly column?: unknown } | null)?.column);
const TEXTS = listOf(ANY_TEXT, 'a list of texts');
/** A `ColumnChoice`. */
const CHOICE: Kind = {
  expected: 'a column',
  is: (value) =>
    value === null || ANY_TEXT.is(value) || (isColumn(value) && isNever((value as { never?: unknown }).never)),
};
const isNever = (value: unknown) => value === undefined || value === null || ANY_TEXT.is(value);

const readOptions = optionsReader<SqlOptions>('the options of the SELECT', {
  dialect: oneOf(Object.keys(DIALECTS)),
  table: { expected: 'a text, or a list of texts', is: (value) => ANY_TEXT.is(value) || TEXTS.is(value) },
  at: { expected: 'a calendar day, yyyy-MM-dd, or { column }', is: (value) => DAY.is(value) || isColumn(value) },
  'columns?': mapOf(CHOICE, 'an object of columns: texts, null, or { column, never }'),
  'keys?': TEXTS,
});

function writeSelect(policy: Policy, options: SqlOptions): SqlExport {
  const { at, columns = {}, keys = [] } = options;
  const dialect = DIALECTS[options.dialect];
  const rules = policy.rules.filter((rule) => !rule.shadow && (typeof at !== 'string' || isActive(rule, at)));
  const uses = rules.flatMap(({ id, when }) => [...testsOnce(when).values()].map((test) => ({ id, test })));
  const byTest = Map.groupBy(uses, ({ test }) => test.key);
  const paths = uses.flatMap(({ test: { fact, other } }) => (other === undefined ? [fact] : [fact, other]));
  const factColumns = new Map(
    [...givenFacts(paths, policy.facts)].map(
      (path) => [path, columnsOf(path, policy.facts.get(path)?.type ?? '', columns)] as const,
    ),
  );
  const query = new Query(dialect, rules.length + byTest.size);
  const quote = (column: string) => `t.${dialect.identifier(column)}`;

  const keyColumns = keys.map((key) => query.column({ sql: quote(key), stage: 0 }, 'key').sql);
  const day =
    typeof at === 'string' ? undefined : query.column({ sql: dialect.dayNumber(quote(at.column)), stage: 0 }, 'day');
  const tests = createTestWriter({
    query,
    dialect,
    table: policy.facts,
    columns: factColumns,
    day: day ?? dayNumber(String(at)),
    rulesOf: (key) => (byTest.get(key) ?? []).map(({ id }) => id),
  });
  const write = conditionWriter(query, tests.write);
  const written = rules.map((rule) => ({ rule, when: whileActive(rule, write(rule.when), day) }));
  const ruleColumns = written.map(({ rule, when }) => ({ rule, ...query.column(when, 'rule') }));
  const results = writeSettlement(policy, ruleColumns, stageOf(ruleColumns), query, dialect);

  const table = typeof options.table === 'string' ? options.table.split('.') : options.table;
  const refusals = [
    ...table.flatMap((part) => nameRefusals(dialect, 'table', part)),
    ...(typeof at === 'string' ? [] : nameRefusals(dialect, 'column', at.column)),
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
  const from = table.map((part) => dialect.identifier(part)).join('.');
  return { sql: query.render(from, [...keysAsNamed, ...outputs]), refusals };
}

/** The tests of a condition by key; those of a named condition are visited once, however often it is named. */
function testsOnce(condition: Condition, seen = new Set<string>(), found = new Map<string, Test>()): Map<string, Test> {
  if (condition.kind === 'test') return found.has(condition.key) ? found : found.set(condition.key, condition);
  if (condition.kind === 'named' && seen.has(condition.name)) return found;
  if (condition.kind === 'named') seen.add(condition.name);
  for (const part of condition.of) testsOnce(part, seen, found);
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
  const hint = 'nest named conditions and atLeastOf less deeply, and compute with fewer operands';
  return [
    refusal('sql-depth', `the query nests ${depth} levels; at most ${MAX_STAGES} are possible`, { rules, place, hint }),
  ];
}
