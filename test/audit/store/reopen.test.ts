/**
 * Changes to a log between two openings, by a crash or a person: the next opening refuses the log, or continues it
 * and loses nothing durable.
 */

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Entry, NO_HASH } from '../../../src/audit/entry/entry.ts';
import { type ChainWriter, isChainName, openChain } from '../../../src/audit/store/chain.ts';
import type { Owner } from '../../../src/audit/store/lease.ts';
import { OWNERS, SEGMENTS } from '../../../src/audit/store/segment.ts';
import { appendTo } from '../../support/audit/check.ts';
import { changeOwner, leaveCrashed } from '../../support/audit/crashed-owner.ts';
import { newLog, openLog, settle, type TriedLog } from '../../support/audit/runs.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

/** A closed log with one chain: its opening and three records, each in a write of its own. */
async function closedLog() {
  const tried = newLog(temporaryFolder());
  const writer = await openLog(tried);
  for (let i = 0; i < 3; i++) await append(tried, writer);
  await writer.close();
  const folder = join(tried.chains, writer.chain);
  return { tried, chain: writer.chain, folder, file: join(folder, SEGMENTS.of(1)) };
}

async function append(tried: TriedLog, writer: ChainWriter): Promise<void> {
  const { id, appended } = await appendTo(writer);
  tried.acknowledged.set(id, appended);
}

const filesIn = (folder: string) => readdirSync(folder).sort();
const ownerIn = (folder: string): Owner => {
  const name = filesIn(folder).findLast((one) => OWNERS.numberOf(one)) ?? '';
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
};
const linesIn = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
/** Removes lines from the end of a file. */
const cutLines = (file: string, count: number) => {
  const lines = readFileSync(file, 'utf8').split(/(?<=\n)/);
  writeFileSync(file, lines.slice(0, -count).join(''));
};

describe('a closed chain', () => {
  it('names its last entry in its owner file', async () => {
    const { folder, file } = await closedLog();
    const { seq, hash } = linesIn(file).at(-1) ?? {};
    expect(ownerIn(folder)).toMatchObject({ head: { seq, hash }, released: true });
    expect(seq).toBe(4);
  });

  it.each<[string, (file: string) => void, string]>([
    ['has lost its last record', (file) => cutLines(file, 1), "found line 3 as the chain's last, expected 4"],
    ['has lost all but its opening', (file) => cutLines(file, 3), "found line 1 as the chain's last, expected 4"],
    ['is empty', (file) => truncateSync(file, 0), "found line 0 as the chain's last, expected 4"],
    ['was removed', (file) => rmSync(file), "found line 0 as the chain's last, expected 4"],
    [
      'has lost its last line break',
      (file) => truncateSync(file, readFileSync(file).length - 1),
      'line 4: found an incomplete line',
    ],
    ['has an extra half line', (file) => appendFileSync(file, '{"chain":'), 'line 5: found an incomplete line'],
    ['has zeros behind it', (file) => appendFileSync(file, Buffer.alloc(4096)), 'line 5: found an incomplete line'],
  ])('is refused if its segment %s, however often it is tried', async (_, harm, said) => {
    const { tried, folder, file } = await closedLog();
    const owner = ownerIn(folder);
    harm(file);
    const before = filesIn(folder).filter((name) => !OWNERS.numberOf(name));
    const bytes = before.map((name) => readFileSync(join(folder, name)));
    for (let time = 0; time < 3; time++) {
      await expect(openLog(tried)).rejects.toMatchObject({
        code: 'AUDIT_FAILED',
        message: expect.stringContaining(said),
      });
    }
    expect(filesIn(folder)).toEqual([...before, OWNERS.of(4)].sort());
    expect(before.map((name) => readFileSync(join(folder, name)))).toEqual(bytes);
    expect(ownerIn(folder)).toEqual(owner);
    expect(readdirSync(tried.chains).filter(isChainName)).toHaveLength(1);
  });

  it('is refused if it was rewritten or extended, even with valid hashes', async () => {
    const { tried, folder, file } = await closedLog();
    const owner = ownerIn(folder);
    await (await openLog(tried)).close();
    changeOwner(folder, (changed) => ({ ...changed, head: owner.head }));
    await expect(openLog(tried)).rejects.toThrow("found line 5 as the chain's last, expected 4");
    changeOwner(folder, (owner) => ({ ...owner, head: { seq: 5, hash: NO_HASH } }));
    await expect(openLog(tried)).rejects.toThrow('found another line, expected the one that its last owner left');
    expect(linesIn(file)).toHaveLength(5);
  });

  it('is refused if the segment before an empty one ends in another line', async () => {
    const { tried, folder, file } = await closedLog();
    const writer = await openChain({ ...tried, engine: '0.1.0', segmentBytes: 100 });
    await writer.close();
    expect(linesIn(file).at(-1)?.kind).toBe('seal');
    writeFileSync(join(folder, SEGMENTS.of(2)), '');
    changeOwner(folder, (owner) => ({ ...owner, head: { seq: 6, hash: NO_HASH } }));
    await expect(openLog(tried)).rejects.toThrow('found another line, expected the one that its last owner left');
  });
});

