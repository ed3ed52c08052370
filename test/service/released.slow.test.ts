/** A service of releases: the one in force decides, and whatever is not what it has to be is refused and told. */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, test, vi } from 'vitest';
import { initAuditLog } from '../../src/audit/init.ts';
import { readRecord } from '../../src/audit/query/decision-record.ts';
import { listEvents } from '../../src/audit/query/list-events.ts';
import { sayOf, signNoteOf } from '../../src/release/acts.ts';
import type { Texts } from '../../src/release/files.ts';
import { digestOfNote } from '../../src/release/note.ts';
import type { Release } from '../../src/release/store.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import {
  ANA,
  BEN,
  CLEO,
  DAN,
  EVE,
  NOW,
  newLogPlace,
  openReleasesIn,
  type TestReleases,
  trustYaml,
  withDebt,
} from '../support/release/releases.ts';
import { startTestService, type TestService } from '../support/service/running.ts';
import { HAS_POSTGRES, PostgresServer } from '../support/stores/state/postgres.ts';

const MASTER_KEY = 'cd'.repeat(32);
const server = PostgresServer.shared();

/** A log, its releases, and the folder in which a machine has trust.yaml and the number that it has seen. */
interface Machine {
  readonly releases: TestReleases;
  readonly folder: string;
  start(): Promise<TestService>;
}

async function newMachine(more: Parameters<typeof openReleasesIn>[1] = {}, database?: string): Promise<Machine> {
  const place = database === undefined ? await newLogPlace() : { postgres: database, keys: { masterKey: MASTER_KEY } };
  if (database !== undefined) await initAuditLog(place);
  const releases = await openReleasesIn(place, more);
  const folder = temporaryFolder({ 'trust.yaml': trustYaml(releases.trust) });
  const [trust, seen] = ['trust.yaml', 'seen.json'].map((name) => JSON.stringify(join(folder, name)));
  return {
    ...{ releases, folder },
    start: () =>
      startTestService({
        policies: '{ signup: signup.yaml }',
        rules: `{ releases: true, trust: ${trust}, seen: ${seen} }`,
        audit:
          database === undefined
            ? `{ dir: ${JSON.stringify(releases.place.dir)}, keys: ${JSON.stringify(releases.place.keys)} }`
            : '{ postgresVariable: DATABASE, keys: { masterKeyVariable: MASTER } }',
        state: database === undefined ? '{ dir: state }' : '{ postgresVariable: DATABASE, keyVariable: MASTER }',
        env: { DATABASE: database ?? '', MASTER: MASTER_KEY },
      }),
  };
}

const decideBy = async ({ ask }: TestService, reference: string, debt = 75) => {
  const applicant = { phoneNo: '+12025550102', email: 'eve@mail.example' };
  const { body } = await ask('POST', '/v1/decisions', {
    ...{ policy: 'signup', reference, applicant, context: { debt } },
  });
  return body as { id: string; outcome: string; policy: { release?: number } };
};

const partOf = async ({ adminUrl }: TestService) => {
  const answer = (await (await fetch(`${adminUrl}/readyz`)).json()) as { parts: { part: string }[] };
  return answer.parts.find(({ part }) => part.startsWith('release '));
};

const untilEvent = (service: TestService, event: string, release?: number) =>
  vi.waitUntil(() =>
    service.lines.find((line) => line['event'] === event && (!release || line['release'] === release)),
  );

test('a service decides by the release in force, and by the next one once it is put in force', async () => {
  const { releases, folder, start } = await newMachine();
  await releases.released();
  const service = await start();
  const first = await decideBy(service, 'one');
  expect(first).toMatchObject({ outcome: 'accept', policy: { release: 1 } });
  expect(await partOf(service)).toEqual({ part: 'release 1', ok: true });

  await releases.released(withDebt(70));
  await untilEvent(service, 'release.loaded', 2);
  const second = await decideBy(service, 'two');
  expect(second).toMatchObject({ outcome: 'review', policy: { release: 2 } });
  expect(JSON.parse(readFileSync(join(folder, 'seen.json'), 'utf8')).highest).toBe(2);
  for (const { id, policy } of [first, second]) {
    const record = await readRecord(releases.place, id);
    expect(record?.body).toMatchObject({ decision: { policy: { release: policy.release } } });
  }
  expect(await releases.activatedInLog()).toEqual([1, 2]);
});

