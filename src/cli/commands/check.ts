/** `verdict check`: the problems of policies, rule sets and mappings, before a service loads them. */

import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { addSet, type SetOption, settingsOf } from '../input/load-policy.ts';
import { CouldNotRunError, EXIT, type Finish, type Io, stylerFor, write } from '../io.ts';
import { addFormat, numberReader, readMany } from '../options/arguments.ts';
import { REPORT_FORMATS, REPORTERS, type ReportFormat } from '../terminal/print-diagnostics.ts';

interface CheckOptions extends SetOption {
  readonly answer?: readonly string[];
  readonly format: ReportFormat;
  readonly maxWarnings: number;
  readonly errorsOnly?: true;
}

export function addCheck(program: Command, io: Io, finish: Finish): void {
  const command = program
    .command('check')
    .description('find mistakes in policies and mappings, and suspicious rules')
    .argument('[paths...]', 'policies and mappings, or folders of them (default: rules/)')
    .option('--answer <file>', 'a captured answer that the mappings have to fit; repeatable', readMany)
    .option('--max-warnings <n>', 'exit with 0 up to this many warnings, if there is no error', readCount, 0)
    .addOption(new Option('--errors-only', 'exit with 0 if there is no error').conflicts('maxWarnings'));
  addFormat(addSet(command), REPORT_FORMATS).action(async (paths: readonly string[], options: CheckOptions) => {
    const { answer = [], format, maxWarnings, errorsOnly } = options;
    const { checkFiles } = await import('../../policy/check/check-files.ts');
    const { readAnswer } = await import('../input/read-answer.ts');
    const answers: unknown[] = [];
    for (const file of answer) answers.push(await readAnswer(file, io));
    const report = checkFiles(paths.length > 0 ? paths : defaultPaths(), { answers, parameters: settingsOf(options) });
    await write(io.stdout, REPORTERS[format](report, stylerFor(io.stdout, io.env)));
    const errors = report.diagnostics.filter(({ severity }) => severity === 'error').length;
    const warnings = errorsOnly ? 0 : report.diagnostics.length - errors;
    finish(errors > 0 || warnings > maxWarnings ? EXIT.found : EXIT.done);
  });
}

const readCount = numberReader(/^\d+$/, Number.isSafeInteger, 'a whole number from 0 on');

/** `rules/`, as `verdict init` lays it out. */
function defaultPaths(): readonly string[] {
  if (existsSync('rules')) return ['rules/'];
  throw new CouldNotRunError(
    'there is no folder rules/ here; name the files to check. verdict init makes such a folder',
  );
}