describe('a chain whose owner crashed', () => {
  it('is refused if it lacks a line that was durable when the owner began', async () => {
    const { tried, folder, file } = await closedLog();
    const whole = readFileSync(file);
    leaveCrashed(folder);
    changeOwner(folder, (owner) => ({ ...owner, head: { seq: 3, hash: linesIn(file)[2]?.hash } }));
    cutLines(file, 2);
    for (let time = 0; time < 2; time++) {
      await expect(openLog(tried)).rejects.toThrow("found line 2 as the chain's last, expected 3");
    }
    writeFileSync(file, whole);
    changeOwner(folder, (owner) => ({ ...owner, head: { seq: 3, hash: NO_HASH } }));
    await expect(openLog(tried)).rejects.toThrow(
      'line 3: found another line, expected the one that its last owner left',
    );
  });

  it('hands on to its owners what was durable', async () => {
    const { tried, folder, file } = await closedLog();
    const { head } = ownerIn(folder);
    const writer = await openLog(tried);
    expect(ownerIn(folder)).toMatchObject({ head });
    expect(ownerIn(folder).released).toBeUndefined();
    await append(tried, writer);
    truncateSync(file, 10);
    await expect(append(tried, writer)).rejects.toThrow('its last segment has 10 bytes');
    await writer.close();
    // What it had acknowledged before it failed is not less durable for that.
    expect(ownerIn(folder)).toMatchObject({ head: { seq: head.seq + 2 }, released: true, failed: true });
    await expect(openLog(tried)).rejects.toThrow("found line 0 as the chain's last, expected 6");
  });

  /** Overwrites two sectors in the middle of the last write with zeros. */
  function punch(file: string, from: number): void {
    const bytes = readFileSync(file);
    const at = Math.ceil(from / 512) * 512;
    expect(bytes.length).toBeGreaterThan(at + 1024);
    writeFileSync(file, bytes.fill(0, at, at + 1024));
  }

  it('is refused with a hole before a later write, because the disk has lost durable lines', async () => {
    const { tried, folder, file } = await closedLog();
    const writer = await openLog(tried);
    for (let i = 0; i < 8; i++) await append(tried, writer);
    await writer.close();
    leaveCrashed(folder);
    punch(file, readFileSync(file, 'utf8').indexOf(`"seq":6,`));
    const bytes = readFileSync(file);
    for (let time = 0; time < 2; time++)
      await expect(openLog(tried)).rejects.toThrow(/line \d: expected one JSON object/);
    expect(readFileSync(file)).toEqual(bytes);
  });

  it('continues before a hole in the last write, which was never acknowledged', async () => {
    const { tried, folder, file } = await closedLog();
    const writer = await openLog(tried);
    const { length } = readFileSync(file);
    await Promise.all(Array.from({ length: 8 }, () => appendTo(writer)));
    await writer.close();
    expect(linesIn(file).map(({ batch }) => batch)).toEqual([1, 2, 3, 4, 5, ...Array(8).fill(6)]);
    leaveCrashed(folder);
    punch(file, length);
    const next = await openLog(tried);
    await append(tried, next);
    await next.close();
    expect(linesIn(file)[5]).toMatchObject({ kind: 'open', batch: 6, torn: { offset: length } });
  });
});

