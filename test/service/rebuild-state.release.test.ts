/** A state that was restored from a backup, or lost: the log makes it whole again, and nothing is billed twice. */

import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OpenAuditLog } from '../../src/audit/log.ts';
import { eraseSubject } from '../../src/audit/retain/erase.ts';
import { type Decider, decideNamed } from '../../src/decision/decide.ts';
import { createDecisionId } from '../../src/decision/request.ts';
import { rebuildState } from '../../src/service/handlers/rebuild-state.ts';
import { toJson } from '../../src/text.ts';
import { runCli } from '../support/cli/cli.ts';
import { ROOT } from '../support/docs/docs.ts';
import { HEAD, temporaryFolder } from '../support/policy/policy.ts';
import { APPLICANT, startTestService, type TestService, untilIndexed } from '../support/service/running.ts';
import { HAS_POSTGRES, KEY, PostgresServer } from '../support/stores/state/postgres.ts';
import { sql } from '../support/stores/state/processes.ts';

const IN_POSTGRES = '{ postgresVariable: STATE_URL, keyVariable: STATE_KEY }';
const OTHER = { applicant: { ...APPLICANT, email: 'somebody.else@copper-kettle.example' } };

/** A service on the same log and state as another one that has ended. */
function again({ folder }: TestService, state: string, env = {}): Promise<TestService> {
  return startTestService({ audit: join(folder, 'log'), state, env });
}

test('a restored state has the references, answers and cases that the log has, and bills nobody again', async () => {
  const dir = join(mkdtempSync(join(tmpdir(), 'state-')), 'state');
  const state = `{ dir: ${dir} }`;
  const first = await startTestService({ audit: true, state });
  const before = await first.decide('R-1');
  mkdirSync(`${dir}-copy`);
  cpSync(join(dir, 'references.key'), join(`${dir}-copy`, 'references.key'));
  sql(dir, `vacuum into '${join(`${dir}-copy`, 'state.sqlite')}'`);
  const [ann, lead] = [await first.key(['review'], 'ann'), await first.key(['read'], 'lead')];
  const lost = await first.decide('R-2');
  await first.decide('R-3');
  await untilIndexed(first);
  await first.service.records?.follower.catchUp();
  const taken = await first.ask('POST', '/v1/cases/take', {}, { key: ann });
  const said = { token: taken.body['token'], disposition: 'decline', why: 'Showed another card.' };
  await first.ask('POST', `/v1/cases/${taken.body['id']}/resolve`, said, { key: ann });
  const cases = await first.ask('GET', '/v1/cases', undefined, { key: lead });
  const { config } = first.service;
  await first.drain();
  rmSync(dir, { recursive: true });
  cpSync(`${dir}-copy`, dir, { recursive: true });

  const rebuilt = await rebuildState(config, {});
  // The copy was taken while the answer of the first one may have been on its way.
  expect(rebuilt).toMatchObject({ withoutQuestion: 0, closed: 0, cases: 2, counted: undefined });
  expect([2, 3]).toContain(rebuilt.references);
  expect(await rebuildState(config, {})).toMatchObject({ references: 0, cases: 2 });

  const second = await again(first, state);
  for (const [reference, answer] of [
    ['R-1', before],
    ['R-2', lost],
  ] as const) {
    const repeated = await second.decide(reference);
    expect(repeated.headers.get('verdict-repeated')).toBe('true');
    expect(repeated.body).toEqual(answer.body);
  }
  expect((await second.decide('R-2', OTHER)).body).toMatchObject({ code: 'REFERENCE_REUSED' });
  expect(second.sandbox.counts.verifies).toBe(0);
  const key = await second.key(['read'], 'lead');
  await untilIndexed(second);
  expect((await second.ask('GET', '/v1/cases', undefined, { key })).body).toEqual(cases.body);
  expect((await second.decide('R-4')).headers.get('verdict-repeated')).toBeNull();
});

test('a claim that is later than the decision on record stays', async () => {
  const dir = join(mkdtempSync(join(tmpdir(), 'state-')), 'state');
  const service = await startTestService({ audit: true, state: `{ dir: ${dir} }` });
  await service.decide('R-1');
  const { config, hash, references } = service.service;
  const key = hash('app\0R-1');
  const [{ question, decision }] = sql(dir, 'select question, decision from reference') as [Record<string, string>];
  const claim = { key, question: String(question), decision: 'next', resend: false };
  expect(await references.claim({ ...claim, instead: decision })).toEqual({ state: 'granted' });
  expect(await rebuildState(config, {})).toMatchObject({ references: 0 });
  expect(await references.claim(claim)).toEqual({ state: 'running', decision: 'next' });
});

