/** The schema of mappings accepts and refuses the same files as the mapping's reader. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CATALOG, type FactDefinition, type FactType } from '../../src/facts/catalog.ts';
import { ROOT } from '../support/docs/docs.ts';
import { mappingSchema } from '../support/docs/mapping-schema.ts';
import { readYaml } from '../support/facts/mapping-file.ts';
import { schemaProblems } from '../support/policy/validate.ts';

const SCHEMA = mappingSchema();
const FACTS: readonly (readonly [string, FactDefinition])[] = Object.entries(CATALOG);
const SIGNALS = FACTS.filter(([, { origin }]) => origin === 'service');

const isAccepted = (yaml: string) => schemaProblems(SCHEMA, yaml).length === 0;
const isRead = (yaml: string) => readYaml(yaml).diagnostics.every(({ severity }) => severity !== 'error');
const signal = (path: string, keys: object) => JSON.stringify({ signals: { [path]: { at: 'a', ...keys } } });

it('the shipped mapping is valid by the schema that it names', () => {
  const text = readFileSync(join(ROOT, 'rules/signals.yaml'), 'utf8');
  expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./signals.schema.json');
  expect(schemaProblems(SCHEMA, text)).toEqual([]);
});

const TARGETS: { readonly [Type in FactType]: unknown } = {
  number: 5.5,
  integer: 5,
  level: 'low',
  boolean: true,
  enum: 'other',
  string: 'a',
  date: '2020-01-31',
};

describe.each(SIGNALS)('%s', (path, { type }) => {
  const agree = (yaml: string) => {
    const isRight = isRead(yaml);
    expect([yaml, isAccepted(yaml)]).toEqual([yaml, isRight]);
    return isRight;
  };

  it('accepts what the reader accepts for its type', () => {
    const takes = ['first', 'latest', 'previous', 'earliest', 'count', 'max', 'min', 'last', 'sum', 'LATEST', 1];
    expect(takes.filter((take) => agree(signal(path, { take })))).toContain('first');
  });

  it('has the keys that the reader knows for its type', () => {
    const keys = { range: [0, 1], formats: ['yyyy-MM-dd'], never: { at: 'b', is: [0] }, placeholders: ['x', null] };
    const others = { split: ';', part: 2, invert: true, partial: 'latest', default: 0 };
    for (const form of ['fraction', 'percent', 'hemisphere', 'other']) agree(signal(path, { form }));
    for (const take of ['first', 'count']) agree(signal(path, { take, split: ';' }));
    agree(signal(path, { split: ';', part: 2 }));
    const has = Object.entries({ ...keys, ...others }).filter(([key, value]) => agree(signal(path, { [key]: value })));
    expect(has.map(([key]) => key)).toContain('placeholders');
    expect(has.map(([key]) => key)).not.toContain('default');
  });

  it('has the targets of its type', () => {
    for (const target of [...Object.values(TARGETS), 'HIGH', null]) agree(signal(path, { values: { x: target } }));
    expect(isAccepted(signal(path, { values: { x: TARGETS[type] } }))).toBe(true);
    expect(isAccepted(signal(path, { values: { x: null } }))).toBe(false);
  });
});

const DATE = 'phone.porting.portedDate';
const WITH = (yaml: string) => `signals: { phone.riskLevel: a }\n${yaml}\n`;

const RIGHT: readonly string[] = [
  'signals: { phone.riskLevel: a.b }',
  'signals: { phone.riskLevel: [a.b, "$.c"] }',
  signal(DATE, { at: ['a', 'b'], formats: ['yyyy-MM-dd', 'isoDateTime'] }),
  signal(DATE, { formats: ['d/M/yyyy', 'dd/MM/yyyy', 'daysAgo', 'epochSeconds'] }),
  signal(DATE, { formats: ['d MMM yyyy', 'epochMillis'], partial: 'earliest', split: ';', take: 'latest' }),
  signal('phone.score', { form: 'percent', invert: true, split: ' ', part: 2 }),
  signal('ip.location.latitude', { form: 'hemisphere', split: ',', part: 1 }),
  signal('ip.location.longitude', { range: [0, 360], invert: true }),
  signal('phone.porting.portCount', { take: 'count', split: ';' }),
  `facts: { identity.a: { type: number }, identity.b.c: { type: date, past: true } }
signals: { identity.a: { at: x, form: percent }, identity.b.c: [y, z] }
sources: { s: { at: a, answered: [ok], signals: [identity.a, identity.b.*, identity.*] } }
`,
  WITH('placeholders: ["", "N/A", null, -1, false]'),
  WITH('placeholders: []'),
  WITH('answer: { reference: a }'),
  WITH('answer: { at: a, answered: [Successful, 200, true, null, [], {}] }'),
  WITH('answer: { error: a }'),
  WITH('sources: { phone: { error: phone.error, signals: [phone.*] } }'),
  WITH('sources: { phone: { at: a, answered: [ok], signals: [phone.*, phone.porting.*, email.domain.type] } }'),
];

const WRONG: readonly string[] = [
  'placeholders: []',
  'signals: { phone.risk: a }',
  'signals: { phone.valid: a }',
  'signals: { applicant.email: a }',
  'signals: { phone.riskLevel: 5 }',
  'signals: { phone.riskLevel: [] }',
  'signals: { phone.riskLevel: " " }',
  'signals: { phone.riskLevel: { take: first } }',
  'signals: { phone.riskLevel: }',
  signal('phone.score', { range: [0] }),
  signal('phone.score', { range: ['0', '1'] }),
  signal('phone.riskLevel', { values: {} }),
  signal('phone.porting.portCount', { take: 'count', values: { a: 1 } }),
  signal(DATE, { formats: [] }),
  signal(DATE, { formats: ['dd/MM/yy'] }),
  signal(DATE, { formats: ['dd/MM/yyyy', 'dd/MM/yyyy'] }),
  signal(DATE, { formats: ['dd/MM/yyyy', 'MM/dd/yyyy'] }),
  signal(DATE, { formats: ['epochMillis'], partial: 'latest' }),
  signal(DATE, { formats: ['yyyy-MM-dd', 'daysAgo'], partial: 'latest' }),
  signal('phone.score', { split: ';' }),
  signal('phone.score', { split: '', part: 1 }),
  signal('phone.score', { part: 1 }),
  signal('phone.score', { split: ';', part: 0 }),
  signal('phone.score', { form: 'fraction', range: [0, 1] }),
  signal('phone.score', { form: 'hemisphere' }),
  signal('ip.location.latitude', { form: 'percent' }),
  signal('ip.location.latitude', { invert: true }),
  signal('phone.porting.portCount', { take: 'count', split: ';', part: 1 }),
  WITH('facts: { identity.verified: { type: boolean } }'),
  WITH('facts: { context.a: { type: boolean } }'),
  WITH('facts: { identity.a: { type: enum } }'),
  WITH('sources: { s: { at: a, answered: [ok], signals: [context.a] } }'),
  signal(DATE, { never: { at: 'a' } }),
  signal(DATE, { never: { at: 'a', is: [] } }),
  WITH('facts: {}'),
  WITH('answers: {}'),
  WITH('placeholders: "N/A"'),
  WITH('placeholders: [[a]]'),
  WITH('answer: { at: a }'),
  WITH('answer: { answered: [a] }'),
  WITH('answer: { at: a, answered: [[a]] }'),
  WITH('answer: { at: a, answered: [{ a: 1 }] }'),
  WITH('answer: { at: a, error: b }'),
  WITH('sources: { phone: { answered: [null], error: a, signals: [phone.*] } }'),
  WITH('sources: { phone: { signals: [phone.*] } }'),
  WITH('sources: { phone: { error: a } }'),
  WITH('answer: {}'),
  WITH('answer: { at: a, answered: [] }'),
  WITH('sources: { phone: { at: a, answered: [ok] } }'),
  WITH('sources: { phone: { answered: [ok], signals: [phone.*] } }'),
  WITH('sources: { phone: { at: a, answered: [ok], signals: [phones.*] } }'),
  WITH('sources: { phone: { at: a, answered: [ok], signals: [] } }'),
];

it.each(RIGHT)('%s is valid and can be read', (yaml) => {
  expect(schemaProblems(SCHEMA, yaml)).toEqual([]);
  expect(isRead(yaml)).toBe(true);
});

it.each(WRONG)('%s is refused by the schema and by the reader', (yaml) => {
  expect(isAccepted(yaml)).toBe(false);
  expect(isRead(yaml)).toBe(false);
});
