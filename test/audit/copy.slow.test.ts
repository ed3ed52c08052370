/** A log that is copied from one home to another, and what both say of it. */

import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeCheckpoint } from '../../src/audit/checkpoint/take.ts';
import { type CopyOptions, copyLog } from '../../src/audit/copy.ts';
import { makeTables } from '../../src/audit/database.ts';
import { openLogIndex } from '../../src/audit/index/open-index.ts';
import { createAuditLog } from '../../src/audit/log.ts';
import type { LogPlace } from '../../src/audit/place.ts';
import { readRecord } from '../../src/audit/query/decision-record.ts';
import { replayLog } from '../../src/audit/query/replay/replay.ts';
import { searchLog } from '../../src/audit/query/search.ts';
import { SEGMENTS, tornName } from '../../src/audit/store/segment.ts';
import { type VerifyOptions, verifyLog } from '../../src/audit/verify/verify.ts';
import { createDecider } from '../../src/decision/decide.ts';
import { leaveCrashed } from '../support/audit/crashed-owner.ts';
import { inventedPerson, localVerifier, personOf } from '../support/audit/decisions.ts';
import { makeLog } from '../support/audit/log.ts';
import { makeRandomLog } from '../support/audit/random-log.ts';
import { runCli } from '../support/cli/cli.ts';
import { HEAD, policyOf, temporaryFolder } from '../support/policy/policy.ts';
import { sampled } from '../support/sampled.ts';
import { HAS_POSTGRES, PostgresServer } from '../support/stores/state/postgres.ts';

const masterKey = 'cd'.repeat(32);
const server = PostgresServer.shared();

async function newDatabase() {
  return { postgres: await server.newSchema(), keys: { postgres: await server.newSchema(), masterKey } };
}

function newFolder() {
  const root = temporaryFolder();
  return { dir: join(root, 'log'), keys: join(root, 'keys') };
}

/** The bytes of all files below a folder, but those of an index. */
function filesOf(dir: string): Readonly<Record<string, string>> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const kept = paths.filter((path) => !path.includes('index.sqlite'));
  return Object.fromEntries(kept.map((path) => [path.slice(dir.length + 1), readFileSync(path).toString('base64')]));
}

function expectSame(one: ReturnType<typeof newFolder>, other: ReturnType<typeof newFolder>): void {
  expect(filesOf(other.dir)).toEqual(filesOf(one.dir));
  expect(filesOf(other.keys)).toEqual(filesOf(one.keys));
}

/** What is read of a log. */
async function readingOf(place: LogPlace, checkpoint: string, id: string) {
  await using index = await openLogIndex(place);
  await index.catchUp();
  const query = { outcomes: ['accept'] } as const;
  const note = { checkpoint: Buffer.from(checkpoint) };
  const { keys: _, ...bare } = place;
  return {
    verified: await verifyLog({ ...place, ...note } as VerifyOptions),
    withoutKeys: await verifyLog({ ...bare, ...note } as VerifyOptions),
    found: await searchLog(place, query),
    foundByIndex: await searchLog(place, query, { index }),
    person: await searchLog(place, { subject: personOf(1).phoneNo }, { index }),
    replayed: await replayLog(place),
    news: (await index.readNews({}, 1000)).entries,
    indexed: [await index.entries(), await index.find(id)],
  };
}

