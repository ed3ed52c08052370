/** Computed facts -> columns with their values, computed as facts/decimal.ts does. */

import type { Computation, FactDefinition } from '../../facts/catalog.ts';
import { DIGITS, LARGEST_DECIMAL, PLACES, RATIO_DIGITS } from '../../facts/decimal.ts';
import { DIALECTS, type Dialect, type DialectName } from './dialect.ts';
import { type Expression, type Query, stageOf } from './query.ts';
import { CLEANERS, LAST_DAY } from './table-columns.ts';

/** Adds a column that is written of columns with these names. */
type Column = (sql: string) => string;

/** One step, from left to right, of two columns. It may need columns of its own. */
type Step = (one: string, other: string, column: Column) => string;

const lesser: Step = (one, other) =>
  `CASE WHEN ${one} <= ${other} THEN ${one} WHEN ${one} > ${other} THEN ${other} END`;
const greater: Step = (one, other) =>
  `CASE WHEN ${one} >= ${other} THEN ${one} WHEN ${one} < ${other} THEN ${other} END`;

/** Not LEAST and GREATEST: they ignore NULL. */
const STEPS: Readonly<Record<'minimum' | 'maximum' | 'daysBetween', Step>> = {
  minimum: lesser,
  maximum: greater,
  daysBetween: (from, to) => `CASE WHEN ${from} <= ${LAST_DAY} AND ${to} <= ${LAST_DAY} THEN ${to} - ${from} END`,
};

/** The steps in which a dialect computes with decimals; a result that a fact cannot have is NULL or infinite. */
type Decimals = Readonly<Record<'sum' | 'product' | 'ratio', Step>>;

/** The sum of the numbers as written; of large ones that of the doubles. */
function sumOf(asDecimal: (double: string) => string, asDouble: (decimal: string) => string, large: Step): Step {
  return (one, other, column) => {
    const areDecimals = [one, other].map((number) => `abs(${number}) < ${LARGEST_DECIMAL}`).join(' AND ');
    const exact = asDouble(`${asDecimal(one)} + ${asDecimal(other)}`);
    return `CASE WHEN ${areDecimals} THEN ${exact} ELSE ${large(one, other, column)} END`;
  };
}

/** The functions of an engine without decimals that hold a product: whole numbers and texts are put together. */
interface Texts {
  /** A number as a text: of a double the shortest decimal that is read as it. */
  write(number: string): string;
  /** A decimal as the nearest double. */
  read(text: string): string;
  /** A whole number of 38 digits, from a text or a number. */
  whole(text: string): string;
  divide(one: string, other: string): string;
  exponent(text: string): string;
  without(text: string, pattern: string): string;
  part(text: string, pattern: string): string;
  /** A text with zeros behind it, and a whole number with zeros before it. */
  fill(text: string, length: number): string;
  digits(whole: string, length: number): string;
}

const HALF_OF_RATIO = RATIO_DIGITS / 2;

function byTexts({ write, read, whole, divide, exponent, without, part, fill, digits }: Texts) {
  /** The digits of a number without its sign, as a whole number, and their power of ten. */
  const partsOf = (double: string, column: Column) => {
    const text = write(double);
    const significant = column(without(text, '^-?[0.]+|^-|[.]|e.*'));
    const places = `length(${part(text, '[.]([0-9]*)')})`;
    return {
      digits: column(whole(fill(significant, DIGITS))),
      power: column(`COALESCE(${exponent(part(text, 'e(.*)'))}, 0) - ${places} - ${DIGITS} + length(${significant})`),
    };
  };
  const signed = (one: string, other: string, size: string) =>
    `CASE WHEN (${one} < 0) <> (${other} < 0) THEN -1 ELSE 1 END * ${size}`;
  const product: Step = (one, other, column) => {
    const [a, b] = [partsOf(one, column), partsOf(other, column)];
    return signed(one, other, read(`${write(`${a.digits} * ${b.digits}`)} || 'e' || (${a.power} + ${b.power})`));
  };
  const ratio: Step = (one, other, column) => {
    const [a, b] = [partsOf(one, column), partsOf(other, column)];
    const divisor = column(`NULLIF(${b.digits}, ${whole("'0'")})`);
    const shift = whole(`'1${'0'.repeat(HALF_OF_RATIO)}'`);
    const shifted = column(`${a.digits} * ${shift}`);
    const rest = column(`(${shifted} % ${divisor}) * ${shift}`);
    const parts = [
      write(divide(shifted, divisor)),
      digits(divide(rest, divisor), HALF_OF_RATIO),
      `CASE WHEN ${rest} % ${divisor} = 0 THEN '0' ELSE '1' END`,
      "'e'",
      `(${a.power} - ${b.power} - ${RATIO_DIGITS + 1})`,
    ];
    return signed(one, other, read(parts.join(' || ')));
  };
  return { product, ratio };
}

const duckDb: Texts = {
  write: (number) => `CAST(${number} AS VARCHAR)`,
  read: (text) => `TRY_CAST(${text} AS DOUBLE)`,
  whole: (text) => `TRY_CAST(${text} AS HUGEINT)`,
  divide: (one, other) => `${one} // ${other}`,
  exponent: (text) => `TRY_CAST(${text} AS INTEGER)`,
  without: (text, pattern) => `regexp_replace(${text}, '${pattern}', '', 'g')`,
  part: (text, pattern) => `regexp_extract(${text}, '${pattern}', 1)`,
  fill: (text, length) => `rpad(${text}, ${length}, '0')`,
  digits: (whole, length) => `lpad(CAST(${whole} AS VARCHAR), ${length}, '0')`,
};

