/** A store made again from the log answers every count as the one that counted live. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { VelocityStore } from '../../../src/decision/velocity-store.ts';
import { createVelocityStore, initVelocityStore } from '../../../src/stores/velocity/velocity.ts';
import { sampled } from '../../support/sampled.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';
import { memoryStore } from '../../support/stores/velocity/memory-store.ts';
import { expectProjection, STREAMS } from '../../support/stores/velocity/projection.ts';
import { HAS_REDIS, RedisServer } from '../../support/stores/velocity/redis.ts';

const newFolder = () => mkdtempSync(join(tmpdir(), 'projection-'));
const keyFile = join(newFolder(), 'velocity.key');

const postgres = PostgresServer.shared();
const redis = RedisServer.ofTests();

const timeoutMs = 20_000;
const STORES: [title: string, isThere: boolean, runs: number, make: () => Promise<VelocityStore>][] = [
  ['the plain reference', true, 6, async () => memoryStore()],
  ['SQLite', true, 2, () => createVelocityStore({ sqlite: join(newFolder(), 'velocity.sqlite'), timeoutMs })],
  [
    'PostgreSQL (skipped where postgresql is not installed)',
    HAS_POSTGRES,
    1,
    async () => {
      const options = { postgres: await postgres.newSchema(), keyFile, timeoutMs };
      await initVelocityStore(options);
      return createVelocityStore(options);
    },
  ],
  [
    'Redis (skipped where neither valkey-server nor redis-server is installed)',
    HAS_REDIS,
    1,
    async () => {
      const options = { redis: redis.newDatabase(), keyFile, timeoutMs };
      await initVelocityStore(options);
      return createVelocityStore(options);
    },
  ],
];

describe.each(STORES)('a store in %s', (_, isThere, runs, make) => {
  it.skipIf(!isThere)('is a projection of the log', async () => {
    await fc.assert(
      fc.asyncProperty(STREAMS, async (steps) => {
        const [live, rebuilt] = [await make(), await make()];
        await expectProjection(steps, { live, rebuilt });
        await live.close();
        await rebuilt.close();
      }),
      { numRuns: sampled(runs, 300), endOnFailure: true },
    );
  });
});
