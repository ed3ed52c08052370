/**
 * `node test/bench/audit-prune.ts [--segments 400,800,1600,4400] [--chains 4]`: logs of many small segments -> how
 * long pruning takes and how that time grows. In the first round nothing can be pruned, because the last segment of
 * each chain holds an erased record; in the second, everything can.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { v7 as uuidV7 } from 'uuid';
import { initAuditLog } from '../../src/audit/init.ts';
import { readSigningKey } from '../../src/audit/keys/key-folder.ts';
import { readLog } from '../../src/audit/place.ts';
import { pruneLogOn } from '../../src/audit/retain/prune.ts';
import { type ChainWriter, openChain } from '../../src/audit/store/chain.ts';
import { folderAt } from '../../src/audit/store/files.ts';
import { hastyFiles } from '../support/audit/decisions.ts';
import { BEGIN, decisionOf, LATER } from '../support/audit/log.ts';

const { values: options } = parseArgs({
  options: {
    segments: { type: 'string', default: '400,800,1600,4400' },
    chains: { type: 'string', default: '4' },
  },
});
const chainCount = Number(options.chains);
const AT = new Date(BEGIN).toISOString();
const SUBJECT = [`1:${'ab'.repeat(32)}`];

/** Appends one decision, which fills a segment. */
async function addDecision(writer: ChainWriter, id = uuidV7()): Promise<string> {
  await writer.append({ clear: decisionOf(id, 0, {}), body: '{}' });
  return id;
}

const addErasure = (writer: ChainWriter, records: readonly string[]) =>
  writer.append({ kind: 'erasure', at: AT, subject: SUBJECT, records });

/**
 * Writes a log of `segments` closed segments. Every second segment records the erasure of a record in another
 * chain. With `isKept`, the first segment of each chain records the erasure of a record in the chain's last
 * segment, which is never pruned.
 */
async function makeLog(dir: string, segments: number, isKept: boolean): Promise<void> {
  await initAuditLog({ dir });
  const among = (path: string) => ({ files: hastyFiles, path });
  const { log } = await readLog(among(dir));
  const place = { dir: among(dir), log, keys: among(`${dir}-keys`), engine: '0.1.0' };
  const writers: ChainWriter[] = [];
  for (let i = 0; i < chainCount; i++) {
    writers.push(await openChain({ ...place, segmentBytes: 1, now: () => BEGIN }));
  }
  const last = writers.map(() => uuidV7());
  if (isKept) for (const [i, writer] of writers.entries()) await addErasure(writer, [last[i] ?? '']);
  for (let n = isKept ? chainCount : 0; n < segments; n += 2 * chainCount) {
    const ids: string[] = [];
    for (const writer of writers) ids.push(await addDecision(writer));
    for (const [i, writer] of writers.entries()) await addErasure(writer, [ids[(i + 1) % chainCount] ?? '']);
  }
  for (const [i, writer] of writers.entries()) await addDecision(writer, last[i]);
  for (const writer of writers) await writer.close();
}

async function measure(segments: number, isKept: boolean): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'verdict-prune-'));
  try {
    const dir = join(root, 'log');
    await makeLog(dir, segments, isKept);
    const keysDir = `${dir}-keys`;
    const signingKey = await readSigningKey(folderAt(keysDir));
    const began = performance.now();
    const pruned = await pruneLogOn({ dir, before: '2030-01-01', signingKey, now: () => LATER }, hastyFiles);
    const ms = performance.now() - began;
    const count = isKept ? pruned.keptSegments : pruned.segments.length;
    if (count < segments - 2 * chainCount)
      throw new Error(`${count} of ${segments} segments were ${isKept ? 'kept' : 'pruned'}`);
    return ms;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

process.stdout.write(`${chainCount} chains, without fsync; Node ${process.version}, ${cpus()[0]?.model}\n`);
for (const isKept of [true, false]) {
  let before: { readonly segments: number; readonly ms: number } | undefined;
  for (const segments of options.segments.split(',').map(Number)) {
    const ms = await measure(segments, isKept);
    const growth = before
      ? `: ${(segments / before.segments).toFixed(2)} times the segments, ${(ms / before.ms).toFixed(2)} times as long`
      : '';
    process.stdout.write(`${segments} segments, all ${isKept ? 'kept' : 'pruned'}: ${Math.round(ms)} ms${growth}\n`);
    before = { segments, ms };
  }
}
