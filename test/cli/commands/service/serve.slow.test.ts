/** `verdict serve` says where it listens, checks before it starts, and ends in good order; --try needs nothing. */

import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Decision } from '../../../../src/decision/decision.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { askTrial, checkTrial, OWN, serving } from '../../../support/cli/serving.ts';
import { temporaryFolder } from '../../../support/policy/policy.ts';
import { freePort } from '../../../support/ports.ts';
import { quickRules } from '../../../support/service/rules.ts';
import { environmentOf, sandboxFor } from '../../../support/signals/service.ts';

const APPLICANT = { phoneNo: '+12025550101', email: 'nora.whitfield@juniper-lane.example', ip: '203.0.113.11' };

function folderOf(more = ''): { readonly folder: string; readonly config: string } {
  const folder = temporaryFolder();
  const config = join(folder, 'serve.yaml');
  cpSync(quickRules(), join(folder, 'rules'), { recursive: true });
  writeFileSync(
    config,
    `listen: { port: 0 }\nadmin: { port: 0 }\npolicies: { onboarding: onboarding.yaml }\nkeysFile: state/keys.json
limits: { drain: 0 seconds }\n${more}`,
  );
  return { folder, config };
}

async function decide(url: string, key: string) {
  const body = JSON.stringify({ policy: 'onboarding', reference: 'A-1', applicant: APPLICANT });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/decisions`, { method: 'POST', headers, body });
  return { status: answer.status, body: await answer.json() };
}

test('it decides with a key of `verdict key add`, and its lines have nothing of the request', async () => {
  const { config } = folderOf();
  const added = await runCli(['key', 'add', 'app', '--role', 'decide', '--config', config]);
  expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^vk_[0-9a-f]{8}_[\w-]{43}\n$/) });
  const key = added.stdout.trim();
  const env = environmentOf(await sandboxFor());
  const checked = await runCli(['serve', '--config', config, '--check-config'], { env });
  expect(checked).toEqual({ exitCode: 0, stdout: `${config} can be used\n`, stderr: '' });
  const { exitCode, stderr, stdout } = await serving(['--config', config], env, async (url) => {
    expect(await decide(url, key)).toMatchObject({ status: 200, body: { outcome: 'accept', reference: 'A-1' } });
    expect(await decide(url, `${key.slice(0, -2)}xx`)).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED' },
    });
  });
  expect([exitCode, stdout.split('\n').length]).toEqual([130, 2]);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { route: '/v1/decisions', status: 200, key: key.slice(3, 11) },
    { route: '/v1/decisions', status: 401, code: 'UNAUTHENTICATED' },
    { event: 'draining' },
  ]);
  expect(stderr).not.toMatch(/A-1|2025550101|nora|203\.0\.113|127\.0\.0\.1/);
  expect(stderr).not.toContain(key.slice(12));
});

test('an edit of its configuration is said, and takes no effect before the next start', async () => {
  const { config } = folderOf();
  const { stdout } = await runCli(['key', 'add', 'app', '--role', 'decide', '--config', config]);
  const text = readFileSync(config, 'utf8');
  await serving(['--config', config], environmentOf(await sandboxFor()), async (url, _stdout, stderr) => {
    writeFileSync(config, `${text}limts: {}\n`);
    await expect.poll(stderr).toMatch(/"config.broken".*did you mean \\"limits\\"/);
    writeFileSync(config, `${text}countryCode: US\n`);
    await expect.poll(stderr).toContain('"config.changed"');
    expect((await decide(url, stdout.trim())).status).toBe(200);
  });
});

const PAST = `at,client_reference,disposition,applicant_phone_no,applicant_ip,context_income,phone_type
2026-11-03T10:20:00Z,HB-3,,+447700900003,203.0.113.1,5000,mobile
2026-11-03T10:00:00Z,HB-1,,+447700900001,203.0.113.1,5000,mobile
2026-11-03T10:10:00Z,HB-2,,+447700900002,203.0.113.1,900,mobile
2026-11-04T10:00:00Z,HB-4,approve,+447700900004,203.0.113.2,5000,voip
2026-11-05T10:00:00Z,HB-5,,+447700900005,203.0.113.3,,mobile
no time,HB-6,,+447700900006,203.0.113.3,5000,mobile
`;

test("--try decides one's own past by one's own rules, on record as of its time", async () => {
  const folder = temporaryFolder({ 'rules/harbour.yaml': OWN, 'past.csv': PAST });
  const [rules, facts] = [join(folder, 'rules'), join(folder, 'past.csv')];
  await serving(['--try', '--port', '0', '--rules', rules, '--facts', facts], {}, async (url, stdout, stderr) => {
    await expect.poll(stdout).toContain('auditor');
    expect(stdout()).toContain('"policy":"harbour"');
    expect(stderr()).toContain('note: 1 line left out: `verdict evaluate --facts` says why\n');
    const { decisions = [] } = (await askTrial(url, stdout(), '/v1/decisions?limit=50')) as {
      decisions?: { id: string }[];
    };
    const found = [];
    for (const { id } of decisions) {
      const { decision } = (await askTrial(url, stdout(), `/v1/decisions/${id}`)) as unknown as { decision: Decision };
      found.push(`${decision.decidedAt.slice(0, 16)} ${decision.outcome}`);
    }
    expect(found.toSorted()).toEqual([
      '2026-11-03T10:00 accept',
      '2026-11-03T10:10 reject',
      '2026-11-03T10:20 review',
      '2026-11-04T10:00 review',
      '2026-11-05T10:00 review',
    ]);
    // The rules are a release, which the people of the trial may replace.
    const [analyst = ''] = /http\S+\/invited\/\S+(?= {2}Ana)/.exec(stdout()) ?? [];
    const as = (await fetch(analyst, { redirect: 'manual' })).headers.get('set-cookie') ?? '';
    const releases = await fetch(`${url}/releases`, { headers: { cookie: as.split(';', 1)[0] ?? '' } });
    expect(await releases.text()).toContain('Release 1 is in force: The rules of the trial.');
    // What somebody decided then does not wait for a reviewer.
    const [, ofReviewer = ''] = /^ {2}(\S+) .*reviewer/m.exec(stdout()) ?? [];
    const entered = await fetch(ofReviewer, { redirect: 'manual' });
    const [cookie = ''] = (entered.headers.get('set-cookie') ?? '').split(';');
    const queue = await (await fetch(`${url}/queue`, { headers: { cookie } })).text();
    expect(new Set(queue.match(/HB-\d/g))).toEqual(new Set(['HB-3', 'HB-5']));
  });
});

test('--try with rules that cannot be a release says so, and decides by them', async () => {
  const rules = temporaryFolder({
    'harbour.yaml': OWN,
    'other.yaml': 'lists: {}\n',
    'harbour.test.yaml': 'tests: []\n',
  });
  const facts = join(temporaryFolder({ 'past.csv': PAST }), 'past.csv');
  await serving(['--try', '--port', '0', '--rules', rules, '--facts', facts], {}, async (_url, stdout, stderr) => {
    await expect.poll(stdout).toContain('auditor');
    expect(stderr()).toContain('note: the rules are not released, so nobody changes them in the browser: ');
  });
});

test('--try prints a request that is answered and five links', async () => {
  const rules = temporaryFolder({ 'harbour.yaml': OWN });
  const facts = join(temporaryFolder({ 'past.csv': PAST }), 'past.csv');
  await checkTrial(['--rules', rules, '--facts', facts]);
});

test.each([
  ['no such folder', { rules: 'none' }, 2, /--rules: there is no /],
  ['a folder without a policy', { rules: 'empty' }, 2, /--rules: .*empty has no policy/],
  ['two policies of one name', { rules: 'two' }, 2, /two files have the policy harbour; name one of them/],
  ['a policy with a mistake', { rules: 'bad' }, 3, /unknown-fact/],
  ['a file of facts that is not there', { rules: 'one', facts: 'none.csv' }, 3, /none.csv/],
  ['a file without applicants', { rules: 'one', facts: 'head.csv' }, 3, /--facts has no applicant who can be decided/],
])('--try with %s is said', async (_what, given, exitCode, message) => {
  const folder = temporaryFolder({
    ...{ 'empty/note.txt': '', 'one/a.yaml': OWN, 'two/a.yaml': OWN, 'two/b.yaml': OWN },
    ...{ 'bad/a.yaml': OWN.replace('phone.type', 'phone.tipe'), 'head.csv': `${PAST.split('\n', 1)[0]}\n` },
  });
  const args = Object.entries(given).flatMap(([name, path]) => [`--${name}`, join(folder, path)]);
  const ran = await runCli(['serve', '--try', '--port', '0', ...args], {});
  expect(ran).toMatchObject({ exitCode, stdout: '', stderr: expect.stringMatching(message) });
});

test.each([
  ['no account', [], {}, 2, /no verification service is configured.*add --try.*`profile` in serve.yaml/s],
  ['no keys', [], { sandbox: '1' }, 3, /the file of keys does not exist: `verdict key add NAME --role decide`/],
  ['a config that is not there', ['--config', '/nowhere/serve.yaml'], {}, 3, /no such file.*\n.*`verdict init`/],
  ['--port without --try', ['--port', '1'], {}, 2, /--port goes with --try/],
  ['--facts without --try', ['--facts', 'past.csv'], {}, 2, /--facts goes with --try/],
  ['--try with a config', ['--try', '--config', 'x'], {}, 2, /cannot be used with/],
])('%s is said, with its exit code', async (_what, args, env, exitCode, message) => {
  const { config } = folderOf();
  const given = args.length > 0 ? args : ['--config', config];
  const account = 'sandbox' in env ? environmentOf(await sandboxFor()) : {};
  const ran = await runCli(['serve', ...given], { env: account });
  expect(ran).toMatchObject({ exitCode, stdout: '', stderr: expect.stringMatching(message) });
});

test('a port that is taken is said, and leaves no server behind', async () => {
  const { config } = folderOf();
  await runCli(['key', 'add', 'app', '--role', 'decide', '--config', config]);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const admin = await freePort();
  const text = readFileSync(config, 'utf8').replace('listen: { port: 0', `listen: { port: ${port}`);
  writeFileSync(config, text.replace('port: 0', `port: ${admin}`));
  const ran = await runCli(['serve', '--config', config], { env: environmentOf(await sandboxFor()) });
  server.close();
  expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
  expect(ran.stderr).toContain(`verdict: port ${port} of 127.0.0.1 is taken\n`);
  await expect(fetch(`http://127.0.0.1:${admin}/livez`)).rejects.toThrow();
});

