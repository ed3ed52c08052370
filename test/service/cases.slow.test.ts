/** After a decision: who may see it, who decides what says review, and how callers learn of it. */

import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readRecord } from '../../src/audit/query/decision-record.ts';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { review, sharedReview, soon, startReview, take, WHY } from '../support/service/review.ts';
import { APPLICANT, startTestService } from '../support/service/running.ts';

/** For tests of one case or decision, which they name. */
const shared = sharedReview();

test('a decision that says review becomes a case, which is counted, and which one person holds and resolves', async () => {
  const service = await startReview();
  const { post, get, ann, ben, lead } = service;
  expect((await take(service, ann)).status).toBe(204);
  const id = await review(service, 'A-1');
  const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/^verdict_cases\{queue="default",state="open"\} 1$/m);
  expect(metrics).toMatch(/^verdict_case_overdue_seconds 0$/m);
  expect(metrics).toMatch(/^verdict_index_behind_bytes \d+$/m);
  const taken = await take(service, ann);
  expect(taken.body).toMatchObject({ id, token: 1, holder: 'ann', kind: 'review', queue: 'default', state: 'open' });
  expect(taken.body['decision']).toMatchObject({ outcome: 'review' });
  expect(JSON.stringify(taken.body)).not.toMatch(/2025550102|d\.marsh|203\.0\.113/);
  expect((await take(service, ben)).status).toBe(204);
  const again = await take(service, ann);
  expect([again.body['id'], again.body['token']]).toEqual([id, 1]);
  expect((await get('/v1/cases', lead)).body['cases']).toMatchObject([{ id, holder: 'ann' }]);
  expect((await get('/v1/cases', lead)).text).not.toContain('token');

  const path = `/v1/cases/${id}/resolve`;
  const said = { token: 1, disposition: 'approve', why: WHY };
  expect((await post(path, said, ben)).body).toMatchObject({ code: 'LEASE_LOST', holder: 'ann' });
  expect((await post(path, { ...said, token: 7 }, ann)).body['code']).toBe('LEASE_LOST');
  const resolved = await post(path, said, ann);
  expect(resolved.status).toBe(200);
  expect((await post(path, said, ann)).body).toEqual(resolved.body);
  const other = await post(path, { ...said, disposition: 'decline' }, ann);
  expect(other.body).toMatchObject({ status: 409, code: 'ALREADY_RESOLVED', disposition: 'approve' });
  expect((await take(service, ben)).status).toBe(204);
  const record = await get(`/v1/decisions/${id}`, ann);
  expect(record.body['notes']).toMatchObject([
    { id: resolved.body['note'], disposition: 'approve', by: 'ann', why: WHY },
  ]);
  const unknown = '01a1f8d4-f5e8-7000-8000-000000000000';
  expect((await post(`/v1/cases/${unknown}/resolve`, said, ann)).status).toBe(404);
});

test('a case is renewed, given back, skipped and given to somebody, who then holds it', async () => {
  const service = await startReview();
  const { post, get, ann, ben, lead, auditor } = service;
  const id = await review(service, 'A-1');
  await take(service, ann);
  const renewed = await post(`/v1/cases/${id}/renew`, { token: 1 }, ann);
  expect(renewed.body).toMatchObject({ id, token: 1, holder: 'ann' });
  expect((await post(`/v1/cases/${id}/renew`, { token: 1 }, ben)).body['code']).toBe('LEASE_LOST');
  expect((await post(`/v1/cases/${id}/release`, { token: 1, skip: true }, ann)).status).toBe(200);
  expect((await take(service, ann)).status).toBe(204);
  const causeOf = async (key: string) => (await post(`/v1/cases/${id}/take`, undefined, key)).body['detail'];
  expect(await causeOf(ann)).toBe('you skipped it, or gave it to another queue');
  expect((await take(service, ben)).body).toMatchObject({ id, token: 2 });
  expect((await post(`/v1/cases/${id}/reassign`, { to: 'ann', why: WHY }, ben)).status).toBe(403);
  const given = await post(`/v1/cases/${id}/reassign`, { to: 'ann', why: WHY }, lead);
  expect(given.body).toMatchObject({ reservedFor: 'ann' });
  expect(given.body['reservedUntil']).toBe(given.body['due']);
  expect((await post(`/v1/cases/${id}/take`, undefined, ben)).body).toMatchObject({
    code: 'LEASE_LOST',
    holder: 'ann',
  });
  expect(await causeOf(ben)).toBe('it is kept for somebody else');
  const late = { token: 2, disposition: 'decline', why: WHY };
  expect((await post(`/v1/cases/${id}/resolve`, late, ben)).body).toMatchObject({ code: 'LEASE_LOST', holder: 'ann' });
  const held = await take(service, ann);
  expect(held.body).toMatchObject({ id, token: 4 });
  const events = await get('/v1/events', auditor);
  expect(events.body['events']).toContainEqual(expect.objectContaining({ type: 'case.reassigned', decision: id }));
  expect(events.text).not.toContain('identity card');
});

