/** A process that ends between any two steps of an act, a disk that is full, two at once: whole, old or new. */

import { spawn } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { initAuditLog } from '../../src/audit/init.ts';
import { homeOfLog, openAuditLog } from '../../src/audit/log.ts';
import type { LogPlace } from '../../src/audit/place.ts';
import { listEvents } from '../../src/audit/query/list-events.ts';
import type { Files } from '../../src/audit/store/files.ts';
import { VerdictError } from '../../src/errors.ts';
import { activate, addEvidence, propose, tellActivations } from '../../src/release/acts.ts';
import { openReleases } from '../../src/release/store.ts';
import { keysById } from '../../src/release/trust.ts';
import { verifyLogReleases } from '../../src/release/verify.ts';
import { hastyFiles } from '../support/audit/decisions.ts';
import { randomOf } from '../support/facts/mutate.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { ANA, DAY, newLogPlace, openReleasesIn, type TestReleases, withDebt } from '../support/release/releases.ts';
import { sampled } from '../support/sampled.ts';
import { SEED } from '../support/seed.ts';
import { HAS_POSTGRES, PostgresServer } from '../support/stores/state/postgres.ts';
import { bundleOf } from '../support/threads/bundled.ts';

/** `killed`: no later call does anything either. */
type Fate = 'killed' | 'full';

/** A home of a log whose calls that change something fail, from one of them on. */
interface Home {
  readonly place: LogPlace;
  readonly files?: Files;
  /** From now on so many calls are done. */
  arm(calls: number, fate: Fate): Promise<void>;
  /** The home works again; gives whether a call has failed. */
  disarm(): Promise<boolean>;
}

const CODES = { killed: 'EIO', full: 'ENOSPC' } as const;

async function folderHome(): Promise<Home> {
  let left = Number.POSITIVE_INFINITY;
  let fate: Fate = 'full';
  const step = () => {
    left -= 1;
    if (left < 0) throw Object.assign(new Error(fate), { code: CODES[fate] });
  };
  const stepping = <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) => {
    return async (...given: Given) => {
      step();
      return call(...given);
    };
  };
  const { open, makeFolder, syncFolder, link, rename, unlink } = hastyFiles;
  const files: Files = {
    ...hastyFiles,
    ...{ makeFolder: stepping(makeFolder), syncFolder: stepping(syncFolder), link: stepping(link) },
    ...{ rename: stepping(rename), unlink: stepping(unlink) },
    open: async (path, mode) => {
      if (mode === 'create') step();
      const file = await open(path, mode);
      const write = async (bytes: Buffer, at?: number) => {
        // A full disk takes what fits.
        if (left === 0 && fate === 'full' && bytes.length > 1)
          await file.write(bytes.subarray(0, bytes.length / 2), at);
        step();
        return file.write(bytes, at);
      };
      return { ...file, write, datasync: stepping(file.datasync), truncate: stepping(file.truncate) };
    },
  };
  return {
    ...{ place: await newLogPlace(), files },
    arm: async (calls, how) => {
      [left, fate] = [calls, how];
    },
    disarm: async () => {
      const hasFailed = left < 0;
      left = Number.POSITIVE_INFINITY;
      return hasFailed;
    },
  };
}

const server = PostgresServer.shared();

/** Each statement that writes counts: the database refuses them from one on, as a full one does. */
async function databaseHome(): Promise<Home> {
  const postgres = await server.newSchema();
  const place = { postgres, keys: { masterKey: 'cd'.repeat(32) } };
  await initAuditLog(place);
  const sql = (statement: string) => server.sql(postgres, statement);
  await sql(`create sequence calls minvalue 0; create table armed (most bigint);
    create function count_call() returns trigger language plpgsql as $$ begin
      if (select most from armed) <= nextval('calls') then raise exception 'no space' using errcode = '53100'; end if;
      return null; end $$`);
  for (const table of ['log_file', 'log_segment', 'log_entry', 'key_file', 'key_block', 'key_data'])
    await sql(`create trigger counted before insert or update on ${table} execute function count_call()`);
  return {
    place,
    arm: async (calls) => {
      await sql(`select setval('calls', 0, false); insert into armed values (${calls})`);
    },
    disarm: async () => {
      const [found] = await sql('select last_value >= most as failed from calls, armed');
      await sql('delete from armed');
      return (found as { readonly failed: boolean }).failed;
    },
  };
}

