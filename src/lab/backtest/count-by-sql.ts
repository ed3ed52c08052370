/** Two policies and a table of ClickHouse -> the counts of a backtest, made there over the exported SELECT. */

import type { ColumnGaps } from '../../decision/rows/column-gaps.ts';
import { columnKey, findColumns } from '../../decision/rows/fact-columns.ts';
import { DIALECTS, refusalError } from '../../decision/sql/dialect.ts';
import { type SqlOptions, toSql } from '../../decision/sql/sql.ts';
import type { ColumnMap } from '../../decision/sql/table-columns.ts';
import { VerdictError } from '../../errors.ts';
import type { FactDefinition, FactType } from '../../facts/catalog.ts';
import { givenFacts } from '../../facts/compute.ts';
import { readFact } from '../../facts/fact-reader.ts';
import { conditionFacts, hasBands, OUTCOMES, type Policy, type Rule } from '../../policy/language.ts';
import { canonicalData, keepData } from '../../policy/source-map.ts';
import { weigh } from '../../policy/weight.ts';
import { MOST_KINDS_COUNTED } from '../limits.ts';
import { byPath, ownCounts } from '../space/own-computations.ts';
import { applicantsIn, changesOf } from './applicants.ts';
import type { Backtest } from './backtest.ts';
import type { JointFacts } from './joint-facts.ts';
import { add, groupedBy, groupValue, outcomesOf, totalsOf } from './outcome-counts.ts';
import { type RuleCount, RuleTallies } from './rule-counts.ts';

/** Sends a query to ClickHouse; resolves to the rows of its answer, as the format JSONCompact has them. */
export type Ask = (query: string) => Promise<readonly (readonly unknown[])[]>;

/** Which rows are counted, and how. */
export interface SqlCounting {
  /** The table, perhaps with its database: lake.applicants. */
  readonly table: string;
  /** The day of rows without one in the column `at`, yyyy-MM-dd. */
  readonly at: string;
  /** The first and the last day that count, yyyy-MM-dd. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Columns by the path of the fact, where they are not named by the convention. */
  readonly columns?: ColumnMap;
  /** Facts of the joint table other than dates; `week`; `month`. */
  readonly by: readonly string[];
  /** Whether there is a policy before; else both are the same. */
  readonly compares: boolean;
}

const { identifier, text, asText } = DIALECTS.clickhouse;

/** The parts of a query. The names are ours alone: that of a table would hide it. */
const [ROWS, BEFORE, NOW] = ['verdict_rows', 'verdict_before', 'verdict_now'];

/** The number of rows by a text. */
type Counts = ReadonlyMap<string, number>;

/** What is counted by text: rules, points, days, and then the values of `by`. */
const COUNTED = ['fired', 'undetermined', 'before', 'scores', 'days'] as const;

/** Rows with one outcome before and one now: `accept review`. */
interface Flow {
  readonly change: string;
  readonly applicants: number;
  /** In the order of `COUNTED`. */
  readonly counts: readonly Counts[];
}

/**
 * Counts the rows of a table, and says which columns it lacks. Rejects with CONFIGURATION_INVALID if the table has no
 * column that the policies read, if SQL cannot express a policy, if the table changes meanwhile, or if an answer is
 * malformed; and with the errors of `ask`.
 *
 * @param joint the facts of both policies, and those of `by` among `read`
 */
