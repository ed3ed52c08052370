/** Pages of releases, by forms alone: edits keep bytes, entries of lists, and who may do what. */

import { expect, test } from 'vitest';
import { homeOfLog, type OpenAuditLog } from '../../src/audit/log.ts';
import { activate, addEvidence, propose, sayOf } from '../../src/release/acts.ts';
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
    const { text: page } = await ana.get(`/releases/1/edit?file=${encodeURIComponent(file)}`);
    // What a browser shows, and sends: without the first line break, and with both characters at each end of a line.
    const [, shown = ''] = /<textarea[^>]*>\n([\s\S]*?)<\/textarea>/.exec(page) ?? [];
    const sent = `${shown.replace(/\r\n?/g, '\n')}`.replace('bob@', 'carl@').replaceAll('\n', '\r\n');
    const answer = await ana.post('/releases/1/edit', { file, text: sent, title: 'Another person', do: 'propose' });
    if (Object.hasOwn(CHANGED, what)) {
      expect(page, what).toContain('A browser would change this file');
      expect(page, what).not.toContain('value="propose"');
      expect(answer.status, what).toBe(400);
      continue;
    }
    last += 1;
    expect([what, answer.headers.get('location')]).toEqual([what, `/releases/${last}?done=proposed`]);
    expect(await textOf(workbench, last, file), what).toBe(text.replace('bob@', 'carl@'));
  }
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
  // A second person confirms it, and not the one who did it.
  expect((await tess.post('/releases/2/say', { verdict: 'confirm' })).status).toBe(403);
  const ben = await workbench.enter('approver');
  expect((await ben.get('/releases/2')).text).toContain('Confirm that it is right.');
  expect((await ben.post('/releases/2/say', { verdict: 'confirm' })).status).toBe(303);
  expect((await ben.get('/releases/2')).text).not.toContain('Confirm that it is right.');
});

test('who wrote a release does not approve it, nor does anybody without the role', async () => {
  const workbench = await startReleased();
  const lead = await workbench.enter('lead');
  await lead.get('/releases/1');
  const debts = 'rule-sets/debts.yaml';
  const text = (TINY[debts] ?? '').replace('80', '70');
  const form = { file: debts, text, title: 'Less debt', do: 'propose' };
  expect((await lead.post('/releases/1/edit', form)).status).toBe(303);
  expect(await withEvidence(lead, 2)).toContain('You wrote it, so another person approves it.');
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
  const form = { file: 'rule-sets/debts.yaml', text: 'rules: []\n', title: 'Debt', do: 'propose' };
  expect((await ana.post('/releases/1/edit', form)).text).toContain('Another release is in force');
  expect((await ana.post('/releases/1/restore')).headers.get('location')).toBe('/releases/3?done=proposed');
});

test('an edit of what is no longer replaceable would take back what came since, and is refused', async () => {
  const workbench = await startReleased();
  const [ana, ben] = [await workbench.enter('editor'), await workbench.enter('approver')];
  const debts = 'rule-sets/debts.yaml';
  const edit = async (number: number, least: string) => {
    await ana.get(`/releases/${number}`);
    const text = (TINY[debts] ?? '').replace('80', least);
    return ana.post(`/releases/${number}/edit`, { file: debts, text, title: 'Debt', do: 'propose' });
  };
  expect((await edit(1, '70')).status).toBe(303);
  expect((await edit(1, '60')).status).toBe(303);
  await withEvidence(ben, 2);
  expect((await ben.post('/releases/2/say', { verdict: 'approve', read: 'yes' })).status).toBe(303);
  expect((await ben.post('/releases/2/activate')).status).toBe(303);
  await expect.poll(() => workbench.service.released?.inForce().number).toBe(2);
  for (const number of [1, 3]) {
    const answer = await edit(number, '50');
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Another release is in force')]);
  }
  expect((await edit(2, '50')).headers.get('location')).toBe('/releases/4?done=proposed');
});
