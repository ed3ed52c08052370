/**
 * `node test/soak/faults.ts [--cases 10000] [--seed 1] [--only 'half a body']`: many cases of each fault -> the
 * table of docs/reliability.md: whether the verify client kept its promises.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDecider, type Decider } from '../../src/decision/decide.ts';
import type { Decision } from '../../src/decision/decision.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts';
import { type Call, type Chaos, type ChaosOptions, type Fault, startChaos } from '../support/signals/chaos-proxy.ts';
import { applicantOf, failureOf, ONBOARDING, openClient, requestOf } from '../support/signals/clients.ts';
import { liveThroughDays } from '../support/signals/clock.ts';
import * as faults from '../support/signals/faults.ts';
import { breachesOf, caseOf, POINTS, runCase } from '../support/signals/points.ts';
import { createPolluter, differenceOf } from '../support/signals/polluter.ts';
import { BREAKING, pollutionOf } from '../support/signals/pollution.ts';

/** The number of concurrent cases. */
const AT_ONCE = 12;

/** One row of the table. */
interface Row {
  readonly injected: string;
  /** The number of its cases, as a share of `--cases`. */
  readonly share: number;
  /** Runs the cases and returns a result for each. */
  run(cases: number, seed: number): Promise<readonly Result[]>;
}

/** How the promise was broken; undefined if it held. */
type Result = string | undefined;

const { values: options } = parseArgs({
  options: { cases: { type: 'string', default: '10000' }, seed: { type: 'string' }, only: { type: 'string' } },
});
const cases = Number(options.cases);
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
if (!Number.isSafeInteger(cases) || cases < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('--cases must be a positive whole number, and --seed an integer');
}

const sandbox = await startSandbox();
const policy = loadPolicy(ONBOARDING);

const ROWS: readonly Row[] = [
  ...POINTS.map(
    (point): Row => ({
      injected: point.name,
      share: 1 / POINTS.length,
      run: (count, from) =>
        several(count, async (i) => {
          const connect = ({ url }: { readonly url: string }, timeoutMs: number) => openClient(url, { timeoutMs });
          const outcome = await runCase(caseOf(point, from + i), { target: sandbox.url, connect });
          return breachesOf(outcome)[0];
        }),
    }),
  ),
  { injected: '1,000 callers at once, cold and with their token revoked (calls)', share: 1, run: callTogether },
  { injected: 'a body that drips (the call ends at its deadline + 50 ms at most)', share: 1 / 100, run: drip },
  { injected: 'gzip bombs of 1 GiB, endless bodies, deep JSON (20 MB of memory at most)', share: 1 / 500, run: eat },
  { injected: 'three days by a clock that jumps (calls)', share: 1, run: live },
  { injected: 'keys of Object.prototype polluted', share: 1 / 20, run: pollute },
  {
    injected: 'the service down, the circuit breaker open (nobody is asked, all go to review)',
    share: 1 / 5,
    run: (count) => decideWithout(count, Number.POSITIVE_INFINITY),
  },
  {
    injected: 'the same (decided within 5 ms of real time)',
    share: 1 / 5,
    run: (count) => decideWithout(count, 5),
  },
  { injected: 'one source failed inside an answer', share: 1 / 10, run: failSources },
];

process.stderr.write(`seed ${seed}\n`);
const lines: string[] = [];
try {
  for (const row of ROWS.filter(({ injected }) => injected.includes(options.only ?? ''))) {
    const started = performance.now();
    const results = await row.run(Math.max(1, Math.round(cases * row.share)), seed);
    const broken = results.filter((result) => result !== undefined);
    lines.push(`| ${row.injected} | ${format(results.length)} | ${format(results.length - broken.length)} |`);
    const seconds = Math.round((performance.now() - started) / 1000);
    process.stderr.write(`${row.injected}: ${seconds} s${broken.length > 0 ? `; broken: ${tally(broken)}` : ''}\n`);
    if (broken.length > 0) process.exitCode = 1;
  }
} finally {
  await sandbox.close();
}
process.stdout.write(`Run on ${new Date().toISOString().slice(0, 10)} with \`--cases ${cases} --seed ${seed}\`:\n\n`);
process.stdout.write(`| injected | cases | held |\n| --- | ---: | ---: |\n${lines.join('\n')}\n`);

