/** A condition -> an SQL expression in which NULL is Kleene's unknown. */

import type { Condition, Test } from '../../policy/language.ts';
import { join } from './dialect.ts';
import { type Expression, type Query, stageOf } from './query.ts';

/**
 * Creates the writer of the conditions of one policy into one query; `writeTest` gives the column of a test.
 * SQL's AND, OR and NOT are Kleene's, so every kind of condition but `atLeastOf` has its equivalent.
 */
export function conditionWriter(
  query: Query,
  writeTest: (test: Test) => Expression,
): (condition: Condition) => Expression {
  const named = new Map<string, Expression>();

  function write(condition: Condition): Expression {
    switch (condition.kind) {
      case 'test':
        return writeTest(condition);
      case 'all':
        // A table row that tests nothing.
        return condition.of.length === 0 ? { sql: 'true', stage: 1 } : combine(condition.of, 'AND');
      case 'any':
        return combine(condition.of, 'OR');
      case 'not': {
        const { sql, stage } = write(condition.of[0]);
        return { sql: `(NOT ${sql})`, stage };
      }
      case 'named': {
        // A column of its own: where each condition names another twice, the text would double with each level.
        const column = named.get(condition.name) ?? columnOf(condition.of[0]);
        named.set(condition.name, column);
        return column;
      }
      case 'atLeastOf':
        return atLeast(condition.count, condition.of);
    }
  }

  function combine(parts: readonly Condition[], operator: 'AND' | 'OR'): Expression {
    const written = parts.map(write);
    const [only] = written;
    if (written.length === 1 && only) return only;
    const texts = written.map(({ sql }) => sql);
    return { sql: `(${join(texts, operator)})`, stage: stageOf(written) };
  }

  /** True if enough parts are true, false if too many are false: sums, since a disjunctive form would explode. */
  function atLeast(count: number, parts: readonly Condition[]): Expression {
    // The text uses each part twice, so a part has to be a column.
    const columns = parts.map(columnOf);
    const certain = columns.map(({ sql }) => `CASE WHEN ${sql} THEN 1 ELSE 0 END`);
    const possible = columns.map(({ sql }) => `CASE WHEN NOT ${sql} THEN 0 ELSE 1 END`);
    const isTrue = `${join(certain, '+')} >= ${count}`;
    const isFalse = `${join(possible, '+')} < ${count}`;
    return { sql: `(CASE WHEN ${isTrue} THEN true WHEN ${isFalse} THEN false END)`, stage: stageOf(columns) };
  }

  function columnOf(condition: Condition): Expression {
    const written = write(condition);
    return condition.kind === 'test' || condition.kind === 'named' ? written : query.column(written, 'condition');
  }

  return write;
}
