/** A service with a store of velocity: what it counts, once for each reference of each caller, and notes that count. */

import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { initAuditLog } from '../../src/audit/init.ts';
import { eraseSubject } from '../../src/audit/retain/erase.ts';
import { openService } from '../../src/service/service.ts';
import { ROOT } from '../support/docs/docs.ts';
import { HEAD, temporaryFolder } from '../support/policy/policy.ts';
import { APPLICANT, type AskOptions, startTestService } from '../support/service/running.ts';

const POLICY = `${HEAD}velocity:
  sameIp: { count: applications, by: ip, within: 1 hour }
  fraud: { count: applications, by: email, where: { disposition: fraud }, within: 30 days }
rules:
  - { id: one, when: { velocity.sameIp: { atLeast: 1 } }, then: review }
  - { id: two, when: { velocity.sameIp: { atLeast: 2 } }, then: review }
  - { id: fraud, when: { velocity.fraud: { atLeast: 1 } }, then: reject }
`;

async function start(more: string, policy = POLICY, audit = more !== '') {
  const rules = temporaryFolder({ 'policy.yaml': policy });
  cpSync(join(ROOT, 'rules/signals.yaml'), join(rules, 'signals.yaml'));
  const service = await startTestService({ audit, rules, policies: '{ onboarding: policy.yaml }', more });
  const decide = async (reference: string, options: AskOptions = {}) => {
    const { body } = await service.decide(reference, {}, options);
    const reasons = body['reasons'] as { rule?: string; because: string }[];
    return {
      id: body['id'] as string,
      rules: reasons.filter(({ rule }) => rule).map(({ rule, because }) => `${because} ${rule}`),
    };
  };
  let analyst: AskOptions | undefined;
  const post = async (path: string, body: object) => {
    analyst ??= { key: await service.key(['review', 'read'], 'analyst') };
    // A service that has just begun is still making the index of its log.
    await service.service.records?.follower.catchUp();
    await expect.poll(() => service.service.records?.follower.isReady).toBe(true);
    return service.ask('POST', path, body, analyst);
  };
  return { ...service, decide, post, rules };
}

test('an application is counted once for its reference and caller; a store that is down is told of', async () => {
  const { decide, post, lines, service, adminUrl, key } = await start('velocity: { sqlite: velocity.sqlite }');
  const other = { key: await key(['decide', 'read'], 'other') };
  const { id, rules } = await decide('A-1');
  expect(rules).toEqual([]);
  expect((await decide('A-1')).rules).toEqual([]);
  expect((await decide('A-1', other)).rules).toEqual(['fired one']);
  expect((await decide('A-2')).rules).toEqual(['fired one', 'fired two']);
  await service.velocity?.close();
  const noted = await post(`/v1/decisions/${id}/notes`, { disposition: 'fraud', why: 'seen' });
  expect(noted.status).toBe(200);
  expect(lines).toContainEqual(expect.objectContaining({ event: 'velocity.noteNotCounted', decision: id }));
  expect((await decide('A-3')).rules).toEqual(['undetermined one', 'undetermined two', 'undetermined fraud']);
  expect(lines).toContainEqual(expect.objectContaining({ event: 'decision.velocityFailed' }));
  const failed = () => lines.filter(({ event }) => event === 'decision.velocityFailed');
  expect(failed()).toHaveLength(1);
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics.match(/^verdict_velocity_failures_total.*/gm)).toEqual(
    ['note', 'count'].map((step) => `verdict_velocity_failures_total{step="${step}"} 1`),
  );
});

test('notes and labels count for later applications, by the policy in force', async () => {
  const earlier = POLICY.replace(/ {2}fraud: .*\n/, '').replace(/.*id: fraud.*\n/, '');
  const { decide, post, service, rules } = await start('velocity: { sqlite: velocity.sqlite }', earlier);
  const { id } = await decide('A-1');
  writeFileSync(join(rules, 'policy.yaml'), POLICY);
  const watched = service.policies.get('onboarding')?.watched;
  await expect.poll(() => watched?.policy.facts.has('velocity.fraud')).toBe(true);
  const isFraud = async (reference: string) => (await decide(reference)).rules.includes('fired fraud');
  expect(await isFraud('A-2')).toBe(false);
  await post('/v1/labels', { labels: [{ id, label: 'fraud', at: new Date().toISOString() }] });
  expect(await isFraud('A-3')).toBe(true);
  await post(`/v1/decisions/${id}/notes`, { disposition: 'genuine', why: 'a mistake' });
  expect(await isFraud('A-4')).toBe(false);
});

test('what an erasure deletes is in no file of the store', async () => {
  const { decide, service, folder } = await start('velocity: { sqlite: velocity.sqlite }');
  await decide('A-1');
  const { velocity, records } = service;
  if (!velocity || !records) throw new Error('started without a store');
  const hashes = () => {
    const database = new DatabaseSync(join(folder, 'velocity.sqlite'), { readOnly: true });
    const rows = ['seen', 'application'].flatMap((table) => database.prepare(`select * from ${table}`).all());
    database.close();
    const blobs = rows.flatMap((row) => Object.values(row)).filter((value) => value instanceof Uint8Array);
    return new Set(blobs.filter(({ length }) => length >= 16).map((blob) => Buffer.from(blob).toString('latin1')));
  };
  const before = hashes();
  await eraseSubject({ log: records.log, subject: APPLICANT.ip, velocity });
  const gone = before.difference(hashes());
  expect(gone.size).toBeGreaterThan(0);
  const files = readdirSync(folder).filter((name) => name.startsWith('velocity.sqlite'));
  const bytes = files.map((name) => readFileSync(join(folder, name), 'latin1')).join('');
  expect([...gone].filter((each) => bytes.includes(each))).toEqual([]);
});