export async function countBySql(
  [old, now]: readonly [old: Policy, now: Policy],
  joint: JointFacts,
  options: SqlCounting,
  ask: Ask,
): Promise<{ readonly backtest: Backtest; readonly gaps: ColumnGaps }> {
  const { by, compares } = options;
  const { gaps, rows, columns } = await openTable(joint, options, ask);
  const counts = ownCounts(old, joint.policies[0]);
  const select = (policy: Policy, table: string, keys: readonly string[]) => {
    const given = [...givenFacts(conditionFacts(policy.rules), policy.facts)];
    const columnOf = policy === old ? byPath(columns, counts) : columns;
    const choices = Object.fromEntries(given.map((path) => [path, columnOf.get(path) ?? null]));
    const at = { column: 'day' };
    return writeOrThrow(observed(policy), { dialect: 'clickhouse', table, at, columns: choices, keys });
  };
  const keys = [...new Set(['day', ...by.flatMap((path) => columns.get(path)?.column ?? [])])];
  // The SELECT of the policy before passes on what the other one reads: one scan gives both outcomes of a row.
  const both = () => {
    const passed = [
      'day',
      ...[...columns.values()].flatMap(({ column, never }) => [column, ...(never ? [never] : [])]),
    ];
    const renamed = [...passed, 'outcome AS outcome_before', 'fired AS fired_before'];
    const before = `${BEFORE} AS (SELECT ${renamed} FROM (${select(old, ROWS, passed)}))`;
    return `${before}, ${NOW} AS (${select(now, BEFORE, [...keys, 'outcome_before', 'fired_before'])})`;
  };
  const [from, firedBefore] = compares ? ['outcome_before', 'fired_before'] : ['outcome', 'fired'];
  const counted = [
    ...['fired', 'undetermined', firedBefore].map(countEach),
    countOne('assumeNotNull(score_least)', 'score_least = score_most'),
    countOne('toString(day)', 'true'),
    ...by.map((path) => countValues(columns.get(path)?.column, joint.facts.get(path)?.type)),
  ];
  const parts = compares ? both() : `${NOW} AS (${select(now, ROWS, keys)})`;
  const change = `concat(assumeNotNull(${from}), ' ', assumeNotNull(outcome)) AS change`;
  const query = `WITH ${rows}, ${parts} SELECT ${[change, 'count()', ...counted]} FROM ${NOW} GROUP BY change`;
  const flows = (await ask(query)).map((row) => readFlow(row, counted.length));
  const fired = sumOf(flows, COUNTED.indexOf('fired'));
  const ofNow = `WITH ${rows}, ${NOW} AS (${select(now, ROWS, [])})`;
  const kinds = fired.size === 0 ? [] : await ask(`${ofNow} ${kindsQuery(now)}`);
  const without = kinds.length > MOST_KINDS_COUNTED ? undefined : countWithout(now, kinds, fired);
  return { gaps, backtest: backtestOf([old, now], joint, options, flows, without) };
}

/** Writes the SELECT; throws CONFIGURATION_INVALID with all refusals. */
function writeOrThrow(policy: Policy, options: SqlOptions): string {
  const { sql, refusals } = toSql(policy, options);
  if (sql === undefined) throw refusalError(refusals);
  return sql;
}

/** The part of a query that has the columns of facts, under names of our own, and the day of each row. */
async function openTable(joint: JointFacts, { table, at, from, to, columns = {} }: SqlCounting, ask: Ask) {
  const name = table.split('.').map(identifier).join('.');
  const described = (await ask(`DESCRIBE TABLE ${name}`)).map(([column, type]) => [String(column), String(type)]);
  const nameOf = new Map(described.map(([column = '']) => [columnKey(column), column]));
  const types = new Map(described.map(([column = '', type = '']) => [columnKey(column), type]));
  const quote = (column: string) => `t.${identifier(nameOf.get(columnKey(column)) ?? column)}`;
  const names = described.map(([column = '']) => column);
  const { present, absent, unread } = findColumns(joint, columns, { names, types, noun: 'table' });
  const used = present.filter(({ path }) => joint.read.has(path));
  const defined = used.flatMap(({ columns: { column, never } }, i) => [
    `${quote(column)} AS value_${i}`,
    ...(never === undefined ? [] : [`${quote(never)} AS never_${i}`]),
  ]);
  const literal = (day: string) => `toDate32(${text(day)})`;
  const isTime = types.get('at')?.includes('DateTime');
  const own = `toDate32(${isTime ? `toTimeZone(${quote('at')}, '${joint.timeZone}')` : quote('at')})`;
  // Only where it is needed: ClickHouse skips parts of a table by a condition on its column alone.
  const orGiven = types.get('at')?.includes('Nullable') ? `ifNull(${own}, ${literal(at)})` : own;
  const day = types.has('at') ? orGiven : literal(at);
  const where = [
    ...(from === undefined ? [] : [`${day} >= ${literal(from)}`]),
    ...(to === undefined ? [] : [`${day} <= ${literal(to)}`]),
  ];
  const wanted = where.length === 0 ? '' : ` WHERE ${where.join(' AND ')}`;
  return {
    gaps: { absent, unread },
    rows: `${ROWS} AS (SELECT ${[...defined, `${day} AS day`]} FROM ${name} AS t${wanted})`,
    columns: new Map(
      used.map(({ path, columns: { never } }, i) => {
        return [path, { column: `value_${i}`, never: never === undefined ? null : `never_${i}` }];
      }),
    ),
  };
}

