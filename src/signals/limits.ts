/** A rate, pauses and a maximum of calls a day -> whether one more call may be sent, and when. */

import { pause } from './deadline.ts';

/** Gives out turns in the order in which they are asked for. */
export type RateLimiter = ReturnType<typeof createRateLimiter>;

/**
 * The longest time without a trial. One wrong answer must not stop a client for good, and a service that does need a
 * pause of a day gets 24 requests.
 */
export const MAX_HOLD_MS = 60 * 60 * 1000;

/**
 * Creates a limiter; without a rate every turn comes at once.
 *
 * @param now a clock in milliseconds that is never set back
 */
export function createRateLimiter(perSecond: number | undefined, now = () => performance.now()) {
  const intervalMs = perSecond === undefined ? 0 : 1000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  let heldUntil = Number.NEGATIVE_INFINITY;
  /** The end of the requested hold, which is renewed until then. */
  let askedUntil = Number.NEGATIVE_INFINITY;
  /** Whether the latest turn was a trial. */
  let isTrial = false;
  const nextTurn = (limitMs = Number.POSITIVE_INFINITY) => {
    const at = now();
    const turn = Math.max(next, heldUntil, at);
    if (turn > at && turn - at > limitMs) return undefined;
    next = turn + intervalMs;
    isTrial = turn < askedUntil;
    if (isTrial) heldUntil = turn + MAX_HOLD_MS;
    return turn - at;
  };
  return {
    /**
     * Takes the next turn and returns how long to wait for it, in milliseconds. Undefined, without taking the turn,
     * if the wait is longer than `limitMs`.
     */
    nextTurn,
    /** Takes the next turn and waits for it, or until the signal aborts. */
    async waitForTurn(signal?: AbortSignal) {
      const waitMs = nextTurn() ?? 0;
      if (waitMs > 0) await pause(waitMs, signal);
    },
    /** Gives no turn for `ms` milliseconds. In a hold of more than an hour, it gives one turn an hour as a trial. */
    hold(ms: number) {
      const at = now();
      heldUntil = Math.max(heldUntil, at + Math.min(ms, MAX_HOLD_MS));
      askedUntil = Math.max(askedUntil, at + ms);
    },
    /** Ends a hold in which a trial was sent: the service carries out calls again. */
    endTrial() {
      if (!isTrial) return;
      isTrial = false;
      heldUntil = Number.NEGATIVE_INFINITY;
      askedUntil = Number.NEGATIVE_INFINITY;
    },
    /** Whether `hold` is in force. */
    isHeld: () => now() < heldUntil,
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** How many days are remembered, so that a clock that is set back finds its earlier count. */
const MAX_DAYS = 8;

/** The calls of one client, counted by day, UTC. */
interface DailyLimit {
  /** Takes one of today's calls; returns a function that gives it back. Undefined if none is left. */
  take(): (() => void) | undefined;
  /** How many calls are left today; undefined without a maximum. */
  left(): number | undefined;
}

/**
 * Creates the limit; without a maximum every call may be sent.
 *
 * @param now a clock in milliseconds since 1970
 * @param onReached called once a day, when the first call is refused
 */
export function createDailyLimit(most: number | undefined, now: () => number, onReached: () => void): DailyLimit {
  const days = new Map<number, { taken: number; isReached: boolean }>();

  function today() {
    const day = Math.floor(now() / DAY_MS);
    const count = days.get(day) ?? { taken: 0, isReached: false };
    days.set(day, count);
    const [oldest] = days.keys();
    if (days.size > MAX_DAYS && oldest !== undefined) days.delete(oldest);
    return count;
  }

  if (most === undefined) return { take: () => () => {}, left: () => undefined };
  return {
    take() {
      const day = today();
      if (day.taken < most) {
        day.taken += 1;
        return () => {
          day.taken -= 1;
        };
      }
      if (!day.isReached) onReached();
      day.isReached = true;
      return undefined;
    },
    left: () => most - today().taken,
  };
}
