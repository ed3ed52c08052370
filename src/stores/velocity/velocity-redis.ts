/** Sets and members -> sorted sets of Redis or Valkey, by time, which processes of several machines share. */

import { createHmac } from 'node:crypto';
import type { createClient } from '@redis/client';
import { foreignCode, VerdictError } from '../../errors.ts';
import { within } from '../../platform/homes/connections.ts';
import { openHome, type ToMend } from '../../platform/homes/open-home.ts';
import { loadOptional } from '../../platform/lazy.ts';
import {
  type Applied,
  type Applying,
  type HomeAsking,
  type HomeCoverage,
  type HomeCovered,
  type HomeKinds,
  type HomeRestoring,
  type Opening,
  OTHER_FORMAT,
  SWEEP_ROWS,
  type Swept,
  type VelocityHome,
  VelocityUnavailable,
} from './home.ts';
import {
  APPLY,
  COVER,
  COVERAGE,
  DISCARD,
  FORMAT,
  FORMAT_KEY,
  INIT,
  RESTORE,
  type Script,
  SWEEP,
} from './redis-scripts.ts';

const TO_MEND: ToMend = {
  OTHER_FORMAT,
  NOT_INITIALISED: 'the velocity store is not initialised, or Redis has lost it: see verdict velocity init and rebuild',
  OTHER_KEY: 'the key of the velocity store is not the one that Redis was written with; put that one back',
  EVICTS:
    'Redis evicts keys of the velocity store, or may: set maxmemory-policy to noeviction, then verdict velocity init',
  CLUSTER: 'the velocity store cannot be in a Redis Cluster, whose keys are on several nodes: expected a single Redis',
  REDIS_WRONGPASS: 'Redis refuses the user or the password of the velocity store',
  REDIS_NOAUTH: 'Redis wants a password for the velocity store',
  REDIS_NOPERM:
    'the user of the velocity store may not use scripts, INFO, or strings, hashes, sets and sorted sets of its keys',
};

type Client = ReturnType<typeof createClient>;

/** With `init`, marks the database as a velocity store of this key. */
export async function openRedis(
  url: string,
  key: Buffer,
  timeoutMs: number,
  { init, discards }: Opening,
): Promise<VelocityHome> {
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) {
    throw new VerdictError(
      'CONFIGURATION_INVALID',
      'the URL of the velocity store is malformed: expected one of Redis',
    );
  }
  const need = 'velocity store in Redis needs';
  const loaded = await loadOptional<typeof import('@redis/client')>('@redis/client', 6, need);
  const home = new RedisHome(() => newClient(loaded, url, timeoutMs), key, timeoutMs);
  const open = async () => {
    if (discards) await home.discard();
    if (init) await home.init();
    await home.check();
  };
  await openHome(open, { toMend: TO_MEND, close: () => home.close(), isPatient: !init });
  return home;
}

/** A connection that is lost is not made again by the client: what it was told would be sent late. */
function newClient(redis: typeof import('@redis/client'), url: string, timeoutMs: number): Client {
  // Unlike `createClient`, does not make all commands again for each connection.
  const client = redis.RedisClient.factory()({
    url,
    name: 'verdict',
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false, connectTimeout: timeoutMs },
  });
  return client.on('error', () => {}) as Client;
}

interface Connection {
  readonly client: Client;
  readonly ready: Promise<unknown>;
}

class RedisHome implements VelocityHome {
  readonly #newClient: () => Client;
  readonly #format: string;
  readonly #timeoutMs: number;
  #connection: Connection | undefined;

  constructor(newClient: () => Client, key: Buffer, timeoutMs: number) {
    this.#newClient = newClient;
    this.#format = `${FORMAT} ${createHmac('sha256', key).update('velocity').digest('base64')}`;
    this.#timeoutMs = timeoutMs;
  }

