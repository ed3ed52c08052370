/** What people mistype in files of tests, and what they are told at its place. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TestReader } from '../../../src/lab/test/read-tests.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const POLICY = `${HEAD}parameters: { least: 80, window: 3 days }
rules:
  - { id: just-ported, when: { phone.porting.portedDate: { withinLast: $window } }, then: review, reason: JUST_PORTED }
  - { id: other, when: { phone.score: { above: $least } }, then: review, reason: OTHER }
`;
const TOP = 'policy: policy.yaml\nat: 2026-11-20\n';

function read(text: string, csv = '') {
  const folder = temporaryFolder({ 'policy.yaml': POLICY, 'a.test.yaml': text, 'cases.csv': csv });
  const { cases, diagnostics } = new TestReader({ allowOnly: true }).read(join(folder, 'a.test.yaml'));
  return { cases, problems: diagnostics.map(({ position, hint }) => `${position?.line}:${position?.column} ${hint}`) };
}

/** In a test, on line 5 of its file. */
const inTest = (line: string) => `${TOP}tests:\n  - name: a\n    ${line}\n`;
/** As a value of a day, with what is expected beside it. */
const ported = (value: string) => inTest(`facts: { phone.porting.portedDate: ${value} }`);
const EXPECTED = '    expect: { outcome: review }\n';

it.each([
  [inTest('expect: manual review'), '5:13 write `{ outcome: review }`'],
  [inTest('outcome: review'), '5:5 what is expected of a decision goes into `expect: { … }`'],
  [inTest('rows: [[1]]'), '5:5 columns and rows go into `table: { columns: …, rows: … }`'],
  [inTest('then: { outcome: review }'), '5:5 did you mean "expect"?'],
  [inTest('expect: { decision: review }'), '5:15 did you mean "outcome"?'],
  [inTest('expect: { reasons: none }'), '5:24 write `[]`'],
  [
    inTest('expect: { outcome: not reject }'),
    '5:24 a test expects one outcome: write it, or a guarantee of the policy',
  ],
  [inTest('expect: { outcome: [accept, review] }'), '5:24 write one of them'],
  [inTest('expect: { reasons: [just-ported] }'), '5:25 it is the id of a rule: write it under `rules`'],
  [inTest('expect: { rules: [JUST_PORTED] }'), '5:23 it is a reason: write it under `reasons`'],
  [inTest('expect: { score: "< 40" }'), '5:22 write the points, or the least and the most: `[0, 39]`'],
  [`policy: policy\nat: today\ntests: [{ name: a }]\n`, '1:9 name the file with its ending, such as .yaml'],
  [inTest('expect: { not: [accept] }'), '5:21 an outcome goes into `outcome`'],
  [inTest('expect: { score: 0-30 }'), '5:22 write `[0, 30]`'],
  [inTest('expect: { score: { least: 0, most: 30 } }'), '5:22 write `[0, 30]`'],
  [inTest('expect: { score: "30" }'), '5:22 remove the quotes'],
  [inTest('expect: { score: [30, 0] }'), '5:22 write `[0, 30]`'],
  [inTest('expect: { reasons: [SCORE] }'), '5:25 only rules are listed: the points go into `score`'],
  [inTest('expect: { reasons: [DEFAULT] }'), '5:25 only rules are listed: where none fires, write `[]`'],
  [inTest('expect: { notice: false }'), '5:23 write none'],
  [inTest('expect: { notice: None }'), '5:23 write none'],
  [inTest('expect: { notice: "yes" }'), '5:23 write any'],
  [
    `${TOP}tests:\n  a:\n    facts: {}\n${EXPECTED}`,
    '4:3 write a list, in which each entry begins with its name: `- name: a`',
  ],
  ['- { name: a, expect: { outcome: review } }\n', '1:1 write `tests:` above the list, and `policy:` and `at:`'],
  [`${inTest('facts: [phone.score: 80]')}${EXPECTED}`, '5:12 leave the brackets out: `phone.score: …`'],
  [`${inTest('facts: { phone.country: +49 }')}${EXPECTED}`, '5:29 undefined'],
  [`${TOP}tests:\n  - burst\n`, '4:5 write `- name: burst`'],
  [
    `${TOP}tests:\n  - burst:\n      expect: { outcome: review }\n`,
    '4:5 write `name: burst`, and the other keys below it',
  ],
  [`${TOP}tests:\n  - burst:\n${EXPECTED}`, '4:5 write `name: burst`, and the other keys below it'],
  [inTest('table: { columns: [outcome, score], rows: [[review; 5]] }'), '5:48 write `[review, 5]`'],
  [inTest('table: cases.csv'), '5:12 write `{ file: cases.csv }`'],
  [
    inTest('table: [[phone.score, outcome], [80, review]]'),
    '5:12 write `columns: [ … ]` and below it `rows:`, each row a list of its cells',
  ],
  [inTest('table: { columns: [expect.outcome], rows: [[review]] }'), '5:24 did you mean "outcome"?'],
  [inTest('table: { columns: [facts.phone.score], rows: [[80]] }'), '5:24 did you mean "phone.score"?'],
  [inTest('table: { columns: [reasons], rows: [[JUST_PORTED]] }'), '5:42 write `[JUST_PORTED]`'],
  [inTest('table: { columns: [phone.score, score], rows: [[80, , 5]] }'), '5:56 write `table: { columns'],
  [`${inTest('skip: true')}${EXPECTED}`, '5:11 say why in a few words; to run the test, remove the key'],
  [`${inTest('from: one, two')}${EXPECTED}`, '5:11 write `[one, two]`'],
  [`${inTest('missing: { *: invalid }')}${EXPECTED}`, '5:16 write `missing: { "*": invalid }`'],
  [`${inTest('missing: { email: invalid }')}${EXPECTED}`, '5:16 write "email.*" for all facts below it'],
  [`${inTest('missing: sourceFailed')}${EXPECTED}`, '5:14 write `{ "*": sourceFailed }`'],
  [`${inTest('missing: [phone.score]')}${EXPECTED}`, '5:14 give each a cause: `{ "phone.score": notReturned }`'],
  [`${inTest('missing: { "email.*": timeout }')}${EXPECTED}`, '5:27 did you mean "sourceFailed"?'],
  [
    `${TOP}facts: { all: { from: known } }\ntests: [{ name: a, expect: { score: 0 } }]\n`,
    '3:17 let the test start from both',
  ],
  [`${inTest('facts: { phone.score: unknown }')}${EXPECTED}`, '5:27 write `{ missing: notReturned }` for a fact'],
  [`${inTest('facts: { phone.riskLevel: sourceFailed }')}${EXPECTED}`, '5:31 write `{ missing: sourceFailed }` for a'],
  [`${inTest('facts: { phone.type: [voip] }')}${EXPECTED}`, '5:26 for several values write a `table`'],
  [`${inTest('facts: { phone: { riskLevel: high } }')}${EXPECTED}`, '5:14 write the whole path: `phone.riskLevel: …`'],
  [`${ported('seven days ago')}${EXPECTED}`, '5:40 write "7 days ago"'],
  [`${ported('a week ago')}${EXPECTED}`, '5:40 write "1 week ago"'],
  [`${ported('-7d')}${EXPECTED}`, '5:40 write "7 days ago"'],
  [`${ported('2 yrs ago')}${EXPECTED}`, '5:40 write "2 years ago"'],
  [`${ported('next week')}${EXPECTED}`, '5:40 write "in 1 week"'],
  [`${ported('“7 days ago”')}${EXPECTED}`, '5:40 write 7 days ago'],
  [`${inTest('facts: { phone.country: UK }')}${EXPECTED}`, '5:29 did you mean "GB"?'],
  [`${inTest('with: { least: 5, window: 3 dys }')}${EXPECTED}`, '5:31 write it like "30 days"'],
  [`${ported('Never')}${EXPECTED}`, '5:40 write never'],
  [`${ported('2 months ago')}${EXPECTED}`, '5:40 months have no fixed length: write days or weeks'],
  [`${ported('13.11.2026')}${EXPECTED}`, '5:40 write 2026-11-13'],
  [`policies: [policy.yaml]\nat: today\ntests: [{ name: a }]\n`, '1:1 did you mean "policy"?'],
  [
    `${TOP}facts:\n  known: known.yaml\ntests: [{ name: a, expect: { score: 1 } }]\n`,
    '4:10 write `{ file: known.yaml }`',
  ],
  [
    `${TOP}facts:\n  phone.score: 80\ntests: [{ name: a, expect: { score: 1 } }]\n`,
    '4:3 write facts below a name of your own, `known: { … }`, and `from: known` in the tests',
  ],
])('tells what to write in place of\n%s', (text, problem) => {
  const { cases, problems } = read(text);
  expect(problems).toEqual([expect.stringContaining(problem)]);
  expect(cases).toEqual([]);
});

