/** `verdict evaluate`: lines of facts -> lines of verdicts, in the same order, in bounded memory. */

import { type Command, Option } from 'commander';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Fact } from '../../facts/fact.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import type { Policy } from '../../policy/language.ts';
import { toJson } from '../../text.ts';
import { loadColumns } from '../input/columns.ts';
import { isFactsTable, readFactsFile } from '../input/facts-file.ts';
import { addSet, loadPolicyFiles, type PolicyFiles } from '../input/load-policy.ts';
import { CouldNotRunError, EXIT, type Finish, type Io, say, UsageError, write } from '../io.ts';
import { readDay, today } from '../options/arguments.ts';
import { type Answer, type Evaluate, evaluateTable, startSql } from './evaluate-sql.ts';

const RUNNERS = ['matcher', 'live', 'sql'] as const;

interface Options extends PolicyFiles {
  readonly facts: string;
  readonly at?: string;
  readonly runner: (typeof RUNNERS)[number];
  readonly explain?: boolean;
  readonly columns?: string;
}

export function addEvaluate(program: Command, io: Io, finish: Finish): void {
  const command = program
    .command('evaluate')
    .description('decide on given facts: one line of JSON or row of CSV in, one verdict out')
    .requiredOption('--policy <file>', 'the policy')
    .requiredOption(
      '--facts <file>',
      'lines like {"facts":{"phone.score":12}}, - for standard input; or a .csv, for SQL also a .parquet',
    )
    .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)")
    .option('--at <day>', 'the day of the decision for lines without "at" (default: today, UTC)', readDay)
    .addOption(new Option('--runner <runner>', 'the engine that decides').choices(RUNNERS).default('matcher'))
    .option('--explain', 'with SQL: whole verdicts from the matcher, which must agree')
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention');
  addSet(command).action(async (options: Options) => {
    const isTable = await isFactsTable(options);
    const { endingOf } = await import('../../decision/sql/duckdb/row-file.ts');
    if (options.runner !== 'sql') {
      if (isTable && endingOf(options.facts) !== '.csv') throw new UsageError('only --runner sql reads Parquet');
      if (options.explain)
        throw new UsageError('--explain goes with --runner sql; other runners always give whole verdicts');
    }
    const policy = await loadPolicyFiles(options);
    const evaluate = isTable && options.runner === 'sql' ? evaluateFile : evaluateLines;
    finish(await io.interruptible((signal) => evaluate(policy, options, io, signal)));
  });
}

async function evaluateLines(policy: Policy, options: Options, io: Io, signal: AbortSignal): Promise<number> {
  const { runner, explain, at = today() } = options;
  const lines = readFactsFile(policy, { ...options, at }, io, signal);
  const sql = runner === 'sql' ? await startSql(policy, explain === true) : undefined;
  try {
    const evaluate = sql?.evaluate ?? (runner === 'live' ? await startLive(policy) : await startMatcher(policy));
    return await print(evaluate(lines), 'line', io, signal);
  } finally {
    sql?.close();
  }
}

async function evaluateFile(policy: Policy, options: Options, io: Io, signal: AbortSignal): Promise<number> {
  const { facts: file, at = today(), explain: withFacts = false } = options;
  const columns = await loadColumns(options.columns, policy.facts);
  return evaluateTable(policy, { file, at, withFacts, ...columns }, io, (answers, unit) =>
    print(answers, unit, io, signal),
  );
}

async function startLive(policy: Policy): Promise<Evaluate> {
  const { runLive } = await import('../../decision/live/live.ts');
  return decideEach(async ({ facts, at }) => {
    const source = (path: string): Fact => facts.get(path) ?? { missing: 'notGiven' };
    return (await runLive(policy, source, at)).verdict;
  });
}

async function startMatcher(policy: Policy): Promise<Evaluate> {
  const { compile } = await import('../../decision/matcher/matcher.ts');
  const matcher = compile(policy);
  return decideEach(async ({ facts, at }) => matcher.verdict(facts, at));
}

function decideEach(decide: (line: FactsLine) => Promise<Verdict>): Evaluate {
  return async function* (lines) {
    for await (const line of lines) {
      if ('problem' in line) yield line;
      else yield { number: line.number, clientReference: line.clientReference, verdict: await decide(line) };
    }
  };
}

/**
 * Prints the verdicts, reports the problems, and gives the exit code. `unit` is what is numbered. Throws
 * `CouldNotRunError` if the user ends the run before the last answer: the output must not pass for a complete one.
 */
async function print(
  answers: AsyncIterable<Answer>,
  unit: string,
  { stdout, stderr }: Io,
  signal: AbortSignal,
): Promise<number> {
  let exitCode: number = EXIT.done;
  let last = 0;
  try {
    for await (const answer of answers) {
      signal.throwIfAborted();
      last = answer.number;
      if ('problem' in answer) {
        exitCode = EXIT.found;
        await say(stderr, `verdict: ${unit} ${answer.number}: ${answer.problem}\n`);
        continue;
      }
      const { clientReference, verdict } = answer;
      const reference = clientReference === undefined ? {} : { clientReference };
      await write(stdout, `${toJson({ ...reference, ...verdict })}\n`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    const end = last === 0 ? `before the first ${unit}` : `after ${unit} ${last}`;
    throw new CouldNotRunError(`interrupted: the output is not complete; it ends ${end}`);
  }
  return exitCode;
}
