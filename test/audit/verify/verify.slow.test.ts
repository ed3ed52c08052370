/** Verification: its report, and logs that are written meanwhile. */

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { v7 as uuidV7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { type Entry, NO_HASH } from '../../../src/audit/entry/entry.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { limitations } from '../../../src/audit/verify/chain-report.ts';
import { verifyChain } from '../../../src/audit/verify/chain-verifier.ts';
import { IdSet } from '../../../src/audit/verify/record-sets.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { thisProcess } from '../../../src/platform/process.ts';
import { addDecision, makeLog, openTestChain, type TestLog, tearAndMend } from '../../support/audit/log.ts';
import { askBoth } from '../../support/audit/two-verifiers.ts';
import { Victim } from '../../support/audit/victim.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const makeTestLog = () => makeLog(temporaryFolder(), { chains: 2, decisions: 4, segmentBytes: 2000 });

const START = { seq: 0, hash: NO_HASH };

/** The lease file of a chain's last process. */
const ownerOf = (log: TestLog, chain: number, epoch = 1) =>
  new Victim(log).at(chain, `owner-${String(epoch).padStart(6, '0')}.json`);

describe('a report', () => {
  it('counts the entries of each chain', async () => {
    const log = await makeTestLog();
    await tearAndMend(log, 2000);
    const { findings, chains, ...report } = await verifyLog({ dir: log.dir });
    expect(findings).toEqual([]);
    expect(report).toMatchObject({ log: log.log, origin: 'verdict-audit', versionsTwice: [] });
    expect(chains).toMatchObject([
      { chain: log.chains[0], decisions: 5, notes: 1, events: 1, erasures: 1 },
      { chain: log.chains[1], decisions: 4, notes: 1, events: 1, erasures: 1 },
    ]);
    const last = new Victim(log);
    const hash = JSON.parse(last.lines(1, last.last(1)).at(-1) ?? '').hash;
    expect(chains[1]).toMatchObject({ hash, segments: last.last(1), pruned: 0, isBeingWritten: false });
  });

  it('gives the position, number, id, file and offset of the first bad entry of each chain', async () => {
    const log = await makeTestLog();
    const victim = new Victim(log);
    const [before = '', bad = ''] = victim.lines(1, 2);
    victim.change(1, 2, (lines) => lines.with(1, bad.replace('2026.11', '2026.12')));
    victim.change(1, 2, (lines) => lines.with(2, 'later'));
    const { findings } = await verifyLog({ dir: log.dir });
    const { seq, id } = JSON.parse(bad);
    expect(findings).toEqual([
      {
        code: 'hash-differs',
        ...{ chain: log.chains[1], segment: 2, line: 2, seq, id, offset: before.length + 1 },
        file: `chains/${log.chains[1]}/00000002.ndjson`,
        message: expect.stringContaining('expected'),
      },
    ]);
  });

  it('counts the lines after the first bad entry, and those that still hang together', async () => {
    const log = await makeTestLog();
    const victim = new Victim(log);
    const restOf = async () => {
      const { chains, unseen } = await verifyLog({ dir: log.dir });
      return { rest: chains[1]?.rest, unseen: unseen.join('\n') };
    };
    expect((await restOf()).rest).toBeUndefined();
    victim.change(1, 1, (lines) => lines.with(1, (lines[1] ?? '').replace('2026.11', '2026.12')));
    const all = Array.from({ length: victim.last(1) }, (_, i) => victim.lines(1, i + 1).filter(Boolean).length);
    const lines = all.reduce((sum, n) => sum + n, -2);
    const { rest, unseen } = await restOf();
    expect(rest).toEqual({ lines, linked: lines });
    expect(unseen).toContain(
      `what follows the first bad entry of 1 chain was not verified: ${lines} of ${lines} lines there have their own hash`,
    );
    // A changed line, and one that lacks the line before it.
    victim.change(1, 2, (those) => those.with(0, (those[0] ?? '').replace('2026.11', '2026.12')));
    expect((await restOf()).rest).toEqual({ lines, linked: lines - 1 });
    victim.change(1, 3, (those) => those.slice(1));
    expect((await restOf()).rest).toEqual({ lines: lines - 1, linked: lines - 3 });
  });

  it('names what cannot be detected without a checkpoint', async () => {
    const { unseen } = await verifyLog({ dir: (await makeTestLog()).dir });
    expect(unseen).toHaveLength(1);
    for (const words of ['cut off', 'rewritten', 'removed']) expect(unseen[0]).toContain(words);
  });

  it('names the chains and lines that a checkpoint does not cover, each only if there are any', async () => {
    const { chains } = await verifyLog({ dir: (await makeTestLog()).dir });
    const seenWith = (heads: typeof chains) =>
      limitations({ log: '', origin: '', at: '2026-11-20', heads }, chains, true, 0).slice(1);
    expect(seenWith(chains)).toEqual([]);
    const [first, ...others] = chains;
    if (!first) throw new Error('no chain');
    expect(seenWith(others)).toEqual([`the checkpoint does not name 1 chain, with ${first.length} lines`]);
    expect(seenWith([{ ...first, length: first.length - 1 }, ...others])).toEqual([
      'the checkpoint does not cover 1 line after the heads that it names',
    ]);
  });

  it('lists a policy version with two digests, which is not a finding', async () => {
    const log = await makeTestLog();
    const other = '{"policy":"onboarding","version":"2026.11","rules":[]}';
    const victim = new Victim(log);
    const digest = victim.keep('policies', other);
    victim.rewrite(0, ([first]) => {
      const policy = { ...(first?.[1]?.['policy'] as object), digest };
      if (first?.[1]) first[1] = { ...first[1], policy };
    });
    const { findings, versionsTwice } = await verifyLog({ dir: log.dir });
    expect(findings).toEqual([]);
    expect(versionsTwice).toEqual([
      { name: 'onboarding', version: '2026.11', digests: expect.arrayContaining([digest]) },
    ]);
    expect(versionsTwice[0]?.digests).toHaveLength(2);
  });

  it('is refused for a folder that is not a log', async () => {
    const folder = temporaryFolder({ 'notes.txt': '' });
    await expect(verifyLog({ dir: folder })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
    await expect(verifyLog({ dir: join(folder, 'nothing') })).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  });
});

describe('a log that is being written', () => {
  it('verifies at any moment', async () => {
    const log = await makeLog(temporaryFolder(), { chains: 1, decisions: 1, segmentBytes: 4000 });
    const writers = await Promise.all([1, 2, 3].map(() => openTestChain(log, 4000)));
    let isDone = false;
    const verified = (async () => {
      const lengths: number[] = [];
      while (!isDone) {
        const { findings, chains } = await verifyLog({ dir: log.dir });
        expect(findings).toEqual([]);
        lengths.push(chains.reduce((sum, { length }) => sum + length, 0));
      }
      return lengths;
    })();
    for (let n = 0; n < 60; n++) {
      await Promise.all(writers.flatMap((writer) => [1, 2, 3].map((i) => addDecision(writer, n, i === 3))));
    }
    for (const writer of writers) await writer.close();
    isDone = true;
    const lengths = await verified;
    expect(lengths.length).toBeGreaterThan(2);
    expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
    const { findings, chains } = await verifyLog({ dir: log.dir });
    expect(findings).toEqual([]);
    expect(chains.reduce((sum, { decisions }) => sum + decisions, 0)).toBe(1 + 60 * 9);
  });

  it('may end in a partial line while its process runs', async () => {
    const log = await makeTestLog();
    const writer = await openTestChain(log, 100_000);
    const victim = new Victim(log);
    appendFileSync(victim.at(0, victim.last(0)), '{"chain":');
    const { first, second, report } = await askBoth(log.dir);
    expect({ first, second }).toEqual({ first: [], second: [] });
    expect(report.chains.map(({ isBeingWritten }) => isBeingWritten)).toEqual([true, false]);
    await writer.close();
    expect((await askBoth(log.dir)).codes).toBe('line-not-whole');
  });

  it.each([
    ['has ended', 'line-not-whole', () => ({ ...thisProcess(), pid: spawnSync('true').pid, head: START })],
    ['may run on another machine', '', () => ({ ...thisProcess(), host: `not-${hostname()}`, head: START })],
  ])('that ends in a partial line of a process that %s has the findings "%s"', async (_, code, owner) => {
    const log = await makeTestLog();
    const victim = new Victim(log);
    appendFileSync(victim.at(0, victim.last(0)), '{"chain":');
    writeFileSync(ownerOf(log, 0), `${JSON.stringify(owner())}\n`);
    const { codes, first, second } = await askBoth(log.dir);
    expect(codes).toBe(code);
    expect(second).toEqual(first);
  });

  it('is read again if there is a finding and the chain changed meanwhile', async () => {
    const log = await makeTestLog();
    const victim = new Victim(log);
    const [chain = ''] = log.chains;
    const last = victim.at(0, victim.last(0));
    const length = readFileSync(last).length;
    appendFileSync(last, '{"chain":');
    const read = (onEntry: (entry: Entry) => void) =>
      verifyChain({
        ...{ dir: folderAt(log.dir), chain, log: log.log, trusted: new Map(), checkpointed: undefined },
        ...{ ids: new IdSet(), artifacts: { check: async () => undefined }, bodies: undefined, onEntry },
      });
    const before = await read(() => {});
    expect(before.findings.map(({ code }) => code)).toEqual(['line-not-whole']);
    // As a process that opens the chain does: it truncates the tail that it has set aside, just after it was read.
    const after = await read(({ seq }) => {
      if (seq === before.report.length) truncateSync(last, length);
    });
    expect(after.findings).toEqual([]);
    expect(after.report).toEqual(before.report);
  });

  it('has a finding if a segment before the last one ends in a partial line', async () => {
    const log = await makeTestLog();
    const writer = await openTestChain(log, 2000);
    const victim = new Victim(log);
    truncateSync(victim.at(0, 1), readFileSync(victim.at(0, 1)).length - 7);
    const { first, second } = await askBoth(log.dir);
    expect(first).toMatchObject([{ code: 'line-not-whole', chain: log.chains[0], segment: 1 }]);
    expect(second).toEqual(first);
    await writer.close();
  });

  it('may have an empty last segment, an unnamed set-aside tail or an empty chain after a crash', async () => {
    const log = await makeTestLog();
    const victim = new Victim(log);
    const end = readFileSync(victim.at(0, victim.last(0))).length;
    writeFileSync(victim.at(0, `torn-0000000${victim.last(0)}-${end}`), 'x');
    mkdirSync(join(log.dir, 'chains', uuidV7()));
    const sealed = await makeLog(temporaryFolder(), { chains: 1, decisions: 2, segmentBytes: 100 });
    writeFileSync(new Victim(sealed).at(0, new Victim(sealed).last(0) + 1), '');
    for (const { dir } of [log, sealed]) {
      const { first, second } = await askBoth(dir);
      expect({ first, second }).toEqual({ first: [], second: [] });
    }
  });
});

describe('a huge line', () => {
  it('without a line break is read in bounded memory', async () => {
    const log = await makeTestLog();
    const victim = new Victim(log);
    const before = process.resourceUsage().maxRSS;
    truncateSync(victim.at(1, victim.last(1)), sampled(300, 1024) * 2 ** 20);
    const { findings } = await verifyLog({ dir: log.dir });
    expect(findings).toMatchObject([{ code: 'line-not-whole', chain: log.chains[1] }]);
    // In KiB: the line is 300 MiB at least.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(200 * 1024);
  });
});

describe('a set of ids', () => {
  it('knows which ids it has, also after it was cut back to an earlier size', () => {
    // Few enough that they repeat.
    const id = fc
      .integer({ min: 0, max: 5000 })
      .map((n) => `01a1fd50-c2a6-755d-a2da-${n.toString(16).padStart(12, '0')}`);
    fc.assert(
      fc.property(
        fc.array(id, { maxLength: 4000, size: 'max' }),
        fc.nat(100),
        fc.array(id, { size: 'max', maxLength: 200 }),
        (first, share, second) => {
          const set = new IdSet();
          const known: string[] = [];
          for (const one of first) {
            expect(set.add(one)).toBe(!known.includes(one) && known.push(one) > 0);
          }
          const size = Math.floor((known.length * share) / 100);
          set.cut(size);
          known.length = Math.min(known.length, size);
          for (const one of second) expect(set.add(one)).toBe(!known.includes(one) && known.push(one) > 0);
          expect(set.size).toBe(known.length);
        },
      ),
      { numRuns: sampled(8, 20) },
    );
  });
});
