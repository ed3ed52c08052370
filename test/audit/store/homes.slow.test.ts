/** What a log promises, held to each home that it may have: a folder, and a database. */

import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { takeCheckpoint } from '../../../src/audit/checkpoint/take.ts';
import { homeOf } from '../../../src/audit/home.ts';
import { indexAgain } from '../../../src/audit/index/database-index.ts';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { initAuditLog } from '../../../src/audit/init.ts';
import { readSigningKey } from '../../../src/audit/keys/key-folder.ts';
import { createAuditLog } from '../../../src/audit/log.ts';
import type { LogPlace } from '../../../src/audit/place.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { replayLog } from '../../../src/audit/query/replay/replay.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { pruneLog } from '../../../src/audit/retain/prune.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, personOf } from '../../support/audit/decisions.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { HAS_POSTGRES, PostgresServer } from '../../support/stores/state/postgres.ts';

const MASTER_KEY = 'cd'.repeat(32);

const server = PostgresServer.shared();

const HOMES: readonly { readonly title: string; readonly isThere: boolean; place(): Promise<LogPlace> }[] = [
  {
    title: 'a folder',
    isThere: true,
    place: async () => {
      const root = temporaryFolder();
      return { dir: join(root, 'log'), keys: join(root, 'keys') };
    },
  },
  {
    title: 'PostgreSQL (skipped where postgresql is not installed)',
    isThere: HAS_POSTGRES,
    place: async () => ({
      postgres: await server.newSchema(),
      keys: { postgres: await server.newSchema(), masterKey: MASTER_KEY },
    }),
  },
];

const policyOfTest = () =>
  policyOf(`${HEAD}rules: [{ id: risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }]\n`);

for (const { title, isThere, place: newPlace } of HOMES) {
  describe.skipIf(!isThere)(`a log in ${title}`, () => {
    it('is written, found, read, verified, erased, replayed and pruned', async () => {
      const place = await newPlace();
      await initAuditLog({ ...place, origin: 'bank.example' });
      const DAY = 86_400_000;
      const log = await createAuditLog({ ...place, segmentBytes: 4000 });
      const decider = createDecider({ policy: policyOfTest(), verify: localVerifier, audit: log });
      const decisions = [];
      for (let i = 0; i < 12; i++) decisions.push(await decider.decide(personOf(i), { clientReference: `ref-${i}` }));
      const [first, second] = decisions;
      await addNote({ log, decision: first?.id ?? '', disposition: 'approve', by: 'Raj', why: 'Called back.' });
      await log.close();

      expect((await verifyLog(place)).findings).toEqual([]);
      await using index = await openLogIndex(place);
      await index.catchUp();
      expect(await index.entries()).toBe(13);
      const found = await searchLog(place, { reference: 'ref-3' }, { index });
      expect(found.rows.map(({ id }) => id)).toEqual([decisions[3]?.id]);
      expect((await searchLog(place, { dispositions: ['approve'] }, { index })).rows.map(({ id }) => id)).toEqual([
        first?.id,
      ]);
      expect((await searchLog(place, {})).total).toBe(12);
      expect((await readRecord(place, first?.id ?? '', { index }))?.notes).toMatchObject([{ disposition: 'approve' }]);
      expect(await replayLog(place)).toMatchObject({ compared: 12, same: 12 });
      const news = await index.readNews({}, 100);
      expect(news.entries).toHaveLength(13);
      expect((await index.readNews(news.next, 100)).entries).toEqual([]);
      expect(await index.newsEnd()).toEqual(news.next);

      const again = await createAuditLog(place);
      const erased = await eraseSubject({ log: again, subject: personOf(1).phoneNo ?? '' });
      expect(erased.records).toContain(second?.id);
      await again.close();
      expect((await verifyLog(place)).findings).toEqual([]);

      const signingKey = await readSigningKey((await homeOf(place)).keys);
      const { note } = await takeCheckpoint({ ...place, signingKey });
      expect(note).toContain('bank.example');
      const tomorrow = () => Date.now() + DAY;
      const before = new Date(tomorrow()).toISOString().slice(0, 10);
      const pruned = await pruneLog({ ...place, before, signingKey, now: tomorrow });
      expect(pruned.segments.length).toBeGreaterThan(1);
      expect((await verifyLog(place)).findings).toEqual([]);
      await index.catchUp();
      const left = await searchLog(place, {}, { index });
      expect(left.total).toBe((await searchLog(place, {})).total);
      expect(left.total).toBeLessThan(12);
    });
  });
}

test.skipIf(!HAS_POSTGRES)('an index whose rows are lost is made again', async () => {
  const postgres = await server.newSchema();
  const place = { postgres, keys: { masterKey: MASTER_KEY } };
  await initAuditLog(place);
  const log = await createAuditLog({ ...place, segmentBytes: 4000 });
  const decider = createDecider({ policy: policyOfTest(), verify: localVerifier, audit: log });
  for (let i = 0; i < 12; i++) await decider.decide(personOf(i));
  await using index = await openLogIndex(place);
  const found = async () => (await searchLog(place, { outcomes: ['accept'] }, { index })).rows.map(({ id }) => id);
  const before = await found();
  expect(before.length).toBeGreaterThan(3);
  await server.sql(postgres, 'delete from log_term; delete from log_decision where entry < 5; delete from log_day');
  expect(await found()).not.toEqual(before);
  await indexAgain(place, index.log);
  await indexAgain(place, index.log);
  expect(await found()).toEqual(before);
  expect(await index.entries()).toBe(12);
  await decider.decide(personOf(0));
  expect(await index.entries()).toBe(13);
  await log.close();
});

describe.skipIf(!HAS_POSTGRES)('a database of a log (skipped where postgresql is not installed)', () => {
  it.each(['log', 'keys'])('that may lose what it has committed is refused for the %s', async (which) => {
    const [postgres, keys] = [await server.newSchema(), await server.newSchema()];
    await initAuditLog({ postgres, keys: { postgres: keys, masterKey: MASTER_KEY } });
    const off = (url: string, name: string) =>
      name === which ? url.replace('search_path', 'synchronous_commit=off+-c+search_path') : url;
    const place = { postgres: off(postgres, 'log'), keys: { postgres: off(keys, 'keys'), masterKey: MASTER_KEY } };
    await expect(createAuditLog(place)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      message: `synchronous_commit of PostgreSQL is off: set it to on for the ${which}`,
    });
  });
});

test.skipIf(!HAS_POSTGRES).each([
  ['the master key is malformed', 'abc'],
  ['the master key is another one', 'ef'.repeat(32)],
])('a log whose keys cannot be unwrapped is refused: %s', async (said, masterKey) => {
  const postgres = await server.newSchema();
  await initAuditLog({ postgres, keys: { masterKey: MASTER_KEY } });
  const message = expect.stringContaining(said);
  const refused = { code: 'CONFIGURATION_INVALID', message };
  await expect(createAuditLog({ postgres, keys: { masterKey } })).rejects.toMatchObject(refused);
  await expect(verifyLog({ postgres, keys: { masterKey } })).rejects.toMatchObject(refused);
});
