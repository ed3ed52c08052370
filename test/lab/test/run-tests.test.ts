/** The cases of files of tests, run: which pass, and how the others differ. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import { DiagnosticsError } from '../../../src/diagnostics.ts';
import { differencesOf } from '../../../src/lab/test/test-case.ts';
import { runTests, type TestResult } from '../../../src/lab.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';

const RULES = `score: { review: 20, notice: A score. }
rules:
  - id: risky
    when: { phone.score: { above: 80 } }
    then: review
    points: 5
    notice: { en: Call us., de: Rufen Sie an. }
  - { id: young, when: { email.address.firstSeen: { withinLast: 7 days } }, points: 20, whenUnknown: ignore }
  - { id: hosting, when: { ip.isp: hosting }, then: reject, points: 7 }
`;
const RISKY = 'phone.score: 90, email.address.firstSeen: never, ip.isp: other';
const CLEAN = 'phone.score: 9, email.address.firstSeen: never, ip.isp: other';

function folderWith(tests: string, rules = RULES): string {
  const text = `policy: policy.yaml\nat: 2026-11-20\ntests:\n${tests}`;
  return temporaryFolder({ 'policy.yaml': HEAD + rules, 'a.test.yaml': text });
}

/** The differences of a test with these facts. */
function differences(facts: string, expected: string): readonly unknown[] | undefined {
  const folder = folderWith(`  - { name: a, facts: { ${facts} }, expect: { ${expected} } }\n`);
  const [result] = runTests([folder]).results;
  return result?.result === 'failed' ? result.differences : undefined;
}

describe('a case', () => {
  it.each([
    [RISKY, 'outcome: review'],
    [RISKY, 'reasons: [RISKY], rules: [risky], undetermined: []'],
    [RISKY, 'not: [YOUNG, HOSTING]'],
    [RISKY, 'score: 5'],
    ['phone.score: 90, email.address.firstSeen: never', 'score: [5, 12], undetermined: [hosting]'],
    [RISKY, 'notice: any'],
    [RISKY, 'notice: Call us.'],
    [RISKY, 'notice: { de-AT: Rufen Sie an., fr: Call us. }'],
    [CLEAN, 'notice: none, reasons: [], rules: []'],
    // Only what decides is told.
    ['phone.score: 90, email.address.firstSeen: never, ip.isp: hosting', 'outcome: reject, notice: none'],
  ])('with %s passes if it expects %s', (facts, expected) => {
    expect(differences(facts, expected)).toBeUndefined();
  });

  it.each([
    [RISKY, 'outcome: accept', { key: 'outcome', expected: 'accept', found: 'review' }],
    [RISKY, 'outcome: review, score: 6', { key: 'score', expected: 6, found: 5 }],
    ['phone.score: 9', 'score: 0', { key: 'score', expected: 0, found: [0, 7] }],
    ['phone.score: 9', 'score: [0, 0]', { key: 'score', expected: [0, 0], found: [0, 7] }],
    [RISKY, 'reasons: []', { key: 'reasons', expected: [], found: ['RISKY'] }],
    [RISKY, 'reasons: [RISKY, YOUNG]', { key: 'reasons', expected: ['RISKY', 'YOUNG'], found: ['RISKY'] }],
    [RISKY, 'not: [YOUNG, RISKY]', { key: 'not', expected: ['YOUNG', 'RISKY'], found: ['RISKY'] }],
    [CLEAN, 'rules: [risky]', { key: 'rules', expected: ['risky'], found: [] }],
    ['phone.score: 9', 'undetermined: [young]', { key: 'undetermined', found: ['young', 'hosting'] }],
    [CLEAN, 'notice: any', { key: 'notice', expected: 'any', found: 'none' }],
    [RISKY, 'notice: none', { key: 'notice', found: [{ en: 'Call us.', de: 'Rufen Sie an.' }] }],
    [RISKY, 'notice: Write us.', { key: 'notice', expected: 'Write us.' }],
    [RISKY, 'notice: { de: Call us. }', { key: 'notice', expected: { de: 'Call us.' } }],
  ])('with %s fails if it expects %s', (facts, expected, difference) => {
    expect(differences(facts, expected)).toMatchObject([difference]);
  });

  it('can be held against another policy', () => {
    const folder = folderWith(`  - { name: a, facts: { ${RISKY} }, expect: { outcome: accept } }\n`);
    const [failed] = runTests([folder]).results;
    const testCase = failed?.result === 'failed' ? failed.case : undefined;
    const milder = compile(policyOf(HEAD + RULES.replace('above: 80', 'above: 95')));
    expect(testCase && [differencesOf(testCase).length, differencesOf(testCase, milder).length]).toEqual([1, 0]);
  });
});

