import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_HASH } from '../../../src/audit/entry/entry.ts';
import { type ChainWriter, isChainName, openChain } from '../../../src/audit/store/chain.ts';
import { type Files, realFiles } from '../../../src/audit/store/files.ts';
import { acquireLease, type Owner } from '../../../src/audit/store/lease.ts';
import { OWNERS } from '../../../src/audit/store/segment.ts';
import { type ProcessId, thisProcess } from '../../../src/platform/process.ts';
import { type Acknowledged, appendTo, checkLog, markBody } from '../../support/audit/check.ts';
import { Disk } from '../../support/audit/disk.ts';
import { newLog, openLog, settle, type TriedLog } from '../../support/audit/runs.ts';
import { type Random, randomOf } from '../../support/facts/mutate.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const chainsOf = ({ chains }: TriedLog) => readdirSync(chains).filter(isChainName).sort();
const ownersOf = ({ chains }: TriedLog, chain = '') =>
  readdirSync(join(chains, chain)).filter((name) => OWNERS.numberOf(name));

/** A log with one chain that was written and released. */
async function logWithChain(): Promise<{ readonly tried: TriedLog; readonly chain: string }> {
  const tried = newLog(temporaryFolder());
  const writer = await openLog(tried);
  await append(tried, writer);
  await writer.close();
  return { tried, chain: writer.chain };
}

async function append(tried: TriedLog, writer: ChainWriter): Promise<void> {
  const { id, appended } = await appendTo(writer);
  tried.acknowledged.set(id, appended);
}

/** Adds a later owner file to a chain. */
function addOwner({ chains }: TriedLog, chain: string, text: string): string {
  const path = join(chains, chain, OWNERS.of(7));
  writeFileSync(path, text);
  return path;
}

const ownedBy = (other: Partial<Owner>) =>
  `${JSON.stringify({ ...thisProcess(), head: { seq: 0, hash: NO_HASH }, ...other })}\n`;

describe('a chain', () => {
  it('is used by fifty runs, one after the other', async () => {
    const tried = newLog(temporaryFolder());
    for (let run = 0; run < 50; run++) {
      const writer = await openLog(tried);
      await append(tried, writer);
      await writer.close();
    }
    const chains = chainsOf(tried);
    expect(chains).toHaveLength(1);
    expect(ownersOf(tried, chains[0])).toEqual([OWNERS.of(50)]);
    expect(await settle(tried)).toEqual([]);
  });

  it('belongs to one process at a time, and is free once that process closes it', async () => {
    const tried = newLog(temporaryFolder());
    const writers = [await openLog(tried), await openLog(tried), await openLog(tried)];
    const opened = writers.map(({ chain }) => chain);
    expect(new Set(opened).size).toBe(3);
    await writers[1]?.close();
    const next = await openLog(tried);
    expect(next.chain).toBe(opened[1]);
    for (const writer of [...writers, next]) await writer.close();
    expect(await settle(tried)).toEqual([]);
  });

  it('is taken over from a process that has ended', async () => {
    const { tried, chain } = await logWithChain();
    addOwner(tried, chain, ownedBy({ pid: 2_147_483_000 }));
    const writer = await openLog(tried);
    expect([writer.chain, writer.epoch]).toEqual([chain, 8]);
    await writer.close();
    expect(ownersOf(tried, chain)).toEqual([OWNERS.of(8)]);
  });

  it.each([
    ['a process that runs', ownedBy({})],
    ['a process of another machine', ownedBy({ host: `not-${hostname()}`, pid: 2_147_483_000 })],
    ['a process of another container', ownedBy({ space: 'pid:[1]', pid: 2_147_483_000 })],
    ['an owner file that is cut off', '{"pid":'],
    ['an owner file of another shape', '{"pid":1}\n'],
    ['an empty owner file', ''],
  ])('that may be held by %s is left alone, and a new one is begun', async (_, text) => {
    const { tried, chain } = await logWithChain();
    const path = addOwner(tried, chain, text);
    const before = readFileSync(join(tried.chains, chain, '00000001.ndjson'));
    const writer = await openLog(tried);
    await append(tried, writer);
    await writer.close();
    expect(writer.chain).not.toBe(chain);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readFileSync(join(tried.chains, chain, '00000001.ndjson'))).toEqual(before);
    expect(chainsOf(tried)).toHaveLength(2);
  });

  it('is taken over once another machine has released it', async () => {
    const { tried, chain } = await logWithChain();
    const { head } = JSON.parse(readFileSync(join(tried.chains, chain, OWNERS.of(1)), 'utf8'));
    addOwner(tried, chain, ownedBy({ host: 'elsewhere', head, released: true }));
    const writer = await openLog(tried);
    await writer.close();
    expect(writer.chain).toBe(chain);
  });

  it('continues in an epoch that it never had, if its owner files were removed', async () => {
    const { tried, chain } = await logWithChain();
    for (let run = 0; run < 2; run++) await (await openLog(tried)).close();
    const folder = join(tried.chains, chain);
    for (const name of ownersOf(tried, chain)) unlinkSync(join(folder, name));
    const writer = await openLog(tried);
    await append(tried, writer);
    expect([writer.chain, writer.epoch]).toEqual([chain, 4]);
    await writer.close();
    expect(await settle(tried)).toEqual([]);
  });

  it('is not acquired by a process that listed the folder before others came and went', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'chain'));
    const chain = join(folder, 'chain');
    const self = () => ({ ...thisProcess(), pid: 1 });
    const processes = { self, isRunning: () => false };
    const file = (epoch: number) => join(chain, OWNERS.of(epoch));
    writeFileSync(file(1), ownedBy({}));
    // While it writes its file, others take the second and the third epoch and remove the earlier files.
    const files: Files = {
      ...realFiles,
      async link(from, to) {
        writeFileSync(file(3), ownedBy({}));
        await realFiles.unlink(file(1));
        await realFiles.link(from, to);
      },
    };
    expect(await acquireLease({ files, path: chain }, 0, processes)).toBeUndefined();
    expect(readdirSync(chain)).toEqual([OWNERS.of(3)]);
  });
});

