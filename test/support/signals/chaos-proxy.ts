/**
 * A proxy in front of the sandbox that does to each call what a test says -> what arrived and what would be billed,
 * by reference.
 */

import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A call as the proxy saw it. */
export interface Call {
  readonly endpoint: 'sign-in' | 'verify';
  /** The `clientReference` of a verify call. */
  readonly reference: string;
  /** The identity variables of a verify call, which identify the stage of a policy. */
  readonly asked: string;
  /** Its number among calls with the same endpoint, reference and variables, from 1. */
  readonly attempt: number;
  /** The request as received. */
  readonly bytes: Buffer;
  /** When it was completely received, by `performance.now`. */
  readonly arrivedAt: number;
  /** The fault that struck it. */
  fault: string;
  /** Whether the sandbox carried out a verify call, even if its answer was lost. */
  billed: boolean;
  /** Whether the sandbox's own answer was sent back completely. */
  delivered: boolean;
}

/** An answer before serialisation. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a fault can use: one call on one connection. */
export interface Strike {
  readonly call: Call;
  readonly random: Random;
  /** The proxy's own address, and that of another listener that no call should reach. */
  readonly url: string;
  readonly otherUrl: string;
  /** Calls the sandbox; a verify call is billed from then on. */
  forward(): Promise<Answer>;
  /** Sends a correct HTTP answer and keeps the connection. */
  reply(answer: Answer): void;
  /** Writes bytes as they are. */
  write(bytes: Buffer | string): void;
  /** Runs a step at an interval until it returns true or the connection is closed. */
  every(ms: number, step: () => boolean): void;
  /** Closes the connection after the data written so far is sent. */
  end(): void;
  /** Resets the connection. */
  reset(): void;
  /** Refuses all connections from now on, and takes them again after so many milliseconds, if any are given. */
  refuse(forMs?: number): void;
}

/** What happens to a call instead of its answer. */
export interface Fault {
  readonly name: string;
  strike(strike: Strike): void | Promise<void>;
}

/**
 * What happens to a connection before a byte of it is read: a reset at once, or after a moment in which the request
 * may come.
 */
export type ConnectionFault = 'reset' | 'resetUnread';

/** Numbers in [0, 1), always the same for the same seed. */
export type Random = () => number;

/** The options of a proxy. */
export interface ChaosOptions {
  /** The address of the sandbox. */
  readonly target: string;
  /** The fault of a call; undefined for none. */
  readonly faults?: (call: Call) => Fault | undefined;
  /** The fault of a connection, by its number from 1. */
  readonly connections?: (nth: number) => ConnectionFault | undefined;
  /** Whether a connection serves more than one call; default true. */
  readonly keepAlive?: boolean;
  readonly seed?: number;
}

/** A running proxy, and what it saw. */
export interface Chaos {
  readonly url: string;
  readonly calls: readonly Call[];
  /** Verify calls that arrived, by reference. */
  readonly receipts: ReadonlyMap<string, number>;
  /** Verify calls that the sandbox carried out, by reference. */
  readonly billed: ReadonlyMap<string, number>;
  /** Sign-ins that arrived. */
  readonly signIns: number;
  readonly connections: number;
  /** The tokens that the sandbox issued. */
  readonly tokens: ReadonlySet<string>;
  /** The listener that must not receive anything. */
  readonly otherHost: { readonly url: string; readonly bytes: number };
  refuse(forMs?: number): void;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Starts a proxy. */
export async function startChaos(options: ChaosOptions): Promise<Chaos> {
  const { target, faults = () => undefined, connections = () => undefined, keepAlive = true } = options;
  const random = randomOf(options.seed ?? 1);
  const upstream = new http.Agent({ keepAlive: true });
  const calls: Call[] = [];
  const tokens = new Set<string>();
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const other = await listenElsewhere(sockets);
  let accepted = 0;
  let isOver = false;

  const server = createServer((socket) => {
    watch(socket, sockets);
    const fault = connections(++accepted);
    if (fault === 'reset') socket.resetAndDestroy();
    else if (fault === 'resetUnread') later(UNREAD_MS, () => socket.resetAndDestroy());
    else serve(socket);
  });
  const port = await listen(server);
  const url = `http://${HOST}:${port}`;

  function later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
  }

  function refuse(forMs?: number): void {
    if (server.listening) server.close();
    if (forMs !== undefined) later(forMs, () => !isOver && server.listen(port, HOST, BACKLOG));
  }

  /** Reads requests one after the other; the next one waits until the current one is answered. */
  function serve(socket: Socket): void {
    let buffer = Buffer.alloc(0);
    let isBusy = false;
    const next = () => {
      const length = isBusy ? undefined : lengthOfRequest(buffer);
      if (length === undefined) return;
      isBusy = true;
      const call = readCall(buffer.subarray(0, length), calls);
      buffer = buffer.subarray(length);
      calls.push(call);
      answer(call, socket, () => {
        isBusy = false;
        next();
      }).catch(() => socket.destroy());
    };
    socket.on('data', (data) => {
      buffer = Buffer.concat([buffer, data]);
      next();
    });
  }

