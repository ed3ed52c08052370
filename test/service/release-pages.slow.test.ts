/** Pages of releases, by forms alone: edits keep bytes, entries of lists, and who may do what. */

import { describe, expect, test, vi } from 'vitest';
import { homeOfLog, type OpenAuditLog } from '../../src/audit/log.ts';
import { VerdictError } from '../../src/errors.ts';
import { activate, addEvidence, propose, sayOf } from '../../src/release/acts.ts';
import type { DraftWorker } from '../../src/release/draft/worker.ts';
import type { Texts } from '../../src/release/files.ts';
import { openReleases } from '../../src/release/store.ts';
import type { Trust } from '../../src/release/trust.ts';
import { TINY } from '../support/release/releases.ts';
import { releaseShipped } from '../support/release/shipped.ts';
import { PEOPLE, startWorkbench, type TestWorkbench, type Visitor } from '../support/service/workbench/visitor.ts';

const TIGHTEN = 'tighten: { atMost: 100 %, confirmWithin: 1 hour }\n';
const WHY = 'Three of a ring used it.';

async function startReleased(files = TINY): Promise<TestWorkbench> {
  const { options } = await releaseShipped(files, TIGHTEN);
  return startWorkbench({ ...options, policies: '{ signup: signup.yaml }' });
}

const storeOf = ({ service }: TestWorkbench) => openReleases(homeOfLog(service.audit as OpenAuditLog));
const textOf = async (workbench: TestWorkbench, number: number, file: string) =>
  (await storeOf(workbench).read(number))?.content?.files[file];

/** The page of a release, once its evidence is made. */
async function withEvidence(visitor: Visitor, number: number): Promise<string> {
  await expect.poll(async () => (await visitor.get(`/releases/${number}`)).text).not.toContain('being made. This page');
  return (await visitor.get(`/releases/${number}`)).text;
}

const LIST = 'lists/people.txt';
const DEBTS = 'rule-sets/debts.yaml';
const withLeast = (least: number) => (TINY[DEBTS] ?? '').replace('80', String(least));

/** Begins a draft of a release, and resolves with its path; or with what refuses it. */
async function begin(visitor: Visitor, number: number) {
  await visitor.get(`/releases/${number}`);
  const answer = await visitor.post(`/releases/${number}/change`);
  return { path: answer.headers.get('location') ?? '', answer };
}

/** Edits a file of a release in a new draft, and proposes that. */
async function proposeEdit(visitor: Visitor, number: number, file: string, text: string) {
  const { path, answer } = await begin(visitor, number);
  if (path === '') return answer;
  return visitor.post(`${path}/edit`, { file, text, version: '1', title: 'An edit', do: 'propose' });
}

const shownIn = (page: string) => /<textarea id="text"[^>]*>\n([\s\S]*?)<\/textarea>/.exec(page)?.[1] ?? '';

const KEPT: Texts = {
  'line feeds': 'ann@mail.example\nbob@mail.example\n',
  'carriage returns and line feeds': 'ann@mail.example\r\nbob@mail.example\r\n',
  'no last line end': 'ann@mail.example\nbob@mail.example',
  'more than another form may have': `${'# Somebody else.\n'.repeat(5000)}bob@mail.example\n`,
  'a byte order mark, and a first line without a text': '\ufeff\nann@mail.example\t# first\nbob@mail.example\n',
};

const CHANGED: Texts = {
  'line ends of two kinds': 'ann@mail.example\r\nbob@mail.example\n',
  'characters that are not shown': 'ann@mail.example   # \u200bfirst\nbob@mail.example\n',
};

