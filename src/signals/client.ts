/** The client of the verification service: a request in, the service's answer out, or an error that tells what happened. */

import { VerdictError } from '../errors.ts';
import { observe } from '../platform/telemetry.ts';
import { createCallGate } from './circuit-breaker.ts';
import { type Deadline, pause, startDeadline, untilStopped } from './deadline.ts';
import { answerFailure, exchangeFailure, type FailedCall, notSentFailure, stopFailure, toError } from './failure.ts';
import { createAgent, createHttpClient, type Exchange } from './http.ts';
import { parseJson } from './json.ts';
import { readOptions, type VerifyClientOptions } from './options.ts';
import { ownValue } from './own-properties.ts';
import { createRateLimiter } from './rate-limiter.ts';
import { readRequest, type VerifyRequest } from './request.ts';
import { createResend, isFailed } from './resend.ts';
import { createSession } from './session.ts';
import type { IdentityVariable } from './variables.ts';

/** What the service said. */
export interface VerifyAnswer {
  /** The parsed JSON, of whatever shape; a mapping reads it. */
  readonly body: unknown;
  /** The identity variables that were asked about. */
  readonly requested: readonly IdentityVariable[];
  /** How many times the request was sent: once more where it was certain, or allowed by `resendAmbiguous`. */
  readonly attempts: number;
}

/** A connection to the verification service. */
export interface VerifyClient {
  /**
   * Asks the service; may be billed, and once at most unless `resendAmbiguous` is set. Rejects with a `VerdictError` whose
   * `carriedOut` tells whether the service may have acted: REQUEST_INVALID, the codes from SIGN_IN_REFUSED to QUEUE_FULL.
   */
  verify(request: VerifyRequest, options?: { readonly signal?: AbortSignal }): Promise<VerifyAnswer>;
  /** Ends the calls in flight with ABORTED and drops all connections; later calls are ABORTED too. */
  close(): void;
}

/** What has become of a call so far. */
interface Progress {
  attempts: number;
  /** Whether one of the attempts may have been carried out. */
  mayBeCarriedOut: boolean;
  /** Whether a request is on its way, which its deadline ends by itself. */
  isInFlight: boolean;
}

/** A body, parsed. */
interface ParsedAnswer {
  readonly value: unknown;
}

/** Creates a client, which signs in on its first call. Throws CONFIGURATION_INVALID for options that cannot be used. */
export function createVerifyClient(options: VerifyClientOptions): VerifyClient {
  const settings = readOptions(options);
  const { baseUrl, timeoutMs, maxBodyBytes, maxConcurrent, maxPerSecond, now } = settings;
  const closing = new AbortController();
  const isSecure = baseUrl.startsWith('https:');
  // One connection more, so that a sign-in never waits for the calls that wait for it.
  const http = createHttpClient(isSecure, maxBodyBytes, createAgent(isSecure, maxConcurrent + 1));
  const session = createSession(settings, http, closing.signal);
  const resend = createResend(settings);
  const gate = createCallGate(settings);
  const pace = maxPerSecond === undefined ? undefined : createRateLimiter(maxPerSecond, () => performance.now());
  const url = `${baseUrl}/api/v2/verify`;

  /** One attempt; a second request within it where the service refuses the token: nothing was carried out, and a new one may do. */
  async function attempt(body: string, deadline: Deadline, progress: Progress): Promise<ParsedAnswer | FailedCall> {
    const first = await send(body, deadline, progress);
    const exchange = isUnauthorised(first) ? await send(body, deadline, progress) : first;
    const result = isFailed(exchange) ? exchange : readAnswer(exchange, deadline);
    if (isFailed(result) && result.carriedOut === 'unknown') progress.mayBeCarriedOut = true;
    return result;
  }

  function readAnswer(exchange: Exchange, deadline: Deadline): ParsedAnswer | FailedCall {
    if (exchange.failure !== undefined || exchange.status > 299) {
      return exchangeFailure('verify', exchange, deadline.stopReason(), now());
    }
    const parsed = parseJson(exchange.body);
    if (parsed.problem === undefined) return { value: parsed.value };
    return answerFailure('verify', 'ANSWER_UNREADABLE', parsed.problem);
  }

  /** Sends the request when its turn has come, with a token that is good at that moment. */
  async function send(body: string, deadline: Deadline, progress: Progress): Promise<Exchange | FailedCall> {
    const waitMs = pace ? pace.nextTurn(deadline.remainingMs()) : 0;
    if (waitMs === undefined) return notSentFailure('rateFull');
    if (waitMs > 0) await pause(waitMs, deadline.signal);
    const stopped = () => stopFailure('sign-in', deadline.stopReason(), false);
    const token = await untilStopped(session.token(), deadline, stopped);
    if (isFailed(token)) return token;
    if (deadline.signal.aborted) return stopFailure('verify', deadline.stopReason(), false);
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token.text}` };
    progress.attempts += 1;
    progress.isInFlight = true;
    const exchange = await http.post({ url, headers, body }, deadline.signal);
    progress.isInFlight = false;
    if (isUnauthorised(exchange)) session.drop(token);
    return exchange;
  }

  /** The call until its end, whatever that is. */
  async function call(body: string, deadline: Deadline, progress: Progress): Promise<ParsedAnswer | FailedCall> {
    const stopped = () => stopFailure('verify', deadline.stopReason(), false);
    // A call that has ended before it began must not cost a sign-in.
    if (deadline.signal.aborted) return stopped();
    const sent = resend(() => gate(() => attempt(body, deadline, progress), deadline), deadline);
    const result = await untilStopped(sent, deadline, () => (progress.isInFlight ? undefined : stopped()));
    return isFailed(result) && progress.mayBeCarriedOut ? { ...result, carriedOut: 'unknown' } : result;
  }

  return {
    async verify(request, callOptions) {
      const { body, requested } = readRequest(request);
      const deadline = startDeadline(timeoutMs, { aborted: readSignal(callOptions), closed: closing.signal });
      const progress: Progress = { attempts: 0, mayBeCarriedOut: false, isInFlight: false };
      try {
        const result = await observe(
          'verify',
          () => call(body, deadline, progress),
          (ended) => ({
            attempts: progress.attempts,
            ...(isFailed(ended)
              ? { outcome: ended.code, isFailure: true, attributes: { 'verdict.carried_out': ended.carriedOut } }
              : { outcome: 'answered' }),
          }),
        );
        if (isFailed(result)) throw toError(result, progress.attempts);
        return { body: result.value, requested, attempts: progress.attempts };
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

function isUnauthorised(exchange: Exchange | FailedCall): boolean {
  return !isFailed(exchange) && exchange.failure === undefined && exchange.status === 401;
}

function readSignal(options: unknown): AbortSignal | undefined {
  const signal = ownValue(options, 'signal');
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new VerdictError('REQUEST_INVALID', 'the option signal has to be an AbortSignal', { carriedOut: 'no' });
}