test('counts are made again, and the command says what could not be', async () => {
  const policy = `${HEAD}velocity: { sameIp: { count: applications, by: ip, within: 1 hour } }
rules: [{ id: one, when: { velocity.sameIp: { atLeast: 1 } }, then: review }]
`;
  const rules = temporaryFolder({ 'policy.yaml': policy });
  cpSync(join(ROOT, 'rules/signals.yaml'), join(rules, 'signals.yaml'));
  const more = 'velocity: { sqlite: velocity.sqlite }';
  const service = await startTestService({ audit: true, rules, policies: '{ onboarding: policy.yaml }', more });
  for (const reference of ['R-1', 'R-2', 'R-3']) await service.decide(reference);
  const { audit, policies } = service.service;
  // As a version before wrote them, without the question.
  const earlier = { id: createDecisionId(Date.now()), decidedAtMs: Date.now(), caller: 'app' };
  const decider = policies.get('onboarding')?.decider as Decider;
  await decideNamed(decider, earlier, APPLICANT, { clientReference: 'R-4' });
  await eraseSubject({ log: audit as OpenAuditLog, reference: 'R-2' });
  await service.drain();
  for (const file of readdirSync(service.folder)) {
    if (/^velocity\.sqlite/.test(file)) rmSync(join(service.folder, file));
  }
  rmSync(join(service.folder, 'state'), { recursive: true });
  const config = ['--config', join(service.folder, 'serve.yaml')];
  expect(await runCli(['state', 'rebuild', ...config, '--json'])).toMatchObject({
    exitCode: 1,
    stdout: toJson({ references: 3, withoutQuestion: 1, closed: 1, cases: 3, counted: 3 }, 2).concat('\n'),
  });
  expect((await runCli(['state', 'rebuild', ...config])).stdout).toBe(`\
references: 0 restored; new again are those that were in flight and never came on record
  1 decision erased or without a key: a request under its reference is billed again
cases: 3 wait
counts: 3 decisions counted
`);
});

test('a service without a log has nothing to rebuild from', async () => {
  const { folder } = await startTestService();
  expect(await runCli(['state', 'rebuild', '--config', join(folder, 'serve.yaml')])).toMatchObject({
    exitCode: 3,
    stderr: expect.stringContaining('no log to rebuild from'),
  });
});

describe.skipIf(!HAS_POSTGRES)('in PostgreSQL (skipped where postgresql is not installed)', () => {
  const server = PostgresServer.ofTests();

  test('a state that was lost is made from the log, with counts, by a user who may not make tables', async () => {
    const env = { STATE_URL: await server.newSchema(), STATE_KEY: KEY };
    const first = await startTestService({ audit: true, state: IN_POSTGRES, env });
    const made = await first.decide('R-1');
    await first.drain();
    await server.sql(env.STATE_URL, 'truncate reference, cases, follower, process, sessions, proof, state_format');
    const lost = { ...env, STATE_URL: await server.clerk(env.STATE_URL) };
    expect(await rebuildState(first.service.config, lost)).toMatchObject({ references: 1, cases: 1 });
    const second = await again(first, IN_POSTGRES, lost);
    expect((await second.decide('R-1')).body).toEqual(made.body);
    expect(second.sandbox.counts.verifies).toBe(0);
  });

  test('with another key than before every reference is known, and refused: its question has another hash', async () => {
    const env = { STATE_URL: await server.newSchema(), STATE_KEY: KEY };
    const first = await startTestService({ audit: true, state: IN_POSTGRES, env });
    await first.decide('R-1');
    await first.drain();
    const other = { STATE_URL: await server.newSchema(), STATE_KEY: 'cd'.repeat(32) };
    await rebuildState(first.service.config, other);
    const second = await again(first, IN_POSTGRES, other);
    expect((await second.decide('R-1')).body).toMatchObject({ code: 'REFERENCE_REUSED' });
    expect(second.sandbox.counts.verifies).toBe(0);
  });
});