test('a text that is edited in the browser keeps its other bytes, and one that would not is not edited there', async () => {
  const listOf = (i: number) => `lists/${i}.txt`;
  const texts = Object.entries({ ...KEPT, ...CHANGED });
  const lists = Object.fromEntries(texts.map(([, text], i) => [listOf(i), text]));
  const workbench = await startReleased({ ...TINY, ...lists });
  const ana = await workbench.enter('editor');
  let last = 1;
  for (const [i, [what, text]] of texts.entries()) {
    const file = listOf(i);
    const { path } = await begin(ana, 1);
    const at = `${path}?file=${encodeURIComponent(file)}`;
    const { text: page } = await ana.get(at);
    // What a browser shows, and sends: without the first line break, and with both characters at each end of a line.
    const sent = shownIn(page).replace(/\r\n?/g, '\n').replaceAll('\n', '\r\n');
    const form = { file, version: '1', title: '' };
    const asItIs = await ana.post(`${path}/edit`, { ...form, text: sent, do: 'save' });
    if (Object.hasOwn(CHANGED, what)) {
      expect(page, what).toContain('A browser would change this file');
      expect(page, what).not.toContain('value="propose"');
      expect(asItIs.status, what).toBe(400);
      continue;
    }
    // The same bytes are no edit.
    expect(asItIs.text, what).toContain('name="version" value="1"');
    const other = { ...form, text: sent.replace('bob@', 'carl@'), title: 'Another person', do: 'propose' };
    last += 1;
    expect([what, (await ana.post(`${path}/edit`, other)).headers.get('location')]).toEqual([
      what,
      `/releases/${last}?done=proposed`,
    ]);
    expect(await textOf(workbench, last, file), what).toBe(text.replace('bob@', 'carl@'));
    expect((await ana.get(path)).status, what).toBe(404);
  }
});

