/** `verdict test --coverage`: what it prints and writes, and when it exits with 1. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { commitAll } from '../../../support/policy/git.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}parameters: { limit: 80 }
rules:
  - { id: risky, when: { phone.score: { atLeast: $limit } }, then: review, reason: RISKY }
  - { id: voip, when: { phone.type: voip }, then: reject, reason: VOIP }
`;
const TESTS = `policy: policy.yaml
at: 2026-11-20
tests:
  - { name: a good score, facts: { phone.score: 9, phone.type: mobile }, expect: { outcome: accept } }
  - { name: a risky score, facts: { phone.score: 80 }, expect: { outcome: review, reasons: [RISKY] } }
  - { name: another limit, facts: { phone.score: 85 }, with: { limit: 90 }, expect: { outcome: review } }
  - { name: later, skip: not decided, facts: { phone.type: voip }, expect: { outcome: reject } }
`;

async function run(folder: string, ...args: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCli(['test', folder, ...args]);
  const short = (text: string) => text.replaceAll(`${folder}/`, '');
  return { exitCode, stdout: short(stdout), stderr: short(stderr) };
}

const files = { 'policy.yaml': POLICY, 'a.test.yaml': TESTS };

describe('verdict test --coverage', () => {
  it('shows what the tests that ran reach, with whatever values of parameters', async () => {
    const { exitCode, stdout } = await run(temporaryFolder(files), '--coverage');
    expect(exitCode).toBe(0);
    expect(stdout.slice(stdout.indexOf('\ntest 1'))).toBe(`
test 1: 71.4 % covered, 10 of 14 goals

  goals    covered  all  share
  rules    4        6    66.6 %
  tests    4        6    66.6 %
  borders  2        2    100 %

Not covered

- rule risky, not seen: undetermined (policy.yaml:6)
- phone.score is at least 80, not seen: unknown (policy.yaml:6)
- rule voip, not seen: fires (policy.yaml:7)
- phone.type is voip, not seen: true (policy.yaml:7)
`);
  });

  it('writes a tracefile, which it replaces, and nothing over another file', async () => {
    const folder = temporaryFolder(files);
    const trace = join(folder, 'lcov.info');
    for (const _ of ['new', 'replaced']) {
      const { exitCode } = await run(folder, '--lcov', trace, '--format', 'junit');
      expect(exitCode).toBe(0);
    }
    expect(readFileSync(trace, 'utf8')).toContain(`SF:${join(folder, 'policy.yaml')}\nFN:6,risky\n`);
    const policy = join(folder, 'policy.yaml');
    expect((await run(folder, '--lcov', policy)).exitCode).toBe(2);
    expect(readFileSync(policy, 'utf8')).toBe(POLICY);
  });

  it('exits with 1 below the least share, with its share', async () => {
    const folder = temporaryFolder(files);
    expect((await run(folder, '--min', '71.4')).exitCode).toBe(0);
    const { exitCode, stderr } = await run(folder, '--min', '71.5');
    expect([exitCode, stderr]).toEqual([1, 'verdict: test 1: 71.4 % covered; expected at least 71.5 %\n']);
    expect((await run(folder, '--min', '101')).exitCode).toBe(2);
  });

  it('is part of the JSON, and beside the output in other formats', async () => {
    const folder = temporaryFolder(files);
    const { stdout } = await run(folder, '--coverage', '--format', 'json');
    const [found] = JSON.parse(stdout).coverage;
    expect(found).toMatchObject({ policy: { name: 'test', version: '1' }, cases: 3, goals: 14, reached: 10 });
    const counted = found.items.find(({ kind }: { kind: string }) => kind === 'test').goals;
    expect(counted.map(({ count }: { count: number }) => count)).toEqual([1, 2, 0]);
    const junit = await run(folder, '--coverage', '--format', 'junit');
    expect(junit.stdout).not.toContain('covered');
    expect(junit.stderr).toContain('test 1: 71.4 % covered');
    expect(JSON.parse((await run(folder, '--format', 'json')).stdout)).not.toHaveProperty('coverage');
  });
});

describe('verdict test --changed-since', () => {
  it('counts only what the edit touched, and all of a policy that is new', async () => {
    const folder = temporaryFolder(files);
    commitAll(folder);
    expect((await run(folder, '--changed-since', 'HEAD')).stdout).toContain('test 1: nothing to cover\n');
    writeFileSync(join(folder, 'policy.yaml'), POLICY.replace('type: voip', 'type: pager'));
    expect((await run(folder, '--changed-since', 'HEAD')).stdout).toContain(`test 1: 66.6 % covered, 4 of 6 goals

  goals  covered  all  share
  rules  2        3    66.6 %
`);
    writeFileSync(join(folder, 'new.yaml'), POLICY);
    writeFileSync(join(folder, 'a.test.yaml'), TESTS.replace('policy.yaml', 'new.yaml'));
    expect((await run(folder, '--changed-since', 'HEAD')).stdout).toContain('10 of 14 goals');
  });
});
