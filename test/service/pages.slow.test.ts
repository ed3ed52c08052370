/** Pages in a browser that may be an attacker's: sessions, forms, headers, texts of others, and what is on record. */

import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listEvents } from '../../src/audit/query/list-events.ts';
import { eraseSubject } from '../../src/audit/retain/erase.ts';
import type { Person } from '../../src/service/auth/sessions.ts';
import { all, textOf } from '../support/report/read-page.ts';
import { quickRules } from '../support/service/rules.ts';
import { APPLICANT, startTestService } from '../support/service/running.ts';
import { readServed } from '../support/service/workbench/served-page.ts';
import {
  PEOPLE,
  sharedWorkbench,
  startWorkbench,
  type TestWorkbench,
  type Visited,
  Visitor,
} from '../support/service/workbench/visitor.ts';
import { certificates } from '../support/signals/certificates.ts';

const WHY = 'Showed an identity card in the branch.';

const PERSONAL = /2025550102|d\.marsh|203\.0\.113\.12/;

const shared = sharedWorkbench();

/** A workbench with a decision that waits for a person. */
async function startReview(options: Parameters<typeof startWorkbench>[0] = {}) {
  return reviewed(await startWorkbench(options), 'A-1');
}

let references = 0;

/** The workbench that tests share, with another decision that waits. */
async function sharedReview() {
  references += 1;
  return reviewed(await shared(), `S-${references}`);
}

async function reviewed(workbench: TestWorkbench, reference: string) {
  const id = String((await workbench.decide(reference)).body['id']);
  await workbench.service.records?.follower.catchUp();
  await expect.poll(async () => (await workbench.service.records?.cases.get(id))?.state).toBe('open');
  return { ...workbench, id };
}

/** Somebody who holds the case. */
async function holding({ enter }: TestWorkbench, who: 'rita' | 'raj' = 'rita'): Promise<Visitor> {
  const visitor = await enter(who);
  expect((await visitor.post('/queue/take')).status).toBe(303);
  return visitor;
}

/** Rita, who holds a case of the workbench that tests share until the test ends. */
async function holdingShared({ enter, id }: TestWorkbench & { readonly id: string }): Promise<Visitor> {
  const visitor = await enter('rita');
  expect((await visitor.post(`/cases/${id}/take`)).status).toBe(303);
  onTestFinished(async () => void (await visitor.post(`/cases/${id}/release`, { token: '1' })));
  return visitor;
}

const OF_THE_HOUSE: readonly string[] = [
  ...['cases.sealed', 'case.taken', 'case.renewed', 'case.released', 'key.changed', 'session.begun'],
];

/** What people did, of the log: the type of each event but those of leases, keys and sessions, and of each note. */
async function onRecord({ service }: TestWorkbench): Promise<readonly string[]> {
  await service.records?.follower.catchUp();
  const { entries = [] } = { ...(await service.records?.index.readNews({}, 500)) };
  return entries.flatMap(({ entry }) => {
    if (entry.kind === 'event') return OF_THE_HOUSE.includes(entry.type) ? [] : [entry.type];
    return entry.kind === 'note' ? [entry.disposition] : [];
  });
}

const messageOf = ({ text }: Visited) => textOf(readServed(text));

test('a case shows apart who was seen before its decision, and since', async () => {
  const workbench = await startReview();
  const { id, decide, enter, service } = workbench;
  const others = ['A-2', 'A-3'].map(async (reference) => String((await decide(reference)).body['id']));
  const [second = '', third = ''] = await Promise.all(others);
  await service.records?.follower.catchUp();
  const rita = await enter('rita');
  const sections = async (decision: string) => {
    const page = readServed((await rita.get(`/cases/${decision}`)).text);
    return ['Before', 'Since'].map((when) => {
      const found = all(page, 'table').find((each) => textOf(each).startsWith(`${when} this decision`));
      return found
        ? new Set(
            all(found, 'a').flatMap(({ attributes: { href = '' } }) =>
              /^.decisions/.test(href) ? href.slice(-36) : [],
            ),
          )
        : undefined;
    });
  };
  const [earlier, later] = [second, third].sort();
  expect(await sections(id)).toEqual([undefined, new Set([second, third])]);
  expect(await sections(later ?? '')).toEqual([new Set([id, earlier]), undefined]);
});

test('a link of a trial works each time, and a guessed one never', async () => {
  const { url } = await shared();
  const [rita, other] = [new Visitor(url), new Visitor(url)];
  const entered = await rita.get('/invited/rita-1');
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/']);
  expect(entered.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^verdict=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
  ]);
  expect((await rita.get('/reference/facts')).status).toBe(200);
  expect((await new Visitor(url).get('/invited/rita-1')).status).toBe(303);
  for (const secret of ['rita-99', '', '__proto__', 'constructor']) {
    const refused = await other.get(`/invited/${secret}`);
    expect([refused.status, other.cookie], secret).toEqual([404, '']);
  }
  expect((await other.get('/reference/facts')).status).toBe(401);
});

test('a session of a trial ends with it, and not by the clock', async () => {
  const { enter, folder } = await shared();
  const rita = await enter('rita');
  const database = new DatabaseSync(join(folder, 'state', 'state.sqlite'));
  const days = 100 * 86_400_000;
  database.exec(`pragma busy_timeout = 60000;
    update sessions set seen_at = seen_at - ${days}, signed_in_at = signed_in_at - ${days}`);
  database.close();
  expect((await rita.get('/reference/facts')).status).toBe(200);
});