describe('a draft', () => {
  test('that two people save at once is lost by neither, and both are authors of it', async () => {
    const workbench = await startReleased();
    const [ana, lead] = [await workbench.enter('editor'), await workbench.enter('lead')];
    const { path } = await begin(ana, 1);
    await lead.get(path);
    const save = (visitor: Visitor, least: number, version: number, act = 'save') =>
      visitor.post(`${path}/edit`, {
        ...{ file: DEBTS, text: withLeast(least), title: 'Debt', version: String(version), do: act },
      });
    expect((await save(ana, 70, 1)).status).toBe(200);
    for (const act of ['save', 'propose', 'accept', 'rebase']) {
      const { status, text } = await save(lead, 60, 1, act);
      expect([act, status]).toEqual([act, 412]);
      expect(text).toContain(`${PEOPLE.editor.subject} saved the draft in the meantime`);
      expect(shownIn(text)).toBe(withLeast(60));
      expect(text).toContain(withLeast(70));
      expect(text).toContain('name="version" value="2"');
    }
    expect((await storeOf(workbench).read(2))?.number).toBeUndefined();
    expect((await save(lead, 60, 2)).status).toBe(200);
    // Another process reads the policies: callers of this one do not wait for that.
    const asked = vi.spyOn(workbench.service.released?.worker as DraftWorker, 'ask');
    expect((await save(ana, 60, 3, 'propose')).headers.get('location')).toBe('/releases/2?done=proposed');
    expect(asked.mock.calls.map(([name]) => name)).toEqual(['policies']);
    expect(await textOf(workbench, 2, DEBTS)).toBe(withLeast(60));
    expect(await withEvidence(lead, 2)).toContain('You wrote it, so another person approves it.');
    const { authors } = JSON.parse((await storeOf(workbench).read(2))?.manifest ?? '');
    expect(authors).toEqual([PEOPLE.editor.subject, PEOPLE.lead.subject]);
  });

  test('is checked, tested and compared as it stands, and not saved by that', async () => {
    const workbench = await startReleased();
    const ana = await workbench.enter('editor');
    const { path } = await begin(ana, 1);
    const ask = async (act: string, text: string, file = DEBTS) => {
      const answer = await ana.post(`${path}/edit`, { file, text, version: '1', do: act, as: 'data' });
      return { status: answer.status, ...JSON.parse(answer.text) };
    };
    const wrong = await ask('check', withLeast(80).replace('atLeast', 'atleast'));
    expect(wrong.findings).toMatchObject([
      { severity: 'error', position: { line: 2, column: 41, length: 7 }, fix: [{ text: 'atLeast' }] },
    ]);
    const [page, id] = String(wrong.findings[0].why).split('#');
    expect((await ana.get(`${page}`)).text).toMatch(new RegExp(`<span id="${id}"><code[^>]*>unknown-<wbr>operator`));
    expect(wrong.findings[0].words).toContain(`${DEBTS}:2:41: error[unknown-operator]`);
    const { findings } = await ask('check', withLeast(70));
    expect(findings).toMatchObject([{ severity: 'warning', words: expect.stringContaining('[unknown-ignored]') }]);
    // It is in another file.
    expect(findings[0].position).toBeUndefined();
    expect(await ask('test', 'rules: [')).toMatchObject({
      status: 400,
      problem: expect.stringContaining('has errors'),
    });
    expect(await ask('test', withLeast(95))).toMatchObject({
      ...{ status: 200, version: 1 },
      tests: {
        words: '0 tests passed, 1 failed.',
        failed: ['signup.test.yaml:4: debt: outcome: expected review, found accept'],
        reached: [{ file: DEBTS, line: 2, share: 'part', open: expect.arrayContaining(['rule debt: fires']) }],
      },
    });
    const tried = async (facts: string) => {
      const form = { file: DEBTS, text: withLeast(70), version: '1', do: 'try', as: 'data', facts };
      return JSON.parse((await ana.post(`${path}/edit`, form)).text).tried;
    };
    expect((await tried('context.debt: 75'))[0]).toBe('signup: review');
    expect((await tried('context.debt: 60\r\napplicant.email: bob@mail.example'))[0]).toBe('signup: reject');
    expect(await tried('context.dept: 75')).toEqual([expect.stringContaining('did you mean')]);
    expect((await ask('compare', withLeast(95))).compared).toEqual({
      changes: [
        expect.stringContaining('atLeast 80 is now 95'),
        expect.stringContaining('review to accept'),
        expect.anything(),
      ],
      doubts: expect.arrayContaining([expect.stringContaining('milder: signup review to accept')]),
    });
    const flawed = await ana.post(`${path}/edit`, {
      file: DEBTS,
      text: 'rules: [',
      version: '1',
      title: 'x',
      do: 'propose',
    });
    expect([flawed.status, flawed.text]).toEqual([400, expect.stringContaining('Check says which')]);
    await ana.post(`${path}/edit`, { file: DEBTS, text: withLeast(80), version: '2', do: 'save' });
    const { text } = await ana.get(`${path}?file=${encodeURIComponent(DEBTS)}`);
    expect([shownIn(text), text.includes('name="version" value="3"')]).toEqual([withLeast(80), true]);
    // A process that ended is said as what it is, and the text stays.
    const { worker } = workbench.service.released ?? {};
    const why = 'the process that reads drafts has ended';
    const ended = vi.spyOn(worker as NonNullable<typeof worker>, 'ask');
    for (const act of ['check', 'test']) {
      ended.mockRejectedValueOnce(new VerdictError('SOLVER_FAILED', why));
      expect(await ask(act, withLeast(95))).toMatchObject({ status: 400, problem: expect.stringContaining(why) });
    }
    // The same for who has no script.
    const plain = await ana.post(`${path}/edit`, { file: DEBTS, text: withLeast(95), version: '1', do: 'test' });
    expect(plain.text).toContain('debt: outcome: expected review, found accept');
    const checked = await ana.post(`${path}/edit`, { file: DEBTS, text: withLeast(70), version: '1', do: 'check' });
    expect(checked.text).toContain('<a href="/reference/checks#check-unknown-ignored">Why?</a>');
    const words = JSON.parse((await ana.get(`${path}/words`)).text) as readonly { readonly name: string }[];
    const names = words.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['email.domain.firstSeen', 'withinLast', 'whenUnknown', 'people']));
    const [, version = ''] = /name="version" value="(\d+)"/.exec((await ana.get(path)).text) ?? [];
    const broken = { file: DEBTS, text: 'rules: [', version, title: 'Debt', do: 'propose' };
    expect((await ana.post(`${path}/edit`, broken)).text).toContain('A policy or a file of tests has errors');
  });

  test('gets the tests that are missing, and those that fail expect what is decided now', async () => {
    const tests = `policy: signup.yaml\nmapping: signals.yaml\nat: today\ntests:\n  - name: debt\n    facts: { context.debt: 90 }\n    expect: { outcome: review }\n`;
    const workbench = await startReleased({ ...TINY, 'signup.test.yaml': tests });
    const ana = await workbench.enter('editor');
    const { path } = await begin(ana, 1);
    const to = `${path}?file=signup.test.yaml`;
    const act = (text: string, version: number, what: string) =>
      ana.post(`${path}/edit`, { file: DEBTS, text, version: String(version), title: 'Debt', do: what });
    expect((await act(withLeast(95), 1, 'accept')).headers.get('location')).toBe(to);
    const accepted = shownIn((await ana.get(to)).text);
    expect(accepted).toBe(tests.replace('review', 'accept'));
    expect((await act(withLeast(95), 3, 'suggest')).headers.get('location')).toBe(to);
    const suggested = shownIn((await ana.get(to)).text);
    expect(suggested.startsWith(accepted)).toBe(true);
    expect(suggested).toMatch(/context.debt[\s\S]*review/);
    const nothing = await act(withLeast(95), 4, 'accept');
    expect([nothing.status, nothing.text]).toEqual([400, expect.stringContaining('No test fails')]);
  });
});

