/** What is loaded and compiled before the first decision. */

import { execFileSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import { createDecider } from '../../src/decision/decide.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';
import { failureOf } from '../support/signals/scripted-service.ts';
import { memoryStore } from '../support/stores/velocity/memory-store.ts';

const POLICY = loadPolicy('rules/onboarding.yaml');

const PACKAGES_AFTER = `
  const { createRequire } = await import('node:module');
  const { createDecider, loadPolicy } = await import('./src/index.ts');
  const policy = loadPolicy('rules/onboarding.yaml');
  const loaded = () => Object.keys(createRequire(process.cwd() + '/any.js').cache);
  const before = new Set(loaded());
  const decider = createDecider({ policy, verify: { verify: () => Promise.reject(new Error('asked')) } });
  await decider.ready();
  const atReady = loaded();
  await decider.decide({ phoneNo: '+12025550101', email: 'ada@mail.example', ip: '203.0.113.7' });
  console.log(JSON.stringify({ atReady: atReady.filter((each) => !before.has(each)), all: loaded() }));
`;

it('a decider that is ready has loaded what decisions need', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', PACKAGES_AFTER], { encoding: 'utf8' });
  const { atReady, all } = JSON.parse(printed);
  expect(atReady.join()).toMatch(/libphonenumber-js/);
  expect(atReady.join()).toMatch(/country-coder/);
  expect(all).toEqual(expect.arrayContaining(atReady));
  expect(all.filter((each: string) => !atReady.includes(each)).join()).not.toMatch(/libphonenumber-js|country-coder/);
});

it('a decider gets ready without a call and without a record', async () => {
  const verify = vi.fn(async () => ({ body: {} }));
  const record = vi.fn(async () => {});
  const [policy, onEvent] = [vi.fn(() => POLICY), vi.fn()];
  const decider = createDecider({
    policy,
    verify: { verify },
    audit: { mode: 'required', check: record, record },
    onEvent,
  });
  await decider.ready();
  expect(policy).toHaveBeenCalledOnce();
  for (const each of [verify, record, onEvent]) expect(each).not.toHaveBeenCalled();
});

it('a decider cannot get ready with a policy that fails', async () => {
  const policy = (): never => {
    throw new Error('no policy');
  };
  const verify = { verify: async () => ({ body: {} }) };
  expect(await failureOf(createDecider({ policy, verify }).ready())).toMatchObject({ code: 'CONFIGURATION_INVALID' });
});

it('a decider that cannot count what its policy counts says so', async () => {
  const policy = policyOf(`${HEAD}velocity:
  sameIp: { count: applications, by: ip, within: 1 hour }
rules:
  - { id: many, when: { velocity.sameIp: { above: 3 } }, then: review }
`);
  const verify = { verify: async () => ({ body: {} }) };
  const warnings = await createDecider({ policy, verify }).ready();
  expect(warnings).toMatchObject([{ code: 'VELOCITY_NOT_CONFIGURED', text: expect.stringContaining('in 1 fact,') }]);
  expect(await createDecider({ policy, verify, velocity: memoryStore() }).ready()).toEqual([]);
  expect(await createDecider({ policy: POLICY, verify }).ready()).toEqual([]);
});
