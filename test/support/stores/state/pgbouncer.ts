/** A PostgreSQL server -> pgbouncer before it, in transaction mode, on a free port. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../ports.ts';
import { PASSWORD, type PostgresServer, USER } from './postgres.ts';

const PROGRAM = '/usr/sbin/pgbouncer';

/** Whether Debian's package pgbouncer is installed. */
export const HAS_PGBOUNCER = existsSync(PROGRAM);

export class Pgbouncer {
  readonly #process: ChildProcess;
  readonly #port: number;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.#port = port;
  }

  /** Resolves once it takes connections. `ignored`: parameters of a connection that it ignores; it refuses others. */
  static async start(server: PostgresServer, ignored: readonly string[] = []): Promise<Pgbouncer> {
    const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    const port = await freePort();
    const file = join(folder, 'pgbouncer.ini');
    const settings = {
      ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any' },
      ...{ pool_mode: 'transaction', default_pool_size: 4, max_client_conn: 200, server_reset_query: '' },
      ...(ignored.length > 0 ? { ignore_startup_parameters: ignored.join() } : {}),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const database = `* = host=127.0.0.1 port=${server.port} user=verdict password=${PASSWORD}`;
    writeFileSync(file, ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n'));
    if (USER.uid !== undefined) for (const each of [folder, file]) chownSync(each, USER.uid, USER.gid);
    const bouncer = spawn(PROGRAM, ['-q', file], { ...USER, cwd: folder, stdio: 'ignore' });
    const kill = () => bouncer.kill('SIGKILL');
    process.once('exit', kill);
    bouncer.once('exit', () => process.off('exit', kill));
    while (!(await answers(port))) {
      if (bouncer.exitCode !== null) throw new Error('pgbouncer has ended');
      await setTimeout(20);
    }
    return new Pgbouncer(bouncer, port);
  }

  url(database: string): string {
    return `postgres://verdict:${PASSWORD}@127.0.0.1:${this.#port}/${database}`;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
