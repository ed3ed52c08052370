/** PostgreSQL as banks run it: a pooler in transaction mode before it, few connections, maintenance of large tables. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCases, type Home } from '../../../src/stores/state/cases.ts';
import { openState } from '../../../src/stores/state/state.ts';
import { openPostgres, type PostgresOptions } from '../../../src/stores/state/state-postgres.ts';
import { createVelocityStore, initVelocityStore } from '../../../src/stores/velocity/velocity.ts';
import { HAS_PGBOUNCER, Pgbouncer } from '../../support/stores/state/pgbouncer.ts';
import { HAS_POSTGRES, KEY, PASSWORD, PostgresServer } from '../../support/stores/state/postgres.ts';
import { request } from '../../support/stores/state/processes.ts';
import { counting, KEEP_MS } from '../../support/stores/velocity/counting.ts';

const UNAVAILABLE = expect.objectContaining({ name: 'StateUnavailable' });
const LIMITS = ['statement_timeout', 'idle_in_transaction_session_timeout'];
const keyFile = join(mkdtempSync(join(tmpdir(), 'velocity-')), 'velocity.key');
writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });

describe.skipIf(!HAS_POSTGRES)('PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.ofTests();

  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  async function open(postgres: string, other: Partial<PostgresOptions> = {}): Promise<Home> {
    const home = await openPostgres({ postgres, key: KEY, rememberMs: 60_000, ...other });
    ends.push(() => home.close());
    return home;
  }

  let databases = 0;
  async function newDatabase(): Promise<string> {
    const name = `bank_${++databases}`;
    await server.sql(server.url(), `create database ${name}`);
    return name;
  }

  describe.skipIf(!HAS_PGBOUNCER)('behind pgbouncer (skipped where pgbouncer is not installed)', () => {
    it.each([
      ['refuses the limits of connections', []],
      ['ignores the limits of connections', LIMITS],
    ])('that %s, the state is kept, and each statement has its limit', async (_, ignored) => {
      const bouncer = await Pgbouncer.start(server, ignored);
      ends.push(() => bouncer.stop());
      const database = await newDatabase();
      const url = bouncer.url(database);
      const [home, other] = [await open(url, { limitMs: 2500, connections: 20 }), await open(url)];
      const keys = Array.from({ length: 40 }, (_, i) => `${i}`);
      const claims = await Promise.all(keys.map((key) => home.claim(request(key, key))));
      expect(new Set(claims.map(({ state }) => state))).toEqual(new Set(['granted']));
      await home.finish('1', '1', 'accept');
      expect(await other.claim(request('1', 'again'))).toEqual({ state: 'done', answer: 'accept' });
      const cases = createCases(other.run.bind(other));
      const rest = { kind: 'review', queue: 'default', openedAt: 1 } as const;
      await cases.open(keys.map((id, due) => ({ id, decision: id, due, ...rest })));
      const people = Array.from({ length: 10 }, (_, i) => `person ${i}`);
      const takes = [...people, ...people].map((person) => cases.take({ person, leaseMs: 60_000 }));
      expect(new Set((await Promise.all(takes)).map((taken) => taken?.id)).size).toBe(10);

      const direct = server.url({}, { database });
      const waiting = `select count(*)::int as n from pg_stat_activity
        where wait_event_type = 'Lock' and query like 'insert into reference%'`;
      await server.locked(direct, 'reference', async () => {
        await expect(home.claim(request('late', 'late'))).rejects.toEqual(UNAVAILABLE);
        // The server has ended the statement by itself: the lock is still held.
        await vi.waitFor(async () => expect(await server.sql(direct, waiting)).toEqual([{ n: 0 }]));
      });
      // Nothing of it is left to the next client of the connection.
      const { rows } = { rows: await Promise.all(keys.map(() => server.sql(url, 'show statement_timeout'))) };
      expect(new Set(rows.flat().map((row) => JSON.stringify(row)))).toEqual(new Set(['{"statement_timeout":"0"}']));
    });

    it('applications are counted, pruned and erased', async () => {
      const bouncer = await Pgbouncer.start(server);
      ends.push(() => bouncer.stop());
      const options = { postgres: bouncer.url(await newDatabase()), keyFile, connections: 12, timeoutMs: 4000 };
      await initVelocityStore(options);
      const store = await createVelocityStore(options);
      ends.push(() => store.close());
      const names = Array.from({ length: 30 }, (_, i) => `application ${i}`);
      const counted = await Promise.all(names.map((name) => store.count(counting(store, name, 'value'))));
      expect(counted.map(({ counts }) => Number(counts[0])).toSorted((one, two) => one - two)).toEqual(
        names.map((_, i) => i),
      );
      expect(await store.erase([store.hash('value')])).toBeGreaterThan(0);
      expect(await store.prune(Date.now() + 2 * KEEP_MS)).toBeGreaterThanOrEqual(0);
    });

    it('a parameter in the URL that it refuses is named as what is wrong', async () => {
      const bouncer = await Pgbouncer.start(server);
      ends.push(() => bouncer.stop());
      const opening = open(`${bouncer.url(await newDatabase())}?options=-csearch_path%3Dpublic`);
      await expect(opening).rejects.toMatchObject({
        code: 'CONFIGURATION_INVALID',
        message: expect.stringContaining('options in its URL'),
      });
    });
  });

  it('whose connections are all in use says so, and not that it is away', async () => {
    const url = await server.newSchema();
    const home = await open(url, { connections: 1, limitMs: 2000 });
    expect(home.waiting).toBe(0);
    await server.sql(
      url,
      `alter table follower rename to slow;
       insert into slow values ('cases', 'a position');
       create view follower as select name, position, pg_sleep(0.1)::text from slow`,
    );
    const asked = Array.from({ length: 60 }, () => home.run('position', ['cases']));
    await vi.waitFor(() => expect(home.waiting).toBeGreaterThan(20));
    const results = await Promise.allSettled(asked);
    const codes = results.map((each) => (each.status === 'rejected' ? each.reason.cause.code : 'answered'));
    expect(new Set(codes)).toEqual(new Set(['answered', 'POOL_BUSY']));
    const used = await server.sql(
      url,
      `select count(*)::int as n from pg_stat_activity where application_name = 'verdict'`,
    );
    expect(used).toEqual([{ n: 1 }]);
  });

  it('that is away is not taken for one whose connections are in use', async () => {
    const home = await open(await server.newSchema(), { connections: 1, limitMs: 1000 });
    server.pause();
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => home.run('counts', [])));
    server.resume();
    const codes = results.map((each) => (each.status === 'rejected' ? each.reason.cause.code : 'answered'));
    expect(new Set(codes)).toEqual(new Set(['TIMED_OUT']));
  });

  it.each([
    ['U+0000', 'a\0b'],
    ['half of a character', 'a\ud800b'],
  ])('refuses a text with %s as what it is: no text for it', async (_, text) => {
    const state = await openState({ postgres: await server.newSchema(), key: KEY, rememberMs: 60_000 });
    ends.push(() => state.close());
    const { cases } = state;
    const calls = [
      () => cases.get(text),
      () => cases.of(text),
      () => cases.held(text),
      () => cases.take({ person: text, leaseMs: 1 }),
      () => cases.take({ person: 'ann', queues: [text], leaseMs: 1 }),
      () => cases.reassign({ id: 'a', to: text }),
      () => cases.take({ person: 'ann', id: text, leaseMs: 1 }),
      () => cases.list({ facts: { [text]: 'a' }, limit: 1 }),
      () => cases.list({ queues: [text], limit: 1 }),
      () => cases.list({ after: { at: 1, id: text }, limit: 1 }),
      () => state.run('changePerson', [text, '{}']),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  describe('a large store of velocity', () => {
    /** With more rows that have expired than a page has. */
    async function openLarge(timeoutMs: number) {
      const postgres = await server.newSchema();
      const options = { postgres, keyFile, timeoutMs };
      await initVelocityStore({ ...options, timeoutMs: 5000 });
      await server.sql(
        postgres,
        `insert into velocity_member select decode(lpad(to_hex(n), 32, '0'), 'hex'), gen_random_uuid(), 1
           from generate_series(1, 2500) as n`,
      );
      const store = await createVelocityStore(options);
      ends.push(() => store.close());
      return { postgres, store };
    }

    it('is pruned although it takes longer than a count may', async () => {
      const { postgres, store } = await openLarge(200);
      let pruning: Promise<number> = Promise.resolve(0);
      await server.locked(postgres, 'velocity_member', async () => {
        pruning = store.prune(Date.now());
        pruning.catch(() => {});
        // It waits as long as this one, which fails.
        await expect(store.count(counting(store, 'one', 'value'))).rejects.toMatchObject({
          name: 'VelocityUnavailable',
        });
      });
      expect(await pruning).toBe(2500);
    });

    it('says how many rows were deleted when that fails', async () => {
      const { postgres, store } = await openLarge(5000);
      await server.sql(
        postgres,
        `create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end';
         create trigger refuse before delete on velocity_member for each row
           when (old.set_id > decode(lpad(to_hex(2100), 32, '0'), 'hex')) execute function refuse()`,
      );
      const pruning = store.prune(Date.now());
      await expect(pruning).rejects.toThrow(/\(SQLSTATE_P0001\); 2\d{3} members were deleted before that$/);
      await expect(pruning).rejects.not.toThrow(PASSWORD);
      await expect(store.countMembers([store.hash('none')])).resolves.toBe(0);
    });
  });
});
