/** `verdict backtest`: a policy and applicants of the past -> what it would have done, and to whom. */

import type { Command } from 'commander';
import type { ShownBacktest } from '../../../report/applicants/backtest.ts';
import { reportTampering } from '../../findings.ts';
import { EXIT, type Io, UsageError } from '../../io.ts';
import { requireWith } from '../../options/arguments.ts';
import { checkDays } from '../../options/filters.ts';
import { endWith } from '../../result.ts';
import { addOptions, type BacktestOptions } from './backtest/options.ts';

export function addBacktest(program: Command, io: Io): void {
  addOptions(program.command('backtest')).action((options) => {
    checkOptions(options);
    return reportTampering(io, async () => {
      const shown = await backtest(options, io);
      const { backtestAsData, backtestText } = await import('../../../report/applicants/backtest.ts');
      const { matchesHardly } = await import('../../../report/applicants/labels.ts');
      const { textOf } = await import('../../../report/plain-text.ts');
      const { decided, undecided } = shown.backtest;
      const isWrong = undecided.unreadable > 0 || decided === 0 || (shown.joined && matchesHardly(shown.joined));
      await endWith(io, options, {
        data: () => backtestAsData(shown),
        text: (style) => textOf(backtestText(shown), style),
        page: async () => (await import('../../../report/html/backtest-page.ts')).backtestPage(shown),
        exitCode: isWrong ? EXIT.couldNotRun : EXIT.done,
      });
    });
  });
}

/** Throws a usage error for options without those that they need. */
function checkOptions(options: BacktestOptions): void {
  const { facts, log, engine, url, table, labels, asOf } = options;
  requireWith(options, ['url', 'table', 'timeout'], 'engine');
  requireWith(options, ['columns'], 'facts', 'engine');
  requireWith(options, ['keys'], 'log');
  requireWith(options, ['mature', 'holdout', 'cost'], 'labels');
  if (engine !== undefined && (url === undefined || table === undefined))
    throw new UsageError('expected --url and --table with --engine clickhouse');
  if ((engine ?? facts ?? log) === undefined) throw new UsageError('expected either --facts or --log');
  if (log !== undefined) return;
  checkDays(options);
  if (asOf === 'log') throw new UsageError('--as-of log goes with --log');
  if (labels === 'log') throw new UsageError('--labels log goes with --log');
}

async function backtest(options: BacktestOptions, io: Io): Promise<ShownBacktest> {
  const { countAll } = await import('./backtest/count-backtest.ts');
  const { planOf } = await import('./backtest/read-plan.ts');
  const { titles, ...plan } = await planOf(options, io);
  const [first, ...runs] = await countAll(plan, options, io);
  const { sweep } = options;
  const swept = runs.map(({ backtest }, i) => ({ value: sweep?.values[i] ?? '', backtest }));
  return { ...first, titles, ...(sweep ? { sweep: { of: sweep.of, runs: swept } } : {}) };
}
