/** What happens inside a client or a decider -> the caller's `onEvent`, and a channel of `node:diagnostics_channel`. */

import { channel } from 'node:diagnostics_channel';
import type { ErrorCode } from '../errors.ts';
import type { ClientState } from './telemetry.ts';

/** The channel of all clients and deciders of the process. */
export const EVENT_CHANNEL = 'verdict-engine';

const events = channel(EVENT_CHANNEL);

/** Reports an event. `callerError` is what code of the caller threw: `onEvent` alone gets it. */
export type Tell<Event> = (event: Event, callerError?: { readonly thrown: unknown }) => void;

/**
 * Creates a function that reports events; it never throws, whatever the listener does. What the caller's code threw may
 * quote personal data, so it is not enumerable: neither JSON nor `util.inspect` shows it.
 */
export function createTell<Event extends object>(onEvent: ((event: Event) => unknown) | undefined): Tell<Event> {
  return (event, callerError) => {
    if (events.hasSubscribers) events.publish(Object.freeze({ ...event }));
    if (!onEvent) return;
    const copy = { ...event };
    if (callerError) Object.defineProperty(copy, 'thrown', { value: callerError.thrown });
    // A listener that throws, or rejects, must not end a call or the process.
    void (async () => onEvent(Object.freeze(copy)))().catch(() => {});
  };
}

/** How a request or a sign-in ended. */
export interface Ended {
  /** The error code of a failure. */
  readonly error?: ErrorCode;
  /** The code of Node or OpenSSL. */
  readonly cause?: string;
  /** The service's own id of the request. */
  readonly requestId?: string;
  readonly durationMs: number;
  /**
   * What a function among the options threw, such as `credentials`: `onEvent` alone gets it, and it is not enumerable,
   * since it may quote a secret.
   */
  readonly thrown?: unknown;
}

/** An event of a client. `call` counts the client's verify calls from 1, and leads from one event to the others. */
export type ClientEvent =
  /** One attempt of a verify call has ended, with its wait for a token and for its turn. */
  | ({ readonly type: 'attempt'; readonly call: number } & Ended)
  /** The call will be sent again, after a wait. */
  | { readonly type: 'retry'; readonly call: number; readonly error: ErrorCode; readonly waitMs: number }
  /** A sign-in has ended. */
  | ({ readonly type: 'signIn' } & Ended)
  /**
   * The service asked for a pause (`Retry-After`) of `waitMs`, and no call of the client is sent. In a pause of more
   * than an hour, one call an hour tries whether it is over.
   */
  | { readonly type: 'pause'; readonly waitMs: number }
  /** The calls of the day (`maxCallsPerDay`) are used up; reported with the first call of the day that is not sent. */
  | { readonly type: 'dailyLimit' }
  /** The state of the circuit breaker has changed. */
  | { readonly type: 'circuit'; readonly circuit: ClientState['circuit'] };
