/** Tests -> columns with their truth, each written once, and refusals of those the dialect cannot express. */

import type { FactTable } from '../../facts/catalog.ts';
import type { Argument, Pattern } from '../../policy/arguments.ts';
import type { Test } from '../../policy/language.ts';
import { placeOf } from '../../policy/source-map.ts';
import { writeComputed } from './computed-facts.ts';
import { type Dialect, refusal, type SqlRefusal } from './dialect.ts';
import { type SqlArgument, writerOf, writeYears } from './operators.ts';
import { findAmbiguity } from './pattern.ts';
import { type Expression, type Query, stageOf } from './query.ts';
import { type FactColumns, writeFact } from './table-columns.ts';

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
