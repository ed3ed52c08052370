/** The options of `verdict decide --file`: added to the command, checked with each other. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { CLIENT_DEFAULTS, type VerifyClientOptions } from '../../signals/options.ts';
import { UsageError } from '../io.ts';
import { readMany } from './arguments.ts';

/** The options that are for many applicants. */
export interface BulkOptions {
  readonly file?: string;
  readonly input?: 'csv' | 'ndjson';
  readonly out?: string;
  readonly concurrency?: number;
  readonly rate?: number;
  readonly ignore?: readonly string[];
  readonly resend?: boolean;
  readonly takeOver?: boolean;
}

/** Calls in flight: enough for hundreds a second of answers that take a tenth of one, and no burden for a service. */
const DEFAULT_CONCURRENCY = 10;

const MAX_CONCURRENCY = 10_000;

/** What a client lets fly by itself. */
const CLIENT_CONCURRENCY = CLIENT_DEFAULTS.maxConcurrent;

/** The options by their names, as the usage error for those without `--file` has them. */
const ONLY_WITH_FILE = {
  input: '--input',
  out: '--out',
  concurrency: '--concurrency',
  rate: '--rate',
  ignore: '--ignore',
  resend: '--resend',
  takeOver: '--take-over',
} as const satisfies Partial<Record<keyof BulkOptions, string>>;

/** Adds the options. */
export function addBulkOptions(command: Command): Command {
  return command
    .option('--file <file>', 'decide on every row of a CSV or NDJSON file; - for standard input')
    .addOption(
      new Option('--input <format>', 'what the file is, where its name does not tell').choices(['csv', 'ndjson']),
    )
    .option('--out <file>', 'where the decisions go; run again with it, it goes on where it was')
    .option('--concurrency <n>', `decisions in flight at once (default: ${DEFAULT_CONCURRENCY})`, readConcurrency)
    .option('--rate <n>', 'calls a second at most (default: any number)', readRate)
    .option('--ignore <column>', 'a column or key of the file to pass over; may be given again', readMany)
    .option('--resend', 'send again what an earlier run began and did not record')
    .option('--take-over', 'go on though a run on another machine has not said that it ended');
}

/** Throws `UsageError` for options that say nothing together. */
export function checkBulkOptions(options: BulkOptions, others: Readonly<Record<string, unknown>>): void {
  if (options.file === undefined) {
    const lonely = (Object.keys(ONLY_WITH_FILE) as (keyof typeof ONLY_WITH_FILE)[]).find(
      (name) => options[name] !== undefined,
    );
    if (lonely !== undefined) throw new UsageError(`${ONLY_WITH_FILE[lonely]} goes with --file`);
    return;
  }
  const single = ['phone', 'email', 'ip', 'reference', 'explain', 'html'].find((name) => others[name] !== undefined);
  if (single !== undefined) throw new UsageError(`--${single} is for one applicant; with --file there are many`);
  if (options.out === undefined && (options.resend || options.takeOver)) {
    throw new UsageError(`${options.resend ? '--resend' : '--take-over'} goes with --out: without it nothing is kept`);
  }
  formatOf(options);
}

/** What the file is. */
export function formatOf({ file = '-', input }: BulkOptions): 'csv' | 'ndjson' {
  if (input !== undefined) return input;
  if (file === '-' || /\.(ndjson|jsonl)$/i.test(file)) return 'ndjson';
  if (/\.(csv|tsv)$/i.test(file)) return 'csv';
  throw new UsageError(`is the file CSV or NDJSON? Its name does not tell: give --input`);
}

/** How many rows may be in flight: under a rate no more than are sent in half a deadline, since some may have to be sent again. */
export function concurrencyOf({ concurrency = DEFAULT_CONCURRENCY, rate }: BulkOptions): number {
  const halfDeadline = CLIENT_DEFAULTS.timeoutMs / 2000;
  return rate === undefined ? concurrency : Math.min(concurrency, Math.max(1, Math.floor(rate * halfDeadline)));
}

/** What the options say of the client: where they say nothing, a profile may, and its defaults hold. */
export function clientOptionsOf({ concurrency = 0, rate }: BulkOptions): Partial<VerifyClientOptions> {
  return {
    ...(concurrency > CLIENT_CONCURRENCY ? { maxConcurrent: concurrency } : {}),
    // The turns of the run pace first calls; this holds calls that are sent again to the same rate.
    ...(rate === undefined ? {} : { maxPerSecond: rate }),
  };
}

function readConcurrency(text: string): number {
  const n = Number(text);
  if (/^\d+$/.test(text) && n >= 1 && n <= MAX_CONCURRENCY) return n;
  throw new InvalidArgumentError(`A whole number from 1 to ${MAX_CONCURRENCY} was expected.`);
}

function readRate(text: string): number {
  const n = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && n > 0 && n <= 1_000_000) return n;
  throw new InvalidArgumentError('A number above 0 was expected.');
}
