/** A service with a store of velocity: what it counts, once for each reference of each caller, and notes that count. */

import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/docs/docs.ts';
import { HEAD, temporaryFolder } from '../support/policy/policy.ts';
import { type AskOptions, startTestService } from '../support/service/running.ts';

const POLICY = `${HEAD}velocity:
  sameIp: { count: applications, by: ip, within: 1 hour }
  fraud: { count: applications, by: email, where: { disposition: fraud }, within: 30 days }
rules:
  - { id: one, when: { velocity.sameIp: { atLeast: 1 } }, then: review }
  - { id: two, when: { velocity.sameIp: { atLeast: 2 } }, then: review }
  - { id: fraud, when: { velocity.fraud: { atLeast: 1 } }, then: reject }
`;

async function start(more: string, policy = POLICY) {
  const rules = temporaryFolder({ 'policy.yaml': policy });
  cpSync(join(ROOT, 'rules/signals.yaml'), join(rules, 'signals.yaml'));
  const service = await startTestService({ audit: more !== '', rules, policies: '{ onboarding: policy.yaml }', more });
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
    await expect.poll(() => service.service.records?.follower.isReady, { timeout: 10_000 }).toBe(true);
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
  await expect.poll(() => watched?.policy.facts.has('velocity.fraud'), { timeout: 10_000 }).toBe(true);
  const isFraud = async (reference: string) => (await decide(reference)).rules.includes('fired fraud');
  expect(await isFraud('A-2')).toBe(false);
  await post('/v1/labels', { labels: [{ id, label: 'fraud', at: '2026-11-20' }] });
  expect(await isFraud('A-3')).toBe(true);
  await post(`/v1/decisions/${id}/notes`, { disposition: 'genuine', why: 'a mistake' });
  expect(await isFraud('A-4')).toBe(false);
});

test('a service without a store says so at its start, and reviews', async () => {
  const { decide, lines } = await start('');
  expect(lines).toContainEqual({ event: 'velocity.notConfigured', policy: 'onboarding' });
  expect((await decide('A-1')).rules).toEqual(['undetermined one', 'undetermined two', 'undetermined fraud']);
});