test('a case is given to people who may review, by their whole name', async () => {
  const service = await shared();
  const { post, lead, ann } = service;
  const id = await review(service, 'G-1');
  const give = (to: string) => post(`/v1/cases/${id}/reassign`, { to, why: WHY }, lead);
  for (const [to, hint] of [
    ['anm', 'did you mean "ann"?'],
    ['Rita', 'expected the whole name'],
    ['lead', 'expected the whole name'],
  ] as const) {
    const { status, body } = await give(to);
    expect([to, status, body['detail']]).toEqual([to, 400, expect.stringContaining(hint)]);
  }
  expect((await post(`/v1/cases/${id}/take`, undefined, ann)).body).toMatchObject({ id, token: 1 });
});

test('a reason is one of the queue’s for that disposition, and none of the other', async () => {
  const reasons = 'reasons: { approve: [Paid before, Both], decline: [Stolen card, Both] }';
  const more = `queues: [{ name: all, within: 4 hours, ${reasons} }]`;
  const service = await startReview({ more });
  const { post, ann, get } = service;
  const id = await review(service, 'A-1');
  await take(service, ann);
  const resolve = (said: object) => post(`/v1/cases/${id}/resolve`, { token: 1, ...said }, ann);
  for (const [disposition, said] of [
    ['approve', { reason: 'Stolen card' }],
    ['approve', { why: ' Stolen card ' }],
    ['approve', { reason: 'Paid before', why: 'Stolen card' }],
    ['decline', { reason: 'Paid before' }],
    ['approve', { reason: 'Paid befor' }],
    ['approve', {}],
  ] as const) {
    const { status, body } = await resolve({ disposition, ...said });
    expect([said, status, body['code']]).toEqual([said, 400, 'REQUEST_INVALID']);
  }
  expect((await resolve({ disposition: 'approve', reason: 'Stolen card' })).body['detail']).toContain('Paid before');
  expect((await resolve({ disposition: 'decline', reason: 'Both', why: 'Seen twice.' })).status).toBe(200);
  expect((await get(`/v1/decisions/${id}`, ann)).body['notes']).toMatchObject([
    { disposition: 'decline', why: 'Both: Seen twice.' },
  ]);
});

