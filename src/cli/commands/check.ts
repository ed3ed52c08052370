/** `verdict check`: the problems of policies, rule sets and mappings, before a service loads them. */

import { type Command, Option } from 'commander';
import { DIAGNOSTIC_CODES, type DiagnosticCode, REMOVED_CODES } from '../../diagnostics.ts';
import type { CheckOptions, CheckReport } from '../../policy/check/check-files.ts';
import { CHECK_FORMATS, type CheckFormat, namesOf } from '../../report/formats/formats.ts';
import { readCheckPage } from '../../report/formats/sarif.ts';
import { didYouMean } from '../../text.ts';
import { pathsOr } from '../input/files-of.ts';
import { addSet, settingsOf } from '../input/load-policy.ts';
import { CouldNotRunError, EXIT, type Io, orCannotRun, UsageError, write } from '../io.ts';
import { addFormat, EXIT_GROUP, numberReader, present, readDay, readMany, stepsOption } from '../options/arguments.ts';
import { describeUnwritable } from '../options/own-file.ts';
import { endWith } from '../result.ts';

export function addCheck(program: Command, io: Io): void {
  const command = program
    .command('check')
    .description('find mistakes in policies and mappings, and suspicious rules')
    .argument('[paths...]', 'policies and mappings, or folders of them (default: rules/)')
    .option('--answer <file>', 'a captured answer that the mappings have to fit; repeatable', readMany)
    .option('--at <day>', 'the day of the check, for rules and entries that have ended (default: today)', readDay)
    .option('--since <revision>', 'find policies that changed since this git revision under the same version')
    .option('--explain <code>', 'explain a code instead, such as never-true: examples, and why')
    .option('--deep', 'prove more, with z3: rules that never matter, outcomes that nobody gets, broken guarantees')
    .addOption(stepsOption())
    .option('--fix', 'fix what has one right answer, in the files, and check them again')
    .optionsGroup(EXIT_GROUP)
    .option('--max-warnings <n>', 'exit with 0 unless there are errors, or more warnings than this', readCount, 0)
    .addOption(new Option('--errors-only', 'exit with 0 unless there are errors').conflicts('maxWarnings'))
    .optionsGroup('Options:');
  addFormat(addSet(command), namesOf(CHECK_FORMATS)).action(async (paths, options) => {
    const { answer = [], at, deep, format, maxWarnings, errorsOnly, fix, explain, since, steps } = options;
    if (explain !== undefined) return write(io.stdout, pageOn(explain));
    if (!deep && command.getOptionValueSource('steps') === 'cli') throw new UsageError('--steps goes with --deep');
    const { checkFiles } = await import('../../policy/check/check-files.ts');
    const { readAnswer } = await import('../input/read-answer.ts');
    const answers: unknown[] = [];
    for (const file of answer) answers.push(await readAnswer(file, io));
    const checked = pathsOr(paths, 'the files to check');
    const checking = { answers, parameters: settingsOf(options), ...present({ at, since }) };
    const report = await orCannotRun(async () => {
      const fixed = fix && (await fixAll(checked, checking, format, io));
      if (deep) return checkDeeply(checked, checking, steps);
      return fixed ?? checkFiles(checked, checking);
    });
    const errors = report.diagnostics.filter(({ severity }) => severity === 'error').length;
    const undecided = report.diagnostics.filter(({ code }) => OPEN.includes(code)).length;
    const warnings = errorsOnly ? 0 : report.diagnostics.length - errors - undecided;
    const isFound = errors > 0 || warnings > maxWarnings;
    await endWith(io, options, {
      text: (style) => CHECK_FORMATS[format](report, style),
      exitCode: isFound ? EXIT.found : undecided > 0 && !errorsOnly ? EXIT.undecided : EXIT.done,
    });
  });
}

/** The codes of warnings about undecided questions. */
const OPEN: readonly DiagnosticCode[] = ['undecided', 'guarantee-unproved'];

async function checkDeeply(paths: readonly string[], options: CheckOptions, steps: number): Promise<CheckReport> {
  const { checkFilesDeeply } = await import('../../policy/check/check-files.ts');
  const { createDeepCheck } = await import('../../lab/prove/check/deep-check.ts');
  return checkFilesDeeply(paths, options, createDeepCheck(steps));
}

/** Fixes files, and says what was fixed: in the output for people, beside the output for programs. */
async function fixAll(
  paths: readonly string[],
  options: CheckOptions,
  format: CheckFormat,
  { stdout, stderr }: Io,
): Promise<CheckReport> {
  const { fixFiles } = await import('../../policy/check/fix-files.ts');
  const { printFixed } = await import('../../report/check.ts');
  try {
    const report = fixFiles(paths, options);
    await write(format === 'pretty' ? stdout : stderr, printFixed(report.fixed));
    return report;
  } catch (error) {
    const { path } = error as NodeJS.ErrnoException;
    throw path === undefined ? error : describeUnwritable(error, path);
  }
}

const readCount = numberReader(/^\d+$/, Number.isSafeInteger, 'a whole number from 0 on');

function pageOn(code: string): string {
  if (REMOVED_CODES.includes(code)) throw new UsageError(`--explain: the check "${code}" no longer exists`);
  if (!Object.hasOwn(DIAGNOSTIC_CODES, code)) {
    const { hint = 'a report has the codes in brackets, such as error[unknown-fact]' } = didYouMean(
      code,
      Object.keys(DIAGNOSTIC_CODES),
    );
    throw new UsageError(`--explain: there is no such code; ${hint}`);
  }
  const page = readCheckPage(code as DiagnosticCode);
  if (page === undefined) throw new CouldNotRunError('docs/checks is missing from the package; install it again');
  return page;
}
