/** `verdict evaluate`: lines of facts in hand -> lines of verdicts, in order, in bounded memory. */

import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { type Command, Option } from 'commander';
import type { Policy } from '../policy/language.ts';
import { readDay, today } from './arguments.ts';
import { CouldNotRunError, EXIT, type Io, write } from './io.ts';
import { readLines } from './lines.ts';
import type { Finish } from './program.ts';

interface Options {
  readonly policy: string;
  readonly facts: string;
  readonly at?: string;
}

/** Adds the command. */
export function addEvaluate(program: Command, io: Io, finish: Finish): void {
  program
    .command('evaluate')
    .description('decide on facts in hand: one line of JSON in, one verdict out')
    .requiredOption('--policy <file>', 'the policy')
    .requiredOption('--facts <file>', 'lines like {"facts":{"phone.score":12}}; - for standard input')
    .option('--at <day>', 'the day of the decision, for lines without their own (default: today, UTC)', readDay)
    .addOption(new Option('--runner <runner>', 'what decides').choices(['live']).default('live'))
    .action(async (options: Options) => {
      const { loadPolicy } = await import('../policy/parse.ts');
      finish(await evaluateLines(loadPolicy(options.policy), options, io));
    });
}

async function evaluateLines(policy: Policy, { facts, at = today() }: Options, io: Io): Promise<number> {
  const { readFactsLine } = await import('../facts/line.ts');
  const { runLive } = await import('../decision/live.ts');
  let exitCode: number = EXIT.done;
  const report = async (number: number, problem: string) => {
    exitCode = EXIT.found;
    await write(io.stderr, `verdict: line ${number}: ${problem}\n`);
  };
  for await (const read of readLines(openFacts(facts, io))) {
    if (io.signal.aborted) break;
    const line = 'text' in read ? readFactsLine(read.text, policy.facts, at) : read;
    if ('problem' in line) {
      await report(read.number, line.problem);
      continue;
    }
    const { clientReference } = line;
    const source = (path: string) => line.facts.get(path) ?? ({ missing: 'notGiven' } as const);
    const { verdict } = await runLive(policy, source, line.at);
    const reference = clientReference === undefined ? {} : { clientReference };
    await write(io.stdout, `${JSON.stringify({ ...reference, ...verdict })}\n`);
  }
  return exitCode;
}

async function* openFacts(file: string, { stdin }: Io): AsyncGenerator<Buffer> {
  const stream: Readable = file === '-' ? stdin : createReadStream(file);
  try {
    for await (const chunk of stream) yield Buffer.from(chunk);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new CouldNotRunError(code === 'ENOENT' ? `${file}: no such file` : `${file} cannot be read`);
  }
}