test('a session ends on the server, and nothing of it is kept by the browser', async () => {
  const { enter, url } = await shared();
  const rita = await enter('rita');
  const { cookie } = rita;
  const seen = await rita.get('/');
  expect(seen.headers.get('cache-control')).toBe('no-store');
  const out = await rita.post('/sign-out');
  expect(out.status).toBe(200);
  expect(out.headers.getSetCookie()).toEqual(['verdict=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0']);
  expect(out.headers.get('clear-site-data')).toBe('"cache"');
  const thief = new Visitor(url);
  for (const value of [cookie, `${cookie}x`, 'verdict=', 'verdict=__proto__', `other=1; ${cookie}`]) {
    thief.cookie = value;
    expect((await thief.get('/')).status, value).toBe(401);
  }
});

test('another site cannot sign anybody out', async () => {
  const { enter, url } = await shared();
  const rita = await enter('rita');
  const foreign = await rita.post('/sign-out', {}, { 'sec-fetch-site': 'cross-site' });
  expect(foreign.status).toBe(403);
  // With `SameSite=Lax` the browser sends no cookie with the form of another site, and takes those of the answer.
  const without = await new Visitor(url).post('/sign-out', {}, { 'sec-fetch-site': 'cross-site' });
  expect(without.headers.getSetCookie()).toEqual([]);
  expect((await rita.get('/reference/facts')).status).toBe(200);
});

test('a form without its token, or of another site, changes nothing', async () => {
  const workbench = await sharedReview();
  const { enter, id, url, service } = workbench;
  const rita = await holdingShared(workbench);
  const raj = await enter('raj');
  const before = await onRecord(workbench);
  const form = { token: '1', disposition: 'approve', reason: 'Identity document seen' };
  const own = { 'sec-fetch-site': 'same-origin' };
  const attempts: readonly (readonly [string, Record<string, string>, Record<string, string>])[] = [
    ['no token', { ...form, csrf: '' }, own],
    ['the token of another session', { ...form, csrf: raj.csrf }, own],
    ['a token that is a prefix', { ...form, csrf: rita.csrf.slice(0, -1) }, own],
    ['another site', form, { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour of the site', form, { 'sec-fetch-site': 'same-site' }],
    ['typed in', form, { 'sec-fetch-site': 'none' }],
    ['neither header', form, {}],
    ['another origin', form, { origin: 'https://evil.example' }],
    ['an origin that begins the same', form, { origin: `${url}.evil.example` }],
    ['no origin', form, { origin: 'null' }],
  ];
  for (const [what, fields, headers] of attempts) {
    expect((await rita.post(`/cases/${id}/resolve`, fields, headers)).status, what).toBe(403);
  }
  expect(await onRecord(workbench)).toEqual(before);
  expect(await service.records?.cases.get(id)).toMatchObject({ state: 'open', token: 1, holder: PEOPLE.rita.name });
  expect((await rita.post(`/cases/${id}/resolve`, form, { origin: url })).status).toBe(303);
  expect(await onRecord(workbench)).toEqual([...before, 'approve']);
});

test('looking at pages changes nothing', async () => {
  const workbench = await sharedReview();
  const { enter, id, service } = workbench;
  const lead = await enter('lead');
  const stateOf = async () => [await onRecord(workbench), await service.records?.cases.get(id)];
  await expect.poll(() => service.records?.cases.undescribed(1)).toEqual([]);
  const before = await stateOf();
  const ofCase = ['resolve', 'release', 'renew', 'reassign', 'reveal'].map((verb) => `/cases/${id}/${verb}`);
  const ofDecision = ['reveal', 'note', 'open', 'replay'].map((verb) => `/decisions/${id}/${verb}`);
  const form = `?csrf=${encodeURIComponent(lead.csrf)}&why=x&token=1`;
  for (const path of [...ofCase, ...ofDecision, '/queue/take', '/decisions/find', '/sign-out']) {
    for (const each of [path, `${path}${form}`]) expect((await lead.get(each)).status, each).toBeOneOf([400, 404]);
  }
  const pages = ['/', '/queue', `/cases/${id}`, '/decisions', `/decisions/${id}`, '/policies', '/policies/onboarding'];
  for (const path of [...pages, '/reference/facts']) {
    expect((await lead.get(path)).status, path).toBe(200);
  }
  expect(await stateOf()).toEqual(before);
});

test('who takes away a test or an evidence pack of a decision is on record, and nothing of an erased one', async () => {
  const workbench = await startReview();
  const { enter, id, service } = workbench;
  const { place, log } = service.records ?? {};
  if (!place || !log) throw new Error('no log');
  const lead = await enter('lead');
  const before = await onRecord(workbench);
  for (const file of ['test', 'pack']) expect((await lead.get(`/decisions/${id}/${file}`)).status).toBe(200);
  expect(await onRecord(workbench)).toEqual([...before, 'data.revealed', 'data.revealed']);
  const taken = await listEvents(place, { types: ['data.revealed'] });
  const event = { object: id, by: PEOPLE.lead.name, why: '', details: {} };
  expect(taken).toMatchObject([
    { ...event, detail: 'test' },
    { ...event, detail: 'pack' },
  ]);
  await eraseSubject({ log, subject: APPLICANT.phoneNo });
  const erased = await onRecord(workbench);
  expect((await lead.get(`/decisions/${id}/pack`)).status).toBe(200);
  expect(await onRecord(workbench)).toEqual(erased);
});

test('a request with a cookie and a key is refused, on pages and before anything is done', async () => {
  const workbench = await sharedReview();
  const { id, key } = workbench;
  const rita = await holdingShared(workbench);
  const before = await onRecord(workbench);
  const both = { authorization: `Bearer ${await key(['audit'], 'ann')}`, 'sec-fetch-site': 'same-origin' };
  expect((await rita.get(`/decisions/${id}`, both)).status).toBe(400);
  expect((await rita.post(`/decisions/${id}/reveal`, { why: WHY }, both)).status).toBe(400);
  expect(await onRecord(workbench)).toEqual(before);
});

test('no field leads out of the service', async () => {
  const workbench = await sharedReview();
  const { enter, id } = workbench;
  const [lead, rita] = [await enter('lead'), await holdingShared(workbench)];
  const evil = ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '\r\nx: y'];
  for (const text of evil) {
    const found = await lead.post('/decisions/find', { by: 'id', text });
    expect(found.headers.get('location') ?? '/', text).toMatch(/^\/(?![/\\])[\w%().-]*(?:\/[\w%().-]*)?$/);
    const done = await lead.get(`/queue?done=${encodeURIComponent(text)}`);
    expect(done.status).toBe(200);
    expect(all(readServed(done.text), 'div', 'done')).toEqual([]);
    const filtered = await lead.get(`/decisions?rule=${encodeURIComponent(text)}`);
    readServed(filtered.text);
    const given = await lead.post(`/cases/${id}/reassign`, { to: text, why: WHY });
    expect(given.headers.get('location') ?? `/cases/${id}?done=reassigned`).toBe(`/cases/${id}?done=reassigned`);
  }
  expect((await rita.get('/queue?done=__proto__')).status).toBe(200);
});

/** What an id is not. */
const TRICKS = ['..', '..%2f..%2fetc%2fpasswd', '%00', '%', 'constructor', '__proto__', 'x'.repeat(201), "' or 1=1 --"];

test('a path with a trick in it is of nothing', async () => {
  const { enter, url } = await shared();
  const lead = await enter('lead');
  await expect.poll(async () => (await lead.get('/queue')).status).toBe(200);
  const pages = ['/decisions/{id}', '/cases/{id}', '/policies/{id}', '/reference/{id}', '/decisions/{id}/pack'];
  for (const id of TRICKS) {
    for (const path of pages.map((each) => each.replace('{id}', id))) {
      // A browser and `fetch` take `..` away before they send a path.
      const answer = await rawGet(url, lead.cookie, path);
      expect(answer.status, path).toBeOneOf([400, 404]);
      expect(answer.text).not.toMatch(/root:|ENOENT|SQLITE|node_modules/);
    }
    const form = { token: '1', disposition: 'approve', reason: 'Identity document seen' };
    if (!id.includes('.')) expect((await lead.post(`/cases/${id}/resolve`, form)).status).toBeOneOf([400, 404]);
  }
});

/** A request whose path is sent as it is. */
async function rawGet(url: string, cookie: string, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path: path.replaceAll(' ', '%20'), headers: { cookie } }).end();
  const [answer] = await once(sent, 'response');
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode ?? 0, text };
}