test('a case is put on hold, asked about and escalated, each on record, and an answer wakes it', async () => {
  const more =
    'queues: [{ name: fraud, codes: [NOBODY], within: 1 hour }, { name: rest, within: 1 day, asks: [ID_CARD] }]';
  const service = await startReview({ more });
  const { post, get, decide, ann, ben, folder, auditor } = service;
  const shop = await service.key(['decide'], 'shop');
  const id = String((await decide('A-1', {}, { key: shop })).body['id']);
  await service.service.records?.follower.catchUp();
  const act = (verb: string, body: object | undefined, key = ann) => post(`/v1/cases/${id}/${verb}`, body, key);
  const token = async (key = ann) => (await act('take', undefined, key)).body['token'];
  const [yesterday, tomorrow] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
  const hold = { token: await token(), why: WHY };
  for (const until of [yesterday, 'tomorrow', '2999-01-01']) {
    expect((await act('hold', { ...hold, until })).body['detail']).toMatch(/^`until` has to be/);
  }
  expect((await act('hold', { ...hold, token: 7, until: tomorrow })).body['code']).toBe('LEASE_LOST');
  const held = await act('hold', { ...hold, until: tomorrow });
  expect(held.body).toMatchObject({ sleepsUntil: tomorrow, reservedFor: 'ann', state: 'open' });
  expect((await take(service, ann)).status).toBe(204);
  expect((await act('take', undefined, ben)).body).toMatchObject({ code: 'LEASE_LOST', holder: 'ann' });

  const asked = { token: await token(), code: 'ID_CARD' };
  expect((await act('ask', { ...asked, code: 'IDCARD' })).body['detail']).toContain('did you mean "ID_CARD"?');
  expect((await act('answer', { text: 'Too early.' }, shop)).body['code']).toBe('REQUEST_INVALID');
  expect((await act('ask', asked)).body).toMatchObject({ asked: 'ID_CARD', sleepsUntil: held.body['due'] });
  const events = (await get('/v1/events', auditor)).body['events'] as readonly { type: string }[];
  expect(events.filter(({ type }) => type === 'case.asked')).toMatchObject([{ decision: id, detail: 'ID_CARD' }]);
  const other = await service.key(['decide'], 'other');
  expect((await act('answer', { text: 'Not mine.' }, other)).status).toBe(404);
  expect((await act('answer', { text: 'In file 4711.' }, ann)).status).toBe(403);
  const answered = await act('answer', { text: 'In file 4711.' }, shop);
  expect(answered.body).not.toHaveProperty('asked');
  expect(answered.text).not.toContain('ann');
  expect((await take(service, ben)).status).toBe(204);
  expect((await take(service, ann)).body).toMatchObject({ id });

  const escalated = { token: (await take(service, ann)).body['token'], why: WHY };
  expect((await act('escalate', { ...escalated, queue: 'frauds' })).body['detail']).toContain('did you mean "fraud"?');
  expect((await act('escalate', { ...escalated, queue: 'rest' })).body['code']).toBe('REQUEST_INVALID');
  expect((await act('escalate', { ...escalated, queue: 'fraud' })).body).toMatchObject({ queue: 'fraud' });
  expect((await act('take', undefined)).body['code']).toBe('LEASE_LOST');
  expect((await act('take', undefined, ben)).body).toMatchObject({ id, holder: 'ben' });
  const record = await readRecord({ dir: join(folder, 'log') }, id);
  const acts = record?.events.filter(({ type }) => !['case.taken', 'case.renewed'].includes(type));
  expect(acts).toMatchObject([
    { type: 'case.held', by: 'ann', why: WHY, details: { until: tomorrow, queue: 'rest' } },
    { type: 'case.asked', by: 'ann', detail: 'ID_CARD' },
    { type: 'case.answered', by: 'shop', why: 'In file 4711.' },
    { type: 'case.escalated', by: 'ann', why: WHY, details: { queue: 'fraud' } },
  ]);
  expect((await verifyLog({ dir: join(folder, 'log') })).findings).toEqual([]);
});

test('queues take cases by code, in their order, and a queue that there is not is refused', async () => {
  const more =
    'queues: [{ name: takeover, codes: [PORTED_AND_RISKY_EMAIL], within: 4 hours }, { name: rest, within: 1 day }]';
  const service = await startReview({ more });
  const id = await review(service, 'A-1');
  expect((await take(service, service.ann, { queue: 'rest' })).status).toBe(204);
  expect((await take(service, service.ann, { queue: 'takeover' })).body).toMatchObject({ id, queue: 'takeover' });
  expect((await take(service, service.ben, { queue: 'takover' })).body).toMatchObject({ code: 'REQUEST_INVALID' });
});

