/** A request -> the answer of the verification service, or an error that says what happened to the call. */

import { setImmediate } from 'node:timers/promises';
import type * as Cockatiel from 'cockatiel';
import { createTell } from '../platform/events.ts';
import { milliseconds, optionsReader, SIGNAL } from '../platform/given/options.ts';
import { ownCopy, readClock, steadyClock } from '../platform/given/read-given.ts';
import { parseJson } from '../platform/json.ts';
import { require } from '../platform/lazy.ts';
import { type ClientState, hideClient, observe, showClient } from '../platform/telemetry.ts';
import { createCallGate } from './circuit-breaker.ts';
import { askCaller, type Deadline, pause, startDeadline, untilStopped } from './deadline.ts';
import {
  answerFailure,
  diagnosticAttributes,
  endedOf,
  exchangeFailure,
  type FailedCall,
  isDeclined,
  isFailed,
  notSentFailure,
  stopFailure,
  toError,
} from './failure.ts';
import { createAgent } from './http/agent.ts';
import { headersProblem } from './http/connection.ts';
import {
  createHttpClient,
  type Exchange,
  type HttpClient,
  identifyRequests,
  isAnswered,
  requestIdOf,
} from './http/http.ts';
import { createDailyLimit, createRateLimiter } from './limits.ts';
import type { ExtraHeaders, VerifyClientOptions } from './options.ts';
import { readOptions, type Settings } from './read-options.ts';
import { readRequest, type VerifyRequest } from './request.ts';
import { createCredentials, createSession } from './session.ts';
import type { IdentityVariable } from './variables.ts';

/** An answer of the service. */
export interface VerifyAnswer {
  /** The parsed JSON, of any shape; a mapping reads it. */
  readonly body: unknown;
  /** The identity variables that were sent. */
  readonly requested: readonly IdentityVariable[];
  /** How many times the request was sent. */
  readonly attempts: number;
  /** The service's id of the request, if it gave one. */
  readonly requestId?: string;
}

