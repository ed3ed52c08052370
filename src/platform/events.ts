/** What happens inside a client or a decider -> the caller's `onEvent`, and a channel of `node:diagnostics_channel`. */

import { channel } from 'node:diagnostics_channel';

/** The channel of all clients and deciders of the process. */
export const EVENT_CHANNEL = 'verdict-engine';

const events = channel(EVENT_CHANNEL);

/** Tells an event. `own` is what code of the caller threw: `onEvent` alone gets it. */
export type Tell<Event> = (event: Event, own?: { readonly thrown: unknown }) => void;

/**
 * Creates a function that tells events; it never throws, whatever the listener does. What the caller's code threw may
 * quote personal data, so it is not enumerable: neither JSON nor `util.inspect` shows it.
 */
export function createTell<Event extends object>(onEvent: ((event: Event) => unknown) | undefined): Tell<Event> {
  return (event, own) => {
    if (events.hasSubscribers) events.publish(Object.freeze({ ...event }));
    if (!onEvent) return;
    const told = own ? Object.defineProperty({ ...event }, 'thrown', { value: own.thrown }) : { ...event };
    // A listener that throws, or rejects, must not end a call or the process.
    void (async () => onEvent(Object.freeze(told)))().catch(() => {});
  };
}