test('a form that no page has is refused, with a page that says what was expected', async () => {
  const workbench = await sharedReview();
  const { id, url } = workbench;
  const rita = await holdingShared(workbench);
  const before = await onRecord(workbench);
  const path = `/cases/${id}/resolve`;
  const send = async (body: string, type = 'application/x-www-form-urlencoded') => {
    const headers = { cookie: rita.cookie, 'content-type': type, 'sec-fetch-site': 'same-origin' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body, redirect: 'manual' });
    const text = await answer.text();
    readServed(text);
    return [answer.status, textOf(readServed(text))] as const;
  };
  const form = { csrf: rita.csrf, token: '1', disposition: 'approve', why: 'My own words.' };
  const encoded = String(new URLSearchParams(form));
  const refusals: readonly (readonly [string, number, RegExp, string?])[] = [
    [`${encoded}&token=2`, 400, /twice/],
    [JSON.stringify(form), 415, /not a form/, 'application/json'],
    [encoded, 415, /not a form/, 'text/plain'],
    [`${encoded}&extra=1`, 400, /Unknown key "extra"; expected token, disposition, reason, why.*My own words\./is],
    [`${encoded}&__proto__=1`, 400, /unknown key; expected token.*My own words\./is],
    [encoded.replace('approve', 'fraud'), 400, /disposition: expected one of approve, decline.*My own words\./is],
    [encoded.replace('token=1', 'token=one'), 400, /token: found .*expected.*My own words\./is],
    [encoded.replace('My+own+words.', ''), 400, /needs a reason or own words/i],
    [`${encoded}${'x'.repeat(10_001)}`, 400, /why: expected at most 10000 characters/i],
    [`${encoded}${'x'.repeat(2 ** 20)}`, 413, /too large/],
    ['', 403, /not one of this session/],
  ];
  for (const [body, status, words, type] of refusals) {
    const [found, text] = await send(body, type);
    expect(found, `${body.slice(0, 200)} ${type}`).toBe(status);
    expect(text).toMatch(words);
  }
  // The fields of an act are those of its body in the API, as texts.
  const { text } = await rita.post(`/cases/${id}/release`, { token: '1', skip: 'maybe', why: 'x' });
  expect(textOf(readServed(text))).toMatch(/skip: found string, expected boolean; Unknown key "why".*token, skip/is);
  expect(await onRecord(workbench)).toEqual(before);
});

