/**
 * The twenty points at which a call can fail, and a seed -> one applicant decided on under that fault, with all
 * that counts of it.
 */

import { inspect } from 'node:util';
import { createDecider, type Decider } from '../../../src/decision/decide.ts';
import type { Decision } from '../../../src/decision/decision.ts';
import type { Verifier } from '../../../src/decision/fetch/service-call.ts';
import { VerdictError } from '../../../src/errors.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { type Chaos, type ChaosOptions, type Fault, pick, type Random, randomOf, startChaos } from './chaos-proxy.ts';
import { applicantOf, ONBOARDING, STAGED, USER } from './clients.ts';
import * as faults from './faults.ts';

/** A point of failure: the fault there, for a seed. */
interface Point {
  readonly name: string;
  /** A fault of the call itself. */
  readonly fault?: (random: Random) => Fault;
  /** A fault of its connection. */
  readonly connection?: 'refused' | 'reset' | 'resetUnread';
  /** The deadline of the call, if only that can end it; by default long enough for every retry. */
  readonly timeoutMs?: number;
  /** How a naive client breaks the promise there, if it does. */
  readonly naive?: 'billed' | 'another host';
}

/** A `Retry-After` in every form that occurs: seconds, dates, rubbish. */
export const RETRY_AFTER = {
  seconds: () => '1',
  zero: () => '0',
  date: () => new Date(Date.now() + 1500).toUTCString(),
  pastDate: () => 'Fri, 07 Nov 2014 23:59:59 GMT',
  rubbish: () => 'soon',
  huge: () => '99999999999999999999',
  negative: () => '-1',
  empty: () => '',
} as const;

const FORMS = Object.values(RETRY_AFTER) as unknown as readonly [() => string, ...(() => string)[]];

const retryAfter = (random: Random) => ({ 'retry-after': pick(random, FORMS)() });

/** The points, in the order in which a call passes them. */
export const POINTS: readonly Point[] = [
  { name: 'connection refused', connection: 'refused' },
  { name: 'reset as soon as connected', connection: 'reset' },
  { name: 'reset before a byte is read', connection: 'resetUnread' },
  { name: 'lost after the request', fault: () => faults.lostBefore },
  { name: 'lost after the sandbox has answered', fault: () => faults.lostAfter, naive: 'billed' },
  { name: 'half a header', fault: () => faults.halfHeader, naive: 'billed' },
  { name: 'half a body', fault: () => faults.halfBody, naive: 'billed' },
  { name: 'wrong Content-Length', fault: () => faults.wrongLength, naive: 'billed' },
  { name: 'garbage instead of HTTP', fault: () => faults.garbage, naive: 'billed' },
  { name: 'garbage after the headers', fault: () => faults.garbageAfterHeaders, naive: 'billed' },
  { name: 'a second answer behind the first', fault: () => faults.answerTwice },
  { name: 'truncated gzip', fault: () => faults.truncatedGzip },
  { name: '401', fault: () => faults.status(401) },
  {
    name: '429, with Retry-After in every form and without',
    fault: (random) => faults.status(429, random() < 0.2 ? {} : retryAfter(random)),
  },
  {
    name: '503 with Retry-After',
    naive: 'billed',
    fault: (random) => {
      // An unreadable Retry-After means nothing: such a call may have been carried out.
      const header = retryAfter(random);
      const isReadable = /^\d|GMT$/.test(header['retry-after']);
      return (isReadable ? faults.status : faults.statusAfter)(503, header);
    },
  },
  {
    name: '500, 502, 503, 504, 408 before and after the call was carried out',
    naive: 'billed',
    fault: (random) => {
      const code = pick(random, [500, 502, 503, 504, 408]);
      return random() < 0.5 ? faults.status(code) : faults.statusAfter(code);
    },
  },
  {
    name: 'redirects 301 to 308, same and other host',
    naive: 'another host',
    fault: (random) =>
      faults.redirect(pick(random, [301, 302, 303, 305, 307, 308]), pick(random, ['same', 'other'] as const)),
  },
  {
    name: 'dripped headers and bodies, no answer at all',
    fault: (random) => pick(random, [faults.drip('header'), faults.drip('body'), faults.silence]),
    timeoutMs: 300,
  },
  {
    name: 'endless body, gzip bomb, deep JSON',
    fault: (random) => pick(random, [faults.endlessBody(), BOMB, faults.deepJson]),
  },
  {
    name: "200 without JSON, with a failure inside, with another's answer",
    fault: (random) => pick(random, [faults.notJson, faults.failureInside, faults.othersAnswer]),
  },
];

const BOMB = faults.gzipBomb(8);

/** One case: a point, its fault, and how often it strikes. */
export interface Case {
  readonly point: Point;
  readonly seed: number;
  readonly endpoint: 'sign-in' | 'verify';
  /** How many attempts it strikes, beginning with the first. */
  readonly strikes: number;
}

