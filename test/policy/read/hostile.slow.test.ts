/** Malicious and damaged files: they give a diagnostic, no crash, and change nothing. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DiagnosticsError, formatDiagnostic } from '../../../src/diagnostics.ts';
import { readPolicy } from '../../../src/policy/load.ts';
import { loadPolicy } from '../../../src/policy/read/parse.ts';
import { decide, truthOf } from '../../support/policy/decide.ts';
import { HEAD, policyOf, readPolicyText, temporaryFolder } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';
import { IS_SOAK, sampled } from '../../support/sampled.ts';

/** Far more than the number of problems at which reading stops. */
const MANY = sampled(2_000, 200_000);

const codesOf = (text: string) => problemsOf(text).codes;

/** Ten lists, each of ten of the one before. */
const ALIAS_BOMB = `${HEAD}conditions:\n  a0: &a0 { phone.valid: true }\n${Array.from(
  { length: 10 },
  (_, i) => `  a${i + 1}: &a${i + 1} { all: [${Array(10).fill(`*a${i}`).join(', ')}] }\n`,
).join('')}`;

describe('a hostile file is refused', () => {
  it.each([
    ['a bomb of aliases', ALIAS_BOMB, 'yaml-feature'],
    [
      'a bomb of merge keys',
      `${HEAD}conditions:\n  a: &a { phone.valid: true }\n  b: { <<: [*a, *a] }\n`,
      'yaml-feature',
    ],
    ['an alias of itself', `${HEAD}conditions: &a\n  b: { all: [*a] }\n`, 'yaml-feature'],
    ['brackets without an end', `${HEAD}rules: ${'['.repeat(100_000)}`, 'too-deep'],
    ['braces without an end', `${HEAD}rules: ${'{a: '.repeat(100_000)}`, 'too-deep'],
    ['brackets in balance', `${HEAD}rules: ${'['.repeat(5000)}${']'.repeat(5000)}`, 'too-deep'],
    [
      'keys below keys',
      `${HEAD}rules:\n${Array.from({ length: 500 }, (_, i) => `${' '.repeat(i + 1)}a:\n`).join('')}`,
      'too-deep',
    ],
    ['dashes in a row', '- '.repeat(100_000), 'too-deep'],
    ['explicit keys in a row', '? '.repeat(100_000), 'too-deep'],
    ['a tag that makes a function', `${HEAD}description: !!js/function "function () {}"\n`, 'yaml-feature'],
    ['a tag of a set', `${HEAD}conditions: !!set { a }\n`, 'yaml-feature'],
    ['a binary tag', `${HEAD}description: !!binary aGk=\n`, 'yaml-feature'],
    ['a NUL', `${HEAD}description: a\0b\n`, 'yaml-syntax'],
    ['half a character', `${HEAD}description: "\\uD800"\n`, 'yaml-syntax'],
    ['10 MB', `${HEAD}# ${'x'.repeat(10 * 1024 * 1024)}`, 'file-too-large'],
    ['a pattern of brackets', ruleWhen(`{ ip.isp: { matches: "${'('.repeat(5000)}" } }`), 'bad-pattern'],
    ['a pattern that repeats itself', ruleWhen('{ ip.isp: { matches: "((a{100}){100}){100}" } }'), 'bad-pattern'],
    [
      'rows in rows',
      `${HEAD}tables:\n  - { id: t, columns: [then], rows: ${'['.repeat(70)}${']'.repeat(70)} }\n`,
      'too-deep',
    ],
    ['columns of columns', `${HEAD}tables: [{ id: t, columns: [[[then]]], rows: [[[[review]]]] }]\n`, 'wrong-type'],
    ['rows of rows', `${HEAD}tables: [{ id: t, columns: [then], rows: [[[[review]]]] }]\n`, 'wrong-type'],
    [
      'cells in cells',
      `${HEAD}tables: [{ id: t, columns: [phone.type, then], rows: [[[[voip]], [review]]] }]\n`,
      'wrong-type',
    ],
    ['stages in stages', `${HEAD}stages: [[[[phoneNo]]]]\n`, 'wrong-type'],
    ['entries in entries', `${HEAD}lists: { a: [{ value: { value: { value: b } } }] }\n`, 'wrong-type'],
    ['a number too large for a double', ruleWhen('{ phone.score: { above: 1e999 } }'), 'wrong-type'],
    ['a key that is a list', `${HEAD}? [a, b]\n: c\n`, 'wrong-type'],
  ])('%s', (_what, text, code) => {
    expect(new Set(codesOf(text))).toEqual(new Set([code]));
  });

  const LONG = 80_000;
  const BLANK = ' '.repeat(LONG);
  it.each([
    ['a fact', `a${BLANK}b`, ruleWhen('{ ip.isp: "TEXT" }')],
    ['a number', `5 and${BLANK}x`, ruleWhen('{ phone.score: "TEXT" }')],
    ['a list of values', `${BLANK}or`, ruleWhen('{ phone.type: { in: "TEXT" } }')],
    ['a cell', `${BLANK}x`, `${HEAD}tables: [{ id: t, columns: [phone.type, then], rows: [["TEXT", review]] }]\n`],
    ['an entry', `a${BLANK}b`, `${HEAD}lists: { l: ["TEXT"] }\n`],
  ])('with a text of 80 KB for %s, which no guess of what was meant looks at', (_what, long, text) => {
    expect(codesOf(text.replace('TEXT', long))).toEqual(['too-large']);
  });

  it.each([
    ['a list of lines', 'l.txt', `a${BLANK}b\n`, 'lists: { l: { file: l.txt } }\n'],
    ['a list of records', 'l.csv', `value\n"a${BLANK}b"\n`, 'lists: { l: { file: l.csv } }\n'],
    ['a table', 't.csv', `phone.type,then\n"a${BLANK}b",review\n`, 'tables: [{ id: t, rows: { file: t.csv } }]\n'],
    ['the header of a table', 't.csv', `phone.type,"a${BLANK}b"\n`, 'tables: [{ id: t, rows: { file: t.csv } }]\n'],
  ])('with a text of 80 KB in the file of %s', (_what, name, content, text) => {
    const { policy, diagnostics } = readPolicyText(HEAD + text, { [name]: content });
    expect(policy).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(['too-large']);
  });

  it('with a comment of 600 KB that is meant to silence a warning', () => {
    // A pattern that takes quadratic time would outlast the test.
    const comment = `# verdict: allow a (${'x '.repeat(300_000)}`;
    expect(codesOf(`${HEAD}${comment}\nrules: []\n`).length).toBeGreaterThan(0);
  });

  it('with keys of Object.prototype, which it leaves as it is', () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const text = `${HEAD}‹__proto__: { polluted: true }\n‹constructor: { prototype: { polluted: true } }\nconditions:
  a: { ‹__proto__: { above: 1 }, ‹toString: 1 }
  b: { phone.score: { ‹__proto__: 1, ‹valueOf: 1 } }
lists:
  ‹__proto__: [a]
  names: [{ value: a, ‹__proto__: { until: 2026-12-31 } }]
stages: [[phoneNo, ‹__proto__]]
tables:
  - { id: t, columns: [‹__proto__, ‹constructor, then], rows: [[1, 2, review]], ‹__proto__: { mode: shadow } }
  - { id: u, columns: [phone.score, then], rows: [[{ ‹__proto__: 1 }, review], [1, ‹__proto__]] }
rules:
  - { id: one, when: { ip.isp: { inList: ‹hasOwnProperty } }, then: ‹constructor, ‹__proto__: { then: accept } }
`;
    const { places, marks } = problemsOf(text);
    expect(places).toEqual(marks);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('with more mistakes than anybody reads by the first thousand, and what is thrown stays small', () => {
    const folder = temporaryFolder({ 'policy.yaml': `${HEAD}rules: [${'1,'.repeat(MANY)}1]\n` });
    const { policy, diagnostics } = readPolicy(join(folder, 'policy.yaml'));
    expect(policy).toBeUndefined();
    expect(diagnostics).toHaveLength(1001);
    expect(diagnostics.filter(({ code }) => code === 'too-many')).toHaveLength(1);
    let message = '';
    try {
      loadPolicy(join(folder, 'policy.yaml'));
    } catch (error) {
      message = error instanceof DiagnosticsError ? error.message : '';
    }
    expect(message).toMatch(/^1001 errors:/);
    expect(message.length).toBeLessThan(1_000_000);
  });

  it.each([
    ['rules', `${HEAD}rules: [${'1,'.repeat(MANY)}1]\n`],
    ['tables', `${HEAD}tables: [${'1,'.repeat(MANY)}1]\n`],
    ['rows', `${HEAD}tables: [{ id: t, columns: [then], rows: [${'1,'.repeat(MANY)}1] }]\n`],
    ['cells', `${HEAD}tables: [{ id: t, columns: [then], rows: [[${'1,'.repeat(MANY)}1]] }]\n`],
    ['columns', `${HEAD}tables: [{ id: t, columns: [${'then,'.repeat(MANY)}then], rows: [[review]] }]\n`],
    ['stages', `${HEAD}stages: [${'1,'.repeat(MANY)}1]\n`],
    ['variables', `${HEAD}stages: [[${'ip,'.repeat(MANY)}ip]]\n`],
    ['entries', `${HEAD}lists: { a: [${'1,'.repeat(MANY)}1] }\n`],
    ['rule sets', `${HEAD}ruleSets: [${'1,'.repeat(MANY)}1]\n`],
  ])(`with ${MANY + 1} %s that make no sense`, (_what, text) => {
    const { policy, diagnostics } = readPolicyText(text);
    expect(policy).toBeUndefined();
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.length).toBeLessThanOrEqual(1001);
  });

  it('with a chain of rule sets, each in the one before, of which 64 are enough', () => {
    const chain = (length: number) => {
      const files = Array.from({ length }, (_, i) => {
        const next = i + 1 < length ? `ruleSets: [s${i + 2}.yaml]\n` : 'lists: { last: [a] }\n';
        return [`s${i + 1}.yaml`, next];
      });
      const text = `${HEAD}ruleSets: [s1.yaml]\nrules: [{ id: a, when: { ip.isp: { inList: last } }, then: review }]\n`;
      return readPolicyText(text, Object.fromEntries(files));
    };
    expect(chain(64).diagnostics).toEqual([]);
    // Nothing is said of the list that nobody got to.
    expect(chain(100).diagnostics).toMatchObject([
      { code: 'too-deep', file: expect.stringMatching(/\bs64\.yaml$/), position: { line: 1 } },
    ]);
  });

  it('with a mistake behind a thousand warnings', () => {
    const lists = Array.from({ length: 1200 }, (_, i) => `  l${i}: []\n`).join('');
    expect(readPolicyText(`${HEAD}lists:\n${lists}rules: [1]\n`).policy).toBeUndefined();
  });

  it('where it is not UTF-8, UTF-16 with its mark included', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'policy.yaml');
    for (const bytes of [Buffer.from([0xff]), Buffer.from(`\uFEFF${HEAD}`, 'utf16le'), Buffer.from([0xc0, 0x80])]) {
      writeFileSync(path, bytes);
      expect(readPolicy(path).diagnostics).toMatchObject([
        { code: 'file-unreadable', message: expect.stringMatching(/UTF-8/) },
      ]);
    }
  });

  it('where its name or that of a file in it cannot be one', () => {
    expect(readPolicy('a\0b').diagnostics).toMatchObject([{ code: 'file-unreadable' }]);
    expect(() => readPolicy('')).toThrow('the file must be a path');
    expect(codesOf(`${HEAD}lists:\n  a: { file: "a\\0b" }\nruleSets: ["${'x'.repeat(5000)}"]\n`)).toEqual([
      'file-unreadable',
      'file-unreadable',
    ]);
  });
});