/** Runs cases, some at a time, in no particular order. */
async function several(count: number, run: (i: number) => Promise<Result>, atOnce = AT_ONCE): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) results.push(await run(next++));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

async function withChaos<T>(given: Omit<ChaosOptions, 'target'>, run: (chaos: Chaos) => Promise<T>, target = sandbox) {
  const chaos = await startChaos({ target: target.url, ...given });
  try {
    return await run(chaos);
  } finally {
    await chaos.close();
  }
}

function striking(endpoint: Call['endpoint'], fault: Fault) {
  return { faults: (call: Call) => (call.endpoint === endpoint ? fault : undefined) };
}

/** 1,000 concurrent callers of a new client, then 1,000 more while its token is revoked. */
async function callTogether(count: number): Promise<Result[]> {
  const rounds = Math.ceil(count / 2000);
  const results: Result[] = [];
  for (let round = 0; round < rounds; round++) {
    const own: Sandbox = await startSandbox();
    const client = openClient(own.url);
    const call = (_: unknown, i: number) => client.verify(requestOf(`${round}-${i}`));
    const callAll = async (before: () => void) => {
      const calls = Array.from({ length: 1000 }, call);
      await Promise.race(calls);
      before();
      const ended = await Promise.allSettled(calls);
      return ended.map(({ status }) => (status === 'fulfilled' ? undefined : 'failed'));
    };
    const cold = await callAll(() => {});
    const signIns = own.counts.signIns;
    const revoked = await callAll(() => own.revokeTokens());
    const isShared = signIns === 1 && own.counts.signIns === 2;
    results.push(...[...cold, ...revoked].map((result) => (isShared ? result : 'more than one sign-in')));
    client.close();
    await own.close();
  }
  return results;
}

/** A body that arrives one byte every 50 ms. Calls run one at a time, so that none delays another. */
async function drip(count: number): Promise<Result[]> {
  const timeoutMs = 300;
  return withChaos(striking('verify', faults.drip('body')), async ({ url }) => {
    const client = openClient(url, { timeoutMs, breakerFailures: 1_000_000 });
    await failureOf(client.verify(requestOf('first')));
    const results = await several(
      count,
      async (i) => {
        const started = performance.now();
        const { code } = await failureOf(client.verify(requestOf(`${i}`)));
        const overMs = performance.now() - started - timeoutMs;
        if (code !== 'TIMED_OUT') return code;
        return overMs <= 50 ? undefined : 'ended too late';
      },
      1,
    );
    client.close();
    return results;
  });
}

/** Oversized answers, each to its own process, whose memory is measured. */
async function eat(count: number): Promise<Result[]> {
  const tooMuch = [faults.gzipBomb(1024), faults.endlessBody(), faults.deepJson];
  return several(
    count,
    async (i) => {
      const fault = tooMuch[i % tooMuch.length] ?? faults.deepJson;
      const strike = (call: Call) => (call.reference === 'too much' ? fault : undefined);
      return withChaos({ faults: strike }, async ({ url }) => {
        const child = fork(join(import.meta.dirname, 'eat.ts'), [url]);
        const [{ code, grewBy }] = (await once(child, 'message')) as [{ code: string; grewBy: number }];
        if (code !== 'ANSWER_UNREADABLE') return code;
        return grewBy <= 20_000_000 ? undefined : `grew by ${Math.round(grewBy / 1e6)} MB (${fault.name})`;
      });
    },
    1,
  );
}

async function live(count: number, from: number): Promise<Result[]> {
  const results: Result[] = [];
  for (let i = 0; results.length < count; i++) {
    const { calls, refused } = await liveThroughDays(from + i, true);
    results.push(...Array.from({ length: calls }, (_, j) => (j < refused ? 'dead token' : undefined)));
  }
  return results;
}