test('a search has pages that stay the same while decisions arrive, and keeps people out of URLs', async () => {
  const service = await startReview();
  const { decide, get, post, auditor, lead } = service;
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push(String((await decide(`A-${i}`)).body['id']));
  await soon(async () => (await get('/v1/decisions?count=true', lead)).body['total']).toBe(5);
  const found: string[] = [];
  let path: string | undefined = '/v1/decisions?limit=2&code=PORTED_AND_RISKY_EMAIL';
  while (path !== undefined) {
    const { body } = await get(path, lead);
    found.push(...(body['decisions'] as readonly { id: string }[]).map(({ id }) => id));
    await decide(`B-${found.length}`);
    path =
      body['next'] === undefined
        ? undefined
        : `/v1/decisions?limit=2&code=PORTED_AND_RISKY_EMAIL&after=${body['next']}`;
  }
  expect(found).toEqual(ids.toReversed());
  const none = await get('/v1/decisions?outcome=reject', lead);
  expect(none.body).toEqual({ decisions: [] });
  for (const forged of ['x', 'W10', Buffer.from('[1,"x"]').toString('base64url')]) {
    expect((await get(`/v1/decisions?after=${forged}`, lead)).body['code']).toBe('REQUEST_INVALID');
  }
  const byReference = await post('/v1/decisions/search', { reference: 'A-3' }, lead);
  expect(byReference.body['decisions']).toMatchObject([{ id: ids[3] }]);
  expect((await get('/v1/decisions?reference=A-3', lead)).status).toBe(400);
  expect((await post('/v1/decisions/search', { subject: APPLICANT.email }, lead)).status).toBe(403);
  const bySubject = await post('/v1/decisions/search', { subject: APPLICANT.email, count: true }, auditor);
  expect(bySubject.body['total']).toBeGreaterThanOrEqual(5);
  const events = await get('/v1/events', auditor);
  expect(events.body['events']).toContainEqual(expect.objectContaining({ type: 'subject.searched' }));
  expect((await post('/v1/decisions/search', { subject: 'nobody' }, auditor)).body['code']).toBe('REQUEST_INVALID');
});

test('personal facts are shown to who holds the case, or audits, and that is on record before', async () => {
  const service = await shared();
  const { post, get, ann, ben, auditor, lead } = service;
  const id = await review(service, 'P-1');
  const reveal = (key: string) => post(`/v1/decisions/${id}/reveal`, { why: WHY }, key);
  expect((await get(`/v1/decisions/${id}`, lead)).text).not.toMatch(/2025550102|d\.marsh|203\.0\.113/);
  expect((await reveal(ann)).body['code']).toBe('LEASE_LOST');
  expect((await reveal(lead)).status).toBe(403);
  await post(`/v1/cases/${id}/take`, undefined, ann);
  expect((await reveal(ann)).body['facts']).toMatchObject({ 'applicant.email': APPLICANT.email });
  expect((await reveal(ben)).body['code']).toBe('LEASE_LOST');
  expect((await reveal(auditor)).status).toBe(200);
  expect((await post(`/v1/decisions/${id}/reveal`, {}, auditor)).status).toBe(400);
  const events = (await get('/v1/events', auditor)).body['events'] as readonly { type: string; decision: string }[];
  expect(events.filter(({ type, decision }) => type === 'data.revealed' && decision === id)).toHaveLength(2);
});

test('a decision is explained and made again, and one that is not there is not found', async () => {
  const service = await shared();
  const { get, lead, auditor } = service;
  const id = await review(service, 'E-1');
  const explained = await get(`/v1/decisions/${id}/explanation`, lead);
  expect(explained.body).toMatchObject({ outcome: 'review', changes: { to: 'accept' } });
  const replayed = await service.ask('POST', `/v1/decisions/${id}/replay`, undefined, { key: auditor });
  expect(replayed.body).toEqual({ same: true, recorded: 'review', again: 'review' });
  for (const absent of ['x', '..%2f', '01a1f8d4-f5e8-7000-8000-000000000000']) {
    expect((await get(`/v1/decisions/${absent}`, lead)).status).toBe(404);
  }
});