  /** Deletes what the format before has, if it is there, and marks the database as one of this format. */
  async discard(): Promise<void> {
    let from = '0';
    do from = String(await this.#run(DISCARD, [this.#format.replace(/^\d+/, '1'), from]));
    while (from !== '0');
  }

  async init(): Promise<void> {
    await this.#run(INIT, []);
    await this.check();
  }

  /** Rejects if the database is not a store of this version and key. */
  async check(): Promise<void> {
    await this.#ask(COVERAGE, { policy: '', kinds: [] });
  }

  async apply(of: Applying): Promise<Applied> {
    const { counts, adds, kinds, policy } = of;
    const asking = { ...homeAsking(of), counts: counts.map(shortSet), adds: adds.map(shortSet), policy: short(policy) };
    const more = { isPeek: of.isPeek, hasPast: of.hasPast, missed: of.missed, kinds: kinds.map(shortKind) };
    const [application = '', began, ...rest] = (await this.#ask(APPLY, { ...asking, ...more })) as string[];
    const answers = rest.filter((_, i) => i % 2 === 0);
    const since = rest.filter((_, i) => i % 2 === 1).map(Number);
    return { application: Buffer.from(application, 'base64url').toString('hex'), began: Number(began), answers, since };
  }

  async restore(of: readonly HomeRestoring[]): Promise<void> {
    await this.#ask(
      RESTORE,
      of.map(({ isDecision, adds, known, counted, ...asking }) => ({
        ...homeAsking(asking),
        ...{ isDecision, adds: adds.map(shortSet), known, counted },
      })),
    );
  }

  async coverage({ policy, kinds }: HomeKinds): Promise<HomeCoverage> {
    const asking = { policy: short(policy), kinds: kinds.map(shortKind) };
    const answer = (await this.#ask(COVERAGE, asking)) as [string, string, string[], number, string, string[]];
    const [from, to, logs, policies, filledTo, since] = answer;
    return {
      ...{ since: since.map((each) => (each === '' ? null : Number(each))), logs, policies },
      filledTo: filledTo === '' ? null : Number(filledTo),
      gap: from === '' ? null : { from: Number(from), to: Number(to) },
    };
  }

  async cover({ policy, kinds, ...rest }: HomeCovered): Promise<void> {
    await this.#ask(COVER, { ...rest, policy: short(policy), kinds: kinds.map(shortKind) });
  }

  async sweep(what: Swept, from = '0') {
    const values = 'hashes' in what ? what.hashes : [];
    const of = 'now' in what ? { now: what.now } : { isDryRun: what.isDryRun };
    const asking = { ...of, from, most: SWEEP_ROWS, values, hashes: values.map(short) };
    const [next, deleted] = (await this.#ask(SWEEP, asking)) as [string, number];
    return next === '0' ? { deleted } : { deleted, next };
  }

  async close(): Promise<void> {
    const { client } = this.#connection ?? {};
    if (client?.isReady) await within(client.close(), this.#timeoutMs, () => new Error()).catch(() => {});
    this.#drop(client);
  }

  #ask(script: Script, asking: unknown): Promise<unknown> {
    return this.#run(script, [JSON.stringify(asking)]);
  }

  /** Runs a script, which Redis has kept since it was sent once. */
  async #run(script: Script, args: readonly string[]): Promise<unknown> {
    const rest = ['1', FORMAT_KEY, this.#format, ...args];
    const connection = this.#connection ?? this.#connect();
    const { client, ready } = connection;
    const run = async () => {
      await ready;
      const reply = client.sendCommand(['EVALSHA', script.sha, ...rest]);
      return reply.catch((error: unknown) => {
        if (codeOf(error) !== 'REDIS_NOSCRIPT') throw error;
        return client.sendCommand(['EVAL', script.text, ...rest]);
      });
    };
    try {
      return await within(run(), this.#timeoutMs, () => new VelocityUnavailable('TIMED_OUT'));
    } catch (error) {
      const code = codeOf(error);
      // What waits for a connection that hangs is not sent once it goes on; the next order makes another one.
      const isKept = code.startsWith('REDIS_') && !AWAY.test(code);
      if (!isKept && this.#connection === connection) this.#drop(client);
      throw new VelocityUnavailable(code);
    }
  }

  #connect(): Connection {
    const client = this.#newClient();
    const ready = (async () => {
      await client.connect();
      // The deadline of an order keeps the process running, an idle connection does not.
      client.unref();
      const info = String(await client.sendCommand(['INFO']));
      if (/^cluster_enabled:1\r?$/m.test(info)) throw new VelocityUnavailable('CLUSTER');
      const isLimited = !/^maxmemory:0\r?$/m.test(info);
      if (isLimited && !/^maxmemory_policy:noeviction\r?$/m.test(info)) throw new VelocityUnavailable('EVICTS');
    })();
    this.#connection = { client, ready };
    return this.#connection;
  }

  #drop(client: Client | undefined): void {
    this.#connection = undefined;
    if (client?.isOpen) client.destroy();
  }
}

/** 16 bytes as 22 characters. */
function short(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64url');
}

function shortKind<Of extends { readonly kind: string }>(of: Of): Of {
  return { ...of, kind: short(of.kind) };
}

/** The value, the kind and the second value of a set, which a script tells apart by their lengths. */
function shortSet<Of extends { readonly set: string; readonly kind?: string }>(of: Of): Of {
  const { set, kind } = of;
  const parts = [set.slice(0, 24), set.slice(24, 32), set.slice(32)].map(short).join('');
  return { ...of, set: parts, ...(kind === undefined ? {} : { kind: short(kind) }) };
}

function homeAsking({ decision, application, reference, applicant, at, began }: HomeAsking) {
  const hashes = Object.entries(applicant).map(([variable, hashed]) => [variable, short(hashed)]);
  const certain = application === undefined ? {} : { application: short(application) };
  const of = { decision: short(decision), ...certain, reference: short(reference), at, began };
  return { ...of, applicant: Object.fromEntries(hashes) };
}

/** The server no longer leads, or not yet: whoever does is found with a new connection. */
const AWAY = /(?:READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|NOREPLICAS)\b/;

/** The code of Node, of Redis (the first word of its message), or our own. */
function codeOf(error: unknown): string {
  const code = foreignCode(error);
  if (code !== undefined) return code;
  const message = error instanceof Error ? error.message : '';
  const word = AWAY.exec(message)?.[0] ?? /^[A-Z_]{2,40}(?= )/.exec(message)?.[0];
  if (word === undefined) return 'CONNECTION_LOST';
  return ['NOT_INITIALISED', 'OTHER_FORMAT', 'OTHER_KEY', 'EVICTS'].includes(word) ? word : `REDIS_${word}`;
}
