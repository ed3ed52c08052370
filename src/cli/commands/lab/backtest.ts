/** `verdict backtest`: a policy and applicants of the past -> what it would have done, and to whom. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { BacktestOptions } from '../../../lab/backtest/backtest.ts';
import type { LabelJoin } from '../../../lab/backtest/labels.ts';
import type { SourceName } from '../../../lab/space/source-facts.ts';
import type { Policy } from '../../../policy/language.ts';
import type { ShownBacktest } from '../../../report/applicants/backtest.ts';
import { didYouMean } from '../../../text.ts';
import { reportTampering } from '../../findings.ts';
import { addSet, loadPolicyFiles, type PolicyFiles, versionOf } from '../../input/load-policy.ts';
import { EXIT, type Finish, type Io, orCannotRun, stylerFor, UsageError, write, writeJson } from '../../io.ts';
import { addFormat, numberReader, readDay, readMany, today } from '../../options/arguments.ts';
import { addTimes } from '../../options/filters.ts';
import { addHtml, type PageOptions, writePageFile } from '../../options/html.ts';
import { addKeys, type KeysOptions, logPlaceOf } from '../../options/log-place.ts';

interface Options extends PolicyFiles, KeysOptions, PageOptions {
  readonly against?: string;
  readonly drop?: readonly string[];
  readonly only?: readonly string[];
  readonly drill?: SourceName;
  readonly sweep?: Values;
  readonly facts?: readonly string[];
  readonly log?: string;
  readonly columns?: string;
  readonly from?: string;
  readonly to?: string;
  readonly at?: string;
  readonly by?: readonly string[];
  readonly labels?: string;
  readonly label: string;
  readonly mature?: number;
  readonly holdout?: string;
  readonly worst: number;
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
        '--sweep <parameter=from..to/step>',
        'itself, with each value of a parameter, such as riskyScore=60..95/5',
      ).argParser(readSweep),
    )
    .optionsGroup('Applicants:')
    .option(
      '--facts <file...>',
      'those of these files: lines of JSON as for evaluate, .csv or .parquet; repeatable',
      readMany,
    )
    .option('--log <dir>', 'those of this audit log, each as of its own day')
    .option('--columns <file>', 'a YAML file that names the columns of facts outside the convention')
    .option('--at <day>', 'the day of rows without one (default: today, UTC)', readDay);
  addTimes(addKeys(command));
  command
    .option('--by <facts>', 'count them by these facts too, by week or by month, with commas between them', readNames)
    .addOption(new Option('--worst <n>', 'the most changed applicants to show').argParser(worst).default(5))
    .optionsGroup('Labels:')
    .option('--labels <file>', 'a CSV file with the columns reference, and label and at if it likes; log for the notes')
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

/** Throws a usage error for options that do not go together. */
function checkOptions({ facts, log, labels, mature, columns, keys, ...options }: Options): void {
  if ((facts === undefined) === (log === undefined)) throw new UsageError('expected either --facts or --log');
  const compared = (['against', 'drop', 'only', 'drill', 'sweep'] as const).filter((name) => options[name]);
  if (compared.length > 1) throw new UsageError(`--${compared[0]} and --${compared[1]} exclude each other`);
  if (columns !== undefined && !facts) throw new UsageError('--columns goes with --facts');
  if (keys !== undefined && log === undefined) throw new UsageError('--keys goes with --log');
  if (labels === 'log' && log === undefined) throw new UsageError('--labels log goes with --log');
  if (mature !== undefined && labels === undefined) throw new UsageError('--mature goes with --labels');
  if (options.holdout !== undefined && labels === undefined) throw new UsageError('--holdout goes with --labels');
}

async function backtest(options: Options, io: Io): Promise<ShownBacktest> {
  const { against, drop, only, drill, sweep, set } = options;
  const load = (policy: string, own: PolicyFiles['set'] = {}) =>
    orCannotRun(() => loadPolicyFiles({ ...options, ...versionOf(policy), set: { ...set, ...own } }));
  const policy = await load(options.policy);
  const named = `${policy.name} ${policy.version}`;
  if (sweep) {
    const runs = [];
    for (const value of sweep.values) {
      const changed = await load(options.policy, { [sweep.parameter]: value });
      runs.push({ value, ...(await run([policy, changed], {}, true, options, io)) });
    }
    const first = await run([policy, policy], {}, false, options, io);
    return { ...first, titles: ['now', named], sweep: { parameter: sweep.parameter, runs } };
  }
  if (against !== undefined) {
    const old = await load(against);
    return { ...(await run([old, policy], {}, true, options, io)), titles: [`${old.name} ${old.version}`, named] };
  }
  for (const rule of [...(drop ?? []), ...(only ?? [])]) checkRule(rule, policy);
  const { withRules } = await import('../../../lab/backtest/backtest.ts');
  const changed = withRules(policy, (rule) => !drop?.includes(rule) && (only?.includes(rule) ?? true));
  const isChanged = Boolean(drop ?? only ?? drill);
  const what = drill === undefined ? `${named}, changed` : `${named}, ${drill} down`;
  const shown = await run([policy, changed], { down: drill }, isChanged, options, io);
  return { ...shown, titles: isChanged ? [named, what] : ['now', named] };
}

