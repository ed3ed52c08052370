/** TABLE: what the dialects of SQL write differently, whatever operator it is for: literals, names, types, lists. */

/** The dialects, by the names that the command line knows them by. */
export const DIALECT_NAMES = ['duckdb', 'postgres', 'clickhouse'] as const;

/** A dialect of SQL. */
export type DialectName = (typeof DIALECT_NAMES)[number];

/** What a column of a fact is, once it is cleaned. Levels and days are whole numbers. */
export type ColumnType = 'number' | 'whole' | 'truth' | 'text';

/** How one dialect writes what all of them have. */
export interface Dialect {
  readonly name: DialectName;
  /** A column's or table's name. */
  identifier(name: string): string;
  /** The longest name that it keeps apart from others, in UTF-8 bytes. */
  readonly longestName: number;
  /** A text. */
  text(text: string): string;
  /** Whether its texts can hold U+0000. */
  readonly holdsNul: boolean;
  /** A double that is no whole number. */
  double(digits: string): string;
  /** NULL of a type. */
  nothing(type: ColumnType): string;
  /** A column as text, compared byte by byte. */
  asText(column: string): string;
  /** A condition for being neither NaN nor infinite. */
  isFinite(number: string): string;
  /** A boolean column; whatever is neither true nor false is NULL. */
  readTruth(column: string): string;
  /** Days from 1970-01-01 to a DATE column, NULL outside of the years 1 to 9999. */
  dayNumber(column: string): string;
  /** The list of those ids whose condition, which is true or false, holds. INVARIANT: no id has a comma. */
  choose(ids: readonly string[], conditions: readonly string[]): string;
  /** The empty list of texts. */
  readonly emptyList: string;
  /** What stands at the end of a SELECT, so that the planner does not write it into the one around it. */
  readonly fence: string;
  /** How many columns a SELECT can have; conditions beyond are put into arrays. */
  readonly maxColumns: number;
}

const doubled = (text: string, quote: string) => `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
const backslashed = (text: string, quote: string) =>
  `${quote}${text.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`).replaceAll('\0', '\\0')}${quote}`;

/** The days of which a calendar knows, for engines whose DATE goes further and has infinities. */
const civilDay = (column: string) =>
  `CASE WHEN ${column} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN ${column} - DATE '1970-01-01' END`;

/** DuckDB's parser ends at U+0000. */
function duckDbText(text: string): string {
  const parts = text.split('\0').map((part) => doubled(part, "'"));
  return parts.length === 1 ? parts.join() : `(${parts.join(' || chr(0) || ')})`;
}

/** Whether a backslash is itself in '…' depends on a setting of PostgreSQL; in E'…' it does not. */
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
  nothing: (type) => `CAST(NULL AS ${{ number: 'DOUBLE', whole: 'BIGINT', truth: 'BOOLEAN', text: 'VARCHAR' }[type]})`,
  asText: (column) => `CAST(${column} AS VARCHAR)`,
  isFinite: (number) => `isfinite(${number})`,
  readTruth: (column) => column,
  dayNumber: civilDay,
  // Ten times as fast as building lists and choosing from them.
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
  // NAMEDATALEN - 1: what is longer is cut without an error.
  longestName: 63,
  text: postgresText,
  holdsNul: false,
  double: (digits) => `'${digits}'::float8`,
  nothing: (type) => `CAST(NULL AS ${{ number: 'float8', whole: 'integer', truth: 'boolean', text: 'text' }[type]})`,
  // A collation of the table's own might take different texts for one.
  asText: (column) => `CAST(${column} AS text) COLLATE "C"`,
  isFinite: (number) => `${number} > '-Infinity'::float8 AND ${number} < 'Infinity'::float8`,
  readTruth: (column) => column,
  dayNumber: civilDay,
  choose: (ids, conditions) => {
    const chosen = ids.map((id, i) => `CASE WHEN ${conditions[i]} THEN ${postgresText(id)} END`);
    return `array_remove(ARRAY[${chosen.join(', ')}]::text[], NULL)`;
  },
  emptyList: "'{}'::text[]",
  // Without it each use of a column would be the column's whole text again, stage by stage.
  fence: ' OFFSET 0',
  // 1,664 is its limit; the facts need some.
  maxColumns: 1000,
};

const CLICKHOUSE: Dialect = {
  name: 'clickhouse',
  identifier: (name) => backslashed(name, '`'),
  longestName: Number.POSITIVE_INFINITY,
  text: clickHouseText,
  holdsNul: true,
  double: (digits) => digits,
  nothing: (type) =>
    `CAST(NULL, 'Nullable(${{ number: 'Float64', whole: 'Int64', truth: 'Bool', text: 'String' }[type]})')`,
  asText: (column) => `CAST(${column}, 'Nullable(String)')`,
  isFinite: (number) => `isFinite(${number})`,
  // Its booleans are bytes.
  readTruth: (column) => `CASE WHEN ${column} = 1 THEN true WHEN ${column} = 0 THEN false END`,
  // Its days begin in 1900 and end in 2299. Not `toInt32`, which gives seconds for a DateTime.
  dayNumber: (column) => `dateDiff('day', toDate32('1970-01-01'), ${column})`,
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

/** A double. Whole ones are written as such, since each dialect compares them exactly. */
export function writeNumber(dialect: Dialect, value: number): string {
  // `+ 0` makes -0 zero. Exponents keep engines from reading decimals of a fixed scale.
  return Number.isSafeInteger(value) ? String(value + 0) : dialect.double(value.toExponential());
}

/** How many parts are joined side by side: engines limit how deep, and some how long, an expression is. */
const WIDTH = 64;

/** Parts joined by an operator that is associative, as a tree that is flat however many there are. */
export function join(parts: readonly string[], operator: 'AND' | 'OR' | '+'): string {
  if (parts.length <= WIDTH) return parts.join(` ${operator} `);
  const groups: string[] = [];
  for (let i = 0; i < parts.length; i += WIDTH) groups.push(`(${parts.slice(i, i + WIDTH).join(` ${operator} `)})`);
  return join(groups, operator);
}