describe('a link or a pipe in place of', () => {
  const SECRET = 'another file, without a line break';
  const secretIn = (tried: TriedLog) => {
    const path = join(dirname(tried.chains), 'secret');
    writeFileSync(path, SECRET);
    return path;
  };

  it.each<[string, (secret: string, file: string) => void, string]>([
    ['the segment, symbolic', symlinkSync, 'ELOOP'],
    ['the segment, hard', linkSync, 'EMLINK'],
    ['the segment, a pipe', (_, file) => spawnSync('mkfifo', [file]), 'EINVAL'],
    ['the segment, a folder', (_, file) => mkdirSync(file), 'EISDIR'],
  ])('%s, is not written, followed or waited for', async (_, put, code) => {
    const { tried, folder, file } = await closedLog();
    const secret = secretIn(tried);
    rmSync(file);
    put(secret, file);
    leaveCrashed(folder);
    await expect(openLog(tried)).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringContaining(code),
    });
    expect(readFileSync(secret, 'utf8')).toBe(SECRET);
  });

  it.each<[string, (log: { folder: string; tried: TriedLog }) => string]>([
    ['a chain', ({ folder }) => folder],
    ['the folder of chains', ({ tried }) => tried.chains],
  ])('%s is not followed', async (_, which) => {
    const { tried, folder } = await closedLog();
    const moved = join(dirname(tried.chains), 'moved');
    renameSync(which({ tried, folder }), moved);
    symlinkSync(moved, which({ tried, folder }));
    await expect(openLog(tried)).rejects.toThrow('ENOTDIR');
  });

  it('an owner file counts as an active owner', async () => {
    const { tried, folder, chain } = await closedLog();
    const secret = secretIn(tried);
    writeFileSync(secret, `${JSON.stringify(ownerIn(folder))}\n`);
    for (const put of [symlinkSync, (_: string, path: string) => spawnSync('mkfifo', [path])]) {
      rmSync(join(folder, OWNERS.of(1)));
      put(secret, join(folder, OWNERS.of(1)));
      const writer = await openLog(tried);
      expect(writer.chain).not.toBe(chain);
      await writer.close();
    }
    rmSync(join(folder, OWNERS.of(1)));
    truncateSync(join(folder, SEGMENTS.of(1)), 0);
    writeFileSync(join(folder, OWNERS.of(1)), '');
    truncateSync(join(folder, OWNERS.of(1)), 2 ** 40);
    const writer = await openLog(tried);
    expect(writer.chain).not.toBe(chain);
    await writer.close();
  });
});

it('no record is acknowledged after its segment was replaced by a copy', async () => {
  const { tried, file } = await closedLog();
  const writer = await openLog(tried);
  await append(tried, writer);
  cpSync(file, `${file}.copy`);
  renameSync(file, join(dirname(tried.chains), 'moved'));
  renameSync(`${file}.copy`, file);
  await expect(append(tried, writer)).rejects.toThrow('its last segment was removed or replaced');
  await writer.close();
});

it.each<[string, number, string]>([
  ['is refused with a chain that is older than the log', -2, 'found a chain of 20'],
  ['gets no new chain if the clock is days behind', 2, 'the clock of this machine says 20'],
])('a log %s', async (_, days, said) => {
  const tried = newLog(temporaryFolder());
  const at = (shift: number) => uuidV7({ msecs: Date.now() + shift * 86_400_000 });
  if (days < 0) mkdirSync(join(tried.chains, at(days)), { recursive: true });
  const log = days < 0 ? tried.log : at(days);
  await expect(openLog({ ...tried, log })).rejects.toThrow(said);
  expect(readdirSync(tried.chains)).toHaveLength(days < 0 ? 1 : 0);
});

it('an old copy of a log beside newer keys uses no key twice, and opens at once', async () => {
  const tried = newLog(temporaryFolder());
  const life = async () => {
    const writer = await openLog(tried);
    await append(tried, writer);
    await writer.close();
    return writer.epoch;
  };
  await life();
  const backup = join(dirname(tried.chains), 'backup');
  cpSync(tried.chains, backup, { recursive: true });
  const known = new Map(tried.acknowledged);
  for (let i = 0; i < 4; i++) await life();
  rmSync(tried.chains, { recursive: true });
  cpSync(backup, tried.chains, { recursive: true });
  tried.acknowledged.clear();
  for (const [id, appended] of known) tried.acknowledged.set(id, appended);
  expect([await life(), await life()]).toEqual([6, 7]);
  expect(await settle(tried)).toEqual([]);
});
