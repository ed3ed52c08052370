import { describe, expect, test } from 'vitest';
import { CATALOG, CATALOG_TABLE, type FactDefinition, type FactTable } from '../../src/facts/catalog.ts';
import type { GivenFact } from '../../src/facts/fact.ts';
import { readFact } from '../../src/facts/fact-reader.ts';
import { addFacts, readFacts } from '../../src/facts/read.ts';

const TODAY = '2025-11-20';
const OWN: Record<string, FactDefinition> = {
  number: { type: 'number', origin: 'caller', description: 'any number' },
  integer: { type: 'integer', origin: 'caller', description: 'any integer' },
  date: { type: 'date', origin: 'caller', description: 'any day' },
};

function read(path: string, value: unknown) {
  const definition = CATALOG_TABLE.get(path) ?? OWN[path];
  if (!definition) throw new Error(`no fact ${path}`);
  return readFact(definition, { value }, TODAY);
}

describe('a value of exactly its type is present', () => {
  test.each([
    ['phone.score', 0],
    ['phone.score', 100],
    ['phone.score', 61.5],
    ['ip.location.latitude', -90],
    ['phone.porting.portCount', 0],
    ['phone.porting.portCount', Number.MAX_SAFE_INTEGER],
    ['number', -1e300],
    ['integer', -7],
    ['phone.riskLevel', 'veryHigh'],
    ['phone.type', 'tollFree'],
    ['phone.valid', false],
    ['phone.porting.portedDate', '2024-02-29'],
    ['phone.porting.portedDate', 'never'],
    ['phone.porting.portedDate', TODAY],
    ['date', '2031-01-01'],
    ['ip.isp', 'tasman fibre'],
  ])('%s: %j', (path, value) => {
    expect(read(path, value)).toEqual({ value });
  });
});

describe('a value that is not exactly of its type is invalid, with the value found', () => {
  test.each([
    ['phone.score', '10', '10'],
    ['phone.score', 100.1, '100.1'],
    ['phone.score', 101, '101'],
    ['phone.score', -1, '-1'],
    ['phone.score', Number.NaN, 'NaN'],
    ['phone.score', true, 'true'],
    ['number', Number.POSITIVE_INFINITY, 'Infinity'],
    ['number', 10n, '10'],
    ['phone.porting.portCount', -1, '-1'],
    ['phone.porting.portCount', 2.5, '2.5'],
    ['integer', 2 ** 53, '9007199254740992'],
    ['phone.riskLevel', 'HIGH', 'HIGH'],
    ['phone.riskLevel', 3, '3'],
    ['phone.riskLevel', 'toString', 'toString'],
    ['phone.type', 'Mobile', 'Mobile'],
    ['phone.type', 'constructor', 'constructor'],
    ['phone.valid', 'true', 'true'],
    ['phone.valid', 1, '1'],
    ['phone.porting.portedDate', '2024-02-30', '2024-02-30'],
    ['phone.porting.portedDate', '14/03/2019', '14/03/2019'],
    ['phone.porting.portedDate', '2019-3-14', '2019-3-14'],
    ['phone.porting.portedDate', '2019-03-14T00:00:00Z', '2019-03-14T00:00:00Z'],
    ['phone.porting.portedDate', 'Never', 'Never'],
    ['phone.porting.portedDate', 17_000, '17000'],
    ['ip.isp', 42, '42'],
    ['ip.isp', 'a\uD800b', 'a\uFFFDb'],
    ['ip.isp', { name: 'x' }, '{"name":"x"}'],
    ['ip.isp', ['x', 1], '["x",1]'],
  ])('%s: %s', (path, value, raw) => {
    expect(read(path, value)).toEqual({ missing: 'invalid', raw });
  });
});

test('null, undefined and blank texts are not given, whatever the type', () => {
  for (const definition of Object.values(CATALOG)) {
    for (const value of [null, undefined, '', ' \t\u00A0\uFEFF']) {
      expect(readFact(definition, { value }, TODAY)).toEqual({ missing: 'notGiven' });
    }
  }
});

test('-0 becomes 0', () => {
  expect(read('number', -0)).toEqual({ value: 0 });
  expect(read('integer', -0)).toEqual({ value: 0 });
});

