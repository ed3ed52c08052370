/** Diagnostics -> text: position, line with carets, hint, and no control characters for a terminal. */

import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type Diagnostic,
  DiagnosticsError,
  formatDiagnostic,
  listProblems,
  sortDiagnostics,
} from '../src/diagnostics.ts';
import { readPolicy } from '../src/policy/load.ts';
import { nearest } from '../src/text.ts';
import { HEAD, readPolicyText, temporaryFolder } from './support/policy/policy.ts';
import { ruleWhen } from './support/policy/problems.ts';

/** The key of the rules, below a fact that is declared personal. */
const FACTS = 'facts: { context.name: { type: string, personal: true } }\nrules';

/** The printed diagnostics of a policy, without the folder in their paths. */
function shown(text: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = temporaryFolder({ 'policy.yaml': text, ...files });
  const { diagnostics } = readPolicy(join(folder, 'policy.yaml'));
  return diagnostics.map(formatDiagnostic).join('\n').replaceAll(`${folder}/`, '');
}

describe('a diagnostic is shown', () => {
  it('with its line, carets under its span, and a near name', () => {
    expect(shown(ruleWhen('{ phone.riskLvel: { atLeast: high } }'))).toMatchInlineSnapshot(`
      "policy.yaml:7:13: error[unknown-fact]: there is no fact "phone.riskLvel"
        7 |     when: { phone.riskLvel: { atLeast: high } }
          |             ^^^^^^^^^^^^^^
        hint: did you mean "phone.riskLevel"?"
    `);
  });

  it('each under its own file', () => {
    expect(
      shown(`${HEAD}ruleSets: [sets/a.yaml]\nlists:\n  numbers: [+447400123456]\n`, {
        'sets/a.yaml': 'rules:\n  - id: Prepaid\n    when: { phone.serviceType: prepiad }\n    then: reject\n',
      }),
    ).toMatchInlineSnapshot(`
      "policy.yaml:6:13: error[wrong-type]: found the number +447400123456; an entry must be a text
        6 |   numbers: [+447400123456]
          |             ^^^^^^^^^^^^^
        hint: put it in quotes: "+447400123456"
      sets/a.yaml:2:9: error[malformed]: found "Prepaid"; \`id\` must be kebab-case (like port-and-email)
        2 |   - id: Prepaid
          |         ^^^^^^^
        hint: write prepaid
      sets/a.yaml:3:32: error[wrong-value]: found "prepiad"; phone.serviceType must be one of prepaid, postpaid, other
        3 |     when: { phone.serviceType: prepiad }
          |                                ^^^^^^^
        hint: did you mean "prepaid"?"
    `);
  });

  it('with a hint on what to write instead', () => {
    expect(shown(ruleWhen('{ email.address.firstSeen: { withinLast: 3 months } }'))).toMatchInlineSnapshot(`
      "policy.yaml:7:52: error[malformed]: found "3 months"; a duration must be a count of days or weeks
        7 |     when: { email.address.firstSeen: { withinLast: 3 months } }
          |                                                    ^^^^^^^^
        hint: months have no fixed length: write days or weeks"
    `);
  });

  it('without a line if it is about the whole file', () => {
    const folder = temporaryFolder();
    const text = readPolicy(join(folder, 'none.yaml')).diagnostics.map(formatDiagnostic).join('\n');
    expect(text.replaceAll(folder, '.')).toMatchInlineSnapshot(
      `"./none.yaml: error[file-unreadable]: no such file in the folder ."`,
    );
  });

  it('as a warning if the policy still loads', () => {
    const rule = 'rules:\n  - { id: a, when: { ip.isp: { notInList: numbers } }, then: review }\n';
    expect(shown(`${HEAD}lists:\n  numbers: []\n${rule}`)).toMatchInlineSnapshot(`
      "policy.yaml:5:3: warning[empty-list]: the list "numbers" has no entries: no value is ever in it
        5 |   numbers: []
          |   ^^^^^^^"
    `);
  });

  it('with the part of a long line around the position', () => {
    const long = `${HEAD}lists:\n  names: [${'aaaaaaaaa, '.repeat(40)}1, ${'bbbbbbbbb, '.repeat(40)}c]\n`;
    expect(shown(long).split('\n')).toEqual([
      'policy.yaml:5:451: error[wrong-type]: found the number 1; an entry must be a text',
      `  5 | aaa, ${'aaaaaaaaa, '.repeat(5)}1, ${'bbbbbbbbb, '.repeat(5)}bb`,
      `    | ${' '.repeat(60)}^`,
      '  hint: put it in quotes: "1"',
    ]);
  });

  it('with carets under the position in lines with tabs and invisible characters', () => {
    const text = shown(`${HEAD}lists: { a: ["x\u{E0001}"],\tb: ["x\\t\u200B"], "c d": [e] }\n`);
    const [, line = '', carets = ''] = text.split('\n');
    expect(line).toContain('"c d"');
    expect(line.indexOf('"c d"')).toBe(carets.indexOf('^'));
  });
});

