/** The table of routes and a service -> HTTP servers: the API, and health and metrics beside it. */

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { foreignCode, VerdictError } from '../errors.ts';
import { loadOptional } from '../platform/lazy.ts';
import { pause } from '../signals/deadline.ts';
import { didYouMean, toJson } from '../text.ts';
import { createAdmin, type State, watchDelay } from './admin.ts';
import { createDoor, oneByOne } from './auth/door.ts';
import { type ApiKey, type KeyRing, recordKeys } from './auth/keys.ts';
import { inNetworks } from './auth/proxies.ts';
import { isBehindProxies, type ServeConfig } from './config.ts';
import { ProblemError, problemAt } from './problem.ts';
import {
  BODY_MS,
  errorOf,
  flawIn,
  idIn,
  knownOf,
  languageOf,
  markDecision,
  markProblem,
  readAs,
  readJson,
  refuseEncoded,
  refuseMethods,
  requestIdOf,
  traceOf,
  typeOfBody,
  withReference,
} from './request.ts';
import { Answer, kibOf, routerPath } from './route.ts';
import { ROUTES } from './routes.ts';
import type { Report, Service } from './service.ts';
import { readTls, watchTls } from './tls.ts';
import { addPages, prefersPage, type ShowMissing, wantsPage } from './workbench/page-server.ts';

const SECOND_MS = 1000;

/** A loop that is later than this for two seconds is overloaded. */
const MOST_DELAY_MS = 500;

/** Handshakes and headers of honest callers arrive in far less. */
const [HEADERS_MS, IDLE_MS] = [10_000, 65_000];

/** Starts both servers. Rejects with CONFIGURATION_INVALID if a port cannot be opened. */
export async function startServers(service: Service, keys: KeyRing, report: Report) {
  const { config } = service;
  const state: State = { isDraining: false, isClosing: false, inFlight: 0, delay: watchDelay(service.closed) };
  const api = await createApi(service, keys, state, report);
  const admin = createAdmin(service, keys, state);
  const watch = config.tls && watchTls(config.tls, api.server, report);
  service.closed.addEventListener('abort', () => watch?.close());
  const adminUrl = await openPort(config.admin, (at) => listen(admin, at), 'http');
  const url = await openPort(
    config.listen,
    (at) => api.listen(at).then(() => api.server),
    config.tls ? 'https' : 'http',
  ).catch((error: unknown) => {
    // An open server would keep the process running.
    admin.close();
    throw error;
  });
  const { audit } = service;
  let recording: Promise<unknown> = Promise.resolve();
  keys.follow((now) => {
    const record = () => audit && recordKeys(audit, now);
    recording = recording.then(record).catch(() => report({ event: 'keys.notRecorded' }));
  });
  return {
    /** The address of the API, without a slash at the end. */
    url,
    /** The address of health and metrics. */
    adminUrl,
    /**
     * Takes no new connections after the pause of the configuration, lets those in flight end, and closes everything.
     */
    drain: async () => {
      state.isDraining = true;
      // Those who send requests here look at the readiness from time to time.
      await pause(config.limits.drainMs, undefined);
      state.isClosing = true;
      service.records?.follower.endWaits();
      await endConnections(api.server, state, config.limits);
      await api.close();
      keys.close();
      await recording;
      await service.close();
      admin.closeAllConnections();
      admin.close();
    },
  };
}

/**
 * Accepts no connection any more, and resolves once all requests are answered, or have had their time. Each answer ends
 * its connection. One without a request stays open for a while: a caller that is sending one would lose it.
 */
async function endConnections(server: Server, state: State, limits: ServeConfig['limits']): Promise<void> {
  await acceptWaiting(server);
  const ended = new AbortController();
  server.once('close', () => ended.abort());
  // `close` of an HTTP server would end those without a request at once.
  NetServer.prototype.close.call(server);
  await pause(limits.drainMs > 0 ? SENDING_MS : 0, ended.signal);
  server.closeIdleConnections();
  const endsAt = performance.now() + limits.deadlineMs + SENDING_MS;
  while (state.inFlight > 0 && performance.now() < endsAt) await pause(POLL_MS, ended.signal);
  server.closeAllConnections();
}

/**
 * Accepts the connections that wait: the kernel resets those when their socket is closed, with the request that they
 * may have sent. Node accepts one in each turn of the event loop, in their order.
 */
async function acceptWaiting(server: Server): Promise<void> {
  let isAccepted = true;
  const onConnection = () => {
    isAccepted = true;
  };
  server.on('connection', onConnection);
  for (let turn = 0; isAccepted && turn <= MOST_WAITING; turn++) {
    isAccepted = false;
    await new Promise(setImmediate);
  }
  server.off('connection', onConnection);
}

