/** TABLE: the texts in which the dialects of SQL differ, apart from operators; a dialect refuses what it lacks. */

import { type Finding, formatDiagnostic, type Place } from '../../diagnostics.ts';
import { VerdictError } from '../../errors.ts';
import { dayNumber, FIRST_DAY, LAST_DAY, UTC } from '../../facts/day.ts';
import { readGiven } from '../../platform/given/read-given.ts';

/** The names of the dialects, as on the command line. */
export const DIALECT_NAMES = ['duckdb', 'postgres', 'clickhouse'] as const;

/** A dialect of SQL. */
export type DialectName = (typeof DIALECT_NAMES)[number];

/** The type of a fact's cleaned column. Levels and days are whole numbers. */
export type ColumnType = 'number' | 'whole' | 'truth' | 'text';

/** How one dialect writes the parts that every dialect has. */
export interface Dialect {
  readonly name: DialectName;
  /** The name of a column or a table. */
  identifier(name: string): string;
  /** The longest name that is not truncated, in UTF-8 bytes. */
  readonly longestName: number;
  /** A text literal. */
  text(text: string): string;
  /** Whether a text can hold U+0000. */
  readonly holdsNul: boolean;
  /** A literal of a double that is not a whole number. */
  double(digits: string): string;
  /** A number of a table, of any numeric type, as a double; NULL if none is near. */
  readNumber(number: string): string;
  /** A number as a double. */
  asDouble(column: string): string;
  /** NULL of a type. */
  nullOf(type: ColumnType): string;
  /** A column as a text that is compared byte by byte. */
  asText(column: string): string;
  /** The first labels of a dotted text, or the whole text if it has fewer. */
  firstLabels(text: string, labels: number): string;
  /** The condition that a number is neither NaN nor infinite. */
  isFinite(number: string): string;
  /** A Boolean column; NULL for other values than true and false. */
  readTruth(column: string): string;
  /**
   * A day as days since 1970-01-01; NULL outside the years 1 to 9999. A DATE is that day, a TIMESTAMP the day that it
   * is in a zone (IANA), whatever the zone of the session; without a zone of its own it is in UTC.
   */
  dayNumber(column: string, zone: string): string;
  /** Whether a whole text matches a pattern that JavaScript, RE2 and PostgreSQL read alike. */
  isLike(text: string, pattern: string): string;
  /** The list of the ids whose condition is true. INVARIANT: no condition is NULL, and no id has a comma. */
  choose(ids: readonly string[], conditions: readonly string[]): string;
  /** The empty list of texts. */
  readonly emptyList: string;
  /** The end of a SELECT that keeps the planner from inlining it into the outer one. */
  readonly fence: string;
  /** The most columns of a SELECT. A policy with more conditions has them packed into arrays. */
  readonly maxColumns: number;
}

