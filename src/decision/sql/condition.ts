/** A condition -> an SQL expression in which NULL is Kleene's unknown. */

import { foldParts, type Logic } from '../../policy/fold.ts';
import type { Condition, Test } from '../../policy/language.ts';
import { join } from './dialect.ts';
import { type Expression, type Query, stageOf } from './query.ts';

/** Writes a condition when it is called, so that columns are numbered in the order of their places. */
type Writer = () => Expression;

/**
 * Creates the writer of the conditions of one policy into one query; `writeTest` gives the column of a test.
 * SQL's AND, OR and NOT are Kleene's, so every kind of condition but `atLeastOf` has its equivalent.
 */
export function conditionWriter(
  query: Query,
  writeTest: (test: Test) => Expression,
): (condition: Condition) => Expression {
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
    // A column of its own: where each condition names another twice, the text would double with each level.
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