const HOMES = [
  { title: 'a folder', isThere: true, fates: ['killed', 'full'] as const, newHome: folderHome, every: sampled(14, 1) },
  {
    title: 'PostgreSQL (skipped where postgresql is not installed)',
    ...{ isThere: HAS_POSTGRES, fates: ['full'] as const, newHome: databaseHome, every: sampled(4, 1) },
  },
];

/** The steps of a release, in their order. */
const ACTS: Readonly<Record<string, (releases: TestReleases, number: number) => Promise<unknown>>> = {
  propose: ({ means }) =>
    propose(means, { files: withDebt(70), mapping: 'signals.yaml', title: 'Stricter', authors: [ANA.by] }),
  evidence: ({ means }, number) => addEvidence(means, number, { day: DAY }),
  approve: ({ approve }, number) => approve(number),
  activate: ({ activate: put }, number) => put(number),
};

const numbersOf = async ({ store }: TestReleases) =>
  (await store.activations()).map(({ release: { number } }) => number);

/** Does what is left to do, as the next process would, and gives the release that is then in force. */
async function finish(releases: TestReleases, base: number): Promise<number> {
  const { store, means, approve, activate: put } = releases;
  const number = (await store.numbers()).find((each) => each > base) ?? (await releases.proposed(withDebt(70)));
  if ((await numbersOf(releases)).includes(number)) return number;
  await addEvidence(means, number, { day: DAY });
  await approve(number);
  await put(number);
  return number;
}

for (const { title, isThere, fates, newHome, every } of HOMES) {
  describe.skipIf(!isThere)(`releases in ${title}`, () => {
    it.each(fates.flatMap((fate) => Object.keys(ACTS).map((act) => [act, fate] as const)))(
      '%s, %s after each step: whole, old or new, and the log agrees',
      async (act, fate) => {
        let steps = 0;
        const { arm, disarm, ...home } = await newHome();
        // Half a stride apart, so that the two fates end at different steps.
        const from = (fates.length > 1 && fate === 'full' ? 1 : 0) * Math.floor(every / 2);
        for (let calls = from, hasFailed = true; hasFailed; calls += every) {
          const first = await openReleasesIn(home.place, home);
          const base = await first.released(withDebt(80));
          const before = await numbersOf(first);
          for (const [name, work] of Object.entries(ACTS)) {
            if (name === act) break;
            await work(first, base + 1);
          }
          await arm(calls, fate);
          const outcome = await ACTS[act]?.(first, base + 1).then(
            () => 'done',
            (error: unknown) => {
              if (!(VerdictError.is(error) && error.code === 'AUDIT_FAILED')) throw error;
              return 'failed';
            },
          );
          hasFailed = await disarm();
          steps += 1;
          if (!hasFailed) expect(outcome).toBe('done');

          const next = await openReleasesIn(home.place);
          const problems = async () =>
            (await verifyLogReleases(next.means, next.trust)).flatMap((each) => each.problem ?? []);
          expect(await problems(), `${calls} calls`).toEqual([]);
          const found = await numbersOf(next);
          const isNew = act === 'activate' && (outcome === 'done' || found.length > before.length);
          expect(found, `${calls} calls`).toEqual(isNew ? [...before, base + 1] : before);
          const number = await finish(next, base);
          await tellActivations(next.means);
          expect(await numbersOf(next), `${calls} calls`).toEqual([...before, number]);
          expect(await problems()).toEqual([]);
          const events = await listEvents(home.place, { types: ['release.activated'] });
          // One that was recorded just before the end may be there twice.
          const told = new Set(events.map(({ details }) => Number.parseInt(details?.['release'] ?? '', 10)));
          expect(
            [...told].sort((one, other) => one - other),
            `${calls} calls`,
          ).toEqual([...before, number]);
          await next.log.close();
          await first.log.close();
        }
        expect(steps).toBeGreaterThan(1);
      },
    );

    it('two processes that propose at once have a number each', async () => {
      const { place, files } = await newHome();
      const both = [await openReleasesIn(place, { ...(files && { files }) }), await openReleasesIn(place)];
      const asked = { mapping: 'signals.yaml', title: 'At once', authors: [ANA.by] };
      const proposing = both.flatMap(({ means }) =>
        [70, 80].map((debt) => propose(means, { ...asked, files: withDebt(debt) })),
      );
      const numbers = (await Promise.all(proposing)).map(({ manifest }) => manifest.number);
      expect(numbers.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4]);
      const [{ means, trust }] = both as [TestReleases];
      const words = (await verifyLogReleases(means, trust)).map((each) => each.problem ?? each.words);
      expect(words).toEqual(Array(4).fill('sound, not put in force'));
    });

    it('of two processes that put a release in force at once, one does', async () => {
      const { place, ...home } = await newHome();
      const one = await openReleasesIn(place, home);
      const other = await openReleasesIn(place, home);
      const numbers = [await one.proposed(), await other.proposed(withDebt(70))];
      for (const number of numbers) await one.approve(number);
      const put = ({ means, trust }: TestReleases, number = 0) => activate(means, number, trust, { by: ANA.by });
      const ends = await Promise.allSettled([put(one, numbers[0]), put(other, numbers[1])]);
      const done = numbers.filter((_, i) => ends[i]?.status === 'fulfilled');
      expect(done).toHaveLength(1);
      expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'RELEASE_REFUSED' } });
      expect(await numbersOf(one)).toEqual(done);
      expect(await one.activatedInLog()).toEqual(done);
    });
  });
}

