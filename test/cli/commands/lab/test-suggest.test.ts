/** `verdict test --suggest`: what it prints, and what it writes where. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risky, when: { phone.score: { atLeast: 80 } }, then: review }
`;
const TESTS = `policy: policy.yaml
at: 2026-11-20
tests:
    # The first.
    - name: a good score
      facts: { phone.score: 9 }
      expect: { outcome: accept }   # so it is
description: after the tests
`;
const SUGGESTED = `
    # rule risky fires, phone.score is at least 80: true and 1 more goal
    - name: rule risky fires
      facts: { phone.score: 80 }
      expect: { outcome: review, reasons: [RISKY] }

    # rule risky is undetermined and phone.score is at least 80: unknown
    - name: nothing is known
      expect: { outcome: review, reasons: [], undetermined: [risky] }
`;

const files = { 'policy.yaml': POLICY, 'a.test.yaml': TESTS, 'b.test.yaml': TESTS };

async function run(folder: string, ...args: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCli(['test', folder, '--suggest', ...args]);
  const short = (text: string) => text.replaceAll(`${folder}/`, '');
  return { exitCode, stdout: short(stdout), stderr: short(stderr) };
}

describe('verdict test --suggest', () => {
  it('prints tests to paste, and what they reach as comments', async () => {
    const { exitCode, stdout, stderr } = await run(temporaryFolder({ ...files, 'b.test.yaml': '' }), '--timeout', '9');
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toContain('the file is empty');
    const found = await run(temporaryFolder({ 'policy.yaml': POLICY, 'a.test.yaml': TESTS }));
    expect(found.exitCode).toBe(0);
    expect(found.stderr).toBe('1 test: 1 passed\n');
    expect(found.stdout).toContain(`# a.test.yaml
# test 1: 2 cases for 5 of the 5 goals not reached yet
# They expect what is decided today. Confirm each of them.

  # rule risky fires`);
  });

  it.each([
    ['--timeout=9', '--timeout goes with --suggest or --mutate'],
    ['--write=a.test.yaml', '--write goes with --suggest'],
  ])('is what %s is for', async (option, message) => {
    const { exitCode, stderr } = await runCli(['test', temporaryFolder(files), option]);
    expect([exitCode, stderr]).toEqual([2, `verdict: ${message}\n`]);
  });

  it('appends them to a file of tests, which keeps the rest', async () => {
    const folder = temporaryFolder(files);
    const { exitCode, stdout } = await run(folder, '--write', join(folder, 'b.test.yaml'));
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('test 1: 2 cases for 5 of the 5 goals')]);
    const text = readFileSync(join(folder, 'b.test.yaml'), 'utf8');
    const before = TESTS.indexOf('description');
    expect(text.startsWith(TESTS.slice(0, before) + SUGGESTED)).toBe(true);
    expect(text.endsWith('\ndescription: after the tests\n')).toBe(true);
    expect(readFileSync(join(folder, 'a.test.yaml'), 'utf8')).toBe(TESTS);
    const again = await run(folder, '--write', join(folder, 'b.test.yaml'));
    expect(again.stdout).toBe('test 1: the tests reach all goals\n');
    expect(readFileSync(join(folder, 'b.test.yaml'), 'utf8')).toBe(text);
  });

  it('writes nowhere else', async () => {
    const folder = temporaryFolder({ ...files, 'c.yaml': TESTS, 'flow.test.yaml': FLOW });
    for (const [file, exitCode] of [
      ['c.yaml', 2],
      ['new.test.yaml', 2],
      ['flow.test.yaml', 3],
    ] as const) {
      expect([file, (await run(folder, '--write', join(folder, file))).exitCode]).toEqual([file, exitCode]);
    }
    expect(readFileSync(join(folder, 'flow.test.yaml'), 'utf8')).toBe(FLOW);
    expect((await runCli(['test', folder, '--write', join(folder, 'a.test.yaml')])).exitCode).toBe(2);
    expect((await run(folder, '--format', 'json')).exitCode).toBe(2);
  });
});

const FLOW = `policy: policy.yaml
at: 2026-11-20
tests: [{ name: a good score, facts: { phone.score: 9 }, expect: { outcome: accept } }]
`;