/** The exported SELECT leaves shadow rules out. Here they are rules that ask for nothing. */
function observed(policy: Policy): Policy {
  const rules = policy.rules.map((rule): Rule => {
    return rule.shadow ? { ...rule, shadow: false, then: undefined, points: undefined, final: false } : rule;
  });
  return keepData({ ...policy, rules }, canonicalData(policy));
}

/** The number of rows by each text of a list. */
function countEach(list = ''): string {
  return `sumMap(${list}, arrayMap(each -> 1, ${list}))`;
}

/** The number of rows by the value of an expression, where a condition is true. */
function countOne(expression: string, condition: string): string {
  return `sumMapIf([${expression}], [1], ${condition})`;
}

/** The number of rows by the value of a fact, as a text that `readFact` reads. */
function countValues(column: string | undefined, type: FactType | undefined): string {
  if (column === undefined) return countOne("''", 'false');
  const isNumber = type === 'number' || type === 'integer';
  return countOne(`assumeNotNull(${asText(isNumber ? `(${column} + 0e0)` : column)})`, `${column} IS NOT NULL`);
}

/** The indexes of rules by kind: rules of one kind have the same weight. */
function kindsOf({ rules }: Policy): readonly (readonly number[])[] {
  const kindOf = (rule: Rule) => `${rule.shadow} ${JSON.stringify(weigh(rule))}`;
  return [...Map.groupBy(rules.keys(), (index) => kindOf(rules[index] as Rule)).values()];
}

/** The rows by their outcome and the kinds of their rules that fired and that are undetermined; those rules. */
function kindsQuery(policy: Policy): string {
  const kindOf = kindsOf(policy).flatMap((alike, kind) => alike.map((index) => ({ index, kind })));
  const ids = kindOf.map(({ index }) => text((policy.rules[index] as Rule).id));
  const kinds = kindOf.map(({ kind }) => kind);
  const kindsIn = (list: string) => `arraySort(arrayMap(each -> transform(each, [${ids}], [${kinds}], 0), ${list}))`;
  const selected = [
    'outcome',
    `${kindsIn('fired')} AS kinds`,
    `${kindsIn('undetermined')} AS open`,
    countEach('fired'),
  ];
  // Once there are more groups than these, the database need not read on.
  const settings = `max_rows_to_group_by = ${MOST_KINDS_COUNTED}, group_by_overflow_mode = 'break'`;
  const groups = `GROUP BY outcome, kinds, open LIMIT ${MOST_KINDS_COUNTED + 1} SETTINGS ${settings}`;
  return `SELECT ${selected} FROM ${NOW} WHERE notEmpty(fired) ${groups}`;
}

/**
 * By rule the rows from their outcome to the one without it. `rows`: the answer to `kindsQuery`. `fired`: for how many
 * each rule fired, to which the rows have to add up.
 */
function countWithout(policy: Policy, rows: readonly (readonly unknown[])[], fired: Counts): Map<string, Counts> {
  const kinds = kindsOf(policy);
  const firstOf = new Map(kinds.flatMap((alike) => alike.map((i) => [policy.rules[i]?.id ?? '', alike[0] ?? -1])));
  const tallies = new RuleTallies(policy);
  const found = new Map<string, Map<string, number>>();
  for (const [outcome, firedKinds, openKinds, counted] of rows) {
    const left = kinds.map((alike) => alike.values());
    // The rules that fired come first, so that the first of a kind is one of them.
    const take = (kind: unknown) => left[Number(kind)]?.next().value ?? malformed();
    const [certain, open] = [readList(firedKinds).map(take), readList(openKinds).map(take)];
    const rules = Int32Array.of(...certain, ...open);
    const truths = {
      size: rules.length,
      rules,
      isFired: Uint8Array.from(rules, (_, i) => (i < certain.length ? 1 : 0)),
    };
    const to = tallies.settle(truths).outcome;
    if (to !== outcome) throw new Error('SQL and the matcher disagree');
    for (const [id, applicants] of readCounts(counted)) {
      const change = `${to} ${tallies.settle(truths, firstOf.get(id)).outcome}`;
      found.set(id, add(found.get(id) ?? new Map(), change, applicants));
    }
  }
  if ([...fired].every(([id, applicants]) => total(found.get(id) ?? new Map()) === applicants)) return found;
  const how = 'count the rows up to a day on which no more are written: --to';
  throw new VerdictError('CONFIGURATION_INVALID', `the table changed while it was counted; ${how}`);
}

