/** Rows, a decider and a journal -> each row decided once, many at a time, and their counts. */

import type { Decider } from '../../decision/decide.ts';
import type { Decision } from '../../decision/decision.ts';
import type { Context } from '../../decision/fetch/context-facts.ts';
import { type ErrorCode, VerdictError } from '../../errors.ts';
import { MAX_TIMER_MS } from '../../platform/given/read-given.ts';
import type { VerifyClient } from '../../signals/client.ts';
import type { RateLimiter } from '../../signals/limits.ts';
import { printable, toJson } from '../../text.ts';
import type { BadRow, Row } from '../input/applicant-row.ts';
import type { Journal } from './journal.ts';
import type { BulkTally } from './tally.ts';

/** After this many unanswered rows in succession the service is down; a person would have to check further rows. */
const MAX_UNANSWERED_IN_A_ROW = 20;

export interface BulkSetting {
  readonly rows: AsyncIterable<Row | BadRow>;
  /** Creates the decider, which asks the service through `verify`. */
  readonly deciderFor: (verify: Pick<VerifyClient, 'verify'>) => Decider;
  readonly client: Pick<VerifyClient, 'verify'>;
  readonly journal: Journal;
  readonly pace: RateLimiter['waitForTurn'];
  readonly concurrency: number;
  /** Context facts of every row that does not give its own. */
  readonly context: Context;
  /** Sends rows that an earlier run began and did not record. */
  readonly resend: boolean;
  /** Ends the run early: takes no further row, and waits for the rows that were sent. */
  readonly signal: AbortSignal;
  readonly tally: BulkTally;
  say(text: string): Promise<void>;
  /** Called for each row that is taken, with whether it will be sent. */
  onRow(row: Row | BadRow, isSent: boolean): void;
}

export interface BulkEnd {
  /** The last line that was taken. */
  readonly line: number;
  /** Why it ended before the last row. */
  readonly stopped?: 'signal' | ErrorCode;
}

interface Flight {
  readonly line: number;
  /** Whether the intent is durable. */
  begun: boolean;
}