test('a process that is killed leaves releases that are whole, and all that it told', async () => {
  const place = await newLogPlace();
  const child = bundleOf(join(import.meta.dirname, '../support/release/child.ts'));
  const args = [child, place.dir ?? '', String(place.keys), temporaryFolder(withDebt(80))];
  const random = randomOf(SEED);
  const told: number[] = [];
  for (let kill = 0; kill < sampled(1, 40); kill++) {
    const running = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void running.kill('SIGKILL'));
    const ended = once(running, 'close');
    // After some of its releases, and some of the steps of the next one.
    let [left, turns] = [1 + Math.floor(random() * 4), Math.floor(random() * 2000)];
    const later = () => (turns-- > 0 ? setImmediate(later) : running.kill('SIGKILL'));
    for await (const line of createInterface({ input: running.stdout })) {
      const [word, number] = line.split(' ');
      if (word === 'active') told.push(Number(number));
      left -= 1;
      if (left === 0) later();
    }
    await ended;
    const log = await openAuditLog(place);
    const means = { log };
    await tellActivations(means);
    const store = openReleases(homeOfLog(log));
    const key = { key: createPublicKey(await store.signingKey()), uses: ['approve', 'activate'] as const };
    const trust = { series: (await store.series()) ?? '', approvals: 1, keys: keysById([key]), evidenceDays: 7 };
    expect((await verifyLogReleases(means, trust)).flatMap(({ problem }) => problem ?? [])).toEqual([]);
    const inForce = (await store.activations()).map(({ release }) => release.number);
    expect(inForce).toEqual(inForce.toSorted((one, other) => one - other));
    expect(inForce).toEqual(expect.arrayContaining(told));
    expect(inForce.length - new Set(told).size).toBeLessThanOrEqual(kill + 1);
    const events = await listEvents(place, { types: ['release.activated'] });
    expect([...new Set(events.map(({ details }) => Number.parseInt(details?.['release'] ?? '', 10)))]).toEqual(inForce);
    await log.close();
  }
  expect(told.length).toBeGreaterThan(0);
});
