/**
 * A policy as data, read again without its files: the same digest, and the same meaning to the last byte of a
 * verdict.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { compile } from '../../../src/decision/matcher/matcher.ts';
import { DiagnosticsError, formatDiagnostic } from '../../../src/diagnostics.ts';
import type { FactTable } from '../../../src/facts/catalog.ts';
import { loadMapping } from '../../../src/facts/mapping/mapping.ts';
import { canonicalJson, digest } from '../../../src/platform/digest.ts';
import { type Policy, testsOf } from '../../../src/policy/language.ts';
import { loadPolicy, policyFromData } from '../../../src/policy/read/parse.ts';
import { placeOf, policyData } from '../../../src/policy/source-map.ts';
import { HEAD, policyOf, temporaryFolder } from '../../support/policy/policy.ts';
import { aCase } from '../../support/runners/arbitrary.ts';
import { loadPlainPolicy, loadPolicyAsIs, readPlainFacts } from '../../support/runners/case.ts';
import { caseFiles, factsOfCase, readCaseFile } from '../../support/runners/case-file.ts';
import { LITERALS } from '../../support/runners/literals.ts';
import type { PlainFacts } from '../../support/runners/plain.ts';
import { sampled } from '../../support/sampled.ts';

const RULES = join(import.meta.dirname, '../../../rules');
const DAY = '2026-11-20';

/** The policy that came of its data as text, as an archive keeps it. */
const again = (policy: Policy, options = {}) => policyFromData(JSON.parse(JSON.stringify(policyData(policy))), options);

/** All that a policy says, without functions: maps as lists of pairs by key, what stands there as JSON writes it. */
const saidBy = (policy: Policy) =>
  JSON.parse(
    JSON.stringify(policy, (_, value) =>
      value instanceof Map ? [...value].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)) : value,
    ),
  );

const verdictsOf = (policy: Policy, applicants: readonly PlainFacts[], day: string) => {
  const matcher = compile(policy);
  return applicants.map((facts) => canonicalJson(matcher.verdict(readPlainFacts(facts, policy, day), day)));
};

function expectSame(policy: Policy, other: Policy, applicants: readonly PlainFacts[], day: string): void {
  expect(other.digest).toBe(policy.digest);
  expect(digest(policyData(policy))).toBe(policy.digest);
  expect(saidBy(other)).toEqual(saidBy(policy));
  expect(verdictsOf(other, applicants, day)).toEqual(verdictsOf(policy, applicants, day));
}

/** Applicants of whom some facts of a table are known. */
function anApplicant(table: FactTable): fc.Arbitrary<PlainFacts> {
  const facts = [...table].map(([path, definition]) => {
    const { type, values, range } = definition;
    const plain = { type, ...(values ? { values } : {}), ...(range ? { range } : {}) };
    return [path, LITERALS[type](plain, DAY).map((value) => ({ value }))] as const;
  });
  return fc.record(Object.fromEntries(facts), { requiredKeys: [] }).map((known) => known as PlainFacts);
}

