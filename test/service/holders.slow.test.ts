/** Who holds a case decides it, and nobody else: what is on record of that, and what others may do meanwhile. */

import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { expect, test } from 'vitest';
import { createAuditLog } from '../../src/audit/log.ts';
import { readRecord } from '../../src/audit/query/decision-record.ts';
import { addNote } from '../../src/audit/query/note.ts';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { derivedId } from '../../src/service/note-id.ts';
import { casesOf, changeCases, type Review, review, startReview, take, WHY } from '../support/service/review.ts';

const KINDS = ['challenge', 'recheck'] as const;

const open = ({ post }: Review, decision: string, kind: string, key: string) =>
  post('/v1/cases', { decision, kind, why: WHY }, key);

/** A decision whose review is resolved, by Ann. */
async function resolved(service: Review, reference: string): Promise<string> {
  const id = await review(service, reference);
  const { token } = (await take(service, service.ann)).body;
  await service.post(`/v1/cases/${id}/resolve`, { token, disposition: 'approve', why: WHY }, service.ann);
  return id;
}

/** The same cases, made again from the log. */
async function madeAgain(service: Review) {
  const { cases, follower } = service.service.records ?? {};
  await cases?.clear();
  await follower?.catchUp();
  return casesOf(service);
}

test('an id that the service derives is refused for notes of callers, and stops nobody', async () => {
  const service = await startReview();
  const { post, ann, ben, folder } = service;
  const id = await review(service, 'A-1');
  const { token } = (await take(service, ann)).body;
  const log = await createAuditLog({ dir: join(folder, 'log') });
  const ids = [1, 2, 3].map((each) => derivedId(`${id} ${each}`));
  for (const note of [...ids, '00000000-0000-7abc-8abc-abcdefabcdef']) {
    const noted = await post(`/v1/decisions/${id}/notes`, { id: note, disposition: 'fraud', why: WHY }, ben);
    expect(noted.body).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    const label = { id, label: 'fraud', at: new Date().toISOString(), note };
    const { body } = await post('/v1/labels', { labels: [label] }, ben);
    expect(body['results']).toMatchObject([{ status: 400 }]);
    const own = { log, id: note, decision: id, disposition: 'decline', by: 'ben', why: WHY } as const;
    await expect(addNote(own)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  }
  await log.close();
  const said = { token, disposition: 'approve', why: WHY };
  const answer = await post(`/v1/cases/${id}/resolve`, said, ann);
  expect(answer.status).toBe(200);
  expect(ids).not.toContain(answer.body['note']);
});

test('an approval and a decline wait for the challenge or the recheck that is open, held or not', async () => {
  const service = await startReview();
  const { post, ann, ben } = service;
  const each = KINDS.flatMap((kind) => ['approve', 'decline'].map((disposition) => ({ kind, disposition })));
  for (const [i, of] of each.entries()) {
    const { kind, disposition } = of;
    const id = await resolved(service, `A-${i}`);
    const { id: opened } = (await open(service, id, kind, ben)).body;
    const note = async () => {
      const { status, body } = await post(`/v1/decisions/${id}/notes`, { id: uuidV7(), disposition, why: WHY }, ben);
      return { ...of, status, code: body['code'], holder: body['holder'] };
    };
    expect(await note()).toMatchObject({ ...of, status: 409, code: 'LEASE_LOST' });
    const { token } = (await take(service, ann)).body;
    expect(await note()).toMatchObject({ ...of, status: 409, holder: 'ann' });
    const before = await casesOf(service);
    expect(await madeAgain(service)).toEqual(before);
    expect(await note()).toMatchObject({ ...of, status: 409, code: 'LEASE_LOST' });
    expect((await post(`/v1/decisions/${id}/notes`, { disposition: 'fraud', why: WHY }, ben)).status).toBe(200);
    expect((await take(service, ann)).body).toMatchObject({ id: opened, token });
    await post(`/v1/cases/${opened}/resolve`, { token, disposition, why: WHY }, ann);
    expect(await note()).toMatchObject({ ...of, status: 200 });
  }
});

test('a case that changed hands thousands of times is resolved after it is made again', async () => {
  const service = await startReview();
  const { post, ann, ben } = service;
  const id = await resolved(service, 'A-1');
  await open(service, id, 'recheck', ben);
  changeCases(service, "update cases set token = 5000 where kind = 'recheck'");
  const { id: recheck, token } = (await take(service, ann)).body;
  expect(token).toBe(5001);
  await post(`/v1/cases/${recheck}/resolve`, { token, disposition: 'decline', why: WHY }, ann);
  const before = await casesOf(service);
  expect(before).toMatchObject([{ disposition: 'approve' }, { disposition: 'decline' }]);
  expect(await madeAgain(service)).toEqual(before);
});

test('taking, holding, giving back and giving away are on record once they are done, with whose they were', async () => {
  const service = await startReview();
  const { post, ann, lead, folder } = service;
  const id = await review(service, 'A-1');
  const due = ((await service.get('/v1/cases', lead)).body['cases'] as [{ due: string }])[0].due;
  const acts = async () => {
    const dir = join(folder, 'log');
    const record = await readRecord({ dir }, id);
    return record?.events.map(({ type, detail, by, why, details }) => ({ type, detail, by, why, details })) ?? [];
  };
  const act = (type: string, by: string, details = {}, why = '') => ({
    ...{ type, detail: 'review', by, why, details: { case: id, queue: 'default', due, ...details } },
  });
  await Promise.all([take(service, ann), take(service, ann)]);
  const held = [act('case.taken', 'ann'), act('case.renewed', 'ann')];
  expect(await acts()).toEqual(held);
  await post(`/v1/cases/${id}/renew`, { token: 1 }, ann);
  await post(`/v1/cases/${id}/renew`, { token: 2 }, ann);
  await post(`/v1/cases/${id}/release`, { token: 2, skip: true }, ann);
  await post(`/v1/cases/${id}/release`, { token: 1, skip: true }, ann);
  await post(`/v1/cases/${id}/reassign`, { to: 'ben', why: WHY }, lead);
  const done = [act('case.renewed', 'ann'), act('case.released', 'ann', { skip: 'true' })];
  const all = [...held, ...done, act('case.reassigned', 'lead', { to: 'ben' }, WHY)];
  expect(await acts()).toEqual(all);
  // What was not done is not on record.
  const { token } = (await take(service, service.ben)).body;
  await post(`/v1/cases/${id}/resolve`, { token, disposition: 'approve', why: WHY }, service.ben);
  const late = await post(`/v1/cases/${id}/reassign`, { to: 'ann', why: WHY }, lead);
  expect(late.body).toMatchObject({ code: 'ALREADY_RESOLVED' });
  expect((await acts()).filter(({ type }) => type === 'case.reassigned')).toHaveLength(1);
});

test('a case whose taking cannot be recorded is held by nobody', async () => {
  const service = await startReview();
  const id = await review(service, 'A-1');
  await service.service.audit?.close();
  expect((await take(service, service.ann)).body).toMatchObject({ status: 503, code: 'AUDIT_FAILED' });
  const { cases } = service.service.records ?? {};
  expect(await cases?.held('ann')).toEqual([]);
  expect(await cases?.get(id)).toMatchObject({ state: 'open', holder: null });
});

test('a decision has one open case of a kind, which all who open it get, in whichever process', async () => {
  const service = await startReview();
  const { folder, ann, ben } = service;
  const places = { audit: join(folder, 'log'), state: `{ dir: ${join(folder, 'state')} }` };
  const other = await startReview(places);
  const id = await resolved(service, 'A-1');
  await other.service.records?.follower.catchUp();
  for (const kind of KINDS) {
    const of = [service, other, service, other].map((each) => open(each, id, kind, each === service ? ann : other.ben));
    const opened = await Promise.all(of);
    expect(opened.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(opened.map(({ body }) => body['id'])).size).toBe(1);
    expect(opened[0]?.body).toMatchObject({ kind, state: 'open', decision: id });
  }
  const before = await casesOf(service);
  expect(before.map(({ kind }) => kind).toSorted()).toEqual(['challenge', 'recheck', 'review']);
  // Once it is resolved, there may be another.
  const cat = await service.key(['review'], 'cat');
  const { id: first, token } = (await take(service, cat)).body;
  await service.post(`/v1/cases/${first}/resolve`, { token, disposition: 'decline', why: WHY }, cat);
  const kind = before.find((each) => each.id === first)?.kind ?? '';
  const next = await open(service, id, String(kind), ben);
  expect(next.body['id']).not.toBe(first);
  const all = await casesOf(service);
  expect(all).toHaveLength(4);
  expect(await madeAgain(service)).toEqual(all);
  expect((await verifyLog({ dir: join(folder, 'log') })).findings).toEqual([]);
});

test('a key that may only decide opens cases on its own decisions alone, and does not see who has them', async () => {
  const service = await startReview();
  const { decide, ann } = service;
  const [own, other] = [await service.key(['decide'], 'shop'), await service.key(['decide'], 'other')];
  const id = String((await decide('A-1', {}, { key: own })).body['id']);
  expect((await open(service, id, 'challenge', other)).status).toBe(404);
  expect((await open(service, id, 'challenge', own)).body).toMatchObject({ kind: 'challenge', state: 'open' });
  for (let i = 0; i < 2; i++) await take(service, ann);
  await service.post(`/v1/cases/${id}/release`, { token: 1, skip: true }, ann);
  await take(service, ann);
  const seen = await open(service, id, 'challenge', own);
  expect(seen.body).toMatchObject({ kind: 'challenge', decision: id });
  expect(seen.text).not.toContain('ann');
  expect((await casesOf(service)).filter(({ kind }) => kind === 'challenge')).toHaveLength(1);
});

test('who opened a case does not get it, resolves nothing in it, and sees no personal facts by it', async () => {
  const service = await startReview();
  const { post, ann, ben, lead } = service;
  const id = await resolved(service, 'A-1');
  const { id: opened } = (await open(service, id, 'recheck', ann)).body;
  expect((await take(service, ann)).status).toBe(204);
  const given = await post(`/v1/cases/${opened}/reassign`, { to: 'ann', why: WHY }, lead);
  expect(given.body).toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
  // Who had it before this was so.
  changeCases(service, "update cases set holder = 'ann', token = 9, until = 9e12 where kind = 'recheck'");
  const said = { token: 9, disposition: 'decline', why: WHY };
  expect((await post(`/v1/cases/${opened}/resolve`, said, ann)).body).toMatchObject({ code: 'LEASE_LOST' });
  await madeAgain(service);
  expect((await take(service, ann)).status).toBe(204);
  expect((await post(`/v1/decisions/${id}/reveal`, { why: WHY }, ann)).body).toMatchObject({ code: 'LEASE_LOST' });
  expect((await take(service, ben)).body).toMatchObject({ id: opened, kind: 'recheck' });
});
