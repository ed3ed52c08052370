/** `verdict decide --file`: a file of applicants -> their decisions, a summary and an exit code. */

import { stat } from 'node:fs/promises';
import type { Decider } from '../../decision/decide.ts';
import type { Context } from '../../decision/fetch/context-facts.ts';
import type { ErrorCode } from '../../errors.ts';
import type { FactTable } from '../../facts/catalog.ts';
import type { VerifyClient } from '../../signals/client.ts';
import { createRateLimiter } from '../../signals/limits.ts';
import type { BadRow, Row } from '../input/applicant-row.ts';
import { readRows } from '../input/applicant-rows.ts';
import { openInput, unreadableInput } from '../input/open-input.ts';
import { EXIT, type Io, say } from '../io.ts';
import { type BulkOptions, formatOf } from '../options/bulk-options.ts';
import { describeUnwritable } from '../options/own-file.ts';
import { endWith } from '../result.ts';
import type { DecidedBy } from './intent-log.ts';
import { openJournal, streamTo } from './journal.ts';
import { concurrencyOf } from './pace.ts';
import { type BulkEnd, decideAll } from './run.ts';
import { startProgress } from './run-progress.ts';
import { type BulkTally, newTally, showTally } from './tally.ts';

/** What a run takes from the other options of the command line. */
interface BulkWork {
  readonly facts: FactTable;
  /** Context facts of every row that does not give its own. */
  readonly context: Context;
  readonly client: VerifyClient;
  readonly decidedBy: DecidedBy;
  readonly deciderFor: (verify: Pick<VerifyClient, 'verify'>) => Decider;
  readonly format: 'text' | 'json';
  readonly exitCode: boolean;
  /** Ends the run in good order. */
  readonly signal: AbortSignal;
}

/** Decides all rows; the decisions go to `--out`, or to stdout. */
export async function runBulk(options: BulkOptions, work: BulkWork, io: Io): Promise<number> {
  const { file = '-', out } = options;
  const tally = newTally();
  const size = file === '-' ? undefined : await sizeOf(file);
  const { takeOver = false, otherPolicy = false } = options;
  const { decidedBy } = work;
  const journal =
    out === undefined ? streamTo(io.stdout) : await openJournal(out, { takeOver, otherPolicy, decidedBy });
  const position = { bytes: 0, sentFrom: 0, isSending: false };
  const progress = startProgress(io, () => ({ tally, size, ...position }));
  let end: BulkEnd;
  try {
    if (out === undefined) await progress.say('without --out, an interrupted run cannot be resumed');
    const read = readRows(openInput(file, io, work.signal), {
      format: formatOf(options),
      facts: work.facts,
      ignore: options.ignore ?? [],
    });
    end = await decideAll({
      rows: read,
      deciderFor: work.deciderFor,
      client: work.client,
      journal,
      pace: createRateLimiter(options.rate).waitForTurn,
      concurrency: concurrencyOf(options),
      context: work.context,
      resend: options.resend === true,
      signal: work.signal,
      tally,
      say: progress.say,
      onRow: (row: Row | BadRow, isSent) => {
        if (isSent && !position.isSending) Object.assign(position, { isSending: true, sentFrom: position.bytes });
        position.bytes = row.end;
      },
    });
  } catch (error) {
    throw out === undefined ? error : describeUnwritable(error, out);
  } finally {
    await progress.end();
    await journal.close();
  }
  await reportEnd(end, tally, options, work, io);
  return exitCodeOf(end, tally, work.exitCode);
}

async function reportEnd(end: BulkEnd, tally: BulkTally, { out }: BulkOptions, work: BulkWork, io: Io): Promise<void> {
  const { line, stopped } = end;
  if (stopped !== undefined) {
    const why = stopped === 'signal' ? 'interrupted' : `${whyStopped(stopped)} (${stopped}): stopped`;
    const how = out === undefined ? '' : '; run the same command to resume';
    await say(io.stderr, `verdict: ${why} ${line === 0 ? 'before the first row' : `after line ${line}`}${how}\n`);
  }
  if (out === undefined) await say(io.stderr, showTally(tally));
  else {
    const data = () => ({ ...tally, stopped: stopped ?? null, line });
    await endWith(io, work, { data, text: () => showTally(tally) });
  }
}

function whyStopped(stopped: ErrorCode): string {
  return stopped === 'DAILY_LIMIT_REACHED' ? 'the calls of the day are used up' : 'the service gives no answer';
}

function exitCodeOf({ stopped }: BulkEnd, tally: BulkTally, isOutcomeCode: boolean): number {
  if (stopped !== undefined || tally.unsent > 0 || tally.unanswered > 0) return EXIT.couldNotRun;
  const isFound = tally.wrong > 0 || tally.doubtful > 0;
  const isRisky = isOutcomeCode && tally.decided.review + tally.decided.reject > 0;
  return isFound || isRisky ? EXIT.found : EXIT.done;
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    const found = await stat(file);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    throw unreadableInput(file, error);
  }
}