test.skipIf(!HAS_POSTGRES)(
  'all services of a database follow (skipped where postgresql is not installed)',
  async () => {
    const { releases, start } = await newMachine({}, await server.newSchema());
    await releases.released();
    const services = [await start(), await start()];
    for (const [i, service] of services.entries())
      expect(await decideBy(service, `one-${i}`)).toMatchObject({ policy: { release: 1 } });
    await releases.released(withDebt(70));
    for (const [i, service] of services.entries()) {
      await untilEvent(service, 'release.loaded', 2);
      expect(await decideBy(service, `two-${i}`)).toMatchObject({ outcome: 'review', policy: { release: 2 } });
    }
    expect(await releases.activatedInLog()).toEqual([1, 2]);
  },
);

describe('a service does not start', () => {
  it('without a release in force', async () => {
    const { releases, start } = await newMachine();
    await releases.approve(await releases.proposed());
    await expect(start()).rejects.toMatchObject({ code: 'RELEASE_REFUSED', message: /^no release is in force: / });
  });

  it('with a release before one that the machine has loaded', async () => {
    const { releases, folder, start } = await newMachine();
    await releases.released();
    const { series } = releases.trust;
    writeFileSync(join(folder, 'seen.json'), JSON.stringify({ highest: 2, series }));
    await expect(start()).rejects.toThrow('this machine has loaded release 2, and loads none before it');
    for (const text of ['', '{}', JSON.stringify({ highest: 1, series: 'another' })]) {
      writeFileSync(join(folder, 'seen.json'), text);
      await expect(start()).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
    }
  });

  it('with releases of another series', async () => {
    const { releases, folder, start } = await newMachine();
    await releases.released();
    const other = { ...releases.trust, series: '7a4c2a52-6b1c-4f6c-9a67-2f1f3f0b9f55' };
    writeFileSync(join(folder, 'trust.yaml'), trustYaml(other));
    await expect(start()).rejects.toThrow('the release is of another series than the one that is trusted');
  });
});

/** Puts a release in force past all checks, after the first one unless it says after which. */
async function force(
  { store, approve, proposed }: TestReleases,
  how: {
    after?: number;
    files?: Texts;
    key?: typeof ANA.key;
    isApproved?: boolean;
    change?(text: string): string;
    before?(): void;
  },
) {
  const { files = withDebt(70), key = await store.signingKey(), isApproved = true, change = (text) => text } = how;
  const number = await proposed(files);
  if (isApproved) await approve(number);
  const release = (await store.read(number)) as Release;
  const notes = release.notes.map(digestOfNote);
  const at = new Date(NOW).toISOString();
  const said = { by: ANA.by, verdict: 'activate', at, ...(notes.length > 0 ? { notes } : {}) } as const;
  how.before?.();
  await store.put(how.after ?? 1, 'next', change(signNoteOf(release, said, key)));
}

const without = (name: string): Texts => {
  const { [name]: text = '', 'signup.test.yaml': _, ...others } = withDebt(70);
  return { ...others, 'other.yaml': text };
};

const told = ({ place }: TestReleases) => listEvents(place, { types: ['release.refused'] });

/** That the service has refused a release, and decides by the first one; `why` is what it says to those who run it. */
async function expectRefused(service: TestService, releases: TestReleases, number: number, why: RegExp) {
  const problem = expect.stringMatching(why);
  await vi.waitFor(async () => expect(await partOf(service)).toMatchObject({ part: 'release 1', ok: true, problem }));
  expect(await decideBy(service, `after ${number}`)).toMatchObject({ outcome: 'accept', policy: { release: 1 } });
  await vi.waitFor(async () => expect(await told(releases)).toHaveLength(number - 1));
  expect((await told(releases)).at(-1)?.why).toMatch(new RegExp(why.source.replace(/^.*refused: /, '')));
}