describe('a run', () => {
  const TESTS = `  - { name: one, facts: { ${CLEAN} }, expect: { outcome: accept } }
  - { name: other, facts: { ${RISKY} }, expect: { outcome: accept } }
  - { name: later, skip: not decided yet, expect: { outcome: accept } }
`;
  const brief = ({ name, result }: TestResult) => `${name}: ${result}`;

  it('gives the results in order, and why one failed', () => {
    const folder = folderWith(TESTS);
    const report = runTests([join(folder, 'a.test.yaml')]);
    expect(report).toMatchObject({ passed: 1, failed: 1, skipped: 1 });
    expect(report.results.map(brief)).toEqual(['one: passed', 'other: failed', 'later: skipped']);
    const [, failed, skipped] = report.results;
    expect(failed).toMatchObject({ decidedBy: [{ rule: 'risky', place: { position: { line: 6 } } }] });
    expect(skipped).toMatchObject({ why: 'not decided yet' });
  });

  it('names the rules that fired where others could not be determined', () => {
    const folder = folderWith('  - { name: a, facts: { phone.score: 90 }, expect: { outcome: accept } }\n');
    expect(runTests([folder]).results).toMatchObject([{ decidedBy: [{ rule: 'risky' }] }]);
  });

  it('names the rules that could not be determined where none fired', () => {
    const folder = folderWith('  - { name: a, facts: { phone.score: 9 }, expect: { outcome: accept } }\n');
    expect(runTests([folder]).results).toMatchObject([{ decidedBy: [{ rule: 'hosting' }] }]);
  });

  it('leaves out names without the text of the filter', () => {
    expect(runTests([folderWith(TESTS)], { filter: 'OTH' }).results.map(brief)).toEqual(['other: failed']);
  });

  it('leaves out tests without `only` if another test has it', () => {
    const folder = folderWith(TESTS.replace('name: one', 'name: one, only: true'));
    expect(runTests([folder]).results.map(brief)).toEqual(['one: passed', 'other: skipped', 'later: skipped']);
  });

  it('finds files of tests in a folder and below', () => {
    const folder = temporaryFolder({
      'package.json': '{}',
      'policy.yaml': HEAD + RULES,
      'tests/deep/a.test.yml':
        'policy: ../../policy.yaml\nat: today\ntests: [{ name: a, expect: { outcome: review } }]\n',
      'node_modules/b.test.yaml': 'nothing',
      'c.yaml': 'nothing',
    });
    expect(runTests([folder]).results.map(brief)).toEqual(['a: passed']);
  });

  it.each([
    ['a path without a file', 'absent.test.yaml', 'file-unreadable'],
    ['a folder without files of tests', '.', 'unknown-file'],
  ])('is refused for %s', (_, path, code) => {
    const folder = temporaryFolder();
    const run = () => runTests([join(folder, path)]);
    expect(run).toThrow(
      expect.objectContaining({ code: 'TESTS_INVALID', diagnostics: [expect.objectContaining({ code })] }),
    );
  });

  it('is refused for a policy, with the tests beside it', () => {
    const folder = temporaryFolder({ 'policy.yaml': HEAD + RULES, 'policy.test.yaml': '' });
    const run = () => runTests([join(folder, 'policy.yaml')]);
    const refused = {
      message: 'a policy; expected a file of tests',
      hint: expect.stringContaining('policy.test.yaml'),
    };
    expect(run).toThrow(expect.objectContaining({ diagnostics: [expect.objectContaining(refused)] }));
  });

  it('reports what is wrong with a policy once, however many files test it', () => {
    const tests = 'policy: policy.yaml\nat: today\ntests: [{ name: a, expect: { outcome: review } }]\n';
    const files = { 'policy.yaml': `${HEAD}rules: 1\n`, 'a.test.yaml': tests, 'b.test.yaml': tests };
    expect(() => runTests([temporaryFolder(files)])).toThrow(
      expect.objectContaining({ diagnostics: [expect.objectContaining({ code: 'wrong-type' })] }),
    );
  });

  it('has no case if one file has an error, and logs no line of it', () => {
    const folder = folderWith('  - { name: a, facts: { applicant.phoneNo: "+447400123456", phone.score: high } }\n');
    let error: unknown;
    try {
      runTests([folder]);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(DiagnosticsError);
    expect((error as DiagnosticsError).message).toContain('phone.score must be a number');
    expect((error as DiagnosticsError).message).not.toContain('7400');
  });
});
