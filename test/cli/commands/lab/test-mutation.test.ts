/** `verdict test --mutate`: what it prints and writes, and when it exits with 1. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risky, when: { phone.score: { atLeast: 80 } }, then: review }
`;
const tests = (outcome: string) => `policy: policy.yaml
at: 2026-11-20
tests:
  - { name: a good score, facts: { phone.score: 9 }, expect: { outcome: accept } }
  - { name: a risky score, facts: { phone.score: 80 }, expect: { outcome: ${outcome} } }
`;

const files = { 'policy.yaml': POLICY, 'a.test.yaml': tests('review') };

async function run(folder: string, ...args: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCli(['test', folder, ...args]);
  const short = (text: string) => text.replaceAll(`${folder}/`, '');
  return { exitCode, stdout: short(stdout), stderr: short(stderr) };
}

describe('verdict test --mutate', () => {
  it('shows the score, and a case for each mutant that lives', async () => {
    const { exitCode, stdout } = await run(temporaryFolder(files), '--mutate');
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`2 tests: 2 passed

test 1: 80 % of mutants killed, 8 of 10 mutants; 2 not reached
  threshold  1 of 2  50 %
  operator   2 of 2  100 %
  rule       1 of 1  100 %
  outcome    2 of 2  100 %
  unknown    0 of 1  0 %
  default    2 of 2  100 %

policy.yaml:5:50: not reached: a limit moved by one step
  phone.score is at least 80
  becomes phone.score is at least 79
  - name: "risky: phone.score is at least 80 rather than phone.score is at least 79"
    at: 2026-11-20
    facts: { phone.score: 79 }
    expect: { outcome: accept, reasons: [] }

policy.yaml:5:5: not reached: the other \`whenUnknown\`
  whenUnknown: review
  becomes whenUnknown: ignore
  - name: "risky: whenUnknown: review rather than whenUnknown: ignore"
    at: 2026-11-20
    expect: { outcome: review, reasons: [] }
`);
  });

  it('keeps the cases of the last run in a file of its own, and seeks what it has not', async () => {
    const folder = temporaryFolder(files);
    const kept = join(folder, 'kept.json');
    const again = () => run(folder, '--incremental', kept);
    const first = await again();
    expect(first.exitCode).toBe(0);
    expect(first.stdout).not.toContain('kept');
    const second = await again();
    expect(second.stdout.replace('  kept from the last run: 2 cases\n', '')).toBe(first.stdout);
    expect(second.stdout).not.toBe(first.stdout);
    writeFileSync(join(folder, 'policy.yaml'), POLICY.replace('80', '70'));
    expect((await again()).stdout).toContain('kept from the last run: 1 case\n');
    writeFileSync(kept, readFileSync(kept, 'utf8').slice(0, 100));
    expect((await again()).stdout).not.toContain('kept');
    expect((await run(folder, '--incremental', join(folder, 'policy.yaml'))).exitCode).toBe(2);
    expect(readFileSync(join(folder, 'policy.yaml'), 'utf8')).toBe(POLICY.replace('80', '70'));
  });

  it('exits with 1 below the least score', async () => {
    const folder = temporaryFolder(files);
    expect((await run(folder, '--min-score', '70')).exitCode).toBe(0);
    const { exitCode, stderr } = await run(folder, '--min-score', '90', '--format', 'junit');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('verdict: test 1: 80 % of mutants killed; expected at least 90 %\n');
  });

  it('mutates nothing if a test fails', async () => {
    const folder = temporaryFolder(files);
    writeFileSync(join(folder, 'a.test.yaml'), tests('reject'));
    const { exitCode, stderr } = await run(folder, '--mutate');
    expect(exitCode).toBe(1);
    expect(stderr).toBe('verdict: no policy was mutated: only tests that pass can tell mutants apart\n');
  });

  it('has the mutants in JSON', async () => {
    const { stdout } = await run(temporaryFolder(files), '--mutate', '--format', 'json');
    const [mutation] = JSON.parse(stdout).mutation;
    expect(mutation).toMatchObject({ policy: { name: 'test', version: '1' }, cases: 2, score: 80, proved: true });
    const lives = mutation.mutants.filter(({ status }: { readonly status: string }) => status !== 'killed');
    expect(lives[0]).toMatchObject({
      ...{ operator: 'threshold', rules: ['risky'], line: 5, column: 50, status: 'notReached', reachedBy: [] },
      killing: { at: '2026-11-20', facts: { 'phone.score': 79 }, expect: { outcome: 'accept', reasons: [] } },
    });
    expect(mutation.mutants[0]).toMatchObject({ status: 'killed', killedBy: 'a risky score' });
  });
});