test('a name that nothing has is misspelt, and not a search without a result', async () => {
  const { decide, enter, service } = await sharedReview();
  await decide('A-2');
  await service.records?.follower.catchUp();
  const lead = await enter('lead');
  const nobody = 'neither a decision on record nor a policy in force has that name';
  for (const [query, words] of [
    ['code=PORTED_AND_RISKY_EMIAL', `Reason: ${nobody}; did you mean "PORTED_AND_RISKY_EMAIL"?`],
    ['rule=port-and-emial&outcome=review', `Rule that fired: ${nobody}; did you mean "port-and-email"?`],
    ['undetermined=dark-web', `Rule undetermined: ${nobody}`],
    ['policy=onbording', `Policy: ${nobody}; did you mean "onboarding"?`],
    ['policy=onboarding@0', `Policy: ${nobody}`],
    ['code=%2B12025550102', `Reason: ${nobody}.`],
  ] as const) {
    const answer = await lead.get(`/decisions?${query}`);
    expect([query, answer.status]).toEqual([query, 400]);
    expect(messageOf(answer).replace(/Found.*/, '.')).toContain(words.replace(/\.$/, ''));
    expect(all(readServed(answer.text), 'input').some(({ attributes: { value } }) => value?.includes('@0'))).toBe(
      query.endsWith('@0'),
    );
  }
  // Of the policy in force, but of no decision; any rule at all; and both policies on record.
  const rule = service.policies.get('onboarding')?.watched.policy.rules.at(-1)?.id;
  for (const query of [`rule=${rule}`, 'code=SCORE', 'undetermined=*&outcome=reject', 'policy=onboarding']) {
    const answer = await lead.get(`/decisions?${query}`);
    expect([query, answer.status]).toEqual([query, 200]);
  }
  const page = readServed((await lead.get('/decisions')).text);
  const suggested = all(page, 'datalist').map((list) => [
    list.attributes['id'],
    all(list, 'option').map(({ attributes }) => attributes['value']),
  ]);
  expect(Object.fromEntries(suggested)).toMatchObject({
    'known-code': expect.arrayContaining(['DEFAULT', 'PORTED_AND_RISKY_EMAIL']),
    'known-rule': expect.arrayContaining(['port-and-email', rule]),
    'known-policy': expect.arrayContaining(['onboarding', expect.stringMatching(/^onboarding@/)]),
  });
});

test('the list of decisions begins with their references, as far as they can be read', async () => {
  const { id, decide, enter, service } = await startReview();
  const { log } = service.records as NonNullable<typeof service.records>;
  const second = String((await decide('A-2')).body['id']);
  await service.records?.follower.catchUp();
  const named = async () => {
    const page = readServed((await (await enter('reader')).get('/decisions')).text);
    return all(page, 'a', 'reference').map((each) => [textOf(each), each.attributes['title']]);
  };
  expect(await named()).toEqual([
    ['A-2', second],
    ['A-1', id],
  ]);
  await eraseSubject({ log, reference: 'A-1' });
  await service.records?.follower.catchUp();
  expect((await named())[1]).toEqual([`…${id.slice(-12)}`, id]);
});

test('a rule has a page: what it did, beside which, what people say, its decisions, and its text', async () => {
  const lines = [
    ...['policy: onboarding', 'version: "1"', 'default: accept', 'rules:'],
    '  - { id: quiet, when: { email.address.riskLevel: low }, then: reject }',
    '  - { id: risky, when: { email.address.riskLevel: high }, then: review, reason: SEEN }',
    ...['tables:', '  - id: levels', '    columns: [email.address.riskLevel, then]', '    rows: [[high, review]]'],
  ];
  const rules = rulesWith(`${lines.join('\n')}\n`);
  const workbench = await startWorkbench({ rules, policies: '{ onboarding: onboarding.yaml }' });
  const { decide, enter, service } = workbench;
  for (const n of [1, 2, 3]) await decide(`A-${n}`);
  await service.records?.follower.catchUp();
  const [editor, otto, approver] = [await enter('editor'), await enter('otto'), await enter('approver')];
  const risky = '/policies/onboarding/rules/risky';
  const links = all(readServed((await editor.get('/policies/onboarding')).text), 'a').flatMap(
    ({ attributes: { href } }) => (href?.startsWith('/policies/onboarding/rules/') ? [href] : []),
  );
  expect(links).toEqual(['quiet', 'risky', 'levels%2F1'].map((id) => `/policies/onboarding/rules/${id}`));
  for (const path of links) expect((await editor.get(path)).status, path).toBe(200);
  for (const path of ['/policies/onboarding/rules/none', '/policies/none/rules/risky']) {
    expect((await editor.get(path)).status, path).toBe(404);
  }
  const decided = all(readServed((await otto.get('/decisions')).text), 'a', 'reference');
  const ids = decided.map(({ attributes }) => attributes['title']);
  const lead = await enter('lead');
  await lead.post(`/decisions/${ids[0]}/note`, { disposition: 'fraud', why: WHY });
  await lead.post(`/decisions/${ids[1]}/note`, { disposition: 'genuine', why: WHY });
  await service.records?.follower.catchUp();
  const page = await otto.get(risky);
  const text = messageOf(page);
  expect(text).toContain('Of the 3 decisions in which it fired:');
  expect(text).toContain('Approved by reviewersnone yet');
  expect(text).toMatch(
    /Frauds among those with a label50\.0 % \(\d+\.\d % to \d+\.\d % with 95 % confidence\): 1 of 2/,
  );
  expect(text).toContain('Of its newest 3 decisions, those in which another rule fired too');
  expect(text).toContain('levels/1100.0 %');
  expect(text).not.toMatch(/quiet/);
  expect(text).toContain('3, fired 100.0 %, undetermined 0.0 %');
  expect(text).toContain(lines[5]);
  expect(all(readServed(page.text), 'a', 'reference').map(textOf)).toEqual(['A-3', 'A-2', 'A-1']);
  // Who approves policies opens no decision, and sees no text that may name people.
  const seen = messageOf(await approver.get(risky));
  expect(seen).toContain('Of the 3 decisions in which it fired:');
  expect(seen).not.toMatch(/A-3|Last decisions|Its text/);
  expect(messageOf(await editor.get('/policies/onboarding/rules/quiet'))).toContain('It has fired in no decision.');
});

