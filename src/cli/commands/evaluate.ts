/** `verdict evaluate`: lines or rows of facts -> lines of verdicts, in the same order, in bounded memory. */

import { type Command, Option } from 'commander';
import type { Verdict } from '../../decision/meaning/verdict.ts';
import type { Fact } from '../../facts/fact.ts';
import type { FactsLine } from '../../facts/facts-line.ts';
import type { Policy } from '../../policy/language.ts';
import { toJson } from '../../text.ts';
import { type ReadLine, readFactsFile, unitOf } from '../input/facts-file.ts';
import { addPolicyFiles, loadPolicyFiles } from '../input/load-policy.ts';
import { CouldNotRunError, EXIT, type Io, say, write } from '../io.ts';
import { present, readDay, today } from '../options/arguments.ts';

const RUNNERS = ['matcher', 'live'] as const;

/** Decides a line or row. */
type Decide = (line: FactsLine) => Verdict | Promise<Verdict>;

export function addEvaluate(program: Command, io: Io): void {
  addPolicyFiles(program.command('evaluate'))
    .description('decide on given facts: one line of JSON or row of a table in, one verdict out')
    .requiredOption(
      '--facts <file>',
      'lines like {"facts":{"phone.score":12}}, - for standard input; or a .csv or .parquet',
    )
    .option('--at <day>', 'the day of the decision for lines without "at" (default: today)', readDay)
    .addOption(new Option('--runner <runner>', 'the engine that decides').choices(RUNNERS).default('matcher'))
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention')
    .action(async (options) => {
      const { facts, runner } = options;
      const policy = await loadPolicyFiles(options);
      const { at = today(policy.timeZone) } = options;
      const decide = runner === 'live' ? await startLive(policy) : await startMatcher(policy);
      await io.interruptible((signal) => {
        const lines = readFactsFile(policy, { ...options, at }, io, signal);
        return evaluate(lines, decide, unitOf(facts), io, signal);
      });
    });
}

async function startLive(policy: Policy): Promise<Decide> {
  const { runLive } = await import('../../decision/live/live.ts');
  return async ({ facts, at }) => {
    const source = (path: string): Fact => facts.get(path) ?? { missing: 'notGiven' };
    return (await runLive(policy, source, at)).verdict;
  };
}

async function startMatcher(policy: Policy): Promise<Decide> {
  const { compile } = await import('../../decision/matcher/matcher.ts');
  const matcher = compile(policy);
  return ({ facts, at }) => matcher.verdict(facts, at);
}

/**
 * Prints the verdicts, in the order of the lines, and the problems of others. `unit` is what is numbered. Throws
 * `CouldNotRunError` if the user ends the run before the last line: the output must not pass for a complete one.
 */
async function evaluate(
  lines: AsyncIterable<ReadLine>,
  decide: Decide,
  unit: string,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  let last = 0;
  try {
    for await (const line of lines) {
      const verdict = 'problem' in line ? undefined : await decide(line);
      signal.throwIfAborted();
      last = line.number;
      if ('problem' in line) {
        io.finish(EXIT.found);
        await say(io.stderr, `verdict: ${unit} ${line.number}: ${line.problem}\n`);
      } else {
        await write(io.stdout, `${toJson({ ...present({ clientReference: line.clientReference }), ...verdict })}\n`);
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    const end = last === 0 ? `before the first ${unit}` : `after ${unit} ${last}`;
    throw new CouldNotRunError(`interrupted: the output is not complete; it ends ${end}`);
  }
}
