/** Pruning: what goes and what stays, in whatever moment it is interrupted; and tombstones that verify. */

import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { KeyReader } from '../../src/audit/blocks.ts';
import { type Files, realFiles } from '../../src/audit/files.ts';
import { type PruneOptions, pruneLog } from '../../src/audit/prune.ts';
import { takeCheckpoint } from '../../src/audit/take-checkpoint.ts';
import { addDecision, BEGIN, LATER, makeLog, openTestChain, type TestLog, tearAndMend } from '../support/audit-log.ts';
import { temporaryFolder } from '../support/policy.ts';
import { askBoth } from '../support/two-verifiers.ts';
import { Victim } from '../support/victim.ts';

/** Decisions 0 to 8 of each chain are a day apart, from 20 November on; three segments and a bit. */
const makeTestLog = (root = temporaryFolder()) => makeLog(root, { chains: 2, decisions: 9, segmentBytes: 2500 });

const prune = (log: TestLog, before: string, options: Partial<PruneOptions> = {}) =>
  pruneLog({ dir: log.dir, keysDir: log.keys, before, signingKey: log.privateKey, now: () => LATER, ...options });

const segmentsOf = (log: TestLog, chain: number) =>
  readdirSync(new Victim(log).at(chain, ''))
    .filter((name) => name.endsWith('.ndjson'))
    .sort();

/** The names of the data keys in a segment. */
const keysIn = (log: TestLog, chain: number, segment: number) =>
  new Victim(log).lines(chain, segment).flatMap((line) => (JSON.parse(line) as { key?: string }).key ?? []);

async function readKeys(log: TestLog, names: readonly string[]): Promise<string[]> {
  const reader = new KeyReader(log.keys);
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
  it('removes the first closed segments whose records are all before the day, and their data keys, and no others', async () => {
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

  it('keeps records of the day itself, and goes on from there on a later day', async () => {
    const log = await makeTestLog();
    expect((await prune(log, '2026-11-22')).segments).toEqual([]);
    expect((await prune(log, '2026-11-23')).segments).toHaveLength(2);
    expect((await prune(log, '2026-11-23')).segments).toEqual([]);
    expect((await prune(log, '2026-11-26')).segments.map(({ segment }) => segment)).toEqual([2, 2]);
    await verifies(log);
  });

  it('removes day by day what was written day by day, however little it is', async () => {
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

  it('never removes the last segment, nor one that no line follows, so that the chain goes on', async () => {
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

  it('removes what was set aside of a segment with it', async () => {
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

  it('keeps what tells of an erasure as long as a record that was erased stays', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 2, decisions: 3, segmentBytes: 100 });
    const victim = new Victim(log);
    const last = victim.last(1);
    // The last segment of a chain stays, and with it the record in it.
    const writer = await openTestChain(log, 100_000);
    const id = await addDecision(writer, 0, false);
    const subject = [`1:${'ab'.repeat(32)}`];
    const other = await openTestChain(log, 100);
    await other.append(() => ({ kind: 'erasure', at: '2026-11-20T00:00:00.000Z', subject, records: [uuidV7(), id] }));
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

  it('shows where a segment was put back before the tombstone of a later one', async () => {
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

  it('leaves a checkpoint whose line is gone, which the report says it could not compare', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 1, decisions: 1, segmentBytes: 100_000 });
    const { note = '' } = await takeCheckpoint(log.dir, { signingKey: log.privateKey });
    const writer = await openTestChain(log, 4000);
    for (let n = 0; n < 9; n++) await addDecision(writer, n, false);
    await writer.close();
    await prune(log, '2026-11-26');
    const { first, second, report } = await askBoth(log.dir, note, log.publicKey);
    expect({ first, second }).toEqual({ first: [], second: [] });
    expect(report.chains[0]?.pruned).toBeGreaterThan(0);
    expect(report.unseen.at(-1)).toContain('pruned');
  });

  it('refuses a day that is none, a key of another, and a folder that is no log', async () => {
    const log = await makeTestLog();
    const refused = { code: 'CONFIGURATION_INVALID' };
    await expect(prune(log, '2026-02-30')).rejects.toMatchObject(refused);
    await expect(
      prune(log, '2030-01-01', { signingKey: generateKeyPairSync('ed25519').privateKey }),
    ).rejects.toMatchObject(refused);
    await expect(prune(log, '2030-01-01', { signingKey: log.publicKey })).rejects.toMatchObject(refused);
    const other = await makeTestLog();
    await expect(prune(log, '2030-01-01', { keysDir: other.keys })).rejects.toMatchObject(refused);
    await expect(prune({ ...log, dir: log.keys }, '2030-01-01')).rejects.toMatchObject(refused);
    expect(segmentsOf(log, 0)).not.toHaveLength(1);
    await verifies(log);
  });

  it('removes nothing where a segment is not as it was written', async () => {
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

  it('does not go on from a tombstone that was forged', async () => {
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

describe('pruning that is interrupted', () => {
  it('at any call of the file system, shows in a verification or has done nothing yet, and is finished when done again', async () => {
    const whole = await makeTestLog();
    const { note = '' } = await takeCheckpoint(whole.dir, { signingKey: whole.privateKey });
    const old = [...keysIn(whole, 0, 1), ...keysIn(whole, 0, 2)];
    let [failing, isWhole] = [0, false];
    while (!isWhole) {
      failing += 1;
      const root = temporaryFolder();
      cpSync(whole.dir, join(root, 'log'), { recursive: true });
      cpSync(whole.keys, join(root, 'keys'), { recursive: true });
      const log = { ...whole, dir: join(root, 'log'), keys: join(root, 'keys') };
      const counted = failAt(failing);
      const interrupted = prune(log, '2026-11-26', { files: counted.files });
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

/** The file system, whose n-th call that changes something fails. */
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
