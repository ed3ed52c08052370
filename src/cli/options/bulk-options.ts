/** The options of `verdict decide --file`, and which of them go together. */

import { type Command, Option, type OptionValues } from 'commander';
import { UsageError } from '../io.ts';
import { type NoOptions, numberReader, type OptionsOf, readMany, requireWith } from './arguments.ts';

export type BulkOptions = OptionsOf<typeof addBulkOptions<[], NoOptions>>;

/** Calls in flight: enough for a hundred answers per second of 100 ms each, and no burden for a service. */
export const DEFAULT_CONCURRENCY = 10;

const MAX_CONCURRENCY = 10_000;

const readConcurrency = numberReader(
  /^\d+$/,
  (n) => n >= 1 && n <= MAX_CONCURRENCY,
  `a whole number from 1 to ${MAX_CONCURRENCY}`,
);
const readCalls = numberReader(/^\d+$/, (n) => n >= 1 && Number.isSafeInteger(n), 'a whole number above 0');
const readRate = numberReader(/^\d+(\.\d+)?$/, (n) => n > 0 && n <= 1_000_000, 'a number above 0');

/** The options of one applicant. */
const OF_ONE = ['phone', 'email', 'ip', 'reference', 'explain', 'html', 'withFacts'];

export function addBulkOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .optionsGroup('Many applicants:')
    .addOption(
      new Option('--file <file>', 'decide on every row of a CSV or NDJSON file; - for standard input').conflicts(
        OF_ONE,
      ),
    )
    .addOption(
      new Option('--input <format>', 'the format of the file, if its name does not say it').choices(['csv', 'ndjson']),
    )
    .option('--out <file>', 'write the decisions to this file; the same command resumes an interrupted run')
    .option('--concurrency <n>', `decisions in flight at once (default: ${DEFAULT_CONCURRENCY})`, readConcurrency)
    .option('--rate <n>', 'calls per second at most (default: no limit)', readRate)
    .option('--max-calls-per-day <n>', 'calls a day (UTC) that may be billed; then the run ends', readCalls)
    .option('--ignore <column>', 'a column or key of the file to skip; repeatable', readMany)
    .option('--resend', 'send rows again that an earlier run began and did not record')
    .option('--take-over', 'proceed although a run on another machine has not recorded its end')
    .option('--other-policy', 'proceed although earlier rows were decided by another policy or mapping')
    .optionsGroup('Options:');
}

/** Throws `UsageError` for options that do not go together. */
export function checkBulkOptions(options: BulkOptions): void {
  requireWith(options, ['input', 'out', 'concurrency', 'rate', 'maxCallsPerDay', 'ignore'], 'file');
  requireWith(options, ['resend', 'takeOver', 'otherPolicy'], options.file === undefined ? 'file' : 'out');
  if (options.file !== undefined) formatOf(options);
}

export function formatOf({ file = '-', input }: BulkOptions): 'csv' | 'ndjson' {
  if (input !== undefined) return input;
  if (file === '-' || /\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.(csv|tsv)$/i.test(file)) return 'csv';
  throw new UsageError(`the name of the file does not say whether it is CSV or NDJSON: add --input`);
}
