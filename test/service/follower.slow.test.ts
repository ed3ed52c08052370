/** Followers of a log: they make the same cases of it, whatever becomes of the cases, the index and the state. */

import { createSecretKey } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { LogIndex } from '../../src/audit/index/log-index.ts';
import { openLogIndex } from '../../src/audit/index/open-index.ts';
import type { ChainWriter } from '../../src/audit/store/chain.ts';
import { Follower } from '../../src/service/follower.ts';
import { derivedId, sealOf } from '../../src/service/note-id.ts';
import type { Cases } from '../../src/stores/state/cases.ts';
import { openState } from '../../src/stores/state/state.ts';
import { addDecision, makeLog, openTestChain, type TestLog } from '../support/audit/log.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { sampled } from '../support/sampled.ts';
import { newState } from '../support/stores/state/processes.ts';

let log: TestLog;
let writer: ChainWriter;
let dir: string;
beforeEach(async () => {
  log = await makeLog(temporaryFolder(), { chains: 1, decisions: 6, segmentBytes: 1500 });
  writer = await openTestChain(log, 1500);
  onTestFinished(() => writer.close());
  dir = newState();
});

/** A process that follows the log; what it calls may be another than it is. */
async function follow(
  at = dir,
  wrap: (own: { readonly cases: Cases; readonly index: LogIndex }) => Partial<typeof own> = () => ({}),
) {
  const index = await openLogIndex({ dir: log.dir });
  const state = await openState({ dir: at, rememberMs: 60_000 });
  const used = { cases: state.cases, index, ...wrap({ cases: state.cases, index }) };
  const begin = () => append({ kind: 'event', type: 'cases.sealed', actor: ACTOR });
  const queues = [{ name: 'default', withinMs: 1000 }];
  const follower = new Follower({ ...used, queues, seal: SEAL, makesAllCases: true, begin, report: () => {} });
  onTestFinished(async () => {
    await follower.close();
    await state.close();
    await index.close();
  });
  return { follower, cases: state.cases };
}

/** What the cases are, but for who has them. */
async function casesIn({ cases, follower }: Awaited<ReturnType<typeof follow>>) {
  await follower.catchUp();
  const all = await cases.list({ limit: 100_000 });
  return all.map(({ id, decision, kind, state, disposition, note }) => ({
    id,
    decision,
    kind,
    state,
    disposition,
    note,
  }));
}

const SEAL = sealOf(createSecretKey(Buffer.alloc(32)));
const ACTOR = `1:${'cd'.repeat(32)}`;

async function append(fields: Readonly<Record<string, unknown>>): Promise<string> {
  const id = uuidV7();
  const plain = { by: 'an analyst', why: 'called back' };
  await writer.append({ at: new Date().toISOString(), id, subjects: {}, plain, ...fields } as never);
  return String(fields['id'] ?? id);
}

const note = (decision: string, more: object = {}) =>
  append({ kind: 'note', decision, disposition: 'approve', ...more });

it('two make the same cases while a third clears them and the index is removed, again and again', async () => {
  const followers = await Promise.all([follow(), follow()]);
  const [, { cases }] = followers as [unknown, { cases: Cases }];
  const rounds = sampled(2, 200);
  for (let round = 0; round < rounds; round++) {
    const work = (async () => {
      for (let n = 0; n < 10; n++) {
        const id = await addDecision(writer, 1, false);
        if (n % 2 === 0) await note(id);
      }
    })();
    const turns = followers.map(({ follower }) => follower.catchUp());
    await cases.clear();
    const endings = ['', '-wal', '-shm'];
    if (round % 2 === 0) for (const ending of endings) rmSync(join(log.dir, `index.sqlite${ending}`), { force: true });
    await Promise.all([work, ...turns]);
  }
  const expected = await casesIn(await follow(newState()));
  expect(expected.filter(({ state }) => state === 'open').length).toBeGreaterThanOrEqual(rounds * 5);
  for (const each of followers) await expect.poll(() => casesIn(each)).toEqual(expected);
});

