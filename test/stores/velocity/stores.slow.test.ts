/** Each store of velocity: what it promises, also when processes are killed, servers restart or networks hang. */

import { type ChildProcess, fork } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import { RedisClient } from '@redis/client';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { initAuditLog } from '../../../src/audit/init.ts';
import { addIndexKey } from '../../../src/audit/keys/key-folder.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { APPLICATION_MS } from '../../../src/decision/application.ts';
import type { VelocityStore } from '../../../src/decision/velocity-store.ts';
import { GRACE_MS, SELF_SWEEP } from '../../../src/stores/velocity/home.ts';
import {
  createVelocityStore,
  initVelocityStore,
  openFilledStore,
  type VelocityStoreOptions,
} from '../../../src/stores/velocity/velocity.ts';
import { CLOSED_PORT, freePort } from '../../support/ports.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';
import { describeStore } from '../../support/stores/velocity/conformance.ts';
import { counting, HOUR_MS, KEEP_MS } from '../../support/stores/velocity/counting.ts';
import { HAS_REDIS, RedisServer } from '../../support/stores/velocity/redis.ts';
import { reject } from '../../support/stores/velocity/rejecting.ts';
import { Tunnel } from '../../support/stores/velocity/tunnel.ts';

const UNAVAILABLE = expect.objectContaining({ name: 'VelocityUnavailable' });
const unavailable = (code: string) =>
  expect.objectContaining({ name: 'VelocityUnavailable', cause: expect.objectContaining({ code }) });

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'velocity-'));
}

const KEY_FILE = join(newFolder(), 'server.key');

