/** A Redis or Valkey server of its own, on a free port. It can hang and crash. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisClient } from '@redis/client';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../../ports.ts';
import { certificates } from '../../signals/certificates.ts';

const PROGRAM = ['valkey-server', 'redis-server'].find((program) => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

/** Whether Debian's package valkey-server or redis-server is installed. */
export const HAS_REDIS = PROGRAM !== undefined;

const PASSWORD = 'canary-password';

/** Unlike `createClient`, does not make all commands again for each URL. */
const newClient = RedisClient.factory();

export class RedisServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'redis-'));
  readonly #settings: Readonly<Record<string, string>>;
  #server: ChildProcess | undefined;
  #port = 0;
  #tlsPort = 0;
  #databases = 0;

  private constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = settings;
  }

  /** Starts a server that writes to its log before it answers, and never waits for the disk. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
    const server = new RedisServer(settings);
    await server.#create();
    await server.start();
    return server;
  }

  /** A server that runs while the tests of a file do, where there is one. */
  static ofTests(): RedisServer {
    const server = new RedisServer({});
    beforeAll(async () => {
      if (!HAS_REDIS) return;
      await server.#create();
      await server.start();
    });
    afterAll(() => server.stop());
    return server;
  }

  async #create(): Promise<void> {
    const { ca, service } = await certificates();
    const files = { 'ca.crt': ca, 'server.crt': service.cert, 'server.key': service.key };
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(this.#folder, name), content, { mode: 0o600 });
    }
    [this.#port, this.#tlsPort] = [await freePort(), await freePort()];
  }

  /** Resolves once it takes connections. */
  async start(): Promise<void> {
    const settings = {
      ...{ bind: '127.0.0.1', port: this.#port, dir: this.#folder, requirepass: PASSWORD, databases: 1000 },
      ...{ appendonly: 'yes', appendfsync: 'no', save: '', daemonize: 'no' },
      ...{ 'tls-port': this.#tlsPort, 'tls-auth-clients': 'no' },
      ...{ 'tls-cert-file': 'server.crt', 'tls-key-file': 'server.key', 'tls-ca-cert-file': 'ca.crt' },
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const server = spawn(PROGRAM ?? '', args, { cwd: this.#folder, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#server = server;
    const kill = () => server.kill('SIGKILL');
    process.once('exit', kill);
    server.once('exit', () => process.off('exit', kill));
    let log = '';
    await new Promise<void>((resolve, reject) => {
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (/Ready to accept connections/i.test(log)) resolve();
      });
      server.once('exit', () => reject(new Error(`Redis has ended: ${log}`)));
    });
  }

  /** Ends it: `SIGTERM` in good order, `SIGKILL` as a crash. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  /** It hangs: connections open, and nothing is answered. */
  pause(): void {
    this.#server?.kill('SIGSTOP');
  }

  resume(): void {
    this.#server?.kill('SIGCONT');
  }

  get port(): number {
    return this.#port;
  }

  /** The URL of an empty database. */
  newDatabase(): string {
    return this.url({ database: ++this.#databases });
  }

  url(other: { readonly database?: number; readonly password?: string; readonly tls?: boolean } = {}): string {
    const { database = 0, password = PASSWORD, tls = false } = other;
    const [scheme, port] = tls ? ['rediss', this.#tlsPort] : ['redis', this.#port];
    return `${scheme}://default:${password}@127.0.0.1:${port}/${database}`;
  }

  /** What a command answers. */
  async command(url: string, ...command: readonly string[]): Promise<unknown> {
    const client = newClient({ url });
    await client.connect();
    try {
      return await client.sendCommand([...command]);
    } finally {
      await client.close();
    }
  }

  /** All that it has written to the disk. */
  written(): string {
    const files = readdirSync(this.#folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /aof|rdb/.test(name),
    );
    const read = files
      .filter((name) => !/^appendonlydir$/.test(name))
      .map((name) => readFileSync(join(this.#folder, name)));
    return Buffer.concat(read).toString('latin1');
  }
}
