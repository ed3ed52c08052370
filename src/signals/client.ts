/** The client of the verification service: a request in, the service's answer out, or an error that tells what happened. */

import { VerdictError } from '../errors.ts';
import { type Deadline, startDeadline, untilStopped } from './deadline.ts';
import { answerError, exchangeError, stopError } from './failure.ts';
import { createHttpClient, type Exchange } from './http.ts';
import { parseJson } from './json.ts';
import { readOptions, type VerifyClientOptions } from './options.ts';
import { ownValue } from './own.ts';
import { readRequest, type VerifyRequest } from './request.ts';
import { createSession } from './session.ts';
import type { IdentityVariable } from './variables.ts';

/** What the service said. */
export interface VerifyAnswer {
  /** The parsed JSON, of whatever shape; a mapping reads it. */
  readonly body: unknown;
  /** The identity variables that were asked about. */
  readonly requested: readonly IdentityVariable[];
}

/** A connection to the verification service. */
export interface VerifyClient {
  /**
   * Asks the service once; may be billed. Rejects with a `VerdictError` whose `carriedOut` tells whether the service
   * may have acted: REQUEST_INVALID, the codes from SIGN_IN_REFUSED to SERVICE_ERROR.
   */
  verify(request: VerifyRequest, options?: { readonly signal?: AbortSignal }): Promise<VerifyAnswer>;
  /** Ends the calls in flight with ABORTED and drops all connections; later calls are ABORTED too. */
  close(): void;
}

/** Creates a client, which signs in on its first call. Throws CONFIGURATION_INVALID for options that cannot be used. */
export function createVerifyClient(options: VerifyClientOptions): VerifyClient {
  const settings = readOptions(options);
  const closing = new AbortController();
  const http = createHttpClient(settings.baseUrl.startsWith('https:'), settings.maxBodyBytes);
  const session = createSession(settings, http, closing.signal);
  const url = `${settings.baseUrl}/api/v2/verify`;

  /** Sends once more where the service refuses the token: nothing was carried out, and a new one may do. */
  async function send(body: string, deadline: Deadline): Promise<Exchange> {
    const first = await sendOnce(body, deadline);
    return isUnauthorised(first) ? sendOnce(body, deadline) : first;
  }

  async function sendOnce(body: string, deadline: Deadline): Promise<Exchange> {
    const stopped = () => stopError('sign-in', deadline.stop(), false);
    const token = await untilStopped(session.token(), deadline, stopped);
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token.text}` };
    const exchange = await http.post({ url, headers, body }, deadline.signal);
    if (isUnauthorised(exchange)) session.drop(token);
    return exchange;
  }

  return {
    async verify(request, callOptions) {
      const { body, requested } = readRequest(request);
      const deadline = startDeadline(settings.timeoutMs, { aborted: readSignal(callOptions), closed: closing.signal });
      try {
        // A call that has ended before it began must not cost a sign-in.
        if (deadline.signal.aborted) throw stopError('verify', deadline.stop(), false);
        const exchange = await send(body, deadline);
        if (exchange.failure !== undefined || exchange.status > 299)
          throw exchangeError('verify', exchange, deadline.stop());
        const parsed = parseJson(exchange.body);
        if (parsed.problem !== undefined) throw answerError('verify', 'ANSWER_UNREADABLE', parsed.problem);
        return { body: parsed.value, requested };
      } finally {
        deadline.end();
      }
    },
    close() {
      closing.abort();
      http.close();
    },
  };
}

function isUnauthorised(exchange: Exchange): boolean {
  return exchange.failure === undefined && exchange.status === 401;
}

function readSignal(options: unknown): AbortSignal | undefined {
  const signal = ownValue(options, 'signal');
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new VerdictError('REQUEST_INVALID', 'the option signal has to be an AbortSignal', { carriedOut: 'no' });
}
