/** `verdict check`: the problems of policies, rule sets and mappings, before a service loads them. */

import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { addSet, type SetOption, settingsOf } from '../input/load-policy.ts';
import { CouldNotRunError, EXIT, type Finish, type Io, stylerFor, write } from '../io.ts';
import { addFormat, readMany } from '../options/arguments.ts';
import { REPORT_FORMATS, REPORTERS, type ReportFormat } from '../terminal/print-diagnostics.ts';

interface CheckOptions extends SetOption {
  readonly answer?: readonly string[];
  readonly format: ReportFormat;
}

export function addCheck(program: Command, io: Io, finish: Finish): void {
  const command = program
    .command('check')
    .description('find mistakes in policies and mappings, and suspicious rules')
    .argument('[paths...]', 'policies and mappings, or folders of them (default: rules/)')
    .option('--answer <file>', 'a captured answer that the mappings have to fit; repeatable', readMany);
  addFormat(addSet(command), REPORT_FORMATS).action(async (paths: readonly string[], options: CheckOptions) => {
    const { answer = [], format } = options;
    const { checkFiles } = await import('../../policy/check/check-files.ts');
    const { readAnswer } = await import('../input/read-answer.ts');
    const answers: unknown[] = [];
    for (const file of answer) answers.push(await readAnswer(file, io));
    const report = checkFiles(paths.length > 0 ? paths : defaultPaths(), { answers, parameters: settingsOf(options) });
    await write(io.stdout, REPORTERS[format](report, stylerFor(io.stdout, io.env)));
    finish(report.diagnostics.length > 0 ? EXIT.found : EXIT.done);
  });
}

/** `rules/`, as `verdict init` lays it out. */
function defaultPaths(): readonly string[] {
  if (existsSync('rules')) return ['rules/'];
  throw new CouldNotRunError(
    'there is no folder rules/ here; name the files to check. verdict init makes such a folder',
  );
}
