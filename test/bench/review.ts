/**
 * What happens after a decision -> how far the index and the cases are behind it, how long a case takes to be taken,
 * and what it costs a decision that the log is followed. Each beside another way in the same run, as Markdown.
 */

import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openLogIndex } from '../../src/audit/index/open-index.ts';
import { initAuditLog } from '../../src/audit/init.ts';
import { createAuditLog, type OpenAuditLog } from '../../src/audit/log.ts';
import { addEvent } from '../../src/audit/query/event.ts';
import { searchLog } from '../../src/audit/query/search.ts';
import { createDecider } from '../../src/decision/decide.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { PERSONAS } from '../../src/sandbox/personas.ts';
import { addKey } from '../../src/service/auth/keys.ts';
import { Follower } from '../../src/service/follower.ts';
import { sealOf } from '../../src/service/note-id.ts';
import { openState, type StatePlace } from '../../src/stores/state/state.ts';
import { localVerifier, personOf } from '../support/audit/decisions.ts';
import { quickRules } from '../support/service/rules.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../support/stores/state/postgres.ts';
import { type Contestant, openConnection, start } from './http-clients.ts';
import { middle } from './measure.ts';
import { rounded, table } from './report.ts';

const repository = join(import.meta.dirname, '../..');

const [CALLERS, RATE, SECONDS_A_TURN] = [64, 1000, 3];
const [TAKERS, TAKES_EACH] = [16, 100];
const CASES_A_TURN = 10_000;
const [PAIRS_A_TURN, PAIR_MS] = [6, 500];
const POLL_MS = 5;
const TITLES = ['median, ms', 'p99, ms'];

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
const quantiles = (values: readonly number[]) => [0.5, 0.99].map((share) => rounded(quantile(values, share)));
/** Of pairs of turns: the median, the least and the greatest. */
const spread = (ratios: readonly number[]) =>
  `${middle(ratios).toFixed(3)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;

/** How long it is measured: `turns` of `turnMs`, or as many times so long where that is another time. */
export interface PaceOfReview {
  readonly turns: number;
  readonly turnMs: number;
}

/** A home of the state: where it is, and how `serve.yaml` says it. */
interface HomeOfBench {
  readonly title: string;
  readonly place: () => Promise<StatePlace>;
}

/** The homes that this machine has, each with a disk that it waits for. */
async function withHomes<Result>(root: string, work: (home: HomeOfBench) => Promise<Result>): Promise<Result[]> {
  const sqlite = { title: 'SQLite', place: async () => ({ dir: join(mkdtempSync(join(root, 'home-')), 'state') }) };
  const results = [await work(sqlite)];
  if (!HAS_POSTGRES) return results;
  const server = await PostgresServer.start({ fsync: 'on', shared_buffers: '128MB' });
  try {
    const place = async () => ({ postgres: await server.newSchema(), key: KEY });
    results.push(await work({ title: 'PostgreSQL', place }));
  } finally {
    await server.stop();
  }
  return results;
}

/** What arrived since the last call, by the id of its decision. */
type Arrivals = () => Promise<readonly string[]> | readonly string[];

function casesIn(place: StatePlace): Arrivals {
  if ('dir' in place) {
    const read = new DatabaseSync(join(place.dir, 'state.sqlite'), { readOnly: true }).prepare(
      'select rowid, id from cases where rowid > ? order by rowid',
    );
    let last = 0;
    return () => {
      const rows = read.all(last) as unknown as { readonly rowid: number; readonly id: string }[];
      last = rows.at(-1)?.rowid ?? last;
      return rows.map(({ id }) => id);
    };
  }
  const pool = new pg.Pool({ connectionString: place.postgres, max: 1, allowExitOnIdle: true });
  pool.on('error', () => {});
  // One follower adds rows, in one transaction after the other.
  const sql = 'select xmin::text::bigint as at, id from cases where xmin::text::bigint > $1 order by 1';
  let last = '0';
  return async () => {
    const { rows } = await pool.query(sql, [last]);
    last = rows.at(-1)?.at ?? last;
    return rows.map(({ id }) => id);
  };
}

function indexedIn(log: string): Arrivals {
  const read = new DatabaseSync(join(log, 'index.sqlite'), { readOnly: true }).prepare(
    'select entry, hex(id) as id from decision where entry > ? order by entry',
  );
  let last = 0;
  return () => {
    const rows = read.all(last) as unknown as { readonly entry: number; readonly id: string }[];
    last = rows.at(-1)?.entry ?? last;
    return rows.map(({ id }) => id.toLowerCase());
  };
}

const withoutDashes = (id: string) => id.replaceAll('-', '');

/** A service with a log, and a key for each taker. */
async function startService(root: string, place: StatePlace) {
  const folder = mkdtempSync(join(root, 'serve-'));
  const log = join(folder, 'log');
  await initAuditLog({ dir: log });
  if ('dir' in place) mkdirSync(place.dir, { recursive: true });
  const state = 'dir' in place ? `{ dir: ${place.dir} }` : '{ postgresVariable: BENCH_URL, keyVariable: BENCH_KEY }';
  const lines = [
    ...['listen: { port: 0 }', 'admin: { port: 0 }', 'policies: { onboarding: onboarding.yaml }'],
    ...[`rules: { folder: ${quickRules()} }`, 'keysFile: keys.json', `state: ${state}`],
    ...[`audit: { dir: ${log} }`, 'limits: { drain: 0 seconds }'],
  ];
  writeFileSync(join(folder, 'serve.yaml'), `${lines.join('\n')}\n`);
  const keys: string[] = [];
  for (let i = 0; i < TAKERS; i++) {
    keys.push(await addKey(join(folder, 'keys.json'), { name: `taker-${i}`, roles: ['decide', 'review'] }));
  }
  const env = 'postgres' in place ? { BENCH_URL: place.postgres, BENCH_KEY: place.key } : {};
  const args = ['service', '--config', join(folder, 'serve.yaml')];
  const server = await start(root, 'test/bench/http-servers.ts', args, env);
  return { log, takers: keys.map((authorization): Contestant => ({ ...server, authorization })) };
}

/** An answer of a service: when, and of which decision. */
interface Answered {
  readonly at: number;
  readonly isReview: boolean;
}

let references = 0;

/** Decides at a steady rate, as far as the service follows; the answers by the id of the decision. */
async function decideSteadily(service: Contestant, seconds: number): Promise<ReadonlyMap<string, Answered>> {
  const answered = new Map<string, Answered>();
  const began = performance.now();
  let next = 0;
  const call = async () => {
    const { ask, close } = openConnection(service);
    for (let n = next++; n < RATE * seconds; n = next++) {
      const waitMs = began + (n * 1000) / RATE - performance.now();
      if (waitMs > 1) await setTimeout(waitMs);
      const reference = `bench-${references++}`;
      const answer = await ask(JSON.stringify({ policy: 'onboarding', reference, applicant: personOf(n) }));
      const [, id = ''] = /"id":"([^"]+)"/.exec(answer) ?? [];
      if (id === '') throw new Error(`no decision: ${answer.slice(0, 500)}`);
      answered.set(id, { at: performance.now(), isReview: answer.includes('"outcome":"review","reasons"') });
    }
    close();
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return answered;
}

/** When each id was seen, until all were, or nothing came for ten seconds. */
async function watch(arrivals: Arrivals, isEnough: (seen: number) => boolean): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  for (let last = performance.now(); !isEnough(seen.size) && performance.now() - last < 10_000; ) {
    const ids = await arrivals();
    const at = performance.now();
    for (const id of ids) seen.set(id, at);
    if (ids.length > 0) last = at;
    await setTimeout(POLL_MS);
  }
  return seen;
}

/** The time from each answer until something was seen of it; throws if something was not. */
function lags(answered: ReadonlyMap<string, Answered>, seen: ReadonlyMap<string, number>, name = (id: string) => id) {
  return [...answered].map(([id, { at }]) => {
    const seenAt = seen.get(name(id));
    if (seenAt === undefined) throw new Error('a decision was not followed');
    return Math.max(0, seenAt - at);
  });
}

/** Reading what is new without an index means to read the log. */
async function readWhole(log: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; i++) {
    const at = performance.now();
    await searchLog({ dir: log });
    times.push(performance.now() - at);
  }
  return middle(times);
}

/** People who take cases over HTTP and resolve each, and have no time to think; how long the taking takes. */
async function takeByHttp(takers: readonly Contestant[]): Promise<readonly number[]> {
  const times: number[] = [];
  const work = async (taker: Contestant) => {
    const { ask, close } = openConnection(taker);
    for (let i = 0; i < TAKES_EACH; i++) {
      const at = performance.now();
      const taken = await ask('{}', '/v1/cases/take');
      times.push(performance.now() - at);
      const [, id = '', token = ''] = /"id":"([^"]+)".*?"token":(\d+)/.exec(taken) ?? [];
      const body = `{"token":${token},"disposition":"approve","why":"Bench."}`;
      const resolved = await ask(body, `/v1/cases/${id}/resolve`);
      if (!resolved.startsWith('HTTP/1.1 200 ')) throw new Error(`not resolved: ${resolved.slice(0, 500)}`);
    }
    close();
  };
  await Promise.all(takers.map(work));
  return times;
}

/** Of a service that decides: how far the index and the cases are behind. Then people take the cases. */
export async function measureLag(root: string, { turns }: PaceOfReview): Promise<string> {
  const rows = await withHomes(root, async ({ title, place: newPlace }) => {
    const place = await newPlace();
    const { log, takers } = await startService(root, place);
    const [service] = takers;
    if (!service) throw new Error('no takers');
    await decideSteadily(service, 3);
    await setTimeout(2000);
    const [cases, indexed] = [casesIn(place), indexedIn(log)];
    await Promise.all([cases(), indexed()]);
    const began = performance.now();
    let [made, reviewed] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    const seen = [watch(indexed, (n) => n >= made), watch(cases, (n) => n >= reviewed)] as const;
    const answered = await decideSteadily(service, turns * SECONDS_A_TURN);
    const perSecond = (answered.size * 1000) / (performance.now() - began);
    const reviews = new Map([...answered].filter(([, { isReview }]) => isReview));
    [made, reviewed] = [answered.size, reviews.size];
    const [ofIndex, ofCases] = await Promise.all(seen);
    const behind = lags(answered, ofIndex, withoutDashes);
    const casesBehind = lags(reviews, ofCases);
    const wholeMs = await readWhole(log);
    const ratio = quantile(casesBehind, 0.99) / wholeMs;
    const lag = [...quantiles(behind), ...quantiles(casesBehind), rounded(wholeMs), rounded(ratio)];
    const taking = await takeByHttp(takers);
    service.process.kill();
    return { lag: [title, rounded(perSecond), ...lag], take: [title, ...quantiles(taking)] };
  });
  const titles = ['state', 'decisions/s', 'index: median, ms', 'p99, ms', 'case: median, ms', 'p99, ms'];
  const lag = table(
    [...titles, 'reading the log, ms', 'p99, × reading the log'],
    rows.map(({ lag }) => lag),
  );
  const words = `From the answer of a decision until the index and the case have it, at ${RATE} decisions a second:`;
  const taken = `${TAKERS} people who take cases over HTTP and resolve each at once; of the taking:`;
  return `${words}\n\n${lag}\n\n${taken}\n\n${table(
    ['state', ...TITLES],
    rows.map(({ take }) => take),
  )}`;
}

/** Takes of cases beside claims of references, in turns, each by so many callers at once. */
export async function measureTakes(root: string, { turns, turnMs }: PaceOfReview): Promise<string> {
  const rows = await withHomes(root, async ({ title, place }) => {
    const state = await openState({ ...(await place()), rememberMs: 86_400_000 });
    const { cases } = state;
    for (let n = 0; n < (turns + 1) * CASES_A_TURN; n += 1000) {
      const some = Array.from({ length: 1000 }, (_, i) => ({ id: `case ${n + i}`, due: n + i }));
      const rest = { kind: 'review', queue: 'default', openedAt: 1 } as const;
      await cases.open(some.map((each) => ({ ...each, decision: each.id, ...rest })));
    }
    const take = async (person: string) => {
      const at = performance.now();
      const taken = await cases.take({ person, leaseMs: 60_000 });
      const ms = performance.now() - at;
      if (!taken) throw new Error('too few cases');
      const { id, token, decision } = taken;
      const said = { note: `note of ${id}`, disposition: 'approve' };
      await cases.beginResolve({ id, token, person, leastMs: 0, ...said });
      await cases.finishResolve({ id, decision, at: 1, ...said });
      return ms;
    };
    const claim = async () => {
      const key = `reference ${references++}`;
      const at = performance.now();
      await state.references.claim({ key, question: 'q', decision: key, resend: false });
      const ms = performance.now() - at;
      await state.references.finish(key, key, 'accept');
      return ms;
    };
    const turn = async (work: (person: string) => Promise<number>) => {
      const times: number[] = [];
      const began = performance.now();
      const call = async (_: unknown, i: number) => {
        while (performance.now() - began < turnMs) times.push(await work(`person ${i}`));
      };
      await Promise.all(Array.from({ length: TAKERS }, call));
      return times;
    };
    const [claims, takes] = [[] as number[][], [] as number[][]];
    for (let i = -1; i < turns; i++) {
      const [claimed, taken] = [await turn(claim), await turn(take)];
      // The first turn only warms up.
      if (i < 0) continue;
      claims.push(claimed);
      takes.push(taken);
    }
    await state.close();
    const p99s = [takes, claims].map((turns) => turns.map((times) => quantile(times, 0.99)));
    const [own = [], others = []] = p99s;
    const ratios = own.map((each, i) => each / (others[i] ?? Number.NaN));
    const ofTakes = [rounded(middle(takes.map((times) => quantile(times, 0.5)))), rounded(middle(own))];
    return [title, ...ofTakes, rounded(middle(others)), spread(ratios)];
  });
  const words = `${TAKERS} people who take cases and resolve each at once, and as many who claim references:`;
  return `${words}\n\n${table(['state', 'take: median, ms', 'p99, ms', 'claim: p99, ms', 'p99, × claim'], rows)}`;
}

/** Decides with a log that is followed, and with one that is not, in pairs of turns. */
export async function measureFollowed(root: string, { turns }: PaceOfReview): Promise<string> {
  const answers = new Map<string, object>();
  for (let n = 0; n < PERSONAS.length; n++) {
    const person = personOf(n);
    const { body } = await localVerifier.verify({ ...person, clientReference: 'bench' });
    answers.set(person.phoneNo.slice(1), body as object);
  }
  const verify: typeof localVerifier = {
    verify: async ({ phoneNo, clientReference }) => ({ body: { ...answers.get(phoneNo), clientReference } }),
  };
  const policy = loadPolicy(join(repository, 'rules/onboarding.yaml'));
  const logs = ['followed', 'alone'].map((name) => join(mkdtempSync(join(root, 'follow-')), name));
  const deciders = await Promise.all(
    logs.map(async (dir) => {
      await initAuditLog({ dir });
      const audit = await createAuditLog({ dir });
      return { audit, decider: createDecider({ policy, verify, audit }) };
    }),
  );
  const [dir = ''] = logs;
  await using index = await openLogIndex({ dir });
  const state = await openState({ dir: join(root, 'follow-state'), rememberMs: 1000 });
  const begin = () =>
    addEvent({ log: deciders[0]?.audit as OpenAuditLog, type: 'cases.sealed', by: 'a bench', subjects: {} });
  const queues = [{ name: 'default', withinMs: 86_400_000 }];
  const seal = sealOf(createSecretKey(randomBytes(32)));
  const following = { queues, seal, makesAllCases: true, begin, report: () => {} };
  const follower = new Follower({ index, cases: state.cases, ...following });
  const turn = async (i: number, callers: number) => {
    await follower.catchUp();
    const { decider } = deciders[i] ?? {};
    if (!decider) throw new Error('no decider');
    const [began, cpu] = [performance.now(), process.threadCpuUsage()];
    let done = 0;
    const call = async () => {
      while (performance.now() - began < PAIR_MS) {
        await decider.decide(personOf(done++), { clientReference: `bench-${references++}` });
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    const { user, system } = process.threadCpuUsage(cpu);
    return { micros: ((performance.now() - began) * 1000) / done, cpuMicros: (user + system) / done };
  };
  const rows: string[][] = [];
  const most = turns * PAIRS_A_TURN;
  for (const callers of [1, 8, 64]) {
    const pairs: Readonly<Record<'followed' | 'alone', Awaited<ReturnType<typeof turn>>>>[] = [];
    for (let i = -2; i < most; i++) {
      const order = i % 2 === 0 ? [0, 1] : [1, 0];
      const turns = new Map<number, Awaited<ReturnType<typeof turn>>>();
      for (const which of order) turns.set(which, await turn(which, callers));
      const [followed, alone] = [turns.get(0), turns.get(1)];
      if (i >= 0 && followed && alone) pairs.push({ followed, alone });
    }
    const perSecond = (which: 'followed' | 'alone') => rounded(1e6 / middle(pairs.map((each) => each[which].micros)));
    const ratio = (of: 'micros' | 'cpuMicros') => spread(pairs.map(({ followed, alone }) => followed[of] / alone[of]));
    rows.push([`${callers}`, perSecond('alone'), perSecond('followed'), ratio('micros'), ratio('cpuMicros')]);
  }
  await follower.close();
  await state.close();
  for (const { audit } of deciders) await audit.close();
  const titles = ['callers', 'decisions/s', 'with the log followed', 'time, ×', 'processor time of the thread, ×'];
  return `Decisions with a log that the index and the cases follow, ${most} pairs of turns:\n\n${table(titles, rows)}`;
}
