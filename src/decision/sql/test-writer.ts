/** Tests -> columns with their truth, each written once; and what the dialect cannot say of them. */

import type { Test } from '../../policy/language.ts';
import type { Argument, Pattern } from '../../policy/operators.ts';
import { placeOf } from '../../policy/source-map.ts';
import type { Dialect } from './dialect.ts';
import { type SqlArgument, type TestScope, writerOf } from './operators.ts';
import { doubtIn } from './pattern.ts';
import { type Expression, type Query, stageOf } from './query.ts';
import { refusal, type SqlRefusal } from './refusal.ts';
import type { FactWriter } from './typed-columns.ts';

/** A dialect that notes the texts that it cannot hold. */
export interface WatchedDialect extends Dialect {
  /** What is wrong with a text that it was asked to write since this was last called, if anything. */
  takeProblem(): string | undefined;
}

/** A dialect, its texts watched. */
export function watchTexts(dialect: Dialect): WatchedDialect {
  let problem: string | undefined;
  return {
    ...dialect,
    text: (text) => {
      if (!dialect.holdsNul && text.includes('\0')) problem = `no text of ${dialect.name} holds U+0000`;
      return dialect.text(text);
    },
    takeProblem: () => {
      const taken = problem;
      problem = undefined;
      return taken;
    },
  };
}

/** What tests are written with. */
export interface TestSetting {
  readonly query: Query;
  readonly dialect: WatchedDialect;
  readonly facts: FactWriter;
  /** The day of the decision as a day number: a literal, or a column. */
  readonly day: number | Expression;
  /** The ids of the rules that a test is in, by its key. */
  readonly rulesOf: ReadonlyMap<string, readonly string[]>;
}

/** The tests of one policy, written into one query. */
export class TestWriter {
  readonly refusals: SqlRefusal[] = [];
  readonly #setting: TestSetting;
  readonly #written = new Map<string, Expression>();

  constructor(setting: TestSetting) {
    this.#setting = setting;
  }

  /** The column of a test. One that is refused has a column too, so that all refusals come at once. */
  write(test: Test): Expression {
    const known = this.#written.get(test.key);
    if (known) return known;
    const { query, dialect, facts, day } = this.#setting;
    const fact = facts.write(test.fact);
    const other = test.other === undefined ? undefined : facts.write(test.other);
    const scope: TestScope = { dialect, type: test.type, day: typeof day === 'number' ? day : day.sql };
    const writer = writerOf(test.operator, dialect.name);
    const argument = other === undefined ? { literal: test.argument as Argument } : { other: other.sql };
    const sql = writer?.(fact.sql, argument as SqlArgument<never>, scope) ?? 'NULL';
    const textProblem = dialect.takeProblem();
    if (textProblem !== undefined) this.#refuse(test, 'sql-text', textProblem);
    if (writer === null) this.#refuse(test, 'sql-pattern', `${dialect.name} has no regular expressions of RE2`);
    else if (test.operator === 'matches') this.#checkPattern(test, test.argument as Pattern);
    const needed = [fact, ...(other ? [other] : []), ...(typeof day === 'number' ? [] : [day])];
    const column = query.column({ sql, stage: stageOf(needed) }, 'test');
    this.#written.set(test.key, column);
    return column;
  }

  #checkPattern(test: Test, { source }: Pattern): void {
    const doubt = doubtIn(source);
    if (doubt === undefined) return;
    this.#refuse(test, 'sql-pattern', `not every RE2 reads the pattern alike: it has ${doubt}`);
  }

  #refuse(test: Test, code: SqlRefusal['code'], problem: string): void {
    const rules = this.#setting.rulesOf.get(test.key) ?? [];
    const hint = 'say it with other operators or lists, or decide with the matcher';
    const message = `${test.fact} ${test.operator}: ${problem}`;
    this.refusals.push(refusal(code, message, { rules, place: placeOf(test), hint }));
  }
}