/** A client of the verification service. */
export interface VerifyClient {
  /** Which of the two services it asks. */
  readonly environment: VerifyClientOptions['environment'];
  /** The deadline of a call, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Sends a verify call. It may be billed, at most once unless `resendAmbiguous` is set. Rejects with a `VerdictError`
   * (REQUEST_INVALID, or a code from SIGN_IN_REFUSED to QUEUE_FULL); its `carriedOut` says whether the service may have
   * carried out the call.
   */
  verify(request: VerifyRequest, options?: { readonly signal?: AbortSignal }): Promise<VerifyAnswer>;
  /** The state of the client now, for a readiness probe for example. It has no secret, and asks nobody. */
  state(): ClientState;
  /**
   * Refuses further calls with ABORTED, gives those in flight `drainMs` milliseconds (default: 0) to end by themselves,
   * ends the others with ABORTED and closes all connections. Resolves when every call has ended. Rejects with
   * REQUEST_INVALID for a `drainMs` that is not a time.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
  /** Closes the client once the calls in flight have ended; their own deadline bounds the wait. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The state of a call. */
interface Progress {
  /** The number of the call. */
  readonly call: number;
  attempts: number;
  /** Whether an attempt may have been carried out. */
  mayBeCarriedOut: boolean;
  /** Whether a request is in flight; the deadline then ends it by itself. */
  isInFlight: boolean;
}

/** The parsed body of an answer. */
interface ParsedAnswer {
  readonly value: unknown;
  readonly requestId?: string;
}

/** If one node of a hundred is sick, this many calls in a row meet it about once in a million. */
const AGREEING_CALLS = 3;

/**
 * Creates a client; it signs in with its first call. Throws CONFIGURATION_INVALID for invalid options and for a
 * package that cannot be loaded.
 */
export function createVerifyClient(options: VerifyClientOptions): VerifyClient {
  const checked = readOptions(options);
  const settings = { ...checked, now: steadyClock(checked.now) };
  const { baseUrl, timeoutMs, maxBodyBytes, maxConcurrent, maxPerSecond, maxCallsPerDay, headers, now } = settings;
  const maxJitterMs = Math.min(settings.backoffMs, settings.maxBackoffMs);
  const closing = new AbortController();
  const inFlight = new InFlight();
  const isSecure = baseUrl.startsWith('https:');
  const credentials = createCredentials(settings);
  // One more connection, so that a sign-in never waits for the calls that are waiting for its token.
  const agent = settings.agent ?? createAgent(isSecure, maxConcurrent + 1, settings);
  const readsErrors = settings.requestIdPath.length > 0;
  const sender = createHttpClient(isSecure, maxBodyBytes, agent, readsErrors);
  const http = addHeaders(identifyRequests(sender, settings, credentials.latest), headers, timeoutMs / 2);
  const tell = createTell(settings.onEvent);
  const session = createSession(settings, credentials, http, closing.signal, tell);
  const resend = createResend(settings);
  const gate = createCallGate(settings, (circuit) => tell({ type: 'circuit', circuit }));
  let calls = 0;
  const rate = createRateLimiter(maxPerSecond);
  const daily = createDailyLimit(maxCallsPerDay, now, () => tell({ type: 'dailyLimit' }));
  /** The calls that got a 503 with a time to retry since the service last answered something else. */
  const unavailable = new Set<number>();
  const url = `${baseUrl}/api/v2/verify`;
  const state = (): ClientState => ({ ...gate.state(), token: session.state(), callsLeft: daily.left() });
  showClient(state);

  /** One attempt, which takes one of the day's calls; one that was certainly not carried out gives it back. */
  async function attempt(body: string, deadline: Deadline, progress: Progress): Promise<ParsedAnswer | FailedCall> {
    const beganAt = performance.now();
    const giveBack = daily.take();
    const result = giveBack ? await exchange(body, deadline, progress) : notSentFailure('dailyLimit');
    if (isFailed(result) && result.carriedOut === 'unknown') progress.mayBeCarriedOut = true;
    else if (isFailed(result)) giveBack?.();
    const callerError = isFailed(result) ? result.callerError : undefined;
    tell({ type: 'attempt', call: progress.call, ...endedOf(result, beganAt) }, callerError);
    return result;
  }

  /** A request and its answer. If its token was refused it was not carried out, and is sent once with a new token. */
  async function exchange(body: string, deadline: Deadline, progress: Progress): Promise<ParsedAnswer | FailedCall> {
    const first = await send(body, deadline, progress);
    const last = isUnauthorised(first) ? await send(body, deadline, progress) : first;
    return isFailed(last) ? last : { ...readAnswer(last, deadline, progress), ...requestIdOf(last) };
  }

  function readAnswer(exchange: Exchange, deadline: Deadline, { call }: Progress): ParsedAnswer | FailedCall {
    if (exchange.failure !== undefined || !isAnswered(exchange.status)) {
      const failure = exchangeFailure('verify', exchange, deadline.stopReason(), now());
      if (failure.waitMs !== undefined && bindsAll(failure, call)) holdCalls(failure.waitMs);
      return failure;
    }
    const parsed = parseJson(exchange.body);
    if (parsed.problem === undefined) return { value: parsed.value };
    return answerFailure('verify', 'ANSWER_UNREADABLE', parsed.problem);
  }

  /** Whether the time to retry is for all calls: a 503 may be that of one sick node, until several calls get one. */
  function bindsAll({ code }: FailedCall, call: number): boolean {
    if (code === 'RATE_LIMITED') return true;
    if (unavailable.size < AGREEING_CALLS) unavailable.add(call);
    return unavailable.size === AGREEING_CALLS;
  }

  function holdCalls(waitMs: number): void {
    if (!rate.isHeld()) tell({ type: 'pause', waitMs });
    rate.hold(waitMs);
  }

  /** Sends the request when its turn comes, with a token that is valid at that moment. */
  async function send(body: string, deadline: Deadline, progress: Progress): Promise<Exchange | FailedCall> {
    const isHeld = rate.isHeld();
    const waitMs = rate.nextTurn(deadline.remainingMs());
    if (waitMs === undefined) return notSentFailure(isHeld ? 'held' : 'rateFull');
    // Calls that a pause has held back together are not sent together.
    if (waitMs > 0) await pause(waitMs + (isHeld ? Math.random() * maxJitterMs : 0), deadline.signal);
    const stopped = () => stopFailure('sign-in', deadline.stopReason(), false);
    const token = await untilStopped(session.token(), deadline, stopped);
    if (isFailed(token)) return token;
    if (deadline.signal.aborted) return stopFailure('verify', deadline.stopReason(), false);
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token.text}` };
    progress.attempts += 1;
    progress.isInFlight = true;
    const exchange = await http.post({ url, headers, body }, deadline.signal);
    progress.isInFlight = false;
    if (exchange.failure === undefined && !isDeclined(exchange.status)) {
      rate.endTrial();
      unavailable.clear();
    }
    if (isUnauthorised(exchange)) session.drop(token, exchangeFailure('verify', exchange, undefined, now()));
    else if (exchange.failure === undefined) session.confirm(token);
    return exchange;
  }

  /** The whole call: all attempts, until there is an answer or a failure. */
  async function call(body: string, deadline: Deadline, progress: Progress): Promise<ParsedAnswer | FailedCall> {
    const stopped = () => stopFailure('verify', deadline.stopReason(), false);
    // A call that is stopped before it begins must not cause a sign-in.
    if (deadline.signal.aborted) return stopped();
    const onRetry = ({ code }: FailedCall, waitMs: number) =>
      tell({ type: 'retry', call: progress.call, error: code, waitMs });
    const sent = resend(() => gate.run(() => attempt(body, deadline, progress), deadline), deadline, onRetry);
    const result = await untilStopped(sent, deadline, () => (progress.isInFlight ? undefined : stopped()));
    return isFailed(result) && progress.mayBeCarriedOut ? { ...result, carriedOut: 'unknown' } : result;
  }

  async function close(drainMs: number): Promise<void> {
    if (drainMs > 0) await inFlight.drain(drainMs, closing.signal);
    closing.abort();
    hideClient(state);
    // An agent of the caller's may have other users.
    if (settings.agent === undefined) agent.destroy();
    await inFlight.close();
  }

  return {
    environment: settings.environment,
    timeoutMs,
    async verify(request, callOptions = {}) {
      const { body, requested } = readRequest(request);
      const { signal: aborted } = readCallOptions(callOptions);
      readClock(checked.now);
      const deadline = startDeadline(timeoutMs, {
        aborted,
        closed: inFlight.isClosed ? AbortSignal.abort() : closing.signal,
      });
      inFlight.begin();
      const progress: Progress = { call: ++calls, attempts: 0, mayBeCarriedOut: false, isInFlight: false };
      // A call that is refused without a request ends in the next turn of the event loop. Callers in a loop would
      // otherwise stop all timers and answers, and a trial of the service would never end.
      const nextTurn = setImmediate();
      try {
        const result = await observe(
          'verify',
          () => call(body, deadline, progress),
          (ended) => ({
            attempts: progress.attempts,
            ...(isFailed(ended) ? { outcome: ended.code, isFailure: true } : { outcome: 'answered' }),
            attributes: {
              ...(isFailed(ended) ? { 'verdict.carried_out': ended.carriedOut } : {}),
              ...diagnosticAttributes(ended),
            },
          }),
        );
        if (isFailed(result)) throw toError(result, progress.attempts);
        const { value, requestId } = result;
        return {
          body: value,
          requested,
          attempts: progress.attempts,
          ...(requestId === undefined ? {} : { requestId }),
        };
      } finally {
        await nextTurn;
        deadline.end();
        inFlight.end();
      }
    },
    state,
    async close(closeOptions = {}) {
      await close(readCloseOptions(closeOptions).drainMs ?? 0);
    },
    [Symbol.asyncDispose]: () => close(timeoutMs),
  };
}

const readCallOptions = optionsReader<{ readonly signal?: AbortSignal }>(
  'the options of the call',
  { 'signal?': SIGNAL },
  'REQUEST_INVALID',
);

const readCloseOptions = optionsReader<{ readonly drainMs?: number }>(
  'the options of `close`',
  { 'drainMs?': milliseconds(0) },
  'REQUEST_INVALID',
);

function isUnauthorised(exchange: Exchange | FailedCall): boolean {
  return !isFailed(exchange) && exchange.failure === undefined && exchange.status === 401;
}

/** Counts what is in flight, so that its owner can be closed when all of it has ended. */
class InFlight {
  readonly #drained = Promise.withResolvers<void>();
  #count = 0;
  #isClosed = false;

  /** Whether nothing further may begin. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    this.#settle();
  }

  /** From now on nothing further may begin. Resolves when everything in flight has ended. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#settle();
    return this.#drained.promise;
  }

  /** Like `close`, but waits at most `ms` milliseconds, and stops waiting when the signal aborts. */
  async drain(ms: number, ended: AbortSignal): Promise<void> {
    const drained = this.close();
    if (ms === 0 || this.#count === 0) return;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const onEnd = () => resolve();
    const timer = setTimeout(onEnd, ms);
    ended.addEventListener('abort', onEnd);
    await Promise.race([drained, over]);
    clearTimeout(timer);
    ended.removeEventListener('abort', onEnd);
  }

  #settle(): void {
    if (this.#isClosed && this.#count === 0) this.#drained.resolve();
  }
}

/** Adds headers to each request. If their function fails or is late, the request fails before it is sent. */
function addHeaders(
  http: HttpClient,
  headers: ExtraHeaders | (() => unknown) | undefined,
  limitMs: number,
): HttpClient {
  if (headers === undefined) return http;
  const ask = async () => ownCopy(typeof headers === 'function' ? await headers() : headers);
  return {
    async post(message, signal) {
      const { fault, value } = await askCaller('headers', ask, signal, limitMs);
      if (fault !== undefined) return { failure: 'caller', sent: false, fault };
      const problem = headersProblem(value);
      if (problem !== undefined) {
        return { failure: 'caller', sent: false, fault: { text: `\`headers\` ${problem}`, mayRecover: false } };
      }
      return http.post({ ...message, headers: { ...(value as ExtraHeaders), ...message.headers } }, signal);
    },
  };
}

