/**
 * A seed -> the broken promises of `verdict decide --file`, killed at random moments and run again until it is
 * done.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';

/** The size and place of the test. */
export interface KillSetting {
  readonly seed: number;
  readonly kills: number;
  readonly rows: number;
  /** An empty folder. */
  readonly folder: string;
  /** The program to run. */
  readonly main?: string;
}

/** The result of the test. */
export interface KillReport {
  /** Runs that were killed before they ended. */
  readonly killed: number;
  /** Rows with a recorded decision at the end. */
  readonly recorded: number;
  /** Rows that were in doubt before `--resend`. */
  readonly doubtful: number;
  /** A sentence for each broken promise. */
  readonly broken: readonly string[];
}

interface Row {
  readonly line: number;
  readonly phoneNo: string;
}

const MAIN = resolve(import.meta.dirname, '../../../dist/cli/main.js');
const POLICY = resolve(import.meta.dirname, '../../../rules/phone-only.yaml');

/** The number of kills on runs with `--resend`; they come last. */
const RESEND_KILLS = 4;

/** Kills and restarts the program, first without `--resend` and then with it. */
export async function runKills({ seed, kills, rows: count, folder, main = MAIN }: KillSetting): Promise<KillReport> {
  const random = randomOf(seed);
  const [file, out] = [join(folder, 'applicants.csv'), join(folder, 'decisions.ndjson')];
  const rows = writeApplicants(file, count);
  const service = await startCounting(random);
  const args = ['decide', '--file', file, '--out', out, '--policy', POLICY, '--concurrency', '20'];
  const start = (more: readonly string[]) => {
    const child = spawn(process.execPath, [main, ...args, ...more], {
      env: {
        ...process.env,
        ...{
          VERDICT_BASE_URL: service.url,
          VERDICT_ENVIRONMENT: 'sandbox',
          VERDICT_USERNAME: 'somebody',
          VERDICT_PASSWORD: 'something',
        },
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.setEncoding('utf8');
    return child;
  };
  const broken: string[] = [];
  let killed = 0;
  const runAndKill = async (more: readonly string[]) => {
    if (await killAtRandom(start(more), service, random)) killed += 1;
  };
  const runToEnd = async (more: readonly string[]) => {
    const child = start(more);
    let stderr = '';
    child.stderr.on('data', (text: string) => {
      stderr += text;
    });
    const [exitCode] = await once(child, 'close');
    return { exitCode, stderr };
  };

  try {
    for (let kill = 0; kill < Math.max(1, kills - RESEND_KILLS); kill++) await runAndKill([]);
    const first = await runToEnd([]);
    const listed = new Set(
      [...first.stderr.matchAll(/line (\d+): .* was begun by an earlier run/g)].map(([, n]) => Number(n)),
    );
    const before = recordedLines(out);
    for (const { line, phoneNo } of rows) {
      const [recorded, billed] = [before.get(line) ?? 0, service.billed.get(phoneNo) ?? 0];
      if (billed > 1) broken.push(`line ${line} was billed ${billed} times unasked`);
      if (recorded > 1) broken.push(`line ${line} was recorded ${recorded} times`);
      if (recorded === 0 && !listed.has(line)) broken.push(`line ${line} is neither recorded nor listed`);
      if (recorded > 0 && listed.has(line)) broken.push(`line ${line} is recorded and listed`);
      if (recorded > 0 && billed === 0) broken.push(`line ${line} is recorded but was never sent`);
    }
    if (first.exitCode !== (listed.size > 0 ? 1 : 0))
      broken.push(`the run that was not killed exited with ${first.exitCode}`);

    const resent = Math.min(RESEND_KILLS, kills - 1);
    for (let kill = 0; kill < resent; kill++) await runAndKill(['--resend']);
    const last = await runToEnd(['--resend']);
    const after = recordedLines(out);
    for (const { line, phoneNo } of rows) {
      const [recorded, billed] = [after.get(line) ?? 0, service.billed.get(phoneNo) ?? 0];
      if (recorded !== 1) broken.push(`line ${line} was recorded ${recorded} times in the end`);
      if (billed > (listed.has(line) ? resent + 2 : 1))
        broken.push(`line ${line} was billed ${billed} times in the end`);
    }
    if (last.exitCode !== 0) broken.push(`the last run exited with ${last.exitCode}: ${last.stderr}`);
    const sent = service.received();
    await runToEnd(['--resend']);
    if (service.received() !== sent) broken.push('a run after the last one sent a call');
    return { killed, recorded: after.size, doubtful: listed.size, broken };
  } finally {
    service.close();
  }
}

/**
 * Kills the process shortly after a random request, or at a random time after its start. Returns false if it had
 * already ended.
 */
async function killAtRandom(child: ChildProcess, service: Counting, random: () => number): Promise<boolean> {
  const ended = once(child, 'close');
  child.stderr?.resume();
  const kill = () => child.kill('SIGKILL');
  // A fifth of the kills hit the program while it starts, reads its files and writes its first lines.
  if (random() < 0.2) setTimeout(kill, random() * 700);
  else {
    const delayMs = random() * 6;
    service.after(Math.floor(random() * 40), () => setTimeout(kill, delayMs));
  }
  const [, signal] = await ended;
  service.after(0, undefined);
  return signal === 'SIGKILL';
}

/** Half of the rows have a reference; some values contain line breaks. */
function writeApplicants(file: string, count: number): readonly Row[] {
  const texts = ['phoneNo,reference,variable.note'];
  const rows: Row[] = [];
  let line = 2;
  for (let i = 0; i < count; i++) {
    const phoneNo = `1202${String(5_550_000 + i)}`;
    const isLong = i % 7 === 0;
    texts.push(`+${phoneNo},${i % 2 === 0 ? `REF-${i}` : ''},${isLong ? '"two\nlines"' : 'one'}`);
    rows.push({ line, phoneNo });
    line += isLong ? 2 : 1;
  }
  writeFileSync(file, `${texts.join('\n')}\n`);
  return rows;
}

/** The number of recorded decisions on each line. */
function recordedLines(out: string): Map<number, number> {
  const counts = new Map<number, number>();
  for (const text of readFileSync(out, 'utf8').split('\n')) {
    if (text === '') continue;
    const { line } = JSON.parse(text);
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}

/** A service that counts its calls. */
interface Counting {
  readonly url: string;
  /** Verify calls that arrived completely, by phone number: each may be billed, even if its caller was killed. */
  readonly billed: ReadonlyMap<string, number>;
  received(): number;
  /** Calls back at the n-th of the next requests; undefined cancels the callback. */
  after(n: number, callback: (() => void) | undefined): void;
  close(): void;
}

async function startCounting(random: () => number): Promise<Counting> {
  const billed = new Map<string, number>();
  let received = 0;
  let waiting: { readonly at: number; readonly callback: () => void } | undefined;
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.on('error', () => {})) body += chunk;
    response.setHeader('Content-Type', 'application/json');
    if (request.url?.endsWith('/auth/sign_in')) return response.end('{"token":"t"}');
    const { clientReference, identityVariables } = JSON.parse(body);
    billed.set(identityVariables.phoneNo, (billed.get(identityVariables.phoneNo) ?? 0) + 1);
    received += 1;
    if (waiting && received >= waiting.at) {
      waiting.callback();
      waiting = undefined;
    }
    const answer = JSON.stringify({ searchStatus: 'Successful', clientReference });
    return setTimeout(() => response.end(answer), random() * 8);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    billed,
    received: () => received,
    after: (n, callback) => {
      waiting = callback && { at: received + n + 1, callback };
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A seed -> reproducible pseudo-random numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
