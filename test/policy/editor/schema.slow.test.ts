/** The schemas of policies and rule sets accept and refuse the same texts as the policy's reader. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOG, FACT_TYPES, type FactDefinition, type FactType } from '../../../src/facts/catalog.ts';
import { FORMATS, type Format } from '../../../src/platform/formats/format.ts';
import type { ArgumentKind } from '../../../src/policy/arguments.ts';
import { type OwnNames, policySchema, ruleSetSchema } from '../../../src/policy/editor/schema.ts';
import { OPERATOR_NAMES, type OperatorName, operatorRow } from '../../../src/policy/operators.ts';
import { ROOT } from '../../support/docs/docs.ts';
import { HEAD, readPolicyText } from '../../support/policy/policy.ts';
import { ruleWhen } from '../../support/policy/problems.ts';
import { SCHEMA_FILES } from '../../support/policy/schemas.ts';
import { schemaProblems } from '../../support/policy/validate.ts';

const POLICY = policySchema();
const RULE_SET = ruleSetSchema();

const GUARANTEE = (keys: string) => `${HEAD}guarantees: [{ id: a, ${keys} }]\n`;

const isAccepted = (text: string) => schemaProblems(POLICY, text).length === 0;
const loads = (text: string) => readPolicyText(text).policy !== undefined;

describe('the shipped files', () => {
  const shipped = (folder: string) => readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.yaml'));
  const policies = shipped('rules').filter((name) => name !== 'signals.yaml' && !name.endsWith('.test.yaml'));

  it.each(policies)('%s fits the schema that it names', (name) => {
    const text = readFileSync(join(ROOT, 'rules', name), 'utf8');
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./policy.schema.json');
    expect(schemaProblems(POLICY, text)).toEqual([]);
  });

  it.each(shipped('rules/rule-sets'))('rule-sets/%s fits the schema that it names', (name) => {
    const text = readFileSync(join(ROOT, 'rules/rule-sets', name), 'utf8');
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../rule-set.schema.json');
    expect(schemaProblems(RULE_SET, text)).toEqual([]);
  });

  it.each([...SCHEMA_FILES])('%s is what is generated now', (file, text) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toBe(text);
  });
});

/** Values of each type, and one that is not of it. */
const VALUES: { readonly [Type in FactType]: { readonly right: unknown; readonly wrong: unknown } } = {
  number: { right: 1.5, wrong: '10' },
  integer: { right: 2, wrong: 2.5 },
  level: { right: 'high', wrong: 'HIGH' },
  boolean: { right: true, wrong: 'true' },
  enum: { right: 'voip', wrong: 'mobil' },
  string: { right: 'gb', wrong: 44 },
  date: { right: '2026-01-31', wrong: '31/01/2026' },
};

/** A text of each format, and one that an editor can tell from it. */
const FORMATTED: { readonly [Name in Format]: { readonly right: string; readonly wrong: string } } = {
  phone: { right: '+44 7400 123456', wrong: 'tel:447400123456' },
  email: { right: 'jo@mail.example', wrong: 'mail.example' },
  domain: { right: 'mail.example', wrong: '*.mail.example' },
  ip: { right: '203.0.113.7', wrong: 'localhost' },
  country: { right: 'GB', wrong: 'GBR' },
};

/** An argument of each kind, and one that is not. */
const ARGUMENTS: {
  readonly [Kind in ArgumentKind]: (type: FactType) => { readonly right: unknown; readonly wrong: unknown };
} = {
  value: (type) => VALUES[type],
  limit: (type) => (type === 'integer' ? { right: 2.5, wrong: '2' } : VALUES[type]),
  values: (type) => ({ right: [VALUES[type].right], wrong: [VALUES[type].right, VALUES[type].wrong] }),
  range: (type) => ({ right: [VALUES[type].right, VALUES[type].right], wrong: [VALUES[type].right] }),
  duration: () => ({ right: '30 days', wrong: '3 months' }),
  years: () => ({ right: { atLeast: 18, below: 65.5 }, wrong: { atLeast: '18' } }),
  day: () => ({ right: '2026-01-31', wrong: 'never' }),
  truth: () => ({ right: false, wrong: 'false' }),
  text: () => ({ right: 'a', wrong: ' ' }),
  pattern: () => ({ right: '^a+$', wrong: 5 }),
  list: () => ({ right: 'known', wrong: 'not a name' }),
};