const opened: VelocityStore[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function open(options: VelocityStoreOptions): Promise<VelocityStore> {
  const store = await createVelocityStore(options);
  opened.push(store);
  return store;
}

/** What an application of the one value is counted; `incomplete` if the store was away. */
async function numbersOf(store: VelocityStore, name: string) {
  const { counts } = await store.count(counting(store, name, 'value'));
  return counts.map((each) => (typeof each === 'number' ? each : 'incomplete'));
}

/** Says that what was not counted while the store was away is there now. */
async function heal(store: VelocityStore): Promise<void> {
  const { policy, kinds } = counting(store, 'any', 'value');
  const { gap } = await store.coverage({ policy, kinds });
  expect(gap).toBeDefined();
  await store.cover({ policy, kinds, at: Date.now(), gap });
}

/** What a store counts that was away. Its calls have little time: one that is late makes the next one incomplete. */
function countedOnceHealed(store: VelocityStore, name: string) {
  return vi.waitFor(async () => {
    const counted = await numbersOf(store, name);
    if (counted.includes('incomplete')) await heal(store);
    expect(counted).not.toContain('incomplete');
    return counted;
  });
}

async function initialised(options: VelocityStoreOptions): Promise<VelocityStoreOptions> {
  await initVelocityStore(options);
  return options;
}

writeFileSync(KEY_FILE, randomBytes(32), { mode: 0o600 });
const postgres = PostgresServer.ofTests();
const redis = RedisServer.ofTests();

interface Place {
  readonly title: string;
  readonly isThere: boolean;
  /** A new store. */
  readonly make: (timeoutMs?: number) => Promise<VelocityStoreOptions>;
  /** All that is stored. */
  readonly written: (options: VelocityStoreOptions) => Promise<string>;
}

interface ServerPlace extends Place {
  /** The same store by another port. */
  readonly through: (options: VelocityStoreOptions, port: number) => VelocityStoreOptions;
  readonly server: () => PostgresServer | RedisServer;
}

const SQLITE: Place = {
  ...{ title: 'SQLite', isThere: true },
  make: async (timeoutMs = 5000) => ({ sqlite: join(newFolder(), 'velocity.sqlite'), timeoutMs }),
  written: async ({ sqlite = '' }) => {
    const folder = dirname(sqlite);
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join();
  },
};

const POSTGRES: ServerPlace = {
  ...{ title: 'PostgreSQL (skipped where postgresql is not installed)', isThere: HAS_POSTGRES },
  make: async (timeoutMs = 5000) => initialised({ postgres: await postgres.newSchema(), keyFile: KEY_FILE, timeoutMs }),
  written: async ({ postgres: url = '' }) =>
    JSON.stringify(await postgres.sql(url, 'select * from velocity_member, velocity_application')),
  through: (options, port) => ({ ...options, postgres: options.postgres?.replace(/:\d+\//, `:${port}/`) ?? '' }),
  server: () => postgres,
};

const REDIS: ServerPlace = {
  title: 'Redis (skipped where neither valkey-server nor redis-server is installed)',
  isThere: HAS_REDIS,
  make: async (timeoutMs = 5000) => initialised({ redis: redis.newDatabase(), keyFile: KEY_FILE, timeoutMs }),
  written: async () => redis.written(),
  through: (options, port) => ({ ...options, redis: options.redis?.replace(/:\d+\//, `:${port}/`) ?? '' }),
  server: () => redis,
};

const SERVERS = [POSTGRES, REDIS];

/** Makes a store into one of the format before. */
const AGED: Readonly<Record<string, (options: VelocityStoreOptions) => Promise<unknown>>> = {
  [SQLITE.title]: async ({ sqlite = '' }) => {
    const database = new DatabaseSync(sqlite);
    for (const table of ['application', 'seen', 'kind', 'fact']) database.exec(`drop table ${table}`);
    database.exec('create table seen (set_id blob, member blob); pragma user_version = 1');
    database.close();
  },
  [POSTGRES.title]: ({ postgres: url = '' }) => {
    const tables = ['application', 'member', 'kind', 'fact'].map((each) => `velocity_${each}`).join();
    const older = `drop table ${tables}, verdict_migration cascade; create table velocity_seen (set_id uuid); update velocity_format set format = 1`;
    return postgres.sql(url, older);
  },
  [REDIS.title]: async ({ redis: url = '' }) => {
    const format = String(await redis.command(url, 'GET', 'velocity:format'));
    await redis.command(url, 'SET', 'velocity:format', format.replace(/^2/, '1'));
    await redis.command(url, 'SET', 'velocity:older', 'x');
  },
};

function forkChild(options: VelocityStoreOptions, ...args: readonly string[]): ChildProcess {
  const file = join(import.meta.dirname, '../../support/stores/velocity/child.ts');
  return fork(file, [JSON.stringify(options), ...args], { execArgv: ['--no-warnings'] });
}

for (const { title, isThere, make, written } of [SQLITE, ...SERVERS]) {
  let made: Promise<VelocityStoreOptions> | undefined;
  const openAgain = async () => {
    made ??= make(20_000);
    return createVelocityStore(await made);
  };
  describeStore({ title, isThere, open: openAgain });

  describe.skipIf(!isThere)(`applications in ${title}`, () => {
    it('of the format before are refused, until a log fills the store or it is discarded', async () => {
      for (const make_ of [(options: VelocityStoreOptions) => initVelocityStore(options, true), openFilledStore]) {
        const options = await make();
        await (await open(options)).close();
        await AGED[title]?.(options);
        await expect(createVelocityStore(options)).rejects.toThrow(/init --discard/);
        await expect(initVelocityStore(options)).rejects.toThrow(/init --discard/);
        await (await make_(options))?.close();
        const store = await open(options);
        expect(await store.coverage({ policy: store.hash('one'), kinds: [] })).toMatchObject({ policies: 0 });
        expect(await numbersOf(store, 'one')).toEqual([0]);
      }
    });

    it('leave nothing personal in the store', async () => {
      const options = await make();
      const store = await open(options);
      const [phone, email, ip] = ['+12025550101', 'nora.whitfield@juniper-lane.example', '203.0.113.11'];
      for (const value of [phone, email, ip])
        await store.count(counting(store, `reference-471193280657 ${value}`, value));
      const stored = await written(options);
      expect(stored.length).toBeGreaterThan(500);
      expect(stored).not.toMatch(/2025550101|whitfield|juniper|203\.0\.113|471193280657|applications/);
      // Nor what anybody could find by hashing all numbers.
      for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
        for (const format of ['hex', 'base64', 'base64url'] as const) {
          expect(stored).not.toContain(hash(algorithm, phone, format).slice(0, 16));
        }
      }
    });
  });
}

for (const { title, isThere, make, through, server } of SERVERS) {
  describe.skipIf(!isThere)(title, () => {
    const openThrough = async (options: VelocityStoreOptions) => {
      const tunnel = await Tunnel.to(server().port);
      const store = await open({ ...through(options, tunnel.port), timeoutMs: 200 });
      return { tunnel, store, count: (name: string) => numbersOf(store, name) };
    };

    it.each(['in good order', 'by a crash'])('that ends %s and starts again has all that it answered', async (how) => {
      const options = await make();
      const store = await open(options);
      for (const name of ['one', 'two']) await store.count(counting(store, name, 'value'));
      if (how === 'by a crash') await server().stop('SIGKILL');
      else await server().stop();
      await expect(store.count(counting(store, 'three', 'value'))).rejects.toEqual(UNAVAILABLE);
      // A service starts without its store, and says review.
      const late = await open(options);
      await expect(late.count(counting(late, 'three', 'value'))).rejects.toEqual(UNAVAILABLE);
      await server().start();
      expect(await numbersOf(store, 'three')).toEqual(['incomplete']);
      await numbersOf(late, 'three');
      await heal(store);
      expect(await numbersOf(store, 'three')).toEqual([2]);
      expect(await numbersOf(late, 'two')).toEqual([1]);
    });

    it('behind a network that hangs fails every call in time, and counts nothing twice', async () => {
      const options = await make();
      const { tunnel, count, store } = await openThrough(options);
      await vi.waitFor(() => count('before'));
      tunnel.hang();
      const names = Array.from({ length: 30 }, (_, i) => `hung ${i}`);
      const hung = await Promise.allSettled([
        ...names.map(count),
        ...[store.restore([]), store.prune(1), store.erase([store.hash('none')])],
      ]);
      const failed = { status: 'rejected', reason: UNAVAILABLE };
      expect(hung).toEqual([...Array(30).fill(failed), { status: 'fulfilled' }, failed, failed]);
      tunnel.resume();
      await vi.waitFor(async () => expect(await count('before')).toEqual(['incomplete']));
      // Where the first call came while the store was still being opened, some that hung are counted by now.
      await countedOnceHealed(store, 'before');
      // Each was counted by the call that failed, or is counted by this one.
      const other = await open({ ...options, timeoutMs: 20_000 });
      const numbers = (await Promise.all(names.map((name) => numbersOf(other, name)))).flat().map(Number);
      expect(numbers.sort((a, b) => a - b)).toEqual(names.map((_, i) => i + 1));
      tunnel.close();
    });

    it('whose connections hang for ever gets new ones', async () => {
      const { tunnel, count, store } = await openThrough(await make());
      await vi.waitFor(() => Promise.all(['one', 'two'].map(count)));
      tunnel.hang('connections');
      await expect(count('three')).rejects.toEqual(UNAVAILABLE);
      await vi.waitFor(async () => expect(await count('three')).toEqual(['incomplete']));
      expect(await countedOnceHealed(store, 'three')).toEqual([2]);
      tunnel.close();
    });

    it('that is not there opens, and every call says that it is not available', async () => {
      const store = await open(through(await make(), CLOSED_PORT));
      await expect(store.count(counting(store, 'one', 'value'))).rejects.toEqual(unavailable('ECONNREFUSED'));
      await expect(initVelocityStore(through(await make(), CLOSED_PORT))).rejects.toEqual(unavailable('ECONNREFUSED'));
    });

    it('written with another key, or never made, is refused, and the message has no secret', async () => {
      const options = await make();
      const other = join(newFolder(), 'other.key');
      const errors = [
        await initVelocityStore({ ...options, keyFile: other }).catch((error: unknown) => error),
        await createVelocityStore({ ...options, keyFile: other }).catch((error: unknown) => error),
        await createVelocityStore({ ...options, keyFile: join(newFolder(), 'none') }).catch((error: unknown) => error),
      ];
      const invalid = (message: RegExp) =>
        expect.objectContaining({ code: 'CONFIGURATION_INVALID', message: expect.stringMatching(message) });
      const otherKey = invalid(/key of the velocity store is not the one/);
      expect(errors).toEqual([otherKey, otherKey, invalid(/key of the velocity store is not there/)]);
      expect(inspect(errors, { depth: 9 })).not.toMatch(/canary|127\.0\.0\.1/);
    });
  });
}

it('the functions in PostgreSQL have the numbers of the other stores', () => {
  const sql = readFileSync('src/migrations/velocity/0001-tables.sql', 'utf8');
  expect(sql).toContain(`at > made - ${APPLICATION_MS} and at < made + ${APPLICATION_MS}`);
  expect(sql).toContain(`greatest(${APPLICATION_MS}, (select max(keep)`);
  expect(sql).toContain(`made)::bigint - ${GRACE_MS};`);
  expect(sql).toContain(`random() < 1.0 / ${SELF_SWEEP.everyth} then`);
  const rows = [...sql.matchAll(/perform velocity_sweep\w*\(.*, (\d+)\);/g)].map(([, each]) => Number(each));
  expect(rows).toEqual([SELF_SWEEP.rows, SELF_SWEEP.rows]);
});

describe.skipIf(!HAS_POSTGRES)('PostgreSQL (skipped where postgresql is not installed)', () => {
  it('tables from before there were migrations are refused until they are migrated, and keep what they count', async () => {
    const options = await POSTGRES.make();
    const store = await open(options);
    expect(await numbersOf(store, 'one')).toEqual([0]);
    await store.close();
    const { postgres: url = '' } = options;
    await postgres.sql(url, 'drop table verdict_migration; drop function velocity_cover(text, jsonb)');
    await expect(createVelocityStore(options)).rejects.toThrow(/lack 0001-tables: run `verdict velocity init`/);
    await initVelocityStore(options);
    const clerk = { ...options, postgres: await postgres.clerk(url) };
    const again = await open(clerk);
    expect(await numbersOf(again, 'two')).toEqual([1]);
    await postgres.sql(url, 'update verdict_migration set least = 9');
    await expect(createVelocityStore(clerk)).rejects.toThrow(/for a later version/);
  });

  it('without the tables is refused, and says how to make them', async () => {
    const creating = createVelocityStore({ postgres: await postgres.newSchema(), keyFile: KEY_FILE });
    await expect(creating).rejects.toThrow(/verdict velocity init makes them/);
  });

  it('whose transactions do not see what is committed is refused', async () => {
    const { postgres: url = '' } = await POSTGRES.make();
    const other = url.replace('search_path', 'default_transaction_isolation=serializable+-c+search_path');
    await expect(createVelocityStore({ postgres: other, keyFile: KEY_FILE })).rejects.toThrow(/not read committed/);
  });

  it('is reached by TLS if the URL says so', async () => {
    const { postgres: url = '' } = await POSTGRES.make();
    const secure = `${url}&${new URLSearchParams({ sslmode: 'verify-full', sslrootcert: postgres.caFile })}`;
    const store = await open({ postgres: secure, keyFile: KEY_FILE, timeoutMs: 5000 });
    expect(await numbersOf(store, 'one')).toEqual([0]);
    const other = await open({ postgres: `${url}&sslmode=verify-full`, keyFile: KEY_FILE, timeoutMs: 5000 });
    await expect(other.count(counting(other, 'two', 'value'))).rejects.toEqual(UNAVAILABLE);
  });
});

describe.skipIf(!HAS_REDIS)('Redis (skipped where neither valkey-server nor redis-server is installed)', () => {
  it('that has lost everything does not count from zero, until it is made again', async () => {
    const options = await REDIS.make();
    const store = await open(options);
    await store.count(counting(store, 'one', 'value'));
    await redis.command(options.redis ?? '', 'FLUSHDB');
    await expect(store.count(counting(store, 'two', 'value'))).rejects.toEqual(unavailable('NOT_INITIALISED'));
    await expect(createVelocityStore(options)).rejects.toThrow(/verdict velocity init/);
    await initVelocityStore(options);
    // Nobody knows what it had: the application that failed is one of those that are missing.
    expect(await numbersOf(store, 'two')).toEqual(['incomplete']);
    await heal(store);
    expect(await numbersOf(store, 'two')).toEqual([0]);
  });

  it('that may evict members is refused', async () => {
    const options = await REDIS.make();
    const set = (name: string, value: string) => redis.command(redis.url(), 'CONFIG', 'SET', name, value);
    await set('maxmemory', '1gb');
    await set('maxmemory-policy', 'volatile-ttl');
    try {
      await expect(createVelocityStore(options)).rejects.toThrow(/noeviction/);
      await set('maxmemory-policy', 'noeviction');
      const store = await open(options);
      await set('maxmemory', '1mb');
      await expect(store.count(counting(store, 'one', 'value'))).rejects.toEqual(unavailable('REDIS_OOM'));
    } finally {
      await set('maxmemory', '0');
    }
  });

  describe('of its own', () => {
    /** A server that others do not use, with an initialised store; `set` changes it while it runs. */
    async function start(settings: Readonly<Record<string, string>> = {}) {
      const server = await RedisServer.start(settings);
      onTestFinished(() => server.stop());
      const options = { redis: server.newDatabase(), keyFile: KEY_FILE, timeoutMs: 5000 };
      const run = (...command: readonly string[]) => server.command(server.url(), ...command);
      const set = (name: string, value: string) => run('CONFIG', 'SET', name, value);
      return { server, options, run, set };
    }

    /** Fills the server until keys of applications are gone: those of others have no end. */
    async function evict({ options, run, set }: Awaited<ReturnType<typeof start>>) {
      const used = Number(/^used_memory:(\d+)/m.exec(String(await run('INFO', 'memory')))?.[1]);
      await set('maxmemory', String(used + 200_000));
      await set('maxmemory-policy', 'volatile-lru');
      const filling = RedisClient.factory()({ url: options.redis });
      await filling.connect();
      for (let i = 0; i < 500; i++) await filling.sendCommand(['SET', `other ${i}`, 'x'.repeat(1000)]).catch(() => {});
      await filling.close();
      expect(String(await run('INFO', 'stats'))).toMatch(/^evicted_keys:[1-9]/m);
    }

    it('whose keys were evicted counts nothing, whatever its setting is by then and however often it starts', async () => {
      const world = await start();
      const { options, set, server } = world;
      await initVelocityStore(options);
      const store = await open(options);
      for (const name of ['one', 'two']) await store.count(counting(store, name, 'value'));
      await evict(world);
      const lost = unavailable('EVICTS');
      await expect(store.count(counting(store, 'three', 'value'))).rejects.toEqual(lost);
      await set('maxmemory', '0');
      await set('maxmemory-policy', 'noeviction');
      await expect(store.count(counting(store, 'three', 'value'))).rejects.toEqual(lost);
      await expect(createVelocityStore(options)).rejects.toThrow(/noeviction, then verdict velocity init/);
      // The server forgets how many it evicted, the store does not.
      await server.stop();
      await server.start();
      await expect(store.count(counting(store, 'three', 'value'))).rejects.toEqual(UNAVAILABLE);
      await expect(store.count(counting(store, 'three', 'value'))).rejects.toEqual(lost);
      await initVelocityStore(options);
      expect(await numbersOf(store, 'three')).toEqual(['incomplete']);
      await heal(store);
      expect((await numbersOf(store, 'four'))[0]).toEqual(expect.any(Number));
    });

    it('that evicted keys before it was initialised is incomplete until that is mended', async () => {
      const world = await start();
      const { options, set } = world;
      await initVelocityStore(options);
      const earlier = await open(options);
      await earlier.count(counting(earlier, 'one', 'value'));
      await evict(world);
      await set('maxmemory', '0');
      await world.run('FLUSHALL');
      await initVelocityStore(options);
      const store = await open(options);
      // Nobody knows what was evicted.
      expect(await numbersOf(store, 'one')).toEqual(['incomplete']);
      await heal(store);
      expect(await numbersOf(store, 'two')).toEqual([1]);
    });

    it('that no longer leads is left for the one that does, with a new connection', async () => {
      const { options, run } = await start();
      await initVelocityStore(options);
      const store = await open(options);
      await store.count(counting(store, 'one', 'value'));
      const connections = async () =>
        [...String(await run('CLIENT', 'LIST')).matchAll(/^id=(\d+) .* name=verdict /gm)].map(([, id]) => id);
      const before = await connections();
      expect(before).toHaveLength(1);
      // Of a primary that does not answer: it is a replica without its data being changed.
      await run('REPLICAOF', '127.0.0.1', String(CLOSED_PORT));
      await expect(store.count(counting(store, 'two', 'value'))).rejects.toEqual(unavailable('REDIS_READONLY'));
      await vi.waitFor(async () => expect(await connections()).toEqual([]));
      await run('REPLICAOF', 'NO', 'ONE');
      expect(await numbersOf(store, 'two')).toEqual(['incomplete']);
      await heal(store);
      expect(await numbersOf(store, 'three')).toEqual([2]);
      expect(await connections()).not.toEqual(before);
    });

    it('that is a cluster is refused, at the start and when it is initialised', async () => {
      const { server } = await start({ 'cluster-enabled': 'yes', 'cluster-port': String(await freePort()) });
      const options = { redis: server.url(), keyFile: KEY_FILE, timeoutMs: 5000 };
      const refused = { code: 'CONFIGURATION_INVALID', message: expect.stringContaining('expected a single Redis') };
      await expect(initVelocityStore(options)).rejects.toMatchObject(refused);
      await expect(createVelocityStore(options)).rejects.toMatchObject(refused);
    });
  });

  it('has no key that lives for ever, and none that ends before its time', async () => {
    const options = await REDIS.make();
    const store = await open(options);
    await store.count(counting(store, 'one', 'value'));
    const keys = (await redis.command(options.redis ?? '', 'KEYS', '*')) as readonly string[];
    const lives = await Promise.all(
      keys.map(async (key) => [key, await redis.command(options.redis ?? '', 'PTTL', key)]),
    );
    const isKept = (key: unknown) => key === 'velocity:format' || key === 'velocity:kinds';
    const ending = lives.filter(([key]) => !isKept(key)).map(([, ms]) => Number(ms));
    expect(ending).toHaveLength(3);
    for (const ms of ending) expect(Math.abs(ms - 2 * KEEP_MS)).toBeLessThan(60_000);
  });

  it('with a wrong password is refused, and an open store shows none', async () => {
    const { redis: url = '' } = await REDIS.make();
    const wrong = url.replace('canary-password', 'canary-wrong');
    const error: unknown = await createVelocityStore({ redis: wrong, keyFile: KEY_FILE }).catch((error) => error);
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringMatching(/password/) });
    const shown = inspect([error, await open({ redis: url, keyFile: KEY_FILE })], { depth: 9, showHidden: true });
    expect(shown).not.toMatch(/canary/);
  });

  it('is not trusted with a certificate of an unknown authority', async () => {
    const store = await open({ redis: redis.url({ tls: true }), keyFile: KEY_FILE, timeoutMs: 5000 });
    await expect(store.count(counting(store, 'one', 'value'))).rejects.toEqual(UNAVAILABLE);
  });
});

describe('SQLite', () => {
  it('has an application once whose process is killed before its outcome is added, and that once decided again', async () => {
    const options = await SQLITE.make();
    const child = forkChild(options, 'killed');
    await once(child, 'message');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await open(options);
    expect(await reject(store, 'after')).toBe('1 0');
    expect(await reject(store, 'killed')).toBe('0 0');
    expect(await reject(store, 'last')).toBe('2 2');
  });

  it('that is no database is refused, and not discarded: the way back is to move it away', async () => {
    const { sqlite = '' } = await SQLITE.make();
    writeFileSync(sqlite, 'rubbish');
    writeFileSync(join(sqlite, '../velocity.key'), randomBytes(32), { mode: 0o600 });
    const movedAway = /is not a database; .* move it away, and make it again: verdict velocity rebuild/;
    await expect(createVelocityStore({ sqlite })).rejects.toThrow(movedAway);
    await expect(initVelocityStore({ sqlite }, true)).rejects.toThrow(movedAway);
  });

  it('and its key, beside it, are for their owner alone', async () => {
    const { sqlite = '' } = await SQLITE.make();
    const folder = join(sqlite, '../..', 'new');
    const store = await open({ sqlite: join(folder, 'velocity.sqlite') });
    await store.count(counting(store, 'one', 'value'));
    const names = readdirSync(folder).sort();
    expect(names).toEqual(['velocity.key', 'velocity.sqlite', 'velocity.sqlite-shm', 'velocity.sqlite-wal']);
    const modes = ['.', ...names].map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', ...Array(4).fill('600')]);
  });

  it('is refused with another key, and names the way back', async () => {
    const options = await SQLITE.make();
    await (await open(options)).close();
    const key = join(options.sqlite ?? '', '../velocity.key');
    rmSync(key);
    const lost = { code: 'CONFIGURATION_INVALID', message: expect.stringMatching(/is not there: name the file/) };
    await expect(initVelocityStore(options)).rejects.toMatchObject(lost);
    expect(existsSync(key)).toBe(false);
    writeFileSync(key, randomBytes(32), { mode: 0o600 });
    await expect(createVelocityStore(options)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: expect.stringMatching(/key of the velocity store is not the one.*put it back/),
    });
  });

  it('has hashes of the first index key of a log, also once there are others, and not those of the log', async () => {
    const dir = join(newFolder(), 'log');
    await initAuditLog({ dir });
    const { sqlite = '' } = await SQLITE.make();
    const store = await open({ sqlite, keys: `${dir}-keys` });
    await addIndexKey(folderAt(`${dir}-keys`));
    const again = await open({ sqlite, keys: `${dir}-keys` });
    expect(again.hash('phoneNo|+12025550101')).toBe(store.hash('phoneNo|+12025550101'));
    expect(existsSync(join(sqlite, '../velocity.key'))).toBe(false);
    await expect(createVelocityStore({ sqlite })).rejects.toThrow(
      /is not there: .* or the log whose key the store has/,
    );
  });

  it('that another process locks fails in time, and counts again once it is free', async () => {
    const options = await SQLITE.make(300);
    const store = await open(options);
    await store.count(counting(store, 'one', 'value'));
    const lock = new DatabaseSync(options.sqlite ?? '');
    lock.exec('begin exclusive');
    await expect(store.count(counting(store, 'two', 'value'))).rejects.toEqual(UNAVAILABLE);
    lock.close();
    await vi.waitFor(async () => expect(await numbersOf(store, 'two')).toEqual(['incomplete']));
    await heal(store);
    expect(await numbersOf(store, 'two')).toEqual([1]);
  });

  it('remembers all that it could not count, also if it fails once more before it can note that', async () => {
    const options = await SQLITE.make(300);
    const store = await open(options);
    const lock = new DatabaseSync(options.sqlite ?? '');
    lock.exec('begin exclusive');
    const at = Date.now();
    for (const later of [HOUR_MS, 0]) {
      await expect(store.count(counting(store, `lost ${later}`, 'value', at + later))).rejects.toEqual(UNAVAILABLE);
    }
    lock.close();
    const next = counting(store, 'next', 'value', at + 1.5 * HOUR_MS);
    const completeOn = await vi.waitFor(async () => (await store.count(next)).counts);
    expect(completeOn).toEqual([{ completeAt: at + 2 * HOUR_MS }]);
  });

  it('that is removed is not taken for an empty one', async () => {
    const options = await SQLITE.make();
    const store = await open(options);
    await store.count(counting(store, 'one', 'value'));
    rmSync(options.sqlite ?? '');
    for (const name of ['two', 'three']) {
      await expect(store.count(counting(store, name, 'value'))).rejects.toEqual(unavailable('FILE_REPLACED'));
    }
  });

  it.each([
    [{}, /expected one of sqlite, postgres and redis/],
    [{ sqlite: 'a', redis: 'redis://localhost' }, /expected one of sqlite, postgres and redis/],
    [{ redis: 'redis://canary@localhost' }, /a server has no key/],
    [{ redis: 'http://canary@localhost', keyFile: KEY_FILE }, /expected one of Redis/],
    [{ postgres: 'http://canary@localhost', keyFile: KEY_FILE }, /expected one of PostgreSQL/],
    [{ sqlite: 'a', keyFile: 'b', keys: 'c' }, /expected one of keys and keyFile/],
    [{ sqlite: 'a', keyFile: 'a' }, /keyFile is the store itself/],
  ])('and no other is opened with options that contradict each other: %j', async (options, message) => {
    const error: unknown = await createVelocityStore(options).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'CONFIGURATION_INVALID', message: expect.stringMatching(message) });
    expect(String(error)).not.toContain('canary');
  });
});