test('a key that may only decide sees its own decisions, without facts, and no others', async () => {
  const service = await shared();
  const { decide, get, lead } = service;
  const [own, other] = [await service.key(['decide'], 'shop'), await service.key(['decide'], 'other')];
  const id = String((await decide('K-1', {}, { key: own })).body['id']);
  const seen = await get(`/v1/decisions/${id}`, own);
  expect(seen.body).toMatchObject({ record: { id, outcome: 'review' }, decision: { outcome: 'review' }, notes: [] });
  expect(seen.body).not.toHaveProperty('facts');
  expect((await get(`/v1/decisions/${id}`, lead)).body).toHaveProperty('facts');
  expect(seen.text).not.toMatch(/2025550102|d\.marsh|203\.0\.113/);
  expect((await get(`/v1/decisions/${id}`, other)).status).toBe(404);
  expect((await get(`/v1/decisions/${(await decide('K-1')).body['id']}`, own)).status).toBe(404);
  expect((await get(`/v1/decisions/${id}/explanation`, own)).status).toBe(403);
  // Once its reference is forgotten, it is as those of others.
  const { limits } = service.service.config;
  const { rememberMs } = limits;
  Object.assign(limits, { rememberMs: -1 });
  onTestFinished(() => void Object.assign(limits, { rememberMs }));
  expect((await get(`/v1/decisions/${id}`, own)).status).toBe(404);
});

test('a note on an open case is its holder’s alone, and a label that is sent again is one note', async () => {
  const service = await startReview();
  const { get, post, ann, ben } = service;
  const id = await review(service, 'A-1');
  const note = { disposition: 'approve', why: WHY };
  expect((await post(`/v1/decisions/${id}/notes`, note, ben)).body['code']).toBe('LEASE_LOST');
  const at = new Date().toISOString();
  const labels = [
    { reference: 'A-1', label: 'fraud', at },
    { id, label: 'fraud', at },
    { reference: 'nobody', label: 'fraud', at },
    { label: 'genuine', at },
  ];
  const labelled = await post('/v1/labels', { labels }, ann);
  const results = labelled.body['results'] as readonly { status: number; note?: string }[];
  expect(results.map(({ status }) => status)).toEqual([200, 200, 404, 400]);
  expect(results[0]?.note).toBe(results[1]?.note);
  expect((await get(`/v1/decisions/${id}`, ann)).body['notes']).toMatchObject([{ disposition: 'fraud', by: 'ann' }]);
  const notedAs = async (disposition: string) =>
    (await get(`/v1/decisions?disposition=${disposition}`, ann)).body['decisions'];
  expect(await notedAs('fraud')).toMatchObject([{ id, disposition: 'fraud' }]);
  expect(await notedAs('genuine')).toEqual([]);
  await take(service, ann);
  const resolved = await post(`/v1/cases/${id}/resolve`, { token: 1, ...note }, ann);
  const later = { disposition: 'decline', why: 'Another card.', id: '01a1f8d4-f5e8-7000-8000-000000000001' };
  const first = await post(`/v1/decisions/${id}/notes`, later, ben);
  expect((await post(`/v1/decisions/${id}/notes`, later, ben)).body).toEqual(first.body);
  expect((await get(`/v1/decisions/${id}`, ann)).body['notes']).toHaveLength(3);
  expect(await notedAs('fraud')).toMatchObject([{ id, review: 'decline', label: 'fraud', disposition: 'fraud' }]);
  expect(await notedAs('approve')).toEqual([]);
  await service.service.records?.follower.catchUp();
  expect((await get('/v1/cases?state=resolved', ann)).body['cases']).toMatchObject([{ id, disposition: 'decline' }]);
  // The holder asks again, and undoes nothing.
  const again = await post(`/v1/cases/${id}/resolve`, { token: 1, ...note }, ann);
  expect([again.status, again.body['note']]).toEqual([200, resolved.body['note']]);
  expect((await get('/v1/cases?state=resolved', ann)).body['cases']).toMatchObject([{ id, disposition: 'decline' }]);
  const search = { disposition: 'decline', count: true };
  expect((await post('/v1/decisions/search', search, ann)).body).toMatchObject({ decisions: [{ id }], total: 1 });
});

