/** The options of a client of the verification service, with the default of each. */

import type { Agent } from 'node:http';
import type { ClientEvent } from '../platform/events.ts';

/** User name and password of an account of the service. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Certificates or a key in PEM. */
export type Pem = string | Uint8Array;

/** The certificate by which a client proves to the service who it is (mutual TLS). */
export interface ClientCertificate {
  /** The certificate, followed by those of intermediate authorities. */
  readonly cert: Pem;
  readonly key: Pem;
  /** Of the key, if it is encrypted. */
  readonly passphrase?: string;
}

/** How the connections of a client are made. */
export interface ConnectionOptions {
  /**
   * The proxy to the service: an http or https URL, with user name and password if the proxy asks for them. With
   * `environment`, HTTPS_PROXY (or ALL_PROXY) and NO_PROXY of the process decide, as they are when the client is
   * created. Default: none, whatever the environment says.
   */
  readonly proxy?: string;
  /** The only authorities that are trusted, one or several certificates a text. Default: those that Node trusts. */
  readonly ca?: Pem | readonly Pem[];
  /** Default: none. */
  readonly clientCertificate?: ClientCertificate;
  /**
   * An `http.Agent` or `https.Agent` that makes the connections, in place of `proxy`, `ca` and `clientCertificate`. It
   * stays open when the client is closed. Default: an agent of the client's own.
   */
  readonly agent?: Agent;
  /**
   * How long a connection is kept without a request, in milliseconds: less than the service keeps it, or a request may
   * meet its end. Not with an `agent`, which decides this itself. Default: 4,000.
   */
  readonly idleMs?: number;
  /**
   * Headers to add to every request, or a function that gives them before each. Those that the client sets cannot be
   * replaced. Default: none.
   */
  readonly headers?: ExtraHeaders | (() => ExtraHeaders | Promise<ExtraHeaders>);
}

/** Names and values. A value may be a secret: no message repeats it. */
export type ExtraHeaders = Readonly<Record<string, string>>;

