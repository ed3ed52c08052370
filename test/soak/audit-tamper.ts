/**
 * `node test/soak/audit-tamper.ts`: a log, tampered with in every known way -> a table of the changes and of what
 * both verifiers found.
 */

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeCheckpoint } from '../../src/audit/checkpoint/take.ts';
import { pruneLog } from '../../src/audit/retain/prune.ts';
import { type Noted, type Tried, tryCuts, tryFlips, tryMoves } from '../support/audit/damage.ts';
import { PRUNED_TAMPERS, TAMPERS } from '../support/audit/forgeries.ts';
import { LATER, makeLog, makeSmallLog, type TestLog, tearAndMend } from '../support/audit/log.ts';
import type { Tamper } from '../support/audit/tamper.ts';
import { askBoth } from '../support/audit/two-verifiers.ts';
import { Victim } from '../support/audit/victim.ts';
import { formatTable } from '../support/table.ts';

const SEGMENT_BYTES = 3000;
const root = mkdtempSync(join(tmpdir(), 'verdict-'));

async function noted(log: TestLog): Promise<Noted> {
  const { note } = await takeCheckpoint({ dir: log.dir, signingKey: log.privateKey });
  if (note === undefined) throw new Error('an untouched log does not verify');
  return { log, note };
}

async function tryTampers({ log, note }: Noted, tampers: readonly Tamper[]): Promise<Tried> {
  const failures: string[] = [];
  let seenWithCheckpoint = 0;
  for (const { name, tamper, seen, seenWithCheckpoint: seenThen } of tampers) {
    const folder = mkdtempSync(join(root, 'copy-'));
    cpSync(log.dir, join(folder, 'log'), { recursive: true });
    const victim = new Victim({ ...log, dir: join(folder, 'log') });
    tamper(victim);
    const [without, withIt] = [await askBoth(victim.dir), await askBoth(victim.dir, note, log.publicKey)];
    for (const [said, expected] of [
      [without, seen],
      [withIt, seenThen],
    ] as const) {
      const isSame = JSON.stringify(said.first) === JSON.stringify(said.second);
      if (!isSame || said.codes !== expected) failures.push(`${name}: "${said.codes}", expected "${expected}"`);
    }
    if (without.codes === '' && withIt.codes !== '') seenWithCheckpoint += 1;
    rmSync(folder, { recursive: true });
  }
  return { cases: tampers.length, seenWithCheckpoint, failures };
}

try {
  const whole = await makeLog(join(root, 'whole'), { chains: 3, decisions: 7, segmentBytes: SEGMENT_BYTES });
  await tearAndMend(whole, SEGMENT_BYTES);
  const pruned = await makeLog(join(root, 'pruned'), { chains: 2, decisions: 7, segmentBytes: SEGMENT_BYTES });
  const { dir, keys, privateKey: signingKey } = pruned;
  await pruneLog({ dir, keys, before: '2026-11-23', signingKey, now: () => LATER });
  const small = await noted(await makeSmallLog(join(root, 'small')));
  const [wholeNoted, prunedNoted] = [await noted(whole), await noted(pruned)];
  const rows: [string, () => Promise<Tried>][] = [
    [
      'tampered with by hand: swapped, copied, forged, rewritten, removed, planted …',
      () => tryTampers(wholeNoted, TAMPERS),
    ],
    ['the same on a log that was pruned', () => tryTampers(prunedNoted, PRUNED_TAMPERS)],
    ['each bit flipped', () => tryFlips(small, 1)],
    ['each file cut at each byte', () => tryCuts(small, 1)],
    ['each line removed, copied, moved, swapped with another', () => tryMoves(wholeNoted, 1)],
  ];
  const table = [['change', 'cases', 'held', 'found only with an external checkpoint', 'seconds']];
  for (const [name, work] of rows) {
    const started = performance.now();
    const { cases, seenWithCheckpoint, failures } = await work();
    for (const failure of failures) process.stderr.write(`${failure}\n`);
    if (failures.length > 0) process.exitCode = 1;
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    table.push([name, String(cases), String(cases - failures.length), String(seenWithCheckpoint), seconds]);
    process.stderr.write(`${name}: ${cases} in ${seconds} s, ${failures.length} broken\n`);
  }
  process.stdout.write(`${new Date().toISOString().slice(0, 10)}\n${formatTable(table)}`);
} finally {
  rmSync(root, { recursive: true, force: true });
}
