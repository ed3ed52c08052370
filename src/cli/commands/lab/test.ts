/** `verdict test`: files of tests of policies -> which of their cases pass, and why the others fail. */

import { once } from 'node:events';
import type { Command } from 'commander';
import { DiagnosticsError } from '../../../diagnostics.ts';
import { CHECK_FORMATS, namesOf, TEST_FORMATS } from '../../../report/formats/formats.ts';
import { count } from '../../../text.ts';
import { pathsOr } from '../../input/files-of.ts';
import { EXIT, type Io, orCannotRun, say, stylerFor, UsageError, write } from '../../io.ts';
import { addFormat, type OptionsOf } from '../../options/arguments.ts';
import { addAccept } from './test-accept.ts';
import { addCoverage, createCoverage, reportCoverage } from './test-coverage.ts';
import { addMutation, isMutating, reportMutation, runMutation } from './test-mutation.ts';
import { ciVariableIn } from './test-paths.ts';
import { addRecord } from './test-record.ts';
import { addSuggest, isSuggesting, suggest } from './test-suggest.ts';

export function addTest(program: Command, io: Io): void {
  const command = withOptions(program.command('test'));
  command.action(async (paths, options) => {
    const isLimited = command.getOptionValueSource('steps') === 'cli';
    if (isLimited && !isSuggesting(options) && !isMutating(options)) {
      throw new UsageError('--steps goes with --suggest or --mutate');
    }
    const named = pathsOr(paths, 'the files of tests');
    if (!options.watch) return io.finish(await runOnce(named, options, io));
    await io.interruptible((signal) => runOnChange(named, options, io, signal));
    io.finish(EXIT.interrupted);
  });
  addRecord(command, io);
  addAccept(command, io);
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(test: Command) {
  const command = test
    .enablePositionalOptions()
    .description('run the tests of policies: *.test.yaml')
    .argument('[paths...]', 'files of tests, or folders of them (default: rules/)')
    .option('--filter <text>', 'only tests whose name has this text')
    .option('--watch', 'run them again when a file of them changes, until Ctrl-C');
  return addFormat(addSuggest(addMutation(addCoverage(command))), namesOf(TEST_FORMATS));
}

/** Runs the tests once; gives the exit code. */
async function runOnce(paths: readonly string[], options: Options, io: Io): Promise<number> {
  const { TestReader } = await import('../../../lab/test/read-tests.ts');
  return runWith(new TestReader(readingOptions(io)), paths, options, io);
}

function readingOptions(io: Io) {
  return { allowOnly: ciVariableIn(io) === undefined };
}

type Reader = InstanceType<typeof import('../../../lab/test/read-tests.ts').TestReader>;

async function runWith(reader: Reader, paths: readonly string[], options: Options, io: Io): Promise<number> {
  const { filter, format } = options;
  const { readTests, runCases } = await import('../../../lab/test/run-tests.ts');
  const { counting } = await import('../../progress.ts');
  const { styledBlocks } = await import('../../../report/check.ts');
  const isSuggested = isSuggesting(options);
  // With --suggest, standard output has the suggested tests and nothing else.
  const output = isSuggested ? io.stderr : io.stdout;
  const style = stylerFor(output, io.env);
  const coverage = await createCoverage(options, isSuggested);
  let cases: ReturnType<typeof readTests>;
  try {
    cases = readTests(paths, reader);
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    const { diagnostics } = error;
    if (format === 'github') {
      await write(io.stdout, await CHECK_FORMATS.github({ diagnostics, silenced: [], files: 0, within: [] }));
    }
    const blocks = styledBlocks(diagnostics, stylerFor(io.stderr, io.env));
    const problems = `no test was run: ${count(diagnostics.length, 'error')}`;
    await say(io.stderr, `${[...blocks, `verdict: ${problems}`].join('\n')}\n`);
    return EXIT.couldNotRun;
  }
  const run = () => counting(io, 'test', async (tell) => runCases(cases, { filter, tell, coverage }));
  const report = await orCannotRun(run);
  if (filter !== undefined && report.results.length === 0) {
    await say(io.stderr, 'verdict: --filter: no test has this text in its name\n');
    return EXIT.usage;
  }
  const mutation = await orCannotRun(() => runMutation(cases, report, options, io));
  await write(output, await TEST_FORMATS[format]([report, mutation], style));
  if (coverage && isSuggested) {
    await suggest(reader, coverage, options, io);
    return report.failed > 0 ? EXIT.found : EXIT.done;
  }
  const isCovered = await reportCoverage(report.coverage ?? [], { settings: options, format }, io);
  const isKilled = await reportMutation(mutation ?? [], { settings: options, format }, io);
  return report.failed > 0 || !isCovered || !isKilled ? EXIT.found : EXIT.done;
}

/** Runs the tests, and again after each change of a file that they read, until the signal aborts. */
async function runOnChange(paths: readonly string[], options: Options, io: Io, signal: AbortSignal): Promise<void> {
  const { TestReader } = await import('../../../lab/test/read-tests.ts');
  const { foldersAt } = await import('../../../policy/check/candidates.ts');
  const { fingerprintOf } = await import('../../../platform/files/disk-file.ts');
  const { FileWatch } = await import('../../../policy/watch/watch-files.ts');
  const run = async () => {
    const reader = new TestReader(readingOptions(io));
    // A folder changes when a file of tests is added to it.
    for (const path of paths.flatMap(foldersAt)) reader.stamps.set(path, fingerprintOf(path));
    await runWith(reader, paths, options, io);
    await say(io.stderr, 'verdict: waiting for changes; Ctrl-C ends\n');
    return reader.stamps;
  };
  const ended = once(signal, 'abort');
  const stamps = await run();
  const failed = Promise.withResolvers<never>();
  const files = new FileWatch(stamps, () => run().then((next) => files.watch(next), failed.reject));
  try {
    if (!signal.aborted) await Promise.race([ended, failed.promise]);
  } finally {
    files.close();
  }
}