describe('a strange file is read', () => {
  it('with a byte order mark, which no column counts', () => {
    expect(policyOf(`\uFEFF${HEAD}`).name).toBe('test');
    const { codes, diagnostics } = problemsOf('\uFEFFpolicy: 1\nversion: "1"\ndefault: accept\n');
    expect(codes).toEqual(['wrong-type']);
    expect(diagnostics[0]?.position).toEqual({ line: 1, column: 9, length: 1 });
  });

  it('with CRLF line ends, with the same positions and lines as with LF', () => {
    const { diagnostics } = problemsOf('policy: test\r\nversion: 1\r\ndefault: accept\r\n');
    expect(diagnostics).toMatchObject([{ position: { line: 2, column: 10, length: 1 }, line: 'version: 1' }]);
  });

  it('but not with a CR alone, which ends a line for other programs', () => {
    const rule = '- { id: a, when: { phone.valid: false }, then: reject }';
    for (const text of [`${HEAD}# note‹\rrules: []\n`, `${HEAD}rules:\n  ${rule} # note‹\r  ${rule}`]) {
      const { codes, places, marks, diagnostics } = problemsOf(text);
      expect({ codes, places }).toEqual({ codes: ['yaml-syntax'], places: marks });
      expect(diagnostics[0]?.hint).toBe('save the file with line ends LF or CRLF');
    }
    const listed = problemsOf(`${HEAD}lists: { bad: { file: bad.txt } }\n`, { 'bad.txt': 'a\n# b‹\rc\n' });
    expect({ codes: listed.codes, places: listed.places }).toEqual({ codes: ['malformed'], places: listed.marks });
  });

  it('with a comment of almost the greatest size', () => {
    expect(policyOf(`${HEAD}# ${'x'.repeat(4_000_000)}\n`).name).toBe('test');
  });

  it('with text that looks like what is refused, in quotes, blocks and comments', () => {
    const text = `${HEAD}# &a *a !b <<: %c\ndescription: |\n  &a *a !b\n  %c\n  ---\n`;
    expect(policyOf(text).description).toBe('&a *a !b\n%c\n---\n');
    expect(policyOf(`${HEAD}description: "!a & *b"\n`).description).toBe('!a & *b');
    expect(policyOf(`${HEAD}description: a & b * c ! d\n`).description).toBe('a & b * c ! d');
  });

  it('with a pattern that would stop a backtracking matcher, which ends at once', async () => {
    const policy = policyOf(ruleWhen('{ ip.isp: { matches: "^(a+)+$" } }'));
    expect(await truthOf(policy, { 'ip.isp': `${'a'.repeat(4 * 1024 - 1)}!` })).toBe(false);
  });
});

