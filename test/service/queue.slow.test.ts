/** The queue as people see it: what its cases are about, which of them, who has them, and how long they wait. */

import { expect, test } from 'vitest';
import { eraseSubject } from '../../src/audit/retain/erase.ts';
import { textOf } from '../support/report/read-page.ts';
import { changeCases, type Review } from '../support/service/review.ts';
import { markedRequest, markedRules } from '../support/service/workbench/marked.ts';
import { readServed } from '../support/service/workbench/served-page.ts';
import { startWorkbench, type TestWorkbench, type Visitor } from '../support/service/workbench/visitor.ts';

const HOUR_MS = 3_600_000;

const QUEUES = `queues:
  - { name: branches, rules: [branch], within: 4 hours, show: [context.branch, context.limit, context.nationalID] }
  - { name: rest, within: 1 day }`;

async function startQueue(): Promise<TestWorkbench & { readonly ids: readonly string[] }> {
  const more = QUEUES.replace(', context.nationalID', '');
  const rules = markedRules({ hasGuarantees: false });
  const workbench = await startWorkbench({ rules, policies: '{ marked: marked.yaml }', more });
  const ids: string[] = [];
  for (const n of [0, 1, 2]) {
    const { context, ...asked } = markedRequest(n);
    const branch = ['branch north', 'branch south', 'none'][n];
    const request = { ...asked, reference: `ONB-${n}`, context: { ...context, branch } };
    ids.push(String((await workbench.ask('POST', '/v1/decisions', request)).body['id']));
  }
  const { records } = workbench.service;
  await records?.follower.catchUp();
  await expect.poll(() => records?.cases.undescribed(1)).toEqual([]);
  return { ...workbench, ids };
}

const change = ({ folder }: TestWorkbench, statement: string) => changeCases({ folder } as Review, statement);

/** The references in the list of all cases, in their order. */
async function listed(visitor: Visitor, query = ''): Promise<string> {
  const { status, text } = await visitor.get(`/queue${query}`);
  expect(status).toBe(200);
  return [...(text.split('id="all-cases"')[1]?.split('</table>')[0] ?? '').matchAll(/ONB-(\d)/g)]
    .map(([, n]) => n)
    .join('');
}

test('the queue shows what a case is about, finds cases by it, and sorts them', async () => {
  const workbench = await startQueue();
  const { ids, enter } = workbench;
  const rita = await enter('rita');
  const page = await rita.get('/queue');
  const shown = textOf(readServed(page.text));
  expect(shown).toMatch(/ONB-0.*branch north/s);
  expect(page.text).not.toMatch(/kestrel/);
  change(
    workbench,
    `update cases set due = 1 where id = '${ids[2]}'; update cases set opened_at = 1 where id = '${ids[1]}'`,
  );
  expect(await listed(rita)).toBe('201');
  expect(await listed(rita, '?sort=opened')).toBe('102');
  expect(await listed(rita, '?queue=rest')).toBe('2');
  expect(await listed(rita, '?context.branch=branch+south')).toBe('1');
  expect(await listed(rita, '?context.branch=branch+south&context.limit=0')).toBe('');
  expect(await listed(rita, '?due=overdue')).toBe('2');
  expect(await listed(rita, '?due=day')).toBe('201');
  expect(await listed(rita, '?code=BRANCH')).toBe('01');
  expect(textOf(readServed((await rita.get('/queue?code=BRANCH')).text))).toContain('2 cases match.');
  await rita.post(`/cases/${ids[1]}/take`);
  expect(await listed(rita, '?situation=held')).toBe('1');
  expect(await listed(rita, '?situation=free')).toBe('20');
  const mine = /<option value="([^"]+)">me</.exec((await rita.get('/queue')).text)?.[1] ?? '';
  expect(await listed(rita, `?holder=${encodeURIComponent(mine)}`)).toBe('1');
  expect((await rita.get('/')).text).toMatch(/1 overdue/);
  for (const [query, hint] of [
    ['?queue=branchs', 'did you mean "branches"?'],
    ['?code=BRANHC', 'did you mean "BRANCH"?'],
    ['?context.brnch=a', 'did you mean "context.branch"?'],
    ['?state=open', 'expected'],
  ] as const) {
    const { status, text } = await rita.get(`/queue${query}`);
    expect([query, status, textOf(readServed(text))]).toEqual([query, 400, expect.stringContaining(hint)]);
  }
});

