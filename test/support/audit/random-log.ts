/** A seed -> a log in a folder as processes leave it: with crashes, notes, erasures, and old segments pruned. */

import type { KeyObject } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { initAuditLog } from '../../../src/audit/init.ts';
import { readSigningKey } from '../../../src/audit/keys/key-folder.ts';
import { createAuditLog } from '../../../src/audit/log.ts';
import { addNote } from '../../../src/audit/query/note.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { pruneLog } from '../../../src/audit/retain/prune.ts';
import { listChains } from '../../../src/audit/store/chain-folder.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { SEGMENTS } from '../../../src/audit/store/segment.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { pick, randomOf } from '../facts/mutate.ts';
import { HEAD, policyOf } from '../policy/policy.ts';
import { leaveCrashed } from './crashed-owner.ts';
import { inventedPerson, localVerifier, personOf } from './decisions.ts';

export interface RandomLog {
  readonly place: { readonly dir: string; readonly keys: string };
  readonly signingKey: KeyObject;
  /** The decisions, without those that were pruned. */
  readonly ids: readonly string[];
}

const POLICY = `${HEAD}rules: [{ id: risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }]\n`;
export const TOMORROW = () => Date.now() + 86_400_000;

/** Makes it below a folder. */
export async function makeRandomLog(root: string, seed: number): Promise<RandomLog> {
  const random = randomOf(seed);
  const place = { dir: join(root, 'log'), keys: join(root, 'keys') };
  await initAuditLog(place);
  const signingKey = await readSigningKey(folderAt(place.keys));
  const policy = policyOf(POLICY);
  let ids: string[] = [];
  let n = 0;
  for (let session = 0; session < 4; session++) {
    const writers = Array.from({ length: random() < 0.4 ? 2 : 1 }, () =>
      createAuditLog({
        ...place,
        segmentBytes: pick([2000, 6000, 100_000], random),
        pii: pick(['sealed', 'plain'], random),
      }),
    );
    const logs = await Promise.all(writers);
    for (const log of logs) {
      const decider = createDecider({ policy, verify: localVerifier, audit: log });
      const [first] = await Promise.all(
        Array.from({ length: 1 + Math.floor(random() * 5) }, async () => {
          const { id } = await decider.decide(inventedPerson(n++), { clientReference: `ref-${n}` });
          ids.push(id);
          return id;
        }),
      );
      if (first && random() < 0.6)
        await addNote({ log, decision: first, disposition: 'approve', by: 'Raj', why: 'Seen.' });
      await decider.decide(personOf(1));
      if (random() < 0.4) await eraseSubject({ log, subject: personOf(1).phoneNo });
    }
    for (const log of logs) await log.close();
    if (random() < 0.5) await tear(place.dir, pick(await listChains(folderAt(place.dir)), random));
    if (random() < 0.3) {
      const before = new Date(TOMORROW()).toISOString().slice(0, 10);
      await pruneLog({ ...place, before, signingKey, now: TOMORROW });
      ids = [];
    }
  }
  // Each chain is opened once more, which sets aside what a crash has left.
  const chains = await listChains(folderAt(place.dir));
  const logs = [];
  for (const _ of chains) logs.push(await createAuditLog(place));
  for (const log of logs) {
    const decider = createDecider({ policy, verify: localVerifier, audit: log });
    ids.push((await decider.decide(inventedPerson(n++))).id);
    await log.close();
  }
  return { place, signingKey, ids };
}

/** Leaves half a line at the end of a chain, as a crash does. */
async function tear(dir: string, chain: string): Promise<void> {
  const folder = join(dir, 'chains', chain);
  const last = Math.max(...readdirSync(folder).flatMap((name) => SEGMENTS.numberOf(name) ?? []));
  const isClosed = readFileSync(join(folder, SEGMENTS.of(last)), 'utf8').includes('"kind":"seal"');
  appendFileSync(join(folder, SEGMENTS.of(isClosed ? last + 1 : last)), '{"chain":"');
  leaveCrashed(folder);
}