describe('a policy from its data', () => {
  it('is the whole policy, however it is spread over files', () => {
    const folder = temporaryFolder();
    fc.assert(
      fc.property(aCase({ applicants: 5 }), ({ policy: plain, applicants, day }) => {
        const policy = loadPlainPolicy(plain, folder);
        expectSame(policy, again(policy), applicants, day);
      }),
      { numRuns: sampled(7, 100) },
    );
  });

  const shipped = readdirSync(RULES).filter((file) => /^(?!signals)[^.]*\.yaml$/.test(file));

  it.each(shipped)('is the shipped policy %s', (file) => {
    const mapping = loadMapping();
    const policy = loadPolicy(join(RULES, file), { mapping });
    const applicants = fc.sample(anApplicant(policy.facts), 100);
    expect(new Set(verdictsOf(policy, applicants, DAY)).size).toBeGreaterThan(10);
    expectSame(policy, again(policy, { mapping }), applicants, DAY);
  });

  test.each(caseFiles())('is each policy of %s', (path) => {
    for (const each of readCaseFile(path).cases.filter((_, i) => i % sampled(6, 1) === 0)) {
      const policy = loadPolicyAsIs(each.policy, temporaryFolder());
      expectSame(policy, again(policy), [factsOfCase(each)], each.day);
    }
  });

  it('has the rules of its rule sets in their order, each file once, wherever it was named', () => {
    const rule = (id: string) => `rules: [{ id: ${id}, when: { phone.valid: true }, then: review }]\n`;
    const policy = policyOf(`${HEAD}ruleSets: [sets/b.yaml, a.yaml, ./sets/../a.yaml]\n${rule('own')}`, {
      'sets/b.yaml': `ruleSets: [../c.yaml, d/e.yaml]\n${rule('b')}`,
      'sets/d/e.yaml': `ruleSets: [../../c.yaml]\nlists: { l: { file: l.txt } }\n${rule('e')}`,
      'sets/d/l.txt': 'x\ny # why\n',
      'c.yaml': `tables: [{ id: t, columns: [phone.type, then], rows: [[voip, review]] }]\n${rule('c')}`,
      'a.yaml': rule('a'),
    });
    const ids = ['own', 'b', 'c', 't/1', 'e', 'a'];
    expect(policy.rules.map(({ id }) => id)).toEqual(ids);
    const other = again(policy);
    expect(other.rules.map(({ id }) => id)).toEqual(ids);
    expectSame(policy, other, [{}], DAY);
  });

  it('says the same where YAML was written in ways that JSON has not', () => {
    const deep = (levels: number): string => (levels === 0 ? '{ phone.score: 1 }' : `{ not: ${deep(levels - 1)} }`);
    const policy = policyOf(
      `${HEAD}facts: { context.n: { type: number }, context.kind: { type: enum, values: ["1", "\\0", "a\\x85"] } }
lists: { true: { entries: [a], description: d }, null: [{ value: b }, { value: c, until: 2026-12-31 }], none: [] }
conditions: { true: { context.n: { in: [0x1F, 0o17, -0, 1e21, 5e-324, 1.50] } }, null: { context.kind: "\\0" }, yes: { context.n: { below: -0 } } }
rules:
  - { id: a, when: "true", then: review, message: "\\u2028\\uFEFF\\x7f {context.n}" }
  - { id: b, when: { all: ["null", yes, ip.isp: { inList: "true" }] }, points: +3 }
  - { id: deep, when: ${deep(50)}, then: reject }
`,
    );
    expectSame(policy, again(policy), [{ 'context.n': { value: 31 } }, { 'context.n': { value: 0 } }], DAY);
  });

  it('does not depend on file names, and no file is opened again', () => {
    const text = (list: string) =>
      `${HEAD}lists: { l: { file: ${list} } }\nrules: [{ id: a, when: { ip.isp: { inList: l } }, then: review }]\n`;
    const [one, other] = ['a.txt', 'x/y.txt'].map((name) => policyOf(text(name), { [name]: 'acme\n' }));
    expect(JSON.stringify(policyData(one as Policy))).toBe(JSON.stringify(policyData(other as Policy)));
    expect(JSON.stringify(policyData(one as Policy))).not.toContain('.txt');
  });

  it('gives its data again, a new copy at each call', () => {
    const policy = policyOf(`${HEAD}rules: [{ id: a, when: { phone.valid: true }, then: review }]\n`);
    const data = policyData(policy) as { rules: object[] };
    data.rules.pop();
    expect(digest(policyData(policy))).toBe(policy.digest);
    expect(digest(policyData(again(policy)))).toBe(policy.digest);
  });

  it('is read with the mapping that declares its facts', () => {
    const folder = temporaryFolder({
      'm.yaml': 'signals: { identity.nameScore: { at: n } }\nfacts: { identity.nameScore: { type: number } }\n',
      'p.yaml': `${HEAD}rules: [{ id: a, when: { identity.nameScore: { below: 3 } }, then: review }]\n`,
    });
    const mapping = loadMapping(join(folder, 'm.yaml'));
    const policy = loadPolicy(join(folder, 'p.yaml'), { mapping });
    expectSame(policy, again(policy, { mapping }), [{ 'identity.nameScore': { value: 2 } }], DAY);
    expect(problemsOf(policyData(policy))).toMatch(/^policy:9:9: error\[unknown-fact\]/);
  });
});

/** What is said of data that are no policy. */
function problemsOf(data: unknown): string {
  try {
    policyFromData(data);
  } catch (error) {
    if (error instanceof DiagnosticsError) return error.diagnostics.map(formatDiagnostic).join('\n');
    throw error;
  }
  return '';
}

/** A condition inside so many `not`. */
function nested(levels: number): unknown {
  let condition: unknown = { 'phone.score': 1 };
  for (let i = 0; i < levels; i++) condition = { not: condition };
  return condition;
}
const circle: unknown[] = [];
circle.push(circle);
const WHOLE = { policy: 'p', version: '1', default: 'accept' };

