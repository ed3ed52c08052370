/** The digest of a policy: equal if and only if the policies are equal as data. */

import { describe, expect, it } from 'vitest';
import { policyOf } from '../../support/policy/policy.ts';

const POLICY = `policy: test
version: "1"
default: accept
facts:
  context.channel: { type: enum, values: [web, app] }
lists:
  names: { file: lists/names.txt, description: Names }
  others: [a, b]
  ending: [{ value: c, until: 2026-12-31, note: load test }]
stages:
  - [phoneNo]
  - [phoneNo, email]
tables:
  - id: types
    owner: risk
    columns: [phone.type, phone.score, then]
    rows:
      - [voip, { above: 20, below: 30 }, review]
      - [any, { above: 70 }, reject]
ruleSets: [sets/a.yaml]
rules:
  - id: one
    when: { phone.score: { above: 10 }, ip.isp: { inList: names } }
    then: review
    points: 40
score: { review: 40, reject: 80 }
`;
const FILES = {
  'lists/names.txt': 'acme\nbeta\n',
  'sets/a.yaml': 'rules:\n  - { id: two, when: { phone.valid: false }, then: review }\n',
};

const digestOf = (text: string, files: Readonly<Record<string, string>> = FILES) => policyOf(text, files).digest;
const change = (from: string, to: string) => {
  if (!POLICY.includes(from)) throw new Error(`the policy has no ${from}`);
  return digestOf(POLICY.replace(from, to));
};
const DIGEST = () => digestOf(POLICY);