test('the case of a decision that is made again is closed by the record of the second one', async () => {
  const service = await startReview();
  const { decide, get, post, ann, sandbox } = service;
  await review(service, 'A-0');
  sandbox.setFault('status-403');
  const first = await review(service, 'A-1');
  expect((await take(service, ann, {})).status).toBe(200);
  sandbox.setFault(undefined);
  const second = String((await decide('A-1')).body['id']);
  const { records } = service.service;
  await records?.follower.catchUp();
  const states = async () => {
    const { cases } = (await get('/v1/cases?limit=200', ann)).body as { cases: { id: string; state: string }[] };
    return cases.flatMap(({ id, state, ...rest }) => (id === first ? [{ state, ...rest }] : []));
  };
  const closed = await states();
  expect(closed).toMatchObject([{ state: 'resolved' }]);
  expect(closed[0]).not.toHaveProperty('disposition');
  // The same, made from the log.
  await records?.cases.clear();
  await records?.follower.catchUp();
  expect(await states()).toEqual(closed);
  expect((await get(`/v1/decisions/${second}`, ann)).body['record']).toMatchObject({ replaces: first });
  // The reference is that of the second one.
  const at = new Date().toISOString();
  const { body } = await post('/v1/labels', { labels: [{ reference: 'A-1', label: 'fraud', at }] }, ann);
  expect(body['results']).toMatchObject([{ status: 200 }]);
  expect((await get(`/v1/decisions/${second}`, ann)).body['notes']).toMatchObject([{ disposition: 'fraud' }]);
});

test('a request has at most 20 labels of one decision, by whatever name', async () => {
  const service = await shared();
  const id = await review(service, 'L-1');
  const at = new Date().toISOString();
  const labels = Array.from({ length: 22 }, (_, i) => ({
    ...(i % 2 ? { id } : { reference: 'L-1' }),
    label: 'fraud',
    at,
  }));
  const { body } = await service.post('/v1/labels', { labels }, service.ann);
  const statuses = (body['results'] as readonly { readonly status: number }[]).map(({ status }) => status);
  expect(statuses).toEqual([...Array(20).fill(200), 400, 400]);
  expect(body['results']).toContainEqual(
    expect.objectContaining({
      problem: expect.objectContaining({ detail: expect.stringMatching(/^a request has at most 20/) }),
    }),
  );
});

test('a label is of a day or a time since the decision, and not of the future', async () => {
  const service = await shared();
  const { post, ann, ben } = service;
  const id = await review(service, 'D-1');
  const HOUR = 3_600_000;
  const from = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
  const [now, today] = [from(0), from(0).slice(0, 10)];
  const label = async (at: string, caller = ann) => {
    const { body } = await post('/v1/labels', { labels: [{ id, label: 'fraud', at }] }, caller);
    return (body['results'] as readonly { status: number; note?: string; problem?: { detail: string } }[])[0];
  };
  for (const at of [now, today]) expect((await label(at))?.status).toBe(200);
  // Each caller says it for itself.
  expect((await label(now, ben))?.note).not.toBe((await label(now))?.note);
  const refused = [
    ['yesterday', 'has to be a calendar day'],
    [`${today}T25:00:00Z`, 'has to be a calendar day'],
    [from(-1), 'is before the decision'],
    [from(-24).slice(0, 10), 'is before the decision'],
    [from(1), 'is in the future'],
    [from(48).slice(0, 10), 'is in the future'],
    ['2999-01-01', 'is in the future'],
  ];
  for (const [at = '', detail] of refused) {
    const { status, problem } = (await label(at)) ?? {};
    expect([at, status, problem?.detail]).toEqual([at, 400, expect.stringContaining(`\`at\` ${detail}`)]);
    expect(problem?.detail).not.toContain(at);
  }
});

test('events are told once each from any cursor, and a caller that waits learns of them at once', async () => {
  const service = await startReview();
  const { decide, get, lead, ann } = service;
  const start = String((await get('/v1/events', lead)).body['next']);
  const waiting = get(`/v1/events?wait=30&after=${start}`, lead);
  const id = (await decide('A-1')).body['id'];
  const told = (await waiting).body as { events: readonly object[]; next: string };
  expect(told.events).toMatchObject([{ type: 'decision.made', decision: id, outcome: 'review' }]);
  expect(JSON.stringify(told)).not.toMatch(/2025550102|d\.marsh|203\.0\.113|A-1/);
  expect((await get(`/v1/events?after=${told.next}`, lead)).body).toEqual({ events: [], next: told.next });
  const all = (await get('/v1/events', lead)).body['events'] as readonly object[];
  expect(all).toEqual(told.events);
  const forged = (places: unknown) => Buffer.from(JSON.stringify(places)).toString('base64url');
  const [[chain, segment, end]] = JSON.parse(Buffer.from(told.next, 'base64url').toString()) as [
    [string, number, number],
  ];
  for (const cursor of [
    'x',
    forged({}),
    forged([[chain, segment, end - 5]]),
    forged([[chain, segment, 1e9]]),
    forged([[chain, -1, 0]]),
  ]) {
    expect((await get(`/v1/events?after=${cursor}`, lead)).body['code']).toBe('REQUEST_INVALID');
  }
  expect((await get('/v1/events', ann)).status).toBe(403);
});