describe('data that are no policy', () => {
  it.each<readonly [string, unknown, string]>([
    ['nothing', null, 'policy:1:1: error[null-value]'],
    ['no JSON', undefined, 'policy: error[wrong-type]: found a value that JSON does not have'],
    ['a text', 'x', 'policy:1:1: error[wrong-type]'],
    ['a function', { ...WHOLE, toJSON: () => 1 }, 'policy: error[wrong-type]: found a value that JSON does not have'],
    [
      'an object of a class',
      { ...WHOLE, version: new Date(0) },
      'policy: error[wrong-type]: found a value that JSON does not have',
    ],
    ['a number that is none', { ...WHOLE, score: { review: Number.NaN } }, 'policy: error[wrong-type]'],
    ['half a character', { ...WHOLE, description: '\ud800' }, 'policy: error[wrong-type]'],
    ['a circle', circle, 'policy: error[too-deep]: nested more than 256 levels deep'],
    ['too deep', { ...WHOLE, rules: [nested(100_000)] }, 'policy: error[too-deep]'],
    [
      'nearly too deep',
      { ...WHOLE, rules: [{ id: 'a', when: nested(240), points: 1, mode: 'shado' }] },
      'error[wrong-value]',
    ],
    ['a key missing', { policy: 'p', version: '1' }, 'policy:2:3: error[missing-key]'],
    [
      'a file of a list',
      { ...WHOLE, lists: { l: { file: '/etc/hosts' } } },
      'policy:7:15: error[wrong-type]: found a text; the data',
    ],
    [
      'a map as a file',
      { ...WHOLE, lists: { l: { file: { a: 1 } } } },
      'policy:7:15: error[wrong-type]: found a map; the data',
    ],
    [
      'a rule set that is a path',
      { ...WHOLE, ruleSets: ['policy.yaml'] },
      'policy:6:5: error[wrong-type]: found a text; the data',
    ],
    ['a rule set of nothing', { ...WHOLE, ruleSets: [{}] }, 'policy:6:5: error[empty]'],
  ])('are refused: %s', (_, data, said) => {
    expect(problemsOf(data)).toContain(said);
  });

  it('are called what the caller calls them', () => {
    const read = () => policyFromData({}, { shown: 'policies/ab.json' });
    expect(read).toThrow('policies/ab.json:1:1: error[empty]');
  });

  it('is refused for a policy that was not read', () => {
    const policy = policyOf(HEAD);
    expect(() => policyData({ ...policy, default: 'review' })).toThrow(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    );
  });
});

describe('the position of a rule or test', () => {
  const text = `${HEAD}conditions:
  named: { phone.score: { above: 10 } }
rules:
  - id: one
    when: { all: [named, { phone.score: { above: 20 } }] }
    then: review
tables:
  - { id: t, columns: [phone.type, then], rows: [[voip, reject]] }
ruleSets: [sets/more.yaml]
`;
  const more = 'rules:\n  - { id: two, when: { phone.valid: false }, then: review }\n';
  const read = () => policyOf(text, { 'sets/more.yaml': more });
  const placesOfTests = (id: string) =>
    read()
      .rules.filter((rule) => rule.id === id)
      .flatMap(({ when }) => [...testsOf(when)])
      .map((asked) => placeOf(asked))
      .map((place) => [place?.line.trim(), place?.position]);

  it('is that of each rule and row, in the file that has it', () => {
    const places = read().rules.map((rule) => {
      const place = placeOf(rule);
      return [rule.id, place?.file.split('/').at(-1), place?.position.line];
    });
    expect(places).toEqual([
      ['one', 'policy.yaml', 7],
      ['t/1', 'policy.yaml', 11],
      ['two', 'more.yaml', 2],
    ]);
  });

  it('is that of the argument of each test, of a named condition where it is declared', () => {
    expect(placesOfTests('one')).toEqual([
      ['named: { phone.score: { above: 10 } }', { line: 5, column: 34, length: 2 }],
      ['when: { all: [named, { phone.score: { above: 20 } }] }', { line: 8, column: 50, length: 2 }],
    ]);
    expect(placesOfTests('two')).toMatchObject([[expect.stringContaining('id: two'), { line: 2 }]]);
  });

  it('is in the data for what was read from data, and nowhere for what was not read', () => {
    const [rule] = again(read()).rules;
    expect(rule && placeOf(rule)).toMatchObject({ file: 'policy', line: '    {' });
    expect(rule && placeOf({ ...rule })).toBeUndefined();
  });
});