const FACTS: readonly (readonly [string, FactDefinition])[] = Object.entries(CATALOG);

function factOf(type: FactType): string {
  return FACTS.find(([, { type: each, format }]) => each === type && format === undefined)?.[0] ?? '';
}

function withTest(type: FactType, operator: OperatorName, argument: unknown): string {
  return ruleWhen(JSON.stringify({ [factOf(type)]: { [operator]: argument } }), 'lists: { known: [a] }\n');
}

const PAIRS = FACT_TYPES.flatMap((type) => OPERATOR_NAMES.map((operator) => ({ type, operator })));
const has = ({ type, operator }: (typeof PAIRS)[number]) => operatorRow(operator).types.includes(type);

describe('a fact of a format', () => {
  const FORMATTED_FACTS = FORMATS.map((format) => [
    format,
    FACTS.find(([, fact]) => fact.format === format)?.[0] ?? '',
  ]);

  it.each(FORMATTED_FACTS)('%s is compared with texts of it', (format, path) => {
    const { right, wrong } = FORMATTED[format as Format];
    for (const [argument, isRight] of [
      [right, true],
      [wrong, false],
      [{ notIn: [right] }, true],
      [{ notIn: [right, wrong] }, false],
      [{ inDomainList: 'known' }, format === 'domain'],
    ]) {
      const text = ruleWhen(JSON.stringify({ [path]: argument }), 'lists: { known: [mail.example] }\n');
      expect([text, isAccepted(text), loads(text)]).toEqual([text, isRight, isRight]);
    }
  });

  it('is compared with texts of any format, as its type says', () => {
    const text = ruleWhen('{ applicant.emailDomain: { is: { fact: ip.isp } } }');
    expect([isAccepted(text), loads(text)]).toEqual([true, true]);
  });

  it.each([
    ['{ type: string, format: phone }', true],
    ['{ type: string, format: fax }', false],
    ['{ type: number, format: phone }', false],
  ])('is declared as %s: %s', (declaration, isRight) => {
    const text = ruleWhen('{ context.own: { known: true } }', `facts: { context.own: ${declaration} }\n`);
    expect([isAccepted(text), loads(text)]).toEqual([isRight, isRight]);
  });
});

describe('every operator on every type', () => {
  it.each(PAIRS.filter(has))('$operator applies to a $type, with an argument of its kind alone', (pair) => {
    const { type, operator } = pair;
    const { right, wrong } = ARGUMENTS[operatorRow(operator).argument](type);
    for (const [argument, isRight] of [
      [right, true],
      [wrong, false],
      [null, false],
      [{ nonsense: 1 }, false],
    ]) {
      const text = withTest(type, operator, argument);
      expect([text, isAccepted(text)]).toEqual([text, isRight]);
      expect([text, loads(text)]).toEqual([text, isRight]);
    }
  });

  it.each(PAIRS.filter((pair) => !has(pair)))('$operator does not apply to a $type', ({ type, operator }) => {
    for (const { right } of [...FACT_TYPES.map((each) => ARGUMENTS[operatorRow(operator).argument](each))]) {
      expect(isAccepted(withTest(type, operator, right))).toBe(false);
    }
  });

  it.each(PAIRS.filter(has))('$operator of a $type takes another fact only if the table says so', (pair) => {
    const { type, operator } = pair;
    const text = withTest(type, operator, { fact: factOf(type) });
    expect(isAccepted(text)).toBe(operatorRow(operator).againstFact);
    expect(loads(text)).toBe(operatorRow(operator).againstFact);
    expect(isAccepted(withTest(type, operator, { fact: factOf(type === 'date' ? 'string' : 'date') }))).toBe(false);
  });

  it.each(FACTS)('%s is compared with a value, a list of values, another fact', (path, { type, values, format }) => {
    const { wrong } = VALUES[type];
    const right = values?.[0] ?? (format ? FORMATTED[format].right : VALUES[type].right);
    for (const [argument, isRight] of [
      [right, true],
      [[right], true],
      [{ fact: path }, true],
      [wrong, false],
      [[right, wrong], false],
      [[], false],
      [{}, false],
      [{ fact: path, known: true }, false],
    ]) {
      const text = ruleWhen(JSON.stringify({ [path]: argument }));
      expect([text, isAccepted(text), loads(text)]).toEqual([text, isRight, isRight]);
    }
  });
});

