/** `verdict evaluate`: lines or rows of facts -> lines of verdicts, in the same order, in bounded memory. */

import { type Command, Option } from 'commander';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Fact } from '../../facts/fact.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import type { Policy } from '../../policy/language.ts';
import { toJson } from '../../text.ts';
import { type ReadLine, readFactsFile, unitOf } from '../input/facts-file.ts';
import { addSet, loadPolicyFiles } from '../input/load-policy.ts';
import { CouldNotRunError, EXIT, type Io, say, write } from '../io.ts';
import { readDay, today } from '../options/arguments.ts';

const RUNNERS = ['matcher', 'live'] as const;

/** The verdict on a line or row, or its problem, with its number. */
type Answer = { readonly number: number; readonly clientReference?: string | undefined } & (
  | { readonly verdict: object }
  | { readonly problem: string }
);

/** Decides lines in their order, and passes on the problems of others. */
type Evaluate = (lines: AsyncIterable<ReadLine>) => AsyncIterable<Answer>;

export function addEvaluate(program: Command, io: Io): void {
  const command = program
    .command('evaluate')
    .description('decide on given facts: one line of JSON or row of a table in, one verdict out')
    .requiredOption('--policy <file>', 'the policy')
    .requiredOption(
      '--facts <file>',
      'lines like {"facts":{"phone.score":12}}, - for standard input; or a .csv or .parquet',
    )
    .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)")
    .option('--at <day>', 'the day of the decision for lines without "at" (default: today)', readDay)
    .addOption(new Option('--runner <runner>', 'the engine that decides').choices(RUNNERS).default('matcher'))
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention');
  addSet(command).action(async (options) => {
    const { facts, runner } = options;
    const policy = await loadPolicyFiles(options);
    const { at = today(policy.timeZone) } = options;
    const evaluate = runner === 'live' ? await startLive(policy) : await startMatcher(policy);
    const decide = async (signal: AbortSignal) => {
      const lines = readFactsFile(policy, { ...options, at }, io, signal);
      return print(evaluate(lines), unitOf(facts), io, signal);
    };
    io.finish(await io.interruptible(decide));
  });
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
