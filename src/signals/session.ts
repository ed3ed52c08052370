/** Credentials in, a bearer token that can be used out: sign-in, the token's life, one sign-in for many callers. */

import { startDeadline } from './deadline.ts';
import { answerError, exchangeError } from './failure.ts';
import type { HttpClient } from './http.ts';
import { parseJson } from './json.ts';
import type { Settings } from './options.ts';
import { ownValue } from './own.ts';

/** A token as it was issued once: two with the same text are two. */
export interface Token {
  /** Without `Bearer `. */
  readonly text: string;
  /** When the sign-in that gave it was sent, by the client's clock. */
  readonly obtainedAt: number;
}

/** The one session of a client. */
export interface Session {
  /** The token in hand while it lives, else that of a sign-in which all callers of the moment share. */
  token(): Promise<Token>;
  /** Forgets a token that the service has refused; a newer one stays. */
  drop(token: Token): void;
}

/**
 * A token is not used in the last minute of its life: it has to arrive while it lives, and the service's clock may be
 * ahead. Of a short life a tenth, so that something is left of it.
 */
const MARGIN_MS = 60_000;

/** Creates a session; it signs in when first asked for a token. */
export function createSession(settings: Settings, http: HttpClient, closed: AbortSignal): Session {
  const { tokenLifeMs, now } = settings;
  const usableMs = tokenLifeMs - Math.min(MARGIN_MS, tokenLifeMs / 10);
  let current: Token | undefined;
  let signingIn: Promise<Token> | undefined;

  // A clock that was set back makes the token look younger than it is; before its beginning it is not trusted.
  const isUsable = ({ obtainedAt }: Token, at: number) => obtainedAt <= at && at < obtainedAt + usableMs;

  async function signInAgain(): Promise<Token> {
    const obtainedAt = now();
    current = { text: await signIn(settings, http, closed), obtainedAt };
    return current;
  }

  return {
    async token() {
      if (current !== undefined && isUsable(current, now())) return current;
      signingIn ??= signInAgain().finally(() => {
        signingIn = undefined;
      });
      return signingIn;
    },
    drop(token) {
      if (current === token) current = undefined;
    },
  };
}

/** Signs in once. Its deadline is its own: a caller who gives up does not end what others wait for. */
async function signIn(settings: Settings, http: HttpClient, closed: AbortSignal): Promise<string> {
  const { baseUrl, environment, username, password, tokenPath, timeoutMs } = settings;
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
    if (exchange.failure !== undefined || exchange.status > 299)
      throw exchangeError('sign-in', exchange, deadline.stop());
    const parsed = parseJson(exchange.body);
    if (parsed.problem !== undefined) throw answerError('sign-in', 'ANSWER_UNREADABLE', parsed.problem);
    return readToken(parsed.value, tokenPath);
  } finally {
    deadline.end();
  }
}

/** The first text at one of the places, without a `Bearer ` in front. */
function readToken(answer: unknown, places: readonly (readonly string[])[]): string {
  for (const place of places) {
    const found = place.reduce(ownValue, answer);
    const token = typeof found === 'string' ? found.trim().replace(/^bearer(\s+|$)/i, '') : '';
    if (token === '') continue;
    // What a header can carry of a token (RFC 6750, section 2.1, and more): anything else would be altered on its way.
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw answerError('sign-in', 'SIGN_IN_FAILED', 'has a token with characters that a header cannot carry');
  }
  throw answerError('sign-in', 'SIGN_IN_FAILED', 'has no token where one was expected (option tokenPath)');
}