test('an undetermined rule leads to its decisions, and names a case only if nothing else decided', async () => {
  const lines = [
    ...['policy: onboarding', 'version: "1"', 'default: accept', 'score: { review: 5 }'],
    'facts: { context.device: { type: string } }',
    'rules:',
    '  - { id: seen, when: { context.device: { is: a1 } }, then: review, reason: A_DEVICE }',
    '  - { id: risky, when: { email.address.riskLevel: high }, points: 5 }',
    '  - { id: tried, when: { email.address.riskLevel: high }, then: reject, mode: shadow }',
  ];
  const rules = rulesWith(`${lines.join('\n')}\n`);
  const workbench = await startReview({ rules, policies: '{ onboarding: onboarding.yaml }' });
  const { enter, id, service } = workbench;
  const [otto, lead, editor] = [await enter('otto'), await enter('lead'), await enter('editor')];
  const searched = await otto.get('/decisions?code=A_DEVICE&outcome=review');
  expect(messageOf(searched)).toContain('The code is of the rule seen: it could not be determined in 1 decision.');
  expect(searched.text).toContain('href="/decisions?outcome=review&amp;undetermined=seen"');
  expect(messageOf(await otto.get('/decisions?code=A_DEVICE&outcome=reject'))).not.toContain('could not be');
  const open = await otto.get('/policies/onboarding/rules/seen');
  expect(messageOf(open)).toContain('In the last 30 days it could not be determined in 1 decision.');
  expect(open.text).toMatch(/href="\/decisions\?undetermined=seen&amp;from=[\d-]+&amp;to=[\d-]+"/);
  expect(messageOf(await editor.get('/policies/onboarding/rules/tried'))).toMatch(/audit shadow LOG --rule tried/);
  expect(messageOf(await editor.get('/policies/onboarding?fired=no'))).toContain('1 of 3 rules.');
  expect(messageOf(await lead.get(`/cases/${id}`))).toMatch(/A-1 · .+ · Score/);
  // The score is read from the record by itself.
  await expect.poll(() => service.records?.cases.undescribed(1)).toEqual([]);
  expect(messageOf(await lead.get('/queue'))).toMatch(/A-1 default.*SCORE5/s);
});

test('what decisions of today share is counted by its hashes, and shown masked', async () => {
  const { enter, decide, service } = await startReview();
  for (const n of [2, 3]) await decide(`A-${n}`);
  const otto = await enter('otto');
  const page = await otto.get('/today');
  const text = messageOf(page);
  expect(text).toContain('3 decisions since midnight, UTC.');
  expect(text).toMatch(/Phone numbers that are in most decisions.*\+1••••••\d{3}3100.0 %0.0 %/s);
  expect(text).toMatch(/Mailboxes that are in most decisions.*d•••@•••3100.0 %/s);
  for (const personal of Object.values(APPLICANT)) expect(page.text).not.toContain(personal);
  // Within a minute nobody counts again.
  await decide('A-4');
  await service.records?.follower.catchUp();
  expect(messageOf(await otto.get('/today'))).toContain('3 decisions since midnight, UTC.');
  expect((await (await enter('approver')).get('/today')).status).toBe(403);
  expect(messageOf(await otto.get('/'))).toContain('What is seen most today');
});

test('a filter that is not one is named, and the form keeps what was typed', async () => {
  const workbench = await sharedReview();
  const lead = await workbench.enter('lead');
  const fieldsOf = (text: string) =>
    Object.fromEntries(all(readServed(text), 'input').map(({ attributes: a }) => [a['name'] ?? '', a['value']]));
  for (const [query, words, kept] of [
    ['outcome=maybe&rule=port', /outcomes has to be some of accept, review, reject/, { rule: 'port' }],
    ['disposition=x&rule=port', /dispositions has to be some of approve, decline/, { rule: 'port' }],
    ['from=yesterday&code=X', /from has to be a calendar day/, { code: 'X', from: 'yesterday' }],
    ['from=2026-02-01&to=2026-01-01', /`from` is later than `to`/, { from: '2026-02-01', to: '2026-01-01' }],
    ['after=x&policy=onboarding', /the cursor is not one that `next` gave/, { policy: 'onboarding' }],
  ] as const) {
    const { status, text } = await lead.get(`/decisions?${query}`);
    expect([query, status]).toEqual([query, 400]);
    expect(textOf(readServed(text))).toMatch(words);
    expect(fieldsOf(text)).toMatchObject(kept);
  }
  for (const [path, words] of [
    ['/decisions?reference=A-1', /unknown key "reference"; expected from, to, outcome/i],
    ['/decisions?outcome=accept&outcome=reject', /twice/i],
    ['/policies/onboarding?facts=x', /unknown key "facts".*expected fact, then/i],
    ['/queue?after=W10', /cursor/i],
    ['/?x=1', /no field was expected/i],
  ] as const) {
    const answer = await lead.get(path);
    expect([path, answer.status]).toEqual([path, 400]);
    expect(messageOf(answer)).toMatch(words);
  }
});

test('every page and every refusal has the headers that keep it to itself', async () => {
  const workbench = await sharedReview();
  const { enter, id, service, url } = workbench;
  const lead = await enter('lead');
  const reader = await enter('reader');
  const answers = [
    await lead.get('/'),
    await lead.get(`/decisions/${id}`),
    await lead.get(`/decisions/${id}/pack`),
    await lead.get('/queue?x=1'),
    await new Visitor(url).get('/queue'),
    await new Visitor(url).get('/sign-in'),
    await reader.get('/queue'),
    await lead.get('/decisions/none'),
    await lead.get('/invited/none'),
    await lead.post('/queue/take'),
    await lead.post('/queue/take', { csrf: 'x' }),
  ];
  const broken = vi.spyOn(service.records?.cases as object as { counts: () => Promise<never> }, 'counts');
  broken.mockRejectedValue(new Error('a secret of the service'));
  answers.push(await lead.get('/queue'));
  broken.mockRestore();
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 400, 401, 401, 403, 404, 404, 303, 403, 500]);
  for (const { headers, text, status } of answers) {
    const policy = String(headers.get('content-security-policy'));
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toMatch(
      /base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types/,
    );
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers.get('strict-transport-security')).toBe(null);
    expect(text).not.toContain('a secret of the service');
    if (status >= 400) readServed(text);
  }
});

