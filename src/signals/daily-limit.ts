/** A maximum of calls a day -> whether one more may be sent. Calls that were certainly not carried out do not count. */

const DAY_MS = 24 * 60 * 60 * 1000;

/** The days that are remembered: a clock that is set back and forth finds what it counted. */
const MAX_DAYS = 8;

/** The calls of one client, counted by day, UTC. */
export interface DailyLimit {
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
    const known = days.get(day) ?? { taken: 0, isReached: false };
    days.set(day, known);
    const [oldest] = days.keys();
    if (days.size > MAX_DAYS && oldest !== undefined) days.delete(oldest);
    return known;
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
