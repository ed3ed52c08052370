/** What puts a release in force, and what does not. */

import { expect, test } from 'vitest';
import { activate, addEvidence, judgeNow, type Means, propose, sayOf, signNoteOf } from '../../src/release/acts.ts';
import { makeEvidence } from '../../src/release/evidence/make.ts';
import { judge } from '../../src/release/judge.ts';
import { readNote } from '../../src/release/note.ts';
import type { Release } from '../../src/release/store.ts';
import { verifyLogReleases } from '../../src/release/verify.ts';
import {
  ANA,
  BEN,
  CLEO,
  DAN,
  NOW,
  newLogPlace,
  openReleasesIn,
  type TestReleases,
  TINY,
  withDebt,
} from '../support/release/releases.ts';

const TIGHTEN = { tighten: { atMost: 0.1, confirmWithinMs: 1000 } };

const opened = async (more: Parameters<typeof openReleasesIn>[1] = {}) => openReleasesIn(await newLogPlace(), more);

/** Means whose next proof is made while somebody does something else. */
const meanwhile = ({ means }: TestReleases, act: () => Promise<unknown>): Means => ({
  ...means,
  make: async (of) => {
    await act();
    return makeEvidence(of);
  },
});

const problems = async ({ means, trust }: TestReleases) =>
  (await verifyLogReleases(means, trust)).flatMap(({ problem }) => problem ?? []);

test('an approval that comes while a release is put in force, or is of a later time, leaves it sound', async () => {
  const releases = await opened();
  const { means, trust, store, proposed, approve } = releases;
  const number = await proposed();
  const release = (await store.read(number)) as Release;
  const at = new Date(NOW + 60_000).toISOString();
  await approve(number, CLEO);
  await store.putNote(number, signNoteOf(release, { by: BEN.by, verdict: 'approve', at }, BEN.key));
  const during = meanwhile(releases, () => approve(number, DAN));
  await activate(during, number, trust, { by: ANA.by });
  expect(await problems(releases)).toEqual([]);
  // The same person once more, in the moment between the judgement and the activation.
  await store.putNote(number, signNoteOf(release, { by: CLEO.by, verdict: 'approve', at }, CLEO.key));
  expect(await problems(releases)).toEqual([]);
  expect((await judgeNow(means, number, trust)).against).toEqual([]);
});

test('a rejection that comes while the proof is made again ends it', async () => {
  const releases = await opened();
  const { means, trust, store, proposed, approve } = releases;
  const number = await proposed();
  await approve(number);
  const reject = () => sayOf(means, number, trust, { ...BEN, verdict: 'reject', why: 'Not now.' });
  const activating = activate(meanwhile(releases, reject), number, trust, { by: ANA.by });
  await expect(activating).rejects.toThrow('release 1 cannot be put in force: it was rejected');
  expect(await store.activations()).toEqual([]);
});

test('of two activations on one base, one succeeds, and both are told', async () => {
  const releases = await opened();
  const { means, trust, store, proposed, approve, activatedInLog } = releases;
  const [one, other] = [await proposed(), await proposed(withDebt(70))];
  for (const number of [one, other]) await approve(number);
  const during = meanwhile(releases, () => activate(means, one, trust, { by: ANA.by }));
  await expect(activate(during, other, trust, { by: ANA.by })).rejects.toThrow(
    `release ${other} cannot be put in force: it replaces no release, and release ${one} is in force`,
  );
  const both = [one, other].map((number) => activate(means, number, trust, { by: ANA.by }));
  expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((await store.activations()).map(({ release }) => release.number)).toEqual([one]);
  expect(await activatedInLog()).toEqual([one]);
});

test('evidence of a day to come, too old, or of another time than it is judged, puts nothing in force', async () => {
  let now = NOW;
  const { means, trust, approve, activate: put } = await opened({ now: () => now });
  const made = async (day: string) => {
    const asked = { files: TINY, mapping: 'signals.yaml', title: 'A day', authors: [ANA.by] };
    const { number } = (await propose(means, asked)).manifest;
    await addEvidence(means, number, { day });
    await approve(number);
    return number;
  };
  await expect(put(await made('2026-12-24'))).rejects.toThrow('its evidence is of a later day');
  const number = await made('2026-11-21');
  now = Date.UTC(2026, 10, 29);
  expect((await judgeNow(means, number, trust)).against).toEqual([]);
  now += 1;
  await expect(put(number)).rejects.toThrow('its evidence is too old');
});

