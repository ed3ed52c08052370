/** Services that share a database for the log, its index, the state and cases: each sees what the others did. */

import { describe, expect, test } from 'vitest';
import { initAuditLog } from '../../src/audit/init.ts';
import { eraseSubject } from '../../src/audit/retain/erase.ts';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { startTestService } from '../support/service/running.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../support/stores/state/postgres.ts';

const MASTER_KEY = 'cd'.repeat(32);
const STATE = '{ postgresVariable: DATABASE_URL, keyVariable: STATE_KEY }';
const AUDIT = '{ postgresVariable: DATABASE_URL, keys: { postgresVariable: KEYS_URL, masterKeyVariable: MASTER_KEY } }';

describe.skipIf(!HAS_POSTGRES)('a log in PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.shared();

  const newDatabase = async () => {
    const [postgres, keys] = [await server.newSchema(), await server.newSchema()];
    const place = { postgres, keys: { postgres: keys, masterKey: MASTER_KEY } };
    await initAuditLog(place);
    const env = { DATABASE_URL: postgres, KEYS_URL: keys, MASTER_KEY, STATE_KEY: KEY };
    return { place, env, start: (more = '') => startTestService({ audit: AUDIT, state: STATE, env, more }) };
  };

  test('serves each decision, its case and what was said of it from whichever service is asked', async () => {
    const { place, start } = await newDatabase();
    const [one, other] = [await start(), await start()];
    const [ann, lead] = [await other.key(['review'], 'ann'), await other.key(['read', 'audit'], 'lead')];
    const { id } = (await one.decide('A-1')).body;
    expect((await other.decide('A-1')).body['id']).toBe(id);
    expect(other.sandbox.counts.verifies).toBe(0);

    const get = (path: string) => other.ask('GET', path, undefined, { key: lead });
    expect((await get(`/v1/decisions/${id}`)).status).toBe(200);
    expect((await get('/v1/decisions?outcome=review')).body['decisions']).toMatchObject([{ id }]);
    const taken = await other.ask('POST', '/v1/cases/take', {}, { key: ann });
    expect(taken.body).toMatchObject({ id, state: 'open' });
    const said = { token: taken.body['token'], disposition: 'approve', why: 'Showed an identity card.' };
    expect((await other.ask('POST', `/v1/cases/${id}/resolve`, said, { key: ann })).status).toBe(200);
    const lead1 = await one.key(['read', 'audit'], 'lead');
    const cases = await one.ask('GET', '/v1/cases', undefined, { key: lead1 });
    expect(cases.body['cases']).toMatchObject([{ id, state: 'resolved', disposition: 'approve' }]);
    const events = await one.ask('GET', '/v1/events', undefined, { key: lead1 });
    expect(events.text).toContain('"approve"');
    expect((await verifyLog(place)).findings).toEqual([]);
  });

  test('queues what only an outage made, and has of a record what its queue shows until it is erased', async () => {
    const { start } = await newDatabase();
    const queues =
      'queues: [{ name: outage, outage: true, within: 1 day }, { name: rest, within: 1 day, show: [phone.type] }]';
    const service = await start(queues);
    const usual = String((await service.decide('A-1')).body['id']);
    service.sandbox.setFault('status-403');
    const failed = String((await service.decide('A-2')).body['id']);
    const { cases, log, follower } = service.service.records ?? {};
    await expect.poll(() => cases?.undescribed(1)).toEqual([]);
    expect(await cases?.get(failed)).toMatchObject({ queue: 'outage', codes: [], facts: {} });
    const one = await cases?.get(usual);
    expect(one).toMatchObject({
      queue: 'rest',
      codes: expect.arrayContaining(['PORTED_AND_RISKY_EMAIL']),
      facts: { 'phone.type': 'mobile' },
    });
    expect(one?.score).toBeGreaterThan(0);
    if (log) await eraseSubject({ log, reference: 'A-1' });
    await follower?.catchUp();
    await expect.poll(() => cases?.get(usual)).toMatchObject({ score: null, facts: {} });
  });
});