test('what is said again, in whatever order, takes nothing of what was said later out of the store', async () => {
  const { decide, post } = await start('velocity: { sqlite: velocity.sqlite }');
  const { id } = await decide('A-1');
  let references = 1;
  const isFraud = async () => (await decide(`A-${++references}`)).rules.includes('fired fraud');
  const at = new Date().toISOString();
  const label = async (row: object) => {
    const { body } = await post('/v1/labels', { labels: [{ id, at, ...row }] });
    return (body['results'] as readonly { status: number; note: string; label: string }[])[0];
  };
  const genuine = await label({ label: 'genuine' });
  expect(genuine).toMatchObject({ status: 200, label: 'genuine' });
  expect(await label({ label: 'fraud' })).toMatchObject({ status: 200, label: 'fraud' });
  expect(await isFraud()).toBe(true);
  // As in the nightly file that has all labels of a month.
  expect(await label({ label: 'genuine' })).toEqual({ ...genuine, label: 'fraud' });
  expect(await isFraud()).toBe(true);
  const note = { disposition: 'genuine', why: 'a mistake', id: '01a1f8d4-f5e8-7000-8000-000000000001' };
  const again = { disposition: 'fraud', why: 'after all', id: '01a1f8d4-f5e8-7000-8000-000000000002' };
  for (const said of [note, again, note]) expect((await post(`/v1/decisions/${id}/notes`, said)).status).toBe(200);
  expect(await isFraud()).toBe(true);
  // The earlier word is meant again: it is said with a note of its own, or another time.
  const meant = { label: 'genuine', note: '01a1f8d4-f5e8-7000-8000-000000000003' };
  expect(await label(meant)).toMatchObject({ note: meant.note, label: 'genuine' });
  expect(await isFraud()).toBe(false);
  const later = new Date(Date.parse(at) + 1).toISOString();
  expect(await label({ label: 'fraud', at: later })).toMatchObject({ label: 'fraud' });
  expect(await isFraud()).toBe(true);
  // A review is another answer than a label.
  await post(`/v1/decisions/${id}/notes`, { disposition: 'approve', why: 'seen' });
  expect(await isFraud()).toBe(true);
});

test('without a log, a velocity that an edit adds is said to be incomplete, and leaves the service ready', async () => {
  const earlier = POLICY.replace(/ {2}fraud: .*\n/, '').replace(/.*id: fraud.*\n/, '');
  const { decide, service, adminUrl, rules } = await start('velocity: { sqlite: velocity.sqlite }', earlier, false);
  expect((await decide('A-1')).rules).toEqual([]);
  const readyz = async () => (await (await fetch(`${adminUrl}/readyz`)).json()) as { ok: boolean; parts: object[] };
  const counts = expect.objectContaining({ part: 'counts of onboarding' });
  expect((await readyz()).parts).not.toContainEqual(counts);
  writeFileSync(join(rules, 'policy.yaml'), POLICY);
  await expect.poll(() => service.lacking().length).toBe(1);
  const [{ completeOn = '' } = {}] = service.lacking();
  const part = { part: 'counts of onboarding', ok: true, completeOn };
  const ready = await readyz();
  expect(ready.ok).toBe(true);
  expect(ready.parts).toContainEqual(part);
  expect(completeOn > new Date().toISOString().slice(0, 10)).toBe(true);
  expect((await decide('A-2')).rules).toEqual(['fired one', 'undetermined fraud']);
});

test('a service with another log on the state of the first is refused, and says what to do', async () => {
  const { service } = await start('', POLICY, true);
  const { config, client } = service;
  const dir = join(temporaryFolder({}), 'log');
  await initAuditLog({ dir });
  const other = openService({ ...config, audit: { dir, mode: 'required' } }, client, () => {});
  await expect(other).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringMatching(/another audit log: give this service the log of the others/),
  });
});

test('a service without a store says so at its start, and reviews', async () => {
  const { decide, lines } = await start('');
  const said = {
    event: 'velocity.notConfigured',
    policy: 'onboarding',
    text: expect.stringContaining('no `velocity`'),
  };
  expect(lines).toContainEqual(said);
  expect((await decide('A-1')).rules).toEqual(['undetermined one', 'undetermined two', 'undetermined fraud']);
});

test('a store that is away is told of once a minute and cause, and leaves the service ready', async () => {
  const { decide, lines, service, adminUrl } = await start('velocity: { sqlite: velocity.sqlite }');
  const readyz = async () => (await (await fetch(`${adminUrl}/readyz`)).json()) as { ok: boolean; parts: object[] };
  expect((await readyz()).parts).toContainEqual({ part: 'velocity', ok: true });
  await service.velocity?.close();
  expect(await readyz()).toMatchObject({ ok: true });
  expect((await readyz()).parts).toContainEqual({ part: 'velocity', ok: true, code: 'CLOSED' });
  const failed = () =>
    lines.flatMap(({ event, cause, count }) => (event === 'decision.velocityFailed' ? [[cause, count]] : []));
  for (let i = 0; i < 5; i++) await decide(`A-${i}`);
  expect(failed()).toEqual([['CLOSED', 1]]);
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
  onTestFinished(() => later.mockRestore());
  await decide('A-5');
  expect(failed()).toEqual([
    ['CLOSED', 1],
    ['CLOSED', 5],
  ]);
});
