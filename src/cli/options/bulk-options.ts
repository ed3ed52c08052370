/** The options of `verdict decide --file`, and which of them go together. */

import { type Command, Option } from 'commander';
import { UsageError } from '../io.ts';
import { numberReader, readMany } from './arguments.ts';

export interface BulkOptions {
  readonly file?: string;
  readonly input?: 'csv' | 'ndjson';
  readonly out?: string;
  readonly concurrency?: number;
  readonly rate?: number;
  readonly maxCallsPerDay?: number;
  readonly ignore?: readonly string[];
  readonly resend?: boolean;
  readonly takeOver?: boolean;
  readonly otherPolicy?: boolean;
}

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

const ONLY_WITH_FILE = [
  ...['input', 'out', 'concurrency', 'rate', 'maxCallsPerDay', 'ignore', 'resend', 'takeOver', 'otherPolicy'],
] as const;

/** The options that need a journal. */
const ONLY_WITH_OUT = ['resend', 'takeOver', 'otherPolicy'] as const;

const FLAGS: Readonly<Partial<Record<string, string>>> = {
  takeOver: '--take-over',
  otherPolicy: '--other-policy',
  maxCallsPerDay: '--max-calls-per-day',
  withFacts: '--with-facts',
};

export function addBulkOptions(command: Command): Command {
  return command
    .optionsGroup('Many applicants:')
    .option('--file <file>', 'decide on every row of a CSV or NDJSON file; - for standard input')
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
export function checkBulkOptions(options: BulkOptions, others: Readonly<Record<string, unknown>>): void {
  if (options.file === undefined) {
    const misplaced = ONLY_WITH_FILE.find((name) => options[name] !== undefined);
    if (misplaced !== undefined) {
      throw new UsageError(`${FLAGS[misplaced] ?? `--${misplaced}`} goes with --file`);
    }
    return;
  }
  const single = ['phone', 'email', 'ip', 'reference', 'explain', 'html', 'withFacts'].find(
    (name) => others[name] !== undefined,
  );
  if (single !== undefined)
    throw new UsageError(`${FLAGS[single] ?? `--${single}`} is for one applicant, and --file for many`);
  const stateless = ONLY_WITH_OUT.find((name) => options.out === undefined && options[name]);
  if (stateless !== undefined) {
    throw new UsageError(`${FLAGS[stateless] ?? `--${stateless}`} goes with --out: without it, no state is kept`);
  }
  formatOf(options);
}

export function formatOf({ file = '-', input }: BulkOptions): 'csv' | 'ndjson' {
  if (input !== undefined) return input;
  if (file === '-' || /\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.(csv|tsv)$/i.test(file)) return 'csv';
  throw new UsageError(`the name of the file does not say whether it is CSV or NDJSON: add --input`);
}