/** A caller that got an answer just before sends its next request within this time. */
const SENDING_MS = 5000;

const POLL_MS = 10;

/** Node's default of `backlog`. */
const MOST_WAITING = 511;

/** Rejects with CONFIGURATION_INVALID if the port cannot be opened now. */
export async function checkPort(at: At): Promise<void> {
  const server = new NetServer();
  await openPort(at, () => listen(server, at), 'http');
  await new Promise((resolve) => server.close(resolve));
}

type At = ServeConfig['admin'];

async function openPort(at: At, open: (at: At) => Promise<NetServer>, scheme: string): Promise<string> {
  try {
    const server = await open(at);
    const { port } = server.address() as AddressInfo;
    return `${scheme}://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`;
  } catch (error) {
    const why = foreignCode(error) === 'EADDRINUSE' ? 'is taken' : 'cannot be opened';
    throw new VerdictError('CONFIGURATION_INVALID', `port ${at.port} of ${at.host} ${why}`);
  }
}

function listen<Of extends NetServer>(server: Of, { host, port }: At): Promise<Of> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

/** The status in the log and in metrics of a request whose caller did not wait for the answer. */
const HUNG_UP = 499;

async function createApi(service: Service, keys: KeyRing, state: State, report: Report): Promise<FastifyInstance> {
  const { config, metrics, access } = service;
  const app = await createFastify(config);
  const isPeer = isBehindProxies(config) ? inNetworks(config.listen.trustProxy ?? []) : () => true;
  const door = createDoor(keys, config.limits.inFlight);
  // Fastify reads no body by itself: each type has one reader here.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request, payload, done) => done(null, payload));
  app.addContentTypeParser('application/x-ndjson', (_request, payload, done) => done(null, payload));

  app.addHook('onRequest', async (request, reply) => {
    const beganAt = performance.now();
    state.inFlight += 1;
    // Not Fastify's hook, which is not called for a caller that hangs up.
    reply.raw.once('close', () => {
      state.inFlight -= 1;
      const seconds = (performance.now() - beganAt) / 1000;
      const { key, person, decision, problem } = knownOf(request);
      const route = (request.routeOptions.url ?? 'none').replace(/:(\w+)/g, '{$1}');
      const status = reply.raw.writableFinished ? reply.statusCode : HUNG_UP;
      metrics.count('verdict_http_requests_total', { route, method: request.method, status });
      metrics.time('verdict_http_request_seconds', { route }, seconds);
      const ids = { request: request.id, trace: traceOf(request), decision, key: key?.id, person };
      report({ route, status, ms: Math.round(seconds * 1000), ...ids, code: problem });
    });
    reply.headers(HEADERS);
    if (!isPeer(request.socket.remoteAddress ?? '')) throw new ProblemError('FORBIDDEN', NO_PROXY);
    if (state.delay().lasting > MOST_DELAY_MS) throw new ProblemError('OVERLOADED');
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id);
    if (state.isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
  app.setErrorHandler((error, request, reply) => sendProblem(errorOf(error), request, reply, config));
  let showMissing: ShowMissing | undefined;
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.replace(/\?.*/, '');
    if (showMissing && wantsPage(request)) return showMissing(request, reply);
    return sendProblem(new ProblemError('NOT_FOUND', describePath(path)), request, reply, config);
  });

  refuseMethods(app, ROUTES);
  for (const route of ROUTES) {
    const { method, path, page, roles, body, query, waits } = route;
    app.route({
      method,
      url: routerPath(path),
      exposeHeadRoute: false,
      ...(page && access
        ? {
            onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
              if (!wantsPage(request)) return;
              return reply.redirect(page.replace(/\{\w+\}/, encodeURIComponent(idIn(request))), 303);
            },
          }
        : {}),
      // Before the body is read.
      preParsing: async (request, reply, payload) => {
        if (method === 'POST') refuseEncoded(request);
        const asked = request.query as Record<string, string>;
        if (Object.keys(asked).length > 0 && !query) throw new ProblemError('REQUEST_INVALID', NO_QUERY);
        if (query) readAs(query, asked);
        if (flawIn(request.params)) throw new ProblemError('REQUEST_INVALID', 'the path has control characters');
        if (roles) {
          const caller = door.admit(request, roles, (fields) => reply.headers(fields));
          const entry = knownOf(request);
          entry.key = caller;
          if (body || waits) entry.leave = door.waiting.take(caller.name, reply.raw);
        }
        return payload;
      },
      handler: async (request, reply) => {
        const { key: caller, leave } = knownOf(request);
        const lines = route.takesLines && typeOfBody(request) === 'application/x-ndjson';
        if (lines) {
          request.raw.setTimeout(BODY_MS, () => request.raw.destroy());
          // The caller may send lines after the last answer.
          reply.raw.once('finish', () => request.raw.complete || request.raw.destroy());
        }
        const given = body && !lines ? await readJson(request, kibOf(route)) : undefined;
        const read = route.takesKey ? withReference(given, request) : given;
        if (caller && !lines && !waits) {
          door.working.take(caller.name, reply.raw);
          leave?.();
        }
        markDecision(request, path, read);
        const check = () => void door.check(request, roles ?? []);
        const more = () => door.more(request, roles ?? []);
        const asked = {
          id: idIn(request),
          body: body && !lines ? readAs(body, read) : undefined,
          stream: lines ? { lines: request.body as Readable, check, more } : undefined,
          query: query && readAs(query, request.query),
          language: languageOf(request.headers['accept-language']),
          asPage: page !== undefined && prefersPage(request.headers.accept),
          caller: caller as ApiKey,
        };
        const done = await route.do(asked, service);
        const answer = done instanceof Answer ? done : new Answer(done, {});
        if (roles && waits) door.check(request, roles);
        const { type = 'application/json', headers = {}, decision } = answer.as;
        if (decision !== undefined) knownOf(request).decision = decision;
        reply.headers(headers);
        if (answer.body === undefined) return reply.code(204).send();
        reply.type(type);
        if (typeof answer.body === 'string' || Buffer.isBuffer(answer.body)) return answer.body;
        const isStream = type === 'application/x-ndjson';
        return isStream ? Readable.from(answer.body as AsyncIterable<string>) : JSON.stringify(answer.body);
      },
    });
  }
  const isSecure = config.tls !== undefined || config.people?.origin.startsWith('https:') === true;
  if (access) showMissing = addPages(app, service, { access, isSecure, door });
  return app;
}