test('over TLS browsers keep to it, and the cookie goes nowhere else', async () => {
  const { ca, service } = await certificates();
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  writeFileSync(join(folder, 'tls.crt'), service.cert);
  writeFileSync(join(folder, 'tls.key'), service.key);
  const more = `tls: { certFile: ${folder}/tls.crt, keyFile: ${folder}/tls.key }`;
  const invited = new Map<string, Person>([['rita', PEOPLE.rita]]);
  const { url } = await startTestService({ audit: true, more, invited });
  const [answer] = await once(get(`${url}/invited/rita`, { ca, agent: false }), 'response');
  answer.resume();
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
  expect(answer.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-verdict=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
  ]);
});

test('what pages load is kept for ever under a name of its content', async () => {
  const { enter } = await shared();
  const rita = await enter('rita');
  const page = readServed((await rita.get('/reference/facts')).text);
  const paths = [
    ...all(page, 'link').map(({ attributes: a }) => a['href']),
    ...all(page, 'script').map(({ attributes: a }) => a['src']),
  ];
  expect(paths).toHaveLength(2);
  for (const path of paths) {
    const { status, headers, text } = await rita.get(String(path));
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(headers.get('content-type')).toMatch(/^text\/(?:css|javascript); charset=utf-8$/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text.length).toBeGreaterThan(1000);
  }
  expect((await rita.get('/assets/000000000000.js')).status).toBe(404);
});

test('who reveals, and who searches for a person, is on record before they see anything', async () => {
  const workbench = await startReview();
  const { enter, id, service } = workbench;
  const [otto, rita] = [await enter('otto'), await holding(workbench)];
  expect((await otto.get(`/decisions/${id}`)).text).not.toMatch(PERSONAL);
  expect((await otto.post(`/decisions/${id}/reveal`, { why: WHY })).text).toMatch(PERSONAL);
  expect((await rita.post(`/cases/${id}/reveal`, { why: WHY })).text).toMatch(PERSONAL);
  expect((await rita.post(`/cases/${id}/reveal`)).status).toBe(400);
  expect((await otto.post('/decisions/find', { by: 'email', text: APPLICANT.email })).headers.get('location')).toBe(
    `/decisions/${id}`,
  );
  expect((await otto.post('/decisions/find', { by: 'reference', text: 'A-1' })).status).toBe(303);
  expect(await onRecord(workbench)).toEqual(['data.revealed', 'data.revealed', 'subject.searched']);
  const { place = { dir: '' } } = service.records ?? {};
  const about = await listEvents(place, { subject: APPLICANT.email });
  expect(about.flatMap(({ type }) => (OF_THE_HOUSE.includes(type) ? [] : type))).toEqual([
    'data.revealed',
    'data.revealed',
    'subject.searched',
  ]);
  const record = readServed((await otto.get(`/decisions/${id}`)).text);
  const events = all(record, 'table').find(
    ({ attributes: a }) => a['id'] === 'events' || a['aria-labelledby'] === 'events',
  );
  const rows = textOf(events ?? record);
  for (const { name } of [PEOPLE.otto, PEOPLE.rita]) expect(rows).toContain(name);

  await service.audit?.close();
  for (const [visitor, path, form] of [
    [otto, `/decisions/${id}/reveal`, { why: WHY }],
    [rita, `/cases/${id}/reveal`, { why: WHY }],
    [otto, '/decisions/find', { by: 'email', text: 'd.marsh@copper-kettle.test' }],
  ] as const) {
    const answer = await visitor.post(path, form);
    expect(answer.status, path).toBe(503);
    expect(answer.text).not.toMatch(/2025550102|@copper-kettle\.example|203\.0\.113/);
    expect(answer.headers.get('location')).toBe(null);
  }
});

/** Runs something -> what it asks of the index and of the cases, by name. The follower asks for other things. */
async function workOf({ service }: TestWorkbench, run: () => Promise<unknown>): Promise<readonly string[]> {
  const { index, cases } = { ...service.records };
  if (!index || !cases) throw new Error('the service has no records');
  const spies = [
    ...(['find', 'search', 'dayCounts', 'entries'] as const).map((name) => [name, vi.spyOn(index, name)] as const),
    ...(['get', 'held', 'list', 'counts'] as const).map((name) => [name, vi.spyOn(cases, name)] as const),
  ];
  await run();
  const asked = spies.flatMap(([name, { mock }]) => mock.calls.map(() => name));
  for (const [, spy] of spies) spy.mockRestore();
  return asked;
}

test('the address of a record in the API leads a browser to its page, and gives a key that asks for one a page', async () => {
  const { ask, enter, id, key, url } = await sharedReview();
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const rita = await enter('rita');
  const sent = await rita.get(`/v1/decisions/${id}`, { accept });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `/decisions/${id}`]);
  expect((await rita.get(`/decisions/${id}`)).status).toBe(200);
  const odd = await new Visitor(url).get('/v1/decisions/%2f%2fevil.example%3f', { accept });
  expect([odd.status, odd.headers.get('location')]).toEqual([303, '/decisions/%2F%2Fevil.example%3F']);
  const answerTo = (headers: Record<string, string>, more = {}) =>
    ask('GET', `/v1/decisions/${id}`, undefined, { headers, ...more });
  const page = await answerTo({ accept });
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.text.replaceAll('<wbr>', '')).toContain('PORTED_AND_RISKY_EMAIL');
  expect(page.text).not.toMatch(/2025550102|d\.marsh|203\.0\.113|<form|<script/);
  expect((await answerTo({ accept: 'application/json, text/html;q=0.5' })).body).toMatchObject({ record: { id } });
  expect((await answerTo({ accept }, { key: await key(['decide']) })).body).toMatchObject({ record: { id } });
  expect((await answerTo({ accept: 'application/json' }, { key: '' })).status).toBe(401);
});