test('without a log there are no cases', async () => {
  const service = await startTestService();
  const key = await service.key(['review'], 'ann');
  expect((await service.ask('POST', '/v1/cases/take', {}, { key })).body['code']).toBe('NOT_FOUND');
});

test('callers that wait for news take no place of others, and are answered when the service ends', async () => {
  const { get, lead, decide, drain } = await startReview({ limits: 'inFlight: 2' });
  const { next } = (await get('/v1/events', lead)).body;
  const wait = () => get(`/v1/events?wait=30&after=${next}`, lead);
  const waiting = [wait(), wait()];
  await soon(async () => (await wait()).status).toBe(503);
  expect((await get('/v1/cases', lead)).status).toBe(200);
  // A service that ends cuts off what takes longer than a decision may.
  await drain();
  expect((await Promise.all(waiting)).map(({ status, body }) => [status, body])).toEqual([
    [200, { events: [], next }],
    [200, { events: [], next }],
  ]);
  expect((await decide('A-1').catch(() => ({ status: 0 }))).status).toBe(0);
});

test('after an outage the service is asked again once for each case, under the reference of its caller', async () => {
  const more = 'queues: [{ name: outage, outage: true, within: 2 days }, { name: rest, within: 1 day }]';
  const service = await startReview({ more });
  const { decide, get, post, lead, ann, auditor, sandbox } = service;
  const shop = await service.key(['decide'], 'shop');
  // Signs in.
  await decide('A-0');
  sandbox.setFault('status-403');
  const first = String((await decide('A-1', {}, { key: shop })).body['id']);
  sandbox.setFault('html');
  const unsure = String((await decide('A-2', {}, { key: shop })).body['id']);
  sandbox.setFault(undefined);
  const usual = String((await decide('A-3', {}, { key: shop })).body['id']);
  const { records } = service.service;
  await records?.follower.catchUp();
  const queueOf = async (id: string) => (await records?.cases.get(id))?.queue;
  expect([await queueOf(first), await queueOf(unsure), await queueOf(usual)]).toEqual(['outage', 'outage', 'rest']);
  const ask = (more: object, key = lead) => post('/v1/cases/ask-again', { queue: 'outage', why: WHY, ...more }, key);
  expect((await ask({ queue: 'rest' })).body['detail']).toContain('outage: true');
  expect((await ask({}, ann)).status).toBe(403);
  const before = sandbox.counts.verifies;
  expect((await ask({})).body).toEqual({ cases: 2 });
  await soon(async () => (await records?.cases.get(first))?.state).toBe('resolved');
  const again = await decide('A-1', {}, { key: shop });
  expect(again.headers.get('verdict-repeated')).toBe('true');
  expect(again.body['id']).not.toBe(first);
  expect((await get(`/v1/decisions/${again.body['id']}`, auditor)).body['record']).toMatchObject({ replaces: first });
  // What may have been carried out is asked again only if that is accepted, and nothing is asked twice.
  expect((await records?.cases.get(unsure))?.state).toBe('open');
  expect((await ask({})).body).toEqual({ cases: 1 });
  expect((await ask({ resend: true })).body).toEqual({ cases: 1 });
  await soon(async () => (await records?.cases.get(unsure))?.state).toBe('resolved');
  const each = sandbox.counts.verifies - before;
  expect((await ask({ resend: true })).body).toEqual({ cases: 0 });
  await decide('A-2', {}, { key: shop });
  expect(sandbox.counts.verifies - before).toBe(each);
  const events = (await get('/v1/events', auditor)).body['events'] as readonly { type: string; decision: string }[];
  const retried = events.filter(({ type }) => type === 'case.retried').map(({ decision }) => decision);
  expect(retried).toEqual([first, unsure]);
});