describe('a huge policy is read', () => {
  it('with a list file of very many entries', async () => {
    const count = sampled(5_000, 300_000);
    const entry = (i: number) => String(447_400_000_000 + i);
    const policy = policyOf(ruleWhen('{ ip.isp: { inList: numbers } }', 'lists:\n  numbers: { file: numbers.txt }\n'), {
      'numbers.txt': Array.from({ length: count }, (_, i) => entry(i)).join('\n'),
    });
    expect(policy.lists.get('numbers')?.entries.size).toBe(count);
    expect(await truthOf(policy, { 'ip.isp': entry(count - 1) })).toBe(true);
    expect(await truthOf(policy, { 'ip.isp': entry(count) })).toBe(false);
  });

  it('with a list of very many entries in the policy file', () => {
    const count = sampled(3_000, 150_000);
    const entries = Array.from({ length: count }, (_, i) => `"${447_400_000_000 + i}"`).join(',');
    expect(policyOf(`${HEAD}lists:\n  numbers: [${entries}]\n`).lists.get('numbers')?.entries.size).toBe(count);
  });

  it('with a table of very many rows, each a rule that fires or not', async () => {
    const count = sampled(400, 10_000);
    const rows = Array.from({ length: count }, (_, i) => `      - [voip, { above: ${i} }, ${i}]\n`);
    const policy = policyOf(
      `${HEAD}tables:\n  - id: t\n    columns: [phone.type, phone.score, points]\n    rows:\n${rows.join('')}`,
    );
    expect(policy.rules).toHaveLength(count);
    const { score, reasons } = await decide(policy, { 'phone.type': 'voip', 'phone.score': 3 });
    expect(score).toEqual({ least: 3, most: 3, band: null });
    expect(reasons.flatMap((reason) => (reason.because === 'fired' ? [reason.rule] : []))).toEqual([
      't/1',
      't/2',
      't/3',
    ]);
  });
});