describe('a text from a file does not reach the terminal', () => {
  const CONTROLS = '\u001b[2J\u001b]0;x\u0007\u0085\u009b31m\u202e\u2066\u2028\u200b\r';
  const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
  const isClean = (text: string) => text.split('\n').every((line) => !OBEYED.test(line));

  it('as control characters in keys, values and lines', () => {
    const escaped = JSON.stringify(CONTROLS).replaceAll('\\u0007', '\\a');
    const text = shown(
      `${HEAD}"a${CONTROLS.replace('\r', '')}": 1\nwhenUnknown: ${escaped}\nrules:\n` +
        `  - { id: ${escaped}, when: ${escaped}, then: review }\n`,
    );
    expect(text).toContain('\\u{001b}');
    expect(isClean(text)).toBe(true);
  });

  it('as control characters in file names', () => {
    const name = `a\u001b[31m\u202e.yaml`;
    const text = shown(`${HEAD}ruleSets: ["a\\e[31m\\u202e.yaml"]\n`, { [name]: 'rules: 1\n' });
    expect(text).toContain('a\\u{001b}[31m\\u{202e}.yaml:1:8: error[wrong-type]');
    expect(isClean(text)).toBe(true);
  });

  it('at unlimited length', () => {
    const text = shown(`${HEAD}whenUnknown: ${'x'.repeat(100_000)}\n`);
    expect(text.length).toBeLessThan(1500);
  });
});

describe('diagnostics', () => {
  const at = (file: string, line: number, column: number, severity: 'error' | 'warning' = 'error'): Diagnostic => ({
    code: 'empty',
    severity,
    message: '',
    file,
    position: { line, column, length: 1 },
    line: '',
  });

  it('are sorted by file, line and column, errors before warnings at one position', () => {
    const sorted = [
      { code: 'file-unreadable', severity: 'error', message: '', file: 'b' } as const,
      at('b', 1, 2),
      at('b', 2, 1, 'error'),
      at('b', 2, 1, 'warning'),
      at('b', 10, 1),
      at('a', 1, 1),
    ];
    expect(sortDiagnostics(sorted.toReversed(), ['b', 'a'])).toEqual(sorted);
  });

  it('are twenty at most in an answer for people, errors first', () => {
    const warnings = Array.from({ length: 15 }, (_, i) => ({ severity: 'warning', i }) as const);
    const errors = Array.from({ length: 10 }, (_, i) => ({ severity: 'error', i }) as const);
    const show = ({ severity, i }: { readonly severity: string; readonly i: number }) => `${severity} ${i}`;
    const shown = listProblems([...warnings, ...errors], show);
    expect(shown).toEqual([...errors.map(show), ...warnings.slice(0, 10).map(show), 'and 5 more problems']);
    expect(listProblems(warnings, show)).toEqual(warnings.map(show));
  });

  it('are counted by errors in the error that is thrown', () => {
    const error = new DiagnosticsError('POLICY_INVALID', [at('a', 1, 1), at('a', 2, 1, 'warning')]);
    expect(error.message).toMatch(/^1 error:\n/);
    expect(error.diagnostics).toHaveLength(2);
  });
});

