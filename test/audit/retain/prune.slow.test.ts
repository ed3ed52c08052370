/** Pruning: which segments are removed, also after an interruption at any moment, and tombstones that verify. */

import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { takeCheckpoint } from '../../../src/audit/checkpoint/take.ts';
import { DataKeyReader } from '../../../src/audit/keys/data-keys.ts';
import type { LogPlace } from '../../../src/audit/place.ts';
import { type PruneOptions, pruneLogOn } from '../../../src/audit/retain/prune.ts';
import { type Files, folderAt, realFiles } from '../../../src/audit/store/files.ts';
import type { Finding } from '../../../src/audit/verify/finding.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import {
  addDecision,
  BEGIN,
  LATER,
  makeLog,
  openTestChain,
  type TestLog,
  tearAndMend,
} from '../../support/audit/log.ts';
import { askBoth } from '../../support/audit/two-verifiers.ts';
import { Victim } from '../../support/audit/victim.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

/** Decisions 0 to 8 of each chain are a day apart, from 20 November on, in three full segments and one more. */
const makeTestLog = (root = temporaryFolder()) => makeLog(root, { chains: 2, decisions: 9, segmentBytes: 2900 });

const prune = (
  log: TestLog,
  before: string,
  options: Omit<Partial<PruneOptions>, keyof LogPlace> & { readonly keys?: string } = {},
  files = realFiles,
) =>
  pruneLogOn({ dir: log.dir, keys: log.keys, before, signingKey: log.privateKey, now: () => LATER, ...options }, files);

const segmentsOf = (log: TestLog, chain: number) =>
  readdirSync(new Victim(log).at(chain, ''))
    .filter((name) => name.endsWith('.ndjson'))
    .sort();

/** The names of the data keys in a segment. */
const keysIn = (log: TestLog, chain: number, segment: number) =>
  new Victim(log).lines(chain, segment).flatMap((line) => (JSON.parse(line) as { key?: string }).key ?? []);

async function readKeys(log: TestLog, names: readonly string[]): Promise<string[]> {
  const reader = new DataKeyReader(folderAt(log.keys));
  const found: string[] = [];
  for (const name of names) {
    const key = await reader.read(name);
    found.push(typeof key === 'string' ? key : 'there');
  }
  return found;
}

const verifies = async (log: TestLog) => {
  const { first, second } = await askBoth(log.dir, undefined, log.publicKey);
  expect({ first, second }).toEqual({ first: [], second: [] });
};

