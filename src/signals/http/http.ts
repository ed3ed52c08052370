/** One POST request -> its status, body and id, or how it failed. No axios object leaves this file, its only user. */

import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import { finished, pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createUnzip } from 'node:zlib';
import type * as AxiosPackage from 'axios';
import type { AxiosAdapter, AxiosRequestConfig } from 'axios';
import { foreignCode } from '../../errors.ts';
import { ownValue } from '../../platform/given/read-given.ts';
import { parseJson } from '../../platform/json.ts';
import { require } from '../../platform/lazy.ts';
import type { CallerFault } from '../deadline.ts';
import { hideHeaders, STRICT_TLS, TunnelError, type TunnelFailure } from './agent.ts';
import { http, https } from './node-http.ts';

/** A POST request: the headers exactly as they are sent, and a JSON body. */
interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a request failed without a usable answer. */
export type TransportFailure =
  /** The name of the host was not found. */
  | 'hostUnknown'
  /** The connection was refused. */
  | 'refused'
  /** The tunnel through a proxy was not opened, or TLS failed, for example at the certificate. */
  | TunnelFailure
  /** No connection was established, for another reason. */
  | 'unreachable'
  /** The connection was lost after it was established. */
  | 'lost'
  /** The signal aborted the request. */
  | 'stopped'
  /** The body of an answer is over the limit. */
  | 'tooLarge'
  /** The answer is not HTTP, or not compressed as its header says. */
  | 'garbled';

/** The result of a request. */
export type Exchange =
  | {
      readonly failure: undefined;
      readonly status: number;
      /** The headers `Retry-After` and `Date`, as received. */
      readonly retryAfter?: unknown;
      readonly date?: unknown;
      /** The service's id of the request, where it is known and can be shown. */
      readonly requestId?: string;
      /** All headers, as received. */
      readonly headers: unknown;
      /** Decompressed. Without an answer it is empty, unless bodies of errors are read and this one is small. */
      readonly body: Uint8Array;
    }
  /** INVARIANT: if `sent` is false, no byte of the request has left this machine. */
  | {
      readonly failure: TransportFailure;
      readonly sent: boolean;
      /** The code of Node or OpenSSL. */
      readonly cause?: string;
    }
  /** An option of the caller's failed, and nothing was sent. */
  | { readonly failure: 'caller'; readonly sent: false; readonly fault: CallerFault };

/** Whether a status announces a whole answer. That of another 2xx may be empty, or a part (206). */
export function isAnswered(status: number): boolean {
  return status === 200 || status === 201;
}

/** Sends requests over kept-alive connections. Never throws. */
export interface HttpClient {
  post(message: PostRequest, signal: AbortSignal): Promise<Exchange>;
}

/**
 * Creates the HTTP client; `secure`: all URLs are https; `readsErrors`: small bodies of errors are read. The caller
 * closes the agent.
 */
export function createHttpClient(secure: boolean, maxBodyBytes: number, agent: Agent, readsErrors = false): HttpClient {
  // A separate instance: it has none of axios's defaults, and interceptors on the shared instance do not reach it.
  // The build for browsers: it lacks the adapter over Node, with its redirects, proxies and forms, which is not used.
  const axios = new (require<typeof AxiosPackage>('axios/dist/browser/axios.cjs').Axios)();

  async function post({ url, headers, body }: PostRequest, signal: AbortSignal): Promise<Exchange> {
    let sent = false;
    let isConnected = false;
    const config: AxiosRequestConfig = {
      method: 'post',
      url,
      data: Buffer.from(body),
      headers: { ...FIXED_HEADERS, ...headers },
      signal,
      adapter: adapterWithHooks(secure, agent, signal, {
        onConnect: () => {
          isConnected = true;
        },
        onSent: () => {
          sent = true;
        },
      }),
    };
    const failed = (failure: TransportFailure, cause?: string): Exchange => {
      if (signal.aborted) return { failure: 'stopped', sent };
      return { failure, sent, ...(cause === undefined ? {} : { cause }) };
    };
    try {
      const { status, headers: answered, data } = await axios.request<Readable>(config);
      if (!isAnswered(status)) {
        const body = readsErrors ? await readErrorBody(data) : new Uint8Array();
        // What is left of the body is not needed, so do not wait for it.
        data.on('error', () => {}).destroy();
        const [retryAfter, date] = ['retry-after', 'date'].map((name) => ownValue(answered, name));
        return { failure: undefined, status, retryAfter, date, headers: answered, body };
      }
      const read = await readBody(data, maxBodyBytes);
      if (read === undefined) return failed('tooLarge');
      return { failure: undefined, status, headers: answered, body: read };
    } catch (error) {
      if (error instanceof TunnelError) return failed(error.failure, error.code);
      const cause = foreignCode(error);
      if (sent) return failed(failureOnceSent(cause), cause);
      return failed(isConnected ? 'tlsFailed' : notConnected(cause), cause);
    }
  }

  return { post };
}

