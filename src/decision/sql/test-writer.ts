/** Tests -> columns with their truth, each written once, and refusals of those the dialect cannot express. */

import type { Computation, FactDefinition, FactTable } from '../../facts/catalog.ts';
import type { Argument, Pattern } from '../../policy/arguments.ts';
import type { Test } from '../../policy/language.ts';
import { placeOf } from '../../policy/source-map.ts';
import { type Dialect, refusal, type SqlRefusal } from './dialect.ts';
import { type SqlArgument, writerOf, writeYears } from './operators.ts';
import { findAmbiguity } from './pattern.ts';
import { type Expression, type Query, stageOf } from './query.ts';
import { CLEANERS, type FactColumns, LAST_DAY, writeFact } from './table-columns.ts';

/** The query and the context of the tests to write. */
interface TestWriterOptions {
  readonly query: Query;
  readonly dialect: Dialect;
  readonly table: FactTable;
  /** The columns of every fact that will be written. */
  readonly columns: ReadonlyMap<string, FactColumns>;
  /** The day of the decision as a day number: a literal, or a column. */
  readonly day: number | Expression;
  /** The ids of the rules that contain a test, by the key of the test. */
  rulesOf(key: string): readonly string[];
}

/** Writes the tests of one policy into one query. */
export interface TestWriter {
  readonly refusals: readonly SqlRefusal[];
  /** Writes the column of a test. A refused test gets a column too, so that all refusals are reported at once. */
  write(test: Test): Expression;
}

/** Creates the writer of tests. */
export function createTestWriter({ query, dialect, table, columns, day, rulesOf }: TestWriterOptions): TestWriter {
  const refusals: SqlRefusal[] = [];
  const written = new Map<string, Expression>();
  const writtenFacts = new Map<string, Expression>();
  let hasUnholdableText = false;
  const checked: Dialect = {
    ...dialect,
    text: (text) => {
      if (!dialect.holdsNul && text.includes('\0')) hasUnholdableText = true;
      return dialect.text(text);
    },
  };
  const dayColumn = typeof day === 'number' ? { sql: String(day), stage: 0 } : day;
  const writeFactOnce = (path: string): Expression => {
    let fact = writtenFacts.get(path);
    if (!fact) {
      const definition = table.get(path);
      // INVARIANT: a policy without errors names only facts of its table.
      if (!definition) throw new TypeError('a test names a fact that is not declared');
      const { compute } = definition;
      fact = compute
        ? writeComputed(query, checked, { ...definition, compute }, writeFactOnce)
        : writeFact(query, checked, definition, columns.get(path), dayColumn);
      writtenFacts.set(path, fact);
    }
    return fact;
  };
  const refuse = (test: Test, code: SqlRefusal['code'], problem: string) => {
    const hint = 'use other operators or lists, or decide with the matcher';
    const message = `${test.fact} ${test.operator}: ${problem}`;
    refusals.push(refusal(code, message, { rules: rulesOf(test.key), place: placeOf(test), hint }));
  };
  const write = (test: Test): Expression => {
    const cached = written.get(test.key);
    if (cached) return cached;
    hasUnholdableText = false;
    const fact = writeFactOnce(test.fact);
    const other = test.other === undefined ? undefined : writeFactOnce(test.other);
    const scope = { dialect: checked, type: test.type, day: typeof day === 'number' ? day : day.sql };
    const writer = writerOf(test.operator, dialect.name);
    const argument = other === undefined ? { literal: test.argument as Argument } : { other: other.sql };
    // A separate column, because several tests of years may read one date, and each repeats the expression.
    const subject =
      test.operator === 'yearsSince'
        ? query.column({ sql: writeYears(fact.sql, scope.day), stage: stageOf([fact, dayColumn]) }, 'fact')
        : fact;
    const sql = writer?.(subject.sql, argument as SqlArgument<never>, scope) ?? 'NULL';
    if (hasUnholdableText) refuse(test, 'sql-text', `a text of ${dialect.name} cannot hold U+0000`);
    const ambiguity = test.operator === 'matches' ? findAmbiguity((test.argument as Pattern).source) : undefined;
    if (writer === null) refuse(test, 'sql-pattern', `${dialect.name} has no RE2 regular expressions`);
    else if (ambiguity !== undefined) {
      refuse(test, 'sql-pattern', `RE2 engines read the pattern differently: it has ${ambiguity}`);
    }
    const column = query.column({ sql, stage: stageOf([subject, other ?? subject, dayColumn]) }, 'test');
    written.set(test.key, column);
    return column;
  };
  return { refusals, write };
}

/** One step, from left to right. */
type Step = (one: string, other: string) => string;

const lesser: Step = (one, other) =>
  `CASE WHEN ${one} <= ${other} THEN ${one} WHEN ${one} > ${other} THEN ${other} END`;
const greater: Step = (one, other) =>
  `CASE WHEN ${one} >= ${other} THEN ${one} WHEN ${one} < ${other} THEN ${other} END`;