describe('pruning', () => {
  it('removes the first closed segments with records before the day only, and erases their data keys', async () => {
    const log = await makeTestLog();
    const [old, kept] = [keysIn(log, 0, 1), [...keysIn(log, 0, 2), ...keysIn(log, 0, 3)]];
    const { segments, keys, missingKeys } = await prune(log, '2026-11-24');
    expect(segments.map(({ chain, segment }) => [chain, segment])).toEqual(log.chains.map((chain) => [chain, 1]));
    expect(segments[0]).toMatchObject({ from: '2026-11-20T00:00:00.000Z', to: '2026-11-22T00:00:00.000Z', records: 4 });
    expect([keys, missingKeys]).toEqual([old.length, 0]);
    expect(segmentsOf(log, 0)[0]).toBe('00000002.ndjson');
    expect(new Set(await readKeys(log, old))).toEqual(new Set(['erased']));
    expect(new Set(await readKeys(log, kept))).toEqual(new Set(['there']));
    expect(statSync(new Victim(log).at(0, 'tombstone-00000001.json')).mode & 0o777).toBe(0o600);
    await verifies(log);
  });

  it('keeps records of the day itself, and continues with a later day', async () => {
    const log = await makeTestLog();
    expect((await prune(log, '2026-11-22')).segments).toEqual([]);
    expect((await prune(log, '2026-11-23')).segments).toHaveLength(2);
    expect((await prune(log, '2026-11-23')).segments).toEqual([]);
    expect((await prune(log, '2026-11-26')).segments.map(({ segment }) => segment)).toEqual([2, 2]);
    await verifies(log);
  });

  it('removes segments day by day if they were written day by day', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 0, decisions: 0, segmentBytes: 1_000_000 });
    for (let day = 0; day < 3; day++) {
      const writer = await openTestChain(log, 1_000_000, () => BEGIN + day * 86_400_000);
      await addDecision(writer, day, false);
      await writer.close();
    }
    const made = { ...log, chains: readdirSync(join(log.dir, 'chains')) };
    expect(segmentsOf(made, 0)).toHaveLength(3);
    expect((await prune(made, '2026-11-20')).segments).toEqual([]);
    expect((await prune(made, '2026-11-21')).segments).toHaveLength(1);
    expect((await prune(made, '2030-01-01')).segments).toHaveLength(1);
    expect(segmentsOf(made, 0)).toEqual(['00000003.ndjson']);
    await verifies(made);
  });

  it('never removes the last segment, or one that no entry follows, so that the chain can continue', async () => {
    const log = await makeTestLog();
    await prune(log, '2030-01-01');
    expect(segmentsOf(log, 0)).toHaveLength(1);
    const victim = new Victim(log);
    const writer = await openTestChain(log, 2500);
    const before = victim.lines(0, victim.last(0)).length;
    await addDecision(writer, 0, false);
    await writer.close();
    expect(victim.lines(0, victim.last(0)).length).toBeGreaterThan(before);
    await verifies(log);
    const closed = await makeLog(temporaryFolder(), { chains: 1, decisions: 3, segmentBytes: 100 });
    writeFileSync(new Victim(closed).at(0, new Victim(closed).last(0) + 1), '');
    await prune(closed, '2030-01-01');
    expect(segmentsOf(closed, 0)).toHaveLength(2);
    await verifies(closed);
  });

  it('removes set-aside tails with their segment', async () => {
    const log = await makeTestLog();
    await tearAndMend(log, 2500);
    for (let i = 0; i < 2; i++) {
      const writer = await openTestChain(log, 100);
      await addDecision(writer, 0, false);
      await writer.close();
    }
    await prune(log, '2030-01-01');
    expect(readdirSync(new Victim(log).at(0, '')).filter((name) => name.startsWith('torn-'))).toEqual([]);
    await verifies(log);
  });

  it('keeps an erasure entry as long as a record that it refers to stays', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 2, decisions: 3, segmentBytes: 100 });
    const victim = new Victim(log);
    const last = victim.last(1);
    // The last segment of a chain stays, and with it the record in it.
    const writer = await openTestChain(log, 100_000);
    const id = await addDecision(writer, 0, false);
    const subject = [`1:${'ab'.repeat(32)}`];
    const other = await openTestChain(log, 100);
    await other.append({ kind: 'erasure', at: '2026-11-20T00:00:00.000Z', subject, records: [uuidV7(), id] });
    await addDecision(other, 0, false);
    await addDecision(other, 0, false);
    await writer.close();
    await other.close();
    await prune(log, '2030-01-01');
    expect(segmentsOf(log, 0)).toHaveLength(1);
    const stays = segmentsOf(log, 1).map((name) => Number.parseInt(name, 10));
    expect(stays[0]).toBeGreaterThan(last);
    expect(victim.lines(1, stays[0] ?? 0).some((line) => line.includes(id))).toBe(true);
    await verifies(log);
  });

  it('makes a restored segment before a tombstone a finding', async () => {
    const log = await makeTestLog();
    const victim = new Victim(log);
    const lines = victim.lines(0, 1);
    await prune(log, '2026-11-26');
    victim.write(0, 1, lines);
    rmSync(victim.at(0, 'tombstone-00000001.json'));
    const { first, second } = await askBoth(log.dir);
    expect(first).toEqual([{ code: 'tombstone-invalid', chain: log.chains[0], segment: 2, line: 0 }]);
    expect(second).toEqual(first);
  });

  it('leads to a limitation if the entry of a checkpoint was pruned', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 1, decisions: 1, segmentBytes: 100_000 });
    const { note = '' } = await takeCheckpoint({ dir: log.dir, signingKey: log.privateKey });
    const writer = await openTestChain(log, 4000);
    for (let n = 0; n < 9; n++) await addDecision(writer, n, false);
    await writer.close();
    await prune(log, '2026-11-26');
    const { first, second, report } = await askBoth(log.dir, note, log.publicKey);
    expect({ first, second }).toEqual({ first: [], second: [] });
    expect(report.chains[0]?.pruned).toBeGreaterThan(0);
    expect(report.unseen.at(-1)).toContain('pruned');
  });

  it('refuses an impossible day, a key of another log, and a folder that is not a log', async () => {
    const log = await makeTestLog();
    const refused = { code: 'CONFIGURATION_INVALID' };
    await expect(prune(log, '2026-02-30')).rejects.toMatchObject(refused);
    await expect(
      prune(log, '2030-01-01', { signingKey: generateKeyPairSync('ed25519').privateKey }),
    ).rejects.toMatchObject(refused);
    await expect(prune(log, '2030-01-01', { signingKey: log.publicKey })).rejects.toMatchObject(refused);
    const other = await makeTestLog();
    await expect(prune(log, '2030-01-01', { keys: other.keys })).rejects.toMatchObject(refused);
    await expect(prune({ ...log, dir: log.keys }, '2030-01-01')).rejects.toMatchObject(refused);
    expect(segmentsOf(log, 0)).not.toHaveLength(1);
    await verifies(log);
  });

  it('removes nothing if a segment is not as it was written', async () => {
    const log = await makeTestLog();
    const victim = new Victim(log);
    victim.change(1, 1, (lines) => lines.with(1, (lines[1] ?? '').replace('2026.11', '2026.12')));
    await expect(prune(log, '2030-01-01')).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringContaining('line 2'),
    });
    expect(existsSync(victim.at(0, 1))).toBe(true);
    expect(readdirSync(victim.at(0, '')).some((name) => name.startsWith('tombstone'))).toBe(false);
  });

  it('does not continue after a forged tombstone', async () => {
    const log = await makeTestLog();
    await prune(log, '2026-11-23');
    const victim = new Victim(log);
    appendFileSync(victim.at(0, 'tombstone-00000001.json'), ' ');
    await expect(prune(log, '2030-01-01')).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringContaining('tombstone'),
    });
  });
});

