/** People who are invited: a link lets each in once, with roles, until it is revoked; others are told what to do. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { listEvents } from '../../src/audit/query/list-events.ts';
import { runCli } from '../support/cli/cli.ts';
import { textOf } from '../support/report/read-page.ts';
import { sharedTestService, startTestService, type TestService } from '../support/service/running.ts';
import { readServed } from '../support/service/workbench/served-page.ts';
import { Visitor } from '../support/service/workbench/visitor.ts';

const ORIGIN = 'http://127.0.0.1:8080';

const INVITED = { audit: true, more: `people: { origin: '${ORIGIN}', invite: true }` };

/** One for tests that invite people of other names. */
const service = sharedTestService(() => INVITED);

const shared = async () => invitedTo(await service());

/** The commands of those who run a service whose people are invited. */
function invitedTo(service: TestService) {
  const config = join(service.folder, 'serve.yaml');
  const people = (...args: readonly string[]) => runCli(['people', ...args, '--config', config]);
  /** The path of a link. */
  const invite = async (name: string, ...roles: readonly string[]) => {
    const { stdout } = await people('invite', name, ...roles.flatMap((role) => ['--role', role]));
    expect(stdout).toMatch(new RegExp(`^${ORIGIN}/invited/[\\w-]{32}\n$`));
    return stdout.trim().slice(ORIGIN.length);
  };
  const enter = async (path: string) => {
    const visitor = new Visitor(service.url);
    return { visitor, entered: await visitor.get(path) };
  };
  return { ...service, people, invite, enter };
}

const messageOf = ({ text }: { readonly text: string }) => textOf(readServed(text));

test('a link lets in once, and the session is on record with its roles', async () => {
  const { invite, enter, service, folder } = await shared();
  const path = await invite('Rita Okoye', 'review', 'read');
  const { visitor, entered } = await enter(path);
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/']);
  expect((await visitor.get('/reference/facts')).text).toContain('Rita Okoye');
  const again = await enter(path);
  expect([again.entered.status, again.visitor.cookie]).toEqual([404, '']);
  expect(messageOf(again.entered)).toContain('This link was used or revoked, or is older than seven days');
  await service.records?.follower.catchUp();
  const events = await listEvents({ dir: join(folder, 'log') });
  const begun = events.filter(({ type, by }) => type === 'session.begun' && by === 'Rita Okoye <invited>');
  expect(begun).toMatchObject([{ details: { roles: 'review, read' } }]);
});

test('of two who open a link at once one is let in', async () => {
  const { invite, enter } = await shared();
  const path = await invite('Ria Twice', 'review');
  const both = await Promise.all([enter(path), enter(path)]);
  expect(both.map(({ entered }) => entered.status).toSorted()).toEqual([303, 404]);
});

test('a link ends after seven days, and with the next one of the same person', async () => {
  const { invite, enter, folder, people } = await shared();
  const first = await invite('Lia Late', 'review');
  const second = await invite('Lia Late', 'read');
  expect((await enter(first)).entered.status).toBe(404);
  const database = new DatabaseSync(join(folder, 'state', 'state.sqlite'));
  database.exec(`pragma busy_timeout = 60000; update invitations set made_at = made_at - ${7 * 86_400_000}`);
  database.close();
  expect((await enter(second)).entered.status).toBe(404);
  expect((await people('list')).stdout).toMatch(/Lia Late\s+read\s+\d{4}-\d\d-\d\d\s+expired/);
});

test('the state has neither a link nor a cookie', async () => {
  const { invite, enter, folder } = await shared();
  const path = await invite('Sue Secret', 'review');
  const { visitor } = await enter(path);
  const database = new DatabaseSync(join(folder, 'state', 'state.sqlite'));
  const rows = JSON.stringify(
    ['invitations', 'sessions'].map((table) => database.prepare(`select * from ${table}`).all()),
  );
  database.close();
  expect(rows).toContain('Sue Secret');
  for (const secret of [path.replace('/invited/', ''), visitor.cookie.replace('verdict=', '')])
    expect(rows).not.toContain(secret);
});

test('who is revoked is signed out, and a link that was not used is void', async () => {
  const { invite, enter, people } = invitedTo(await startTestService(INVITED));
  const { visitor } = await enter(await invite('Rita Okoye', 'review'));
  const { visitor: other } = await enter(await invite('Raj Patel', 'read'));
  const open = await invite('Ana Ruiz', 'edit');
  expect(JSON.parse((await people('list', '--json')).stdout)).toMatchObject([
    { name: 'Ana Ruiz', roles: ['edit'], usedAt: null, hasExpired: false },
    { name: 'Raj Patel', roles: ['read'], usedAt: expect.any(Number) },
    { name: 'Rita Okoye', roles: ['review'], usedAt: expect.any(Number) },
  ]);
  for (const name of ['Rita Okoye', 'Ana Ruiz']) {
    const { exitCode, stderr } = await people('revoke', name);
    expect([exitCode, stderr]).toEqual([0, `${name} is let in no more, and is signed out\n`]);
  }
  expect((await visitor.get('/reference/facts')).status).toBe(401);
  expect((await enter(open)).entered.status).toBe(404);
  expect((await other.get('/reference/facts')).status).toBe(200);
  expect(await people('revoke', 'Raj Patl')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Raj Patel'),
  });
});

test('a stranger is told what to do, wherever they come from', async () => {
  const { enter } = await shared();
  for (const path of ['/', '/queue', '/sign-in']) {
    const { entered } = await enter(path);
    expect([entered.status, messageOf(entered)]).toEqual([
      401,
      expect.stringContaining('Open the link of your invitation'),
    ]);
  }
  for (const secret of ['', 'guess', '__proto__', 'x'.repeat(5000)])
    expect([400, 404]).toContain((await enter(`/invited/${secret}`)).entered.status);
});

test.each([
  [
    'the role approve',
    ['invite', 'Ben', '--role', 'approve'],
    /does not get the role approve: .*issuer, see docs\/sign-in.md/,
  ],
  ['the role decide', ['invite', 'Ben', '--role', 'read', '--role', 'decide'], /the role decide: .*`verdict key add`/],
  ['no role', ['invite', 'Ben'], /--role/],
  ['a role that there is not', ['invite', 'Ben', '--role', 'reviewer'], /review/],
  ['a name with brackets', ['invite', 'Ben <ben>', '--role', 'read'], /has to be one line of up to 100 characters/],
  ['a name of two lines', ['invite', 'Ben\nOkafor', '--role', 'read'], /has to be one line/],
])('%s is refused', async (_what, args, message) => {
  const { people } = await shared();
  const before = (await people('list', '--json')).stdout;
  expect(await people(...args)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(message) });
  expect((await people('list', '--json')).stdout).toBe(before);
});

test('nobody is invited where an issuer signs people in, or there are no pages', async () => {
  const { folder } = await startTestService();
  const ran = await runCli(['people', 'list', '--config', join(folder, 'serve.yaml')]);
  expect(ran).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('people: { origin: …, invite: true }') });
});
