/** `verdict check`: the problems of policies, rule sets and mappings, before a service loads them. */

import type { Command } from 'commander';
import { EXIT, type Finish, type Io, stylerFor, write } from '../io.ts';
import { addFormat } from '../options/arguments.ts';
import { REPORT_FORMATS, REPORTERS, type ReportFormat } from '../terminal/print-diagnostics.ts';

export function addCheck(program: Command, io: Io, finish: Finish): void {
  const command = program
    .command('check')
    .description('find mistakes in policies and mappings, and suspicious rules')
    .argument('[paths...]', 'policies and mappings, or folders of them (default: rules/)');
  addFormat(command, REPORT_FORMATS).action(async (paths: readonly string[], { format }: { format: ReportFormat }) => {
    const { checkFiles } = await import('../../policy/check/check-files.ts');
    const report = checkFiles(paths.length > 0 ? paths : ['rules/']);
    await write(io.stdout, REPORTERS[format](report, stylerFor(io.stdout, io.env)));
    finish(report.diagnostics.length > 0 ? EXIT.found : EXIT.done);
  });
}