const VALID = `policy: test
version: "2026.11"
description: "A policy with {{everything}}."
default: accept
whenUnknown: review
facts:
  context.channel: { type: enum, values: [web, app], description: Where }
  context.limit: { type: number, unit: EUR }
lists:
  names:
    entries: [acme, "beta gamma", { value: delta, until: 2026-12-31, note: why }]
  file: { file: names.txt }
conditions:
  ported:
    phone.porting.portedDate: { withinLast: 30 days }
  risky:
    any:
      - email.address.riskLevel: { atLeast: high }
      - atLeastOf: { count: 1, of: [ported, { phone.valid: true }] }
stages:
  - [phoneNo]
  - [phoneNo, email, ip]
ruleSets:
  - set.yaml
tables:
  - id: types
    description: By type
    owner: risk
    mode: shadow
    from: 2026-01-01
    until: 2026-12-31
    columns: [phone.type, phone.score, then, reason, message, notice, points]
    rows:
      - [voip, { above: 1, below: 9 }, review, VOIP, "Type {phone.type}", Call us, 5]
      - [any, [1, 2], accept, OTHER, text, text, -5]
rules:
  - id: one
    notice: Call us
    owner: risk
    from: 2026-01-01
    when:
      all: [ported, risky]
    then: review
    reason: PORTED
    message: "Ported {daysSince phone.porting.portedDate} days ago"
    points: 40
    tags: [a, b]
  - id: two
    when: { not: { ip.isp: { inList: names, notInList: file, matches: "^a+" } }, context.limit: { between: [1, 2.5] } }
    then: reject
    final: true
score: { review: 40, reject: 80 }
`;
const FILES = { 'set.yaml': 'rules:\n  - { id: three, when: ported, points: 1 }\n', 'names.txt': 'a\n# b\n' };

