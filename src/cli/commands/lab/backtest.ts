/** `verdict backtest`: a policy and applicants of the past -> what it would have done, and to whom. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Costs } from '../../../lab/backtest/label-counts.ts';
import type { SourceName } from '../../../lab/space/source-facts.ts';
import type { ShownBacktest } from '../../../report/applicants/backtest.ts';
import { joinWords } from '../../../text.ts';
import { reportTampering } from '../../findings.ts';
import { addSet } from '../../input/load-policy.ts';
import { EXIT, type Finish, type Io, stylerFor, UsageError, write, writeJson } from '../../io.ts';
import { addFormat, numberReader, readDay, readMany } from '../../options/arguments.ts';
import { addTimes, checkDays } from '../../options/filters.ts';
import { addHtml, type PageOptions, writePageFile } from '../../options/html.ts';
import { addKeys } from '../../options/log-place.ts';
import type { PlanOptions } from './backtest/plan.ts';
import { readSweep } from './backtest/sweep.ts';

interface Options extends PlanOptions, PageOptions {
  readonly format: 'text' | 'json';
}

const SOURCES = ['phone', 'email', 'ip'] as const satisfies readonly SourceName[];

/** Adds the command. */
export function addBacktest(program: Command, io: Io, finish: Finish): void {
  const command = program
    .command('backtest')
    .description('show what a policy would have done to applicants of the past, in numbers')
    .requiredOption('--policy <file>', 'the policy: a file, or a git revision and a file, main:rules/onboarding.yaml')
    .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)");
  addSet(command);
  command
    .optionsGroup('Compared with:')
    .addOption(new Option('--against <file>', 'the policy before'))
    .addOption(
      new Option('--drop <rule...>', 'itself, where the policy has these rules no more; repeatable').argParser(
        readMany,
      ),
    )
    .addOption(
      new Option('--only <rule...>', 'itself, where the policy has these rules alone; repeatable').argParser(readMany),
    )
    .addOption(
      new Option('--drill <source>', 'itself, where this source is down: its facts are missing').choices(SOURCES),
    )
    .addOption(
      new Option(
        '--sweep <what=from..to/step>',
        'itself, with each value of a parameter, score.review, score.reject or rule:fact, such as riskyScore=60..95/5',
      ).argParser(readSweep),
    )
    .option(
      '--as-of <dir>',
      'what decided then: log for the policies that its records name, or a folder of policies by their first days',
    )
    .optionsGroup('Applicants:')
    .option(
      '--facts <file...>',
      'those of these files or patterns: lines of JSON as for evaluate, .csv or .parquet; repeatable',
      readMany,
    )
    .option('--log <log>', 'those of this audit log, each as of its own day')
    .addOption(
      new Option('--engine <engine>', 'those of a table of this database, which counts them by the exported SELECT')
        .choices(['clickhouse'])
        .conflicts(NOT_BY_SQL),
    )
    .option('--url <url>', 'its HTTP interface, such as https://clickhouse.bank.example:8443')
    .option('--table <name>', 'its table, perhaps with the database: lake.applicants')
    .addOption(
      new Option('--timeout <seconds>', 'give up a query of it after this time (default: 600)').argParser(seconds),
    )
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention')
    .option('--at <day>', 'the day of rows without one (default: today)', readDay);
  addTimes(addKeys(command));
  command
    .option('--by <facts>', 'count them by these facts too, by week or by month, with commas between them', readNames)
    .addOption(new Option('--worst <n>', 'the most changed applicants to show').argParser(worst).default(5))
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
    .addOption(
      new Option(
        '--cost <what=amount,...>',
        'what one costs of review, accepted-fraud and rejected-good: review=4,accepted-fraud=900,rejected-good=60',
      ).argParser(readCosts),
    )
    .optionsGroup('Options:');
  addFormat(addHtml(command), ['text', 'json']).action(async (options: Options) => {
    checkOptions(options);
    await reportTampering(io, finish, async () => {
      const shown = await backtest(options, io);
      const { backtestAsData, backtestText } = await import('../../../report/applicants/backtest.ts');
      const { matchesHardly } = await import('../../../report/applicants/labels.ts');
      const { textOf } = await import('../../../report/plain-text.ts');
      if (options.format === 'json') await writeJson(io.stdout, backtestAsData(shown));
      else await write(io.stdout, textOf(backtestText(shown), stylerFor(io.stdout, io.env)));
      if (options.html !== undefined) {
        const { backtestPage } = await import('../../../report/html/backtest-page.ts');
        writePageFile(options.html, backtestPage(shown));
      }
      const { decided, undecided } = shown.backtest;
      const isWrong = undecided.unreadable > 0 || decided === 0 || (shown.joined && matchesHardly(shown.joined));
      finish(isWrong ? EXIT.couldNotRun : EXIT.done);
    });
  });
}

/** The options that need each row, or a log. */
const NOT_BY_SQL = ['facts', 'log', 'keys', 'drill', 'asOf', 'worst', 'labels', 'label', 'mature', 'holdout', 'cost'];

/** Throws a usage error for options that do not go together. */
function checkOptions({ facts, log, labels, mature, columns, keys, asOf, engine, ...options }: Options): void {
  const { url, table, timeout } = options;
  if (engine === undefined && (url ?? table ?? timeout) !== undefined)
    throw new UsageError('--url, --table and --timeout go with --engine clickhouse');
  if (engine !== undefined && (url === undefined || table === undefined))
    throw new UsageError('expected --url and --table with --engine clickhouse');
  if (!engine && (facts === undefined) === (log === undefined))
    throw new UsageError('expected either --facts or --log');
  const kinds = (['drop', 'only', 'drill', 'sweep'] as const).filter((name) => options[name]);
  const [one, other] = [...kinds, ...(asOf === undefined ? [] : ['as-of'])];
  if (other !== undefined) throw new UsageError(`--${one} and --${other} exclude each other`);
  if (options.against !== undefined && one !== undefined && (labels === undefined || asOf !== undefined)) {
    const but = asOf === undefined ? '; with --labels, --against says what was decided then' : '';
    throw new UsageError(`--against and --${one} exclude each other${but}`);
  }
  if (columns !== undefined && !facts && !engine) throw new UsageError('--columns goes with --facts');
  if (log === undefined) checkDays(options);
  if (keys !== undefined && log === undefined) throw new UsageError('--keys goes with --log');
  if (asOf === 'log' && log === undefined) throw new UsageError('--as-of log goes with --log');
  if (labels === 'log' && log === undefined) throw new UsageError('--labels log goes with --log');
  if (mature !== undefined && labels === undefined) throw new UsageError('--mature goes with --labels');
  if (options.holdout !== undefined && labels === undefined) throw new UsageError('--holdout goes with --labels');
  if (options.cost !== undefined && labels === undefined) throw new UsageError('--cost goes with --labels');
}

async function backtest(options: Options, io: Io): Promise<ShownBacktest> {
  const { countAll } = await import('./backtest/count-backtest.ts');
  const { planOf } = await import('./backtest/read-plan.ts');
  const { titles, ...plan } = await planOf(options, io);
  const [first, ...runs] = await countAll(plan, options, io);
  const { sweep } = options;
  const swept = runs.map(({ backtest }, i) => ({ value: sweep?.values[i] ?? '', backtest }));
  return { ...first, titles, ...(sweep ? { sweep: { of: sweep.of, runs: swept } } : {}) };
}

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
