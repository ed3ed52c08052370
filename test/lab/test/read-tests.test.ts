/** Files of tests: what they say, and what is wrong with them. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatDiagnosticLine } from '../../../src/diagnostics.ts';
import { isMissing } from '../../../src/facts/fact.ts';
import { TestReader } from '../../../src/lab/test/read-tests.ts';
import type { TestCase } from '../../../src/lab/test/test-case.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}parameters: { risky: 80, spare: 1 }
facts:
  context.tenure: { type: integer, description: "Days." }
  context.born: { type: date, description: "Day of birth." }
  context.double: { type: number, description: "Twice.", compute: { product: [2, context.tenure] } }
velocity:
  hour: { count: applications, by: ip, within: 1 hour }
  day: { count: applications, by: ip, within: 1 day }
rules:
  - { id: risky, when: { phone.score: { above: $risky } }, then: review, reason: RISKY }
  - { id: ported, when: { phone.porting.portedDate: { withinLast: 7 days } }, then: review, points: 5 }
score: { review: 50 }
`;
const HEAD_OF_TESTS = 'policy: policy.yaml\nat: 2026-11-20\n';

function read(text: string, files: Readonly<Record<string, string>> = {}, { allowOnly = true } = {}) {
  const folder = temporaryFolder({ 'policy.yaml': POLICY, 'a.test.yaml': text, ...files });
  const found = new TestReader({ allowOnly }).read(join(folder, 'a.test.yaml'));
  const problems = found.diagnostics.map((each) => formatDiagnosticLine(each).replaceAll(`${folder}/`, ''));
  return { ...found, problems };
}

/** The cases of a file without errors. */
function casesOf(text: string, files: Readonly<Record<string, string>> = {}): readonly TestCase[] {
  const { cases, problems } = read(text, files);
  expect(problems).toEqual([]);
  return cases;
}

/** The facts of a case that were given, texts as they came. */
function givenIn({ facts }: TestCase): object {
  return Object.fromEntries(
    [...facts].flatMap(([path, fact]) =>
      isMissing(fact) ? (fact.missing === 'notGiven' ? [] : [[path, fact.missing]]) : [[path, fact.value]],
    ),
  );
}

const EXPECT = 'expect: { outcome: accept }';

