/** Events for webhooks -> each is sent at least once, by one process at a time, in the order of its decision. */

import { type Run, type RunAll, withNumbers } from './cases.ts';

/** `at` is in milliseconds since 1970, and `body` is JSON. */
export interface OutboxEvent {
  /** The same for each repetition. */
  readonly id: string;
  /** Events of one decision are sent in the order of `at`, each after the one before was delivered or is dead. */
  readonly decision: string;
  readonly at: number;
  readonly body: string;
}

/** An event that this process may send until its lease ends. `attempt` grows each time a process takes it. */
export type TakenEvent = OutboxEvent & { readonly attempt: number };

/** What is not delivered of a webhook, with times in milliseconds since 1970. */
export interface OutboxState {
  readonly webhook: string;
  readonly waiting: number;
  /** Events that were given up, and since when there are some. */
  readonly dead: number;
  readonly deadSince: number | null;
  /** When the first of all these happened, and the code of a failure. */
  readonly oldest: number | null;
  readonly failure: string | null;
  /** Since when the receiver wants no more. */
  readonly stoppedAt: number | null;
}

/** All calls reject with `StateUnavailable`, within 5 seconds, if the store fails. Leases end by the store's clock. */
export function createOutbox(run: Run, runAll: RunAll) {
  const positionOf = async (webhook: string) => (await run('webhookPosition', [webhook]))[0]?.['position'];
  return {
    /** How far the log was read for a webhook; a new one begins with `start`. */
    position: async (webhook: string, start: () => Promise<string>): Promise<string> => {
      const found = await positionOf(webhook);
      if (found === undefined) await run('beginWebhook', [webhook, await start()]);
      return String(found ?? (await positionOf(webhook)));
    },
    /**
     * Puts what was read of the log between two positions, unless another process did; `isAtEnd`: whether to the end of
     * the log. INVARIANT: an event is not sent before a later reading came to the end: by then what came before it, in
     * whichever chain, is here too.
     */
    put: async (
      webhook: string,
      { before, position, isAtEnd }: { readonly before: string; readonly position: string; readonly isAtEnd: boolean },
      events: readonly OutboxEvent[],
    ): Promise<void> => {
      const rows = JSON.stringify([...new Map(events.map((event) => [event.id, event])).values()]);
      await runAll(`outbox ${webhook}`, [
        ...(isAtEnd ? [['releaseEvents', [webhook, before]] as const] : []),
        ['putEvents', [webhook, before, rows]],
        ['moveWebhook', [webhook, before, position]],
      ]);
    },
    take: async (webhook: string, most: number, leaseMs: number) =>
      (await run('takeEvents', [webhook, most, leaseMs])).map((row) => withNumbers<TakenEvent>(row, ['at', 'attempt'])),
    delivered: async (webhook: string, id: string) => void (await run('deliverEvent', [webhook, id])),
    /**
     * It is sent again after `delayMs`; null: it is dead. Nothing if its lease is over and somebody else has it. What
     * is behind it is due no earlier, so that nobody looks at it over and over.
     */
    failed: async (webhook: string, event: TakenEvent, failure: string, delayMs: number | null) => {
      const { id, attempt, decision } = event;
      await run('failEvent', [webhook, id, attempt, decision, failure, delayMs]);
    },
    /** Sends nothing until `resend`. */
    stop: async (webhook: string) => void (await run('stopWebhook', [webhook])),
    /** Sends what failed or is dead from the first attempt on, now, and what is behind it; returns how many. */
    resend: async (webhook: string): Promise<number> => {
      const resent = await run('resendEvents', [webhook]);
      // Afterwards: what is taken in between would be sent twice.
      await run('startWebhook', [webhook]);
      return resent.length;
    },
    /** Of each webhook that ever began, by name. */
    states: async () => (await run('outboxStates', [])).map((row) => withNumbers<OutboxState>(row, OF_STATE)),
  };
}

export type Outbox = ReturnType<typeof createOutbox>;

const OF_STATE = ['waiting', 'dead', 'deadSince', 'oldest', 'stoppedAt'];
