/** `verdict test`: what it prints in each format, and how it ends. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../../support/cli/cli.ts';
import { HEAD, temporaryFolder } from '../../../support/policy/policy.ts';

const POLICY = `${HEAD}rules:
  - { id: risky, when: { phone.score: { above: 80 } }, then: review, reason: RISKY, message: "Score {phone.score}." }
`;
const TESTS = `policy: policy.yaml
at: 2026-11-20
tests:
  - { name: a clean number, facts: { phone.score: 9 }, expect: { outcome: accept } }
  - { name: 'a <risky> number, 50%', facts: { phone.score: 90 }, expect: { outcome: accept, reasons: [] } }
  - { name: later, skip: "not decided #1", expect: { outcome: accept } }
`;
const GOOD = TESTS.replace('outcome: accept, reasons: []', 'outcome: review, reasons: [RISKY]');

async function test(
  text: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  policy = POLICY,
) {
  const folder = temporaryFolder({ 'policy.yaml': policy, 'a.test.yaml': text });
  const { stdout, stderr, exitCode } = await runCli(['test', folder, ...args], { env });
  return { exitCode, stdout: stdout.replaceAll(`${folder}/`, ''), stderr: stderr.replaceAll(`${folder}/`, '') };
}

describe('verdict test', () => {
  it('exits with 0 if no test fails', async () => {
    expect(await test(GOOD)).toEqual({
      exitCode: 0,
      stdout: 'a.test.yaml:6:13: skipped: later (not decided #1)\n\n3 tests: 2 passed, 1 skipped\n',
      stderr: '',
    });
  });

  it('shows what was expected, what was found and the rule that decided, and exits with 1', async () => {
    const { exitCode, stdout } = await test(TESTS, ['--filter', 'risky']);
    expect(exitCode).toBe(1);
    expect(stdout).toBe(`a.test.yaml:5:13: failed: a <risky> number, 50%
  outcome: expected accept, found review
  reasons: found RISKY, not expected
  decided on 2026-11-20: review, because
    RISKY: Score 90.
      rule risky, review
      - phone.score is above 80: 90
    policy.yaml:5:5: rule risky

1 test: 0 passed, 1 failed
`);
  });

  it('shows the rules that gave points, those that could not be determined, and notices as a test has them', async () => {
    const policy = `${HEAD}score: { review: 50, notice: { de: Bitte warten. } }
rules:
  - { id: voip, when: { phone.type: voip }, points: 25 }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 7 days } }, points: 30 }
  - { id: pager, when: { phone.type: pager }, points: 10 }
`;
    const reasons = async (facts: string, expected: string) => {
      const tests = `policy: policy.yaml\nat: 2026-11-20\ntests:\n  - { name: a, facts: ${facts}, expect: ${expected} }\n`;
      return (await test(tests, [], {}, policy)).stdout;
    };
    expect(
      await reasons('{ phone.type: voip, phone.porting.portedDate: today }', '{ notice: none, rules: [pager] }'),
    ).toBe(`a.test.yaml:4:13: failed: a
  notice: expected none, found { de: "Bitte warten." }
  rules: expected pager, which did not fire; found voip, ported, not expected
  decided on 2026-11-20: review, because
    SCORE: The score is 55 points, in the band of review; review begins at 50.
      - 55 = 25 voip + 30 ported
    policy.yaml:6:5: rule voip
    policy.yaml:7:5: rule ported
    policy.yaml:8:5: rule pager, did not fire
      - phone.type is not pager: voip

1 test: 0 passed, 1 failed
`);
    expect(await reasons('{ phone.type: voip }', '{ outcome: accept, score: 5 }')).toContain(`
    SCORE_UNDETERMINED: The score is 25 to 55 points, which may reach the band of review, depending on missing facts; review begins at 50.
    policy.yaml:6:5: rule voip
    policy.yaml:7:5: rule ported
`);
    expect(await reasons('{ phone.type: pager }', '{ score: 5, undetermined: [] }')).toContain(`
    policy.yaml:7:5: rule ported, undetermined
      - phone.porting.portedDate: not given
    policy.yaml:8:5: rule pager, 10 points
`);
  });

  it('shows why a rule did not fire however many others decided, and the first of many tests that stopped it', async () => {
    const deciders = [...'abcdefg'].map(
      (id) => `  - { id: ${id}, when: { phone.score: { above: 1 } }, then: review }\n`,
    );
    const parts = [...'12345678'].map((least) => `{ phone.porting.portCount: { above: ${least} } }`);
    const policy = `${HEAD}rules:\n${deciders.join('')}  - { id: z, when: { any: [${parts}] }, then: reject }\n`;
    const facts = '{ phone.score: 9, phone.porting.portCount: 0 }';
    const tests = `policy: policy.yaml\nat: today\ntests: [{ name: a, facts: ${facts}, expect: { reasons: [Z] } }]\n`;
    const { stdout } = await test(tests, [], {}, policy);
    expect(stdout).toContain('    and 2 rules more\n    policy.yaml:12:5: rule z, did not fire\n');
    expect(stdout).toContain('      - phone.porting.portCount is at most 5: 0\n      - and 3 more\n');
  });

  it.each([
    ['mode: shadow', ', in shadow mode'],
    ['until: 2026-11-19', ', not active on 2026-11-20'],
  ])('says why a rule with %s did not fire', async (key, words) => {
    const text = TESTS.replace('expect: { outcome: accept }', 'expect: { reasons: [RISKY] }').replace('9 }', '90 }');
    const { stdout } = await test(text, ['--filter', 'clean'], {}, POLICY.replace('reason: RISKY', `${key}, $&`));
    expect(stdout).toContain(`    policy.yaml:5:5: rule risky${words}\n\n1 test`);
  });

  it.each([
    ['junit', '<testsuite name="a.test.yaml" tests="3" failures="1" skipped="1" time="'],
    ['junit', '<testcase name="a &lt;risky&gt; number, 50%" classname="a.test.yaml" file="a.test.yaml" line="5"'],
    ['junit', '<skipped message="not decided #1"/>'],
    ['junit', '>  outcome: expected accept, found review\n  reasons: found RISKY, not expected\n'],
    [
      'github',
      '::error file=a.test.yaml,line=5,col=13,endColumn=36,title=test-failed::a <risky> number, 50%25: outcome',
    ],
  ])('prints in the format %s: %s', async (format, text) => {
    const { stdout, exitCode } = await test(TESTS, ['--format', format]);
    expect(stdout).toContain(text);
    expect(exitCode).toBe(1);
  });

  it('prints XML without the characters that XML does not have', async () => {
    const named = TESTS.replace('not decided', '\\uFFFE \\uFFFF \\uFDD0 \\x1b');
    const { stdout } = await test(named, ['--format', 'junit']);
    expect(stdout).toContain('\\u{fffe} \\u{ffff} \\u{fdd0} \\u{001b}');
    expect(stdout).toMatch(/^[\t\n\x20-\ufdcf]*$/);
  });

  it('gives the report as JSON', async () => {
    const { stdout } = await test(TESTS, ['--json']);
    const at = { file: 'a.test.yaml', name: 'a <risky> number, 50%' };
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ passed: 1, failed: 1, skipped: 1 },
      results: [
        { result: 'passed' },
        { ...at, result: 'failed', outcome: 'review', decidedBy: [{ rule: 'risky', place: { line: 5, column: 5 } }] },
        { result: 'skipped', why: 'not decided #1' },
      ],
    });
  });

  it('exits with 3 for a file with errors, which it shows with carets', async () => {
    const { exitCode, stdout, stderr } = await test(TESTS.replace('phone.score: 9 ', 'phone.scor: 9 '));
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toContain('a.test.yaml:4:38: error[unknown-fact]: the policy has no fact "phone.scor"\n');
    expect(stderr).toContain('^^^^^^^^^^\n  hint: did you mean "phone.score"?\n\nverdict: no test was run: 1 error\n');
  });

  it('shows twenty errors of a file at most', async () => {
    const wrong = Array.from(
      { length: 25 },
      (_, i) => `  - { name: t${i}, facts: { no.fact: 1 }, expect: { outcome: accept } }`,
    );
    const { stderr } = await test(`policy: policy.yaml\nat: 2026-11-20\ntests:\n${wrong.join('\n')}\n`);
    expect(stderr.match(/error\[unknown-fact\]/g)).toHaveLength(20);
    expect(stderr).toMatch(/and 5 more problems\nverdict: no test was run: 25 errors\n$/);
  });

  it('annotates errors too in the format of GitHub', async () => {
    const { exitCode, stdout } = await test(TESTS.replace('phone.score: 9 ', 'phone.scor: 9 '), ['--format', 'github']);
    expect(exitCode).toBe(3);
    expect(stdout).toMatch(/^::error file=a\.test\.yaml,line=4,col=38,/);
  });

  it('refuses `only` where CI is set', async () => {
    const text = GOOD.replace('skip:', 'only: true, skip:');
    expect((await test(text)).exitCode).toBe(0);
    const { exitCode, stderr } = await test(text, [], { CI: 'true' });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('found `only`, which leaves other tests out');
  });

  it('exits with 2 for a filter that no test has', async () => {
    expect(await test(GOOD, ['--filter', 'none'])).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('runs the tests again when the policy changes, or a file of tests is added below, until it is ended', async () => {
    const folder = temporaryFolder({ 'policy.yaml': POLICY, 'below/a.test.yaml': GOOD.replace(': ', ': ../') });
    const further = 'policy: ../policy.yaml\nat: today\ntests: [{ name: new, expect: { outcome: review } }]\n';
    const ending = new AbortController();
    let runs = 0;
    const { exitCode, stdout } = await runCli(['test', folder, '--watch'], {
      signal: ending.signal,
      onOutput: (text) => {
        const before = runs;
        runs = text.match(/^\d tests: /gm)?.length ?? 0;
        if (before === 0 && runs === 1) {
          writeFileSync(join(folder, 'policy.yaml'), POLICY.replace('above: 80', 'above: 95'));
        }
        if (before === 1 && runs === 2) writeFileSync(join(folder, 'below', 'b.test.yaml'), further);
        if (runs === 3) ending.abort();
      },
    });
    expect(exitCode).toBe(130);
    expect(stdout.match(/^\d tests: .*$/gm)).toEqual([
      '3 tests: 2 passed, 1 skipped',
      '3 tests: 1 passed, 1 failed, 1 skipped',
      '4 tests: 2 passed, 1 failed, 1 skipped',
    ]);
  });
});