const OWN = 'facts: { context.channel: { type: enum, values: [web, app] }, context.limit: { type: number } }\n';
const NAMED = 'conditions: { one: { phone.valid: true } }\n';
const RULE = (more: string) => `${HEAD}rules:\n  - { id: a, when: { phone.valid: true }, ${more} }\n`;
const FACT = (more: string) => `${HEAD}facts: { context.a: ${more} }\n`;
const LIST = (more: string) => `${HEAD}lists: { a: ${more} }\n`;

const TABLE = (more: string) => `${HEAD}tables: [{ id: a, ${more} }]\n`;
const COLUMNS = 'columns: [phone.type, then]';

const RIGHT: readonly (readonly [what: string, text: string])[] = [
  ['a policy without rules', HEAD],
  ['a named condition', ruleWhen('one', NAMED)],
  ['named conditions among others', ruleWhen('{ any: [one, { not: one }, { phone.type: voip }] }', NAMED)],
  ['several entries', ruleWhen('{ phone.type: voip, not: { phone.valid: true } }')],
  ['some of several', ruleWhen('{ atLeastOf: { count: 1, of: [one, { phone.type: voip }] } }', NAMED)],
  ['facts of its own', ruleWhen('{ context.channel: web, context.limit: { above: 5 } }', OWN)],
  ['numbers against integers', ruleWhen('{ phone.score: { above: { fact: email.darkWeb.hitCount } } }')],
  ['a fact of its own against another', ruleWhen('{ phone.score: { above: { fact: context.limit } } }', OWN)],
  ['a date that is never', ruleWhen('{ phone.porting.portedDate: [never, 2026-01-31] }')],
  ['points alone', RULE('points: -5')],
  ['points of a mild rule', RULE('then: accept, points: -5')],
  ['a final rule', RULE('then: reject, final: true')],
  ['a rule that is not final', RULE('points: 1, final: false')],
  ['a message with places', RULE('then: review, message: "{{a}} {phone.score}, {daysSince phone.porting.portedDate}"')],
  ['a list in place', LIST('[a, b]')],
  ['a list with a description', LIST('{ entries: [a], description: b }')],
  ['an own fact with all its keys', FACT('{ type: date, past: true, unit: days, description: a, personal: true }')],
  ['a row of nothing but any', TABLE(`${COLUMNS}, rows: [[any, review]]`)],
  ['a table of points', TABLE('columns: [points, phone.type], rows: [[-5, [voip, other]]]')],
  ['no rules', `${HEAD}rules: []\ntables: []\nruleSets: []\n`],
  ['a list with nothing in it', LIST('[]')],
  ['one stage', `${HEAD}stages: [[phoneNo]]\n`],
  ['one band', `${HEAD}score: { reject: 5 }\n`],
];

