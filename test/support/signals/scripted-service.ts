/** A test's handlers -> a verification service that answers with them, over real HTTP on this machine. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { VerdictError } from '../../../src/errors.ts';
import { createVerifyClient, type VerifyClient } from '../../../src/signals/client.ts';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';

/** A request as received. */
export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request. */
export type Handler = (response: ServerResponse, received: Received) => void;

/** A running service and the requests it received. */
export interface Service {
  readonly url: string;
  readonly signIns: Received[];
  readonly verifies: Received[];
  readonly connections: Set<Socket>;
}

/** The secrets and personal data of these tests; none may appear in an error. */
export const CANARY = {
  username: 'canary-user',
  password: 'canary-password',
  token: 'canary-token',
  phoneNo: '+44 7700 900987',
  email: 'canary-mail@canary.example',
  ip: '203.0.113.77',
} as const;

/** An applicant with all identity variables. */
export const APPLICANT = pick('phoneNo', 'email', 'ip');

/** A request about them. */
export const REQUEST = { ...APPLICANT, clientReference: 'reference-1' };

/** An answer in JSON. */
export function json(value: unknown, status = 200): Handler {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/**
 * Starts a service; sign-in gives the canary token and verify answers `{}` unless the test has something else in
 * mind.
 */
export async function serve({
  signIn = json({ sessionToken: CANARY.token }),
  verify = json({}),
  tls,
}: {
  signIn?: Handler;
  verify?: Handler;
  /** For a service over https. */
  tls?: https.ServerOptions;
} = {}): Promise<Service> {
  const onRequest: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const received = { method: request.method, path: request.url, headers: request.headers, body };
      const isSignIn = request.url?.endsWith('/auth/sign_in') ?? false;
      (isSignIn ? service.signIns : service.verifies).push(received);
      (isSignIn ? signIn : verify)(response, received);
    });
  };
  const server = tls ? https.createServer(tls, onRequest) : createServer(onRequest);
  const url = await listen(server, tls ? 'https' : 'http');
  const service: Service = { url, signIns: [], verifies: [], connections: connectionsOf(server) };
  return service;
}

/** Starts a TCP server. */
export async function serveTcp(onConnection: (socket: Socket) => void): Promise<{ port: number; bytes: () => number }> {
  let bytes = 0;
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      bytes += data.length;
    });
    onConnection(socket);
  });
  connectionsOf(server);
  const url = await listen(server);
  return { port: Number(new URL(url).port), bytes: () => bytes };
}

/** A client of a service with the canary credentials, unless the options have a function for them. */
export function connect(url: string, options: Partial<VerifyClientOptions> = {}): VerifyClient {
  const account = options.credentials ? {} : { username: CANARY.username, password: CANARY.password };
  const client = createVerifyClient({ baseUrl: url, environment: 'sandbox', ...account, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** The `VerdictError` of a promise that must reject. */
export async function failureOf(promise: Promise<unknown>): Promise<VerdictError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof VerdictError) return error;
  throw error;
}

/** A promise and the function that resolves it. */
export function signal(): { readonly promise: Promise<void>; readonly give: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, give: resolve };
}

/** The URL of a server, once it listens. */
export async function listen(server: Server, protocol = 'http'): Promise<string> {
  server.listen(0, '127.0.0.1', 4096);
  await once(server, 'listening');
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The open connections of a server, which is closed when the test ends. */
export function connectionsOf(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return sockets;
}

function pick<K extends keyof typeof CANARY>(...keys: K[]): Pick<typeof CANARY, K> {
  return Object.fromEntries(keys.map((key) => [key, CANARY[key]])) as Pick<typeof CANARY, K>;
}