describe.runIf(HAS_POSTGRES)('a log that is copied (skipped where postgresql is not installed)', () => {
  it.each(Array.from({ length: sampled(1, 40) }, (_, i) => 100 + i))(
    'to a database and back is the same to the byte, and all that is read of it is the same (seed %i)',
    async (seed) => {
      const { place, signingKey, ids } = await makeRandomLog(temporaryFolder(), seed);
      const { note = '' } = await takeCheckpoint({ ...place, signingKey });
      const [database, back] = [await newDatabase(), newFolder()];
      const copied = await copyLog({ from: place, to: database });
      expect(await copyLog({ from: database, to: back })).toEqual(copied);
      expectSame(place, back);
      const [of, ofDatabase] = [
        await readingOf(place, note, ids.at(-1) ?? ''),
        await readingOf(database, note, ids.at(-1) ?? ''),
      ];
      expect(of.verified.findings).toEqual([]);
      expect(of.found.rows.length).toBeGreaterThan(0);
      expect(ofDatabase).toEqual(of);
    },
  );

  it('goes from folder to folder and from database to database, with its keys or without', async () => {
    const { place } = await makeRandomLog(temporaryFolder(), 11);
    const [folder, one, two, back] = [newFolder(), await newDatabase(), await newDatabase(), newFolder()];
    await copyLog({ from: place, to: folder });
    expectSame(place, folder);
    await copyLog({ from: folder, to: one });
    await copyLog({ from: one, to: two });
    await copyLog({ from: two, to: back });
    expectSame(place, back);
    const auditors = { dir: join(temporaryFolder(), 'log') };
    expect(await copyLog({ from: { postgres: two.postgres }, to: auditors })).toMatchObject({ keys: false });
    expect(filesOf(auditors.dir)).toEqual(filesOf(place.dir));
    expect(existsSync(`${auditors.dir}-keys`)).toBe(false);
    expect((await verifyLog(auditors)).findings).toEqual([]);
    await expect(copyLog({ from: place, to: { dir: join(temporaryFolder(), 'log') } })).rejects.toThrow(
      'expected the keys of both places, or of neither',
    );
  });

  it('while it is written is a log that can be opened and written on', async () => {
    const { place } = await makeRandomLog(temporaryFolder(), 10);
    const database = await newDatabase();
    await copyLog({ from: place, to: database });
    for (const from of [place, database]) {
      const log = await createAuditLog({ ...from, segmentBytes: 3000 });
      const decider = createDecider({ policy: policyOf(HEAD), verify: localVerifier, audit: log });
      let isDone = false;
      const decideOn = async () => {
        for (let n = 0; !isDone && n < 8; n++) await decider.decide(inventedPerson(n));
      };
      const { id } = await decider.decide(personOf(2));
      const deciding = [decideOn(), decideOn()];
      const copies: LogPlace[] = [newFolder(), await newDatabase()];
      for (const to of copies) await copyLog({ from, to });
      isDone = true;
      await Promise.all(deciding);
      await log.close();
      for (const copy of copies) {
        const { findings, chains } = await verifyLog(copy);
        expect(findings).toEqual([]);
        // Each chain is free, also the one that is being written elsewhere.
        const again = [];
        for (const _ of chains) again.push(await createAuditLog(copy));
        for (const [n, audit] of again.entries()) {
          await createDecider({ policy: policyOf(HEAD), verify: localVerifier, audit }).decide(personOf(n));
          await audit.close();
        }
        const after = await verifyLog(copy);
        expect(after.findings).toEqual([]);
        expect(after.chains).toHaveLength(chains.length);
        expect((await replayLog(copy)).problems).toEqual([]);
        expect(await readRecord(copy, id)).toBeDefined();
      }
    }
  });

  it('that a crash left in the middle of a line is copied without it', async () => {
    const { place } = await makeRandomLog(temporaryFolder(), 3);
    const chain = readdirSync(join(place.dir, 'chains'))[0] ?? '';
    const crashed = await createAuditLog(place);
    await createDecider({ policy: policyOf(HEAD), verify: localVerifier, audit: crashed }).decide(personOf(2));
    const folder = join(place.dir, 'chains', chain);
    const last = Math.max(...readdirSync(folder).flatMap((name) => SEGMENTS.numberOf(name) ?? []));
    const segment = join(folder, SEGMENTS.of(last));
    truncateSync(segment, readFileSync(segment).length - 5);
    for (const to of [newFolder(), await newDatabase()]) {
      await copyLog({ from: place, to });
      expect((await verifyLog(to)).findings).toEqual([]);
      await (await createAuditLog(to)).close();
      expect((await verifyLog(to)).findings).toEqual([]);
    }
    await crashed.close();
  });

  it('whose recovery was interrupted is recovered where it was copied to', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 1, decisions: 2, segmentBytes: 100_000 });
    const folder = join(log.dir, 'chains', log.chains[0] ?? '');
    leaveCrashed(folder);
    const { length } = readFileSync(join(folder, SEGMENTS.of(1)));
    writeFileSync(join(folder, tornName(1, length)), '{"chain":');
    for (const to of [newFolder(), await newDatabase()]) {
      await copyLog({ from: { dir: log.dir, keys: log.keys }, to });
      await (await createAuditLog(to)).close();
      const { dir, postgres } = to as Partial<Record<'dir' | 'postgres', string>>;
      const { findings, chains } = await verifyLog((dir ? { dir } : { postgres }) as LogPlace);
      expect({ findings, chains }).toMatchObject({ findings: [], chains: [{ tornTails: 1 }] });
    }
  });

  const BAD: Readonly<Record<string, (line: Buffer) => Buffer>> = {
    'a hash that is not its own': (line) =>
      Buffer.from(line.toString().replace('"outcome":"accept"', '"outcome":"reject"')),
    'a byte that is not UTF-8': (line) => Buffer.concat([line.subarray(0, 9), Buffer.of(0xff), line.subarray(10)]),
    'a zero byte': (line) => Buffer.concat([line.subarray(0, 9), Buffer.of(0), line.subarray(10)]),
  };

  it.each(Object.entries(BAD))('with %s goes to a folder as it is, and is refused by a database', async (_, change) => {
    const log = await makeLog(temporaryFolder(), { chains: 2, decisions: 4, segmentBytes: 100_000 });
    const { dir, keys } = log;
    const chain = log.chains[1] ?? '';
    const file = join(dir, 'chains', chain, SEGMENTS.of(1));
    const lines = readFileSync(file, 'latin1')
      .split('\n')
      .map((line) => Buffer.from(line, 'latin1'));
    lines[1] = Buffer.from(change(lines[1] ?? Buffer.alloc(0)));
    writeFileSync(file, lines.map((line) => line.toString('latin1')).join('\n'), 'latin1');
    const [folder, database] = [newFolder(), await newDatabase()];
    await copyLog({ from: { dir, keys }, to: folder });
    expectSame({ dir, keys }, folder);
    const where = `line 2 of segment 1 of chain ${chain} is not as it was written`;
    await expect(copyLog({ from: { dir, keys }, to: database })).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringMatching(`^${where}: .*; the copy is not complete: remove it, and copy again$`),
    });
    await expect(createAuditLog(database)).rejects.toThrow('found no audit log');
    await expect(copyLog({ from: folder, to: database })).rejects.toThrow('a part of one, which is left as it is');
  });

  it('to a database that fails says what to do', async () => {
    const { dir } = await makeLog(temporaryFolder(), { chains: 1, decisions: 1, segmentBytes: 100_000 });
    const to = { postgres: await server.newSchema() };
    await makeTables(to);
    await server.sql(to.postgres, 'alter table log_entry add check (line < 2)');
    const message =
      'the audit log could not be copied (SQLSTATE_23514); the copy is not complete: remove it, and copy again';
    await expect(copyLog({ from: { dir }, to })).rejects.toMatchObject({ code: 'AUDIT_FAILED', message });
  });

  it('needs a place that is empty', async () => {
    const { dir, keys } = await makeLog(temporaryFolder(), { chains: 1, decisions: 1, segmentBytes: 100_000 });
    const from = { dir, keys };
    const [folder, database] = [newFolder(), await newDatabase()];
    await copyLog({ from, to: folder });
    await copyLog({ from, to: database });
    const refused = async (to: LogPlace, message: string) =>
      expect(copyLog({ from, to } as CopyOptions)).rejects.toMatchObject({
        code: 'CONFIGURATION_INVALID',
        message: expect.stringContaining(message),
      });
    await refused(folder, 'the log folder is not empty');
    await refused({ ...newFolder(), keys: folder.keys }, 'the key folder is not empty');
    await refused(database, 'the database has a log');
    await refused({ ...(await newDatabase()), keys: database.keys }, 'the database has keys');
    await refused({ dir, keys }, 'the log folder is not empty');
    expect(filesOf(folder.dir)).toEqual(filesOf(dir));
  });
});

