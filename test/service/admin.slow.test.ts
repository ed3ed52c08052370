/** Health, metrics, overload, edits and faults: what those who run the service see, and what callers get meanwhile. */

import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fill, mountSmall } from '../support/audit/small-disk.ts';
import { temporaryFolder } from '../support/policy/policy.ts';
import { quickRules } from '../support/service/rules.ts';
import { startTestService, type TestService } from '../support/service/running.ts';

async function readyOf({ adminUrl }: TestService) {
  const answer = await fetch(`${adminUrl}/readyz`);
  return { status: answer.status, body: (await answer.json()) as { ok: boolean; parts: readonly Part[] } };
}

interface Part {
  readonly part: string;
  readonly ok: boolean;
  readonly code?: string;
  readonly brokenSince?: string;
}

test('it lives and is ready, and its metrics count', async () => {
  const service = await startTestService({ audit: true });
  const { decide, adminUrl } = service;
  await decide('A-1');
  await decide('A-1');
  expect(await readyOf(service)).toEqual({
    status: 200,
    body: {
      ok: true,
      parts: ['running', 'policy onboarding', 'keys', 'audit', 'references'].map((part) => ({ part, ok: true })),
    },
  });
  const get = async (path: string) => {
    const answer = await fetch(adminUrl + path);
    return { status: answer.status, text: await answer.text() };
  };
  expect(await get('/livez')).toEqual({ status: 200, text: '{"ok":true}' });
  expect((await get('/v1/decisions')).status).toBe(404);
  expect((await fetch(`${adminUrl}/readyz`, { method: 'POST' })).status).toBe(405);
  const { text } = await get('/metrics');
  expect(text).toMatch(/^verdict_http_requests_total\{route="\/v1\/decisions",method="POST",status="200"\} 2$/m);
  expect(text).toMatch(/^verdict_decisions_total\{policy="onboarding",version="2026.11",outcome="review"\} 1$/m);
  expect(text).toMatch(/^verdict_repeated_total 1$/m);
  expect(text).toMatch(/^verdict_vendor_calls_total\{result="answered"\} 1$/m);
  expect(text).toMatch(/^verdict_http_request_seconds_count\{route="\/v1\/decisions"\} 2$/m);
  for (const line of text.trim().split('\n'))
    expect(line).toMatch(/^# (?:HELP|TYPE) |^[a-z_]+(?:\{[^}]*\})? [\d.e-]+$/);
});

test('more requests than are to be in flight are refused before anything is sent', async () => {
  const { decide, sandbox } = await startTestService({ limits: 'inFlight: 2, deadline: 1 second' });
  sandbox.setFault('hang');
  const answers = await Promise.all(['A-1', 'A-2', 'A-3', 'A-4'].map((reference) => decide(reference)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503]);
  const refused = answers.find(({ status }) => status === 503);
  expect([refused?.body['code'], refused?.headers.get('retry-after')]).toEqual(['OVERLOADED', '1']);
  sandbox.setFault(undefined);
  expect((await decide('A-5')).status).toBe(200);
});

test('an event loop that is late turn after turn refuses before anything is sent, after one long turn it does not', async () => {
  const { decide, sandbox, service } = await startTestService();
  const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1050);
  const aTurn = () => new Promise(setImmediate);
  block();
  await aTurn();
  expect((await decide('A-1')).status).toBe(200);
  for (let i = 0; i < 3; i++) {
    await aTurn();
    block();
  }
  const refused = await decide('A-2');
  expect([refused.status, refused.body['code']]).toEqual([503, 'OVERLOADED']);
  expect(sandbox.counts.verifies).toBe(1);
  expect(service.flights.size).toBe(0);
});

test('an edit of a rule comes into force, and a broken one or an unproved guarantee does not', async () => {
  const rules = temporaryFolder();
  cpSync(quickRules(), rules, { recursive: true });
  const service = await startTestService({ rules });
  const { decide, ask, lines } = service;
  const file = join(rules, 'onboarding.yaml');
  const text = readFileSync(file, 'utf8');
  const versionNow = async () => (await ask('GET', '/v1/policies/onboarding')).body['version'];
  expect(await versionNow()).toBe('2026.11');
  writeFileSync(file, text.replace(/^version: .*$/m, 'version: "2027.01"'));
  await expect.poll(versionNow).toBe('2027.01');
  expect((await decide('A-1')).body['policy']).toMatchObject({ version: '2027.01' });
  const { digest } = (await ask('GET', '/v1/policies/onboarding')).body;
  expect(lines).toContainEqual(expect.objectContaining({ event: 'policy.changed', policy: 'onboarding', digest }));
  for (const broken of ['policy: [', `${text}guarantees: [{ id: no-voip, never: review, when: voipNumber }]\n`]) {
    const seen = lines.length;
    writeFileSync(file, broken);
    await expect
      .poll(() => lines.slice(seen))
      .toContainEqual(
        expect.objectContaining({ event: 'policy.broken', policy: 'onboarding', code: 'POLICY_INVALID' }),
      );
    const part = { part: 'policy onboarding', ok: true, brokenSince: expect.any(String) };
    expect((await readyOf(service)).body).toMatchObject({ ok: true, parts: expect.arrayContaining([part]) });
    expect(await versionNow()).toBe('2027.01');
    expect((await decide(`B-${seen}`)).status).toBe(200);
  }
});

