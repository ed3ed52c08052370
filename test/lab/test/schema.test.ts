/** The schema of files of tests accepts and refuses the same texts as their reader, as far as it can see. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestReader } from '../../../src/lab/test/read-tests.ts';
import { testsSchema } from '../../../src/lab/test/schema.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';
import { schemaProblems } from '../../support/policy/validate.ts';

const RULES = resolve(import.meta.dirname, '../../../rules');
const SCHEMA = testsSchema();

const POLICY = `${HEAD}parameters: { risky: 80 }
rules:
  - { id: risky, when: { phone.score: { above: $risky } }, then: review, reason: RISKY, notice: Call us. }
  - { id: number, when: { applicant.phoneNo: "447400123456" }, then: review, reason: NUMBER }
tables:
  - { id: limits, columns: [phone.type, then], rows: [[voip, review]] }
`;

function isRead(text: string): boolean {
  const files = {
    'policy.yaml': POLICY,
    'a.test.yaml': text,
    'a.json': '{"phone.score": 5}',
    'a.csv': 'outcome\nreview\n',
  };
  const folder = temporaryFolder(files);
  const { diagnostics, cases } = new TestReader({ allowOnly: true }).read(join(folder, 'a.test.yaml'));
  return diagnostics.length === 0 && cases.length > 0;
}

it.each(readdirSync(RULES).filter((name) => name.endsWith('.test.yaml')))(
  '%s fits the schema that it names',
  (name) => {
    const text = readFileSync(join(RULES, name), 'utf8');
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./test.schema.json');
    expect(schemaProblems(SCHEMA, text)).toEqual([]);
  },
);

describe('the schema agrees with the reader about', () => {
  const inFile = (text: string) =>
    `policy: policy.yaml\nat: 2026-11-20\ntests: [{ name: a, expect: { outcome: review } }]\n${text}\n`;
  const inTest = (text: string) =>
    `policy: policy.yaml\nat: today\ntests: [{ name: a, expect: { outcome: review }, ${text} }]\n`;
  const expecting = (text: string) => `policy: policy.yaml\nat: today\ntests: [{ name: a, expect: { ${text} } }]\n`;

  it.each([
    'policy: [policy.yaml]\nat: today\ntests: [{ name: a, policy: policy.yaml, expect: { outcome: review } }]\n',
    inFile('with: { risky: 70 }'),
    inFile('facts: { a: {} }'),
    inTest('facts: {}'),
    inFile('facts: { a: { phone.score: 5, phone.riskLevel: { missing: invalid } } }'),
    inFile('facts: { a: { facts: { phone.score: 5 }, missing: { "email.*": unmapped } } }'),
    inFile('facts: { a: { file: a.json } }'),
    inTest('facts: { phone.porting.portedDate: 7 days ago }'),
    inTest('facts: { phone.porting.portedDate: 2026-02-03, email.domain.firstSeen: never }'),
    inTest('missing: { "*": notGiven, phone.score: invalid }'),
    inTest('at: 2026-01-01, with: { risky: 1 }, skip: why, only: true, description: why'),
    inTest('table: { columns: [phone.score, name, reasons], rows: [[5, low, []]] }'),
    inTest('table: { file: a.csv }'),
    expecting('outcome: accept, reasons: [RISKY], not: [NUMBER], rules: [risky, limits/1], undetermined: []'),
    expecting('score: 5'),
    expecting('score: [5, 9]'),
    expecting('notice: any'),
    expecting('notice: { en: Call us. }'),
  ])('%s', (text) => {
    expect(isRead(text)).toBe(true);
    expect(schemaProblems(SCHEMA, text)).toEqual([]);
  });

  it.each([
    'policy: policy.yaml\ntests: [{ name: a, expect: { outcome: review } }]\n',
    'policy: policy.yaml\nat: today\ntests: [{ name: a }]\n',
    'policy: policy.yaml\nat: today\ntests: []\n',
    'policy: []\nat: today\ntests: [{ name: a, expect: { outcome: review } }]\n',
    'policy: [policy.yaml, policy.yaml]\nat: today\ntests: [{ name: a, expect: { outcome: review } }]\n',
    inFile('at2: 5'),
    inFile('with: { risky: [70] }'),
    inFile('facts: { a: { phone.scor: 5 } }'),
    inFile('facts: { a: { facts: { phone.score: 5 }, phone.score: 5 } }'),
    inFile('facts: { a: { file: a.json, phone.score: 5 } }'),
    inTest('facts: { phone.porting.portedDate: 7 days }'),
    inTest('facts: { phone.riskLevel: { missing: gone } }'),
    inTest('facts: { phone.type: mobil }'),
    inTest('missing: { phone.score: gone }'),
    inTest('at: tomorrow'),
    inTest('from: []'),
    inTest('only: 5'),
    inTest('table: { columns: [phone.score] }'),
    inTest('table: { columns: [phone.scor], rows: [[5]] }'),
    inTest('table: { columns: [outcome], file: a.csv }'),
    expecting(''),
    expecting('outcome: decline'),
    expecting('reasons: RISKY'),
    expecting('not: []'),
    expecting('score: [5]'),
    expecting('notice: {}'),
    expecting('rules: [Risky]'),
  ])('the mistake in %s', (text) => {
    expect(isRead(text)).toBe(false);
    expect(schemaProblems(SCHEMA, text)).not.toEqual([]);
  });
});