const clickHouse: Texts = {
  write: (number) => `toString(${number})`,
  read: (text) => `toFloat64OrNull(${text})`,
  whole: (text) => `toInt256OrNull(${text})`,
  divide: (one, other) => `intDiv(${one}, ${other})`,
  exponent: (text) => `toInt32OrNull(${text})`,
  without: (text, pattern) => `replaceRegexpAll(${text}, '${pattern}', '')`,
  part: (text, pattern) => `extract(${text}, '${pattern}')`,
  fill: (text, length) => `rightPad(${text}, ${length}, '0')`,
  digits: (whole, length) => `leftPad(toString(${whole}), ${length}, '0')`,
};

/** By way of text: the cast of a double to a decimal keeps 15 digits. */
const numeric = (double: string) => `CAST(CAST(${double} AS text) AS numeric)`;

/** A power of two, exact in every dialect. */
const power = (exponent: number) => `'${2 ** exponent}'::float8`;

/**
 * PostgreSQL raises an error on overflow, which would end the query. CASE keeps the order of evaluation, which AND does
 * not. Halves add up to the same digits, and no sum of halves overflows; what overflows becomes NULL.
 */
const guardedSum: Step = (one, other) => {
  const half = (number: string) => `CASE WHEN abs(${number}) < 1 THEN 0 ELSE ${number} / 2 END`;
  const isSafe = `abs(${one}) < 1e307 AND abs(${other}) < 1e307`;
  const fits = `abs((${half(one)}) + (${half(other)})) < ${power(1023)}`;
  return `CASE WHEN ${isSafe} THEN ${one} + ${other} WHEN ${fits} THEN ${one} + ${other} END`;
};

const doubleSum: Step = (one, other) => `${one} + ${other}`;

/** More places than a double has. */
const PLACES_OF_RATIO = 400;

const DECIMAL = `DECIMAL(38, ${PLACES})`;

const DECIMALS: Readonly<Record<DialectName, Decimals>> = {
  duckdb: {
    ...byTexts(duckDb),
    sum: sumOf(
      // DuckDB rounds 9e-23 up to 1e-21.
      (double) => `CASE WHEN abs(${double}) < 1e-22 THEN 0 ELSE TRY_CAST(${duckDb.write(double)} AS ${DECIMAL}) END`,
      (decimal) => duckDb.read(duckDb.write(decimal)),
      doubleSum,
    ),
  },
  postgres: {
    sum: sumOf(
      (double) => `round(${numeric(double)}, ${PLACES})`,
      (decimal) => `CAST(${decimal} AS float8)`,
      guardedSum,
    ),
    product: (one, other, column) => DIALECTS.postgres.readNumber(column(`${numeric(one)} * ${numeric(other)}`)),
    ratio: (one, other, column) => {
      const ratio = `round(${numeric(one)}, ${PLACES_OF_RATIO}) / NULLIF(${numeric(other)}, 0)`;
      return DIALECTS.postgres.readNumber(column(ratio));
    },
  },
  clickhouse: {
    ...byTexts(clickHouse),
    sum: sumOf(
      // The cast of a text cuts further places off.
      (double) => `round(toDecimal256OrNull(${clickHouse.write(double)}, ${2 * PLACES}), ${PLACES})`,
      (decimal) => clickHouse.read(clickHouse.write(decimal)),
      doubleSum,
    ),
  },
};

/** As `Query` names the columns of facts. */
const COLUMN_NAME = /\bfact_\d+\b/g;

/** Writes the cleaned column of a computed fact; `factOf` gives those of its operands. */
export function writeComputed(
  query: Query,
  dialect: Dialect,
  definition: FactDefinition & { readonly compute: Computation },
  factOf: (path: string) => Expression,
): Expression {
  const { name, operands } = definition.compute;
  const { sum, product, ratio } = DECIMALS[dialect.name];
  const difference: Step = (one, other, column) => sum(one, column(`-${other}`), column);
  const step = { ...STEPS, sum, product, ratio, difference }[name];
  const written = operands.map((operand): Expression => {
    // Written as a double, so that no dialect computes with integers.
    const isLiteral = typeof operand === 'number';
    const fact = isLiteral ? { sql: `(${dialect.double(operand.toExponential())})`, stage: 0 } : factOf(operand.fact);
    return name === 'daysBetween' ? fact : query.column({ sql: dialect.asDouble(fact.sql), stage: fact.stage }, 'fact');
  });
  const stages = new Map(written.map(({ sql, stage }) => [sql, stage]));
  const column = (sql: string) => {
    const read = [...sql.matchAll(COLUMN_NAME)].map(([name]) => ({ sql: name, stage: stages.get(name) ?? 0 }));
    const made = query.column({ sql, stage: stageOf(read) }, 'fact');
    stages.set(made.sql, made.stage);
    return made.sql;
  };
  // Each step in a column of its own, since the next one repeats the text.
  const result = written.map(({ sql }) => sql).reduce((one, other) => column(step(one, other, column)));
  const cleaned = CLEANERS[definition.type]({ column: result, never: undefined }, definition, dialect);
  return query.column({ sql: cleaned, stage: stages.get(result) ?? 0 }, 'fact');
}
