/**
 * `npm run bench:client [-- --calls 4000 --in-flight 50]`: calls through the client, decisions, and plain axios
 * calls to the same sandbox, in rotation in one process -> calls per second, processor time, latencies and their
 * ratios, as Markdown.
 */

import http from 'node:http';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import axios from 'axios';
import { createDecider } from '../../src/decision/decide.ts';
import type { Verifier } from '../../src/decision/fetch/service-call.ts';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import type { Facts } from '../../src/facts/fact.ts';
import { loadMapping } from '../../src/facts/mapping/mapping.ts';
import { normalise } from '../../src/facts/mapping/normalise.ts';
import { readFacts } from '../../src/facts/read.ts';
import type { Policy } from '../../src/policy/language.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { PERSONAS } from '../../src/sandbox/personas.ts';
import { SANDBOX_USERS } from '../../src/sandbox/server.ts';
import { createVerifyClient } from '../../src/signals/client.ts';
import { RISK_SERVICE } from '../../src/signals/request.ts';
import { IDENTITY_VARIABLES } from '../../src/signals/variables.ts';
import { generatePolicy, readGenerated } from './generate.ts';

/** A contestant: makes the i-th call. */
type Call = (i: number) => Promise<unknown>;

interface Measured {
  readonly perSecond: number;
  /** The processor time of this thread for one call, in microseconds: it depends less on what else runs. */
  readonly cpuMicros: number;
  /** The latency of each call in milliseconds, ascending. */
  readonly latencies: readonly number[];
}

const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '4000' }, 'in-flight': { type: 'string', default: '50' } },
});
const calls = Number(options.calls);
const inFlight = Number(options['in-flight']);
/** The number of turns of each contestant, in rotation with the others; the median counts. */
const ROUNDS = 7;

const worker = new Worker(new URL('./sandbox.ts', import.meta.url));
const url = await new Promise<string>((resolve) => worker.once('message', resolve));
const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };

/** The applicants in the form that the client takes. */
const people = PERSONAS.map(({ phoneNo, email, ip }) => ({ phoneNo, email, ip }));
/** A reference of its own for each call: a decider gives a remembered decision without asking. */
let references = 0;
const nextReference = () => `bench-${references++}`;
const personOf = (i: number) => people[i % people.length] ?? { phoneNo: '' };

async function bareAxios(): Promise<Call> {
  const { data } = await axios.post(`${url}/api/v2/auth/sign_in`, { username, password });
  const instance = axios.create({
    baseURL: url,
    // Between its turns the sandbox closes idle connections; the agent does so earlier, or a request may meet the end.
    httpAgent: new http.Agent({ keepAlive: true, timeout: 3_000 }),
    headers: { Authorization: `Bearer ${data.sessionToken}` },
  });
  return (i) =>
    instance.post('/api/v2/verify', {
      countryCode: 'Global',
      clientReference: nextReference(),
      service: [RISK_SERVICE],
      identityVariables: personOf(i),
    });
}

const client = createVerifyClient({ baseUrl: url, environment: 'sandbox', username, password });
const policy = loadPolicy('rules/onboarding.yaml');
const decide = (verify: Verifier, decided: Policy = policy, runner: 'live' | 'matcher' = 'matcher'): Call => {
  const decider = createDecider({ policy: decided, verify, runner });
  return (i) => decider.decide(personOf(i), { clientReference: nextReference() });
};

/** Gives answers that are in hand, each to the phone number that was asked for: a decision without HTTP. */
async function answersInHand(): Promise<Verifier> {
  const answers = new Map<string, object>();
  for (const person of people) {
    const { body } = await client.verify({ ...person, clientReference: nextReference() });
    answers.set(person.phoneNo, body as object);
  }
  return {
    verify: async ({ phoneNo, clientReference }) => ({ body: { ...answers.get(phoneNo), clientReference } }),
  };
}

