/** The options of `verdict diff` that count real applicants. */

import { type Command, Option } from 'commander';
import { UsageError } from '../io.ts';
import { numberReader, readDay } from './arguments.ts';
import { addTimes, type FilterOptions } from './filters.ts';
import { addKeys, type KeysOptions } from './log-place.ts';

/** Which real applicants, and how many of the worst are shown. */
export interface ImpactOptions extends KeysOptions, Pick<FilterOptions, 'from' | 'to'> {
  readonly log?: string;
  readonly facts?: string;
  readonly columns?: string;
  readonly worst: number;
  readonly asIfInForce?: string;
}

/** Adds the options. */
export function addImpact(command: Command): Command {
  command
    .optionsGroup('Real applicants:')
    .option('--log <dir>', 'count the applicants of this audit log, each as of its own day')
    .option('--facts <file>', 'count the applicants of this file: lines of JSON as for evaluate, .csv or .parquet')
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention');
  command.option(
    '--as-if-in-force <day>',
    'count by the rules and list entries that are in force on this day (default: on the day of each applicant)',
    readDay,
  );
  addTimes(addKeys(command));
  return command
    .addOption(
      new Option('--worst <n>', 'the most applicants to show, the worst changes first').argParser(worst).default(5),
    )
    .optionsGroup('Options:');
}

const worst = numberReader(/^\d{1,4}$/, () => true, 'a whole number');

/** Throws a usage error for options that do not go together. */
export function checkImpactOptions({ log, facts, ...options }: ImpactOptions): void {
  if (log !== undefined && facts !== undefined) throw new UsageError('--log and --facts exclude each other');
  const misplaced = [
    ...(log === undefined ? (['keys', 'from', 'to'] as const).map((name) => [name, '--log'] as const) : []),
    ...(facts === undefined ? [['columns', '--facts'] as const] : []),
  ].find(([name]) => options[name] !== undefined);
  if (misplaced) throw new UsageError(`--${misplaced[0]} goes with ${misplaced[1]}`);
  if (options.asIfInForce !== undefined && log === undefined && facts === undefined) {
    throw new UsageError('--as-if-in-force goes with --log or --facts');
  }
}

/** Whether there are applicants to count. */
export function countsApplicants({ log, facts }: Pick<ImpactOptions, 'log' | 'facts'>): boolean {
  return log !== undefined || facts !== undefined;
}