test('the log keeps an edited policy before it comes into force, so that no decision waits for that', async () => {
  const rules = temporaryFolder();
  cpSync(quickRules(), rules, { recursive: true });
  const { folder, service } = await startTestService({ rules, audit: true });
  const file = join(rules, 'onboarding.yaml');
  const served = service.policies.get('onboarding')?.watched;
  const kept = () => readdirSync(join(folder, 'log/policies')).length;
  const before = kept();
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^version: .*$/m, 'version: "2027.01"'));
  while (served?.policy.version !== '2027.01') await setTimeout(1);
  expect(kept()).toBe(before + 1);
});

test('a broken edit of the keys keeps those in force, and a removed key is refused', async () => {
  const service = await startTestService();
  const { decide, folder, lines, key } = service;
  const own = await key(['decide'], 'other');
  const file = join(folder, 'keys.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, -20));
  await expect.poll(() => lines.map(({ event }) => event)).toContain('keys.broken');
  expect((await decide('A-1', {}, { key: own })).status).toBe(200);
  expect((await readyOf(service)).body.parts).toContainEqual({
    part: 'keys',
    ok: true,
    brokenSince: expect.any(String),
  });
  const { keys, ...rest } = JSON.parse(text);
  writeFileSync(file, JSON.stringify({ ...rest, keys: keys.slice(0, 1) }));
  await expect.poll(async () => (await decide('A-1', {}, { key: own })).status).toBe(401);
  expect((await decide('A-1')).status).toBe(200);
});

test('state that another locks is 503 before anything is sent, and works again afterwards', async () => {
  const service = await startTestService();
  const { decide, sandbox, folder } = service;
  await decide('A-0');
  const lock = new DatabaseSync(join(folder, 'state/state.sqlite'));
  lock.exec('begin exclusive');
  const refused = await decide('A-1');
  expect(refused.body).toMatchObject({ status: 503, code: 'STATE_UNAVAILABLE', carriedOut: 'no', retryable: true });
  expect(sandbox.counts.verifies).toBe(1);
  lock.close();
  expect((await decide('A-1')).status).toBe(200);
  rmSync(join(folder, 'state/state.sqlite'));
  expect((await decide('A-2')).body['code']).toBe('STATE_UNAVAILABLE');
  const part = { part: 'references', ok: false, code: 'STATE_UNAVAILABLE' };
  expect(await readyOf(service)).toMatchObject({ status: 503, body: { parts: expect.arrayContaining([part]) } });
  expect(sandbox.counts.verifies).toBe(2);
});

test('a log that cannot be written is 503 before anything is sent, and is opened again', async () => {
  const service = await startTestService({ audit: true });
  const { decide, sandbox, folder } = service;
  await decide('A-0');
  renameSync(join(folder, 'log'), join(folder, 'elsewhere'));
  // The log notices with its next record, of a call that was made; from then on nothing is sent.
  const first = await decide('A-1');
  if (first.status === 503) expect(first.body).toMatchObject({ code: 'AUDIT_FAILED' });
  // What was decided before is given again all the same.
  expect((await decide('A-0')).status).toBe(200);
  const sent = sandbox.counts.verifies;
  renameSync(join(folder, 'elsewhere'), join(folder, 'log'));
  await expect.poll(async () => (await decide('A-2')).status).toBe(200);
  expect(sandbox.counts.verifies).toBe(sent + 1);
});

test('a disk that is full withholds decisions, and goes on once it has space', async ({ skip }) => {
  const at = mountSmall('size=1m');
  if (at === undefined) return skip('NOT TESTED: a file system cannot be mounted here');
  const service = await startTestService({ audit: join(at, 'log') });
  const { decide, sandbox } = service;
  expect((await decide('A-0')).status).toBe(200);
  fill(at);
  let [n, last] = [0, await decide('B-0')];
  while (last.status === 200) last = await decide(`B-${++n}`);
  expect(last.body).toMatchObject({ status: 503, code: 'AUDIT_FAILED' });
  const sent = sandbox.counts.verifies;
  expect((await decide('C-0')).body).toMatchObject({ code: 'AUDIT_FAILED', carriedOut: 'no' });
  expect(sandbox.counts.verifies).toBe(sent);
  const part = { part: 'audit', ok: false, code: 'AUDIT_FAILED' };
  expect((await readyOf(service)).body).toMatchObject({ ok: false, parts: expect.arrayContaining([part]) });
  rmSync(join(at, 'ballast'));
  await expect.poll(async () => (await decide('D-0')).status).toBe(200);
  // Its call was made, and nothing is on record: only a resend may be billed again.
  expect((await decide(`B-${n}`)).body).toMatchObject({ code: 'REFERENCE_IN_DOUBT', carriedOut: 'unknown' });
});

test('state on a disk that is full is 503 before anything is sent, and works again once there is space', async ({
  skip,
}) => {
  const at = mountSmall('size=1m');
  if (at === undefined) return skip('NOT TESTED: a file system cannot be mounted here');
  const service = await startTestService({ state: `{ dir: ${join(at, 'state')} }` });
  const { decide, sandbox } = service;
  const first = await decide('A-0');
  fill(at);
  // There may be room in the file for some claims, and none for an answer.
  let [n, last] = [0, await decide('B-0')];
  while (last.status === 200) last = await decide(`B-${++n}`);
  expect(last.body).toMatchObject({ status: 503, code: 'STATE_UNAVAILABLE', carriedOut: 'no', retryable: true });
  expect(sandbox.counts.verifies).toBe(n + 1);
  // The claim that failed has closed the file, and so emptied its write-ahead log.
  fill(at);
  const part = { part: 'references', ok: false, code: 'STATE_UNAVAILABLE' };
  expect(await readyOf(service)).toMatchObject({ status: 503, body: { parts: expect.arrayContaining([part]) } });
  rmSync(join(at, 'ballast'));
  expect((await decide(`B-${n}`)).status).toBe(200);
  expect((await decide('A-0')).body).toEqual(first.body);
  for (let i = 0; i < n; i++) expect((await decide(`B-${i}`)).headers.get('verdict-repeated')).toBe('true');
  expect(sandbox.counts.verifies).toBe(n + 2);
});

test('with a log of best effort, decisions go on without it, and each that is lost is said', async () => {
  const service = await startTestService({ audit: true, mode: 'best-effort' });
  const { decide, folder, lines, sandbox } = service;
  renameSync(join(folder, 'log'), join(folder, 'elsewhere'));
  const ids: unknown[] = [];
  for (const reference of ['A-1', 'A-2', 'A-3']) {
    const { status, body } = await decide(reference);
    expect(status).toBe(200);
    ids.push(body['id']);
  }
  const lost = () => lines.filter(({ event }) => event === 'audit.lost').map(({ decision }) => decision);
  await expect.poll(lost).toEqual(expect.arrayContaining(ids.slice(1)));
  expect((await readyOf(service)).status).toBe(200);
  // The answer of the claim is all that is left of it.
  expect((await decide('A-3')).headers.get('verdict-repeated')).toBe('true');
  expect(sandbox.counts.verifies).toBe(3);
  renameSync(join(folder, 'elsewhere'), join(folder, 'log'));
});

test('a log or a state that is read-only is said at the start', async ({ skip }) => {
  const at = mountSmall('size=4m');
  if (at === undefined) return skip('NOT TESTED: a file system cannot be mounted here');
  const { drain } = await startTestService({ audit: join(at, 'log'), state: `{ dir: ${join(at, 'state')} }` });
  await drain();
  execFileSync('mount', ['-o', 'remount,ro', at]);
  for (const [where, code] of [
    [{ audit: join(at, 'log') }, 'AUDIT_FAILED'],
    [{ state: join(at, 'state') }, 'CONFIGURATION_INVALID'],
  ] as const)
    await expect(startTestService(where)).rejects.toMatchObject({ code });
});

test('a caller who hangs up gets the decision when it asks again', async () => {
  const { url, decide, key, sandbox } = await startTestService();
  const own = await key(['decide']);
  sandbox.setFault(undefined);
  const hangingUp = new AbortController();
  const body = JSON.stringify({ policy: 'onboarding', reference: 'A-1', applicant: { phoneNo: '+12025550101' } });
  const headers = { authorization: `Bearer ${own}`, 'content-type': 'application/json' };
  const asked = fetch(`${url}/v1/decisions`, { method: 'POST', headers, body, signal: hangingUp.signal });
  await setTimeout(15);
  hangingUp.abort();
  await asked.catch(() => {});
  const again = await decide('A-1', { applicant: { phoneNo: '+12025550101' } });
  expect(again.status).toBe(200);
  expect(sandbox.counts.verifies).toBe(1);
});
