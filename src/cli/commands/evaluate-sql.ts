/** `verdict evaluate --runner sql`: lines of facts, or a Parquet or CSV file -> verdicts by SQL on DuckDB. */

import type { SqlRow } from '../../decision/sql/duckdb/facts-lines.ts';
import type { TableFileOptions } from '../../decision/sql/duckdb/file-rows.ts';
import type { Facts } from '../../facts/fact.ts';
import type { Policy } from '../../policy/language.ts';
import { type ReadLine, sayAbsent } from '../input/facts-file.ts';
import { type Io, orCannotRun } from '../io.ts';

/** The verdict on a line, or its problem, with the number of the line. */
export type Answer = { readonly number: number; readonly clientReference?: string | undefined } & (
  | { readonly verdict: object }
  | { readonly problem: string }
);

/** Decides lines in their order, and passes on the problems of others. */
export type Evaluate = (lines: AsyncIterable<ReadLine>) => AsyncIterable<Answer>;

/** Decides lines in DuckDB until it is closed. */
export interface SqlEvaluation {
  readonly evaluate: Evaluate;
  close(): void;
}

/** A row that SQL decided -> the verdict to print, or a problem. */
type Answerer = (row: SqlRow, facts: Facts, at: string) => { readonly verdict: object } | { readonly problem: string };

/** Starts DuckDB for lines of facts; `explains`: the matcher gives whole verdicts, and must agree. */
export async function startSql(policy: Policy, explains: boolean): Promise<SqlEvaluation> {
  return orCannotRun(async () => {
    const { openDuckDb } = await import('../../decision/sql/duckdb/duckdb.ts');
    const { BATCH_LINES, prepareLines } = await import('../../decision/sql/duckdb/facts-lines.ts');
    const answer = await answerer(policy, explains);
    const db = await openDuckDb();
    const decider = await prepareLines(policy, db);

    async function* decide(batch: readonly ReadLine[]): AsyncGenerator<Answer> {
      const good = batch.flatMap((line) => ('problem' in line ? [] : [line]));
      const rows = (await decider.decide(good)).values();
      for (const line of batch) {
        if ('problem' in line) {
          yield line;
          continue;
        }
        const { number, clientReference, facts, at } = line;
        const { value: row } = rows.next();
        // INVARIANT: there is a row for each line.
        if (row) yield { number, clientReference, ...answer(row, facts, at) };
      }
    }
    const evaluate: Evaluate = async function* (lines) {
      let batch: ReadLine[] = [];
      for await (const line of lines) {
        batch.push(line);
        if (batch.length < BATCH_LINES) continue;
        yield* decide(batch);
        batch = [];
      }
      yield* decide(batch);
    };
    return { evaluate, close: () => db.close() };
  });
}

/** Decides a Parquet or CSV file; `print` takes the answers of its rows, and what their numbers count. */
export async function evaluateTable(
  policy: Policy,
  options: TableFileOptions,
  io: Io,
  print: (answers: AsyncIterable<Answer>, unit: string) => Promise<number>,
): Promise<number> {
  return orCannotRun(async () => {
    const { openDuckDb } = await import('../../decision/sql/duckdb/duckdb.ts');
    const { openTableFile } = await import('../../decision/sql/duckdb/file-rows.ts');
    const answer = await answerer(policy, options.withFacts);
    const db = await openDuckDb();
    try {
      const file = await openTableFile(policy, db, options);
      await sayAbsent(file.absent, io.stderr);
      async function* answers(): AsyncGenerator<Answer> {
        for await (const each of file.rows()) {
          if ('problem' in each) yield each;
          else {
            const { number, clientReference, row, facts, at } = each;
            yield { number, clientReference, ...answer(row, facts, at) };
          }
        }
      }
      return await print(answers(), file.unit);
    } finally {
      db.close();
    }
  });
}

async function answerer(policy: Policy, explains: boolean): Promise<Answerer> {
  const { summariser, withoutFacts } = await import('../../decision/sql/duckdb/facts-lines.ts');
  const summarise = summariser(policy);
  if (!explains) return (row) => ({ verdict: summarise(row) });
  const { compile } = await import('../../decision/matcher/matcher.ts');
  const matcher = compile(policy);
  return (row, facts, at) => {
    const verdict = matcher.verdict(facts, at);
    const agrees = JSON.stringify(summarise(row)) === JSON.stringify(withoutFacts(verdict));
    return agrees ? { verdict } : { problem: 'SQL and the matcher disagree' };
  };
}