describe('many openings at once', () => {
  const logAmong = (files: Files) => ({
    ...{ dir: { files, path: '/log' }, keys: { files, path: '/keys' } },
    log: '01900000-0000-7000-8000-000000000000',
  });

  /** A file system that completes its calls in any order. */
  function jittered(files: Files, random: Random): Files {
    const late = <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) => {
      return async (...given: Given): Promise<Result> => {
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await new Promise(setImmediate);
        return call(...given);
      };
    };
    const { read, open, list, stat, makeFolder, syncFolder, link, rename, unlink } = files;
    return {
      ...{ read, open: late(open), list: late(list), stat: late(stat), makeFolder: late(makeFolder) },
      ...{ syncFolder: late(syncFolder), link: late(link), rename: late(rename), unlink: late(unlink) },
    };
  }

  it('never get the same chain, in whatever order their calls are done', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = randomOf(seed);
      const disk = new Disk();
      for (const folder of ['/log', '/keys']) await disk.view().makeFolder(folder);
      const acknowledged: Acknowledged = new Map();
      const writing = new Map<string, number>();
      const running = new Set<number>();
      let pid = 0;
      let lives = 0;
      const live = async () => {
        for (let run = 0; run < 3; run++) {
          pid += 1;
          const own = pid;
          running.add(own);
          let isKilled = false;
          const files = jittered(
            disk.view(() => (isKilled ? 'killed' : 'done')),
            random,
          );
          const processes = {
            self: () => ({ pid: own, host: 'here', start: null, space: null, boot: null, machine: null }),
            isRunning: (found: ProcessId) => running.has(found.pid),
          };
          const writer = await openChain({ ...logAmong(files), engine: '1', processes, encrypt: markBody });
          expect(writing.get(writer.chain), `seed ${seed}`).toBeUndefined();
          writing.set(writer.chain, own);
          const { id, appended } = await appendTo(writer);
          acknowledged.set(id, appended);
          lives += 1;
          writing.delete(writer.chain);
          isKilled = random() < 0.4;
          if (isKilled) running.delete(own);
          await writer.close();
        }
      };
      await Promise.all(Array.from({ length: 6 }, live));
      expect(lives).toBe(18);
      expect(await checkLog({ ...logAmong(disk.view()), acknowledged }), `seed ${seed}`).toEqual([]);
      const chains = (await disk.view().list('/log/chains')).length;
      expect(chains, `seed ${seed}`).toBeLessThanOrEqual(12);
    }
  });
});
