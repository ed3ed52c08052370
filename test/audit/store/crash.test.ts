import { describe, expect, it } from 'vitest';
import { tryCrashes, tryEachCall } from '../../support/audit/crash.ts';
import { BUGS } from '../../support/audit/planted-bugs.ts';

/** `node test/soak/audit.ts` tries more, with seeds of its own. */
const SEED = 1;
const STATES = 500;
/** With this one each mistake shows within a hundred states. */
const BUG_SEED = 56;

describe('after a crash of the machine', () => {
  it('no acknowledged record is lost or repeated, all else is set aside, and the chains continue', async () => {
    const { broken, ...tried } = await tryCrashes({ seed: SEED, states: STATES });
    expect(broken).toEqual([]);
    // Enough was at stake.
    expect(tried.states).toBe(STATES);
    expect(tried.crashes).toBeGreaterThan(STATES * 1.3);
    expect(tried.records).toBeGreaterThan(STATES * 10);
    for (const count of [tried.torn, tried.killed, tried.failedCalls]) expect(count).toBeGreaterThan(3);
  });

  it('the same holds after each call that fails or is the last of its process', async () => {
    const { broken, killed, failedCalls } = await tryEachCall();
    expect(broken).toEqual([]);
    expect(killed).toBeGreaterThan(30);
    expect(failedCalls).toBeGreaterThan(60);
  });

  it.each(BUGS)('a planted bug is caught: $name', async ({ wrap }) => {
    const { broken } = await tryCrashes({ seed: BUG_SEED, states: 5000, wrap, isFirstEnough: true });
    expect(broken).not.toEqual([]);
  });
});
