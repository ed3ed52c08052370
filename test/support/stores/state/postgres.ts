/** A PostgreSQL server of its own, on a free port, with an empty schema for each test. It can hang and crash. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from '../../ports.ts';
import { certificates } from '../../signals/certificates.ts';

/** Where Debian installs the servers, one folder a version. */
const INSTALLED = '/usr/lib/postgresql';

const [VERSION] = existsSync(INSTALLED) ? readdirSync(INSTALLED).filter((each) => hasServer(each)) : [];

function hasServer(version: string): boolean {
  return existsSync(join(INSTALLED, version, 'bin/initdb'));
}

/** Whether Debian's package postgresql is installed. */
export const HAS_POSTGRES = VERSION !== undefined;

export const PASSWORD = 'canary-password';

/** The secret of the hashes. */
export const KEY = 'ab'.repeat(32);

/** https://www.postgresql.org/docs/15/errcodes-appendix.html */
const TOO_MANY_CONNECTIONS = '53300';

/** The folder of data of a new database, which the first server of a run makes and the others copy. */
const NEW_DATA = join(tmpdir(), 'new-postgres-data');

/** Modules are read again for each test file of a process. */
const SHARED = Symbol.for('verdict.postgres');

/** The servers refuse to run as root. */
export const USER: { readonly uid?: number; readonly gid: number } =
  process.getuid?.() === 0 && HAS_POSTGRES ? { uid: idOf('-u'), gid: idOf('-g') } : { gid: process.getgid?.() ?? 0 };