test('a draft is taken over to the release in force, unless that has another text of what was edited', async () => {
  const workbench = await startReleased();
  const [ana, ben] = [await workbench.enter('editor'), await workbench.enter('approver')];
  const same = await begin(ana, 1);
  // A draft without an edit is opened again.
  expect((await begin(ana, 1)).path).toBe(same.path);
  const act = (path: string, file: string, text: string, version: number, what: string) =>
    ana.post(`${path}/edit`, { file, text, version: String(version), title: 'An edit', do: what });
  await act(same.path, DEBTS, withLeast(60), 1, 'save');
  const other = await begin(ana, 1);
  await act(other.path, LIST, 'carl@mail.example\n', 1, 'save');
  expect((await proposeEdit(ana, 1, DEBTS, withLeast(70))).status).toBe(303);
  // Of a proposal that is overtaken, too.
  expect((await proposeEdit(ana, 1, LIST, 'dora@mail.example\n')).status).toBe(303);
  const { path: ofProposal } = await begin(ana, 3);
  await withEvidence(ben, 2);
  expect((await ben.post('/releases/2/say', { verdict: 'approve', read: 'yes' })).status).toBe(303);
  expect((await ben.post('/releases/2/activate')).status).toBe(303);
  await expect.poll(() => workbench.service.released?.inForce().number).toBe(2);

  const over = await act(other.path, LIST, 'carl@mail.example\n', 2, 'propose');
  expect([over.status, over.text]).toEqual([400, expect.stringContaining('Take its edits over to that release first')]);
  const both = await act(same.path, DEBTS, withLeast(60), 2, 'rebase');
  expect([both.status, both.text]).toEqual([400, expect.stringContaining(`has another text of ${DEBTS}`)]);
  expect((await act(other.path, LIST, 'carl@mail.example\n', 2, 'rebase')).text).toContain(
    'Draft of release <a href="/releases/2"',
  );
  const { headers } = await act(other.path, LIST, 'carl@mail.example\n', 3, 'propose');
  expect(headers.get('location')).toBe('/releases/4?done=proposed');
  expect([await textOf(workbench, 4, LIST), await textOf(workbench, 4, DEBTS)]).toEqual([
    'carl@mail.example\n',
    withLeast(70),
  ]);
  expect((await act(ofProposal, LIST, 'dora@mail.example\n', 1, 'rebase')).status).toBe(200);
  expect((await act(ofProposal, LIST, 'dora@mail.example\n', 2, 'propose')).headers.get('location')).toContain('/5');
  expect(await textOf(workbench, 5, LIST)).toBe('dora@mail.example\n');
  const discard = (version: string) => ana.post(`${same.path}/discard`, { version });
  expect((await discard('1')).text).toContain('has saved the draft since');
  expect((await discard('2')).headers.get('location')).toBe('/releases');
  expect((await ana.get(same.path)).status).toBe(404);
});

