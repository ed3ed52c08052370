/** What commands do where z3 is not installed. */

import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { HOW_TO_INSTALL } from '../../../../src/lab/solver/z3.ts';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

vi.doMock('z3-solver', () => {
  throw new Error('Cannot find package');
});

it('without z3, diff counts real applicants, and says that nothing is proved', async () => {
  const rule = (limit: number) =>
    `${HEAD}rules: [{ id: risky, when: { phone.score: { atLeast: ${limit} } }, then: review }]\n`;
  const files = { 'old.yaml': rule(70), 'new.yaml': rule(90), 'facts.ndjson': '{"facts":{"phone.score":75}}' };
  const folder = temporaryFolder(files);
  const [old = '', now = '', facts = ''] = Object.keys(files).map((name) => join(folder, name));
  const { exitCode, stdout, stderr } = await runCli(['diff', old, now, '--facts', facts]);
  expect(stderr).toContain('note: nothing is proved: z3, an optional package, is not installed.');
  expect(stdout).toContain('Nothing is proved: z3, an optional package, is not installed.\n');
  expect(stdout).toContain('1 is decided differently (100.0%): ');
  expect(exitCode).toBe(1);
  const same = await runCli(['diff', old, old, '--facts', facts]);
  expect(same.exitCode).toBe(4);
});

it('without z3, diff says what was edited, and how to add z3', async () => {
  const files = { 'old.yaml': HEAD, 'new.yaml': HEAD.replace('accept', 'review') };
  const [old = '', now = ''] = Object.keys(files).map((name) => join(temporaryFolder(files), name));
  const { exitCode, stdout, stderr } = await runCli(['diff', old, now]);
  expect(stdout).toBe(`- default accept is now review (${now}:3)

Nothing is proved: z3, an optional package, is not installed.
`);
  const how = `z3, an optional package, is not installed. This needs it: ${HOW_TO_INSTALL}\n`;
  expect(stderr).toBe(`note: nothing is proved: ${how}`);
  expect(exitCode).toBe(3);
});

it('without z3, tests are suggested as far as values can be tried, and nothing is proved', async () => {
  const rule = 'rules: [{ id: never, when: { all: [{ phone.type: voip }, { $name }] }, then: review }]\n'.replace(
    '$name',
    'not: { any: [{ phone.type: voip }, { phone.score: { above: 80 } }] }',
  );
  const tests = `policy: policy.yaml\nat: 2026-11-20\ntests:\n  - { name: none, expect: { outcome: review } }\n`;
  const folder = temporaryFolder({ 'policy.yaml': `${HEAD}${rule}`, 'a.test.yaml': tests });
  const { exitCode, stdout } = await runCli(['test', folder, '--suggest']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('- name: ');
});

it('without z3, mutants are judged by the tests, and no case is found', async () => {
  const rule = 'rules: [{ id: voip, when: { phone.type: voip }, then: review }]\n';
  const tests = `policy: policy.yaml\nat: 2026-11-20\ntests:\n  - { name: none, expect: { outcome: review } }\n`;
  const folder = temporaryFolder({ 'policy.yaml': `${HEAD}${rule}`, 'a.test.yaml': tests });
  const { exitCode, stdout } = await runCli(['test', folder, '--mutate']);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('test 1: 57.1 % of mutants killed, 4 of 7 mutants');
  expect(stdout).toContain(`Without z3, no case is found and nothing is proved: ${HOW_TO_INSTALL}\n`);
  expect(stdout).not.toContain('- name: ');
  expect((await runCli(['test', folder, '--min-score', '60'])).exitCode).toBe(1);
});
