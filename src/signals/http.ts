/** One POST request -> its status and body, or how it failed. No axios object leaves this file, its only user. */

import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { Axios, type AxiosRequestConfig } from 'axios';
import { ownValue } from './read-given.ts';

/** A POST request: the headers exactly as they are sent, and a JSON body. */
export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a request failed without a usable answer. */
export type TransportFailure =
  /** No connection was established. */
  | 'unreachable'
  /** The connection was lost after it was established. */
  | 'lost'
  /** The signal aborted the request. */
  | 'stopped'
  /** The body of a 2xx is over the limit. */
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
      /** Decompressed; read only if the status is 2xx, empty otherwise. */
      readonly body: Uint8Array;
    }
  /** INVARIANT: if `sent` is false, no byte of the request has left this machine. */
  | { readonly failure: TransportFailure; readonly sent: boolean };

/** Sends requests over kept-alive connections. Never throws. */
export interface HttpClient {
  post(message: PostRequest, signal: AbortSignal): Promise<Exchange>;
  /** Closes all connections. */
  close(): void;
}

/** The agent of a client, for http or, with `secure`, for https. */
export function createAgent(secure: boolean, maxSockets: number): http.Agent {
  const options = {
    keepAlive: true,
    maxSockets,
    // Close an idle connection before the server does: Node's servers wait 5 s, others longer.
    timeout: 4_000,
  };
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED, set by another part of the process, cannot expose the password.
  return secure ? new https.Agent({ ...options, rejectUnauthorized: true }) : new http.Agent(options);
}

/** Creates the HTTP client; `secure`: all URLs are https. */
export function createHttpClient(secure: boolean, maxBodyBytes: number, agent: http.Agent): HttpClient {
  // A separate instance: it has none of axios's defaults, and interceptors on the shared instance do not reach it.
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
      // The body is read only if the status is 2xx.
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
        // The body is not needed, so do not wait for it.
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
 * Headers that axios would otherwise set by itself. Some gateways refuse requests without a User-Agent (RFC 9110,
 * section 10.1.5); gzip is the encoding that every server supports.
 */
const FIXED_HEADERS = { 'User-Agent': 'verdict-engine', 'Accept-Encoding': 'gzip' };

/**
 * Node's request function, which calls `onSent` before the first byte can leave: when the connection is established
 * (TCP connected, TLS handshake done, certificate accepted), or at once if an open connection is reused.
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
    // Leaving the loop destroys the stream and closes the connection.
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