export class PostgresServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  readonly #settings: Readonly<Record<string, string>>;
  #server: ChildProcess | undefined;
  #port = 0;
  #schemas = 0;

  private constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = settings;
  }

  /** Starts a server with a database. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
    const server = new PostgresServer(settings);
    await server.#create();
    await server.start();
    return server;
  }

  /** A server that runs while the tests of a file or of a `describe` do, where there is one: they may stop it. */
  static ofTests(): PostgresServer {
    const server = new PostgresServer({});
    beforeAll(async () => {
      if (!HAS_POSTGRES) return;
      await server.#create();
      await server.start();
    });
    afterAll(() => server.stop());
    return server;
  }

  /** The one server of the test files that share a process, for those that neither stop nor pause it. */
  static shared(): PostgresServer {
    const holder = globalThis as { [SHARED]?: { readonly server: PostgresServer; started?: Promise<unknown> } };
    holder[SHARED] ??= { server: new PostgresServer({}) };
    const shared = holder[SHARED];
    beforeAll(() => {
      if (HAS_POSTGRES) shared.started ??= shared.server.#create().then(() => shared.server.start());
      return shared.started;
    });
    return shared.server;
  }

  /** Starts a server that follows this one, which commits nothing from now on that the other does not have. */
  async follower(): Promise<PostgresServer> {
    const follower = new PostgresServer(this.#settings);
    const name = 'follower';
    const url = this.url({ application_name: name });
    const options = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'];
    await follower.#create('pg_basebackup', [...options, `--dbname=${url}`, '-D']);
    await follower.start();
    await this.sql(this.url(), `alter system set synchronous_standby_names = ${name}`);
    await this.sql(this.url(), 'select pg_reload_conf()');
    const inSync = `select from pg_stat_replication where application_name = '${name}' and sync_state = 'sync'`;
    while ((await this.sql(this.url(), inSync)).length === 0) await setTimeout(20);
    return follower;
  }

  /** It follows no more, and takes writes. */
  async promote(): Promise<void> {
    await this.sql(this.url(), 'select pg_promote()');
  }

  get port(): number {
    return this.#port;
  }

  /** The file of the authority that its certificate is of. */
  get caFile(): string {
    return join(this.#folder, 'ca.crt');
  }

  /** Makes its folder of data, by a program whose last argument it is. */
  async #create(program = 'initdb', options = this.#newDatabase): Promise<void> {
    const folder = this.#folder;
    const { ca, service } = await certificates();
    const files = { password: PASSWORD, 'ca.crt': ca, 'server.crt': service.cert, 'server.key': service.key };
    const { uid, gid } = USER;
    if (uid !== undefined) chownSync(folder, uid, gid);
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder, name), content, { mode: 0o600 });
      if (uid !== undefined) chownSync(join(folder, name), uid, gid);
    }
    const data = join(folder, 'data');
    const copy = (from: string, to: string) => execFileSync('cp', ['-a', from, to]);
    if (program === 'initdb' && existsSync(NEW_DATA)) copy(NEW_DATA, data);
    else {
      const path = join(INSTALLED, VERSION ?? '', 'bin', program);
      execFileSync(path, [...options, data], { ...USER, cwd: folder, stdio: 'ignore' });
      if (program === 'initdb') {
        copy(data, `${NEW_DATA}-${process.pid}`);
        try {
          renameSync(`${NEW_DATA}-${process.pid}`, NEW_DATA);
        } catch {
          // Another process was first.
        }
      }
    }
    this.#port = await freePort();
  }

  get #newDatabase(): readonly string[] {
    const options = ['--no-sync', '--auth=scram-sha-256', '--username=verdict', '--encoding=UTF8', '--locale=C.UTF-8'];
    return [...options, `--pwfile=${join(this.#folder, 'password')}`];
  }

  /** Resolves once it takes connections. After a crash, it waits for the processes that still have its memory. */
  async start(): Promise<void> {
    while ((await this.#begin()) === 'in use') await setTimeout(20);
  }

  async #begin(): Promise<'ready' | 'in use'> {
    const folder = this.#folder;
    const settings = {
      ...{ listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', shared_buffers: '16MB' },
      ...{ ssl: 'on', ssl_cert_file: join(folder, 'server.crt'), ssl_key_file: join(folder, 'server.key') },
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const program = join(INSTALLED, VERSION ?? '', 'bin/postgres');
    const server = spawn(program, ['-D', join(folder, 'data'), '-p', String(this.#port), ...args], {
      ...USER,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#server = server;
    const kill = () => server.kill('SIGQUIT');
    process.once('exit', kill);
    server.once('exit', () => process.off('exit', kill));
    let log = '';
    return new Promise((resolve, reject) => {
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (/ready to accept (?:read-only )?connections/.test(log)) resolve('ready');
      });
      server.once('close', () => {
        if (/shared memory block .* is still in use/.test(log)) resolve('in use');
        else reject(new Error(`PostgreSQL has ended: ${log}`));
      });
    });
  }

  /** Ends it: `SIGINT` in good order, `SIGKILL` as a crash of all its processes. */
  async stop(signal: 'SIGINT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    const ended = once(server, 'exit');
    if (signal === 'SIGKILL') for (const pid of pidsOf(server)) tell(pid, signal);
    else server.kill(signal);
    await ended;
  }

  /** It hangs: connections open, and nothing is answered; or only those that are open now are not. */
  pause(what: 'all' | 'connections' = 'all'): void {
    const pids = this.#server ? pidsOf(this.#server) : [];
    for (const pid of what === 'all' ? pids : pids.slice(1)) tell(pid, 'SIGSTOP');
  }

  resume(): void {
    for (const pid of this.#server ? pidsOf(this.#server) : []) tell(pid, 'SIGCONT');
  }

  /** The URL of an empty schema. */
  async newSchema(): Promise<string> {
    const name = `test_${++this.#schemas}`;
    await this.sql(this.url(), `create schema ${name}`);
    return this.url({ options: `-c search_path=${name}` });
  }

  url(
    more: Readonly<Record<string, string>> = {},
    other: { readonly password?: string; readonly database?: string } = {},
  ) {
    const { password = PASSWORD, database = 'postgres' } = other;
    return `postgres://verdict:${password}@127.0.0.1:${this.#port}/${database}?${new URLSearchParams(more)}`;
  }

  async sql(url: string, statement: string): Promise<readonly unknown[]> {
    return this.#connected(url, async (client) => (await client.query(statement)).rows);
  }

  /** Runs a script as a DBA does, whose psql knows no plus for a space; throws what it says if it fails. */
  psql(url: string, script: string): void {
    const args = ['--no-psqlrc', '--quiet', '--dbname', url.replaceAll('+', '%20')];
    execFileSync(join(INSTALLED, VERSION ?? '', 'bin/psql'), args, { input: script, stdio: 'pipe' });
  }

  /** The URL of a user who may read and write the rows of the tables that are in the schema now, and no more. */
  async clerk(url: string): Promise<string> {
    const schema = new URL(url).searchParams.get('options')?.replace('-c search_path=', '') ?? '';
    const name = `clerk_of_${schema}`;
    await this.sql(
      url,
      `create role ${name} login password '${PASSWORD}'; grant usage on schema ${schema} to ${name};
       grant select, insert, update, delete on all tables in schema ${schema} to ${name}`,
    );
    return url.replace('//verdict:', `//${name}:`);
  }

  /** Does something while nobody else can write a table, or do what another mode of lock excludes. */
  async locked(url: string, table: string, work: () => Promise<unknown>, mode = 'exclusive'): Promise<void> {
    await this.#connected(url, async (client) => {
      await client.query(`begin; lock table ${table} in ${mode} mode`);
      await work();
      await client.query('commit');
    });
  }

  /** Does something while nobody else has a connection, or gets one. */
  async exhausted(work: () => Promise<unknown>): Promise<void> {
    const held: pg.Client[] = [];
    const refused = Promise.withResolvers<void>();
    let isDone = false;
    const take = async () => {
      while (!isDone) {
        const client = new pg.Client({ connectionString: this.url({ application_name: 'taker' }) });
        client.on('error', () => {});
        try {
          await client.connect();
          held.push(client);
        } catch (error) {
          if ((error as { readonly code?: string }).code !== TOO_MANY_CONNECTIONS) throw error;
          refused.resolve();
          await setTimeout(20);
        }
      }
    };
    const taking = Promise.all(Array.from({ length: 4 }, take));
    await Promise.race([refused.promise, taking]);
    const others = `application_name <> 'taker' and backend_type = 'client backend'`;
    await held[0]?.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
    await work();
    isDone = true;
    await taking;
    await Promise.all(held.map((client) => client.end()));
  }

  async #connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

function idOf(which: '-u' | '-g'): number {
  return Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' }));
}

/** The first process, which would replace the others, and those of the connections. */
function pidsOf({ pid = 0 }: ChildProcess): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return [pid, ...children.split(' ').filter(Boolean).map(Number)];
}

/** Signals a process, unless it has ended meanwhile, as one of a connection that was closed. */
function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