test('a search for a person costs the same, whether there is one or not', async () => {
  const workbench = await startReview();
  const { enter, ask, key } = workbench;
  // What is read for the queue's list meanwhile is work too.
  await expect.poll(() => workbench.service.records?.cases.undescribed(1)).toEqual([]);
  const people = [
    ['phoneNo', APPLICANT.phoneNo, '+12025550199'],
    ['email', APPLICANT.email, 'd.marsh@copper-kettle.test'],
    ['ip', APPLICANT.ip, '203.0.113.13'],
  ] as const;
  for (const who of ['reader', 'rita', 'otto'] as const) {
    const visitor = await enter(who);
    for (const [by, known, unknown] of people) {
      const answers: Visited[] = [];
      const find = (text: string) =>
        workOf(workbench, async () => {
          answers.push(await visitor.post('/decisions/find', { by, text }));
        });
      const [before, work, other] = [await onRecord(workbench), await find(known), await find(unknown)];
      const added = (await onRecord(workbench)).slice(before.length);
      expect([who, by, work]).toEqual([who, by, other]);
      expect([who, work, added]).toEqual(
        who === 'otto' ? [who, ['search'], ['subject.searched', 'subject.searched']] : [who, [], []],
      );
      // Who may not search is answered the same; who may is told.
      expect(answers.map(({ status }) => status)).toEqual(who === 'otto' ? [303, 200] : [403, 403]);
      if (who !== 'otto') expect(answers[0]?.text).toBe(answers[1]?.text.replace(unknown, known));
    }
  }
  const reader = await key(['read'], 'reader');
  for (const [, ...texts] of people) {
    for (const subject of texts) {
      const search = () => ask('POST', '/v1/decisions/search', { subject }, { key: reader });
      expect(await workOf(workbench, async () => expect((await search()).status).toBe(403))).toEqual([]);
    }
  }
});

test('a case that is lost while its reviewer decides keeps their words, and records nothing', async () => {
  const workbench = await sharedReview();
  const { enter, id } = workbench;
  const before = await onRecord(workbench);
  const [rita, raj] = [await holdingShared(workbench), await enter('raj')];
  await rita.post(`/cases/${id}/release`, { token: '1', skip: 'true' });
  await raj.post(`/cases/${id}/take`);
  const form = { token: '1', disposition: 'decline', reason: 'Could not be reached', why: `${WHY} </textarea><b>` };
  const late = await rita.post(`/cases/${id}/resolve`, form);
  expect(late.status).toBe(409);
  const text = messageOf(late);
  for (const words of [
    `${WHY} </textarea><b>`,
    'decline',
    'Could not be reached',
    'nothing was recorded',
    'Raj Mehta has it',
  ]) {
    expect(text).toContain(words);
  }
  expect(all(readServed(late.text), 'form').map(({ attributes: a }) => a['action'])).not.toContain(
    `/cases/${id}/resolve`,
  );
  expect(await onRecord(workbench)).toEqual(before);

  await raj.post(`/cases/${id}/resolve`, { token: '2', disposition: 'approve', reason: 'Identity document seen' });
  const later = await rita.post(`/cases/${id}/resolve`, form);
  expect(later.status).toBe(409);
  expect(messageOf(later)).toContain('It is resolved: approved');
  expect(await onRecord(workbench)).toEqual([...before, 'approve']);
});

test('a case whose record was erased says what remains, and can be resolved', async () => {
  const workbench = await startReview();
  const { id, service } = workbench;
  const rita = await holding(workbench);
  const { log } = { ...service.records };
  if (log) await eraseSubject({ log, subject: APPLICANT.email });
  const page = await rita.get(`/cases/${id}`);
  expect(page.status).toBe(200);
  expect(page.text).not.toMatch(/2025550102|d\.marsh|203\.0\.113|d•••/);
  expect(messageOf(page)).toMatch(/facts were erased.*What can be read.*port-and-email/s);
  const gone = await rita.post(`/cases/${id}/reveal`, { why: WHY });
  expect([gone.status, messageOf(gone).includes(WHY)]).toEqual([410, true]);
  const otto = await workbench.enter('otto');
  expect((await otto.get(`/decisions/${id}/test`)).status).toBe(410);
  const resolved = await rita.post(`/cases/${id}/resolve`, {
    token: '1',
    disposition: 'decline',
    reason: 'Could not be reached',
  });
  expect(resolved.status).toBe(303);
  expect(await onRecord(workbench)).toContain('decline');
});

test('a session that ends while somebody writes keeps their words on the page', async () => {
  const workbench = await sharedReview();
  const { id, url } = workbench;
  const before = await onRecord(workbench);
  const rita = await holdingShared(workbench);
  const twin = new Visitor(url);
  twin.cookie = rita.cookie;
  twin.csrf = rita.csrf;
  await rita.post('/sign-out');
  for (const [path, form] of [
    [`/cases/${id}/resolve`, { token: '1', disposition: 'approve', why: WHY }],
    [`/decisions/${id}/note`, { disposition: 'genuine', why: WHY }],
    [`/cases/${id}/reveal`, { why: WHY }],
  ] as const) {
    const answer = await twin.post(path, form);
    expect([path, answer.status]).toEqual([path, 401]);
    expect(messageOf(answer)).toContain(WHY);
  }
  expect(await onRecord(workbench)).toEqual(before);
});