describe('pruning with care', () => {
  it('reports what a dry run would remove, and writes nothing', async () => {
    const log = await makeTestLog();
    const before = filesOf(log);
    const would = await prune(log, '2026-11-26', { dryRun: true });
    expect(filesOf(log)).toEqual(before);
    expect(would).toEqual(await prune(log, '2026-11-26'));
    expect(would.segments).toHaveLength(4);
  });

  it('refuses a day in the future, and accepts today', async () => {
    const log = await makeTestLog();
    const now = () => Date.UTC(2026, 10, 23, 23, 59);
    const refused = { code: 'CONFIGURATION_INVALID', message: expect.stringContaining('in the future') };
    await expect(prune(log, '2026-11-24', { now })).rejects.toMatchObject(refused);
    expect((await prune(log, '2026-11-23', { now })).segments).toHaveLength(2);
  });

  it('prunes nothing of a log that does not continue the checkpoint, and reports why', async () => {
    const log = await makeTestLog();
    const { note = '' } = await takeCheckpoint({ dir: log.dir, signingKey: log.privateKey });
    const before = filesOf(log);
    new Victim(log).rewrite(0, (segments) => {
      for (const line of segments.flat()) line['at'] = '2010-01-01T00:00:00.000Z';
    });
    const rewritten = filesOf(log);
    expect(rewritten).not.toEqual(before);
    const pruned = await prune(log, '2026-11-20', { checkpoint: Buffer.from(note) });
    expect(pruned).toMatchObject({ segments: [], keys: 0, against: [{ code: 'checkpoint-rewritten' }] });
    expect(filesOf(log)).toEqual(rewritten);
  });

  it('accepts a checkpoint that the log continues, until its entry is pruned', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 1, decisions: 1, segmentBytes: 100_000 });
    const { note = '' } = await takeCheckpoint({ dir: log.dir, signingKey: log.privateKey });
    const writer = await openTestChain(log, 4000);
    for (let n = 0; n < 9; n++) await addDecision(writer, n, false);
    await writer.close();
    const checkpoint = Buffer.from(note);
    expect((await prune(log, '2026-11-26', { checkpoint })).segments.length).toBeGreaterThan(0);
    const pruned = { code: 'checkpoint-pruned', chain: log.chains[0] };
    expect(await prune(log, '2026-11-29', { checkpoint })).toMatchObject({ segments: [], against: [pruned] });
    const taken = await takeCheckpoint({ dir: log.dir, signingKey: log.privateKey, previous: checkpoint });
    expect(taken).toMatchObject({ note: undefined, against: [pruned] });
  });

  it('finishes an interrupted pruning before it compares the log with the checkpoint', async () => {
    const log = await makeTestLog();
    const { note = '' } = await takeCheckpoint({ dir: log.dir, signingKey: log.privateKey });
    const files: Files = { ...realFiles, unlink: () => Promise.reject(Object.assign(new Error(), { code: 'EIO' })) };
    await expect(prune(log, '2026-11-26', {}, files)).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    const options = { checkpoint: Buffer.from(note) };
    expect(await prune(log, '2026-11-26', { ...options, dryRun: true })).toMatchObject({ against: [] });
    const { against, segments, keysBefore } = await prune(log, '2026-11-26', options);
    expect([against, segments.length]).toEqual([[], 4]);
    expect(keysBefore).toBeGreaterThan(0);
    await verifies(log);
  });

  it('erases no key that a record which stays names, even if a pruned record names it too', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 1, decisions: 5, segmentBytes: 3400 });
    const victim = new Victim(log);
    const [kept = ''] = keysIn(log, 0, 2);
    // The last key of the first segment becomes one of the second: within its own segment it is in order.
    victim.rewrite(0, ([first]) => Object.assign(first?.findLast(({ key }) => key) ?? {}, { key: kept }));
    const { keys, keptKeys } = await prune(log, '2026-11-24');
    expect(keptKeys).toBe(1);
    expect(keys).toBeGreaterThan(0);
    expect(await readKeys(log, [kept])).toEqual(['there']);
  });

  it('refuses a segment that names the key of another chain', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 3, decisions: 9, segmentBytes: 2900 });
    const [foreign = ''] = keysIn(log, 2, 1);
    new Victim(log).rewrite(0, ([first]) => Object.assign(first?.find(({ key }) => key) ?? {}, { key: foreign }));
    await expect(prune(log, '2026-11-24')).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
    expect(await readKeys(log, [foreign])).toEqual(['there']);
  });

  it('may run twice at the same time', async () => {
    const log = await makeTestLog();
    const both = await Promise.all([prune(log, '2026-11-26'), prune(log, '2026-11-26')]);
    expect(both.map(({ against }) => against)).toEqual([[], []]);
    expect(segmentsOf(log, 0)[0]).toBe('00000003.ndjson');
    await verifies(log);
  });

  it('continues if a process that opens the chain removes its temporary files', async () => {
    const log = await makeTestLog();
    let removed = 0;
    const link: Files['link'] = async (from, to) => {
      if (to.includes('tombstone') && removed < 3) {
        removed += 1;
        rmSync(from);
      }
      return realFiles.link(from, to);
    };
    await prune(log, '2026-11-24', {}, { ...realFiles, link });
    expect(removed).toBe(3);
    await verifies(log);
  });

  it('is not a finding while it runs', async () => {
    const log = await makeTestLog();
    let verifying: Promise<readonly Finding[]> | undefined;
    const unlink: Files['unlink'] = async (path) => {
      if (path.endsWith('00000001.ndjson') && !verifying) {
        verifying = verifyLog({ dir: log.dir }).then(({ findings }) => findings);
        // Long enough to list the first chain with the segment beside its tombstone; it is then read again.
        for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
      }
      await realFiles.unlink(path);
    };
    await prune({ ...log, chains: log.chains }, '2026-11-24', {}, { ...realFiles, unlink });
    expect(await verifying).toEqual([]);
  });
});