const doubled = (text: string, quote: string) => `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
const backslashed = (text: string, quote: string) =>
  `${quote}${text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\0', '\\0')}${quote}`;

/** The day of seconds since 1970, for engines that have further years and infinities. */
function dayOfEpoch(seconds: string): string {
  const day = `floor(${seconds} / 86400)`;
  return `CASE WHEN ${day} BETWEEN ${dayNumber(FIRST_DAY)} AND ${dayNumber(LAST_DAY)} THEN CAST(${day} AS integer) END`;
}

/** DuckDB's parser stops at U+0000. */
function duckDbText(text: string): string {
  const parts = text.split('\0').map((part) => doubled(part, "'"));
  return parts.length === 1 ? parts.join() : `(${parts.join(' || chr(0) || ')})`;
}

/** A setting of PostgreSQL decides whether a backslash escapes in '…'; in E'…' it always does. */
function postgresText(text: string): string {
  return text.includes('\\') ? `E${doubled(text.replaceAll('\\', '\\\\'), "'")}` : doubled(text, "'");
}

const clickHouseText = (text: string) => backslashed(text, "'");

const DUCKDB: Dialect = {
  name: 'duckdb',
  identifier: (name) => doubled(name, '"'),
  longestName: Number.POSITIVE_INFINITY,
  text: duckDbText,
  holdsNul: true,
  double: (digits) => digits,
  readNumber: (number) => number,
  asDouble: (column) => `CAST(${column} AS DOUBLE)`,
  nullOf: (type) => `CAST(NULL AS ${{ number: 'DOUBLE', whole: 'BIGINT', truth: 'BOOLEAN', text: 'VARCHAR' }[type]})`,
  asText: (column) => `CAST(${column} AS VARCHAR)`,
  firstLabels: (text, labels) => `array_to_string(str_split(${text}, '.')[:${labels}], '.')`,
  isFinite: (number) => `isfinite(${number})`,
  readTruth: (column) => column,
  dayNumber: (column, zone) => {
    const local = `epoch(timezone('${zone}', to_timestamp(epoch(${column}))))`;
    if (zone === UTC) return dayOfEpoch(`epoch(${column})`);
    return dayOfEpoch(`CASE WHEN typeof(${column}) = 'DATE' THEN epoch(${column}) ELSE ${local} END`);
  },
  isLike: (text, pattern) => `regexp_full_match(${text}, ${duckDbText(pattern)})`,
  // Ten times as fast as filtering lists.
  choose: (ids, conditions) => {
    const chosen = ids.map((id, i) => `CASE WHEN ${conditions[i]} THEN ${duckDbText(`${id},`)} ELSE '' END`);
    return `str_split(concat(${chosen.join(', ')}), ',')[:-2]`;
  },
  emptyList: 'CAST([] AS VARCHAR[])',
  fence: '',
  maxColumns: Number.POSITIVE_INFINITY,
};

const POSTGRES: Dialect = {
  name: 'postgres',
  identifier: (name) => doubled(name, '"'),
  // NAMEDATALEN - 1: a longer name is cut without an error.
  longestName: 63,
  text: postgresText,
  holdsNul: false,
  double: (digits) => `'${digits}'::float8`,
  // The cast of a numeric beyond the doubles would end the query. Literals without a cast are compared as numeric.
  readNumber: (number) =>
    `CASE WHEN abs(${number}) < 2.5e-324 THEN 0 ` +
    `WHEN abs(${number}) <= ${Number.MAX_VALUE} THEN CAST(${number} AS float8) END`,
  asDouble: (column) => `CAST(${column} AS float8)`,
  nullOf: (type) => `CAST(NULL AS ${{ number: 'float8', whole: 'integer', truth: 'boolean', text: 'text' }[type]})`,
  // A collation of the table's own might treat different texts as equal.
  asText: (column) => `CAST(${column} AS text) COLLATE "C"`,
  firstLabels: (text, labels) => `array_to_string((string_to_array(${text}, '.'))[:${labels}], '.')`,
  isFinite: (number) => `${number} > '-Infinity'::float8 AND ${number} < 'Infinity'::float8`,
  readTruth: (column) => column,
  dayNumber: (column, zone) => {
    const epoch = (time: string) => `extract(epoch FROM ${time})`;
    if (zone === UTC) return dayOfEpoch(epoch(column));
    const local = epoch(`to_timestamp(${epoch(column)}) AT TIME ZONE '${zone}'`);
    const isDay = `pg_typeof(${column}) = 'date'::regtype`;
    return dayOfEpoch(`CASE WHEN ${isDay} THEN ${epoch(column)} ELSE ${local} END`);
  },
  isLike: (text, pattern) => `${text} ~ ${postgresText(`^(${pattern})$`)}`,
  choose: (ids, conditions) => {
    const chosen = ids.map((id, i) => `CASE WHEN ${conditions[i]} THEN ${postgresText(id)} END`);
    return `array_remove(ARRAY[${chosen.join(', ')}]::text[], NULL)`;
  },
  emptyList: "'{}'::text[]",
  // Without it the planner would copy the text of a column into each use, stage by stage.
  fence: ' OFFSET 0',
  // The limit is 1,664 columns, including those of facts.
  maxColumns: 1000,
};

const CLICKHOUSE: Dialect = {
  name: 'clickhouse',
  identifier: (name) => backslashed(name, '`'),
  longestName: Number.POSITIVE_INFINITY,
  text: clickHouseText,
  holdsNul: true,
  double: (digits) => digits,
  readNumber: (number) => number,
  asDouble: (column) => `CAST(${column}, 'Nullable(Float64)')`,
  nullOf: (type) =>
    `CAST(NULL, 'Nullable(${{ number: 'Float64', whole: 'Int64', truth: 'Bool', text: 'String' }[type]})')`,
  asText: (column) => `CAST(${column}, 'Nullable(String)')`,
  firstLabels: (text, labels) => `substringIndex(${text}, '.', ${labels})`,
  isFinite: (number) => `isFinite(${number})`,
  // ClickHouse stores Booleans as bytes.
  readTruth: (column) => `CASE WHEN ${column} = 1 THEN true WHEN ${column} = 0 THEN false END`,
  // ClickHouse has days from 1900 to 2299. `toInt32` would give seconds for a DateTime.
  dayNumber: (column, zone) => `dateDiff('day', toDate32('1970-01-01'), ${column}, '${zone}')`,
  isLike: (text, pattern) => `match(${text}, ${clickHouseText(`^(${pattern})$`)})`,
  choose: (ids, conditions) => {
    const texts = ids.map(clickHouseText);
    return `arrayFilter((id, chosen) -> chosen, [${texts.join(', ')}], [${conditions.join(', ')}])`;
  },
  emptyList: "CAST([], 'Array(String)')",
  fence: '',
  maxColumns: Number.POSITIVE_INFINITY,
};

/** The dialects by name. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  duckdb: DUCKDB,
  postgres: POSTGRES,
  clickhouse: CLICKHOUSE,
};

/** Writes a number. Whole numbers are written as integers, which every dialect compares exactly. */
export function writeNumber(dialect: Dialect, value: number): string {
  // `+ 0` turns -0 into 0. An exponent keeps engines from reading a decimal of fixed scale.
  return Number.isSafeInteger(value) ? String(value + 0) : dialect.double(value.toExponential());
}

/** The most parts joined side by side: engines limit the depth, and some the length, of an expression. */
const WIDTH = 64;

/** Joins parts by an associative operator, as a tree that stays flat for many parts. */
export function join(parts: readonly string[], operator: 'AND' | 'OR' | '+'): string {
  if (parts.length <= WIDTH) return parts.join(` ${operator} `);
  const groups: string[] = [];
  for (let i = 0; i < parts.length; i += WIDTH) groups.push(`(${parts.slice(i, i + WIDTH).join(` ${operator} `)})`);
  return join(groups, operator);
}

/**
 * A code of a refusal. The codes are stable.
 * - `sql-pattern`: the dialect would not match the pattern exactly as a policy does.
 * - `sql-text`: the dialect cannot hold the text.
 * - `sql-column`: the column name is taken, or the dialect cannot hold it.
 * - `sql-table`: the dialect cannot hold the name of the table.
 * - `sql-fact`: the map of columns names a fact that the policy does not have.
 * - `sql-depth`: the conditions name each other in more levels than a SELECT can nest.
 */
type SqlRefusalCode = 'sql-pattern' | 'sql-text' | 'sql-column' | 'sql-table' | 'sql-fact' | 'sql-depth';

/** One refusal. If it is about a rule, `file`, `position` and `line` are its source position in the policy. */
export interface SqlRefusal extends Finding {
  readonly code: SqlRefusalCode;
  readonly severity: 'error';
  /** What was found, and why it is refused. */
  readonly message: string;
  /** The ids of the rules that are refused; empty if it is not about a rule. */
  readonly rules: readonly string[];
}

/** Creates a refusal. */
export function refusal(
  code: SqlRefusalCode,
  message: string,
  { rules = [], place, hint }: { rules?: readonly string[]; place?: Place | undefined; hint?: string | undefined } = {},
): SqlRefusal {
  return { code, severity: 'error', message, rules, ...place, ...(hint === undefined ? {} : { hint }) };
}

/** The most rules named in a message. */
const NAMED_RULES = 3;

/** Formats a refusal like a diagnostic, with its rules: `file:line:column: error[code]: message (rule a)`. */
export function formatRefusal(refused: SqlRefusal): string {
  return readGiven('REQUEST_INVALID', 'the refusal', () =>
    formatDiagnostic({ ...refused, message: `${refused.message}${nameRules(refused.rules)}` }),
  );
}

/** The error of refusals. */
export function refusalError(refusals: readonly SqlRefusal[]): VerdictError {
  const message = `SQL cannot express this policy exactly:\n${refusals.map(formatRefusal).join('\n')}`;
  return new VerdictError('CONFIGURATION_INVALID', message);
}

function nameRules(rules: readonly string[]): string {
  if (rules.length === 0) return '';
  const more = rules.length > NAMED_RULES ? ` and ${rules.length - NAMED_RULES} more` : '';
  return ` (${rules.length === 1 ? 'rule' : 'rules'} ${rules.slice(0, NAMED_RULES).join(', ')}${more})`;
}
