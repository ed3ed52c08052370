/** Runner 3: a policy -> one SELECT of each row's outcome, fired and undetermined rules, and score. */

import { givenFacts } from '../../facts/compute.ts';
import { DAY, dayNumber } from '../../facts/day.ts';
import {
  ANY_TEXT,
  type Kind,
  listOf,
  mapOf,
  oneOf,
  optionsReader,
  readArgument,
} from '../../platform/given/options.ts';
import { foldParts, type Logic } from '../../policy/fold.ts';
import { type Condition, isActive, type Policy, type Rule, type Test } from '../../policy/language.ts';
import { POLICY, placeOf } from '../../policy/source-map.ts';
import { NOTHING, weigh } from '../../policy/weight.ts';
import {
  askedBy,
  type Connectives,
  type End,
  joinAsked,
  rankAtLeast,
  termsOf,
  type WeighedRule,
} from '../meaning/ranking.ts';
import { DIALECTS, type Dialect, type DialectName, join, refusal, type SqlRefusal } from './dialect.ts';
import { type Expression, MAX_STAGES, Query, type Role, stageOf } from './query.ts';
import { type ColumnMap, columnRefusals, columnsOf, nameRefusals } from './table-columns.ts';
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
    typeof at === 'string'
      ? undefined
      : query.column({ sql: dialect.dayNumber(quote(at.column), policy.timeZone), stage: 0 }, 'day');
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
function testsOnce(condition: Condition, seen = new Set<string>(), tests = new Map<string, Test>()): Map<string, Test> {
  if (condition.kind === 'test') return tests.has(condition.key) ? tests : tests.set(condition.key, condition);
  if (condition.kind === 'named' && seen.has(condition.name)) return tests;
  if (condition.kind === 'named') seen.add(condition.name);
  for (const part of condition.of) testsOnce(part, seen, tests);
  return tests;
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

/** Writes a condition when it is called, so that columns are numbered in the order of their places. */
type Writer = () => Expression;

/**
 * Creates the writer of the conditions of one policy into one query; `writeTest` gives the column of a test.
 * SQL's AND, OR and NOT are Kleene's, so every kind of condition but `atLeastOf` has its equivalent.
 */
function conditionWriter(query: Query, writeTest: (test: Test) => Expression): (condition: Condition) => Expression {
  const named = new Map<string, Expression>();

  const columnOf = (write: Writer) => query.column(write(), 'condition');
  const logic: Logic<Writer> = {
    test: (test) => () => writeTest(test),
    not: (part) => () => {
      const { sql, stage } = part();
      return { sql: `(NOT ${sql})`, stage };
    },
    all: (parts) => () => combine(parts, 'AND'),
    any: (parts) => () => combine(parts, 'OR'),
    atLeast: (count, parts) => () => atLeast(count, parts.map(columnOf)),
    // Each gets a column: if each condition names another twice, the text would double with each level.
    named: (name, part) => () => {
      const column = named.get(name) ?? columnOf(part);
      named.set(name, column);
      return column;
    },
  };
  const write = (condition: Condition): Expression => foldParts(condition, logic, (part) => () => write(part))();
  return write;
}

function combine(parts: readonly Writer[], operator: 'AND' | 'OR'): Expression {
  // A table row that tests nothing.
  if (parts.length === 0) return { sql: 'true', stage: 1 };
  const written = parts.map((write) => write());
  const [only] = written;
  if (written.length === 1 && only) return only;
  const texts = written.map(({ sql }) => sql);
  return { sql: `(${join(texts, operator)})`, stage: stageOf(written) };
}

/** True if enough parts are true, false if too many are false: sums, since a disjunctive form would explode. */
function atLeast(count: number, columns: readonly Expression[]): Expression {
  // The text uses each part twice, so a part has to be a column.
  const certain = columns.map(({ sql }) => `CASE WHEN ${sql} THEN 1 ELSE 0 END`);
  const possible = columns.map(({ sql }) => `CASE WHEN NOT ${sql} THEN 0 ELSE 1 END`);
  const isTrue = `${join(certain, '+')} >= ${count}`;
  const isFalse = `${join(possible, '+')} < ${count}`;
  return { sql: `(CASE WHEN ${isTrue} THEN true WHEN ${isFalse} THEN false END)`, stage: stageOf(columns) };
}

/** The columns of the result, after the key columns. */
const OUTPUTS = ['outcome', 'fired', 'undetermined', 'score_least', 'score_most'] as const;

/** A rule with the column of its truth. */
interface RuleColumn {
  readonly rule: Rule;
  readonly sql: string;
}

/** Writes the columns of the result, in the order of `OUTPUTS`. `stage` is the last stage with the column of a rule. */
function writeSettlement(
  policy: Policy,
  rules: readonly RuleColumn[],
  stage: number,
  query: Query,
  dialect: Dialect,
): readonly string[] {
  const column = (sql: string, role: Role) => query.column({ sql, stage }, role).sql;
  const weighed = rules.map(({ rule, sql }) => ({ weight: weigh(rule), ...truthsOf(sql) }));
  // Rules that ask for the same have one column: true if one of them fired, else NULL if one is undetermined.
  const groups = Map.groupBy(
    weighed.filter(({ weight }) => weight.fired !== NOTHING),
    ({ weight: { fired, undetermined, isFinal } }) => [fired, undetermined, isFinal].join(),
  );
  const asked = [...groups.values()].flatMap((group) => {
    const columns = group.map(({ certain }) => certain);
    const any = truthsOf(column(join(columns, 'OR'), 'any'));
    return group.slice(0, 1).map(({ weight }) => askedBy({ weight, ...any }, CONDITIONS));
  });
  const least = column(writeScore(weighed, 'least'), 'score');
  const most = column(writeScore(weighed, 'most'), 'score');
  const reaches = (end: End, limit: number) => `${end === 'least' ? least : most} >= ${limit}`;
  const { reject, review } = rankAtLeast(policy, joinAsked(asked, CONDITIONS.or), reaches, CONDITIONS);
  const cases = Object.entries({ reject, review }).flatMap(([then, when]) =>
    when === NEVER ? [] : `WHEN ${when} THEN '${then}'`,
  );
  const outcome = cases.length === 0 ? "'accept'" : `CASE ${cases.join(' ')} ELSE 'accept' END`;
  const ids = rules.map(({ rule }) => rule.id);
  const chooseIds = (conditions: readonly string[]) =>
    ids.length === 0 ? dialect.emptyList : dialect.choose(ids, conditions);
  const fired = chooseIds(rules.map(({ sql }) => `COALESCE(${sql}, false)`));
  const undetermined = chooseIds(rules.map(({ sql }) => `${sql} IS NULL`));
  return [outcome, fired, undetermined, least, most];
}

const NEVER = 'false';
const ALWAYS = 'true';

/** Conditions in SQL that are true where they hold, and else false or NULL. */
const CONDITIONS: Connectives<string> = {
  and: (parts) => connect(parts, 'AND', ALWAYS, NEVER),
  or: (parts) => connect(parts, 'OR', NEVER, ALWAYS),
  not: (part) => (part === NEVER ? ALWAYS : part === ALWAYS ? NEVER : `COALESCE(${part}, false) = false`),
};

/** `neutral` has no effect; `absorbing` replaces the whole. */
function connect(parts: readonly string[], by: 'AND' | 'OR', neutral: string, absorbing: string): string {
  const needed = parts.filter((part) => part !== neutral);
  if (needed.includes(absorbing)) return absorbing;
  return needed.length > 1 ? `(${join(needed, by)})` : (needed[0] ?? neutral);
}

/** The conditions, from a column with the truth of a rule, that it is true, and that it is true or unknown. */
function truthsOf(column: string): { readonly certain: string; readonly possible: string } {
  return { certain: column, possible: `COALESCE(${column}, true)` };
}

/** Engines add whole numbers in 32 bits; a greater sum needs a bigint. */
const GREATEST_INTEGER = 2 ** 31 - 1;

/** One end of the score. */
function writeScore(rules: readonly WeighedRule<string>[], end: End): string {
  const terms = termsOf(rules, end);
  const greatest = terms.reduce((sum, [points]) => sum + Math.abs(points), 0);
  const write = (points: number) => (greatest > GREATEST_INTEGER ? `CAST(${points} AS bigint)` : String(points));
  const counted = terms.map(([points, when]) => `CASE WHEN ${when} THEN ${write(points)} ELSE 0 END`);
  return `CAST(${counted.length === 0 ? '0' : join(counted, '+')} AS bigint)`;
}