describe('what is right', () => {
  it.each(RIGHT)('%s passes, and loads', (_, text) => {
    expect(schemaProblems(POLICY, text)).toEqual([]);
    expect(loads(text)).toBe(true);
  });

  it('the whole language passes, and loads', () => {
    const text = `policy: onboarding
version: "2026.11"
description: Phone, email and IP risk at sign-up.
default: accept
whenUnknown: review
facts:
  context.channel: { type: enum, values: [web, app, branch], description: Where the applicant signs up }
lists:
  blocked: { file: lists/blocked.txt, description: Domains seen in confirmed fraud }
  testNumbers: ["447400123456", { value: "447400123457", until: 2026-12-31, note: load test }]
  more: { entries: [a, { value: b }] }
stages:
  - [phoneNo]
  - [phoneNo, email, ip]
ruleSets:
  - rule-sets/email.yaml
rules:
  - id: port-and-email
    description: A number that moved lately.
    when: { context.channel: web, applicant.emailDomain: { inDomainList: blocked } }
    then: review
    reason: PORTED
    message: "Number ported {daysSince phone.porting.portedDate} days ago, channel {context.channel}."
    notice: We need a closer look at your details.
    points: 40
    whenUnknown: ignore
    mode: shadow
    from: 2026-01-01
    until: 2026-12-31
    tags: [account-takeover]
    owner: fraud
score: { review: { atLeast: 40, notice: { en: a, de-AT: b, zh-Hant: c } }, reject: 80 }
defaultNotice: We could not decide.
tables:
  - id: phone-type
    columns: [phone.type, email.address.riskLevel, context.channel, then, reason, message, notice, points]
    whenUnknown: ignore
    mode: shadow
    from: 2026-01-01
    until: 2026-12-31
    tags: [phone]
    owner: fraud
    description: Lines that lead to nobody.
    rows:
      - [voip, { atLeast: medium }, [web, app], reject, VOIP, "{phone.type}", Sorry, 5]
      - [{ is: other }, any, { fact: context.channel }, accept, OTHER, a, { en: b }, -1]
      - [{ is: other }, any, any, none, OTHER, a, b, -1]
  - { id: tiers, rows: { file: tiers.csv }, final: true }
`;
    expect(schemaProblems(POLICY, text)).toEqual([]);
    const ruleSet = 'conditions: { other: { phone.valid: true } }\n';
    const { diagnostics } = readPolicyText(text, {
      'lists/blocked.txt': 'a',
      'rule-sets/email.yaml': ruleSet,
      'tiers.csv': 'phone.type,then\nvoip,reject\n',
    });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('a rule set has the keys that all files have, and no others', () => {
    expect(schemaProblems(RULE_SET, NAMED)).toEqual([]);
    expect(schemaProblems(RULE_SET, 'rules: []\ntables: []\nlists: { a: [b] }\nruleSets: [a.yaml]\n')).toEqual([]);
    expect(schemaProblems(RULE_SET, HEAD)).not.toEqual([]);
    expect(schemaProblems(RULE_SET, OWN)).not.toEqual([]);
    expect(schemaProblems(RULE_SET, 'score: { review: 1 }\n')).not.toEqual([]);
  });
});

const WRONG: readonly (readonly [what: string, text: string])[] = [
  ['no policy', 'version: "1"\ndefault: accept\n'],
  ['no version', 'policy: a\ndefault: accept\n'],
  ['no default', 'policy: a\nversion: "1"\n'],
  ['a version that is a number', 'policy: a\nversion: 2026.1\ndefault: accept\n'],
  ['an unknown key', `${HEAD}rulse: []\n`],
  ['a guarantee without a claim', GUARANTEE('when: { phone.valid: false }')],
  ['a guarantee of two claims', GUARANTEE('never: accept, always: reject, when: { phone.valid: false }')],
  ['a guarantee without when', GUARANTEE('never: accept')],
  ['a guarantee of at least accept', GUARANTEE('atLeast: accept, when: { phone.valid: false }')],
  ['an unknown outcome', 'policy: a\nversion: "1"\ndefault: acept\n'],
  ['a name with a space', 'policy: a b\nversion: "1"\ndefault: accept\n'],
  ['rules that are a map', `${HEAD}rules: { a: b }\n`],
  ['an unknown fact', ruleWhen('{ phone.scores: 5 }')],
  ['an unknown own fact of no right form', ruleWhen('{ context.Limit: 5 }')],
  ['an unknown operator', ruleWhen('{ phone.score: { over: 5 } }')],
  ['an operator that the type lacks', ruleWhen('{ phone.score: { withinLast: 30 days } }')],
  ['a number in quotes', ruleWhen('{ phone.score: { above: "10" } }')],
  ['half an integer', ruleWhen('{ email.darkWeb.hitCount: 2.5 }')],
  ['a wrong value of an enum', ruleWhen('{ phone.type: mobil }')],
  ['a wrong value among right ones', ruleWhen('{ phone.type: { in: [voip, mobil] } }')],
  ['one end of a range', ruleWhen('{ phone.score: { between: [1] } }')],
  ['three ends of a range', ruleWhen('{ phone.score: { between: [1, 2, 3] } }')],
  ['an integer as a level', ruleWhen('{ phone.riskLevel: { atLeast: 3 } }')],
  ['months', ruleWhen('{ phone.porting.portedDate: { withinLast: 2 months } }')],
  ['a duration without its unit', ruleWhen('{ phone.porting.portedDate: { withinLast: 30 } }')],
  ['a day that no calendar has', ruleWhen('{ phone.porting.portedDate: { before: 2026-13-01 } }')],
  ['a fact of another type', ruleWhen('{ phone.score: { above: { fact: phone.riskLevel } } }')],
  ['an enum with other values', ruleWhen('{ phone.type: { fact: phone.status } }')],
  ['an empty condition', ruleWhen('{}')],
  ['an empty all', ruleWhen('{ all: [] }')],
  ['an empty any', ruleWhen('{ any: [] }')],
  ['a list as condition', ruleWhen('[one]', NAMED)],
  ['not of a list', ruleWhen('{ not: [one] }', NAMED)],
  ['atLeastOf without count', ruleWhen('{ atLeastOf: { of: [one] } }', NAMED)],
  ['atLeastOf with a count of none', ruleWhen('{ atLeastOf: { count: 0, of: [one] } }', NAMED)],
  ['nothing to compare with', ruleWhen('{ phone.type: }')],
  ['a rule without id', `${HEAD}rules: [{ when: { phone.valid: true }, then: review }]\n`],
  ['a rule without when', `${HEAD}rules: [{ id: a, then: review }]\n`],
  ['a rule without effect', RULE('reason: A')],
  ['a final rule without outcome', RULE('points: 1, final: true')],
  ['negative points of a strict rule', RULE('then: review, points: -1')],
  ['half a point', RULE('points: 1.5')],
  ['an id in other letters', `${HEAD}rules: [{ id: someRule, when: { phone.valid: true }, then: review }]\n`],
  ['a code in other letters', RULE('then: review, reason: someRule')],
  ['an unknown key of a rule', RULE('then: review, pionts: 1')],
  ['tags that are a text', RULE('then: review, tags: a')],
  ['a mode that there is not', RULE('then: review, mode: silent')],
  ['a day without its month', RULE('then: review, from: 2026')],
  ['a message that names no fact', RULE('then: review, message: "{phone.scores}"')],
  ['a message with half a place', RULE('then: review, message: "{phone.score"')],
  ["a message with the applicant's own data", RULE('then: review, message: "{applicant.email}"')],
  ['a message with days since a number', RULE('then: review, message: "{daysSince phone.score}"')],
  ['a message of blanks', RULE('then: review, message: " "')],
  ['an own fact without type', FACT('{ unit: EUR }')],
  ['an own fact of no known type', FACT('{ type: money }')],
  ['an own enum without values', FACT('{ type: enum }')],
  ['values of a number', FACT('{ type: number, values: [a] }')],
  ['a past that is no date', FACT('{ type: number, past: true }')],
  ['a fact of the catalog, declared', `${HEAD}facts: { identity.verified: { type: boolean } }\n`],
  ['an own fact elsewhere', `${HEAD}facts: { phone.limit: { type: number } }\n`],
  ['a list that is a text', LIST('a')],
  ['a list of numbers', LIST('[447400123456]')],
  ['a list without entries and file', LIST('{ description: a }')],
  ['a list with both', LIST('{ entries: [a], file: b.txt }')],
  ['an entry without value', LIST('[{ until: 2026-01-01 }]')],
  ['an entry with an unknown key', LIST('[{ value: a, untill: 2026-01-01 }]')],
  ['a band that is no integer', `${HEAD}score: { review: 1.5 }\n`],
  ['an unknown band', `${HEAD}score: { accept: 1 }\n`],
  ['no band', `${HEAD}score: {}\n`],
  ['a stage without phone number', `${HEAD}stages: [[email]]\n`],
  ['a stage with an unknown variable', `${HEAD}stages: [[phoneNo, address]]\n`],
  ['stages that are no lists', `${HEAD}stages: [phoneNo]\n`],
  ['a table without rows', TABLE(COLUMNS)],
  ['a table with no rows', TABLE(`${COLUMNS}, rows: []`)],
  ['a table without columns', TABLE('rows: [[voip, review]]')],
  ['an unknown column', TABLE('columns: [phone.types, then], rows: [[voip, review]]')],
  ['a column twice', TABLE('columns: [then, then], rows: [[review, review]]')],
  ['a table without effect', TABLE('columns: [phone.type, reason], rows: [[voip, A]]')],
  ['a row that is no list', TABLE(`${COLUMNS}, rows: [voip]`)],
  ['an empty cell', TABLE(`${COLUMNS}, rows: [[voip, ]]`).replace('voip, ]', 'null, review]')],
  ['an unknown operator in a cell', TABLE(`${COLUMNS}, rows: [[{ startWith: voip }, review]]`)],
  ['a key of a rule that a table has not', TABLE(`${COLUMNS}, rows: [[voip, review]], reason: A`)],
  ['columns beside a file of rows', TABLE(`${COLUMNS}, rows: { file: a.csv }`)],
  ['rows in place without columns', TABLE('rows: [[voip, review]]')],
  ['rows that are a map without a file', TABLE('rows: { sheet: a.csv }')],
];

describe('what is wrong', () => {
  it.each(WRONG)('%s is refused, and does not load', (_, text) => {
    expect(isAccepted(text)).toBe(false);
    expect(loads(text)).toBe(false);
  });
});

describe("with a policy's own names", () => {
  const OWN_NAMES: OwnNames = {
    facts: new Map<string, FactDefinition>([
      ['context.channel', { type: 'enum', values: ['app', 'web'], origin: 'caller', description: '' }],
      ['context.limit', { type: 'number', origin: 'caller', description: '' }],
    ]),
    lists: new Map([['blocked', undefined]]),
    conditions: new Map([['one', undefined]]),
    parameters: new Map([['limit', undefined]]),
  };
  const own = policySchema(OWN_NAMES);
  const problems = (condition: string, schema = own) => schemaProblems(schema, ruleWhen(condition));

  it.each([
    'one',
    '{ all: [one] }',
    '{ context.channel: web }',
    '{ context.limit: { above: 5 } }',
    '{ phone.score: { below: { fact: context.limit } } }',
    '{ ip.isp: { inList: blocked } }',
    '{ context.limit: { above: $limit } }',
    '{ context.limit: $limit }',
    '{ ip.isp: [$$limit, a] }',
  ])('%s passes', (condition) => expect(problems(condition)).toEqual([]));

  it.each([
    'two',
    '{ all: [two] }',
    '{ context.channel: web, context.age: 5 }',
    '{ context.channel: phone }',
    '{ context.limit: { withinLast: 5 days } }',
    '{ phone.score: { below: { fact: context.channel } } }',
    '{ ip.isp: { inList: unblocked } }',
    '{ context.limit: { above: $other } }',
    '{ ip.isp: $other }',
  ])('%s is refused', (condition) => expect(problems(condition)).not.toEqual([]));

  it('is refused for every name, if none is declared', () => {
    const none = policySchema({ facts: new Map(), lists: new Map(), conditions: new Map(), parameters: new Map() });
    for (const condition of [
      'one',
      '{ ip.isp: { inList: blocked } }',
      '{ context.limit: 5 }',
      '{ phone.score: $limit }',
    ]) {
      expect(problems(condition, none)).not.toEqual([]);
    }
    expect(problems('{ phone.valid: true }', none)).toEqual([]);
  });

  it('is checked in messages and columns', () => {
    const message = (path: string) => schemaProblems(own, RULE(`then: review, message: "{${path}}"`));
    const table = (path: string) => schemaProblems(own, TABLE(`columns: [${path}, then], rows: [[web, review]]`));
    for (const check of [message, table]) {
      expect(check('context.channel')).toEqual([]);
      expect(check('context.chanel')).not.toEqual([]);
    }
  });
});
