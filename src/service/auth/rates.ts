/** Requests by key and by address -> whether one more is let in, and else how long to wait. */

import type { ApiKey } from './keys.ts';

/** A caller without a valid key may try so often a second. */
const TRIES_A_SECOND = 10;

/** Names or addresses that are remembered; the one that was away longest is forgotten first. */
const MOST_REMEMBERED = 10_000;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

type Rated = Pick<ApiKey, 'name' | 'rate'>;

/**
 * Buckets that hold the requests of one second, and one at least.
 *
 * @param now a clock in milliseconds that is never set back
 */
export function createRates(now = () => performance.now()) {
  const keys = new Map<string, Bucket>();
  const networks = new Map<string, Bucket>();
  const tokensOf = (last: Bucket | undefined, rate: number) => {
    const most = Math.max(1, rate);
    return last ? Math.min(most, last.tokens + ((now() - last.atMs) / 1000) * rate) : most;
  };
  const take = (buckets: Map<string, Bucket>, name: string, rate: number): number | undefined => {
    const atMs = now();
    const tokens = tokensOf(buckets.get(name), rate);
    const isAllowed = tokens >= 1;
    // Put at the end of the map, so that its first is the one that was away longest.
    buckets.delete(name);
    buckets.set(name, { tokens: isAllowed ? tokens - 1 : tokens, atMs });
    const [first] = buckets.keys();
    if (buckets.size > MOST_REMEMBERED && first !== undefined) buckets.delete(first);
    return isAllowed ? undefined : (1 - tokens) / rate;
  };
  return {
    /** Undefined if the request of a key is within its rate, else how long to wait, in seconds. */
    allowKey: ({ name, rate }: Rated) => (rate === undefined ? undefined : take(keys, name, rate)),
    /** What the headers of an answer say of the rate of a key; nothing without one. */
    fieldsOf: ({ name, rate }: Rated): Record<string, string> => {
      if (rate === undefined) return {};
      const tokens = tokensOf(keys.get(name), rate);
      const left = Math.floor(tokens);
      // Sub-second windows cannot be said: of a slow key one request in as many seconds.
      const [quota, window] = rate < 1 ? [1, Math.ceil(1 / rate)] : [Math.floor(rate), 1];
      return {
        'ratelimit-policy': `"default";q=${quota};w=${window}`,
        ratelimit: `"default";r=${left};t=${Math.ceil((left + 1 - tokens) / rate)}`,
      };
    },
    /** The same as of a key for an address that showed no valid one. */
    allowAddress: (address: string) => take(networks, networkOf(address), TRIES_A_SECOND),
  };
}

/** The longest address, `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. A proxy may send any text. */
const MOST_CHARACTERS = 45;

/** What one caller has: an IPv4 address, which `::ffff:` may precede, or the /64 of an IPv6 one (RFC 6177). */
function networkOf(address: string): string {
  const text = address.slice(0, MOST_CHARACTERS).replace(/^::ffff:(?=\d+\.)/i, '');
  if (!text.includes(':')) return text;
  const [before = [], after = []] = text.split('::').map((part) => part.split(':'));
  const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