/** The shipped mapping with a policy of one's own. */
function rulesWith(policy: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rules-'));
  writeFileSync(join(folder, 'signals.yaml'), readFileSync(join(quickRules(), 'signals.yaml')));
  writeFileSync(join(folder, 'onboarding.yaml'), policy);
  return folder;
}

test('versions that decided are compared: which rules are new, removed or changed, in words', async () => {
  const HEAD = 'policy: onboarding\nversion: "1"\ndefault: accept\nlists:\n  near: [DE, FR]\nrules:\n';
  const GONE = '  - { id: gone, when: { email.address.riskLevel: high }, then: reject }\n';
  const voip = (then: string) => `  - { id: voip, when: { phone.type: voip }, then: ${then} }\n`;
  const NEAR = '  - { id: near, when: { ip.country: { inList: near } }, then: review }\n';
  const rules = rulesWith(HEAD + GONE + voip('review') + NEAR);
  const workbench = await startWorkbench({ rules, policies: '{ onboarding: onboarding.yaml }' });
  const { decide, enter, service } = workbench;
  const { status } = await decide('A-1');
  expect(status).toBe(200);
  const added = '  - { id: fresh, when: { phone.porting.portedDate: { withinLast: 9 days } }, then: review }\n';
  const edited = HEAD.replace('"1"', '"2"').replace('FR', 'GB') + voip('reject') + NEAR + added;
  writeFileSync(join(rules, 'onboarding.yaml'), edited);
  await expect.poll(() => service.policies.get('onboarding')?.watched.policy.version).toBe('2');
  const path = '/policies/onboarding/compare?old=1&now=2';
  const reader = await enter('reader');
  expect((await reader.get(path)).status).toBe(404);
  await decide('A-2');
  // Once the index has the second decision.
  const linkInHistory = async () =>
    /id="history".*?href="([^"]+)"/s.exec((await reader.get('/policies/onboarding')).text)?.[1];
  await expect.poll(linkInHistory).toBe(path.replaceAll('&', '&amp;'));
  const page = messageOf(await reader.get(path));
  expect(page).toContain('Rule fresh is new: review if phone.porting.portedDate lies within the last 9 days.');
  expect(page).toMatch(/Rule gone is removed: reject if /);
  expect(page).toMatch(/Rule voip.* is now reject/);
  expect(page).toContain('Other entries, which your roles do not show, in near.');
  expect(messageOf(await (await enter('editor')).get(path))).toContain('List near: entry GB is new.');
  expect((await reader.get('/policies/onboarding/compare?old=1&now=9')).status).toBe(404);
  expect((await reader.get('/policies/onboarding/compare?old=1')).status).toBe(400);
});

test('while the index is made, each page says so and fills itself, and Home says how far it is', async () => {
  const { enter, service } = await sharedReview();
  const { index, follower } = service.records as NonNullable<typeof service.records>;
  const reader = await enter('reader');
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(follower, 'isReady', 'get').mockReturnValue(false);
  vi.spyOn(index, 'behind').mockResolvedValue(12_340_000);
  const home = await reader.get('/');
  const decisions = await reader.get('/decisions');
  expect([home.status, decisions.status]).toEqual([200, 503]);
  expect(messageOf(home)).toMatch(/being made: \d+ entries so far, 12.3 MB of the log to go. This page fills itself./);
  expect(messageOf(home)).toContain('onboarding');
  expect(messageOf(home)).not.toMatch(/Nothing was missing|No case is waiting|0 decisions/);
  expect(messageOf(decisions)).toContain('The index of the log is being made');
  for (const { text } of [home, decisions]) {
    expect(text).toContain('<noscript id="filling"><meta http-equiv="refresh" content="2"></noscript>');
  }
  vi.restoreAllMocks();
  expect((await reader.get('/')).text).not.toContain('http-equiv="refresh"');
});

test('references in doubt wait on Home, with what to do, but for those whose decision is on record', async () => {
  const { id, enter, service } = await sharedReview();
  const { references } = service;
  const reader = await enter('reader');
  for (const [key, decision] of [
    ['recorded', id],
    ['one', '01a1f8d4-f5e8-7000-8000-000000000001'],
  ] as const) {
    await references.claim({ key, question: 'q', decision, resend: false });
    expect(messageOf(await reader.get('/'))).not.toContain('in doubt');
    await references.doubt(key, decision);
  }
  const { text } = await reader.get('/');
  expect(textOf(readServed(text))).toContain('1 reference is in doubt: the call may have been billed');
  expect((await reader.get('/problems/reference-in-doubt')).status).toBe(200);
  expect(text).toContain('href="/problems/reference-in-doubt"');
});

test('who signed in with which roles, and who had which keys, is on record', async () => {
  const workbench = await startWorkbench();
  const { service, key } = workbench;
  await workbench.enter('rita');
  await workbench.enter('lead');
  await key(['audit', 'read'], 'night');
  const place = service.records?.place ?? { dir: '' };
  const eventsOf = async (type: 'session.begun' | 'key.changed') =>
    (await listEvents(place, { types: [type] })).map(({ by, details }) => [by, details]);
  expect(await eventsOf('session.begun')).toEqual([
    [PEOPLE.rita.name, { roles: PEOPLE.rita.roles.join(', ') }],
    [PEOPLE.lead.name, { roles: PEOPLE.lead.roles.join(', ') }],
  ]);
  await expect.poll(async () => (await eventsOf('key.changed')).length).toBe(2);
  const [atStart, then] = (await eventsOf('key.changed')).map(([, details]) => Object.values(details ?? {}).sort());
  expect(atStart).toEqual(['app: decide, read, edit']);
  expect(then).toEqual(['app: decide, read, edit', 'night: audit, read']);
});
