/** Arguments and streams -> an exit code; never throws. */

import {
  type Argument,
  Command,
  CommanderError,
  type CommandUnknownOpts,
  InvalidArgumentError,
  type Option,
} from 'commander';
import { DiagnosticsError, messageWithLines } from '../diagnostics.ts';
import { VerdictError } from '../errors.ts';
import { StateUnavailable } from '../stores/state/references.ts';
import { VelocityUnavailable } from '../stores/velocity/home.ts';
import { printableLines } from '../text.ts';
import { ENGINE_VERSION } from '../version.ts';
import { addAudit } from './commands/audit/audit.ts';
import { addCheck } from './commands/check.ts';
import { addDecide } from './commands/decide.ts';
import { addEvaluate } from './commands/evaluate.ts';
import { addExplain } from './commands/explain.ts';
import { addExport } from './commands/export.ts';
import { addFacts } from './commands/facts.ts';
import { addGenerate } from './commands/generate.ts';
import { addInit } from './commands/init-project.ts';
import { addBacktest } from './commands/lab/backtest.ts';
import { addDiff } from './commands/lab/diff.ts';
import { addDrift } from './commands/lab/drift.ts';
import { addProve } from './commands/lab/prove.ts';
import { addTest } from './commands/lab/test.ts';
import { addLists } from './commands/lists.ts';
import { addMapping } from './commands/mapping.ts';
import { addRelease } from './commands/release/release.ts';
import { addRules } from './commands/rules.ts';
import { addSandbox } from './commands/sandbox.ts';
import { addKeyCommands } from './commands/service/key.ts';
import { addPeopleCommands } from './commands/service/people.ts';
import { addServe } from './commands/service/serve.ts';
import { addWebhookCommands } from './commands/service/webhook.ts';
import { addStateCommands } from './commands/state/state.ts';
import { addVelocityCommands } from './commands/velocity/velocity.ts';
import { CouldNotRunError, EXIT, type Io, type Process, say, UsageError } from './io.ts';
import { isRepeatable } from './options/arguments.ts';

const EXAMPLES = `Begin with:
  verdict init my-service                   a new folder: policies, a mapping, tests and a small service
  verdict sandbox                           a simulated service, with people to try
  verdict decide --sandbox --phone +12025550101 --email nora.whitfield@juniper-lane.example --ip 203.0.113.11
  verdict facts                             every fact that a rule can ask about

In a folder that init made:
  verdict check                             mistakes, and suspicious parts, of the files in rules/
  verdict test                              the tests of the policies: rules/*.test.yaml
  verdict evaluate --policy rules/onboarding.yaml --facts applicants.ndjson
  verdict mapping try answer.json           the facts that a captured answer of the service gives

Exit codes: 0 done; 1 something found; 2 wrong command line; 3 could not run; 4 undecided.
`;

export async function run(args: readonly string[], surroundings: Process): Promise<number> {
  let exitCode: number = EXIT.done;
  const finish = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(surroundings, finish);
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportError(error, surroundings);
  }
}

/** The commands and options, as commander's tree. */
export function createProgram(surroundings: Process, finish: Io['finish']): Command {
  const io = { ...surroundings, finish };
  const program = new Command('verdict')
    .description('Decides on applicants by the signals of their phone number, email and IP.')
    .version(ENGINE_VERSION, '--version', 'print the version')
    // An option behind a command is one of that command, also where the command around it has one of its name.
    .enablePositionalOptions()
    .helpOption('-h, --help', 'print help')
    // Descriptions are wrapped beside the longest command too.
    .configureHelp({ minWidthToWrap: 30 })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    })
    .addHelpText('before', EXAMPLES)
    .showSuggestionAfterError()
    .exitOverride();
  for (const add of [
    addAudit,
    addCheck,
    addDecide,
    addDiff,
    addBacktest,
    addDrift,
    addEvaluate,
    addExplain,
    addExport,
    addFacts,
    addGenerate,
    addInit,
    addKeyCommands,
    addPeopleCommands,
    addRelease,
    addLists,
    addMapping,
    addProve,
    addRules,
    addSandbox,
    addServe,
    addStateCommands,
    addTest,
    addVelocityCommands,
    addWebhookCommands,
  ])
    add(program, io);
  guard(program);
  return program;
}