/** How a client reaches the verification service. */
export interface VerifyClientOptions extends ConnectionOptions {
  /** The https URL before `/api/v2/`; sandbox and production have different URLs. http for this machine only. */
  readonly baseUrl: string;
  /** Whether `baseUrl` may be http on another machine: password and identity are then sent in clear. Default: false. */
  readonly allowClearText?: boolean;
  /** The form of the sign-in body: bare in the sandbox, wrapped in `data` in production. */
  readonly environment: 'sandbox' | 'production';
  /** The account; required without `credentials`. */
  readonly username?: string;
  /** Required without `credentials`. */
  readonly password?: string;
  /**
   * Returns user name and password, for an account whose password changes; it replaces `username` and `password`. It is
   * called before each sign-in, which concurrent calls share, and has half of `timeoutMs`. If it fails, calls end with
   * SIGN_IN_FAILED.
   */
  readonly credentials?: () => Credentials | Promise<Credentials>;
  /**
   * The dotted path of the token in the answer to a sign-in, or a list of paths; the first with a text counts.
   * Default: `sessionToken`, `token`, `access_token`, `data.token`.
   */
  readonly tokenPath?: string | readonly string[];
  /**
   * The header of an answer in which the service names the request for its support, or several headers, of which the
   * first counts. Default: `x-request-id`, `x-correlation-id`.
   */
  readonly requestIdHeader?: string | readonly string[];
  /** The dotted path of that name in the body, or several. If set, bodies of errors are read. Default: none. */
  readonly requestIdPath?: string | readonly string[];
  /** How long a token is valid, in milliseconds. Default: 28,800,000 (8 hours). */
  readonly tokenLifeMs?: number;
  /** The deadline of a whole verify call, including sign-in, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
  /** The largest answer that is read, decompressed, in bytes. Default: 1,048,576 (1 MiB). */
  readonly maxBodyBytes?: number;
  /**
   * How long before it expires a token is renewed, in milliseconds; the actual time is random between once and
   * twice this long. Default: 1,200,000 (20 minutes).
   */
  readonly refreshAheadMs?: number;
  /** How long no sign-in is tried after a refused one, or two fruitless ones, in milliseconds. Default: 30,000. */
  readonly signInPauseMs?: number;
  /** The maximum number of times a call is sent, if sending it again cannot bill it twice. Default: 4. */
  readonly maxAttempts?: number;
  /** The longest wait before the first resend of a call, in milliseconds; it doubles with each resend. Default: 100. */
  readonly backoffMs?: number;
  /** The longest wait before any resend, in milliseconds, in addition to what the service asks for. Default: 2,000. */
  readonly maxBackoffMs?: number;
  /** How many resends each call adds to the budget that all calls share. Default: 0.2. */
  readonly retryBudget?: number;
  /** The resends in the budget at the start, and at most. Default: 10. */
  readonly retryReserve?: number;
  /** Whether to send a call again that may have been carried out, and billed. Default: false. */
  readonly resendAmbiguous?: boolean;
  /** After this many failures of the service in a row, calls end at once with CIRCUIT_OPEN. Default: 10. */
  readonly breakerFailures?: number;
  /** How long calls end with CIRCUIT_OPEN before one call is tried again, in milliseconds. Default: 5,000. */
  readonly breakerPauseMs?: number;
  /** The maximum number of calls in flight. Default: 256. */
  readonly maxConcurrent?: number;
  /** The maximum number of calls that wait to be sent; one more ends with QUEUE_FULL. Default: 10,000. */
  readonly maxQueued?: number;
  /** The maximum number of verify calls sent in a second. Default: no limit. */
  readonly maxPerSecond?: number;
  /**
   * The maximum number of verify calls a day, UTC by `now`, that may be billed: every request counts, a resend too,
   * unless it was certainly not carried out. Further calls end with DAILY_LIMIT_REACHED, and nothing is sent. Each
   * client of each process counts for itself and in memory, from 0. Default: no limit.
   */
  readonly maxCallsPerDay?: number;
  /** Called with what happens: requests, resends, sign-ins, the circuit. What it throws is ignored. Default: none. */
  readonly onEvent?: (event: ClientEvent) => void;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * The defaults, and why. The service documents how long a token is valid, but neither its path in the answer nor any
 * limit of rate or size. docs/reliability.md has the same table; a test compares the two.
 */
export const CLIENT_DEFAULTS = {
  /** Anyone on the network could read passwords and phone numbers, and answer in the service's place. */
  allowClearText: false,
  tokenPath: ['sessionToken', 'token', 'access_token', 'data.token'],
  /** Gateways use these two most. */
  requestIdHeader: ['x-request-id', 'x-correlation-id'],
  /** No body of an error is read unless its shape is known. */
  requestIdPath: [],
  /** As documented by the service. */
  tokenLifeMs: 8 * 60 * 60 * 1000,
  /** A person waits in front of a form: longer than most services need, shorter than most people wait. */
  timeoutMs: 10_000,
  /** A hundred times the usual answer. */
  maxBodyBytes: 1024 * 1024,
  /** Time for many attempts to sign in before the old token expires; processes that started together drift apart. */
  refreshAheadMs: 20 * 60 * 1000,
  /** Two sign-ins a minute with a wrong password: few accounts are locked for that, and a corrected one soon works. */
  signInPauseMs: 30_000,
  /** If one request in six is declined, one call in a thousand is declined four times. */
  maxAttempts: 4,
  /** About as long as an answer takes. */
  backoffMs: 100,
  /** Several such waits fit into the deadline. */
  maxBackoffMs: 2_000,
  /** A service that is down gets at most a fifth more calls than usual from one client. */
  retryBudget: 0.2,
  /** Lets a process with few calls resend them too. */
  retryReserve: 10,
  /** The caller has to agree to paying twice. */
  resendAmbiguous: false,
  /** More in a row than a working service fails by chance; soon reached if the service is down. */
  breakerFailures: 10,
  /** A restart takes longer; one call every five seconds is not a burden. */
  breakerPauseMs: 5_000,
  /** Node's servers keep a connection for 5 seconds, others longer. */
  idleMs: 4_000,
  /** Below the usual limits of 511 waiting connections and 1,024 open files. */
  maxConcurrent: 256,
  /** It limits memory. A call that waits longer than its deadline ends anyway. */
  maxQueued: 10_000,
  now: () => Date.now(),
} as const satisfies Partial<VerifyClientOptions>;

/** As a URL writes them: 127.1 and 0x7f000001 are 127.0.0.1 there. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Continues the name of the option. */
export const CLEAR_TEXT_PROBLEM = 'is http to another machine, which sends passwords and personal data in clear';

/** Whether a URL leads to another machine, without encryption. False for a text that is not a URL. */
export function isClearText(baseUrl: string): boolean {
  const { protocol, hostname } = URL.canParse(baseUrl) ? new URL(baseUrl) : {};
  return protocol === 'http:' && !LOOPBACK.test(hostname ?? '');
}