it('makes cases again that were cleared while it read', async () => {
  const other = await openState({ dir, rememberMs: 60_000 });
  onTestFinished(() => other.close());
  let isFirst = true;
  const followed = await follow(dir, ({ cases }) => ({
    cases: {
      ...cases,
      open: async (some) => {
        await cases.open(some);
        if (isFirst) await other.cases.clear();
        isFirst = false;
      },
    },
  }));
  const expected = await casesIn(await follow(newState()));
  await expect.poll(() => casesIn(followed)).toEqual(expected);
});

it('makes cases again that were cleared by another, although the log has nothing new', async () => {
  const followed = await follow();
  const expected = await casesIn(followed);
  expect(expected.length).toBeGreaterThan(0);
  const other = await openState({ dir, rememberMs: 60_000 });
  onTestFinished(() => other.close());
  await other.cases.clear();
  await expect.poll(() => casesIn(followed)).toEqual(expected);
});

it('ends a reading although decisions are made all the time', async () => {
  let most = 50;
  const followed = await follow(dir, ({ index }) => ({
    index: {
      ...index,
      readNews: async (...asked) => {
        if (--most === 0) throw new Error('it reads on and on');
        await addDecision(writer, 1, false);
        return index.readNews(...asked);
      },
    },
  }));
  await followed.follower.catchUp();
  expect(most).toBeGreaterThan(0);
});

it('believes notes that are not sealed if they were there at the first start, wherever the state is', async () => {
  const decision = await addDecision(writer, 1, false);
  const open = (detail: string) =>
    append({ kind: 'event', type: 'case.opened', object: decision, detail, actor: ACTOR });
  const [challenge, recheck] = [await open('challenge'), await open('recheck')];
  await note(decision, { id: derivedId(`${challenge} 7`), disposition: 'decline' });
  const first = await follow();
  const ofDecision = async (of: typeof first) => {
    const cases = (await casesIn(of)).filter((each) => each.decision === decision);
    return Object.fromEntries(cases.map(({ kind, state, disposition }) => [kind, disposition ?? state]));
  };
  expect(await ofDecision(first)).toEqual({ review: 'open', challenge: 'decline', recheck: 'open' });
  // As somebody would who knows how these ids were made.
  for (const token of [1, 2, 3]) await note(decision, { id: derivedId(`${recheck} ${token}`) });
  await note(decision, { id: derivedId(`${decision} 1`) });
  const before = await casesIn(first);
  expect(await ofDecision(first)).toEqual({ review: 'open', challenge: 'decline', recheck: 'open' });
  expect(await casesIn(await follow(newState()))).toEqual(before);
  await first.cases.clear();
  expect(await casesIn(first)).toEqual(before);
});

it('believes a sealed note of the case and the holder that it names, and no other', async () => {
  const decision = await addDecision(writer, 1, false);
  const recheck = await append({
    kind: 'event',
    type: 'case.opened',
    object: decision,
    detail: 'recheck',
    actor: ACTOR,
  });
  const followed = await follow();
  const stateOf = async () => (await casesIn(followed)).find(({ id }) => id === recheck)?.state;
  const resolves = { case: recheck, token: 2000, actor: ACTOR };
  const forged = [
    { id: uuidV7(), resolves },
    { id: sealOf(createSecretKey(Buffer.alloc(32, 1))).note(resolves), resolves },
    { id: SEAL.note(resolves), resolves: { ...resolves, actor: `1:${'ef'.repeat(32)}` } },
    { id: SEAL.note(resolves), resolves: { ...resolves, token: 1 } },
    { id: SEAL.note({ ...resolves, case: decision }), resolves },
  ];
  for (const each of forged) await note(decision, each);
  expect(await stateOf()).toBe('open');
  await note(decision, { id: SEAL.note(resolves), resolves });
  expect(await stateOf()).toBe('resolved');
  const again = await casesIn(await follow(newState()));
  expect(again).toEqual(await casesIn(followed));
});
