/** The options of `verdict diff` that count real applicants. */

import { type Command, InvalidArgumentError, Option, type OptionValues } from 'commander';
import type { Backtest } from '../../lab/backtest/backtest.ts';
import { EXIT_GROUP, type NoOptions, numberReader, type OptionsOf, readDay, requireWith } from './arguments.ts';
import { addTimes } from './filters.ts';
import { addKeys } from './log-place.ts';

/** Which real applicants, and how many of the worst are shown. */
export type ImpactOptions = OptionsOf<typeof addImpact<[], NoOptions>>;

/** How many applicants may be decided differently: a number, or a share of those that are counted. */
export type MostChanged = { readonly applicants: number } | { readonly share: number };

export function addImpact<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  const counted = command
    .optionsGroup('Real applicants:')
    .option('--log <log>', 'count the applicants of this audit log, each as of its own day')
    .addOption(
      new Option(
        '--facts <file>',
        'count the applicants of this file: lines of JSON as for evaluate, .csv or .parquet',
      ).conflicts('log'),
    )
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention')
    .option(
      '--as-if-in-force <day>',
      'count by the rules and list entries that are in force on this day (default: on the day of each applicant)',
      readDay,
    );
  return addTimes(addKeys(counted))
    .option('--by <fact>', 'count them by the values of this fact too, by week or by month')
    .option('--worst <n>', 'the most applicants to show, the worst changes first', worst, 5)
    .addOption(
      new Option(
        '--max-changed <limit>',
        'exit with 1 only if more are decided differently: 1% of the applicants, or a number; goes with --fail-on',
      )
        .argParser(readMostChanged)
        .helpGroup(EXIT_GROUP),
    )
    .optionsGroup('Options:');
}

function readMostChanged(text: string): MostChanged {
  if (/^\d{1,9}$/.test(text)) return { applicants: Number(text) };
  const [, percent] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(text) ?? [];
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100 };
  throw new InvalidArgumentError('Expected a share, such as 1%, or a whole number of applicants.');
}

/** Whether more changed than may; undefined if that depends on applicants who could not be counted. */
export function isTooMuch(limit: MostChanged, backtest: Backtest): boolean | undefined {
  const { decided, changed = 0, undecided } = backtest;
  const most = 'share' in limit ? limit.share * decided : limit.applicants;
  if (changed > most) return true;
  const mostWithOpen = 'share' in limit ? limit.share * (decided + undecided.open) : limit.applicants;
  return changed + undecided.open > mostWithOpen ? undefined : false;
}

const worst = numberReader(/^\d{1,4}$/, () => true, 'a whole number');

/** Throws a usage error for options that do not go together. */
export function checkImpactOptions(options: ImpactOptions): void {
  requireWith(options, ['keys', 'from', 'to'], 'log');
  requireWith(options, ['columns'], 'facts');
  requireWith(options, ['asIfInForce', 'by', 'maxChanged'], 'log', 'facts');
}