describe('a file of tests', () => {
  it('gives a case for each test, with its place, day, parameters and facts', () => {
    const [one, other] = casesOf(`${HEAD_OF_TESTS}tests:
  - { name: one, facts: { phone.score: 5 }, expect: { outcome: accept, reasons: [] } }
  - { name: other, at: 2026-01-02, with: { risky: 3 }, facts: { phone.score: 5 }, expect: { outcome: review } }
`);
    expect(one).toMatchObject({ name: 'one', at: '2026-11-20', parameters: {}, expect: { reasons: [] }, only: false });
    expect(one?.place.position).toEqual({ line: 4, column: 13, length: 3 });
    expect(other).toMatchObject({ at: '2026-01-02', parameters: { risky: 3 } });
    expect([one, other].map((each) => each?.policy.parameters.get('risky')?.value)).toEqual([80, 3]);
    expect(givenIn(one as TestCase)).toEqual({ 'phone.score': 5 });
  });

  it('runs each test with each of its policies, but those with one of their own', () => {
    const text = `policy: [policy.yaml, b.yaml]\nat: 2026-11-20\ntests:
  - { name: a, ${EXPECT} }
  - { name: b, policy: b.yaml, expect: { rules: [other] } }
`;
    const files = { 'b.yaml': `${HEAD}rules: [{ id: other, when: { phone.score: 1 }, then: review }]\n` };
    const cases = casesOf(text, files);
    expect(cases.map(({ name }) => name)).toEqual(['a (policy.yaml)', 'a (b.yaml)', 'b (b.yaml)']);
    expect(cases.map(({ policy }) => policy.rules.length)).toEqual([2, 1, 1]);
  });

  it('sets parameters for all tests, and for one over these', () => {
    const cases = casesOf(`${HEAD_OF_TESTS}with: { risky: 70, spare: 2 }
tests: [{ name: a, ${EXPECT} }, { name: b, with: { risky: 60 }, ${EXPECT} }, { name: c, with: { risky: 50 }, ${EXPECT} }]
`);
    expect(cases.map(({ parameters }) => parameters)).toEqual([70, 60, 50].map((risky) => ({ risky, spare: 2 })));
    const valueIn = ({ policy }: TestCase, name: string) => policy.parameters.get(name)?.value;
    expect(cases.map((each) => [valueIn(each, 'risky'), valueIn(each, 'spare')])).toEqual([
      [70, 2],
      [60, 2],
      [50, 2],
    ]);
  });

  it('joins sets of facts, an answer, missing facts and its own facts, of which the later ones count', () => {
    const [found] = casesOf(
      `${HEAD_OF_TESTS}facts:
  plain: { phone.score: 1, applicant.email: one@mail.example, phone.type: voip }
  line: { file: line.json }
tests:
  - name: all
    from: [plain, line]
    answer: answer.json
    missing: { "phone.porting.*": sourceFailed, "email.*": unmapped, phone.type: invalid }
    facts: { phone.porting.portCount: 3, email.address.score: { missing: notReturned } }
    ${EXPECT}
`,
      {
        'line.json': '{"facts":{"applicant.email":"two@mail.example"},"missing":{"ip.*":"invalid"}}',
        'answer.json': '{"score": 9}',
      },
    );
    expect(givenIn(found as TestCase)).toMatchObject({
      'applicant.email': 'two@mail.example',
      // The answer counts for every fact of the service; this one does not say that it succeeded.
      'phone.score': 'sourceFailed',
      'email.domain.score': 'unmapped',
      'email.address.score': 'notReturned',
      'phone.porting.portedDate': 'sourceFailed',
      'phone.porting.portCount': 3,
      'phone.type': 'invalid',
    });
  });

  it('reads an empty map of facts as no facts', () => {
    const [one] = casesOf(`${HEAD_OF_TESTS}tests: [{"name": "one", "facts": {}, "expect": {"outcome": "review"}}]\n`);
    expect(givenIn(one as TestCase)).toEqual({});
  });

  it('reads an answer by the mapping that it names', () => {
    const text = `${HEAD_OF_TESTS}mapping: signals.yaml\ntests: [{ name: a, answer: answer.json, ${EXPECT} }]\n`;
    const files = { 'answer.json': '{"score": 9}', 'signals.yaml': 'signals: { phone.score: $.score }\n' };
    expect(givenIn(casesOf(text, files)[0] as TestCase)).toMatchObject({ 'phone.score': 9, 'ip.isp': 'unmapped' });
  });

  it('leaves out of a pattern what is derived from other facts', () => {
    const [found] = casesOf(`${HEAD_OF_TESTS}tests:
  - { name: a, facts: { applicant.phoneNo: "+44 7400 123456" }, missing: { "phone.*": sourceFailed }, ${EXPECT} }
`);
    expect(givenIn(found as TestCase)).toMatchObject({ 'phone.country': 'gb', 'phone.score': 'sourceFailed' });
  });

  it.each([
    ['today', '2026-11-20'],
    ['yesterday', '2026-11-19'],
    ['7 days ago', '2026-11-13'],
    ['1 week ago', '2026-11-13'],
    ['in 3 days', '2026-11-23'],
    ['18 years ago', '2008-11-20'],
    ['2026-02-03', '2026-02-03'],
    ['never', 'never'],
  ])('takes "%s" for %s', (written, day) => {
    const [found] = casesOf(`${HEAD_OF_TESTS}tests: [{ name: a, facts: { context.born: ${written} }, ${EXPECT} }]\n`);
    expect(givenIn(found as TestCase)).toEqual({ 'context.born': day });
  });

  it('counts relative days from the day of the test', () => {
    const [, found] = casesOf(`${HEAD_OF_TESTS}facts: { a: { context.born: 1 day ago } }
tests: [{ name: a, from: a, ${EXPECT} }, { name: b, at: 2026-01-01, from: a, ${EXPECT} }]
`);
    expect(givenIn(found as TestCase)).toEqual({ 'context.born': '2025-12-31' });
  });

  it('gives a case for each row of a table, which leaves out empty cells', () => {
    const table = 'columns: [phone.score, outcome, name], rows: [[1, ~, low], [{ missing: invalid }, review, ~]]';
    const cases = casesOf(`${HEAD_OF_TESTS}tests: [{ name: a, ${EXPECT}, table: { ${table} } }]\n`);
    expect(cases.map(({ name, expect }) => [name, expect])).toEqual([
      ['a: low', { outcome: 'accept' }],
      ['a, row 2', { outcome: 'review' }],
    ]);
    expect(cases.map(givenIn)).toEqual([{ 'phone.score': 1 }, { 'phone.score': 'invalid' }]);
  });

  it('reads the rows of a CSV file', () => {
    const csv = 'phone.score,context.born,outcome,reasons\n90,7 days ago,review,RISKY PORTED\n,,accept,[]\n';
    const cases = casesOf(`${HEAD_OF_TESTS}tests: [{ name: a, table: { file: cases.csv } }]\n`, { 'cases.csv': csv });
    expect(cases.map(({ place, expect }) => [place.position.line, expect])).toEqual([
      [2, { outcome: 'review', reasons: ['RISKY', 'PORTED'] }],
      [3, { outcome: 'accept', reasons: [] }],
    ]);
    expect(cases.map(givenIn)).toEqual([{ 'phone.score': 90, 'context.born': '2026-11-13' }, {}]);
  });
});

