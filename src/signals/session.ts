/** The options of the account -> a bearer token that is valid now; concurrent callers share one sign-in. */

import type { ErrorCode } from '../errors.ts';
import type { ClientEvent, Tell } from '../platform/events.ts';
import { ownCopy, ownValue } from '../platform/given/read-given.ts';
import { parseJson } from '../platform/json.ts';
import { observe } from '../platform/telemetry.ts';
import { askCaller, startDeadline } from './deadline.ts';
import {
  answerFailure,
  callerFailure,
  diagnosticAttributes,
  endedOf,
  exchangeFailure,
  type FailedCall,
} from './failure.ts';
import { type HttpClient, isAnswered } from './http/http.ts';
import { MAX_HOLD_MS } from './limits.ts';
import type { Settings } from './read-options.ts';

/** A token as issued by one sign-in: two tokens with the same text are different tokens. */
interface Token {
  /** Without `Bearer `. */
  readonly text: string;
  /** When the sign-in was sent, by the client's clock. */
  readonly obtainedAt: number;
  /** When the sign-in was sent, by the monotonic clock. */
  readonly obtainedAtMonotonic: number;
  /** When to renew it, by the client's clock; it is still valid then. */
  readonly refreshAt: number;
}

/**
 * A token is not used in the last minute of its life: it must still be valid when it arrives, and the service's
 * clock may be ahead. For a short life the margin is a tenth of it.
 */
const MARGIN_MS = 60_000;

/** A token with a short life is renewed at most this share of its life ahead. */
const MAX_AHEAD_SHARE = 1 / 4;

/**
 * The service works, but this sign-in brought no token that it accepts, or came too soon. The next one may succeed;
 * after `MAX_FRUITLESS` in a row, another would only burden the service, or lock the account.
 */
const FRUITLESS: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'SIGN_IN_FAILED',
  'ANSWER_UNREADABLE',
  'REDIRECTED',
  'TOKEN_REFUSED',
]);

const MAX_FRUITLESS = 2;

/** Creates the one session of a client; it signs in with the first call of `token`. */
export function createSession(
  settings: Settings,
  credentials: CredentialSource,
  http: HttpClient,
  closed: AbortSignal,
  tell: Tell<ClientEvent> = () => {},
) {
  const { tokenLifeMs, refreshAheadMs, signInPauseMs, now } = settings;
  const usableMs = tokenLifeMs - Math.min(MARGIN_MS, tokenLifeMs / 10);
  const aheadMs = Math.min(refreshAheadMs, usableMs * MAX_AHEAD_SHARE);
  let current: Token | undefined;
  /** The latest reading of the clock. */
  let latest = Number.NEGATIVE_INFINITY;
  /** The latest token that the service has accepted. */
  let confirmed: Token | undefined;
  let signingIn: Promise<Token | FailedCall> | undefined;
  /** The failure of the latest sign-in, when, and how long no call may sign in again; undefined if it succeeded. */
  let lastFailure: { readonly failure: FailedCall; readonly at: number; readonly pauseMs: number } | undefined;
  /** How many sign-ins in a row were fruitless. */
  let fruitless = 0;

  // If the clock was set back before `from`, the age is unknown, so the period counts as over.
  const isWithin = (from: number, lengthMs: number, at: number) => from <= at && at < from + lengthMs;

  /** By both clocks: the client's clock may be set, and the monotonic clock may stop while the machine sleeps. */
  const isAlive = (token: Token, at: number) =>
    isWithin(token.obtainedAt, usableMs, at) && performance.now() - token.obtainedAtMonotonic < usableMs;

  function noteFailure(failed: FailedCall): FailedCall {
    // A failure of the caller's own code burdens neither the service nor the account.
    const isFruitless = !failed.isNeutral && FRUITLESS.has(failed.code);
    if (isFruitless) fruitless += 1;
    // Repeated attempts with a wrong password can lock the account.
    const isPaused = failed.code === 'SIGN_IN_REFUSED' || (isFruitless && fruitless >= MAX_FRUITLESS);
    const pauseMs = Math.max(isPaused ? signInPauseMs : 0, Math.min(failed.waitMs ?? 0, MAX_HOLD_MS));
    const failure = { ...failed, isDown: failed.isDown || isFruitless };
    lastFailure = { failure, at: now(), pauseMs };
    return failure;
  }

  async function signInAgain(): Promise<Token | FailedCall> {
    const obtainedAt = now();
    const beganAt = performance.now();
    const signedIn = await observe(
      'sign_in',
      () => signIn(settings, credentials, http, closed),
      (result) =>
        typeof result === 'string'
          ? { outcome: 'signedIn' }
          : { outcome: result.code, isFailure: true, attributes: diagnosticAttributes(result) },
    );
    const failed = typeof signedIn === 'string' ? undefined : signedIn;
    tell({ type: 'signIn', ...endedOf(failed ?? {}, beganAt) }, failed?.callerError);
    if (typeof signedIn !== 'string') return noteFailure(signedIn);
    lastFailure = undefined;
    // Between once and twice `aheadMs`, so that processes that started together do not sign in together.
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
    /**
     * The current token while it is valid, otherwise the token of a sign-in that concurrent callers share. Shortly
     * before it expires, the token is renewed in the background, while calls still use it. While no sign-in may be
     * tried, the failure of the latest one. Never rejects.
     */
    async token(): Promise<Token | FailedCall> {
      const at = now();
      // The clock was set back by an unknown amount, so the age of the token is unknown.
      if (at < latest) current = undefined;
      latest = at;
      if (current !== undefined && isAlive(current, at)) {
        // A renewal is not urgent: after any failure it waits.
        const renewalPauseMs = Math.max(signInPauseMs, lastFailure?.pauseMs ?? 0);
        const mayRenew = lastFailure === undefined || !isWithin(lastFailure.at, renewalPauseMs, at);
        if (at >= current.refreshAt && mayRenew) void share();
        return current;
      }
      if (signingIn === undefined && lastFailure !== undefined && isWithin(lastFailure.at, lastFailure.pauseMs, at)) {
        // A call whose deadline leaves time for it is sent again after the pause, if its failure allows that.
        return { ...lastFailure.failure, waitMs: lastFailure.at + lastFailure.pauseMs - at };
      }
      return share();
    },
    /** Forgets a token that the service has refused, with its failure; a newer token is kept. */
    drop(token: Token, refusal: FailedCall) {
      if (current !== token) return;
      current = undefined;
      if (token !== confirmed) noteFailure(refusal);
    },
    /** Notes that the service has accepted a token. */
    confirm(token: Token) {
      if (token !== current) return;
      confirmed = token;
      fruitless = 0;
    },
    /** The token, without its text; undefined if there is none that is valid. */
    state() {
      if (current === undefined || !isAlive(current, now())) return undefined;
      const { obtainedAt, obtainedAtMonotonic } = current;
      return { ageMs: performance.now() - obtainedAtMonotonic, expiresAt: obtainedAt + usableMs };
    },
  };
}