/** The result of a case. */
export interface Outcome {
  readonly decision: Decision;
  /** How often one stage of the decision was billed at most. */
  readonly billed: number;
  /** How often one stage arrived at the service at most. */
  readonly received: number;
  /** Whether every stage got the sandbox's answer unchanged. */
  readonly isDelivered: boolean;
  /** Bytes sent to another listener. */
  readonly strayBytes: number;
  /** Whether the decision, or an error behind it, contains a secret or personal data. */
  readonly isLeaking: boolean;
}

/** The case of a seed: a quarter of the faults strike the sign-in, and some once, some again and again. */
export function caseOf(point: Point, seed: number): Case {
  const random = randomOf(seed);
  const endpoint = random() < 0.25 ? 'sign-in' : 'verify';
  return { point, seed, endpoint, strikes: pick(random, [1, 1, 2, 1000]) };
}

/**
 * Decides on an applicant whom the sandbox knows nothing against, by a policy with stages or without, while calls
 * fail as the case says.
 */
export async function runCase(
  { point, seed, endpoint, strikes }: Case,
  setting: {
    readonly target: string;
    /** The client under test. */
    readonly connect: (chaos: Chaos, timeoutMs: number) => Verifier & { close?(): void };
  },
): Promise<Outcome> {
  const random = randomOf(seed ^ 0x5bd1e995);
  const chaos = await startChaos({ target: setting.target, seed, ...planOf(point, endpoint, strikes, random) });
  // The service cannot be reached at the first call.
  if (point.connection === 'refused' && endpoint === 'sign-in') chaos.refuse(strikes === 1000 ? undefined : 5);
  const client = setting.connect(chaos, point.timeoutMs ?? 5_000);
  let said = '';
  const verify: Verifier['verify'] = (...args) =>
    client.verify(...args).catch((error: unknown) => {
      // Printing an axios error in full takes a second.
      if (error instanceof VerdictError) said += inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
      throw error;
    });
  try {
    const decider: Decider = createDecider({
      policy: seed % 2 === 0 ? POLICIES.whole : POLICIES.staged,
      verify: { verify },
    });
    const decision = await decider.decide(APPLICANT, { clientReference: `case-${seed}` });
    const verifies = chaos.calls.filter((call) => call.endpoint === 'verify');
    const stages = [...new Set(verifies.map(({ asked }) => asked))].map((asked) =>
      verifies.filter((call) => call.asked === asked),
    );
    return {
      decision,
      billed: Math.max(0, ...stages.map((calls) => calls.filter(({ billed }) => billed).length)),
      received: Math.max(0, ...stages.map((calls) => calls.length)),
      isDelivered: stages.length > 0 && stages.every((calls) => calls.some(({ delivered }) => delivered)),
      strayBytes: chaos.otherHost.bytes,
      isLeaking: [...SECRETS, ...chaos.tokens].some((secret) => (said + JSON.stringify(decision)).includes(secret)),
    };
  } finally {
    client.close?.();
    await chaos.close();
  }
}

/** The promises that a case broke. */
export function breachesOf({ decision, billed, isDelivered, strayBytes, isLeaking }: Outcome): string[] {
  const isAnswered = decision.signals.calls.every(({ result }) => result === 'answered');
  return [
    ...(billed > 1 ? [`billed ${billed} times`] : []),
    ...(decision.outcome === 'accept' && !isDelivered ? ['accepted without an answer'] : []),
    ...(decision.outcome === 'accept' && !isAnswered ? ['accepted on a failed call'] : []),
    ...(strayBytes > 0 ? ['bytes sent to another host'] : []),
    ...(isLeaking ? ['a secret told'] : []),
  ];
}

const POLICIES = { whole: loadPolicy(ONBOARDING), staged: loadPolicy(STAGED) };

const APPLICANT = applicantOf('clean');
const SECRETS = [USER.password, APPLICANT.phoneNo.slice(1), APPLICANT.email, APPLICANT.ip];

function planOf(
  point: Point,
  endpoint: Case['endpoint'],
  strikes: number,
  random: Random,
): Omit<ChaosOptions, 'target' | 'seed'> {
  if (point.connection === undefined) {
    return {
      keepAlive: random() < 0.5,
      faults: (call) => {
        const isStruck = call.endpoint === endpoint && call.attempt <= strikes;
        return isStruck ? point.fault?.(random) : undefined;
      },
    };
  }
  // Each call has a connection of its own, the sign-in the first: so the number of the connection tells which call
  // it is.
  const first = endpoint === 'sign-in' ? 1 : 2;
  const { connection } = point;
  if (connection !== 'refused') {
    const isStruck = (nth: number) => nth >= first && nth < first + strikes;
    return { keepAlive: false, connections: (nth) => (isStruck(nth) ? connection : undefined) };
  }
  const signInThenRefuse: Fault = {
    name: 'refused after the sign-in',
    async strike(strike) {
      const answer = await strike.forward();
      strike.refuse(strikes === 1000 ? undefined : 5);
      strike.reply(answer);
    },
  };
  return {
    keepAlive: false,
    faults: (call) => (endpoint === 'verify' && call.endpoint === 'sign-in' ? signInThenRefuse : undefined),
  };
}
