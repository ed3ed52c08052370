/** What a store of velocity promises, held to each that we have. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { createVelocityStore, initVelocityStore, type VelocityStoreOptions } from '../../src/velocity/velocity.ts';
import { HAS_POSTGRES, PostgresServer, START_MS } from '../support/state/postgres.ts';
import { describeStore, type StoreUnderTest } from '../support/velocity/conformance.ts';
import { HAS_REDIS, RedisServer } from '../support/velocity/redis.ts';

let postgres: PostgresServer;
let redis: RedisServer;
beforeAll(async () => {
  if (HAS_POSTGRES) postgres = await PostgresServer.start();
  if (HAS_REDIS) redis = await RedisServer.start();
}, START_MS);
afterAll(async () => {
  await postgres?.stop();
  await redis?.stop();
});

const folder = mkdtempSync(join(tmpdir(), 'velocity-'));
const rest = { keyFile: join(folder, 'velocity.key'), timeoutMs: 20_000 };

/** A store that is made when it is first opened. */
function opened(make: () => Promise<VelocityStoreOptions>): StoreUnderTest['open'] {
  let made: Promise<VelocityStoreOptions> | undefined;
  return async () => {
    made ??= make().then(async (options) => {
      await initVelocityStore(options);
      return options;
    });
    return createVelocityStore(await made);
  };
}

const STORES: readonly StoreUnderTest[] = [
  { title: 'SQLite', isThere: true, open: opened(async () => ({ ...rest, sqlite: join(folder, 'velocity.sqlite') })) },
  {
    title: 'PostgreSQL (skipped where postgresql is not installed)',
    isThere: HAS_POSTGRES,
    open: opened(async () => ({ ...rest, postgres: await postgres.newSchema() })),
  },
  {
    title: 'Redis (skipped where neither valkey-server nor redis-server is installed)',
    isThere: HAS_REDIS,
    open: opened(async () => ({ ...rest, redis: redis.newDatabase() })),
  },
];

for (const store of STORES) describeStore(store);
