/** Every known way to tamper with a log is found by both verifiers at the same position, or listed as undetectable. */

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeCheckpoint } from '../../../src/audit/checkpoint/take.ts';
import { pruneLog } from '../../../src/audit/retain/prune.ts';
import { FINDING_CODES } from '../../../src/audit/verify/finding.ts';
import { tryCuts, tryFlips, tryMoves } from '../../support/audit/damage.ts';
import { PRUNED_TAMPERS, TAMPERS } from '../../support/audit/forgeries.ts';
import { BEGIN, LATER, makeLog, makeSmallLog, type TestLog, tearAndMend } from '../../support/audit/log.ts';
import { askBoth } from '../../support/audit/two-verifiers.ts';
import { Victim } from '../../support/audit/victim.ts';
import { sampled } from '../../support/sampled.ts';

const SEGMENT_BYTES = 3000;
const root = mkdtempSync(join(tmpdir(), 'verdict-'));
let whole: TestLog;
let pruned: TestLog;
let small: TestLog;
let wholeNote = '';
let prunedNote = '';
let smallNote = '';

async function noteOf(log: TestLog): Promise<string> {
  const { note } = await takeCheckpoint({ dir: log.dir, signingKey: log.privateKey, now: () => BEGIN });
  if (note === undefined) throw new Error('expected the log to verify');
  return note;
}

/** A copy that may be changed. */
function copyOf(log: TestLog): Victim {
  const folder = mkdtempSync(join(root, 'copy-'));
  cpSync(log.dir, join(folder, 'log'), { recursive: true });
  return new Victim({ ...log, dir: join(folder, 'log') });
}

beforeAll(async () => {
  whole = await makeLog(join(root, 'whole'), { chains: 3, decisions: 7, segmentBytes: SEGMENT_BYTES });
  await tearAndMend(whole, SEGMENT_BYTES);
  wholeNote = await noteOf(whole);
  pruned = await makeLog(join(root, 'pruned'), { chains: 2, decisions: 7, segmentBytes: SEGMENT_BYTES });
  const { dir, keys, privateKey } = pruned;
  await pruneLog({ dir, keys, before: '2026-11-23', signingKey: privateKey, now: () => LATER });
  prunedNote = await noteOf(pruned);
  small = await makeSmallLog(join(root, 'small'));
  smallNote = await noteOf(small);
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const LOGS = { whole: () => ({ log: whole, note: wholeNote }), pruned: () => ({ log: pruned, note: prunedNote }) };

/** Both verifiers' findings, without the checkpoint and with it. */
async function ask(dir: string, { log, note }: ReturnType<(typeof LOGS)['whole']>) {
  return { without: await askBoth(dir), with: await askBoth(dir, note, log.publicKey) };
}

describe.each(['whole', 'pruned'] as const)('a %s log', (name) => {
  it('that was not changed verifies, without a checkpoint and with one', async () => {
    const noted = LOGS[name]();
    const said = await ask(noted.log.dir, noted);
    expect([said.without.first, said.without.second, said.with.first, said.with.second]).toEqual([[], [], [], []]);
  });

  it.each(name === 'whole' ? TAMPERS : PRUNED_TAMPERS)(
    'with $name: "$seen"; with a checkpoint "$seenWithCheckpoint"',
    async ({ tamper, seen, seenWithCheckpoint }) => {
      const noted = LOGS[name]();
      const victim = copyOf(noted.log);
      tamper(victim);
      const said = await ask(victim.dir, noted);
      for (const { code, message } of said.with.report.findings) {
        expect(FINDING_CODES).toHaveProperty(code);
        expect(message, 'it repeats the content of a record').not.toMatch(/port-and-email|[0-9a-f]{64}/);
      }
      expect(said.without.codes).toBe(seen);
      expect(said.without.second).toEqual(said.without.first);
      expect(said.with.codes).toBe(seenWithCheckpoint);
      expect(said.with.second).toEqual(said.with.first);
    },
  );
});

describe('bits and bytes', () => {
  it('of a log cannot be flipped without a finding (a sample)', async () => {
    const { cases, seenWithCheckpoint, failures } = await tryFlips({ log: small, note: smallNote }, sampled(2999, 71));
    expect(failures).toEqual([]);
    expect(cases).toBeGreaterThan(sampled(9, 400));
    // The origin in log.json is compared with checkpoints only.
    expect(seenWithCheckpoint).toBeLessThanOrEqual(2);
  });

  it('of a log cannot be cut off without a finding, except whole lines without a checkpoint (a sample)', async () => {
    const { cases, failures } = await tryCuts({ log: small, note: smallNote }, sampled(173, 13));
    expect(failures).toEqual([]);
    expect(cases).toBeGreaterThan(sampled(21, 300));
  });

  it('of a log cannot be moved line by line without a finding (a sample)', async () => {
    const copy = copyOf(whole);
    const { cases, failures } = await tryMoves({ log: copy.log, note: wholeNote }, sampled(353, 29));
    expect(failures).toEqual([]);
    expect(cases).toBeGreaterThan(sampled(8, 100));
  });
});

describe('the second verifier', () => {
  const file = join(import.meta.dirname, '../../support/audit/second-verifier.ts');
  const run = (...args: readonly string[]) => spawnSync(process.execPath, [file, ...args], { encoding: 'utf8' });

  it('is one file of some 300 lines that imports only Node', () => {
    const text = readFileSync(file, 'utf8');
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(315);
    const imports = [...text.matchAll(/(?:from |import\()'([^']+)'/g)].map(([, specifier]) => specifier);
    expect(imports.length).toBeGreaterThan(3);
    expect(imports.filter((specifier) => !specifier?.startsWith('node:'))).toEqual([]);
  });

  it('runs on its own: it exits with 0 if a log was not changed, and with 1 and each bad position if it was', () => {
    const copy = copyOf(whole);
    const [note, key] = [join(copy.dir, '../note'), join(copy.dir, '../key.pem')];
    writeFileSync(note, wholeNote);
    writeFileSync(key, whole.publicKey.export({ type: 'spki', format: 'pem' }));
    const checked = [copy.dir, note, key];
    expect(run(...checked)).toMatchObject({ status: 0, stdout: '' });
    copy.change(1, copy.last(1), (lines) => lines.slice(0, -1));
    copy.own(1);
    expect(run(copy.dir)).toMatchObject({ status: 0, stdout: '' });
    const { status, stdout } = run(...checked);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({ code: 'checkpoint-cut', chain: whole.chains[1], segment: 0, line: 0 });
  });
});