/** Reads the text as a policy in one folder, over and over. Whatever it says, it can be shown. */
function reader(): (text: string) => ReturnType<typeof readPolicy> {
  const folder = temporaryFolder(FILES);
  const path = join(folder, 'policy.yaml');
  return (text) => {
    writeFileSync(path, text);
    const read = readPolicy(path);
    for (const diagnostic of read.diagnostics) formatDiagnostic(diagnostic);
    return read;
  };
}

/** It loads, or there is an error that says why not; every place is in the text. */
function expectSense({ policy, diagnostics }: ReturnType<typeof readPolicy>): void {
  expect(policy === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
  for (const { position, line } of diagnostics) {
    if (!position || line === undefined) continue;
    expect(position.line).toBeGreaterThanOrEqual(1);
    expect(position.column).toBeGreaterThanOrEqual(1);
    expect(position.column).toBeLessThanOrEqual(line.length + 1);
  }
}

describe('reading never throws', () => {
  it('on a policy that is valid', () => {
    expect(reader()(VALID).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('on any text', () => {
    const read = reader();
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .array(fc.constantFrom(...'{}[]:,-?&*!|>\'"%@`#\n\t ~=<.0aé\u{1F600}\uFEFF\u2028'), { maxLength: 60 })
        .map((all) => all.join('')),
      fc.json(),
    );
    fc.assert(
      fc.property(text, (each) => {
        expectSense(read(each));
        expectSense(read(`${HEAD}${each}`));
      }),
      { numRuns: sampled(14, 500) },
    );
  });

  it('on a valid policy with lines taken out, doubled, swapped, put in or spoilt', () => {
    const read = reader();
    const lines = VALID.split('\n');
    const line = fc.nat({ max: lines.length - 1 });
    const spoil = fc.record({
      at: line,
      how: fc.constantFrom('delete', 'double', 'replace', 'insert', 'cut', 'indent'),
      text: fc.oneof(
        fc.string({ maxLength: 20 }),
        fc.constantFrom(...lines, '  - ~', 'all: []', '    when: ported', '? a'),
      ),
      column: fc.nat({ max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(spoil, { minLength: 1, maxLength: 4 }), (spoils) => {
        const all = [...lines];
        for (const { at, how, text, column } of spoils) {
          const found = all[at] ?? '';
          if (how === 'delete') all.splice(at, 1);
          else if (how === 'double') all.splice(at, 0, found);
          else if (how === 'replace') all.splice(at, 1, text);
          else if (how === 'insert') all.splice(at, 1, found.slice(0, column) + text + found.slice(column));
          else if (how === 'cut') all.splice(at, 1, found.slice(0, column));
          else all.splice(at, 1, ` ${found}`);
        }
        expectSense(read(all.join('\n')));
      }),
      { numRuns: sampled(14, 500) },
    );
  });

  it('on a valid policy with any one value replaced by one of another kind', () => {
    const read = reader();
    const values = [
      '~',
      '[]',
      '{}',
      '""',
      '1',
      '-1.5',
      'true',
      'text',
      '[[1]]',
      '{ a: { b: ~ } }',
      '.inf',
      '"\\0"',
      '*a',
      '2026-02-30',
    ];
    for (const [i, line] of VALID.split('\n').entries()) {
      const colon = line.lastIndexOf(': ');
      if (colon < 0) continue;
      // Every day, a third of the values in each line, others in the next line.
      for (const value of values.filter((_, n) => IS_SOAK || (n + i) % 3 === 0)) {
        const lines = VALID.split('\n');
        lines[i] = `${line.slice(0, colon)}: ${value}`;
        expectSense(read(lines.join('\n')));
      }
    }
  });
});
