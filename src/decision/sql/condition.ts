/** A condition -> an SQL expression in which NULL is Kleene's unknown. */

import type { Condition, Test } from '../../policy/language.ts';
import { join } from './dialect.ts';
import { type Expression, type Query, stageOf } from './query.ts';

/** Writes the conditions of one policy into one query. */
export class ConditionWriter {
  readonly #query: Query;
  readonly #writeTest: (test: Test) => Expression;
  readonly #named = new Map<string, Expression>();

  /** `writeTest` gives the column of a test. */
  constructor(query: Query, writeTest: (test: Test) => Expression) {
    this.#query = query;
    this.#writeTest = writeTest;
  }

  /** SQL's AND, OR and NOT are Kleene's, so every kind of condition but `atLeastOf` has its equivalent. */
  write(condition: Condition): Expression {
    switch (condition.kind) {
      case 'test':
        return this.#writeTest(condition);
      case 'all':
        // A table row that tests nothing.
        if (condition.of.length === 0) return { sql: 'true', stage: 1 };
        return this.#combine(condition.of, 'AND');
      case 'any':
        return this.#combine(condition.of, 'OR');
      case 'not': {
        const { sql, stage } = this.write(condition.of[0]);
        return { sql: `(NOT ${sql})`, stage };
      }
      case 'named': {
        // A column of its own: where each condition names another twice, the text would double with each level.
        const column = this.#named.get(condition.name) ?? this.#column(condition.of[0]);
        this.#named.set(condition.name, column);
        return column;
      }
      case 'atLeastOf':
        return this.#count(condition.count, condition.of);
    }
  }

  #combine(parts: readonly Condition[], operator: 'AND' | 'OR'): Expression {
    const written = parts.map((part) => this.write(part));
    const [only] = written;
    if (written.length === 1 && only) return only;
    return { sql: `(${join(written.map(sqlOf), operator)})`, stage: stageOf(written) };
  }

  /** True if enough parts are true, false if too many are false: sums, since a disjunctive form would explode. */
  #count(count: number, parts: readonly Condition[]): Expression {
    // The text uses each part twice, so a part has to be a column.
    const columns = parts.map((part) => this.#column(part));
    const certain = columns.map(({ sql }) => `CASE WHEN ${sql} THEN 1 ELSE 0 END`);
    const possible = columns.map(({ sql }) => `CASE WHEN NOT ${sql} THEN 0 ELSE 1 END`);
    const isTrue = `${join(certain, '+')} >= ${count}`;
    const isFalse = `${join(possible, '+')} < ${count}`;
    return { sql: `(CASE WHEN ${isTrue} THEN true WHEN ${isFalse} THEN false END)`, stage: stageOf(columns) };
  }

  #column(condition: Condition): Expression {
    const written = this.write(condition);
    return condition.kind === 'test' || condition.kind === 'named' ? written : this.#query.column(written, 'condition');
  }
}

const sqlOf = ({ sql }: Expression) => sql;