test('who may not open decisions sees of a case when it is due and who has it, and cannot ask for more', async () => {
  const { ids, enter } = await startQueue();
  const [approver, rita] = [await enter('approver'), await enter('rita')];
  await rita.post(`/cases/${ids[0]}/take`);
  const { text } = await approver.get('/queue');
  expect(text).not.toMatch(/branch north|ONB-0|BRANCH/);
  expect(textOf(readServed(text))).toMatch(/Rita Okoye/);
  expect((await approver.get('/queue?code=BRANCH')).status).toBeOneOf([400, 403]);
  expect((await approver.get('/queue?context.branch=branch+north')).status).toBe(400);
});

test('what was read from a record is gone with it', async () => {
  const { ids, service } = await startQueue();
  const { cases, follower, log } = service.records ?? {};
  expect(await cases?.get(ids[0] ?? '')).toMatchObject({
    facts: { 'context.branch': 'branch north', 'context.limit': '0' },
  });
  if (log) await eraseSubject({ log, reference: 'ONB-0' });
  await follower?.catchUp();
  expect(await cases?.get(ids[0] ?? '')).toMatchObject({ score: null, facts: {} });
  // Also when the cases are made again.
  await cases?.clear();
  await follower?.catchUp();
  await expect.poll(() => cases?.undescribed(1)).toEqual([]);
  expect(await cases?.get(ids[0] ?? '')).toMatchObject({ facts: {} });
  expect(await cases?.get(ids[1] ?? '')).toMatchObject({ facts: { 'context.branch': 'branch south' } });
});

test('a lead sees the backlog by age, what goes in and out, and what each person resolved', async () => {
  const workbench = await startQueue();
  const { ids, enter, service } = workbench;
  const [rita, lead] = [await enter('rita'), await enter('lead')];
  change(workbench, `update cases set opened_at = ${Date.now() - 5 * HOUR_MS} where id = '${ids[2]}'`);
  await rita.post(`/cases/${ids[0]}/take`);
  await rita.post(`/cases/${ids[0]}/resolve`, { token: '1', disposition: 'approve', reason: 'Reached by phone' });
  const at = new Date().toISOString();
  const key = await workbench.key(['review'], 'labels');
  await workbench.ask('POST', '/v1/labels', { labels: [{ id: ids[0], label: 'fraud', at }] }, { key });
  await service.records?.follower.catchUp();
  const seen = textOf(readServed((await lead.get('/queue')).text));
  expect(seen).toMatch(/rest, 4 h to 1 d/);
  expect(seen.match(/\d\d-\d\d \d\d:00/g)).toHaveLength(25);
  expect(seen).toMatch(/branches, 0 min to 1 h/);
  expect(seen).toMatch(/Rita Okoye1\d+ (?:s|min)100\.0 %1 \(100\.0 %\)0 \(0\.0 %\)/);
  const own = textOf(readServed((await rita.get('/queue')).text));
  expect(own).not.toMatch(/Overturned/);
});

test('a queue that shows a personal fact does not start', async () => {
  const more = QUEUES.replace('nationalID', 'nationalId');
  const starting = startWorkbench({
    rules: markedRules({ hasGuarantees: false }),
    policies: '{ marked: marked.yaml }',
    more,
  });
  await expect(starting).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringContaining('queue "branches" shows `context.nationalId`, which is personal'),
  });
});