/** The matcher alone, on the facts of the answers. */
async function matcherAlone({ verify }: Verifier): Promise<Call> {
  const day = new Date().toISOString().slice(0, 10);
  const facts: Facts[] = [];
  for (const person of people) {
    const clientReference = nextReference();
    const { body } = await verify({ ...person, clientReference });
    const asked = { variables: IDENTITY_VARIABLES, composite: false, clientReference };
    facts.push(readFacts(normalise({ body }, loadMapping(), asked, policy.facts, day), policy.facts, day));
  }
  const matcher = matcherOf(policy);
  return async (i) => matcher.verdict(facts[i % facts.length] ?? new Map(), day);
}

const inHand = await answersInHand();

const contestants: Readonly<Record<string, Call>> = {
  'plain axios': await bareAxios(),
  'client.verify': (i) => client.verify({ ...personOf(i), clientReference: nextReference() }),
  'decide, 29 rules': decide(client),
  'decide, 29 rules, live': decide(client, policy, 'live'),
  'decide, 29 rules, answers in hand': decide(inHand),
  'decide, 29 rules, live, answers in hand': decide(inHand, policy, 'live'),
  'decide, 300 rules, answers in hand': decide(inHand, readGenerated(generatePolicy(300, 1))),
  'matcher.verdict, facts in hand': await matcherAlone(inHand),
};

async function measure(call: Call): Promise<Measured> {
  const latencies: number[] = [];
  let next = 0;
  const began = performance.now();
  const cpuBefore = process.threadCpuUsage();
  const caller = async () => {
    while (next < calls) {
      const at = performance.now();
      await call(next++);
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const perSecond = (calls / (performance.now() - began)) * 1000;
  const { user, system } = process.threadCpuUsage(cpuBefore);
  return { perSecond, cpuMicros: (user + system) / calls, latencies: latencies.sort((a, b) => a - b) };
}

const rounds = new Map<string, Measured[]>();
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, call] of Object.entries(contestants)) {
    const measured = await measure(call);
    // The first turn of each contestant only warms it up.
    if (round >= 0) rounds.set(name, [...(rounds.get(name) ?? []), measured]);
  }
}

/** One caller at a time: the time that the client adds to a call when nothing is queued. */
const alone = new Map<string, number[]>();
for (let i = 0; i < calls; i++) {
  for (const [name, call] of Object.entries(contestants)) {
    const at = performance.now();
    await call(i);
    alone.set(name, [...(alone.get(name) ?? []), performance.now() - at]);
  }
}

const middle = (values: readonly number[]) =>
  quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const base = rounds.get('plain axios') ?? [];
const aloneP99 = (name: string) =>
  quantile(
    (alone.get(name) ?? []).toSorted((a, b) => a - b),
    0.99,
  );
/** The ratios of the turns of one round: their median, and the least and the greatest. */
function spread(ratios: readonly number[]): string {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return `${middle(ratios).toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`;
}
const rows = [...rounds].map(([name, measured]) => [
  name,
  middle(measured.map(({ perSecond }) => perSecond)).toFixed(0),
  spread(measured.map(({ perSecond }, i) => perSecond / (base[i]?.perSecond ?? Number.NaN))),
  middle(measured.map(({ cpuMicros }) => cpuMicros)).toFixed(0),
  spread(measured.map(({ cpuMicros }, i) => (base[i]?.cpuMicros ?? Number.NaN) / cpuMicros)),
  middle(measured.map(({ latencies }) => quantile(latencies, 0.99))).toFixed(1),
  aloneP99(name).toFixed(2),
  (aloneP99(name) - aloneP99('plain axios')).toFixed(2),
]);
const titles = [
  '',
  'calls/s',
  '× axios',
  'processor, µs',
  '× axios, by processor',
  `p99, ${inFlight} in flight, ms`,
  'p99, one, ms',
  'added to axios, ms',
];
const lines = [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
const pace = `${calls} calls per turn, ${inFlight} in flight, ${ROUNDS} turns`;
const machine = `Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model}`;
process.stdout.write(`${pace}; ${machine}\n\n${lines.join('\n')}\n`);
await client.close();
await worker.terminate();