describe('an error of a policy, however it is logged, names nobody', () => {
  const CANARY = /canary|7400 ?123456/i;
  const rule = (when: string) => `${HEAD}rules: [{ id: a, when: ${when}, then: review }]\n`;
  const inList = (list: string) =>
    `${HEAD}lists: { l: ${list} }\nrules: [{ id: a, when: { applicant.email: { inList: l } }, then: review }]\n`;

  it.each<[string, string, Readonly<Record<string, string>>?]>([
    ['a literal in a wrong format', rule('{ applicant.phoneNo: "07400 123456" }')],
    ['a literal below an unknown operator', rule('{ applicant.email: { iss: "jo.canary@mail.example" } }')],
    ['a literal beside a number', rule('{ applicant.email: { in: ["jo.canary@@x", 5] } }')],
    ['a literal of an unknown fact', rule('{ applicant.emial: jo.canary@mail.example }')],
    ['a literal of a personal fact', rule('{ context.name: { iss: Jo Canary } }').replace('rules', FACTS)],
    ['a number in place of a text', inList('[+447400123456]')],
    ['a text in place of a list', inList('jo.canary@mail.example')],
    ['an entry that is a key', inList('[{ jo.canary@mail.example: from sales }]')],
    ['an entry of a file', inList('{ file: l.txt }'), { 'l.txt': 'jo.canary@@mail.example\n' }],
    ['a note of a file', inList('{ file: l.csv }'), { 'l.csv': 'value,note\njo@@mail.example,NOTECANARY\n' }],
    ['a line of a file', inList('{ file: l.csv }'), { 'l.csv': 'value,until,note\n"jo@mail.example,NOTECANARY\n' }],
    ['a cell', `${HEAD}tables: [{ id: t, columns: [applicant.phoneNo, thn], rows: [["+447400123456", review]] }]\n`],
    ['a parameter', `${rule('{ phone.type: $p }')}parameters: { p: "+44 7400 123456" }\n`],
  ])('that is about %s', (_, text, files = {}) => {
    const { diagnostics } = readPolicyText(text, files);
    expect(diagnostics.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0);
    expect(diagnostics.map(formatDiagnostic).join('\n')).toMatch(CANARY);
    const error = new DiagnosticsError('POLICY_INVALID', diagnostics);
    expect(error.diagnostics).toBe(diagnostics);
    const enumerated: unknown[] = [];
    for (const key in error) enumerated.push(error[key as keyof typeof error]);
    const printed = [
      error.message,
      error.stack,
      JSON.stringify(error),
      inspect(error, { depth: 9 }),
      { ...error },
      enumerated,
    ];
    expect(JSON.stringify(printed)).not.toMatch(CANARY);
    expect(error.message).toMatch(/:\d+:\d+: error\[/);
  });

  it('and still says what is wrong', () => {
    const { diagnostics } = readPolicyText(inList('[+447400123456]'));
    expect(new DiagnosticsError('POLICY_INVALID', diagnostics).message).toMatch(
      /^1 error:\n\S+policy\.yaml:4:14: error\[wrong-type\]: found the number …; an entry must be a text\n {2}hint: put it in quotes: "…"$/,
    );
  });
});

describe('the near name of a word', () => {
  const WORDS = ['review', 'reject', 'accept', 'phone.riskLevel', 'is', 'in'];
  it.each([
    ['reveiw', 'review'], // two letters swapped
    ['REVIEW', 'review'],
    ['revie', 'review'],
    ['phone.risk', undefined],
    ['phone.rskLvel', 'phone.riskLevel'],
    ['i', 'is'],
    ['decline', undefined],
    ['', undefined],
    ['x'.repeat(1000), undefined],
  ])('%s is %s', (word, near) => {
    expect(nearest(word, WORDS)).toBe(near);
  });
});