/** Sends a call, and sends it again where that is allowed. */
type Resend = <Result extends object>(
  send: () => Promise<Result | FailedCall>,
  deadline: Deadline,
  /** Called before each wait for another attempt. */
  onRetry: (failed: FailedCall, waitMs: number) => void,
) => Promise<Result | FailedCall>;

/** Creates the resend budget that the calls of one client share. */
function createResend(settings: Settings): Resend {
  const { maxAttempts, backoffMs, maxBackoffMs, retryReserve, retryBudget, resendAmbiguous } = settings;
  const { handleWhenResult, retry } = require<typeof Cockatiel>('cockatiel');
  let budget = retryReserve;

  /** The wait before the next attempt; undefined if there is no next attempt. */
  function waitAfter(failed: FailedCall, attempt: number, deadline: Deadline): number | undefined {
    const maySend = failed.resend === 'safe' || (failed.resend === 'ambiguous' && resendAmbiguous);
    if (!maySend || attempt >= maxAttempts || budget < 1) return undefined;
    // Full jitter: calls that failed together are not sent again together.
    const jitterMs = Math.random() * Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
    const waitMs = (failed.waitMs ?? 0) + jitterMs;
    return waitMs < deadline.remainingMs() ? waitMs : undefined;
  }

  return (send, deadline, onRetry) => {
    budget = Math.min(retryReserve, budget + retryBudget);
    let attempt = 0;
    let waitMs: number | undefined;
    const shouldResend = (result: unknown): boolean => {
      attempt += 1;
      if (!isFailed(result)) return false;
      waitMs = waitAfter(result, attempt, deadline);
      if (waitMs === undefined) return false;
      onRetry(result, waitMs);
      budget -= 1;
      return true;
    };
    const next = () => ({ duration: waitMs ?? 0, next });
    // `waitAfter` limits the attempts, because it must know the limit before it uses the budget.
    const policy = retry(handleWhenResult(shouldResend), { maxAttempts: Number.POSITIVE_INFINITY, backoff: { next } });
    // A pending resend alone does not keep the process alive; the caller who awaits it does.
    return policy.dangerouslyUnref().execute(send, deadline.signal);
  };
}