/**
 * Headers that axios would otherwise set by itself. Some gateways refuse requests without a User-Agent (RFC 9110,
 * section 10.1.5); gzip is the encoding that every server supports.
 */
const FIXED_HEADERS = { 'User-Agent': 'verdict-engine', 'Accept-Encoding': 'gzip' };

/**
 * An adapter for axios: sends the request by Node, and gives its answer as a stream, decompressed. It calls `onConnect`
 * once TCP is connected, before the TLS handshake, and `onSent` before the first byte can leave: when the connection is
 * established (TCP connected, TLS handshake done, certificate accepted), or at once if an open connection is reused.
 */
function adapterWithHooks(
  secure: boolean,
  agent: Agent,
  stop: AbortSignal,
  { onConnect, onSent }: { readonly onConnect: () => void; readonly onSent: () => void },
): AxiosAdapter {
  const send = secure ? https.request : http.request;
  return (config) =>
    new Promise((resolve, reject) => {
      const headers = hideHeaders({ ...config.headers });
      const tls = secure ? STRICT_TLS : {};
      const request = send(config.url ?? '', { ...tls, method: 'POST', headers, agent, stop } as RequestOptions);
      let current: { destroy(): unknown } = request;
      const onStop = () => {
        current.destroy();
        // A destroyed request that waits for a connection emits nothing until it gets one.
        reject(new Error('stopped'));
      };
      stop.addEventListener('abort', onStop);
      request
        .once('socket', (socket) => {
          if (!socket.connecting) onSent();
          else if (secure) socket.once('connect', onConnect).once('secureConnect', onSent);
          else socket.once('connect', onSent);
        })
        .once('response', (response) => {
          const data = decompress(response);
          current = data;
          const { statusCode: status = 0, headers } = response;
          resolve({ status, statusText: '', headers: headers as Record<string, string>, config, data });
        })
        .once('close', () => stop.removeEventListener('abort', onStop))
        .on('error', reject)
        .end(config.data);
    });
}

/** As curl does: a body is whole without the checksum after it, too. */
const UNZIP = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

const UNKNOWN_ENCODING = Object.assign(new Error('unknown content encoding'), { code: 'Z_UNKNOWN' });

/** The decompressor of each encoding, for a server that does not heed `Accept-Encoding` too. */
const DECOMPRESSORS = new Map<string, () => Transform>([
  ['gzip', () => createUnzip(UNZIP)],
  ['x-gzip', () => createUnzip(UNZIP)],
  ['deflate', () => createUnzip(UNZIP)],
  ['br', () => createBrotliDecompress()],
]);

function decompress(response: IncomingMessage): Readable {
  const encoding = ownValue(response.headers, 'content-encoding');
  const name = typeof encoding === 'string' ? encoding.toLowerCase() : 'identity';
  // The reader of the stream gets its errors.
  if (name === 'identity') return response;
  const create = DECOMPRESSORS.get(name);
  // Whatever the body looks like, it is not what the service says that it is.
  return create ? pipeline(response, create(), () => {}) : response.destroy(UNKNOWN_ENCODING);
}

/** Undefined, with the connection closed, if the body exceeds the limit. By events: `for await` takes twice as long. */
function readBody(body: Readable, maxBytes: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    body.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) return chunks.push(chunk);
      resolve(undefined);
      return body.destroy();
    });
    finished(body, (error) => (error ? reject(error) : resolve(Buffer.concat(chunks))));
  });
}

/** Error codes of Node's HTTP parser and of its decompressors. */
const GARBLED = /^(HPE_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_ZSTD|ZSTD_)/;

