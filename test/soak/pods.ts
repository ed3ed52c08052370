/**
 * `node test/soak/pods.ts [--pods 2] [--seconds 60] [--only failover] [--seed 1]`: processes of the built `verdict
 * serve` that have their log, state and velocity in PostgreSQL, under callers and reviewers, while they or the database
 * fail -> a table of the faults with what must not be, all of it 0. The seed is of the faults' moments and of what is
 * asked; who is answered first is not in its hands.
 */

import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startSandbox } from '../../src/sandbox/index.ts';
import { pick, type Random, randomOf } from '../support/facts/mutate.ts';
import { Pods } from '../support/service/pods.ts';
import { Traffic } from '../support/service/traffic.ts';
import { HAS_POSTGRES, PostgresServer } from '../support/stores/state/postgres.ts';
import { Tunnel } from '../support/stores/velocity/tunnel.ts';

/** Where a drill happens. */
interface Site {
  readonly server: PostgresServer;
  readonly pods: Pods;
  readonly random: Random;
  /** Waits for about this share of the time. */
  pass(share: number): Promise<void>;
  /** What the processes reach the database by. */
  readonly tunnel: Tunnel;
  /** Of a drill that is replicated. */
  readonly follower?: PostgresServer;
}

interface Drill {
  readonly name: string;
  readonly fault: string;
  readonly isReplicated?: boolean;
  run(site: Site): Promise<void>;
}

const DRILLS: readonly Drill[] = [
  { name: 'kill', fault: 'kill -9 of one process after the other', run: kill },
  { name: 'rolling', fault: 'each process replaced, in turn and in good order', run: roll },
  { name: 'restart', fault: 'PostgreSQL crashes and starts again, three times', run: restart },
  { name: 'stop', fault: 'PostgreSQL hangs (SIGSTOP)', run: hang },
  { name: 'lock', fault: 'tables locked, then the lines of the log', run: lock },
  { name: 'readonly', fault: 'PostgreSQL takes no writes', run: takeNoWrites },
  { name: 'exhaust', fault: 'no connections left', run: exhaust },
  {
    name: 'failover',
    fault: 'kill -9 of the primary, its synchronous replica promoted',
    isReplicated: true,
    run: failOver,
  },
];

const { values: options } = parseArgs({
  options: {
    pods: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '60' },
    only: { type: 'string' },
    seed: { type: 'string' },
  },
});
const [count, seconds] = [Number(options.pods), Number(options.seconds)];
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
if (![count, seconds, seed].every(Number.isSafeInteger) || count < 1 || seconds < 1) {
  throw new Error('--pods and --seconds must be positive whole numbers, and --seed an integer');
}
const chosen = DRILLS.filter(({ name }) => options.only === undefined || name === options.only);
if (chosen.length === 0) throw new Error(`--only must be one of ${DRILLS.map(({ name }) => name).join(', ')}`);

process.stderr.write(`seed ${seed}\n`);
if (HAS_POSTGRES) {
  for (const [n, drill] of chosen.entries()) print(drill, await hold(drill), n === 0);
} else {
  process.stderr.write("Debian's package postgresql is not installed: skipped\n");
}

/** Runs a drill in a database of its own. */
async function hold({ run, isReplicated = false }: Drill) {
  const bills = new Map<string, number>();
  await using vendor = await startSandbox({
    fault: ({ endpoint, body }) => {
      if (endpoint !== 'verify') return undefined;
      const { clientReference } = body as { readonly clientReference: string };
      bills.set(clientReference, (bills.get(clientReference) ?? 0) + 1);
      return undefined;
    },
  });
  const server = await PostgresServer.start({ max_connections: '100' });
  const follower = isReplicated ? await server.follower() : undefined;
  const tunnel = await Tunnel.to(server.port);
  const url = new URL(server.url());
  url.port = String(tunnel.port);
  const pods = await Pods.start(count, vendor, url.href);
  try {
    const random = randomOf(seed);
    const pass = (share: number) => setTimeout(share * (0.75 + random() / 2) * seconds * 1000);
    const traffic = new Traffic(pods, seed);
    const fault = async () => {
      await pass(0.15);
      await run({ server, pods, random, pass, tunnel, ...(follower ? { follower } : {}) });
      await pass(0.15);
    };
    await traffic.during(Promise.all([setTimeout(seconds * 1000), fault()]));
    for (let pod = 0; pod < count; pod++) await pods.ready(pod);
    await traffic.settle(bills);
    await pods.end();
    return await traffic.check(bills);
  } finally {
    await pods.end();
    tunnel.close();
    await follower?.stop();
    await server.stop();
  }
}

function print({ name, fault }: Drill, { seen, broken }: Awaited<ReturnType<typeof hold>>, isFirst: boolean): void {
  const counts = Object.values(broken).map((each) => each.length);
  if (isFirst) {
    const titles = ['fault', ...Object.keys(seen), ...Object.keys(broken)];
    process.stdout.write(`| ${titles.join(' | ')} |\n| --- |${' ---: |'.repeat(titles.length - 1)}\n`);
  }
  const cells = [...Object.values(seen), ...counts].map((each) => each.toLocaleString('en'));
  process.stdout.write(`| ${[`${name}: ${fault}`, ...cells].join(' | ')} |\n`);
  for (const [promise, examples] of Object.entries(broken)) {
    if (examples.length > 0) process.stderr.write(`${name}, ${promise}: ${examples.slice(0, 5).join(', ')}\n`);
  }
  const isIdle = seen.acknowledged === 0 || seen.resolved === 0;
  if (isIdle) process.stderr.write(`${name}: nothing was decided or resolved, so nothing was tried\n`);
  if (isIdle || counts.some((count) => count > 0)) process.exitCode = 1;
}

async function kill({ pods, random, pass }: Site): Promise<void> {
  for (let kills = 0; kills < 8; kills++) {
    await pods.replace(pick([...Array(count).keys()], random), 'SIGKILL');
    await pass(0.05);
  }
}

async function roll({ pods, pass }: Site): Promise<void> {
  for (let round = 0; round < 2; round++) {
    for (let pod = 0; pod < count; pod++) {
      await pods.replace(pod, 'SIGTERM');
      await pass(0.05);
    }
  }
}

async function restart({ server, pass }: Site): Promise<void> {
  for (let times = 0; times < 3; times++) {
    await server.stop('SIGKILL');
    await server.start();
    await pass(0.2);
  }
}

async function hang({ server, pass }: Site): Promise<void> {
  server.pause();
  await pass(0.4);
  server.resume();
}

async function lock({ server, pass }: Site): Promise<void> {
  const locked = (tables: string, mode: string) => server.locked(server.url(), tables, () => pass(0.25), mode);
  await locked('log_segment, reference, cases', 'access exclusive');
  await pass(0.1);
  await locked('log_entry', 'share');
}

async function takeNoWrites({ server, pass }: Site): Promise<void> {
  const connections = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'verdict'`;
  const readOnly = (value: 'on' | 'off') => {
    const setting = `alter database postgres set default_transaction_read_only = ${value}`;
    return server.sql(server.url(), `set transaction read write; ${setting}; ${connections}`);
  };
  await readOnly('on');
  await pass(0.35);
  await readOnly('off');
}

async function exhaust({ server, pass }: Site): Promise<void> {
  await server.exhausted(() => pass(0.35));
}

async function failOver({ server, follower, tunnel, pass }: Site): Promise<void> {
  if (!follower) throw new Error('nothing follows the primary');
  await server.stop('SIGKILL');
  await pass(0.1);
  await follower.promote();
  tunnel.leadTo(follower.port);
}
