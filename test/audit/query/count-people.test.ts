/** Counts by what people say of decisions: who, why, and how long a case waited for them. */

import { renameSync } from 'node:fs';
import { v7 as uuidV7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { openLogIndex } from '../../../src/audit/index/open-index.ts';
import { recordEvent } from '../../../src/audit/query/event.ts';
import { addNote, recordNote } from '../../../src/audit/query/note.ts';
import { searchLog } from '../../../src/audit/query/search.ts';
import type { CountKey } from '../../../src/audit/read/count-by.ts';
import type { SearchQuery } from '../../../src/audit/read/criteria.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}facts: { context.branch: { type: string } }
rules:
  - { id: branch, when: { context.branch: north }, then: review }
`;
const HOUR = 3_600_000;
const BEGIN = Date.UTC(2026, 10, 20, 12);
const MAKER = `1:${'0'.repeat(64)}`;

async function counting() {
  const folder = await logFolder();
  const log = await folder.open();
  const now = () => BEGIN;
  const decider = createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit: log, now });
  let person = 0;
  const decide = async (branch: 'north' | 'south') =>
    (await decider.decide(personOf(person++), { context: { branch } })).id ?? '';
  const note = (decision: string, by: string, disposition: 'approve' | 'decline' | 'fraud', hours: number) =>
    addNote({ log, decision, disposition, by, why: `${disposition}, says ${by}`, now: () => BEGIN + hours * HOUR });
  const count = async (countBy: readonly CountKey[], query: SearchQuery = {}) => {
    const index = await openLogIndex({ dir: folder.dir });
    onTestFinished(() => index.close());
    const { counts } = await searchLog(folder.place, query, { countBy });
    expect((await searchLog(folder.place, query, { countBy, index })).counts).toEqual(counts);
    return counts?.rows.map(({ values, decisions }) => [...values, decisions]);
  };
  return { ...folder, log, decide, note, count };
}

test('counts who reviewed, why, and what is said by now, each time by the note that counts', async () => {
  const { log, decide, note, count } = await counting();
  const [one, two, three] = [await decide('north'), await decide('north'), await decide('north')];
  await decide('south');
  await note(one, 'Rita', 'decline', 1);
  await note(one, 'Raj', 'approve', 2);
  await note(one, 'feed', 'fraud', 3);
  await note(two, 'Raj', 'approve', 1);
  await note(three, 'feed', 'fraud', 1);
  expect(await count(['disposition'])).toEqual([
    ['fraud', 2],
    [null, 1],
    ['approve', 1],
  ]);
  const noted = [
    ['Raj', 'approve', 'approve, says Raj', 2],
    ['feed', null, 'fraud, says feed', 1],
  ];
  const keys = ['person', 'review', 'why'] as const;
  expect(await count(keys)).toEqual([noted[0], [null, null, null, 1], noted[1]]);
  expect(await count(keys, { outcomes: ['review'] })).toEqual(noted);
  await eraseSubject({ log, subject: personOf(1).phoneNo });
  expect(await count(['person', 'why'])).toContainEqual(['cannot be read', 'cannot be read', 1]);
  await log.close();
});

test('counts how long cases waited, from the decision or from the opening on', async () => {
  const { log, decide, note, count } = await counting();
  const hours = [0, 0.999, 1, 3.999, 4, 23.999, 24, 240];
  for (const each of hours) await note(await decide('north'), 'Rita', 'approve', each);
  await decide('north');
  // A review of what nobody was asked to review is no case, and a label resolves none.
  await note(await decide('south'), 'Rita', 'approve', 1);
  await note(await decide('north'), 'feed', 'fraud', 1);
  const sorted = async (query?: SearchQuery) => (await count(['waited'], query))?.sort();
  const own = [
    ['1 day or longer', 2],
    ['under 1 day', 2],
    ['under 1 hour', 2],
    ['under 4 hours', 2],
  ];
  expect(await sorted()).toEqual([[null, 3], ...own]);
  // A challenge of an acceptance, ten days later, resolved within two hours; a case that no event has opened.
  for (const isOpened of [true, false]) {
    const [object, id] = [await decide('south'), uuidV7()];
    const event = { log, type: 'case.opened', detail: 'challenge', by: 'Ann', object } as const;
    if (isOpened) await recordEvent({ ...event, id, now: () => BEGIN + 240 * HOUR });
    const said = { log, decision: object, disposition: 'decline', by: 'Raj', why: 'w' } as const;
    await recordNote({ ...said, resolves: { case: id, token: 1, actor: MAKER }, now: () => BEGIN + 242 * HOUR });
  }
  const all = [[null, 4], ...own.slice(0, 3), ['under 4 hours', 3]];
  expect(await sorted()).toEqual(all);
  expect(await sorted({ from: '2026-11-20' })).toEqual(all);
  // The review of the decision itself is the case of its id.
  const decision = await decide('north');
  const said = { log, decision, disposition: 'decline', by: 'Raj', why: 'w', now: () => BEGIN + 2 * HOUR } as const;
  await recordNote({ ...said, resolves: { case: decision, token: 1, actor: MAKER } });
  expect(await sorted()).toContainEqual(['under 4 hours', 4]);
  await log.close();
});

test('words of notes are counted with the keys of the log only', async () => {
  const { log, keys, decide, note, place } = await counting();
  await note(await decide('north'), 'Rita', 'approve', 1);
  await log.close();
  renameSync(keys, `${keys}-away`);
  const counted = searchLog(place, {}, { countBy: ['person'] });
  await expect(counted).rejects.toMatchObject({ code: 'CONFIGURATION_INVALID' });
  expect((await searchLog(place, {}, { countBy: ['waited', 'disposition'] })).counts?.decisions).toBe(1);
});
