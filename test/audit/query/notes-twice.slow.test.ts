/** One note from two processes, while its subject is erased and the log is pruned: it counts once, or not at all. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { readSigningKey } from '../../../src/audit/keys/key-folder.ts';
import { readRecord } from '../../../src/audit/query/decision-record.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { pruneLog } from '../../../src/audit/retain/prune.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { verifyLog } from '../../../src/audit/verify/verify.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { LATER } from '../../support/audit/log.ts';
import type { AskedNote } from '../../support/audit/noting/child.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const CHILD = join(import.meta.dirname, '../../support/audit/noting/child.ts');
const ROUNDS = sampled(1, 100);
const PEOPLE = 6;

async function answerOf(child: ChildProcess): Promise<readonly string[]> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the process has ended')));
  const [ids] = await Promise.race([once(child, 'message'), ended]);
  return ids as readonly string[];
}

it('a note that two processes add beside an erasure and a pruning counts once', async () => {
  const { dir, keys, place, open } = await logFolder();
  // What is in the segments of the first is pruned; the second has one segment, which stays.
  const [audit, staying] = [await open({ segmentBytes: 8000 }), await open()];
  onTestFinished(async () => void (await Promise.all([audit.close(), staying.close()])));
  const policy = policyOf(`${HEAD}rules: [{ id: r, when: { phone.type: mobile }, then: review }]`);
  const deciders = [audit, staying].map((each) => createDecider({ policy, verify: localVerifier, audit: each }));
  const children = [1, 2].map(() => fork(CHILD, [dir, keys], { execArgv: ['--no-warnings'] }));
  onTestFinished(() => children.forEach((child) => void child.disconnect()));
  await Promise.all(children.map(answerOf));
  const index = await openLogIndex({ dir });
  onTestFinished(() => index.close());
  const signingKey = await readSigningKey(folderAt(keys));
  const noted = new Map<string, string>();
  let before = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const asked: AskedNote[] = [];
    for (let n = 0; n < PEOPLE; n++) {
      for (const decider of deciders) asked.push({ decision: (await decider.decide(personOf(n))).id, id: uuidV7() });
    }
    const answers = children.map((child) => {
      child.send(asked);
      return answerOf(child);
    });
    await eraseSubject({ log: audit, subject: personOf(round % PEOPLE).email });
    const pruned = await pruneLog({ dir, keys, before: '2030-01-01', signingKey, now: () => LATER });
    before += pruned.segments.length;
    const added = new Set((await Promise.all(answers)).flat());
    for (const { decision, id } of asked) if (added.has(id)) noted.set(decision, id);
  }
  // All that was noted meanwhile may have been pruned: one note comes when nothing else does.
  const [, deciderOfStaying] = deciders;
  const decided = await deciderOfStaying?.decide(personOf(1));
  const last = { decision: decided?.id ?? '', id: uuidV7() };
  const answers = children.map((child) => {
    child.send([last]);
    return answerOf(child);
  });
  expect(new Set((await Promise.all(answers)).flat())).toEqual(new Set([last.id]));
  noted.set(last.decision, last.id);
  expect(before).toBeGreaterThan(0);
  expect(noted.size).toBeGreaterThan(0);
  expect((await verifyLog({ dir, keys })).findings).toEqual([]);
  const plain = await searchLog(place, {}, { limit: 10_000 });
  expect(await searchLog(place, {}, { limit: 10_000, index })).toEqual(plain);
  expect(plain.rows.filter(({ review }) => review).length).toBeGreaterThan(0);
  for (const { id } of plain.rows) {
    const record = await readRecord(place, id, { index });
    expect(record?.notes).toEqual((await readRecord(place, id))?.notes);
    // Pruned, or refused, if there is none.
    expect(record?.notes.map((note) => note.id)).toEqual(record?.notes.length ? [noted.get(id)] : []);
  }
});
