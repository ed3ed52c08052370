/** A process that is paused between the steps of a resolution: each case is resolved once, and has one note. */

import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Cases } from '../../src/stores/state/cases.ts';
import { startTestService, type TestService, untilIndexed } from '../support/service/running.ts';
import { sql } from '../support/stores/state/processes.ts';

const WHY = 'Showed an identity card in the branch.';

let paused: TestService;
let other: TestService;
let ann: string;
let ben: string;
let id: string;
let token: unknown;

/** Two processes before one log and one state. */
beforeAll(async () => {
  paused = await startTestService({ audit: true, atEnd: afterAll });
  const state = `{ dir: ${join(paused.folder, 'state')} }`;
  other = await startTestService({ audit: join(paused.folder, 'log'), state, atEnd: afterAll });
  ann = await paused.key(['review'], 'ann');
  ben = await other.key(['review', 'read'], 'ben');
  await Promise.all([untilIndexed(paused), untilIndexed(other)]);
});

let references = 0;

/** In the first process, Ann takes a new case. */
beforeEach(async () => {
  sql(join(paused.folder, 'state'), "delete from cases where state <> 'resolved'");
  id = String((await paused.decide(`A-${references++}`)).body['id']);
  await paused.service.records?.follower.catchUp();
  token = (await paused.ask('POST', '/v1/cases/take', {}, { key: ann })).body['token'];
});

afterEach(() => vi.restoreAllMocks());

const resolve = (service: TestService, key: string, said: { token: unknown; disposition: string }) =>
  service.ask('POST', `/v1/cases/${id}/resolve`, { ...said, why: WHY }, { key });

const notes = async () => (await other.ask('GET', `/v1/decisions/${id}`, undefined, { key: ben })).body['notes'];

/** Does something before the answer of the store arrives. */
function pauseAfter(name: 'beginResolve', work: () => Promise<void>): void {
  const { cases } = paused.service.records as { readonly cases: Cases };
  const act = cases[name];
  vi.spyOn(cases, name).mockImplementationOnce(async (of) => {
    const answer = await act(of);
    await work();
    return answer;
  });
}

/** The clock of the store goes on; that of the paused process is looked at later. */
function endLease(): void {
  sql(join(paused.folder, 'state'), "update cases set until = until - 960000 where state <> 'resolved'");
}

async function take(): Promise<unknown> {
  endLease();
  return (await other.ask('POST', '/v1/cases/take', {}, { key: ben })).body['token'];
}

/** By any clock, the process was paused for a minute. */
function pass60Seconds(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
}

test('paused before the note, it writes none once another has resolved the case', async () => {
  pauseAfter('beginResolve', async () => {
    const later = { token: await take(), disposition: 'decline' };
    expect((await resolve(other, ben, later)).status).toBe(200);
    pass60Seconds();
  });
  const late = await resolve(paused, ann, { token, disposition: 'approve' });
  expect(late.body).toMatchObject({ status: 409, code: 'ALREADY_RESOLVED', disposition: 'decline' });
  expect(await notes()).toMatchObject([{ disposition: 'decline', by: 'ben' }]);
});

test('paused before the note, it writes none once another has the case', async () => {
  pauseAfter('beginResolve', async () => {
    await take();
    pass60Seconds();
  });
  const late = await resolve(paused, ann, { token, disposition: 'approve' });
  expect(late.body).toMatchObject({ status: 409, code: 'LEASE_LOST', holder: 'ben' });
  expect(await notes()).toEqual([]);
});

test('paused after the note, it has resolved the case, whoever took it meanwhile', async () => {
  const resumed = Promise.withResolvers<void>();
  const { cases } = paused.service.records as { readonly cases: Cases };
  const finish = cases.finishResolve;
  let later: unknown;
  // The lease ends while the note is on its way to the disk, where nothing can stop it.
  pauseAfter('beginResolve', async () => {
    later = await take();
  });
  const noted = Promise.withResolvers<void>();
  vi.spyOn(cases, 'finishResolve').mockImplementation(async (of) => {
    noted.resolve();
    await resumed.promise;
    await finish(of);
  });
  const resolving = resolve(paused, ann, { token, disposition: 'approve' });
  await noted.promise;
  const refused = await resolve(other, ben, { token: later, disposition: 'decline' });
  expect(refused.body).toMatchObject({ status: 409, code: 'ALREADY_RESOLVED', disposition: 'approve' });
  resumed.resolve();
  expect((await resolving).status).toBe(200);
  expect(await notes()).toMatchObject([{ disposition: 'approve' }]);
});