test('what a case went through is on record with its resolution, and whether it was late', async () => {
  const workbench = await startQueue();
  const { ids, enter } = workbench;
  const [rita, raj, otto] = [await enter('rita'), await enter('raj'), await enter('otto')];
  const [id = ''] = ids;
  const until = new Date(Date.now() + HOUR_MS).toISOString();
  await rita.post(`/cases/${id}/take`);
  await rita.post(`/cases/${id}/hold`, { token: '1', until, why: 'Calls back at noon.' });
  await rita.post(`/cases/${id}/take`);
  await rita.post(`/cases/${id}/escalate`, { token: '2', queue: 'rest', why: 'A ring.' });
  change(workbench, `update cases set due = 1 where id = '${id}'`);
  const takes = (page: string) => page.includes(`action="/cases/${id}/take"`);
  const [queue, given] = [await rita.get('/queue'), await rita.get(`/cases/${id}`)];
  expect(textOf(readServed(given.text))).toContain('You cannot take it: you skipped it, or gave it to another queue.');
  expect([takes(queue.text), takes(given.text), takes((await raj.get('/queue')).text)]).toEqual([false, false, true]);
  await raj.post(`/cases/${id}/take`);
  const after = await raj.post(`/cases/${id}/resolve`, {
    token: '3',
    disposition: 'decline',
    reason: 'Signs of fraud',
  });
  const next = await raj.get(after.headers.get('location') ?? '');
  expect(textOf(readServed(next.text))).toContain('The case before is declined. It is on record. Look at it');
  expect(next.text).toContain(`href="/cases/${id}">Look at it`);
  const forged = await raj.get('/queue?done=decline&about=%22%2F%2Fevil.example');
  expect(forged.text).not.toContain('Look at it');
  const resolved = textOf(readServed((await otto.get(`/cases/${id}`)).text));
  expect(resolved).toMatch(/It is resolved: declined on [\d -]+:\d\d UTC by Raj.*\.Signs of fraudBack to the queue/);
  expect((await otto.get(`/decisions/${id}`)).text).toContain(`href="/cases/${id}"`);
  const { text } = await otto.get(`/decisions/${id}/pack`);
  const [, history = ''] = text.split('id="history"');
  expect(history).toMatch(
    /taken.*put on hold, until .*Calls back at noon.*taken.*escalated, to rest.*A ring.*Raj.*resolved, decline, late/s,
  );
  const reader = await enter('reader');
  expect((await reader.get(`/decisions/${id}/pack`)).text).not.toMatch(/Raj|A ring|noon/);
});

test('several cases are decided together once it is confirmed; those of others stay as they are', async () => {
  const workbench = await startQueue();
  const { ids, enter, service } = workbench;
  const [rita, raj] = [await enter('rita'), await enter('raj')];
  const [first = '', second = '', third = ''] = ids;
  await rita.post(`/cases/${first}/take`);
  await raj.post(`/cases/${second}/take`);
  const states = async () => Promise.all(ids.map(async (id) => (await service.records?.cases.get(id))?.disposition));
  const together = (more: Record<string, string>) =>
    rita.post(`/cases/${first}/together`, { disposition: 'decline', [second]: 'true', [third]: 'true', ...more });
  for (const wrong of [{ reason: 'Reached by phone' }, {}, { reason: 'Signs of fraud', other: 'true' }] as const) {
    expect((await together(wrong)).status).toBeOneOf([400, 404]);
  }
  const asked = await together({ reason: 'Signs of fraud', why: 'A ring.' });
  const words = textOf(readServed(asked.text));
  expect(words).toMatch(/Decline 2 cases\?.*Signs of fraud: A ring.*ONB-0.*ONB-2.*stay as they are.*ONB-1/s);
  expect(await states()).toEqual([null, null, null]);
  const done = await together({ reason: 'Signs of fraud', why: 'A ring.', confirmed: 'true' });
  expect(textOf(readServed(done.text))).toMatch(/2 cases declined.*ONB-0.*ONB-2.*stay as they are.*ONB-1/s);
  expect(await states()).toEqual(['decline', null, 'decline']);
  const key = await workbench.key(['audit'], 'auditor');
  const { body } = await workbench.ask('GET', `/v1/decisions/${third}`, undefined, { key });
  expect(body['notes']).toMatchObject([
    { disposition: 'decline', by: 'Rita Okoye <rita>', why: 'Signs of fraud: A ring.' },
  ]);
  // Sent twice, it changes nothing.
  expect((await together({ reason: 'Signs of fraud', confirmed: 'true' })).status).toBe(400);
});
