/** The command of a server -> its process, its address, what it uses, and connections that ask it. For benchmarks. */

import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Reading } from './meter.ts';

const repository = join(import.meta.dirname, '../..');

/** All that were started, to be ended. */
export const running: ChildProcess[] = [];

/** A server that is being asked. */
export interface Contestant {
  readonly process: ChildProcess;
  readonly url: URL;
  readonly authorization?: string;
}

const METER = new URL('./meter.ts', import.meta.url).href;

/** Starts a server and waits for the line with its address. `root`: the folder for what it writes to stderr. */
export async function start(
  root: string,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Contestant> {
  // A line for each request, or why it did not start.
  const errors = openSync(join(root, 'stderr'), 'a');
  const server = fork(join(repository, file), args, {
    cwd: repository,
    env: { ...process.env, ...env },
    execArgv: ['--import', METER],
    stdio: ['ignore', 'pipe', errors, 'ipc'],
  });
  closeSync(errors);
  running.push(server);
  if (!server.stdout) throw new Error('the server has no output');
  for await (const line of createInterface({ input: server.stdout })) {
    const [, address] = /listening on (http:\S+)/.exec(line) ?? [];
    if (address !== undefined) return { process: server, url: new URL(address) };
  }
  throw new Error(`${file} ended before it listened:\n${readFileSync(join(root, 'stderr'), 'utf8').slice(-2000)}`);
}

/** What a contestant used since it was last asked. */
export function read({ process: server }: Contestant): Promise<Reading> {
  return new Promise((resolve) => {
    server.once('message', (reading) => resolve(reading as Reading));
    server.send('read');
  });
}

/**
 * A connection that is kept open; each body is sent once the last answer is complete. Without a client library, whose
 * processor time would exceed that of the fastest server.
 */
export function openConnection({ url, authorization }: Contestant) {
  const socket = connect(Number(url.port), url.hostname).setNoDelay(true).setEncoding('latin1');
  const credential = authorization === undefined ? '' : `authorization: Bearer ${authorization}\r\n`;
  let pending = Promise.withResolvers<string>();
  let received = '';
  socket.on('data', (data: string) => {
    received += data;
    const [head] = received.split('\r\n\r\n', 1);
    const length = /\r\ncontent-length: (\d+)/i.exec(head ?? '')?.[1];
    if (length === undefined || received.length < (head ?? '').length + 4 + Number(length)) return;
    const answer = received;
    received = '';
    pending.resolve(answer);
  });
  socket.on('error', (error) => pending.reject(error));
  socket.on('close', () => pending.reject(new Error('the server closed the connection')));
  const ask = (body: string, path = '/v1/decisions'): Promise<string> => {
    pending = Promise.withResolvers();
    const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\n${credential}content-type: application/json`;
    socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return pending.promise;
  };
  return { ask, close: () => socket.destroy() };
}