function readFlow([change, applicants, ...cells]: readonly unknown[], columns: number): Flow {
  const isChange = OUTCOMES.some((from) => OUTCOMES.some((to) => change === `${from} ${to}`));
  if (!isChange || cells.length !== columns) malformed();
  return { change: String(change), applicants: Number(applicants), counts: cells.map(readCounts) };
}

/** The two lists of `sumMap`. */
function readCounts(cell: unknown): Counts {
  const [keys = [], counts = []] = readList(cell).map(readList);
  return new Map(keys.map((key, i) => [String(key), Number(counts[i])]));
}

function readList(cell: unknown): readonly unknown[] {
  return Array.isArray(cell) ? cell : malformed();
}

function malformed(): never {
  throw new VerdictError('CONFIGURATION_INVALID', 'the answer of ClickHouse has not the columns of the query');
}

function sumOf(flows: readonly Flow[], column: number): Counts {
  const sums = new Map<string, number>();
  for (const { counts } of flows) for (const [name, n] of counts[column] ?? []) add(sums, name, n);
  return sums;
}

function total(counts: Counts): number {
  return [...counts.values()].reduce((sum, n) => sum + n, 0);
}

function backtestOf(
  [old, now]: readonly [old: Policy, now: Policy],
  { facts }: JointFacts,
  { by, compares, at }: SqlCounting,
  flows: readonly Flow[],
  without: ReadonlyMap<string, Counts> | undefined,
): Backtest {
  const changes = new Map(flows.map(({ change, applicants }) => [change, applicants]));
  const sum = (column: (typeof COUNTED)[number]) => sumOf(flows, COUNTED.indexOf(column));
  const [fired, undetermined, firedBefore, scores] = [sum('fired'), sum('undetermined'), sum('before'), sum('scores')];
  const days = [...sum('days').keys()].toSorted();
  const totals = totalsOf(changes, [...days.slice(0, 1), ...days.slice(-1)], compares);
  const values = [...scores].map(([points, applicants]) => ({ points: Number(points), applicants }));
  values.sort((one, other) => one.points - other.points);
  return {
    rows: totals.decided,
    ...totals,
    rules: now.rules.map(({ id, shadow }) => ({
      rule: id,
      ...(shadow ? { shadow } : {}),
      fired: fired.get(id) ?? 0,
      ...(compares && old.rules.some((rule) => rule.id === id) ? { firedBefore: firedBefore.get(id) ?? 0 } : {}),
      undetermined: undetermined.get(id) ?? 0,
      ...(without ? withoutRule(without.get(id) ?? new Map()) : {}),
    })),
    ...(hasBands(now) ? { scores: { ...now.score, values, open: totals.decided - total(scores) } } : {}),
    groups: by.map((each, i) =>
      groupedBy(each, groupsOf(each, facts.get(each), flows, COUNTED.length + i, at), compares),
    ),
    notCounted: ['missing', 'overlap', 'worst', ...(without ? [] : (['alone'] as const))],
    undecided: { unreadable: 0, erased: 0, aborted: 0, policyMissing: 0, open: 0, openFacts: {}, problems: {} },
  };
}

function withoutRule(without: Counts): Pick<RuleCount, 'alone' | 'without' | 'changes'> {
  const changes = changesOf(({ from, to }) => without.get(`${from} ${to}`));
  return { alone: applicantsIn(changes), without: outcomesOf(without, 'to'), changes };
}

/** The rows of each change by the value of a fact, or by week or month. `column`: of the fact, among the counts. */
function groupsOf(
  by: string,
  definition: FactDefinition | undefined,
  flows: readonly Flow[],
  column: number,
  at: string,
) {
  const groups = new Map<string | null, Map<string, number>>();
  const count = (value: string | null, change: string, n: number) => {
    if (n > 0) groups.set(value, add(groups.get(value) ?? new Map(), change, n));
  };
  for (const { change, applicants, counts } of flows) {
    const found = counts[definition ? column : COUNTED.indexOf('days')] ?? malformed();
    for (const [cell, n] of found) {
      const fact = definition && readFact(definition, { value: rawOf(definition, cell) }, at);
      count(
        groupValue(by, cell, () => fact),
        change,
        n,
      );
    }
    count(null, change, applicants - total(found));
  }
  return groups;
}

/** The text of a cell -> the value that it had. A Boolean may be a number of ClickHouse. */
function rawOf({ type }: FactDefinition, cell: string): unknown {
  if (type === 'number' || type === 'integer') return Number(cell);
  return type === 'boolean' ? cell === 'true' || cell === '1' : cell;
}
