/** Options -> a running sandbox: two endpoints of the service over HTTP on this machine, and who may sign in. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { answerTo } from './answer.ts';
import { createFaults, type Fault, type Reply, type SandboxFaults, type SandboxRequest } from './faults.ts';
import { type Environment, type Problem, readSignIn, readVerify } from './request.ts';

/** The options of a sandbox. */
export interface SandboxOptions {
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string;
  /** The port to listen on. Default: 0, which means any free port. */
  readonly port?: number;
  /** The form of the sign-in body; the other form is refused with 400. Default: `sandbox`. */
  readonly environment?: Environment;
  /** Who may sign in. Default: `SANDBOX_USERS`. */
  readonly users?: readonly SandboxUser[];
  /** The clock, in milliseconds since 1970, for the life of tokens and all dates. Default: `Date.now`. */
  readonly now?: () => number;
  /** How long a token is valid, in milliseconds. Default: 8 hours. */
  readonly tokenLifeMs?: number;
  /** What goes wrong, as with `setFault`. Default: nothing. */
  readonly fault?: SandboxFaults;
}

/** A running sandbox. */
export interface Sandbox {
  /** The base URL, without a trailing slash; the endpoints are under `/api/v2/`. */
  readonly url: string;
  /**
   * The answers so far, updated live: sign-ins and verify calls answered with 200 (each verify call would be
   * billed), and all other requests as `refused`. A call that a fault strikes counts if it is carried out.
   */
  readonly counts: { readonly signIns: number; readonly verifies: number; readonly refused: number };
  /** Ends every token now; clients have to sign in again. */
  revokeTokens(): void;
  /**
   * From now on this goes wrong with requests that are well-formed and have a valid token; `undefined`: nothing. Throws
   * a TypeError for the name of no fault.
   */
  setFault(fault: SandboxFaults): void;
  /** Stops listening and closes every connection. */
  close(): Promise<void>;
  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void>;
}

interface Endpoint {
  readonly handle: (body: unknown) => Reply;
  readonly name: SandboxRequest['endpoint'];
  readonly counted: 'signIns' | 'verifies';
  /** Whether it can be called without a token. */
  readonly open: boolean;
}

/**
 * Starts a sandbox.
 *
 * @throws Node's own error (`EADDRINUSE`, `EACCES`, …) if it cannot listen on the port
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, environment = 'sandbox', now = Date.now } = options;
  const sessions = createSessions(options.users ?? SANDBOX_USERS, now, options.tokenLifeMs ?? TOKEN_LIFE_MS);
  const counts = { signIns: 0, verifies: 0, refused: 0 };
  let faultOf = createFaults(options.fault);

  function signIn(body: unknown): Reply {
    const read = readSignIn(body, environment);
    if (!read.ok) return malformed(read.problems);
    const sessionToken = sessions.signIn(read.value);
    if (sessionToken === undefined) return refusal(401, 'the username or the password is wrong');
    return { status: 200, body: { sessionToken } };
  }

  function verify(body: unknown): Reply {
    const read = readVerify(body);
    if (!read.ok) return malformed(read.problems);
    return { status: 200, body: answerTo(read.value, Math.floor(now() / 86_400_000)) };
  }

  const endpoints = new Map<string | undefined, Endpoint>([
    ['/api/v2/auth/sign_in', { name: 'sign-in', handle: signIn, counted: 'signIns', open: true }],
    ['/api/v2/verify', { name: 'verify', handle: verify, counted: 'verifies', open: false }],
  ]);

  async function reply(request: IncomingMessage): Promise<Reply & { readonly fault?: Fault | undefined }> {
    const body = await readBody(request);
    const endpoint = endpoints.get(request.url?.split('?')[0]);
    if (endpoint === undefined) return refusal(404, 'unknown path');
    if (request.method !== 'POST') return refusal(405, 'only POST is accepted', { Allow: 'POST' });
    if (!endpoint.open && !sessions.admits(request.headers.authorization)) {
      const challenge = { 'WWW-Authenticate': 'Bearer' };
      return refusal(401, 'the bearer token is missing, unknown or expired', challenge);
    }
    const json = readJson(request.headers, body);
    if (!json.ok) return refusal(json.status, json.message);
    const fault = faultOf({ endpoint: endpoint.name, body: json.value });
    const answer = fault?.reply ?? endpoint.handle(json.value);
    if (answer.status === 200) counts[endpoint.counted]++;
    // What is refused anyway is refused without a fault.
    return answer.status === 200 || fault?.reply ? { ...answer, fault } : answer;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, headers, fault } = await reply(request);
    if (status !== 200) counts.refused++;
    const text = JSON.stringify(body);
    const allHeaders = {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      // The unread rest of a body that is too large would be read as the next request.
      ...(request.complete ? {} : { Connection: 'close' }),
      ...headers,
    };
    if (fault?.send === undefined) response.writeHead(status, allHeaders).end(text);
    else fault.send(response, allHeaders, text);
  }

  const server = createServer((request, response) => {
    // This happens only if the sender disconnects or the clock throws.
    serve(request, response).catch(() => response.destroy());
  });
  // Longer than clients keep idle connections, so that no connection is closed while a request is sent.
  server.keepAliveTimeout = 60_000;
  // The backlog: a thousand concurrent callers must not wait for the kernel to retry their connections.
  server.listen(port, host, 4096);
  await once(server, 'listening');
  const address = server.address();
  const listening = typeof address === 'object' && address !== null ? address.port : port;

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}`,
    counts,
    revokeTokens: () => sessions.revoke(),
    setFault(fault) {
      faultOf = createFaults(fault);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, body: { status, error: message }, headers };
}

function malformed(problems: readonly Problem[]): Reply {
  const fields = problems.map(({ field }) => field).join(', ');
  return { status: 400, body: { status: 400, error: `the request is malformed: ${fields}`, problems } };
}

/** The largest body that is accepted. */
const MAX_BYTES = 64 * 1024;

