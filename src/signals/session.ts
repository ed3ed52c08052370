/** Credentials in, a bearer token that can be used out: sign-in, the token's life, one sign-in for many callers. */

import { observe } from '../platform/telemetry.ts';
import { startDeadline } from './deadline.ts';
import { answerFailure, exchangeFailure, type FailedCall } from './failure.ts';
import type { HttpClient } from './http.ts';
import { parseJson } from './json.ts';
import type { Settings } from './options.ts';
import { ownValue } from './own-properties.ts';

/** A token as it was issued once: two with the same text are two. */
export interface Token {
  /** Without `Bearer `. */
  readonly text: string;
  /** When the sign-in that gave it was sent, by the client's clock. */
  readonly obtainedAt: number;
  /** The same by a clock that nobody sets. */
  readonly obtainedAtMonotonic: number;
  /** When it is renewed, by the same clock, though it still can be used. */
  readonly refreshAt: number;
}

/** The one session of a client. */
export interface Session {
  /**
   * The token in hand while it lives, else that of a sign-in which all callers of the moment share. Shortly before its
   * end it is renewed beside the calls that still use it. Never rejects.
   */
  token(): Promise<Token | FailedCall>;
  /** Forgets a token that the service has refused; a newer one stays. */
  drop(token: Token): void;
}

/**
 * A token is not used in the last minute of its life: it has to arrive while it lives, and the service's clock may be
 * ahead. Of a short life a tenth, so that something is left of it.
 */
const MARGIN_MS = 60_000;

/** Of a short life at most this part is renewed ahead. */
const MAX_AHEAD_SHARE = 1 / 4;

/** Creates a session; it signs in when first asked for a token. */
export function createSession(settings: Settings, http: HttpClient, closed: AbortSignal): Session {
  const { tokenLifeMs, refreshAheadMs, signInPauseMs, now } = settings;
  const usableMs = tokenLifeMs - Math.min(MARGIN_MS, tokenLifeMs / 10);
  const aheadMs = Math.min(refreshAheadMs, usableMs * MAX_AHEAD_SHARE);
  let current: Token | undefined;
  /** The clock's last reading. */
  let latest = Number.NEGATIVE_INFINITY;
  let signingIn: Promise<Token | FailedCall> | undefined;
  /** The last sign-in, where it failed, and when. */
  let lastFailure: { readonly failure: FailedCall; readonly at: number } | undefined;

  // A clock that was set back makes what it timed look younger than it is; before its beginning it is not trusted.
  const isWithin = (from: number, lengthMs: number, at: number) => from <= at && at < from + lengthMs;

  /** By the client's clock, which may have been set, and by one that nobody sets, but which may stand still in sleep. */
  const isAlive = (token: Token, at: number) =>
    isWithin(token.obtainedAt, usableMs, at) && performance.now() - token.obtainedAtMonotonic < usableMs;

  async function signInAgain(): Promise<Token | FailedCall> {
    const obtainedAt = now();
    const beganAt = performance.now();
    const signedIn = await observe(
      'sign_in',
      () => signIn(settings, http, closed),
      (result) => (typeof result === 'string' ? { outcome: 'signedIn' } : { outcome: result.code, isFailure: true }),
    );
    if (typeof signedIn !== 'string') {
      lastFailure = { failure: signedIn, at: now() };
      return signedIn;
    }
    lastFailure = undefined;
    // Between once and twice as long ahead, so that processes which started together do not sign in together.
    const refreshAt = obtainedAt + usableMs - aheadMs * (1 + Math.random());
    current = { text: signedIn, obtainedAt, obtainedAtMonotonic: beganAt, refreshAt };
    return current;
  }

  function share(): Promise<Token | FailedCall> {
    signingIn ??= signInAgain().finally(() => {
      signingIn = undefined;
    });
    return signingIn;
  }

  return {
    async token() {
      const at = now();
      // How far a clock was set back nobody knows, and so not how old the token is.
      if (at < latest) current = undefined;
      latest = at;
      const isPaused = lastFailure !== undefined && isWithin(lastFailure.at, signInPauseMs, at);
      if (current !== undefined && isAlive(current, at)) {
        if (at >= current.refreshAt && !isPaused) void share();
        return current;
      }
      // Tried again and again, a wrong password can lock an account. Other failures are for the caller to try again.
      if (isPaused && lastFailure?.failure.code === 'SIGN_IN_REFUSED') return lastFailure.failure;
      return share();
    },
    drop(token) {
      if (current === token) current = undefined;
    },
  };
}

/** Signs in once, for a token's text. Its deadline is its own: a caller who gives up does not end what others wait for. */
async function signIn(settings: Settings, http: HttpClient, closed: AbortSignal): Promise<string | FailedCall> {
  const { baseUrl, environment, username, password, tokenPath, timeoutMs, now } = settings;
  const credentials = { username, password };
  const deadline = startDeadline(timeoutMs, { closed });
  try {
    const exchange = await http.post(
      {
        url: `${baseUrl}/api/v2/auth/sign_in`,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: JSON.stringify(environment === 'production' ? { data: credentials } : credentials),
      },
      deadline.signal,
    );
    if (exchange.failure !== undefined || exchange.status > 299) {
      return exchangeFailure('sign-in', exchange, deadline.stopReason(), now());
    }
    const parsed = parseJson(exchange.body);
    if (parsed.problem !== undefined) return answerFailure('sign-in', 'ANSWER_UNREADABLE', parsed.problem);
    return readToken(parsed.value, tokenPath);
  } finally {
    deadline.end();
  }
}

/** The first text at one of the places, without a `Bearer ` in front. */
function readToken(answer: unknown, places: readonly (readonly string[])[]): string | FailedCall {
  for (const place of places) {
    const found = place.reduce(ownValue, answer);
    const token = typeof found === 'string' ? found.trim().replace(/^bearer(\s+|$)/i, '') : '';
    if (token === '') continue;
    // What a header can carry of a token (RFC 6750, section 2.1, and more): anything else would be altered on its way.
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    return answerFailure('sign-in', 'SIGN_IN_FAILED', 'has a token with characters that a header cannot carry');
  }
  return answerFailure('sign-in', 'SIGN_IN_FAILED', 'has no token where one was expected (option tokenPath)');
}