/** What holds for the options and arguments of every command. */
function guard(command: CommandUnknownOpts): void {
  command.configureOutput({
    outputError: (message, writeErr) => writeErr(withoutValues(message) + usageAfter(message, command)),
  });
  for (const option of command.options) {
    refuseSecond(option, command);
    hideValue(option, `option '${option.flags}'`, command);
  }
  for (const argument of command.registeredArguments) hideValue(argument, `argument '${argument.name()}'`, command);
  for (const each of command.commands) guard(each);
}

/** Of two values, commander takes the last in silence: it could be another policy than the one that was meant. */
function refuseSecond(option: Option, command: CommandUnknownOpts): void {
  if (option.isBoolean() || isRepeatable(option)) return;
  let isGiven = false;
  command.on(`option:${option.name()}`, () => {
    if (isGiven) command.error(`error: option '${option.flags}' was given twice, expected once`);
    isGiven = true;
  });
}

/** INVARIANT: no message repeats the value of an option or argument, which may be a phone number or a secret. */
function hideValue(target: Option | Argument, name: string, command: CommandUnknownOpts): void {
  const { parseArg: read } = target;
  if (!read) return;
  target.parseArg = <Value>(text: string, earlier: Value): Value => {
    try {
      return read(text, earlier) as Value;
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      return command.error(`error: ${name} has an invalid value. ${error.message}`);
    }
  };
}

/** The arguments of a command, after a message that one is missing or that there are too many. */
function usageAfter(message: string, command: CommandUnknownOpts): string {
  const isOfArguments = /^error: (missing required argument|too many arguments)/.test(message);
  return isOfArguments ? `Usage: ${command.createHelp().commandUsage(command)}\n` : '';
}

/** A message of commander without what was typed; an option that is spelled like one keeps its name. */
function withoutValues(message: string): string {
  return message
    .replace(/^(error: unknown option) '([\s\S]*)'(?=\n\(Did you mean |\n$)/, (_, what: string, typed: string) => {
      const [name = ''] = typed.split('=');
      return /^--[a-z]+(-[a-z]+)*$/.test(name) ? `${what} '${name}'` : what;
    })
    .replace(/^(error: unknown command) '[\s\S]*'(?=\n\(Did you mean )/, '$1')
    .replace(/^(error: unknown command) '[\s\S]*'(?=\n$)/, '$1; --help lists the commands')
    .replace(/^(error: too many arguments[^:]*? but got \d+): [\s\S]*\.(?=\n$)/, '$1.');
}

/** Prints one message on stderr, without a stack, and gives the exit code. */
async function reportError(error: unknown, io: Process): Promise<number> {
  // Names of files are shown as they are safe to show; line breaks are ours.
  const report = (message: string) => say(io.stderr, `verdict: ${printableLines(message)}\n`);
  // Commander has already written its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof UsageError) {
    await report(error.message);
    return EXIT.usage;
  }
  if (error instanceof CouldNotRunError || error instanceof StateUnavailable || error instanceof VelocityUnavailable) {
    await report(error.message);
    return EXIT.couldNotRun;
  }
  if (error instanceof VerdictError) {
    await report(error instanceof DiagnosticsError ? messageWithLines(error) : error.message);
    if (error.code === 'ABORTED') return EXIT.interrupted;
    if (error.code === 'RELEASE_REFUSED') return EXIT.found;
    return error.code === 'REQUEST_INVALID' || error.code === 'CONFIGURATION_INVALID' ? EXIT.usage : EXIT.couldNotRun;
  }
  // A bug of ours. Its message may contain anything, so only its name is shown.
  await report(`internal error (${error instanceof Error ? error.name : typeof error})`);
  return EXIT.couldNotRun;
}