test.each([
  ['the certificate', 'tls: { certFile: tls.crt, keyFile: tls.key }', /`tls` cannot be used \(ENOENT\)/],
  ['the log', 'audit: { dir: log }', /found no audit log.*`verdict audit init` creates one/],
])('%s that is not there is found before the service starts', async (_what, more, message) => {
  const { config } = folderOf(more);
  await runCli(['key', 'add', 'app', '--role', 'decide', '--config', config]);
  const env = environmentOf(await sandboxFor());
  for (const args of [['--check-config'], []]) {
    const ran = await runCli(['serve', '--config', config, ...args], { env });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringMatching(message) });
  }
});

test('a policy with a mistake is found before the service starts', async () => {
  const { folder, config } = folderOf();
  await runCli(['key', 'add', 'app', '--role', 'decide', '--config', config]);
  writeFileSync(join(folder, 'rules/onboarding.yaml'), 'name: x\n');
  const env = environmentOf(await sandboxFor());
  for (const args of [['--check-config'], []]) {
    const ran = await runCli(['serve', '--config', config, ...args], { env });
    expect(ran).toMatchObject({ exitCode: 3, stdout: '', stderr: expect.stringMatching(/onboarding\.yaml:1:1/) });
  }
});

test('the variables of a webhook are checked, and what they say is not shown', async () => {
  await using sandbox = await sandboxFor();
  const webhook = '{ name: cases, urlVariable: URL, secretVariable: SECRET, kinds: [decision.made] }';
  const { config, folder } = folderOf(`audit: { dir: log }\nwebhooks: [${webhook}]\n`);
  await runCli(['audit', 'init', join(folder, 'log')]);
  await runCli(['key', 'add', 'app', '--role', 'decide', '--config', config]);
  const check = async (more: Readonly<Record<string, string>>) => {
    const env = { ...environmentOf(sandbox), ...more };
    const { exitCode, stderr } = await runCli(['serve', '--config', config, '--check-config'], { env });
    return [exitCode, stderr];
  };
  const URL = 'https://canary.example/hook';
  const SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`;
  expect(await check({ URL })).toEqual([
    3,
    'verdict: SECRET is not set: serve.yaml names it for the secret of webhook cases\n',
  ]);
  const [exitCode, stderr] = await check({ URL: 'canary', SECRET });
  expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/^verdict: URL of webhook cases is malformed/)]);
  expect(stderr).not.toContain('canary');
  expect((await check({ URL, SECRET }))[0]).toBe(0);
});

test('the variables of a database come from --env too, and one that is not there is said without its URL', async () => {
  await using sandbox = await sandboxFor();
  const { folder, config } = folderOf('state: { postgresVariable: STATE_URL, keyVariable: STATE_KEY }\n');
  const env = environmentOf(sandbox);
  const added = await runCli(['key', 'add', 'app', '--role', 'decide', '--config', config]);
  expect(added.exitCode).toBe(0);
  const missing = await runCli(['serve', '--config', config, '--check-config'], { env });
  expect([missing.exitCode, missing.stderr]).toEqual([
    3,
    'verdict: STATE_URL is not set: serve.yaml names it for the URL of PostgreSQL\n',
  ]);
  const variables = join(folder, 'variables.env');
  writeFileSync(variables, `STATE_URL=postgres://canary:canary@127.0.0.1:1/canary\nSTATE_KEY=${'ab'.repeat(32)}\n`);
  const args = ['serve', '--config', config, '--env', variables];
  expect((await runCli([...args, '--check-config'], { env })).exitCode).toBe(0);
  const refused = await runCli(args, { env });
  expect([refused.exitCode, refused.stderr]).toEqual([3, 'verdict: the state is not available (ECONNREFUSED)\n']);
});