/** Repeats, for two applicants: each key alone, all keys at once, and the keys that make the engine throw. */
async function pollute(count: number): Promise<Result[]> {
  return withChaos({}, async (chaos) => {
    const polluter = createPolluter(chaos);
    const keys = Object.keys(pollutionOf({ url: '', port: 0 }));
    const orders = (['clean', 'account-takeover'] as const).map((name) => ({ applicant: applicantOf(name) }));
    const results: Result[] = [];
    while (results.length < count) {
      for (const order of orders) {
        const expected = await polluter.decide([], order);
        for (const polluted of [...keys.map((key) => [key]), keys]) {
          const difference = differenceOf(await polluter.decide(polluted, order), expected);
          results.push(difference === undefined ? undefined : `${polluted.slice(0, 2)}: ${difference}`);
        }
      }
      for (const key of Object.keys(BREAKING)) {
        const { outcome, strayBytes } = await polluter.decide([key], { ...orders[1], breaking: true });
        results.push(outcome === 'accept' || strayBytes > 0 ? `${key}: accepted` : undefined);
      }
    }
    polluter.close();
    return results;
  });
}

/** Makes decisions while the circuit breaker is open. */
async function decideWithout(count: number, limitMs: number): Promise<Result[]> {
  return withChaos({ connections: () => 'reset' }, async (chaos) => {
    const client = openClient(chaos.url, { maxAttempts: 1, breakerPauseMs: 3_600_000 });
    const decider: Decider = createDecider({ policy, verify: client });
    const decide = () => decider.decide(applicantOf('clean'));
    for (let decision = 0; decision < 100; decision++) await decide();
    const before = chaos.connections;
    const results = await several(
      count,
      async () => {
        const started = performance.now();
        const { outcome } = await decide();
        if (outcome !== 'review') return outcome;
        return performance.now() - started <= limitMs ? undefined : `took longer than ${limitMs} ms`;
      },
      1,
    );
    client.close();
    return chaos.connections === before ? results : results.map(() => 'a connection was attempted');
  });
}

/** Marks each source of an answer as failed in turn, but leaves its values in the answer. */
async function failSources(count: number, from: number): Promise<Result[]> {
  const sources = { phone: /^phone\./, email: /^email\.(?!darkWeb)/, darkWeb: /^email\.darkWeb\./, ip: /^ip\./ };
  return several(count, async (i) => {
    const [source, owned] = Object.entries(sources)[(from + i) % 4] ?? ['phone', sources.phone];
    const failed: Fault = {
      name: `${source} failed`,
      async strike(strike) {
        const answer = await strike.forward();
        const text = answer.body.toString().replace(`"${source}":"Successful"`, `"${source}":"Timeout"`);
        strike.reply({ ...answer, body: Buffer.from(text) });
      },
    };
    const decision: Decision = await withChaos(striking('verify', failed), async ({ url }) => {
      const client = openClient(url);
      const decider: Decider = createDecider({ policy, verify: client });
      const made = await decider.decide(applicantOf('clean'));
      client.close();
      return made;
    });
    const missing = Object.entries(decision.signals.missing).filter(([, cause]) => cause === 'sourceFailed');
    // A derived fact fails with the source of its inputs: `ip.matchesPhoneCountry` fails with the IP source.
    const others = missing.filter(([path]) => !owned.test(path));
    if (missing.length === 0) return 'the failed source was believed';
    if (others.length > 0) return `${others.map(([path]) => path)} lost with ${source}`;
    return decision.outcome === 'review' ? undefined : decision.outcome;
  });
}

function tally(broken: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const how of broken) counts.set(how, (counts.get(how) ?? 0) + 1);
  return [...counts].map(([how, count]) => `${count} ${how}`).join(', ');
}

function format(count: number): string {
  return count.toLocaleString('en');
}
