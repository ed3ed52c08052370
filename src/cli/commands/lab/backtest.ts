/** `verdict backtest`: a policy and applicants of the past -> what it would have done, and to whom. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SourceName } from '../../../lab/space/source-facts.ts';
import type { Policy } from '../../../policy/language.ts';
import type { ShownBacktest } from '../../../report/applicants/backtest.ts';
import { didYouMean } from '../../../text.ts';
import { reportTampering } from '../../findings.ts';
import { addSet, loadPolicyFiles, type PolicyFiles, versionOf } from '../../input/load-policy.ts';
import { EXIT, type Finish, type Io, orCannotRun, stylerFor, UsageError, write, writeJson } from '../../io.ts';
import { addFormat, numberReader, readDay, readMany } from '../../options/arguments.ts';
import { addTimes, checkDays } from '../../options/filters.ts';
import { addHtml, type PageOptions, writePageFile } from '../../options/html.ts';
import { addKeys } from '../../options/log-place.ts';
import type { Comparison, CountOptions, Plan } from './backtest/count-backtest.ts';
import { readSweep, sweepPlan, type Values } from './backtest/sweep.ts';

interface Options extends PolicyFiles, PageOptions, CountOptions {
  readonly against?: string;
  readonly drop?: readonly string[];
  readonly only?: readonly string[];
  readonly drill?: SourceName;
  readonly sweep?: Values;
  readonly asOf?: string;
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
    .option('--log <dir>', 'those of this audit log, each as of its own day')
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
    .option('--holdout <fact>', 'the fact with the probability with which somebody who is rejected was let in, 0 to 1')
    .optionsGroup('Options:');
  addFormat(addHtml(command), ['text', 'json']).action(async (options: Options) => {
    checkOptions(options);
    await reportTampering(io, finish, async () => {
      const shown = await backtest(options, io);
      const { backtestAsData, backtestText } = await import('../../../report/applicants/backtest.ts');
      const { textOf } = await import('../../../report/plain-text.ts');
      if (options.format === 'json') await writeJson(io.stdout, backtestAsData(shown));
      else await write(io.stdout, textOf(backtestText(shown), stylerFor(io.stdout, io.env)));
      if (options.html !== undefined) {
        const { backtestPage } = await import('../../../report/html/backtest-page.ts');
        writePageFile(options.html, backtestPage(shown));
      }
      const { unreadable } = shown.backtest.undecided;
      finish(unreadable > 0 || shown.backtest.decided === 0 ? EXIT.couldNotRun : EXIT.done);
    });
  });
}

/** The options that need each row, or a log. */
const NOT_BY_SQL = ['facts', 'log', 'keys', 'drill', 'asOf', 'worst', 'labels', 'label', 'mature', 'holdout'];

/** Throws a usage error for options that do not go together. */
function checkOptions({ facts, log, labels, mature, columns, keys, asOf, engine, ...options }: Options): void {
  const { url, table, timeout } = options;
  if (engine === undefined && (url ?? table ?? timeout) !== undefined)
    throw new UsageError('--url, --table and --timeout go with --engine clickhouse');
  if (engine !== undefined && (url === undefined || table === undefined))
    throw new UsageError('expected --url and --table with --engine clickhouse');
  if (!engine && (facts === undefined) === (log === undefined))
    throw new UsageError('expected either --facts or --log');
  const kinds = (['against', 'drop', 'only', 'drill', 'sweep'] as const).filter((name) => options[name]);
  const compared = [...kinds, ...(asOf === undefined ? [] : ['as-of'])];
  if (compared.length > 1) throw new UsageError(`--${compared[0]} and --${compared[1]} exclude each other`);
  if (columns !== undefined && !facts && !engine) throw new UsageError('--columns goes with --facts');
  if (log === undefined) checkDays(options);
  if (keys !== undefined && log === undefined) throw new UsageError('--keys goes with --log');
  if (asOf === 'log' && log === undefined) throw new UsageError('--as-of log goes with --log');
  if (labels === 'log' && log === undefined) throw new UsageError('--labels log goes with --log');
  if (mature !== undefined && labels === undefined) throw new UsageError('--mature goes with --labels');
  if (options.holdout !== undefined && labels === undefined) throw new UsageError('--holdout goes with --labels');
}

async function backtest(options: Options, io: Io): Promise<ShownBacktest> {
  const { countAll } = await import('./backtest/count-backtest.ts');
  const { titles, ...plan } = await planOf(options, io);
  const [first, ...runs] = await countAll(plan, options, io);
  const { sweep } = options;
  const swept = runs.map(({ backtest }, i) => ({ value: sweep?.values[i] ?? '', backtest }));
  return { ...first, titles, ...(sweep ? { sweep: { of: sweep.of, runs: swept } } : {}) };
}

async function planOf(options: Options, io: Io): Promise<Plan & Pick<ShownBacktest, 'titles'>> {
  const { against, asOf, drop, only, drill, sweep, set, engine } = options;
  const load = (policy: string, own: PolicyFiles['set'] = {}) =>
    orCannotRun(() => loadPolicyFiles({ ...options, ...versionOf(policy), set: { ...set, ...own } }));
  const policy = await load(options.policy);
  const named = `${policy.name} ${policy.version}`;
  if (sweep) {
    const plan = await sweepPlan(policy, sweep, options.mapping, (own) => load(options.policy, own));
    return { ...plan, titles: ['now', named] };
  }
  if (asOf !== undefined) {
    const { planAsOf } = await import('./backtest/as-of.ts');
    return { ...(await planAsOf(asOf, policy, options, io)), titles: ['policies of then', named] };
  }
  const { joinFacts } = await import('../../../lab/backtest/joint-facts.ts');
  const compare = (policies: Comparison['policies'], compares: boolean): Plan => {
    return { comparisons: [{ policies, joint: joinFacts(...policies), compares, down: drill }] };
  };
  if (against !== undefined) {
    const old = await load(against);
    const titles = [`${old.name} ${old.version}`, named] as const;
    const { countEdits } = await import('../../../lab/backtest/edit-effects.ts');
    // A database decides by two policies alone.
    const edits = engine === undefined ? countEdits([old, policy]) : undefined;
    if (!edits) return { ...compare([old, policy], true), titles };
    return { comparisons: [{ policies: [old, policy], joint: edits.joint, compares: true, edits }], titles };
  }
  for (const rule of [...(drop ?? []), ...(only ?? [])]) checkRule(rule, policy);
  const { withRules } = await import('../../../lab/backtest/backtest.ts');
  const changed = withRules(policy, (rule) => !drop?.includes(rule) && (only?.includes(rule) ?? true));
  const isChanged = Boolean(drop ?? only ?? drill);
  const what = drill === undefined ? `${named}, changed` : `${named}, ${drill} down`;
  return { ...compare([policy, changed], isChanged), titles: isChanged ? [named, what] : ['now', named] };
}

function checkRule(rule: string, { rules }: Policy): void {
  const ids = rules.map(({ id }) => id);
  if (ids.includes(rule)) return;
  const { hint } = didYouMean(rule, ids);
  throw new UsageError(`the policy has no rule ${rule}${hint === undefined ? '' : `; ${hint}`}`);
}

function readMature(text: string): number {
  const [, days] = /^(\d{1,4}) days?$/.exec(text) ?? [];
  if (days === undefined) throw new InvalidArgumentError('Expected a number of days, such as "60 days".');
  return Number(days);
}

function readNames(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

const seconds = numberReader(/^[1-9]\d{0,4}$/, () => true, 'whole seconds, from 1');
const worst = numberReader(/^\d{1,4}$/, () => true, 'a whole number');
