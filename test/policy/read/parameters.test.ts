/** Parameters: where `$name` may stand, which values it may have, and who sets them. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DiagnosticsError, formatDiagnostic } from '../../../src/diagnostics.ts';
import { checkFiles } from '../../../src/policy/check/check-files.ts';
import { loadPolicy, policyFromData } from '../../../src/policy/read/parse.ts';
import type { ParameterSettings } from '../../../src/policy/read/values/parameters.ts';
import { policyData } from '../../../src/policy/source-map.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';

const FACTS = `facts:
  context.channel: { type: enum, values: [web, $app] }
  context.limit: { type: number }
  context.day: { type: date }
  context.note: { type: string }
`;
const declared = (values: string) => `${FACTS}parameters: { ${values} }\n`;

const RULE_SET = `parameters: { limit: 10 }
rules:
  - { id: two, when: { context.limit: { above: $limit } }, points: $limit }
`;

function loadWith(text: string, parameters: ParameterSettings, files: Readonly<Record<string, string>> = {}) {
  return loadPolicy(join(temporaryFolder({ 'policy.yaml': text, ...files }), 'policy.yaml'), { parameters });
}

function errorOf(text: string, parameters: ParameterSettings): string {
  try {
    loadWith(text, parameters);
  } catch (error) {
    if (error instanceof DiagnosticsError) return error.diagnostics.map(({ message }) => message).join('; ');
    throw error;
  }
  return 'none';
}

describe('a parameter', () => {
  // The value, and the same policy with a literal in its place.
  const PLACES: [what: string, value: string, literal: string, text: (argument: string) => string][] = [
    ['a value', '5', '5', (x) => ruleWhen(`{ context.limit: ${x} }`)],
    ['a value of `is`', 'web', 'web', (x) => ruleWhen(`{ context.channel: { is: ${x} } }`)],
    ['an element', '"a"', '"a"', (x) => ruleWhen(`{ context.note: [${x}, b] }`)],
    ['an end of a range', '2.5', '2.5', (x) => ruleWhen(`{ context.limit: { between: [${x}, 7] } }`)],
    ['a limit of a level', 'high', 'high', (x) => ruleWhen(`{ phone.riskLevel: { atLeast: ${x} } }`)],
    ['a duration', '2 weeks', '2 weeks', (x) => ruleWhen(`{ context.day: { withinLast: ${x} } }`)],
    ['a day', '2026-11-20', '2026-11-20', (x) => ruleWhen(`{ context.day: { before: ${x} } }`)],
    ['a truth', 'false', 'false', (x) => ruleWhen(`{ context.day: { never: ${x} } }`)],
    ['a text to look for', 'ACME', 'ACME', (x) => ruleWhen(`{ context.note: { contains: ${x} } }`)],
    [
      'a count',
      '2',
      '2',
      (x) => ruleWhen(`{ atLeastOf: { count: ${x}, of: [{ phone.valid: true }, { phone.score: 3 }] } }`),
    ],
    ['points', '-3', '-3', (x) => `${HEAD}rules: [{ id: a, when: { phone.valid: true }, points: ${x} }]\n`],
    [
      'a band',
      '40',
      '40',
      (x) => `${HEAD}score: { review: ${x} }\nrules: [{ id: a, when: { phone.valid: true }, points: 50 }]\n`,
    ],
    [
      'a cell',
      '5',
      '5',
      (x) => `${HEAD}tables: [{ id: t, columns: [phone.score, points], rows: [[{ above: ${x} }, ${x}]] }]\n`,
    ],
    [
      'a named condition',
      '5',
      '5',
      (x) => `${HEAD}conditions: { one: { phone.score: ${x} } }\nrules: [{ id: a, when: one, then: review }]\n`,
    ],
  ];

  it.each(PLACES)('may stand for %s', (_, value, literal, text) => {
    const { rules: found, score } = policyOf(text('$p').replace(HEAD, `${HEAD}${declared(`p: ${value}`)}`));
    const meant = policyOf(text(literal).replace(HEAD, `${HEAD}${FACTS}`));
    expect({ found, score }).toEqual({ found: meant.rules, score: meant.score });
  });

  const REFUSED: [what: string, value: string, text: string, code: string][] = [
    ['a text for a number', '"80"', ruleWhen('{ phone.score: { atLeast: ‹$p } }'), 'wrong-type'],
    ['a number for a text', '80', ruleWhen('{ context.note: [a, ‹$p] }'), 'wrong-type'],
    ['half a point', '2.5', `${HEAD}rules: [{ id: a, when: { phone.valid: true }, points: ‹$p }]\n`, 'wrong-type'],
    [
      'negative points on a strict rule',
      '-5',
      `${HEAD}rules: [{ id: a, when: { phone.valid: true }, then: review, points: ‹$p }]\n`,
      'points-sign',
    ],
    ['a value outside the enum', 'wbe', ruleWhen('{ context.channel: ‹$p }'), 'wrong-value'],
    ['months', '2 months', ruleWhen('{ context.day: { olderThan: ‹$p } }'), 'malformed'],
    ['a number without a country code', '"07400 123456"', ruleWhen('{ applicant.phoneNo: ‹$p }'), 'wrong-format'],
    ['too many of `of`', '3', ruleWhen('{ atLeastOf: { count: ‹$p, of: [{ phone.valid: true }] } }'), 'wrong-value'],
  ];
  it.each(REFUSED)('is refused as %s, and shown where it is declared', (_, value, text, code) => {
    const { codes, places, marks, diagnostics } = problemsOf(text.replace(HEAD, `${HEAD}${declared(`p: ${value}`)}`));
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
    const [found] = diagnostics;
    expect(found?.message).toMatch(/^\$p: /);
    expect(found?.related).toMatchObject({ message: '$p is declared here', position: { line: 9, column: 18 } });
    expect(formatDiagnostic(found as never)).toContain(`parameters: { p: ${value} }`);
  });

  it('is quoted by no message, and not by its line in a log', () => {
    const text = `${HEAD}${declared('p: "+44 7400 123456"')}rules: [{ id: a, when: { context.day: { before: $p } }, then: review }]\n`;
    const { diagnostics } = problemsOf(text);
    expect(diagnostics.map(({ message }) => message)).toEqual(['$p: found a text; a day must be written yyyy-MM-dd']);
    expect(new DiagnosticsError('POLICY_INVALID', diagnostics).message).not.toContain('7400');
  });

  const MISTAKES: [what: string, text: string, code: string, hint?: RegExp][] = [
    [
      'an unknown name',
      `${HEAD}parameters: { limit: 5, ‹more: 1 }\n${'rules: [{ id: a, when: { phone.score: [‹$limt, $limit] }, then: review }]\n'}`.replace(
        '‹more: 1',
        'limits: 1',
      ),
      'unknown-parameter',
      /"limit"/,
    ],
    ['a dollar sign alone', ruleWhen('{ phone.operator.current: ‹$ }'), 'malformed', /write "\$\$"/],
    ['a price', ruleWhen('{ phone.operator.current: ‹$5 }'), 'malformed', /write "\$\$5"/],
    ['no name at all', ruleWhen('{ phone.operator.current: ‹$acme }'), 'unknown-parameter', /"\$\$acme"/],
    ['a pattern', ruleWhen('{ ip.isp: { matches: ‹$p } }', 'parameters: { p: a }\n'), 'wrong-type'],
    ['a list', ruleWhen('{ ip.isp: { inList: ‹$p } }', 'parameters: { p: a }\n'), 'wrong-type'],
    ['a list of values', ruleWhen('{ ip.isp: $p }', 'parameters: { p: ‹[a, b] }\n'), 'wrong-type'],
    ['another fact', ruleWhen('{ ip.isp: $p }', 'parameters: { p: { ‹fact: phone.type } }\n'), 'unknown-key'],
    ['nothing', ruleWhen('{ ip.isp: $p }', 'parameters:\n  ‹p:\n'), 'null-value'],
    ['an empty text', ruleWhen('{ ip.isp: $p }', 'parameters: { p: ‹" " }\n'), 'empty'],
    ['a long text', ruleWhen('{ ip.isp: $p }', `parameters: { p: ‹${'a'.repeat(301)} }\n`), 'too-large'],
    ['a name with a dot', ruleWhen('{ phone.valid: true }', 'parameters: { ‹a.b: 1 }\n'), 'malformed'],
  ];
  it.each(MISTAKES)('is refused: %s', (_, text, code, hint) => {
    const { codes, places, marks, hints } = problemsOf(text);
    expect({ codes: codes.slice(0, 1), places: places.slice(0, 1) }).toEqual({ codes: [code], places: marks });
    if (hint) expect(hints[0]).toMatch(hint);
  });

  it('that is misdeclared is not reported as unknown too', () => {
    const when = 'rules: [{ id: a, when: { phone.score: $p }, then: review, message: "{$p}" }]\n';
    expect(problemsOf(`${HEAD}parameters: { p: [1] }\n${when}`).codes).toEqual(['wrong-type']);
    expect(problemsOf(`${HEAD}parametrs: { p: 1 }\n${when}`).codes).toEqual(['unknown-key']);
    expect(problemsOf(`${HEAD}ruleSets: [a.yaml]\n${when}`).codes).toEqual(['file-unreadable']);
  });

  it('is a dollar sign elsewhere: in patterns, names of lists, entries and texts for people', () => {
    const text = `${HEAD}lists: { l: [$a] }\nrules:
  - { id: a, when: { ip.isp: { matches: "x$", inList: l } }, then: review, message: "$5", notice: "$p", owner: $o }\n`;
    const { rules, lists } = policyOf(text);
    expect(rules[0]).toMatchObject({ message: ['$5'], notice: '$p', owner: '$o' });
    expect([...(lists.get('l')?.entries.keys() ?? [])]).toEqual(['$a']);
  });

  it('compared with a person is shown in no message', () => {
    const text = `${HEAD}parameters: { who: "447400123456", n: 5 }\nrules:
  - { id: a, when: { applicant.phoneNo: $who, phone.score: $n }, then: review, message: "{$n} ‹{$who}" }\n`;
    const own = text
      .replace('parameters', 'facts: { context.name: { type: string, personal: true } }\nparameters')
      .replace('applicant.phoneNo', 'context.name');
    for (const each of [text, own]) {
      const { codes, places, marks } = problemsOf(each);
      expect({ codes, places }).toEqual({ codes: ['bad-message'], places: marks });
    }
  });
});

describe('a rule set', () => {
  const POLICY = `${FACTS}ruleSets: [rules.yaml]\nrules:\n  - { id: one, when: { context.limit: $limit }, then: review }\n`;
  const limits = ({ rules }: ReturnType<typeof policyOf>) =>
    rules.map(({ when }) => (when.kind === 'test' ? when.argument : undefined));

  it('gives a default, also to the policy', () => {
    expect(limits(policyOf(`${HEAD}${POLICY}`, { 'rules.yaml': RULE_SET }))).toEqual([10, 10]);
  });

  it('has no word against the policy', () => {
    const own = `${HEAD}parameters: { limit: { value: 20, description: Agreed } }\n${POLICY}`;
    expect(limits(policyOf(own, { 'rules.yaml': RULE_SET }))).toEqual([20, 20]);
  });

  it('declares no parameter of another one', () => {
    const { codes, places, marks } = problemsOf(`${HEAD}parameters: { limit: 1 }\nruleSets: [a.yaml, b.yaml]\n`, {
      'a.yaml': RULE_SET.replace('context.limit', 'phone.score'),
      'b.yaml': 'parameters: { ‹limit: 3 }\n',
    });
    expect({ codes, places }).toEqual({ codes: ['duplicate-name'], places: marks });
  });

  it('shared by two policies may declare what only one of them uses', () => {
    const folder = temporaryFolder({
      'a.yaml': `${HEAD}ruleSets: [r.yaml]\nrules: [{ id: a, when: { phone.score: $limit }, then: review }]\n`,
      'b.yaml': `${HEAD}ruleSets: [r.yaml]\nrules: [{ id: a, when: { phone.score: 3 }, then: review }]\n`,
      'r.yaml': 'parameters: { limit: 10 }\n',
    });
    expect(checkFiles([folder]).diagnostics).toEqual([]);
    expect(checkFiles([folder], { parameters: { limit: 5 } }).diagnostics).toEqual([]);
  });
});

describe('a value that is set', () => {
  const TEXT = `${HEAD}${declared('limit: 5, flag: true, note: "7"')}rules:
  - { id: a, when: { context.limit: $limit, phone.valid: $flag, context.note: $note }, then: review, message: "{$limit}" }\n`;

  it('stands in place of the one in the file', () => {
    const { parameters, rules } = loadWith(TEXT, { limit: 7.5, flag: false, note: 'x' });
    expect([...parameters].map(([name, { value }]) => [name, value])).toEqual([
      ['limit', 7.5],
      ['flag', false],
      ['note', 'x'],
    ]);
    expect(rules[0]?.message).toEqual(['7.5']);
  });

  it('given as a text is read as the kind in the file', () => {
    const texts = { limit: { text: '1e1' }, flag: { text: 'false' }, note: { text: '8' } };
    expect(loadWith(TEXT, texts).digest).toBe(loadWith(TEXT, { limit: 10, flag: false, note: '8' }).digest);
  });

  it.each<[string, ParameterSettings]>([
    ['must be a number, like the value that it replaces', { limit: '7' }],
    ['must be a number, like the value that it replaces', { limit: { text: '0x10' } }],
    ['must be true or false, like the value that it replaces', { flag: { text: 'yes' } }],
    ['must be a text, like the value that it replaces', { note: 7 }],
    ['found a number that is not finite', { limit: Number.POSITIVE_INFINITY }],
    ['found an empty text', { note: { text: ' ' } }],
    ['at most 300', { note: 'a'.repeat(301) }],
    ['lone surrogate', { note: '\ud800' }],
    ['the parameter "limt", which is not declared', { limt: 7 }],
    ['a parameter, which is not declared', { '+447400123456': 7 }],
    ['$limit, as set: found the number 7.5', { limit: 7.5 }],
  ])('is refused: %s', (message, settings) => {
    const text = message.startsWith('$limit') ? TEXT.replace('then: review', 'then: review, points: $limit') : TEXT;
    expect(errorOf(text, settings)).toContain(message);
  });

  it('counts for the digest as if it were written in the file', () => {
    const written = policyOf(TEXT.replace('limit: 5', 'limit: 7'));
    const set = loadWith(TEXT, { limit: 7 });
    expect(set.digest).toBe(written.digest);
    expect(set.digest).not.toBe(policyOf(TEXT).digest);
    expect(loadWith(TEXT, { limit: 5 }).digest).toBe(policyOf(TEXT).digest);
  });

  it('is in the data of the policy, in a rule set too, beside its description', () => {
    const text = `${HEAD}ruleSets: [r.yaml]\nparameters: { most: { value: 3, description: Three } }\n`;
    const policy = loadWith(
      text,
      { limit: 7, most: 4 },
      { 'r.yaml': RULE_SET.replace(/context\.limit/, 'phone.score') },
    );
    expect(policyData(policy)).toMatchObject({
      parameters: { most: { value: 4, description: 'Three' } },
      ruleSets: [{ parameters: { limit: 7 } }],
    });
    const again = policyFromData(policyData(policy));
    expect(again.digest).toBe(policy.digest);
    expect(again.rules).toEqual(policy.rules);
    expect(policyFromData(policyData(policy), { parameters: { limit: 8 } }).digest).not.toBe(policy.digest);
  });

  it('is checked by checkFiles in each policy that declares it', () => {
    const folder = temporaryFolder({
      'a.yaml': TEXT,
      'b.yaml': `${HEAD}rules: [{ id: a, when: { phone.score: 3 }, then: review }]\n`,
    });
    const codes = (parameters: ParameterSettings) =>
      checkFiles([folder], { parameters }).diagnostics.flatMap(({ code }) => (code === 'unused-fact' ? [] : code));
    expect(codes({ limit: 7 })).toEqual([]);
    expect(codes({ limit: '7' })).toEqual(['wrong-type']);
    expect(codes({ limits: 7 })).toEqual(['unknown-parameter', 'unknown-parameter']);
  });
});
