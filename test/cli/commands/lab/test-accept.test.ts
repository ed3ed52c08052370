/** `verdict test accept`: what it shows, what it rewrites, and what it leaves to a person. */

import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunSetting, runCli } from '../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}score: { review: 20 }
rules:
  - { id: risky, when: { phone.score: { atLeast: 80 } }, points: 15, reason: RISKY }
  - { id: voip, when: { phone.type: voip }, then: reject, reason: VOIP, notice: No line. }
`;
const TESTS = `# Of the policy.
policy: policy.yaml
at: 2026-11-20
tests:
  - name: a line
    facts: { phone.score: 85, phone.type: voip }
    expect:
      outcome: "review"   # the outcome
      reasons:
        - RISKY # kept
        # what follows is new
      score: [0, 15]
      not: [VOIP, RISKY, SCORE_X]
      notice: none
      undetermined: [ voip ]
  - name: a table
    facts: { phone.type: mobile }
    table:
      columns: [phone.score, outcome, reasons, rules]
      rows:
        - [79, review, [RISKY], [risky]]  # first
        - [80, accept, [], [risky]]
`;
const NOW = TESTS.replace('"review" ', '"reject" ')
  .replace('- RISKY # kept', '- RISKY # kept\n        - VOIP')
  .replace('score: [0, 15]', 'score: 15')
  .replace('notice: none', 'notice: "No line."')
  .replace('[ voip ]', '[]')
  .replace('[79, review, [RISKY], [risky]]', '[79, accept, [], []]')
  .replace('[80, accept, [], [risky]]', '[80, accept, [RISKY], [risky]]');

async function accept(files: Readonly<Record<string, string>>, args: readonly string[], setting: RunSetting = {}) {
  const folder = temporaryFolder({ 'policy.yaml': POLICY, ...files });
  const { stdout, stderr, exitCode } = await runCli(['test', 'accept', folder, ...args], setting);
  const short = (text: string) => text.replaceAll(`${folder}/`, '');
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { exitCode, stdout: short(stdout), stderr: short(stderr), read, folder };
}

describe('verdict test accept', () => {
  const tests = TESTS.replace('      not: [VOIP, RISKY, SCORE_X]\n', '');
  const now = NOW.replace('      not: [VOIP, RISKY, SCORE_X]\n', '');

  it('rewrites what fails after it showed the difference, and keeps comments and layout', async () => {
    const { exitCode, stdout, stderr, read, folder } = await accept({ 'a.test.yaml': tests }, ['--yes']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'verdict: 9 expectations accepted\n' });
    expect(read('a.test.yaml')).toBe(now);
    expect(stdout).toContain(`a.test.yaml:8
-       outcome: "review"   # the outcome
+       outcome: "reject"   # the outcome
a.test.yaml:10
-         - RISKY # kept
+         - RISKY # kept
+         - VOIP
`);
    expect((await runCli(['test', folder])).stdout).toBe('3 tests: 3 passed\n');
    expect((await runCli(['test', 'accept', folder])).stdout).toBe('no test fails\n');
  });

  it.each([
    ['y\n', 0, 'verdict: 9 expectations accepted\n'],
    [' Yes \n', 0, 'verdict: 9 expectations accepted\n'],
    ['n\ny\n', 1, 'verdict: nothing was written\n'],
    ['\n', 1, 'verdict: nothing was written\n'],
    ['yx\n', 1, 'verdict: nothing was written\n'],
    // Ctrl-D.
    ['', 1, '\nverdict: nothing was written\n'],
  ])('asks on a terminal, where the answer %j leads to exit code %i', async (stdin, code, message) => {
    const { exitCode, stderr, read } = await accept({ 'a.test.yaml': tests }, [], { stdin, isStdinTerminal: true });
    expect([exitCode, stderr]).toEqual([code, `Accept 9 expectations? [y/N] ${message}`]);
    expect(read('a.test.yaml')).toBe(code === 0 ? now : tests);
  });

  it.each([
    ['without a terminal', {}, 'standard input is not a terminal'],
    ['where the answer is piped', { stdin: 'y\n' }, 'standard input is not a terminal'],
    ['in CI', { env: { CI: 'true' } }, 'CI is set'],
    ['on Jenkins', { env: { CI: 'false', JENKINS_URL: 'http://ci.example/' } }, 'JENKINS_URL is set'],
    ['in CI on a terminal', { env: { CI: 'true' }, stdin: 'y\n', isStdinTerminal: true }, 'CI is set'],
  ])('writes nothing %s', async (_, setting, message) => {
    const args = 'env' in setting ? ['--yes'] : [];
    const { exitCode, stderr, read } = await accept({ 'a.test.yaml': tests }, args, setting);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(read('a.test.yaml')).toBe(tests);
  });

  it('writes to no file if one of them is read-only', async () => {
    const folder = temporaryFolder({ 'policy.yaml': POLICY, 'a.test.yaml': tests, 'b.test.yaml': tests });
    chmodSync(join(folder, 'b.test.yaml'), 0o444);
    const { exitCode, stderr } = await runCli(['test', 'accept', folder, '--yes']);
    const problem = `verdict: ${folder}/b.test.yaml is read-only; it was not changed\n`;
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: problem });
    for (const name of ['a.test.yaml', 'b.test.yaml']) expect(readFileSync(join(folder, name), 'utf8')).toBe(tests);
  });

  it('leaves to a person what has more than one answer, and CSV files', async () => {
    const head = 'policy: policy.yaml\nat: 2026-11-20\ntests:\n';
    const files = {
      'csv.test.yaml': `${head}  - { name: rows, table: { file: rows.csv } }\n`,
      'rows.csv': 'phone.score,outcome\n85,reject\n',
      'not.test.yaml': `${head}  - { name: nothing left, facts: { phone.type: voip }, expect: { not: [VOIP] } }\n`,
      'shared.test.yaml': `${head}  - name: shared
    expect: { reasons: [] }
    table: { columns: [phone.score, phone.type], rows: [[80, mobile], [1, voip], [1, mobile]] }
`,
      'some.test.yaml': `${head}  - { name: one left, facts: { phone.type: voip }, expect: { not: [RISKY, VOIP] } }\n`,
    };
    const { exitCode, stderr, read } = await accept(files, ['--yes']);
    expect(exitCode).toBe(1);
    const left = (name: string, why: string) => `verdict: left as it is: ${name}: ${why}\n`;
    expect(stderr).toBe(
      [
        left('rows, row 1', 'its row is in a CSV file'),
        left('nothing left', 'each code of `not` fires'),
        left('shared, row 1', 'cases that share the expectation are decided differently'),
        left('shared, row 2', 'cases that share the expectation are decided differently'),
        'verdict: 1 expectation accepted\n',
      ].join(''),
    );
    for (const name of ['csv.test.yaml', 'rows.csv', 'not.test.yaml', 'shared.test.yaml'] as const) {
      expect(read(name)).toBe(files[name]);
    }
    expect(read('some.test.yaml')).toContain('expect: { not: [RISKY] }');
  });
});