test('whoever was invited, or wrote it, approves nothing, whatever signs for them', async () => {
  const { means, trust, store, proposed } = await opened(TIGHTEN);
  await expect(sayOf(means, await proposed(), trust, { ...ANA, verdict: 'approve' })).rejects.toThrow(
    'who wrote a release, or was invited, does not approve it',
  );
  const release = (await store.read(1)) as Release;
  const signed = (by: string, verdict: 'approve' | 'tighten', key = CLEO.key) =>
    readNote(signNoteOf(release, { by, verdict, at: release.notes[0]?.at ?? new Date(NOW).toISOString() }, key));
  // By the key of a service, which signs for anybody.
  const keys = new Map(
    [...trust.keys].map(([id, each]) => [id, { key: each.key, uses: ['approve', 'tighten'] } as const]),
  );
  for (const by of [ANA.by, 'invited Eve'])
    for (const verdict of ['approve', 'tighten'] as const) {
      if (by === ANA.by && verdict === 'tighten') continue;
      const judged = judge({ ...release, notes: [signed(by, verdict)] }, { ...trust, keys }, null, NOW);
      expect(judged.against).toEqual(['it has 0 of 1 approvals by people who did not write it']);
    }
});

test('what replaces another release than its authors saw is not proposed', async () => {
  const { means, released } = await opened();
  const meantime = 'another release came into force in the meantime';
  const asked = { files: withDebt(70), mapping: 'signals.yaml', title: 'Debt', authors: [ANA.by] };
  await expect(propose(means, { ...asked, replaces: 1 })).rejects.toThrow(meantime);
  await released();
  await expect(propose(means, { ...asked, replaces: 0 })).rejects.toThrow(meantime);
  expect((await propose(means, { ...asked, replaces: 1 })).manifest.base?.number).toBe(1);
});

test('who tightened does not confirm it', async () => {
  const { means, trust, released, proposed, activate: put } = await opened(TIGHTEN);
  await released();
  const number = await proposed(withDebt(70));
  await sayOf(means, number, trust, { ...DAN, verdict: 'tighten' });
  await put(number);
  const confirm = (signer: typeof DAN) => sayOf(means, number, trust, { ...signer, verdict: 'confirm' });
  await expect(confirm(DAN)).rejects.toThrow('somebody else confirms a tightening');
  expect((await confirm(BEN)).confirmation?.by).toBe(BEN.by);
});

test('why somebody rejects is a text that the log takes, or nothing is kept', async () => {
  const { means, trust, store, proposed } = await opened();
  const number = await proposed();
  const reject = (why: string) => sayOf(means, number, trust, { ...BEN, verdict: 'reject', why });
  await expect(reject(' ')).rejects.toThrow('a rejection needs a why');
  await expect(reject('a'.repeat(10_001))).rejects.toThrow('expected a why that is a text of 1 to 10,000 characters');
  expect((await store.read(number))?.notes).toEqual([]);
  await reject('a'.repeat(10_000));
});

test('a release that somebody tightened and others approved is put in force by the approvals', async () => {
  const { means, trust, released, proposed, approve, activatedInLog } = await opened(TIGHTEN);
  await released();
  const number = await proposed(withDebt(70));
  await sayOf(means, number, trust, { ...DAN, verdict: 'tighten' });
  await approve(number);
  const { tighten: _, ...withoutTighten } = trust;
  const judged = await activate(means, number, withoutTighten, { by: ANA.by });
  expect(judged.tightening).toBeUndefined();
  expect(await activatedInLog()).toEqual([1, number]);
  const confirm = sayOf(means, number, trust, { ...BEN, verdict: 'confirm' });
  await expect(confirm).rejects.toThrow(`release ${number} waits for no confirmation`);
});

test('a key signs until its last day, and what it signed by then stays sound', async () => {
  const releases = await opened();
  const { means, trust, proposed, approve, activate: put } = releases;
  const number = await proposed();
  await approve(number, CLEO);
  await put(number);
  const until = (day: string) => ({
    ...trust,
    keys: new Map([...trust.keys].map(([id, key]) => [id, key.person === CLEO.by ? { ...key, until: day } : key])),
  });
  const today = new Date(NOW).toISOString().slice(0, 10);
  const found = (day: string) => verifyLogReleases(means, until(day));
  expect((await found(today))[0]?.problem).toBeUndefined();
  expect((await found('2026-01-01'))[0]?.problem).toContain("is of a day after the key's last");
  const next = await proposed(withDebt(70));
  const saying = { ...CLEO, verdict: 'approve' } as const;
  await expect(sayOf(means, next, until('2026-01-01'), saying)).rejects.toThrow("a day after the key's last");
});
