/** Services that share a database: a reference is billed once, whichever is asked, and nothing is sent without it. */

import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../support/service/running.ts';
import { HAS_POSTGRES, KEY, PASSWORD, PostgresServer } from '../support/state/postgres.ts';

const STATE = '{ postgresVariable: STATE_URL, keyVariable: STATE_KEY }';

describe.skipIf(!HAS_POSTGRES)('state in PostgreSQL (skipped where postgresql is not installed)', () => {
  test('is shared by services of several machines, and nothing is sent while it is down', async () => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.stop());
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
});
