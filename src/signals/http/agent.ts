/** The settings of a client -> the agent that makes and keeps its connections, through a proxy if there is one. */

import { once } from 'node:events';
import type { Agent, ClientRequest } from 'node:http';
import type { AgentOptions, Agent as HttpsAgent, RequestOptions } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { inspect } from 'node:util';
import { foreignCode } from '../../errors.ts';
import { CLIENT_DEFAULTS } from '../options.ts';
import type { ConnectionSettings } from './connection.ts';
import { http, https } from './node-http.ts';

/** The settings of an agent. `proxy` is already resolved. */
interface AgentSettings {
  readonly ca?: ConnectionSettings['ca'] | undefined;
  readonly clientCertificate?: ConnectionSettings['clientCertificate'] | undefined;
  readonly proxy?: URL | undefined;
  readonly signInPauseMs?: number;
  readonly idleMs?: number | undefined;
}

/** Overrides process settings that would weaken TLS: NODE_TLS_REJECT_UNAUTHORIZED, --tls-min-v1.0. */
export const STRICT_TLS = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;

/** Creates an agent for http or, with `secure`, for https. */
export function createAgent(
  secure: boolean,
  maxSockets: number,
  { proxy, ca, clientCertificate, signInPauseMs = 0, idleMs = CLIENT_DEFAULTS.idleMs }: AgentSettings = {},
): Agent {
  const options = {
    keepAlive: true,
    maxSockets,
    // It closes idle connections alone: a request that waits for its answer only gets an event that nobody hears.
    timeout: idleMs,
  };
  if (!secure) return new http.Agent(options);
  const trusted = { ...STRICT_TLS, ...(ca ? { ca } : {}) };
  // Passed as a context: NODE_DEBUG prints the options of an agent, and would print key and passphrase.
  const context = clientCertificate && createSecureContext({ ...trusted, ...clientCertificate });
  const tls = { ...options, ...trusted, ...(context ? { secureContext: context } : {}) };
  return proxy ? new TunnelAgent(proxy, signInPauseMs, tls) : new https.Agent(tls);
}

/** Why a tunnel was not opened; nothing of a request was sent. */
export type TunnelFailure =
  /** There is no connection to the proxy. */
  | 'proxyUnreachable'
  /** The proxy did not accept user name and password, or was given none. */
  | 'proxySignIn'
  /** The proxy did not open the tunnel. */
  | 'proxyRefused'
  /** The tunnel is open, but TLS with the service failed. */
  | 'tlsFailed';

/** The error of a tunnel that was not opened. It omits Node's message, which names hosts. */
export class TunnelError extends Error {
  readonly failure: TunnelFailure;
  /** The code of Node or OpenSSL, or `PROXY_STATUS_` and the status of the proxy. */
  readonly code: string | undefined;

  constructor(failure: TunnelFailure, code: string | undefined) {
    super(failure);
    this.failure = failure;
    this.code = code;
  }
}

/** What Node hands to an agent for a connection: the options of the request, ours among them. */
type ConnectionOptions = Parameters<HttpsAgent['createConnection']>[0] & {
  /** Aborts when the request is given up. */
  readonly stop?: AbortSignal;
};

type Callback = (error: Error | null, socket?: Duplex) => void;

/**
 * Opens tunnels itself, because libraries report the refusal of a proxy as if it were the answer of the service, or
 * leave a tunnel half open when its request is given up.
 */
class TunnelAgent extends https.Agent {
  readonly #proxy: URL;
  readonly #pauseMs: number;
  readonly #toProxy: RequestOptions;
  #refusedAt = Number.NEGATIVE_INFINITY;

  /** @param pauseMs how long no tunnel is requested after the proxy refused user name and password */
  constructor(proxy: URL, pauseMs: number, options: AgentOptions) {
    super(options);
    this.#proxy = proxy;
    this.#pauseMs = pauseMs;
    // The client's certificate is for the service alone.
    const { secureContext: _, ...toProxy } = options;
    this.#toProxy = toProxy;
  }

  override createConnection(options: ConnectionOptions, callback: Callback): undefined {
    this.#open(options).then((socket) => callback(null, socket), callback);
  }

  /** INVARIANT: the connection is ready for the first byte of the request: TLS is done, the certificate accepted. */
  async #open(options: ConnectionOptions): Promise<Duplex> {
    const tunnel = await this.#tunnel(options);
    const secure = super.createConnection({ ...options, socket: tunnel } as ConnectionOptions) as Duplex;
    try {
      await once(secure, 'secureConnect', { signal: options.stop });
      return secure;
    } catch (error) {
      secure.on('error', () => {}).destroy();
      throw new TunnelError('tlsFailed', foreignCode(error));
    }
  }

  async #tunnel(options: ConnectionOptions): Promise<Socket> {
    // Repeated attempts with a wrong password can lock the account at the proxy.
    if (performance.now() - this.#refusedAt < this.#pauseMs) throw new TunnelError('proxySignIn', REFUSED);
    const request = this.#request(options);
    // The first error is the result; later ones are ignored.
    request.on('error', () => {}).end();
    const [{ statusCode }, tunnel] = await once(request, 'connect', { signal: options.stop }).catch(
      (error: unknown) => {
        request.destroy();
        throw new TunnelError('proxyUnreachable', foreignCode(error));
      },
    );
    if (statusCode === 200) return tunnel;
    tunnel.destroy();
    if (statusCode !== 407) throw new TunnelError('proxyRefused', `PROXY_STATUS_${statusCode}`);
    this.#refusedAt = performance.now();
    throw new TunnelError('proxySignIn', REFUSED);
  }

  #request({ host, port }: ConnectionOptions): ClientRequest {
    const { protocol, hostname, port: proxyPort, username, password } = this.#proxy;
    const target = `${isIPv6(host ?? '') ? `[${host}]` : host}:${port}`;
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    const isLogin = username !== '' || password !== '';
    const { request } = protocol === 'https:' ? https : http;
    return request({
      ...this.#toProxy,
      agent: false,
      host: hostname.replace(/^\[|\]$/g, ''),
      port: proxyPort,
      method: 'CONNECT',
      path: target,
      headers: hideHeaders({ Host: target, ...(isLogin ? { 'Proxy-Authorization': `Basic ${login}` } : {}) }),
    });
  }
}

const REFUSED = 'PROXY_STATUS_407';

/** Headers that NODE_DEBUG does not print with the options of a request. */
export function hideHeaders<Headers extends object>(headers: Headers): Headers {
  return Object.defineProperty(headers, inspect.custom, { value: () => '[hidden]' });
}
