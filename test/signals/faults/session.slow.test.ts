import { describe, expect, it } from 'vitest';
import { sampled } from '../../support/sampled.ts';
import { naiveOf, requestOf, settle } from '../../support/signals/clients.ts';
import { liveThroughDays } from '../../support/signals/clock.ts';
import { chaosFor, clientOf } from '../../support/signals/setting.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const CALLERS = sampled(50, 1000);

describe(`${CALLERS} callers at once`, () => {
  const references = (kind: string, count = CALLERS) => Array.from({ length: count }, (_, i) => `${kind}-${i}`);

  it('share one sign-in, and one more after their token is revoked; no call fails or is billed twice', async () => {
    const { chaos, sandbox } = await chaosFor();
    const client = clientOf(chaos);
    const call = (reference: string) => client.verify(requestOf(reference));
    await Promise.all(references('cold').map(call));
    expect(chaos.signIns).toBe(1);

    const flying = references('warm').map(call);
    // The first answer shows that the others are in flight.
    await Promise.race(flying);
    sandbox.revokeTokens();
    await Promise.all(flying);
    expect(chaos.signIns).toBe(2);
    expect(sandbox.counts.refused).toBeGreaterThan(0);
    expect(chaos.billed).toEqual(new Map([...references('cold'), ...references('warm')].map((name) => [name, 1])));
  });

  it('of a naive client sign in one by one, and fail when the token is revoked', async () => {
    const { chaos, sandbox } = await chaosFor();
    const client = naiveOf(chaos);
    await Promise.all(references('cold', 100).map((reference) => client.verify(requestOf(reference))));
    expect(chaos.signIns).toBe(100);
    sandbox.revokeTokens();
    expect(await settle(client.verify(requestOf('warm')))).toHaveProperty('error');
  });
});

describe('no call is made with an expired token', () => {
  it.each([1, 2, 3].slice(0, sampled(1, 3)))('over three days of calls (seed %i)', async (seed) => {
    const { refused, signIns } = await liveThroughDays(seed, false);
    expect(refused).toBe(0);
    // A token is valid for 8 hours and is renewed in the last hour, if there are calls.
    expect(signIns).toBeGreaterThanOrEqual(6);
    expect(signIns).toBeLessThanOrEqual(11);
  });

  it('except by a naive client, which keeps it', async () => {
    let clock = Date.parse('2026-03-01T00:00:00Z');
    const { chaos, sandbox } = await chaosFor({}, { now: () => clock });
    const client = naiveOf(chaos);
    await client.verify(requestOf('r'));
    clock += 8 * HOUR_MS;
    expect(await settle(client.verify(requestOf('r')))).toHaveProperty('error');
    expect(sandbox.counts.refused).toBe(1);
  });

  it.each([5, 10, 18, 21])(
    'while the clock of the client jumps forwards and backwards by hours and years (seed %i)',
    async (seed) => {
      expect(await liveThroughDays(seed, true)).toMatchObject({ refused: 0 });
    },
  );

  it('and clients that started together do not renew theirs together', async () => {
    let clock = 0;
    const { chaos, sandbox } = await chaosFor({}, { now: () => clock });
    const clients = Array.from({ length: 20 }, () => clientOf(chaos, { now: () => clock }));
    const signInsAt: number[] = [];
    for (; clock < 8 * HOUR_MS + 10 * MINUTE_MS; clock += clock < 7 * HOUR_MS ? 7 * HOUR_MS : 2 * MINUTE_MS) {
      const before = chaos.signIns;
      // Twice: a renewal may still run when the call that started it has ended.
      for (let round = 0; round < 2; round++) {
        await Promise.all(clients.map((client) => client.verify(requestOf('r'))));
      }
      signInsAt.push(chaos.signIns - before);
    }
    const renewals = signInsAt.slice(1).filter((count) => count > 0);
    expect(sandbox.counts.refused).toBe(0);
    expect(chaos.signIns).toBe(40);
    expect(renewals.length).toBeGreaterThan(5);
    expect(Math.max(...renewals)).toBeLessThan(10);
  });
});
