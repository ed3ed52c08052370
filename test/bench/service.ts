/**
 * `npm run bench:service [-- --turn-ms 1500 --turns 5 --callers 1,8,64 --log off,required --folder DIR --only PARTS]`:
 * servers that decide over HTTP, each a process of its own, asked by this one in rotation -> decisions per second,
 * latencies, delay of the event loop and processor time, with ratios to the floor, as Markdown. Then what comes after a
 * decision, see `review.ts`. The parts are `decisions`, `lag`, `take` and `follow`.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { initAuditLog } from '../../src/audit/init.ts';
import { SANDBOX_USERS } from '../../src/sandbox/server.ts';
import { addKey } from '../../src/service/auth/keys.ts';
import { personOf } from '../support/audit/decisions.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../support/stores/state/postgres.ts';
import { type Contestant, openConnection, read, running, start } from './http-clients.ts';
import { middle } from './measure.ts';
import { measureFollowed, measureLag, measureTakes } from './review.ts';

const { values: options } = parseArgs({
  options: {
    'turn-ms': { type: 'string', default: '1500' },
    turns: { type: 'string', default: '5' },
    callers: { type: 'string', default: '1,8,64' },
    log: { type: 'string', default: 'off,required' },
    only: { type: 'string', default: 'decisions,lag,take,follow' },
    // Choose another disk if temporary files are kept in memory.
    folder: { type: 'string', default: tmpdir() },
  },
});
const [turnMs, turns] = [Number(options['turn-ms']), Number(options.turns)];
const root = mkdtempSync(join(options.folder, 'verdict-bench-'));
const postgres = HAS_POSTGRES ? await PostgresServer.start() : undefined;
const repository = join(import.meta.dirname, '../..');

interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly loopDelayMs: number;
  /** In milliseconds, ascending. */
  readonly latencies: readonly number[];
}

const SERVERS = 'test/bench/http-servers.ts';

let references = 0;

/** Runs one turn of a contestant. Throws if an answer is not a decision. */
async function measure(contestant: Contestant, callers: number): Promise<Measured> {
  const connections = Array.from({ length: callers }, () => openConnection(contestant));
  const latencies: number[] = [];
  await read(contestant);
  const began = performance.now();
  const call = async ({ ask }: ReturnType<typeof openConnection>) => {
    while (performance.now() - began < turnMs) {
      const n = references++;
      const body = JSON.stringify({ policy: 'onboarding', reference: `bench-${n}`, applicant: personOf(n) });
      const at = performance.now();
      const answer = await ask(body);
      latencies.push(performance.now() - at);
      const isDecision = answer.startsWith('HTTP/1.1 200 ') && answer.includes('"outcome":');
      if (!isDecision) throw new Error(`no decision: ${answer.slice(0, 500)}`);
    }
  };
  await Promise.all(connections.map(call));
  const perSecond = (latencies.length * 1000) / (performance.now() - began);
  const { cpuMicros, loopDelayMs } = await read(contestant);
  for (const { close } of connections) close();
  latencies.sort((one, other) => one - other);
  return { perSecond, cpuMicros: cpuMicros / latencies.length, loopDelayMs, latencies };
}

/** What a decision waits for. Ratios are to the floor of the same group, which does the same work. */
const GROUPS = ['answers in hand', 'vendor asked'] as const;

const floorOf = (name: string) => `floor; ${name.split('; ')[1]}`;

/** Each has a folder of its own, with a log of its own if there is one. */
async function startContestants(log: string, vendor: Contestant): Promise<Map<string, Contestant>> {
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  const env = {
    VERDICT_BASE_URL: vendor.url.origin,
    VERDICT_ENVIRONMENT: 'sandbox',
    VERDICT_USERNAME: username,
    VERDICT_PASSWORD: password,
  };
  const contestants = new Map([['echo', await start(root, SERVERS, ['echo'])]]);
  for (const group of GROUPS) {
    const isAsked = group === 'vendor asked';
    const dir = await makeLog(log);
    const audit = dir === undefined ? [] : ['--audit', dir];
    const asked = isAsked ? ['--vendor', vendor.url.origin] : [];
    contestants.set(`floor; ${group}`, await start(root, SERVERS, ['floor', ...audit, ...asked]));
    const { file, authorization } = await configure(await makeLog(log), IN_FILE);
    const server = isAsked
      ? await start(root, 'src/cli/main.ts', ['serve', '--config', file], env)
      : await start(root, SERVERS, ['service', '--config', file]);
    contestants.set(`service; ${group}`, { ...server, authorization });
    if (!isAsked || !postgres) continue;
    const { file: shared, authorization: key } = await configure(await makeLog(log), IN_POSTGRES);
    const variables = { ...env, BENCH_URL: await postgres.newSchema(), BENCH_KEY: KEY };
    const remote = await start(root, 'src/cli/main.ts', ['serve', '--config', shared], variables);
    contestants.set(`service on PostgreSQL; ${group}`, { ...remote, authorization: key });
  }
  return contestants;
}