/**
 * The alerts of a server that does not accept the certificate of its client, or misses it. In TLS 1.3 they arrive after
 * the request was sent, but a server that sends one has not read it (RFC 8446, sections 4.4.2.4 and 6.2).
 */
const CERTIFICATE_ALERT = /_ALERT_((BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_[A-Z]+|UNKNOWN_CA|ACCESS_DENIED)$/;

/** How a connection failed after it was established. */
function failureOnceSent(cause = ''): TransportFailure {
  if (GARBLED.test(cause)) return 'garbled';
  return CERTIFICATE_ALERT.test(cause) ? 'tlsFailed' : 'lost';
}

/** How a connection failed before TCP was connected. */
function notConnected(cause = ''): TransportFailure {
  if (cause === 'ECONNREFUSED') return 'refused';
  return cause === 'ENOTFOUND' || cause.startsWith('EAI_') ? 'hostUnknown' : 'unreachable';
}

/** Bodies of errors are short. A longer or slower one is cut off. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_MS = 1_000;

/** The body of an error; empty if it cannot be read. Never rejects. */
async function readErrorBody(data: Readable): Promise<Uint8Array> {
  const timer = setTimeout(() => data.destroy(), MAX_ERROR_MS);
  try {
    return (await readBody(data, MAX_ERROR_BYTES)) ?? new Uint8Array();
  } catch {
    return new Uint8Array();
  } finally {
    clearTimeout(timer);
  }
}

/** Where the id is: names of headers, then paths in the body; the first that has one counts. */
interface RequestIdPlaces {
  readonly requestIdHeader: readonly string[];
  readonly requestIdPath: readonly (readonly string[])[];
}

/** The characters of ids in use (UUID, ULID, base64, AWS and Akamai ids). An email address does not match. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._:/+=-]{0,127}$/;

/** Shorter texts are part of many ids by chance. */
const SHORTEST = 4;

/**
 * Adds the request id to each exchange of a client that has one. Ids that repeat what was sent, or a secret, are
 * dropped.
 */
export function identifyRequests(
  http: HttpClient,
  places: RequestIdPlaces,
  secrets: () => readonly string[],
): HttpClient {
  return {
    async post(message, signal) {
      const exchange = await http.post(message, signal);
      const id = findId(places, exchange);
      if (id === undefined) return exchange;
      const headers = Object.values(message.headers).map((value) => value.replace(/^Bearer /, ''));
      const sent = [...textsOf(message.body), ...headers, ...secrets()];
      return repeats(id, sent) ? exchange : { ...exchange, requestId: id };
    },
  };
}

/** The id of an exchange, to be spread into its result. */
export function requestIdOf(exchange: Exchange): { readonly requestId?: string } {
  const requestId = exchange.failure === undefined ? exchange.requestId : undefined;
  return requestId === undefined ? {} : { requestId };
}

function findId({ requestIdHeader, requestIdPath }: RequestIdPlaces, exchange: Exchange): string | undefined {
  if (exchange.failure !== undefined) return undefined;
  const parsed = requestIdPath.length === 0 ? undefined : parseJson(exchange.body);
  const body = parsed?.problem === undefined ? parsed?.value : undefined;
  const candidates = [
    ...requestIdHeader.map((name) => ownValue(exchange.headers, name.toLowerCase())),
    ...requestIdPath.map((path) => path.reduce(ownValue, body)),
  ];
  return candidates.map((value) => (typeof value === 'number' ? `${value}` : value)).find(isId);
}

/** The texts in a JSON body that we sent. */
function textsOf(json: string): string[] {
  const texts: string[] = [];
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}

/** Whether an id has the letters and digits of a text that was sent, or is a part of it, or shares six digits. */
function repeats(id: string, sent: readonly string[]): boolean {
  const bare = squeeze(id);
  // A phone number without its country code, for example.
  const numbers = [...bare.matchAll(/(?=(\d{6}))/g)].map(([, number = '']) => number);
  return sent.some((text) => {
    if (id.includes(text)) return true;
    const other = squeeze(text);
    const isRepeated = other.includes(bare) || bare.includes(other) || numbers.some((number) => other.includes(number));
    return other.length >= SHORTEST && isRepeated;
  });
}

function squeeze(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