test('a value of a decision becomes an entry of a list, and is in force at once where that is stricter', async () => {
  const workbench = await startReleased();
  const decided = await workbench.decide('ring', { policy: 'signup' });
  const id = String(decided.body['id']);
  const rita = await workbench.enter('rita');
  await workbench.service.records?.follower.catchUp();
  const { text } = await rita.get(`/decisions/${id}`);
  expect(text).toContain('applicant.email to people');
  expect(text).not.toContain('d.marsh');
  const entry = { entry: 'applicant.email people', until: '2027-01-31', why: WHY };
  const added = await rita.post(`/decisions/${id}/list`, entry);
  expect(added.headers.get('location')).toBe('/releases/2?done=proposed');
  const line = 'd.marsh@copper-kettle.example until 2027-01-31\n';
  expect(await textOf(workbench, 2, LIST)).toBe(`${TINY[LIST]}${line}`);
  const other = await rita.post(`/decisions/${id}/list`, { entry: 'applicant.ip people', why: WHY });
  expect([other.status, other.text]).toEqual([400, expect.stringContaining('no such value, or no list takes it')]);

  const tess = await workbench.enter('tess');
  expect(await withEvidence(tess, 2)).toContain('Put in force at once, alone');
  expect((await tess.post('/releases/2/say', { verdict: 'tighten' })).headers.get('location')).toContain('done=said');
  await expect.poll(() => workbench.service.released?.inForce().number).toBe(2);
  expect((await workbench.decide('again', { policy: 'signup' })).body).toMatchObject({
    outcome: 'reject',
    policy: { release: 2 },
  });
  await workbench.service.records?.follower.catchUp();
  const cells = (await tess.get('/releases')).text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
  // Each decided one, and the first sent it to a person.
  expect([...cells.matchAll(/UTC (\d+ [\d.]+ %)/g)].map(([, each]) => each)).toEqual(['1 0.0 %', '1 100.0 %']);
  // A second person confirms it, and not the one who did it.
  expect((await tess.post('/releases/2/say', { verdict: 'confirm' })).status).toBe(403);
  const ben = await workbench.enter('approver');
  expect((await ben.get('/releases/2')).text).toContain('Confirm that it is right.');
  expect((await ben.post('/releases/2/say', { verdict: 'confirm' })).status).toBe(303);
  expect((await ben.get('/releases/2')).text).not.toContain('Confirm that it is right.');
});