/** Rejects with CONFIGURATION_INVALID, which says how to install it. */
export const loadFastify = () => loadOptional<typeof import('fastify')>('fastify', 5, 'verdict serve needs');

async function createFastify(config: ServeConfig): Promise<FastifyInstance> {
  const { listen: at, tls, limits } = config;
  const { default: fastify } = await loadFastify();
  const options = {
    logger: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    requestIdHeader: false,
    genReqId: ({ headers }: Pick<IncomingMessage, 'headers'>) => requestIdOf(headers['x-request-id']),
    trustProxy: inNetworks(at.trustProxy ?? []),
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      sendProblem(errorOf(error), request, reply.header('x-request-id', request.id), config),
    clientErrorHandler: (_error: Error, socket: Socket) => refuseMalformed(socket, config),
  } as const;
  const http = {
    headersTimeout: HEADERS_MS,
    connectionsCheckingInterval: SECOND_MS,
    keepAliveTimeout: IDLE_MS,
    // Lines of facts may arrive for hours; `readJson` has its own limit.
    requestTimeout: 0,
  };
  return fastify({
    ...options,
    serverFactory: (answer) => {
      const server = tls
        ? createSecureServer({ ...http, ...readTls(tls), handshakeTimeout: HEADERS_MS }, oneByOne(answer))
        : createServer(http, oneByOne(answer));
      // Without a byte in either direction.
      return server.setTimeout(limits.deadlineMs + BODY_MS);
    },
  });
}

/** Headers of every answer: no browser keeps it, frames it, or takes it for another type. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** A request that is not HTTP: Node gives no reply for it. Its caller may never end the connection. */
function refuseMalformed(socket: Socket, { publicUrl }: ServeConfig): void {
  setTimeout(() => socket.destroy(), SECOND_MS).unref();
  if (!socket.writable) return;
  const { problem } = new ProblemError('REQUEST_INVALID', 'the request is not HTTP/1.1 as expected');
  const body = toJson(problemAt(problem, publicUrl));
  const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\nconnection: close`;
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

function sendProblem(error: ProblemError, request: FastifyRequest, reply: FastifyReply, { publicUrl }: ServeConfig) {
  const problem = problemAt(error.problem, publicUrl);
  markProblem(error, request, reply);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  // What has not arrived of a body would have to be read before the next request.
  if (!request.raw.complete) reply.header('connection', 'close');
  return reply.code(problem.status).type('application/problem+json').send(toJson(problem));
}

const NO_PROXY = 'only a proxy of `trustProxy` is answered, since there is no TLS here';

const NO_QUERY = 'no query is expected; a key goes into the header Authorization';

/** What there is instead of a path that there is not. */
function describePath(path: string): string {
  const paths = ROUTES.map((route) => route.path);
  return didYouMean(path, paths).hint ?? '`/reference` lists the paths';
}