it('reports a condition in place of a value', () => {
  const text = `${inTest('facts: { phone.score: { atLeast: 80 } }')}${EXPECTED}`;
  expect(read(text).problems).toEqual(['5:27 undefined']);
});

it('quotes nothing of a map of facts, which may be personal', () => {
  expect(read(`${inTest('facts: { applicant.email: jo.mail.example }')}${EXPECTED}`).problems).toEqual([
    '5:31 undefined',
  ]);
  const { problems } = read(`${inTest('facts: { applicant: { email: jo@mail.example } }')}${EXPECTED}`);
  expect(problems).toEqual(['5:14 write the whole path: `applicant.email: …`']);
  expect(read(`${inTest('missing: [jo@mail.example]')}${EXPECTED}`).problems).toEqual(['5:14 undefined']);
});

it('refuses a CSV file without rows, which could never fail', () => {
  const { cases, problems } = read(inTest('table: { file: cases.csv }'), 'phone.score,outcome\n\n');
  expect([cases, problems]).toEqual([[], ['5:20 undefined']]);
});

it.each([
  ['90,5,review\n', '2:1 put a text with a comma in quotes: "Smith, Jo"'],
  ['missing: notReturned,OTHER\n', '2:1 write `{ missing: notReturned }` for a fact without a value'],
  ['9,none\n', '2:3 write `[]`'],
])('says of the row %j of a CSV file what to write, and nothing else', (row, problem) => {
  const { cases, problems } = read(inTest('table: { file: cases.csv }'), `phone.score,reasons\n${row}`);
  expect([cases, problems]).toEqual([[], [problem]]);
});

it('leaves out a cell of a CSV file that is ~, as in YAML', () => {
  const { cases } = read(inTest('table: { file: cases.csv }'), 'phone.score,outcome,reasons\n~,review,~\n');
  expect(cases.map(({ expect: expected, facts }) => [expected, facts.get('phone.score')])).toEqual([
    [{ outcome: 'review' }, { missing: 'notGiven' }],
  ]);
});

it('reads lists of a CSV file with spaces, commas or both', () => {
  const csv = '\ufeffname,reasons\na,JUST_PORTED OTHER\nb,"JUST_PORTED, OTHER"\nc,"JUST_PORTED,OTHER"\n';
  const { cases, problems } = read(inTest('table: { file: cases.csv }'), csv);
  expect(problems).toEqual([]);
  expect(cases.map(({ expect: { reasons } }) => reasons)).toEqual(Array(3).fill(['JUST_PORTED', 'OTHER']));
});