describe('what is in force stays, and it is told why, if the next release', () => {
  it('is signed or approved by nobody who may, or lacks a policy, one after the other', async () => {
    const { releases, start } = await newMachine();
    await releases.released();
    const service = await start();
    const next: readonly (readonly [RegExp, Parameters<typeof force>[1]])[] = [
      [/a key that is not trusted with it$/, { key: CLEO.key }],
      [/which is not one of the trusted keys$/, { key: EVE.key }],
      [/release 4 cannot be in force: it has 0 of 1 approvals/, { isApproved: false }],
      [/release 5 has no signup\.yaml, which serve\.yaml names$/, { files: without('signup.yaml') }],
    ];
    for (const [i, [why, how]] of next.entries()) {
      await force(releases, { files: withDebt(70 - i), ...how, after: i + 1 });
      await expectRefused(service, releases, i + 2, why);
    }
  });

  it.each<[string, RegExp, Parameters<typeof force>[1]]>([
    [
      'has a note that was changed',
      /the signature does not match key/,
      { change: (text) => text.replace('ana@', 'eve@') },
    ],
    ['is the same once more', /has no higher number$/, { change: (text) => text.replace('release 2', 'release 1') }],
  ])('%s', async (_, why, how) => {
    const { releases, start } = await newMachine();
    await releases.released();
    const service = await start();
    await force(releases, how);
    await expectRefused(service, releases, 2, why);
  });

  it('cannot be read as a note, which is told once, however long it stays', async () => {
    const { releases, start } = await newMachine();
    await releases.released();
    const service = await start();
    await force(releases, { change: () => 'no note' });
    await expectRefused(service, releases, 2, /what replaces release 1 was refused: a note has no signature line/);
    // The service looks twice a second.
    await setTimeout(1200);
    expect(await told(releases)).toHaveLength(1);
    expect(service.lines.filter(({ event }) => event === 'release.refused')).toHaveLength(1);
  });

  it('was changed, until another one is put in force', async () => {
    const { releases, start } = await newMachine();
    await releases.released();
    const service = await start();
    const rules = join(releases.place.dir ?? '', 'releases/000002.rules');
    let kept = Buffer.alloc(0);
    const before = () => {
      kept = readFileSync(rules);
      writeFileSync(rules, kept.with(40, (kept[40] ?? 0) ^ 1));
    };
    await force(releases, { before });
    await untilEvent(service, 'release.refused', 2);
    expect(await partOf(service)).toMatchObject({ problem: expect.stringContaining('do not open with their key') });
    writeFileSync(rules, kept);
    await releases.released(withDebt(60));
    await untilEvent(service, 'release.loaded', 3);
    expect(await decideBy(service, 'one', 65)).toMatchObject({ outcome: 'review', policy: { release: 3 } });
    expect(await partOf(service)).toEqual({ part: 'release 3', ok: true });
  });
});

test('a service that starts while the last release is refused decides by the one that it had', async () => {
  const { releases, start } = await newMachine();
  await releases.released();
  await (await start()).drain();
  await force(releases, { key: CLEO.key });
  const service = await start();
  expect(await decideBy(service, 'one')).toMatchObject({ outcome: 'accept', policy: { release: 1 } });
  const problem = expect.stringMatching(/^release 2 was refused: .* a key that is not trusted with it$/);
  expect(await partOf(service)).toMatchObject({ part: 'release 1', ok: true, problem });
  expect(await listEvents(releases.place, { types: ['release.refused'] })).toHaveLength(1);
});

test('a release that cannot be read now is read later', async () => {
  const { releases, start } = await newMachine();
  await releases.released();
  const service = await start();
  const rules = join(releases.place.dir ?? '', 'releases/000002.rules');
  const before = () => {
    renameSync(rules, `${rules}.away`);
    mkdirSync(rules);
  };
  await force(releases, { before });
  const problem = expect.stringMatching(/^release 2 cannot be read: the audit log could not be read/);
  await vi.waitFor(async () => expect(await partOf(service)).toMatchObject({ part: 'release 1', problem }));
  rmSync(rules, { recursive: true });
  renameSync(`${rules}.away`, rules);
  await untilEvent(service, 'release.loaded', 2);
  expect(await listEvents(releases.place, { types: ['release.refused'] })).toEqual([]);
});

test('a tightening that nobody has confirmed in time shows until somebody does', async () => {
  const now = () => Date.UTC(2020, 0, 1);
  const { releases, start } = await newMachine({ now, tighten: { atMost: 0.1, confirmWithinMs: 3_600_000 } });
  const { means, trust } = releases;
  await releases.released();
  const number = await releases.proposed(withDebt(70), { authors: [DAN.by] });
  await sayOf(means, number, trust, { ...DAN, verdict: 'tighten' });
  await releases.activate(number);
  const service = await start();
  expect(await partOf(service)).toMatchObject({ part: 'release 2', unconfirmedSince: '2020-01-01T01:00:00.000Z' });
  await sayOf(means, number, trust, { ...BEN, verdict: 'confirm' });
  expect(await partOf(service)).toEqual({ part: 'release 2', ok: true });
});