/** Counts the applicants once. */
async function run(
  policies: readonly [old: Policy, now: Policy],
  change: Pick<BacktestOptions, 'down'>,
  compares: boolean,
  options: Options,
  io: Io,
): Promise<Pick<ShownBacktest, 'backtest' | 'joined'>> {
  const { BacktestTally } = await import('../../../lab/backtest/backtest.ts');
  const { joinFacts } = await import('../../../lab/impact/impact.ts');
  const { addApplicants, checkBy, withFacts } = await import('./measure-impact.ts');
  const { facts: files = [], log, ...others } = options;
  const { by = [], worst: most, at = today(), holdout } = others;
  const joint = joinFacts(...policies);
  for (const each of by) if (each !== 'week' && each !== 'month') checkBy(each, joint, '--by');
  if (holdout !== undefined) {
    checkBy(holdout, joint, '--holdout');
    const { type = '' } = joint.facts.get(holdout) ?? {};
    if (type !== 'number') throw new UsageError(`--holdout: ${holdout} is of the type ${type}; expected a number`);
  }
  const join = await openLabels(options, io);
  const given: BacktestOptions = {
    ...{ ...change, by, worst: most, compares, ...(holdout === undefined ? {} : { holdout }) },
    ...(join ? { labelOf: (applicant, before) => join.labelOf(applicant, before) } : {}),
  };
  const tally = new BacktestTally(policies, joint, given);
  const read = { ...others, at };
  const asked = withFacts([...by, ...(holdout === undefined ? [] : [holdout])], joint);
  if (log !== undefined) await addApplicants(tally, asked, { ...read, log }, io);
  for (const facts of files) await addApplicants(tally, asked, { ...read, facts }, io);
  return { backtest: tally.result(), ...(join ? { joined: join.result() } : {}) };
}

async function openLabels(options: Options, io: Io): Promise<LabelJoin | undefined> {
  const { labels: file, label, mature: matureDays = 0, log } = options;
  if (file === undefined) return undefined;
  const { LabelJoin: Join, readLabels, readNotedLabels } = await import('../../../lab/backtest/labels.ts');
  const isLog = file === 'log' && log !== undefined;
  const labels = await orCannotRun(async () =>
    isLog ? readNotedLabels(logPlaceOf(log, options, io).dir) : readLabels(file, label),
  );
  const days = [...labels.labels.values()].flatMap(({ at }) => at ?? []);
  // A file of labels may be old; without days it counts as of today.
  const asOf = isLog || days.length === 0 ? today() : (days.toSorted().at(-1) ?? today());
  return new Join(labels, { asOf, matureDays });
}

function checkRule(rule: string, { rules }: Policy): void {
  const ids = rules.map(({ id }) => id);
  if (ids.includes(rule)) return;
  const { hint } = didYouMean(rule, ids);
  throw new UsageError(`the policy has no rule ${rule}${hint === undefined ? '' : `; ${hint}`}`);
}

/** The values of a parameter. */
interface Values {
  readonly parameter: string;
  readonly values: readonly string[];
}

/** More values than these take long, and nobody compares them. */
const MOST_VALUES = 200;

function readSweep(text: string): Values {
  const [, parameter = '', from, to, step] =
    /^([A-Za-z]\w*)=(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const [least, most, by] = [Number(from), Number(to), Number(step)];
  const count = Math.floor((most - least) / by + 1e-9) + 1;
  const expected = 'Expected a parameter and its values, such as riskyScore=60..95/5: from 60 to 95 in steps of 5.';
  if (!(by > 0 && count >= 1)) throw new InvalidArgumentError(expected);
  if (count > MOST_VALUES)
    throw new InvalidArgumentError(`Those are ${count} values; at most ${MOST_VALUES} are tried.`);
  const digits = Math.max(...[from, step].map((each) => each?.split('.')[1]?.length ?? 0));
  return { parameter, values: Array.from({ length: count }, (_, i) => (least + i * by).toFixed(digits)) };
}

function readMature(text: string): number {
  const [, days] = /^(\d{1,4}) days?$/.exec(text) ?? [];
  if (days === undefined) throw new InvalidArgumentError('Expected a number of days, such as "60 days".');
  return Number(days);
}

function readNames(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

const worst = numberReader(/^\d{1,4}$/, () => true, 'a whole number');