async function makeLog(log: string): Promise<string | undefined> {
  if (log === 'off') return undefined;
  const dir = mkdtempSync(join(root, 'log-'));
  await initAuditLog({ dir });
  return dir;
}

const IN_FILE = '{ dir: state }';
const IN_POSTGRES = '{ postgresVariable: BENCH_URL, keyVariable: BENCH_KEY }';

/** Writes a serve.yaml with a key. */
async function configure(log: string | undefined, state: string) {
  const folder = mkdtempSync(join(root, 'serve-'));
  const file = join(folder, 'serve.yaml');
  const lines = [
    'listen: { port: 0 }',
    'admin: { port: 0 }',
    'policies: { onboarding: onboarding.yaml }',
    `rules: { folder: ${join(repository, 'rules')} }`,
    'keysFile: keys.json',
    `state: ${state}`,
    ...(log === undefined ? [] : [`audit: { dir: ${log} }`]),
    'limits: { drain: 0 seconds }',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const authorization = await addKey(join(folder, 'keys.json'), { name: 'bench', roles: ['decide'] });
  return { file, authorization };
}

/** All turns of all contestants with so many callers. */
async function race(contestants: ReadonlyMap<string, Contestant>, callers: number): Promise<Map<string, Measured[]>> {
  const results = new Map<string, Measured[]>();
  for (let turn = -1; turn < turns; turn++) {
    for (const [name, contestant] of contestants) {
      const measured = await measure(contestant, callers);
      // The first turn only warms up.
      if (turn >= 0) results.set(name, [...(results.get(name) ?? []), measured]);
    }
  }
  return results;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The ratios of the turns of one round: their median, and the least and the greatest. */
function spread(own: readonly number[], floor: readonly number[]): string {
  const ratios = own.map((each, i) => each / (floor[i] ?? Number.NaN));
  if (floor.length === 0) return '';
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return `${middle(ratios).toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}

function rowsOf(callers: number, results: ReadonlyMap<string, readonly Measured[]>): string[][] {
  const turnsOf = (name: string, value: (measured: Measured) => number) => (results.get(name) ?? []).map(value);
  const rate = ({ perSecond }: Measured) => perSecond;
  const p50 = ({ latencies }: Measured) => quantile(latencies, 0.5);
  const p99 = ({ latencies }: Measured) => quantile(latencies, 0.99);
  const cpu = ({ cpuMicros }: Measured) => cpuMicros;
  return [...results.keys()].map((name) => [
    String(callers),
    name,
    middle(turnsOf(name, rate)).toFixed(0),
    spread(turnsOf(name, rate), turnsOf(floorOf(name), rate)),
    middle(turnsOf(name, p50)).toFixed(2),
    middle(turnsOf(name, p99)).toFixed(2),
    spread(turnsOf(name, p99), turnsOf(floorOf(name), p99)),
    middle(turnsOf(name, ({ loopDelayMs }) => loopDelayMs)).toFixed(1),
    middle(turnsOf(name, cpu)).toFixed(0),
    spread(turnsOf(name, cpu), turnsOf(floorOf(name), cpu)),
  ]);
}

const TITLES = [
  'callers',
  '',
  'decisions/s',
  '× floor',
  'p50, ms',
  'p99, ms',
  'p99, × floor',
  'loop delay p99, ms',
  'processor, µs',
  'processor, × floor',
];

async function measureDecisions(): Promise<void> {
  const machine = `Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model}`;
  const work = 'The floor is node:http that parses, decides and answers; the vendor is a server that has its answers.';
  process.stdout.write(`Median of ${turns} turns of ${turnMs} ms each; ${machine}\n${work}\n`);
  const vendor = await start(root, SERVERS, ['vendor']);
  for (const log of options.log.split(',')) {
    const contestants = await startContestants(log, vendor);
    const rows: string[][] = [];
    for (const callers of options.callers.split(',').map(Number)) {
      rows.push(...rowsOf(callers, await race(contestants, callers)));
    }
    const lines = [TITLES, TITLES.map((_, i) => (i === 1 ? '---' : '---:')), ...rows];
    const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
    process.stdout.write(`\nLog ${log}:\n\n${table}\n`);
    for (const contestant of contestants.values()) contestant.process.kill();
  }
}

const PARTS: Readonly<Record<string, () => Promise<string | undefined>>> = {
  decisions: async () => void (await measureDecisions()),
  lag: () => measureLag(root, { turns, turnMs }),
  take: () => measureTakes(root, { turns, turnMs }),
  follow: () => measureFollowed(root, { turns, turnMs }),
};

try {
  for (const part of options.only.split(',')) {
    const measured = await PARTS[part]?.();
    if (measured !== undefined) process.stdout.write(`\n${measured}\n`);
  }
} finally {
  for (const server of running) server.kill();
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
}
