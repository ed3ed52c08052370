/** Events are listed in their order, by type, person, applicant and time; their words only with the keys. */

import { expect, test } from 'vitest';
import { addEvent } from '../../../src/audit/query/event.ts';
import { listEvents } from '../../../src/audit/query/list-events.ts';
import { eraseSubject } from '../../../src/audit/retain/erase.ts';
import { createDecider } from '../../../src/decision/decide.ts';
import { localVerifier, logFolder, personOf } from '../../support/audit/decisions.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const [RITA, OTTO] = ['Rita Okoye <r>', 'Otto Lindqvist <o>'];
const at = (day: number) => () => Date.UTC(2026, 10, day);

async function logWithEvents() {
  const folder = await logFolder();
  const log = await folder.open({});
  const policy = policyOf(`${HEAD}rules: [{ id: a, when: { phone.riskLevel: { atLeast: high } }, then: reject }]\n`);
  const decider = createDecider({ policy, verify: localVerifier, audit: log });
  const [first, second] = [await decider.decide(personOf(0)), await decider.decide(personOf(1))];
  const reveal = { log, type: 'data.revealed', why: 'the applicant calls' } as const;
  await addEvent({ ...reveal, by: RITA, object: second.id, now: at(3) });
  await addEvent({ ...reveal, by: OTTO, object: first.id, now: at(1) });
  await addEvent({ log, type: 'case.opened', by: RITA, object: first.id, detail: 'recheck', now: at(2) });
  await log.close();
  return { folder, place: folder.place, first: first.id, second: second.id };
}

test('events are in the order of time, with their words', async () => {
  const { place, first, second } = await logWithEvents();
  const events = await listEvents(place);
  expect(events.map(({ at, type, by, object }) => [at.slice(8, 10), type, by, object])).toEqual([
    ['01', 'data.revealed', OTTO, first],
    ['02', 'case.opened', RITA, first],
    ['03', 'data.revealed', RITA, second],
  ]);
  expect(events[1]).toMatchObject({ detail: 'recheck', why: '' });
});

test('each criterion leaves out what it does not match', async () => {
  const { place } = await logWithEvents();
  const days = async (query: Parameters<typeof listEvents>[1]) =>
    (await listEvents(place, query)).map((event) => Number(event.at.slice(8, 10)));
  expect(await days({ types: ['data.revealed'] })).toEqual([1, 3]);
  expect(await days({ by: RITA })).toEqual([2, 3]);
  expect(await days({ by: 'Rita' })).toEqual([]);
  expect(await days({ subject: personOf(0).email })).toEqual([1, 2]);
  expect(await days({ from: '2026-11-02' })).toEqual([2, 3]);
  expect(await days({ to: '2026-11-02' })).toEqual([1, 2]);
  expect(await days({ by: RITA, subject: personOf(0).email, from: '2026-11-02' })).toEqual([2]);
  await expect(listEvents(place, { from: 'today' })).rejects.toThrow('from has to be a calendar day');
});

test('what was erased is told by its person without the words', async () => {
  const { folder, place } = await logWithEvents();
  const log = await folder.open({});
  await eraseSubject({ log, subject: personOf(0).email });
  await log.close();
  const events = await listEvents(place, { by: OTTO });
  expect(events).toMatchObject([{ type: 'data.revealed', closed: 'erased' }]);
  expect(JSON.stringify(events)).not.toContain('calls');
});