describe.runIf(HAS_POSTGRES)('verdict audit copy (skipped where postgresql is not installed)', () => {
  it('copies with the keys that are named, or without', async () => {
    const { dir, keys } = await makeLog(temporaryFolder(), { chains: 2, decisions: 3, segmentBytes: 3000 });
    const env = {
      LOG_URL: await server.newSchema(),
      KEYS_URL: await server.newSchema(),
      VERDICT_MASTER_KEY: masterKey,
    };
    const copy = (...args: readonly string[]) => runCli(['audit', 'copy', ...args], { env });
    const there = ['--to', 'postgres:LOG_URL', '--to-keys', 'postgres:KEYS_URL'];
    const done = await copy('--from', dir, '--from-keys', keys, ...there);
    expect(done).toMatchObject({ exitCode: 0, stderr: '' });
    expect(done.stdout).toMatch(/^log [\da-f-]{36} copied with its keys: 2 chains, \d+ bytes of lines\n$/);
    const back = newFolder();
    const json = await copy('--from', 'postgres:LOG_URL', '--to', back.dir, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ chains: 2, keys: false });
    expect(filesOf(back.dir)).toEqual(filesOf(dir));
    expect(await copy('--from', dir, '--to', newFolder().dir, '--from-keys', keys)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--from-keys and --to-keys go together'),
    });
    expect(await copy('--from', temporaryFolder(), '--to', newFolder().dir)).toMatchObject({ exitCode: 2 });
    expect(await copy('--from', dir, '--to', back.dir)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('the log folder is not empty'),
    });
  });
});
