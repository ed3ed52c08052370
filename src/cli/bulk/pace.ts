/** The options of a bulk run -> how many rows are in flight, and the client options that go with them. */

import { CLIENT_DEFAULTS, type VerifyClientOptions } from '../../signals/options.ts';
import { present } from '../options/arguments.ts';
import { type BulkOptions, DEFAULT_CONCURRENCY } from '../options/bulk-options.ts';

/** Under a rate, no more rows in flight than are sent in half a deadline: some may have to be sent again. */
export function concurrencyOf({ concurrency = DEFAULT_CONCURRENCY, rate }: BulkOptions): number {
  const halfDeadline = CLIENT_DEFAULTS.timeoutMs / 2000;
  return rate === undefined ? concurrency : Math.min(concurrency, Math.max(1, Math.floor(rate * halfDeadline)));
}

/** The client options that the command line sets; a profile or the defaults give the others. */
export function pacedClientOptions({
  concurrency = 0,
  rate,
  maxCallsPerDay,
}: BulkOptions): Partial<VerifyClientOptions> {
  return {
    ...(concurrency > CLIENT_DEFAULTS.maxConcurrent ? { maxConcurrent: concurrency } : {}),
    // The run paces first calls; this holds retries to the same rate.
    ...present({ maxPerSecond: rate, maxCallsPerDay }),
  };
}