describe('a digest', () => {
  it('is that of the canonical JSON of the policy, with its files inlined', () => {
    // printf '%s' '{"default":"accept","lists":{"a":["x"],"b":{"entries":["y","z"]}},"policy":"p",' \
    //   '"ruleSets":[{"rules":[{"id":"r","points":1,"when":{"phone.valid":true}}]}],"version":"1"}' | sha256sum
    const text =
      'version: "1"\npolicy: p\ndefault: accept\nlists: { b: { file: b.txt }, a: [x] }\nruleSets: [a.yaml]\n';
    const files = { 'a.yaml': 'rules: [{ when: { phone.valid: true }, id: r, points: 1 }]\n', 'b.txt': 'y # c\n\nz\n' };
    expect(digestOf(text, files)).toBe('sha256:6213d0c01126cabdec3447d1165dbe03679c9fe4b75c0fdfe366057bdd92c724');
  });

  it.each([
    ['with comments', POLICY.replace('default: accept\n', '# why\ndefault: accept # not review\n\n')],
    ['with keys in another order', POLICY.replace('policy: test\nversion: "1"\n', 'version: "1"\npolicy: test\n')],
    [
      'with the keys of a rule in another order',
      POLICY.replace('    then: review\n    points: 40\n', '    points: 40\n    then: review\n'),
    ],
    [
      'with the keys of a table in another order',
      POLICY.replace('  - id: types\n    owner: risk\n', '  - owner: risk\n    id: types\n'),
    ],
    ['with the keys of a cell in another order', POLICY.replace('above: 20, below: 30', 'below: 30, above: 20')],
    [
      'with the keys of an entry in another order',
      POLICY.replace('value: c, until: 2026-12-31, note: load test', 'note: load test, until: "2026-12-31", value: c'),
    ],
    [
      'with its stages in another style',
      POLICY.replace('\n  - [phoneNo]\n  - [', ' [[phoneNo], [').replace('email]\n', 'email]]\n'),
    ],
    ['with other quotes', POLICY.replace('version: "1"', "version: '1'")],
    ['in another style', POLICY.replace('score: { review: 40, reject: 80 }', 'score:\n  reject: 80\n  review: 40')],
    ['with numbers in another spelling', POLICY.replace('points: 40', 'points: 40.0')],
    ['with other line ends', POLICY.replaceAll('\n', '\r\n')],
    ['with a byte order mark', `\uFEFF${POLICY}`],
  ])('is the same %s', (_what, text) => {
    expect(text).not.toBe(POLICY);
    expect(digestOf(text)).toBe(DIGEST());
  });

  it('is the same with comments in the files beside it', () => {
    const files = {
      'lists/names.txt': '# names\nacme # one\n\n  beta',
      'sets/a.yaml': `# a set\n${FILES['sets/a.yaml']}`,
    };
    expect(digestOf(POLICY, files)).toBe(DIGEST());
  });

  it('is the same wherever the folder and the files are', () => {
    expect(DIGEST()).toBe(DIGEST());
    const moved = POLICY.replace('sets/a.yaml', 'b.yaml').replace('lists/names.txt', 'n.txt');
    expect(digestOf(moved, { 'n.txt': FILES['lists/names.txt'], 'b.yaml': FILES['sets/a.yaml'] })).toBe(DIGEST());
  });

  it.each([
    ['the version', 'version: "1"', 'version: "2"'],
    ['the default', 'default: accept', 'default: review'],
    ['a threshold', 'above: 10', 'above: 11'],
    ['an operator', 'above: 10', 'atLeast: 10'],
    ['a fact', 'phone.score: {', 'email.domain.score: {'],
    ['an outcome', 'then: review', 'then: reject'],
    ['points', 'points: 40', 'points: 41'],
    ['a band', 'reject: 80', 'reject: 81'],
    ['a declared fact', 'values: [web, app]', 'values: [web, app, branch]'],
    ['an entry of a list', 'others: [a, b]', 'others: [a, c]'],
    ['the order of a list', 'others: [a, b]', 'others: [b, a]'],
    ['the description of a list', 'description: Names', 'description: Other names'],
    ['a cell of a fact', '[voip, {', '[mobile, {'],
    ['a cell that asks nothing', '[any, {', '[{ is: voip }, {'],
    ['an operator in a cell', 'below: 30', 'atMost: 30'],
    ['a cell of a key', '{ above: 70 }, reject', '{ above: 70 }, review'],
    ['a column', '[phone.type, phone.score, then]', '[phone.type, email.domain.score, then]'],
    ['a row more', '      - [any, {', '      - [other, any, review]\n      - [any, {'],
    ['the owner of a table', 'owner: risk', 'owner: fraud'],
    ['the days of a table', 'owner: risk', 'owner: risk\n    until: 2026-12-31'],
    ['the mode of a table', 'owner: risk', 'owner: risk\n    mode: shadow'],
    ['the mode of a rule', 'points: 40', 'points: 40\n    mode: shadow'],
    ['the days of a rule', 'points: 40', 'points: 40\n    from: 2026-12-31'],
    ['a notice', 'points: 40', 'points: 40\n    notice: Call us'],
    ['the last day of an entry', 'until: 2026-12-31', 'until: 2026-12-30'],
    ['an entry that ends no more', 'until: 2026-12-31, ', ''],
    ['the note of an entry', 'note: load test', 'note: a test'],
    ['a stage', '[phoneNo, email]', '[phoneNo, ip]'],
    ['the order of the stages', '  - [phoneNo]\n  - [phoneNo, email]\n', '  - [phoneNo, email]\n  - [phoneNo]\n'],
    ['a stage less', '  - [phoneNo, email]\n', ''],
    ['a rule', '\nscore:', '\n  - { id: three, when: { phone.valid: true }, points: 1 }\nscore:'],
  ])('is changed by %s', (_what, from, to) => {
    expect(change(from, to)).not.toBe(DIGEST());
  });

  it.each([
    ['a list file, by an entry more', { 'lists/names.txt': 'acme\nbeta\ngamma\n' }],
    ['a list file, by an entry less', { 'lists/names.txt': 'acme\n' }],
    ['a list file, by a letter', { 'lists/names.txt': 'acme\nbetA\n' }],
    ['a rule set', { 'sets/a.yaml': FILES['sets/a.yaml'].replace('review', 'reject') }],
  ])('is changed by %s', (_what, files) => {
    expect(digestOf(POLICY, { ...FILES, ...files })).not.toBe(DIGEST());
  });

  it('is changed by the order of the rows of a table, which is that of its rules', () => {
    const rows = ['      - [voip, { above: 20, below: 30 }, review]\n', '      - [any, { above: 70 }, reject]\n'];
    expect(change(rows.join(''), rows.toReversed().join(''))).not.toBe(DIGEST());
  });

  it('is changed by a list file of a rule set', () => {
    const set = 'lists:\n  more: { file: more.txt }\n';
    const digests = ['x', 'y'].map((entry) =>
      digestOf(POLICY, { ...FILES, 'sets/a.yaml': set, 'sets/more.txt': entry }),
    );
    expect(new Set(digests).size).toBe(2);
  });
});
