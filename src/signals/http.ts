/** One POST in, its status and body or how it failed out; all that knows axios, and no object of axios leaves it. */

import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { Axios, type AxiosRequestConfig } from 'axios';
import { ownValue } from './own-properties.ts';

/** A request: headers exactly as they go out, and a JSON body. */
export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a request without a usable answer failed. */
export type TransportFailure =
  /** No connection, or none that was ever used. */
  | 'unreachable'
  /** Lost after the connection stood. */
  | 'lost'
  /** Ended by its signal. */
  | 'stopped'
  /** The body of a 2xx is over the limit. */
  | 'tooLarge'
  /** What came is not HTTP, or not compressed as it says. */
  | 'garbled';

/** What became of a request. */
export type Exchange =
  | {
      readonly failure: undefined;
      readonly status: number;
      /** The headers `Retry-After` and `Date`, as they came. */
      readonly retryAfter?: unknown;
      readonly date?: unknown;
      /** Decompressed; read only where the status is 2xx, empty otherwise. */
      readonly body: Uint8Array;
    }
  /** INVARIANT: where `sent` is false, no byte of the request has left. */
  | { readonly failure: TransportFailure; readonly sent: boolean };

/** Sends requests over connections that are kept. Never throws. */
export interface HttpClient {
  post(message: PostRequest, signal: AbortSignal): Promise<Exchange>;
  /** Drops all connections. */
  close(): void;
}

/** The agent of a client for http or https addresses, with so many connections at most. */
export function createAgent(secure: boolean, maxSockets: number): http.Agent {
  const options = {
    keepAlive: true,
    maxSockets,
    // An idle connection is given up before the server's end of it may be: Node's own servers wait 5 s, others longer.
    timeout: 4_000,
  };
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED of some other part of the process does not reach the password.
  return secure ? new https.Agent({ ...options, rejectUnauthorized: true }) : new http.Agent(options);
}

/** Creates the sender of a client; `secure` is whether its addresses are https. */
export function createHttpClient(secure: boolean, maxBodyBytes: number, agent: http.Agent): HttpClient {
  // An instance of its own, without axios's defaults and out of reach of interceptors on the shared one.
  const axios = new Axios();

  async function post({ url, headers, body }: PostRequest, signal: AbortSignal): Promise<Exchange> {
    let sent = false;
    const config: AxiosRequestConfig = {
      adapter: 'http',
      method: 'post',
      url,
      data: Buffer.from(body),
      headers: { ...FIXED_HEADERS, ...headers },
      signal,
      // The status decides whether the body is read at all.
      responseType: 'stream',
      validateStatus: () => true,
      maxRedirects: 0,
      proxy: false,
      httpAgent: agent,
      httpsAgent: agent,
      transport: transportWithSentHook(secure, () => {
        sent = true;
      }),
    };
    const failed = (failure: TransportFailure): Exchange => ({ failure: signal.aborted ? 'stopped' : failure, sent });
    try {
      const { status, headers: answered, data } = await axios.request<Readable>(config);
      if (status < 200 || status > 299) {
        // A body that nobody reads is not waited for.
        data.on('error', () => {}).destroy();
        const [retryAfter, date] = ['retry-after', 'date'].map((name) => ownValue(answered, name));
        return { failure: undefined, status, retryAfter, date, body: new Uint8Array() };
      }
      const read = await readBody(data, maxBodyBytes);
      if (read === undefined) return failed('tooLarge');
      return { failure: undefined, status, body: read };
    } catch (error) {
      if (!sent) return failed('unreachable');
      return failed(isGarbled(error) ? 'garbled' : 'lost');
    }
  }

  return { post, close: () => agent.destroy() };
}

/**
 * What axios would otherwise fill in by itself. Some gateways refuse requests that do not name their sender (RFC 9110,
 * section 10.1.5); of the encodings gzip is the one that every server has.
 */
const FIXED_HEADERS = { 'User-Agent': 'verdict-engine', 'Accept-Encoding': 'gzip' };

/**
 * Node's own request function, calling `onSent` before the first byte can leave: when the connection stands (TCP
 * connected, the TLS handshake done and the certificate accepted), at once where an open connection is used again.
 */
function transportWithSentHook(secure: boolean, onSent: () => void) {
  const request = secure ? https.request : http.request;
  return {
    request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
      return request(options, onResponse).once('socket', (socket) => {
        if (socket.connecting) socket.once(secure ? 'secureConnect' : 'connect', onSent);
        else onSent();
      });
    },
  };
}

async function readBody(body: Readable, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Error codes of Node's HTTP parser and of its decompressors. */
const GARBLED = /^(HPE_|Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_ZSTD|ZSTD_)/;

function isGarbled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && GARBLED.test(String(error.code));
}