test('a proposal is watched: what it would decide of the decisions since is counted, and no evidence', async () => {
  const workbench = await startReleased();
  await workbench.decide('before', { policy: 'signup', context: { debt: 75 } });
  const [ana, ben, otto] = [
    await workbench.enter('editor'),
    await workbench.enter('approver'),
    await workbench.enter('otto'),
  ];
  expect((await proposeEdit(ana, 1, DEBTS, withLeast(70))).status).toBe(303);
  const { proof, impact } = (await storeOf(workbench).read(2)) ?? {};
  for (const debt of [60, 75, 90]) await workbench.decide(`debt-${debt}`, { policy: 'signup', context: { debt } });
  await withEvidence(ben, 2);
  const kept = await storeOf(workbench).read(2);
  expect((await ben.get('/releases/2')).text).toContain('Count them now');
  expect((await ben.post('/releases/2/watch')).headers.get('location')).toBe('/releases/2');
  await expect.poll(async () => (await ben.get('/releases/2')).text).toContain('id="watched-flows"');
  const watched = /id="watched-flows"[\s\S]*?<\/table>/.exec((await ben.get('/releases/2')).text)?.[0] ?? '';
  expect(watched.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toContain('signup 3 1 accept to review 1');
  expect((await storeOf(workbench).read(2))?.impact).toBe(kept?.impact);
  expect([proof, impact]).toEqual([undefined, undefined]);
  expect((await otto.get('/releases/2')).text).not.toContain('Count them now');
  expect((await otto.post('/releases/2/watch')).status).toBe(403);
});

test('who wrote a release does not approve it, nor does anybody without the role', async () => {
  const workbench = await startReleased();
  const lead = await workbench.enter('lead');
  await lead.get('/releases/1');
  expect((await proposeEdit(lead, 1, DEBTS, withLeast(70))).status).toBe(303);
  expect(await withEvidence(lead, 2)).toContain('You wrote it, so another person approves it.');
  const now = '<code class="value">  - { id: debt, when: { context.debt: { atLeast: 70 } }, then: review }</code>';
  for (const [who, seen] of [
    ['approver', true],
    ['otto', false],
    ['tess', false],
  ] as const)
    expect([who, (await (await workbench.enter(who)).get('/releases/2')).text.includes(now)]).toEqual([who, seen]);
  const own = await lead.post('/releases/2/say', { verdict: 'approve', read: 'yes' });
  expect([own.status, own.text]).toEqual([400, expect.stringContaining('does not approve it')]);
  for (const who of ['reader', 'rita', 'editor', 'otto', 'tess'] as const) {
    const visitor = await workbench.enter(who);
    await visitor.get('/');
    expect([who, (await visitor.post('/releases/2/say', { verdict: 'approve', read: 'yes' })).status]).toEqual([
      who,
      403,
    ]);
    expect([who, (await visitor.post('/releases/2/activate')).status]).toEqual([who, 403]);
  }
  const ben = await workbench.enter('approver');
  await ben.get('/releases/2');
  expect((await ben.post('/releases/2/say', { verdict: 'reject' })).status).toBe(400);
  expect((await ben.post('/releases/2/say', { verdict: 'approve' })).status).toBe(400);
  // Nor does she by way of somebody who proposes her files as if they had been in force.
  expect((await lead.post('/releases/2/restore')).text).toContain('was never in force');
  expect((await ben.post('/releases/2/say', { verdict: 'reject', why: 'Not now.' })).status).toBe(303);
  const { text: rejected } = await ben.get('/releases/2');
  expect(rejected).toContain('it was rejected');
  expect((await storeOf(workbench).read(2))?.notes.map(({ by }) => by)).toEqual([PEOPLE.approver.subject]);
});

test('a release in force that this machine refuses is shown as both, and the one before can be proposed again', async () => {
  const workbench = await startReleased();
  const { audit, released } = workbench.service;
  const [log, trust] = [audit as OpenAuditLog, released?.trust as Trust];
  const { 'signup.yaml': policy = '', 'signup.test.yaml': _, ...others } = TINY;
  const files = { ...others, 'other.yaml': policy };
  await propose({ log }, { files, mapping: 'signals.yaml', title: 'Another name', authors: ['elsewhere'] });
  await addEvidence({ log }, 2, { day: new Date().toISOString().slice(0, 10) });
  await sayOf({ log }, 2, trust, { by: 'somebody else', verdict: 'approve' });
  await activate({ log }, 2, trust, { by: 'elsewhere' });
  const ana = await workbench.enter('editor');
  await expect.poll(() => released?.inForce().refused).toContain('has no signup.yaml');
  expect(released?.inForce().number).toBe(1);
  const { text: second } = await ana.get('/releases/2');
  expect(second).toContain('Release, in force');
  expect(second).toContain('The release in force stays: release 2 was refused: release 2 has no signup.yaml');
  const { text: first } = await ana.get('/releases/1');
  expect(first).toContain('Release, replaced');
  expect(first).toContain('Propose its files again');
  expect((await proposeEdit(ana, 1, DEBTS, 'rules: []\n')).text).toContain('Another release is in force');
  expect((await ana.post('/releases/1/restore')).headers.get('location')).toBe('/releases/3?done=proposed');
});

test('an edit of what is no longer replaceable would take back what came since, and is refused', async () => {
  const workbench = await startReleased();
  const [ana, ben] = [await workbench.enter('editor'), await workbench.enter('approver')];
  const edit = (number: number, least: number) => proposeEdit(ana, number, DEBTS, withLeast(least));
  expect((await edit(1, 70)).status).toBe(303);
  expect((await edit(1, 60)).status).toBe(303);
  await withEvidence(ben, 2);
  expect((await ben.post('/releases/2/say', { verdict: 'approve', read: 'yes' })).status).toBe(303);
  expect((await ben.post('/releases/2/activate')).status).toBe(303);
  await expect.poll(() => workbench.service.released?.inForce().number).toBe(2);
  for (const number of [1, 3]) {
    const answer = await edit(number, 50);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Another release is in force')]);
  }
  expect((await edit(2, 50)).headers.get('location')).toBe('/releases/4?done=proposed');
});