/** All files of a log and its keys, with their contents. */
function filesOf({ dir, keys }: TestLog): Record<string, string> {
  const names = [dir, keys].flatMap((root) =>
    readdirSync(root, { recursive: true }).map((name) => join(root, `${name}`)),
  );
  const files = names.filter((name) => statSync(name).isFile() && !name.includes('.new-'));
  return Object.fromEntries(files.sort().map((name) => [name, readFileSync(name, 'hex')]));
}

describe('pruning that is interrupted', () => {
  it('at any call of the file system, is a finding or without effect, and is finished by pruning again', async () => {
    const whole = await makeTestLog();
    const { note = '' } = await takeCheckpoint({ dir: whole.dir, signingKey: whole.privateKey });
    const old = [...keysIn(whole, 0, 1), ...keysIn(whole, 0, 2)];
    let [failing, isWhole] = [0, false];
    while (!isWhole) {
      failing += sampled(13, 1);
      const root = temporaryFolder();
      cpSync(whole.dir, join(root, 'log'), { recursive: true });
      cpSync(whole.keys, join(root, 'keys'), { recursive: true });
      const log = { ...whole, dir: join(root, 'log'), keys: join(root, 'keys') };
      const counted = failAt(failing);
      const interrupted = prune(log, '2026-11-26', {}, counted.files);
      await interrupted.catch((error: unknown) => expect(error).toMatchObject({ code: 'AUDIT_FAILED' }));
      isWhole = counted.calls() < failing;
      const { first, second, codes } = await askBoth(log.dir, note, log.publicKey);
      expect(second).toEqual(first);
      expect(['', 'segment-unexpected']).toContain(codes);
      await prune(log, '2026-11-26');
      const after = await askBoth(log.dir, note, log.publicKey);
      expect({ first: after.first, second: after.second }).toEqual({ first: [], second: [] });
      expect(segmentsOf(log, 0)[0]).toBe('00000003.ndjson');
      expect(new Set(await readKeys(log, old))).toEqual(new Set(['erased']));
    }
    expect(failing).toBeGreaterThan(30);
  });
});

/** A file system whose n-th writing call fails. */
function failAt(n: number): { readonly files: Files; readonly calls: () => number } {
  let calls = 0;
  const count = <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
    return (...args: Args): Promise<Result> => {
      calls += 1;
      return calls === n ? Promise.reject(Object.assign(new Error('a disk error'), { code: 'EIO' })) : call(...args);
    };
  };
  const files: Files = {
    ...realFiles,
    open: count(async (path, mode) => {
      const file = await realFiles.open(path, mode);
      return { ...file, write: count(file.write), datasync: count(file.datasync) };
    }),
    syncFolder: count(realFiles.syncFolder),
    link: count(realFiles.link),
    rename: count(realFiles.rename),
    unlink: count(realFiles.unlink),
  };
  return { files, calls: () => calls };
}
