import { afterEach, describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/stores/state/references.ts';
import { openSqlite } from '../../../src/stores/state/state-sqlite.ts';
import { sampled } from '../../support/sampled.ts';
import { newState, request, SharingProcess } from '../../support/stores/state/processes.ts';

const PROCESSES = 4;
const CLAIMS_EACH = 50;
/** Moments of a kill. */
const KILLS = sampled(2, 500);

const started: SharingProcess[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((each) => each.kill()));
});

/** Processes that are started at once, in a folder that is not there yet, and are ready. */
async function startAll(dir: string, count = PROCESSES): Promise<readonly SharingProcess[]> {
  const processes = Array.from({ length: count }, () => new SharingProcess(dir));
  started.push(...processes);
  const secrets = await Promise.all(processes.map(({ secret }) => secret));
  expect(new Set(secrets).size).toBe(1);
  return processes;
}

/** One key is claimed by all processes at once, many times by each. */
async function claimAll(
  processes: readonly SharingProcess[],
  round: string,
  other: { readonly resend?: boolean; readonly answer?: string } = {},
): Promise<readonly Claim[]> {
  const { resend = false, answer } = other;
  const claims = processes.map((each, i) => {
    const requests = Array.from({ length: CLAIMS_EACH }, (_, j) => request('one', `${round} ${i} ${j}`, { resend }));
    return each.ask({ requests, ...(answer === undefined ? {} : { answer }) });
  });
  return (await Promise.all(claims)).flat();
}

/** How often each claim was given. */
function count(claims: readonly Claim[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(claims, (claim) => Object.values(claim).join(' '));
  return Object.fromEntries([...groups].map(([claim, same]) => [claim, same.length]));
}

const ALL = PROCESSES * CLAIMS_EACH;

describe('several processes', () => {
  it('get one claim of a reference, and after the kill of its process one resend', async () => {
    const dir = newState();
    const processes = await startAll(dir);
    const claims = await claimAll(processes, 'first');
    const holder = claims.findIndex(({ state }) => state === 'granted');
    const index = Math.floor(holder / CLAIMS_EACH);
    const first = `first ${index} ${holder % CLAIMS_EACH}`;
    expect(count(claims)).toEqual({ granted: 1, [`running ${first}`]: ALL - 1 });

    await processes[index]?.kill();
    const others = processes.filter((_, i) => i !== index);
    const left = ALL - CLAIMS_EACH;
    expect(count(await claimAll(others, 'plain'))).toEqual({ [`inDoubt ${first}`]: left });

    const again = count(await claimAll(others, 'again', { resend: true, answer: 'accept' }));
    expect(again['granted']).toBe(1);
    expect(Object.keys(again).every((claim) => /^(granted|running again .*|done accept)$/.test(claim))).toBe(true);
    expect(count(await claimAll(others, 'late', { resend: true }))).toEqual({ 'done accept': left });
  });

  it('find in doubt what a process had been granted when it was killed, at any moment', async () => {
    const dir = newState();
    const references = await openSqlite({ dir, rememberMs: 60_000 });
    for (let kill = 0; kill < KILLS; kill++) {
      const [victim] = await startAll(dir, 1);
      const granted: string[] = [];
      const work = (async () => {
        for (let i = 0; victim; i++) {
          const keys = Array.from({ length: 8 }, (_, j) => `${kill} ${i} ${j}`);
          const claims = await victim.ask({ requests: keys.map((key) => request(key, key)) });
          expect(count(claims)).toEqual({ granted: 8 });
          granted.push(...keys);
          // Somewhere within the next claims.
          if (i === kill % 7) setTimeout(() => victim.kill(), Math.random() * 5);
        }
      })();
      await expect(work).rejects.toThrow('the process has ended');
      expect(granted.length).toBeGreaterThan(0);
      const claims = await Promise.all(granted.map((key) => references.claim(request(key, 'other'))));
      expect(claims).toEqual(granted.map((decision) => ({ state: 'inDoubt', decision })));
    }
    await references.close();
  });
});