  async function answer(call: Call, socket: Socket, goOn: () => void): Promise<void> {
    let forwarded: Answer | undefined;
    const strike: Strike = {
      call,
      random,
      url,
      otherUrl: other.url,
      async forward() {
        forwarded = await forward(call.bytes, target, upstream);
        if (call.endpoint === 'verify') call.billed = forwarded.status === 200;
        else for (const token of tokensIn(forwarded.body)) tokens.add(token);
        return forwarded;
      },
      reply(given) {
        call.delivered = given === forwarded;
        socket.write(render(given, keepAlive));
        if (keepAlive) goOn();
        else socket.end();
      },
      write: (bytes) => socket.write(bytes),
      every(ms, step) {
        const timer = setInterval(() => {
          if (step()) clearInterval(timer);
        }, ms);
        socket.once('close', () => clearInterval(timer));
      },
      end: () => socket.end(),
      reset: () => socket.resetAndDestroy(),
      refuse,
    };
    const fault = faults(call);
    if (fault === undefined) return strike.reply(await strike.forward());
    call.fault = fault.name;
    await fault.strike(strike);
  }

  return {
    url,
    calls,
    get receipts() {
      return countByReference(calls.filter(({ endpoint }) => endpoint === 'verify'));
    },
    get billed() {
      return countByReference(calls.filter(({ billed }) => billed));
    },
    get signIns() {
      return calls.filter(({ endpoint }) => endpoint === 'sign-in').length;
    },
    get connections() {
      return accepted;
    },
    tokens,
    otherHost: other,
    refuse,
    async close() {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      upstream.destroy();
      await Promise.all([other.close(), server.listening ? endOf(server) : undefined]);
    },
  };
}

/** A generator of 32 bits of state (a Weyl sequence, mixed): enough for tests, and the same everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** A random item of a list. */
export function pick<Item>(random: Random, items: readonly [Item, ...Item[]]): Item {
  return items[Math.floor(random() * items.length)] ?? items[0];
}

/** The bytes of an answer. */
export function render({ status, headers, body }: Answer, keepAlive: boolean): Buffer {
  const lines = Object.entries({
    'content-length': String(body.length),
    connection: keepAlive ? 'keep-alive' : 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** Long enough for a request on the same machine to arrive, short enough for thousands of cases. */
const UNREAD_MS = 5;
/** The backlog: a thousand concurrent callers must not wait for the kernel. */
const BACKLOG = 4096;

function readCall(bytes: Buffer, earlier: readonly Call[]): Call {
  const text = bytes.toString();
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
  const endpoint = /^\S+ \S*\/auth\/sign_in[ ?]/.test(head) ? 'sign-in' : 'verify';
  const sent = readJson(body) as { readonly clientReference?: string; readonly identityVariables?: object } | undefined;
  const reference = endpoint === 'verify' ? (sent?.clientReference ?? '') : '';
  const asked = endpoint === 'verify' ? Object.keys(sent?.identityVariables ?? {}).join() : '';
  const same = earlier.filter(
    (call) => call.endpoint === endpoint && call.reference === reference && call.asked === asked,
  );
  const arrivedAt = performance.now();
  const outcome = { fault: '', billed: false, delivered: false };
  return { endpoint, reference, asked, attempt: same.length + 1, bytes, arrivedAt, ...outcome };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The length of the first request in bytes; undefined while it is incomplete. */
function lengthOfRequest(buffer: Buffer): number | undefined {
  const end = buffer.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const body = /^content-length: *(\d+)/im.exec(buffer.subarray(0, end).toString())?.[1];
  const length = end + 4 + Number(body ?? 0);
  return buffer.length < length ? undefined : length;
}

/** Forwards a request as received, except for its `Connection` header. */
async function forward(bytes: Buffer, target: string, agent: http.Agent): Promise<Answer> {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString().split('\r\n');
  const [method = '', path = ''] = first.split(' ');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const { 'content-type': type, authorization, 'content-length': length } = headers;
  const request = http.request(target + path, {
    method,
    agent,
    headers: {
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(authorization === undefined ? {} : { authorization }),
      ...(length === undefined ? {} : { 'content-length': length }),
    },
  });
  request.end(bytes.subarray(end + 4));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const status = response.statusCode ?? 0;
  return { status, headers: { 'content-type': 'application/json' }, body: Buffer.concat(chunks) };
}

function tokensIn(body: Buffer): string[] {
  return [...body.toString().matchAll(/"sessionToken":"([^"]+)"/g)].map(([, token = '']) => token);
}

function countByReference(calls: readonly Call[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { reference } of calls) counts.set(reference, (counts.get(reference) ?? 0) + 1);
  return counts;
}

/** A listener that takes whatever comes, and answers so that a sender who was led there goes on. */
async function listenElsewhere(sockets: Set<Socket>) {
  let bytes = 0;
  const server = createServer((socket) => {
    watch(socket, sockets);
    socket.on('data', (data) => {
      bytes += data.length;
      const body = Buffer.from('{"sessionToken":"elsewhere"}');
      socket.end(render({ status: 200, headers: { 'content-type': 'application/json' }, body }, false));
    });
  });
  return {
    url: `http://${HOST}:${await listen(server)}`,
    get bytes() {
      return bytes;
    },
    close: () => endOf(server),
  };
}

function watch(socket: Socket, sockets: Set<Socket>): void {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  // These tests make clients disconnect, so this is expected.
  socket.on('error', () => {});
}

async function listen(server: Server): Promise<number> {
  server.listen(0, HOST, BACKLOG);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function endOf(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