it('a test may raise a count above another one of its set', () => {
  const [one] = casesOf(`${HEAD_OF_TESTS}facts: { base: { velocity.hour: 0, velocity.day: 0 } }
tests: [{ name: a, from: base, facts: { velocity.hour: 3 }, ${EXPECT} }]\n`);
  expect(givenIn(one as TestCase)).toEqual({ 'velocity.hour': 3, 'velocity.day': 0 });
});

describe('a mistake in a file of tests', () => {
  const inTest = (text: string) => `${HEAD_OF_TESTS}tests:\n  - { name: a, ${text} }\n`;
  it.each([
    ['expects nothing', inTest('facts: { phone.score: 1 }'), '4:13: error[missing-key]: this test expects nothing'],
    [
      'expects nothing in a row',
      inTest('table: { columns: [phone.score], rows: [[1]] }'),
      'error[missing-key]: this row expects nothing',
    ],
    ['has an unknown key', inTest(`fact: {}, ${EXPECT}`), 'error[unknown-key]: "fact" is not a key of a test'],
    ['names no fact', inTest(`facts: { phone.scor: 1 }, ${EXPECT}`), 'error[unknown-fact]: the policy has no fact'],
    ['has a text for a number', inTest(`facts: { phone.score: high }, ${EXPECT}`), 'error[wrong-type]: found a text'],
    [
      'has a number out of range',
      inTest(`facts: { phone.score: 101 }, ${EXPECT}`),
      'error[wrong-value]: found the number 101; phone.score must be 0 to 100',
    ],
    [
      'has a day ahead for one in the past',
      inTest(`facts: { phone.porting.portedDate: in 3 days }, ${EXPECT}`),
      'found a day in the future, seen from 2026-11-20; phone.porting.portedDate must be a day in the past, or never',
    ],
    [
      'has a text of another format',
      inTest(`facts: { applicant.phoneNo: "07400 123456" }, ${EXPECT}`),
      'error[wrong-format]: applicant.phoneNo cannot have this value: it starts with 0',
    ],
    [
      'has a star inside a pattern',
      inTest(`missing: { "phone.*.portedDate": invalid }, ${EXPECT}`),
      'error[unknown-fact]: no fact matches "phone.*.portedDate"; a pattern must be like email.*',
    ],
    ['has a number for a day', inTest(`facts: { context.born: 40 }, ${EXPECT}`), 'error[wrong-type]: found the number'],
    [
      'has a greater part than its whole',
      inTest(`facts: { velocity.hour: 3, velocity.day: 2 }, ${EXPECT}`),
      '4:23: error[wrong-value]: no applicant has a greater velocity.hour than velocity.day',
    ],
    [
      'has no key',
      `${HEAD_OF_TESTS}tests:\n  - burst\n    ${EXPECT}\n`,
      'error[yaml-syntax]: found an entry without a key',
    ],
    ['has no day', inTest(`facts: { context.born: 7 days }, ${EXPECT}`), 'error[malformed]: found "7 days"'],
    [
      'gives a computed fact',
      inTest(`facts: { context.double: 1 }, ${EXPECT}`),
      'error[wrong-value]: the policy computes context.double',
    ],
    ['has an unknown cause', inTest(`missing: { phone.score: gone }, ${EXPECT}`), 'error[wrong-value]: found "gone"'],
    [
      'has an unknown pattern',
      inTest(`missing: { "fax.*": invalid }, ${EXPECT}`),
      'error[unknown-fact]: no fact match',
    ],
    [
      'gives a fact that it says is missing',
      inTest(`facts: { phone.score: 1 }, missing: { phone.score: invalid }, ${EXPECT}`),
      'error[duplicate-name]: phone.score has both',
    ],
    ['names an unknown reason', inTest('expect: { reasons: [RISKI] }'), 'error[wrong-value]: found "RISKI"'],
    ['names an unknown rule', inTest('expect: { rules: [risk] }'), 'error[wrong-value]: found "risk"'],
    ['lists a reason twice', inTest('expect: { not: [RISKY, RISKY] }'), 'error[duplicate-name]: "RISKY" is listed'],
    ['starts from no set', inTest(`from: b, ${EXPECT}`), 'error[wrong-value]: found "b"'],
    ['sets no parameter', inTest(`with: { riski: 1 }, ${EXPECT}`), 'error[unknown-parameter]: the policy has no'],
    ['sets a text for a number', inTest(`with: { risky: "1" }, ${EXPECT}`), 'error[wrong-type]: the value of "risky"'],
    ['names an absolute path', inTest(`answer: /a.json, ${EXPECT}`), 'error[file-outside]: found an absolute path'],
    ['names no file', inTest(`answer: a.json, ${EXPECT}`), '4:24: error[file-unreadable]: no such file'],
    ['has two tests of one name', `${inTest(EXPECT)}  - { name: a, ${EXPECT} }`, 'error[duplicate-name]: two tests'],
    ['has no day of the decisions', 'policy: policy.yaml\ntests: [{ name: a }]\n', 'error[missing-key]'],
    [
      'is for a policy that the file does not test',
      inTest(`policy: polcy.yaml, ${EXPECT}`),
      'found "polcy.yaml"; `policy` of a test must be one of the policies of the file',
    ],
    [
      'names a policy twice',
      `policy: [policy.yaml, policy.yaml]\nat: today\ntests: [{ name: a, ${EXPECT} }]\n`,
      '1:23: error[duplicate-name]: "policy.yaml" is listed twice',
    ],
    ['names no policy', `policy: b.yaml\nat: today\ntests: [{ name: a, ${EXPECT} }]\n`, '1:9: error[file-unreadable]'],
    [
      'has a wrong value in a set that no test uses',
      `${inTest(EXPECT)}facts: { b: { phone.score: 101 } }\n`,
      'error[wrong-value]: found the number 101',
    ],
    [
      'has a file beside columns',
      inTest('table: { columns: [outcome], file: a.csv }'),
      'error[wrong-value]: found a file together with',
    ],
    [
      'has two rows of one name',
      inTest('table: { columns: [name, outcome], rows: [[b, accept], [b, accept]] }'),
      'error[duplicate-name]: two rows have the name "b"',
    ],
    [
      'has a column twice',
      inTest('table: { columns: [outcome, outcome], rows: [[accept, accept]] }'),
      'error[duplicate-name]: the column "outcome" occurs twice',
    ],
    ['has a short row', inTest('table: { columns: [outcome, score], rows: [[accept]] }'), 'error[row-length]'],
    ['has an unknown column', inTest('table: { columns: [outcom], rows: [[accept]] }'), 'error[unknown-fact]'],
  ])('is reported if it %s', (_, text, problem) => {
    const { cases, problems } = read(text);
    expect(problems.join('\n')).toContain(problem);
    expect(cases).toEqual([]);
  });

  it('is reported where the policy has it', () => {
    const { problems } = read(inTest(EXPECT), { 'policy.yaml': 'policy: x\n' });
    expect(problems[0]).toMatch(/^policy\.yaml:1:1: error\[missing-key\]/);
  });

  it('is `only` where all tests have to run', () => {
    const text = inTest(`only: true, ${EXPECT}`);
    expect(read(text).problems).toEqual([]);
    expect(read(text, {}, { allowOnly: false }).problems[0]).toContain('found `only`, which leaves other tests out');
  });

  it('is reported once for several policies, and with the names of those that it concerns', () => {
    const text = `policy: [policy.yaml, b.yaml, c.yaml]\nat: today\ntests:
  - { name: a, facts: { phone.score: high }, expect: { rules: [risky] } }
`;
    const other = `${HEAD}rules: []\n`;
    expect(read(text, { 'b.yaml': other, 'c.yaml': other }).problems).toEqual([
      expect.stringContaining('4:38: error[wrong-type]: found a text; phone.score must be a number'),
      expect.stringContaining('found "risky"; no rule of the policy has this id (b.yaml, c.yaml)'),
    ]);
  });

  it('is reported once for a set that several tests start from', () => {
    const tests = ['a', 'b'].map((name) => `{ name: ${name}, from: s, ${EXPECT} }`).join(', ');
    const { problems } = read(`${HEAD_OF_TESTS}facts: { s: { phone.score: 101 } }\ntests: [${tests}]\n`);
    expect(problems).toHaveLength(1);
  });
});