/** A larger body is read up to this size, so that its sender can read the refusal. */
const MAX_BYTES_DISCARDED = 8 * 1024 * 1024;

/** The body's bytes; undefined if there are too many. Rejects if the sender disconnects. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      if (size > MAX_BYTES_DISCARDED) {
        request.pause();
        resolve(undefined);
      }
    });
    request.on('end', () => resolve(size <= MAX_BYTES ? Buffer.concat(chunks) : undefined));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the sender disconnected')));
  });
}

/** The JSON value of a body, or the refusal. The parser's message is not passed on, because it quotes the body. */
function readJson(
  headers: IncomingHttpHeaders,
  body: Buffer | undefined,
):
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: number; readonly message: string } {
  const mediaType = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json')
    return { ok: false, status: 415, message: 'the content type must be application/json' };
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return { ok: false, status: 415, message: 'the body must not be compressed' };
  if (body === undefined) return { ok: false, status: 413, message: `the body may have at most ${MAX_BYTES} bytes` };
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return { ok: false, status: 400, message: 'the body is not JSON in UTF-8' };
  }
}

/** Someone who may sign in. */
export interface SandboxUser {
  readonly username: string;
  readonly password: string;
}

/** The default users: an account and its child account. */
export const SANDBOX_USERS: readonly SandboxUser[] = [
  { username: 'sandbox-user', password: 'sandbox-password' },
  { username: 'sandbox-branch', password: 'branch-password' },
];

/** How long a token is valid, according to the service's documentation. */
const TOKEN_LIFE_MS = 8 * 60 * 60 * 1000;

/** @param now the clock, in milliseconds */
function createSessions(users: readonly SandboxUser[], now: () => number, tokenLifeMs: number) {
  const ends = new Map<string, number>();
  return {
    /** A new token; undefined if the username or the password is wrong. Earlier tokens stay valid. */
    signIn({ username, password }: SandboxUser) {
      if (!users.some((user) => user.username === username && user.password === password)) return undefined;
      for (const [token, end] of ends) if (end <= now()) ends.delete(token);
      const token = randomBytes(32).toString('base64url');
      ends.set(token, now() + tokenLifeMs);
      return token;
    },
    /** Whether an `Authorization` header carries a valid token. */
    admits(authorization: string | undefined) {
      // RFC 6750, section 2.1; the scheme's case does not matter (RFC 9110, section 11.1).
      const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
      const end = token === undefined ? undefined : ends.get(token);
      return end !== undefined && now() < end;
    },
    /** Ends every token. */
    revoke() {
      ends.clear();
    },
  };
}