/** Not LEAST and GREATEST: they ignore NULL. Other steps give an infinity or NaN, which the fact cannot have. */
const STEPS: Readonly<Record<Computation['name'], Step>> = {
  sum: (one, other) => `${one} + ${other}`,
  product: (one, other) => `${one} * ${other}`,
  minimum: lesser,
  maximum: greater,
  difference: (one, other) => `${one} - ${other}`,
  ratio: (one, other) => `CASE WHEN ${other} <> 0 THEN ${one} / ${other} END`,
  daysBetween: (from, to) => `CASE WHEN ${from} <= ${LAST_DAY} AND ${to} <= ${LAST_DAY} THEN ${to} - ${from} END`,
};

const SIMPLE: readonly Step[] = [STEPS.sum, STEPS.product];

/** A power of two, exact in every dialect. */
const power = (exponent: number) => `'${2 ** exponent}'::float8`;

/** The sum, or NULL on overflow: halves add up to the same digits, and no sum of halves overflows. */
const guardedSum: Step = (one, other) => {
  const half = (number: string) => `CASE WHEN abs(${number}) < 1 THEN 0 ELSE ${number} / 2 END`;
  const isSafe = `abs(${one}) < 1e307 AND abs(${other}) < 1e307`;
  const fits = `abs((${half(one)}) + (${half(other)})) < ${power(1023)}`;
  return `CASE WHEN ${isSafe} THEN ${one} + ${other} WHEN ${fits} THEN ${one} + ${other} END`;
};

/**
 * PostgreSQL raises an error on overflow, on underflow to 0 and on division by 0, which would end the query. These
 * steps first check with scaled numbers, which neither overflow nor underflow, that the result is finite and not 0.
 * CASE keeps the order of evaluation, which AND does not. Overflow becomes NULL, and underflow 0. A step that answers
 * with a literal asks for both numbers first: of NULL and another number the result is NULL.
 */
const POSTGRES_STEPS: Readonly<Record<Computation['name'], Step>> = {
  ...STEPS,
  sum: guardedSum,
  difference: (one, other) => guardedSum(one, `(-${other})`),
  product: (one, other) => {
    const fits = `abs(${one} * ${power(-512)}) * abs(${other} * ${power(-512)}) < 1`;
    const isSeen = `abs(${one} * ${power(512)}) * abs(${other} * ${power(512)}) > ${power(-51)}`;
    const large = `CASE WHEN ${fits} THEN ${one} * ${other} END`;
    // Of two numbers as small as these the product is 0, and the scaled one could underflow.
    const areTiny = `abs(${one}) < ${power(-538)} AND abs(${other}) < ${power(-538)}`;
    const seen = `WHEN ${isSeen} THEN ${one} * ${other} WHEN ${one} * 0 = ${other} * 0 THEN 0`;
    const small = `CASE WHEN ${areTiny} THEN 0 ${seen} END`;
    return (
      `CASE WHEN abs(${one}) >= 1 AND abs(${other}) >= 1 THEN ${large} ` +
      `WHEN abs(${one}) < 1 AND abs(${other}) < 1 THEN ${small} ELSE ${one} * ${other} END`
    );
  },
  ratio: (one, other) => {
    const overflows = `abs(${one}) * ${power(-24)} >= abs(${other}) * ${power(1000)}`;
    const vanishes = `abs(${one}) * ${power(1000)} <= abs(${other}) * ${power(-75)}`;
    const ratio = `${one} / ${other}`;
    const bySmall = `CASE WHEN abs(${one}) < 1e-200 THEN ${ratio} WHEN ${overflows} THEN NULL ELSE ${ratio} END`;
    const ofSmall = `CASE WHEN ${one} = 0 THEN 0 WHEN ${vanishes} THEN 0 ELSE ${ratio} END`;
    return (
      `CASE WHEN ${other} = 0 OR ${other} IS NULL THEN NULL WHEN abs(${other}) < 1 THEN ${bySmall} ` +
      `WHEN abs(${one}) < 1 THEN ${ofSmall} ELSE ${ratio} END`
    );
  },
};

/** Writes the cleaned column of a computed fact; `factOf` gives those of its operands. */
function writeComputed(
  query: Query,
  dialect: Dialect,
  definition: FactDefinition & { readonly compute: Computation },
  factOf: (path: string) => Expression,
): Expression {
  const { name, operands } = definition.compute;
  const step = dialect.name === 'postgres' ? POSTGRES_STEPS[name] : STEPS[name];
  const written = operands.map((operand): Expression => {
    // Written as a double, so that no dialect computes with integers.
    if (typeof operand === 'number') return { sql: `(${dialect.double(operand.toExponential())})`, stage: 0 };
    const fact = factOf(operand.fact);
    return name === 'daysBetween' ? fact : query.column({ sql: dialect.asDouble(fact.sql), stage: fact.stage }, 'fact');
  });
  const result = written.reduce((one, other) => {
    const next = { sql: step(one.sql, other.sql), stage: stageOf([one, other]) };
    // A separate column if the next step would repeat the text.
    return SIMPLE.includes(step) ? { ...next, sql: `(${next.sql})` } : query.column(next, 'fact');
  });
  const cleaned = CLEANERS[definition.type]({ column: result.sql, never: undefined }, definition, dialect);
  return query.column({ sql: cleaned, stage: result.stage }, 'fact');
}
