/** Services that share a database: a reference is billed once, whichever is asked, and nothing is sent without it. */

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startTestService, untilIndexed } from '../support/service/running.ts';
import { HAS_POSTGRES, KEY, PASSWORD, PostgresServer } from '../support/stores/state/postgres.ts';

const STATE = '{ postgresVariable: STATE_URL, keyVariable: STATE_KEY }';

describe.skipIf(!HAS_POSTGRES)('state in PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.ofTests();

  test('is shared by services of several machines, and nothing is sent while it is down', async () => {
    const env = { STATE_URL: await server.newSchema(), STATE_KEY: KEY };
    const [one, other] = await Promise.all([0, 1].map(() => startTestService({ state: STATE, env })));
    const first = await one?.decide('A-1');
    expect(first?.status).toBe(200);
    const again = await other?.decide('A-1');
    expect(again?.body).toEqual(first?.body);
    expect(again?.headers.get('verdict-repeated')).toBe('true');
    expect(other?.sandbox.counts.verifies).toBe(0);
    await server.stop();
    const refused = await one?.decide('A-2');
    expect(refused?.body).toMatchObject({ status: 503, code: 'STATE_UNAVAILABLE', carriedOut: 'no', retryable: true });
    expect(one?.sandbox.counts.verifies).toBe(1);
    await server.start();
    expect((await one?.decide('A-2'))?.status).toBe(200);
    const shown = inspect([one?.service, one?.lines, refused?.text], { depth: 6 });
    expect(shown).not.toContain(PASSWORD);
    expect(shown).not.toContain(KEY);
  });

  test('that fails over to a copy which lacks the last writes has the same cases, each resolved once', async () => {
    const url = await server.newSchema();
    const service = await startTestService({ audit: true, state: STATE, env: { STATE_URL: url, STATE_KEY: KEY } });
    const [ann, lead] = [await service.key(['review'], 'ann'), await service.key(['read'], 'lead')];
    await untilIndexed(service);
    const post = (path: string, body: object) => service.ask('POST', path, body, { key: ann });
    const decide = async (reference: string) => {
      const { id } = (await service.decide(reference)).body;
      await service.service.records?.follower.catchUp();
      return id;
    };
    const casesOf = async () => {
      const { cases } = (await service.ask('GET', '/v1/cases', undefined, { key: lead })).body;
      return (cases as readonly Record<string, unknown>[]).map(({ id, state, disposition }) => [
        id,
        state,
        disposition,
      ]);
    };
    await decide('B-1');
    await server.sql(url, 'create table old_cases as table cases; create table old_follower as table follower');
    const others = [await decide('B-2'), await decide('B-3')];
    const said = { disposition: 'decline', why: 'Showed another card.' };
    const first = await post('/v1/cases/take', {});
    await post(`/v1/cases/${first.body['id']}/resolve`, { token: first.body['token'], ...said });
    await service.service.records?.follower.catchUp();
    const before = await casesOf();
    expect(before.map(([id]) => id)).toEqual(expect.arrayContaining(others));
    expect(before.map(([, state]) => state).toSorted()).toEqual(['open', 'open', 'resolved']);

    // While nobody has decided which server leads, none takes writes.
    const connections = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'verdict'`;
    const readOnly = (value: 'on' | 'off') =>
      server.sql(
        server.url(),
        `set transaction read write; alter database postgres set default_transaction_read_only = ${value}; ${connections}`,
      );
    await readOnly('on');
    const { verifies } = service.sandbox.counts;
    for (const refused of [await post('/v1/cases/take', {}), await service.decide('B-4')]) {
      expect(refused.body).toMatchObject({ status: 503, code: 'STATE_UNAVAILABLE' });
    }
    expect(service.sandbox.counts.verifies).toBe(verifies);
    await readOnly('off');
    await server.sql(
      url,
      `truncate cases, follower; insert into cases table old_cases; insert into follower table old_follower`,
    );
    await expect.poll(casesOf).toEqual(before);
    // Nobody gets what is resolved.
    const next = await post('/v1/cases/take', {});
    expect(next.body['id']).not.toBe(first.body['id']);
  });

  test('is not emptied of connections by one person', async () => {
    const url = await server.newSchema();
    const state = '{ postgresVariable: STATE_URL, keyVariable: STATE_KEY, connections: 4 }';
    const service = await startTestService({ audit: true, state, env: { STATE_URL: url, STATE_KEY: KEY } });
    const ann = await service.key(['review'], 'ann');
    await untilIndexed(service);
    const take = () => service.ask('POST', '/v1/cases/take', {}, { key: ann });
    let takes: Promise<unknown> = Promise.resolve();
    // Nobody can take one now, so that each call keeps the connection that it has.
    await server.locked(url, 'cases', async () => {
      takes = Promise.all(Array.from({ length: 20 }, () => take()));
      for (let i = 1; i < 6; i++) expect((await service.decide(`C-${i}`)).status).toBe(200);
    });
    await takes;

    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
    expect(metrics).toMatch(/^verdict_state_pool_waiting 0$/m);
  });
});