/** Signs in once; returns the token's text. It has its own deadline, because other callers may wait for the result. */
async function signIn(
  settings: Settings,
  credentials: CredentialSource,
  http: HttpClient,
  closed: AbortSignal,
): Promise<string | FailedCall> {
  const { baseUrl, environment, tokenPath, timeoutMs, now } = settings;
  const deadline = startDeadline(timeoutMs, { closed });
  try {
    const { fault, value } = await credentials.ask(deadline.signal);
    if (fault !== undefined) return callerFailure('sign-in', fault, deadline.stopReason());
    const exchange = await http.post(
      {
        url: `${baseUrl}/api/v2/auth/sign_in`,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: JSON.stringify(environment === 'production' ? { data: value } : value),
      },
      deadline.signal,
    );
    if (exchange.failure !== undefined || !isAnswered(exchange.status)) {
      return exchangeFailure('sign-in', exchange, deadline.stopReason(), now());
    }
    const parsed = parseJson(exchange.body);
    if (parsed.problem !== undefined) return answerFailure('sign-in', 'ANSWER_UNREADABLE', parsed.problem);
    return readToken(parsed.value, tokenPath);
  } finally {
    deadline.end();
  }
}

/** The first text at one of the paths, without a leading `Bearer `. */
function readToken(answer: unknown, paths: readonly (readonly string[])[]): string | FailedCall {
  for (const path of paths) {
    const value = path.reduce(ownValue, answer);
    const token = typeof value === 'string' ? value.trim().replace(/^bearer(\s+|$)/i, '') : '';
    if (token === '') continue;
    // The characters that a header carries unaltered (RFC 6750, section 2.1, and a few more).
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    return answerFailure('sign-in', 'SIGN_IN_FAILED', 'has a token with characters that a header cannot carry');
  }
  return answerFailure('sign-in', 'SIGN_IN_FAILED', 'has no token where one was expected (option tokenPath)');
}

/** The credentials of a client. */
type CredentialSource = ReturnType<typeof createCredentials>;

/** Creates the source. A function has half of the deadline of a call, so that its failure is named before that. */
export function createCredentials({ username, password, credentials, timeoutMs }: Settings) {
  let latest = username === undefined || password === undefined ? undefined : { username, password };
  return {
    /** The credentials for a sign-in. Never rejects. */
    async ask(signal: AbortSignal) {
      if (credentials === undefined && latest !== undefined) return { fault: undefined, value: latest };
      const ask = async () => ownCopy(await credentials?.());
      const { fault, value } = await askCaller('credentials', ask, signal, timeoutMs / 2);
      if (fault !== undefined) return { fault };
      const [user, secret] = [ownValue(value, 'username'), ownValue(value, 'password')];
      if (!isText(user) || !isText(secret)) {
        const text = '`credentials` has to return an object with the texts username and password';
        return { fault: { text, mayRecover: false } };
      }
      latest = { username: user, password: secret };
      return { fault: undefined, value: latest };
    },
    /** The secrets of the latest sign-in. */
    latest: () => (latest ? [latest.username, latest.password] : []),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