test('a string is folded, and the original text is kept if folding changed it', () => {
  expect(read('ip.isp', ' Tasman FIBRE\u00A0')).toEqual({ value: 'tasman fibre', text: ' Tasman FIBRE\u00A0' });
  expect(read('ip.isp', 'cafe\u0301')).toEqual({ value: 'caf\u00E9', text: 'cafe\u0301' });
});

describe('a date that lies in the past', () => {
  test('is read as the day of the decision if it is one day ahead', () => {
    expect(read('phone.porting.portedDate', '2025-11-21')).toEqual({ value: TODAY });
  });
  test('is invalid if it is further ahead', () => {
    expect(read('phone.porting.portedDate', '2025-11-22')).toEqual({ missing: 'invalid', raw: '2025-11-22' });
  });
  test('may be one day ahead across the end of a year', () => {
    expect(readFact(CATALOG['email.darkWeb.lastHit'], { value: '2026-01-01' }, '2025-12-31')).toEqual({
      value: '2025-12-31',
    });
  });
});

describe('the raw value', () => {
  test('has at most 200 characters', () => {
    expect(read('phone.score', 'x'.repeat(201))).toEqual({ missing: 'invalid', raw: 'x'.repeat(200) });
    expect(read('phone.score', 'x'.repeat(200))).toEqual({ missing: 'invalid', raw: 'x'.repeat(200) });
  });
  test('is never cut within a character', () => {
    expect(read('phone.score', `${'x'.repeat(199)}😀y`)).toEqual({ missing: 'invalid', raw: 'x'.repeat(199) });
    expect(read('phone.score', `${'x'.repeat(198)}😀y`)).toEqual({ missing: 'invalid', raw: `${'x'.repeat(198)}😀` });
  });
  test('is absent if the value has no JSON', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(read('ip.isp', circle)).toEqual({ missing: 'invalid' });
  });
});

test('a given cause is kept', () => {
  const given: GivenFact = { missing: 'sourceFailed' };
  expect(readFact(CATALOG['phone.score'], given, TODAY)).toEqual({ missing: 'sourceFailed' });
});

describe('all facts of a table', () => {
  test('come in its order, and are missing if not given', () => {
    const facts = readFacts(new Map([['phone.score', { value: 7 }]]), CATALOG_TABLE, TODAY);
    expect([...facts.keys()]).toEqual([...CATALOG_TABLE.keys()]);
    expect(facts.get('phone.score')).toEqual({ value: 7 });
    expect(facts.get('ip.isp')).toEqual({ missing: 'notGiven' });
    expect(facts.get('phone.country')).toEqual({ missing: 'notGiven' });
  });

  test("include the caller's facts; paths that the table lacks are ignored", () => {
    const table: FactTable = new Map([...CATALOG_TABLE, ['context.limit', OWN['number'] as FactDefinition]]);
    const given = new Map([
      ['context.limit', { value: 5 }],
      ['context.other', { value: 6 }],
    ]);
    const facts = readFacts(given, table, TODAY);
    expect(facts.get('context.limit')).toEqual({ value: 5 });
    expect(facts.has('context.other')).toBe(false);
  });
});

test('facts that are added later are read, and derived from, like those given at first', () => {
  const before = new Map<string, GivenFact>([
    ['applicant.phoneNo', { value: '447911123456' }],
    ['applicant.email', { value: 'Nora@Mail.Example' }],
    ['ip.location.latitude', { missing: 'notRequested' }],
  ]);
  const later = new Map<string, GivenFact>([
    ['phone.operator.current', { value: 'A' }],
    ['phone.operator.original', { value: 'B' }],
    ['ip.location.latitude', { value: 51.5 }],
    ['ip.location.longitude', { value: 0.1 }],
  ]);
  const facts = readFacts(before, CATALOG_TABLE, TODAY);
  addFacts(facts, [...later, ['no.such.fact', { value: 1 }]], CATALOG_TABLE, TODAY);
  expect([...facts]).toEqual([...readFacts(new Map([...before, ...later]), CATALOG_TABLE, TODAY)]);
  expect(facts.get('ip.matchesPhoneCountry')).toEqual({ value: expect.any(Boolean) });
  expect(facts.get('phone.operator.changed')).toEqual({ value: true });
});
