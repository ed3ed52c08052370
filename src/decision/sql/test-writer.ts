/** Tests -> columns with their truth, each written once, and refusals of those the dialect cannot express. */

import type { Test } from '../../policy/language.ts';
import type { Argument, Pattern } from '../../policy/operators.ts';
import { placeOf } from '../../policy/source-map.ts';
import type { Dialect } from './dialect.ts';
import { type SqlArgument, type TestScope, writerOf } from './operators.ts';
import { findAmbiguity } from './pattern.ts';
import { type Expression, type Query, stageOf } from './query.ts';
import { refusal, type SqlRefusal } from './refusal.ts';
import type { FactWriter } from './typed-columns.ts';

/** A dialect that notes texts that it cannot hold. */
export interface CheckedDialect extends Dialect {
  /** The problem with a text written since the last call, if any. */
  takeProblem(): string | undefined;
}

/** Adds the check of texts to a dialect. */
export function checkTexts(dialect: Dialect): CheckedDialect {
  let problem: string | undefined;
  return {
    ...dialect,
    text: (text) => {
      if (!dialect.holdsNul && text.includes('\0')) problem = `a text of ${dialect.name} cannot hold U+0000`;
      return dialect.text(text);
    },
    takeProblem: () => {
      const taken = problem;
      problem = undefined;
      return taken;
    },
  };
}

/** What tests are written into, and with. */
export interface TestWriterOptions {
  readonly query: Query;
  readonly dialect: CheckedDialect;
  readonly facts: FactWriter;
  /** The day of the decision as a day number: a literal, or a column. */
  readonly day: number | Expression;
  /** The ids of the rules that contain a test, by the key of the test. */
  readonly rulesOf: ReadonlyMap<string, readonly string[]>;
}

/** Writes the tests of one policy into one query. */
export class TestWriter {
  readonly refusals: SqlRefusal[] = [];
  readonly #options: TestWriterOptions;
  readonly #written = new Map<string, Expression>();

  constructor(options: TestWriterOptions) {
    this.#options = options;
  }

  /** Writes the column of a test. A refused test gets a column too, so that all refusals are reported at once. */
  write(test: Test): Expression {
    const known = this.#written.get(test.key);
    if (known) return known;
    const { query, dialect, facts, day } = this.#options;
    const fact = facts.write(test.fact);
    const other = test.other === undefined ? undefined : facts.write(test.other);
    const scope: TestScope = { dialect, type: test.type, day: typeof day === 'number' ? day : day.sql };
    const writer = writerOf(test.operator, dialect.name);
    const argument = other === undefined ? { literal: test.argument as Argument } : { other: other.sql };
    const sql = writer?.(fact.sql, argument as SqlArgument<never>, scope) ?? 'NULL';
    const textProblem = dialect.takeProblem();
    if (textProblem !== undefined) this.#refuse(test, 'sql-text', textProblem);
    if (writer === null) this.#refuse(test, 'sql-pattern', `${dialect.name} has no RE2 regular expressions`);
    else if (test.operator === 'matches') this.#checkPattern(test, test.argument as Pattern);
    const needed = [fact, ...(other ? [other] : []), ...(typeof day === 'number' ? [] : [day])];
    const column = query.column({ sql, stage: stageOf(needed) }, 'test');
    this.#written.set(test.key, column);
    return column;
  }

  #checkPattern(test: Test, { source }: Pattern): void {
    const ambiguity = findAmbiguity(source);
    if (ambiguity === undefined) return;
    this.#refuse(test, 'sql-pattern', `RE2 engines read the pattern differently: it has ${ambiguity}`);
  }

  #refuse(test: Test, code: SqlRefusal['code'], problem: string): void {
    const rules = this.#options.rulesOf.get(test.key) ?? [];
    const hint = 'use other operators or lists, or decide with the matcher';
    const message = `${test.fact} ${test.operator}: ${problem}`;
    this.refusals.push(refusal(code, message, { rules, place: placeOf(test), hint }));
  }
}
