/** Two services with log and state in PostgreSQL, which goes away: each event is sent, in the order of its decision. */

import { describe, expect, test } from 'vitest';
import { initAuditLog } from '../../../src/audit/init.ts';
import { SECRET, startReceiver } from '../../support/service/receiver.ts';
import { soon } from '../../support/service/review.ts';
import { startTestService } from '../../support/service/running.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../../support/stores/state/postgres.ts';

const MASTER_KEY = 'cd'.repeat(32);
const STATE = '{ postgresVariable: DATABASE_URL, keyVariable: STATE_KEY }';
const AUDIT = '{ postgresVariable: DATABASE_URL, keys: { postgresVariable: KEYS_URL, masterKeyVariable: MASTER_KEY } }';
const KINDS = 'kinds: [decision.made, case.taken, decision.noted], reference: true, allow: [127.0.0.1]';

describe.skipIf(!HAS_POSTGRES)('webhooks in PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.ofTests();

  test('two services send what either recorded, in order, also after the database was away', async () => {
    const [postgres, keys] = [await server.newSchema(), await server.newSchema()];
    await initAuditLog({ postgres, keys: { postgres: keys, masterKey: MASTER_KEY } });
    const { url, arrived } = await startReceiver();
    const env = { DATABASE_URL: postgres, KEYS_URL: keys, MASTER_KEY, STATE_KEY: KEY, URL: url, SECRET };
    const more = `webhooks: [{ name: cases, urlVariable: URL, secretVariable: SECRET, ${KINDS} }]`;
    const start = () => startTestService({ audit: AUDIT, state: STATE, env, more });
    const [one, other] = [await start(), await start()];
    const [ann, ben] = [await one.key(['review'], 'ann'), await other.key(['review'], 'ben')];
    await soon(async () => (await one.service.outbox.states()).length).toBe(1);
    const review = async (service: typeof one, key: string) => {
      const taken = (await service.ask('POST', '/v1/cases/take', {}, { key })).body;
      const said = { token: taken['token'], disposition: 'approve', why: 'Showed an identity card.' };
      const resolved = await service.ask('POST', `/v1/cases/${taken['id']}/resolve`, said, { key });
      expect(resolved.status).toBe(200);
    };
    const ids: string[] = [];
    const decide = async (from: number) => {
      for (let i = from; i < from + 6; i++) {
        const { status, body } = await (i % 2 ? one : other).decide(`A-${i}`);
        if (status === 200) ids.push(String(body['id']));
      }
    };
    await decide(0);
    for (let i = 0; i < 3; i++) await Promise.all([review(other, ben), review(one, ann)]);
    await server.stop('SIGKILL');
    await server.start();
    await soon(async () => (await one.decide('B-1')).status).toBe(200);
    await soon(async () => (await other.decide('B-2')).status).toBe(200);
    await decide(6);
    expect(ids).toHaveLength(12);
    await soon(async () => {
      // What ends the leases of what was being sent as the database ended, as time does.
      await server.sql(postgres, 'update outbox set due = 1 where due is not null');
      const [state] = await one.service.outbox.states();
      return state?.waiting === 0 && ids.every((id) => arrived.some((event) => event.id === id));
    }).toBe(true);
    const typesOf = (id: string) => [
      ...new Set(arrived.filter(({ body }) => body.data['decision'] === id).map(({ body }) => body.type)),
    ];
    for (const id of ids.slice(0, 6)) expect(typesOf(id)).toEqual(['decision.made', 'case.taken', 'decision.noted']);
    expect(arrived.find(({ id }) => id === ids[7])?.body.data).toMatchObject({ reference: 'A-7' });
    expect([...one.lines, ...other.lines].map((line) => JSON.stringify(line)).join()).not.toMatch(/whsec_|postgres:/);
  });
});
