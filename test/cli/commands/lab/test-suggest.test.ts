/** `verdict test --suggest`: what it prints, and what it writes where. */

import { readdirSync, readFileSync } from 'node:fs';
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
    const { exitCode, stdout, stderr } = await run(temporaryFolder({ ...files, 'b.test.yaml': '' }), '--steps', '9M');
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

  it('names the option that decides more where the steps are too few', async () => {
    const isp = '{ all: [{ ip.isp: { matches: "^a+x" } }, { ip.isp: { matches: "^b+x" } }] }';
    const folder = temporaryFolder({
      'policy.yaml': `${POLICY}  - { id: isp, when: ${isp}, then: review }\n`,
      'a.test.yaml': TESTS,
    });
    expect((await run(folder)).stdout).toContain('# No case was found for:\n#   ');
    const { stdout } = await run(folder, '--steps', '1');
    expect(stdout).toContain('# Neither a case nor a proof was found in these steps; --steps gives more:\n#   ');
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

  it('makes a new file, with the sets of facts that its tests start from', async () => {
    const facts =
      'facts:\n  known: { phone.score: 9, phone.porting.portedDate: 7 days ago }\n  unused: { phone.score: 10 }\n';
    const tests = TESTS.replace('tests:', `${facts}tests:`).replace('facts: { phone.score: 9 }', 'from: known');
    const folder = temporaryFolder({ 'policy.yaml': POLICY, 'a.test.yaml': tests, 'sub/readme.txt': '' });
    const { exitCode, stderr } = await run(folder, '--write', join(folder, 'sub/new.test.yaml'));
    expect([exitCode, stderr]).toEqual([0, '1 test: 1 passed\nverdict: sub/new.test.yaml created with 2 tests\n']);
    expect(readFileSync(join(folder, 'sub/new.test.yaml'), 'utf8')).toBe(`policy: "../policy.yaml"
at: 2026-11-20

facts:
  known:
    phone.score: 9
    phone.porting.portedDate: 7 days ago

tests:
  # rule risky fires, phone.score is at least 80: true and 1 more goal
  - name: rule risky fires
    from: known
    facts: { phone.score: 80 }
    expect: { outcome: review, reasons: [RISKY] }

  # rule risky is undetermined and phone.score is at least 80: unknown
  - name: nothing is known
    expect: { outcome: review, reasons: [], undetermined: [risky] }
`);
    expect((await runCli(['test', join(folder, 'sub')])).stdout).toBe('2 tests: 2 passed\n');
    expect((await run(folder)).stdout).toContain('the tests reach all goals');
  });

  it('makes a new file for several policies, whose own parameters count', async () => {
    const folder = temporaryFolder({
      'one.yaml': POLICY.replace('rules:', 'parameters: { least: 80 }\nrules:').replace('80 }', '"$least" }'),
      'two.yaml': POLICY.replace('policy: test', 'policy: other'),
      'a.test.yaml': TESTS.replace('policy.yaml', '[one.yaml, two.yaml]'),
    });
    expect((await run(folder, '--write', join(folder, 'b.test.yaml'))).stderr).toContain('b.test.yaml created with');
    const text = readFileSync(join(folder, 'b.test.yaml'), 'utf8');
    expect(text.startsWith('policy: [one.yaml, two.yaml]\nat: 2026-11-20\n\ntests:\n')).toBe(true);
    expect(text.match(/^ {4}policy: one.yaml$/gm)).toHaveLength(2);
    expect((await runCli(['test', join(folder, 'b.test.yaml')])).stdout).toBe('4 tests: 4 passed\n');
  });

  it.each([
    ['c.yaml', 2, '--write: expected one of the files of tests that are run, or a new one'],
    ['new.yaml', 2, '--write: there is no new.yaml; expected a file of tests, or a new name that ends in .test.yaml'],
    ['sub', 2, '--write: sub is not a file; expected a file of tests'],
    [
      'new.test.yaml',
      2,
      '--write: a new file takes the suggestions for one file of tests; found a.test.yaml, o.test.yaml',
    ],
    ['none/new.test.yaml', 3, 'none/new.test.yaml cannot be written: its folder does not exist'],
    ['flow.test.yaml', 3, 'flow.test.yaml: expected each test on lines of its own; nothing was written'],
  ])('does not write to %s', async (file, exitCode, message) => {
    const others = file === 'new.test.yaml' ? { 'o.yaml': OTHER, 'o.test.yaml': TESTS.replace('policy.', 'o.') } : {};
    const all = { ...files, ...others, 'c.yaml': TESTS, 'flow.test.yaml': FLOW, 'sub/readme.txt': '' };
    const folder = temporaryFolder(all);
    const found = await run(folder, '--write', join(folder, file));
    expect(found.exitCode).toBe(exitCode);
    expect(found.stderr.split('\n').at(-2)).toBe(`verdict: ${message}`);
    for (const [name, text] of Object.entries(all)) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
    expect(readdirSync(folder)).toHaveLength(Object.keys(all).length);
  });

  it('is what --write is for, and has one format', async () => {
    const folder = temporaryFolder(files);
    expect((await runCli(['test', folder, '--write', join(folder, 'a.test.yaml')])).exitCode).toBe(2);
    expect((await run(folder, '--format', 'json')).exitCode).toBe(2);
  });
});

const OTHER = POLICY.replace('policy: test', 'policy: other');

const FLOW = `policy: policy.yaml
at: 2026-11-20
tests: [{ name: a good score, facts: { phone.score: 9 }, expect: { outcome: accept } }]
`;
