/** The options of `verdict backtest`, and what each excludes. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Costs } from '../../../../lab/backtest/label-counts.ts';
import type { SourceName } from '../../../../lab/space/source-facts.ts';
import { joinWords } from '../../../../text.ts';
import { addSet } from '../../../input/load-policy.ts';
import { addJson, numberReader, type OptionsOf, readDay, readMany } from '../../../options/arguments.ts';
import { addTimes } from '../../../options/filters.ts';
import { addHtml } from '../../../options/html.ts';
import { addKeys } from '../../../options/log-place.ts';
import { readSweep } from './sweep.ts';

const SOURCES = ['phone', 'email', 'ip'] as const satisfies readonly SourceName[];

/** The policy, what it is compared with, and whose applicants are counted. */
export type BacktestOptions = OptionsOf<typeof addOptions>;

export function addOptions(backtest: Command) {
  const policies = backtest
    .description('show what a policy would have done to applicants of the past, in numbers')
    .requiredOption('--policy <file>', 'the policy: a file, or a git revision and a file, main:rules/onboarding.yaml')
    .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)");
  const applicants = addSet(policies)
    .optionsGroup('Compared with:')
    .option('--against <file>', 'the policy before')
    .option('--drop <rule...>', 'itself, where the policy has these rules no more; repeatable', readMany)
    .addOption(
      new Option('--only <rule...>', 'itself, where the policy has these rules alone; repeatable')
        .argParser(readMany)
        .conflicts('drop'),
    )
    .addOption(
      new Option('--drill <source>', 'itself, where this source is down: its facts are missing')
        .choices(SOURCES)
        .conflicts(['drop', 'only']),
    )
    .addOption(
      new Option(
        '--sweep <what=from..to/step>',
        'itself, with each value of a parameter, score.review, score.reject or rule:fact, such as riskyScore=60..95/5',
      )
        .argParser(readSweep)
        .conflicts(['drop', 'only', 'drill']),
    )
    .addOption(
      new Option(
        '--as-of <dir>',
        'what decided then: log for the policies that its records name, or a folder of policies by their first days',
      ).conflicts(['against', 'drop', 'only', 'drill', 'sweep']),
    )
    .optionsGroup('Applicants:')
    .option(
      '--facts <file...>',
      'those of these files or patterns: lines of JSON as for evaluate, .csv or .parquet; repeatable',
      readMany,
    )
    .addOption(new Option('--log <log>', 'those of this audit log, each as of its own day').conflicts('facts'))
    .addOption(
      new Option('--engine <engine>', 'those of a table of this database, which counts them by the exported SELECT')
        .choices(['clickhouse'])
        .conflicts(NOT_BY_SQL),
    )
    .option('--url <url>', 'its HTTP interface, such as https://clickhouse.bank.example:8443')
    .option('--table <name>', 'its table, perhaps with the database: lake.applicants')
    .option('--timeout <seconds>', 'give up a query of it after this time (default: 600)', seconds)
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention')
    .option('--at <day>', 'the day of rows without one (default: today)', readDay);
  const labelled = addTimes(addKeys(applicants))
    .option('--by <facts>', 'count them by these facts too, by week or by month, with commas between them', readNames)
    .option('--worst <n>', 'the most changed applicants to show', worst, 5)
    .optionsGroup('Labels:')
    .option(
      '--labels <file>',
      'a CSV file with the column reference or decision, and optionally label and at; log for the notes of the log',
    )
    .option('--label <name>', 'the label that means fraud', 'fraud')
    .option(
      '--mature <days>',
      'so long after a decision, somebody without a label counts as good: "60 days"',
      readMature,
    )
    .option(
      '--holdout <column>',
      'the column with the probability with which somebody who was rejected was let in, above 0 to 1; ' +
        'for lines of JSON, the key of "decision" or "facts", for a log the fact',
    )
    .option(
      '--cost <what=amount,...>',
      'what one costs of review, accepted-fraud and rejected-good: review=4,accepted-fraud=900,rejected-good=60',
      readCosts,
    )
    .optionsGroup('Options:');
  return addJson(addHtml(labelled));
}

/** The options that need each row, or a log. */
const NOT_BY_SQL = ['facts', 'log', 'keys', 'drill', 'asOf', 'worst', 'labels', 'label', 'mature', 'holdout', 'cost'];

function readMature(text: string): number {
  const [, days] = /^(\d{1,4}) days?$/.exec(text) ?? [];
  if (days === undefined) throw new InvalidArgumentError('Expected a number of days, such as "60 days".');
  return Number(days);
}

/** Of `review=4,accepted-fraud=900`; what is not named costs nothing. */
function readCosts(text: string): Costs {
  const given = new Map<string, number>();
  for (const part of readNames(text)) {
    const [, what = '', amount = ''] = /^([a-z-]+)=(\d{1,12}(?:\.\d{1,4})?)$/.exec(part) ?? [];
    if (!COSTS.includes(what) || given.has(what)) {
      const [example] = ['review=4,accepted-fraud=900,rejected-good=60'];
      throw new InvalidArgumentError(`Expected amounts of ${joinWords(COSTS)}, once each, such as ${example}.`);
    }
    given.set(what, Number(amount));
  }
  const [review = 0, acceptedFraud = 0, rejectedGood = 0] = COSTS.map((what) => given.get(what));
  return { review, acceptedFraud, rejectedGood };
}

const COSTS = ['review', 'accepted-fraud', 'rejected-good'];

function readNames(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

const seconds = numberReader(/^[1-9]\d{0,4}$/, () => true, 'whole seconds, from 1');
const worst = numberReader(/^\d{1,4}$/, () => true, 'a whole number');