/** Decides all rows. Rejects with the first failure of the journal or the program, after all sent rows have ended. */
export async function decideAll(setting: BulkSetting): Promise<BulkEnd> {
  const { rows, journal, pace, client, concurrency, resend, tally, say } = setting;
  const stop = new AbortController();
  let stopped: BulkEnd['stopped'];
  let failure: { readonly error: unknown } | undefined;
  let unansweredInARow = 0;
  let line = 0;
  const flights = new Map<string, Flight>();
  let inFlight = 0;
  let onLanded = () => {};
  // One waiter: `Promise.race` over all flights would add a reaction to each of them for every row.
  const oneLanded = () =>
    new Promise<void>((resolve) => {
      onLanded = resolve;
    });

  const end = (why: BulkEnd['stopped']) => {
    stopped ??= why;
    stop.abort();
  };
  const fail = (error: unknown) => {
    failure ??= { error };
    stop.abort();
  };
  const onSignal = () => {
    end('signal');
    if (inFlight > 0) void say('taking no further rows; waiting for those that were sent').catch(() => {});
  };

  const decider = setting.deciderFor({
    /** INVARIANT: no call of a row leaves before its intent is durable, and no row begins after the run was ended. */
    async verify(request, options) {
      const flight = flights.get(request.clientReference);
      if (!flight) throw new VerdictError('ABORTED', 'a call without a row', { carriedOut: 'no' });
      // Not in the client, where waiting for a turn would use up the deadline of the call.
      await pace(flight.begun ? undefined : stop.signal);
      if (!flight.begun) {
        if (stop.signal.aborted) throw ended();
        try {
          await journal.begin(request.clientReference, flight.line);
        } catch (error) {
          fail(error);
          throw ended();
        }
        flight.begun = true;
      }
      return client.verify(request, options);
    },
  });

  async function decide(row: Row, clientReference: string): Promise<void> {
    const flight: Flight = { line: row.line, begun: false };
    flights.set(clientReference, flight);
    try {
      const { applicant, context, variables } = row;
      const decision = await decider.decide(applicant, {
        clientReference,
        context: { ...setting.context, ...context },
        variables,
        // Nobody waits for one row, and its turn may come late; its call has the client's deadline.
        deadlineMs: MAX_TIMER_MS,
      });
      await settle(decision, flight);
    } catch (error) {
      if (!(error instanceof VerdictError && error.code === 'REQUEST_INVALID')) return fail(error);
      tally.wrong += 1;
      await say(`line ${row.line}: ${error.message}`);
    } finally {
      flights.delete(clientReference);
    }
  }

  async function settle(decision: Decision, { line: at, begun }: Flight): Promise<void> {
    const { calls } = decision.signals;
    const error = calls.find(({ result }) => result !== 'answered')?.error;
    if (isUnsent(decision)) {
      tally.unsent += 1;
      if (begun) await journal.unsend(decision.clientReference, error ?? 'ABORTED');
      // Rows that were given up because the run ends are reported once, with the counts.
      if (error !== 'ABORTED') await say(`line ${at}: not carried out (${error}), and not billed`);
    } else {
      await journal.record(toJson({ line: at, ...decision }));
      tally.decided[decision.outcome] += 1;
      if (calls.some(({ result }) => result !== 'answered')) {
        tally.unanswered += 1;
        await say(`line ${at}: decided without an answer (${error ?? 'unknown'}), which may have been billed`);
      }
    }
    checkService(
      calls.some(({ result }) => result === 'answered'),
      error,
    );
  }

  /** Ends the run if the service cannot be asked; a rejected row says nothing about the others. */
  function checkService(isAnswered: boolean, error: ErrorCode | undefined): void {
    if (isAnswered) unansweredInARow = 0;
    else if (error !== undefined && error !== 'REJECTED' && error !== 'ABORTED') unansweredInARow += 1;
    // Repeated refused sign-ins can lock the account, and no call is left before tomorrow.
    const isFinal = error === 'SIGN_IN_REFUSED' || error === 'DAILY_LIMIT_REACHED';
    if (isFinal || unansweredInARow >= MAX_UNANSWERED_IN_A_ROW) end(error);
  }

  /** The reference of a row that is to be decided now; undefined for a row to skip, after counting and reporting it. */
  async function take(row: Row | BadRow): Promise<string | undefined> {
    if ('problem' in row) {
      tally.wrong += 1;
      await say(`line ${row.line}: ${row.problem}`);
      return undefined;
    }
    const reference = journal.referenceOf(row);
    switch (journal.meet(reference)) {
      case 'new':
        return reference;
      case 'recorded':
        tally.recorded += 1;
        return undefined;
      case 'repeated':
        tally.wrong += 1;
        await say(
          row.clientReference === undefined
            ? `line ${row.line}: same as an earlier row; to ask twice, give each a reference`
            : `line ${row.line}: an earlier row has the same reference`,
        );
        return undefined;
      case 'begun':
        if (resend) return reference;
        tally.doubtful += 1;
        await say(`line ${row.line}: ${begunBefore(reference)}`);
        return undefined;
    }
  }

  if (setting.signal.aborted) onSignal();
  else setting.signal.addEventListener('abort', onSignal);
  try {
    for await (const row of rows) {
      if (stop.signal.aborted) break;
      line = row.line;
      const reference = await take(row);
      setting.onRow(row, reference !== undefined);
      if (reference === undefined || 'problem' in row) continue;
      inFlight += 1;
      void decide(row, reference)
        .catch(fail)
        .finally(() => {
          inFlight -= 1;
          onLanded();
        });
      if (inFlight >= concurrency) await oneLanded();
    }
  } catch (error) {
    // An input that is closed because the run ends is not a failure.
    if (!stop.signal.aborted) fail(error);
  } finally {
    while (inFlight > 0) await oneLanded();
    setting.signal.removeEventListener('abort', onSignal);
  }
  if (failure) throw failure.error;
  if (stopped === undefined) {
    for await (const lost of journal.lost()) {
      tally.doubtful += 1;
      await say(`line ${lost.line} of an earlier run, no longer in the file: ${begunBefore(lost.reference)}`);
    }
  }
  return { line, ...(stopped === undefined ? {} : { stopped }) };
}

/** Whether no call of a decision was carried out: the decision is dropped, and a later run makes another. */
export function isUnsent({ signals: { calls } }: Pick<Decision, 'signals'>): boolean {
  return calls.length > 0 && calls.every(({ result }) => result === 'failed');
}

function begunBefore(reference: string): string {
  return `"${printable(reference)}" was begun by an earlier run and not recorded; it may have been billed`;
}

function ended(): VerdictError {
  return new VerdictError('ABORTED', 'the run was ended before the row was sent', { carriedOut: 'no' });
}
