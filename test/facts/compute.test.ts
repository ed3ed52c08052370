import { describe, expect, test } from 'vitest';
import { CATALOG_TABLE } from '../../src/facts/catalog.ts';
import { DERIVATIONS } from '../../src/facts/compute.ts';
import type { GivenFact } from '../../src/facts/fact.ts';
import { readFacts } from '../../src/facts/read.ts';

function derive(path: string, given: Record<string, unknown>) {
  const facts = new Map<string, GivenFact>(Object.entries(given).map(([name, value]) => [name, { value }]));
  return readFacts(facts, CATALOG_TABLE, '2025-11-20').get(path);
}

test('there is a derivation for every derived fact of the catalog, and for no other', () => {
  const derived = [...CATALOG_TABLE].filter(([, { origin }]) => origin === 'derived').map(([path]) => path);
  expect([...DERIVATIONS.keys()].toSorted()).toEqual(derived.toSorted());
});

test('every input of a derived fact comes before it in the catalog', () => {
  const paths = [...CATALOG_TABLE.keys()];
  for (const [path, { inputs = [], origin }] of CATALOG_TABLE) {
    expect(inputs.length > 0, path).toBe(origin === 'derived');
    for (const input of inputs) expect(paths.slice(0, paths.indexOf(path)), path).toContain(input);
  }
});

test('every fact of the catalog has a name for people that no other fact has', () => {
  const labels = [...CATALOG_TABLE.values()].map(({ label }) => label);
  expect(labels).not.toContain(undefined);
  expect(new Set(labels).size).toBe(labels.length);
});

describe('applicant.emailDomain', () => {
  test.each([
    ['r.okonjo@Kestrel.example', { value: 'kestrel.example', text: 'Kestrel.example' }],
    ['r.okonjo@kestrel.example.', { value: 'kestrel.example', text: 'kestrel.example.' }],
    ['r.okonjo@bücher.example', { value: 'xn--bcher-kva.example', text: 'bücher.example' }],
    ['"a@b"@kestrel.example', { missing: 'invalid' }],
    ['no-at-sign', { missing: 'invalid' }],
    ['nothing-after@', { missing: 'invalid' }],
  ])('of %s', (email, expected) => {
    expect(derive('applicant.emailDomain', { 'applicant.email': email })).toEqual(expected);
  });
});

describe('phone.country and phone.valid', () => {
  test.each([
    ['447400123456', 'gb', true],
    ['12025550100', 'us', true],
    ['61491570156', 'au', true],
    ['442079460000', 'gb', true],
    ['447781123456', 'gg', true],
    ['+447400123456', 'gb', true],
    ['44 7400 123456', 'gb', true],
    // Ascension has its own numbers, but no code of its own in ISO 3166-1.
    ['24740123', 'sh', true],
  ])('of %s', (phoneNo, country, valid) => {
    const given = { 'applicant.phoneNo': phoneNo };
    expect(derive('phone.country', given)).toEqual({ value: country, text: country.toUpperCase() });
    expect(derive('phone.valid', given)).toEqual({ value: valid });
  });

  test('an international number is valid and of no country', () => {
    expect(derive('phone.valid', { 'applicant.phoneNo': '80012345678' })).toEqual({ value: true });
    expect(derive('phone.country', { 'applicant.phoneNo': '80012345678' })).toEqual({ missing: 'invalid' });
  });

  test.each(['447700900461', '4500000000', '9991234567'])(
    'an unknown number is not valid and of no country: %s',
    (phoneNo) => {
      expect(derive('phone.valid', { 'applicant.phoneNo': phoneNo })).toEqual({ value: false });
      expect(derive('phone.country', { 'applicant.phoneNo': phoneNo })).toEqual({ missing: 'invalid' });
    },
  );
});

test.each(['999', '0', 'x', '447400123456 or so', '1'.repeat(300)])('nothing is derived from %s', (phoneNo) => {
  expect(derive('phone.valid', { 'applicant.phoneNo': phoneNo })).toEqual({ missing: 'invalid' });
  expect(derive('phone.country', { 'applicant.phoneNo': phoneNo })).toEqual({ missing: 'invalid' });
});

test('operators are the same if their folded names are', () => {
  const changed = (current: string, original: string) =>
    derive('phone.operator.changed', { 'phone.operator.current': current, 'phone.operator.original': original });
  expect(changed('Harbour Mobile', 'HARBOUR mobile ')).toEqual({ value: false });
  expect(changed('Harbour Mobile', 'Northlink Cellular')).toEqual({ value: true });
});

describe('ip.country', () => {
  test.each([
    ['Auckland', -36.8485, 174.7633, 'NZ'],
    ['London', 51.5, -0.1, 'GB'],
    ['San Juan, a territory', 18.4, -66.1, 'PR'],
    ['Saint-Denis, overseas', -20.88, 55.45, 'RE'],
    ['Hong Kong', 22.3, 114.17, 'HK'],
    ['Ceuta, whose code is only reserved', 35.89, -5.31, 'ES'],
  ])('in %s', (_, latitude, longitude, code) => {
    expect(derive('ip.country', { 'ip.location.latitude': latitude, 'ip.location.longitude': longitude })).toEqual({
      value: code.toLowerCase(),
      text: code,
    });
  });

  test('on the open sea it is invalid', () => {
    expect(derive('ip.country', { 'ip.location.latitude': -30, 'ip.location.longitude': -30 })).toEqual({
      missing: 'invalid',
    });
  });
});

test('ip.matchesPhoneCountry compares the two countries', () => {
  const matches = (phoneNo: string) =>
    derive('ip.matchesPhoneCountry', {
      'applicant.phoneNo': phoneNo,
      'ip.location.latitude': 51.5,
      'ip.location.longitude': -0.1,
    });
  expect(matches('447400123456')).toEqual({ value: true });
  expect(matches('12025550100')).toEqual({ value: false });
});

describe('if an input is missing', () => {
  const facts = (given: Record<string, GivenFact>) =>
    readFacts(new Map(Object.entries(given)), CATALOG_TABLE, '2025-11-20');

  test('the derived fact has the cause of the first such input, and no raw value', () => {
    const both = facts({
      'phone.operator.current': { missing: 'sourceFailed' },
      'phone.operator.original': { missing: 'invalid', raw: '7' },
    });
    expect(both.get('phone.operator.changed')).toEqual({ missing: 'sourceFailed' });
    const second = facts({
      'phone.operator.current': { value: 'a' },
      'phone.operator.original': { missing: 'invalid', raw: '7' },
    });
    expect(second.get('phone.operator.changed')).toEqual({ missing: 'invalid' });
  });

  test('so has a fact derived from a derived fact', () => {
    const derived = facts({
      'applicant.phoneNo': { value: '447400123456' },
      'ip.location.latitude': { missing: 'notRequested' },
      'ip.location.longitude': { value: 3 },
    });
    expect(derived.get('ip.country')).toEqual({ missing: 'notRequested' });
    expect(derived.get('ip.matchesPhoneCountry')).toEqual({ missing: 'notRequested' });
  });
});

describe('a derived fact that is given', () => {
  const valid = (given: GivenFact) =>
    readFacts(
      new Map<string, GivenFact>([
        ['applicant.phoneNo', { value: '447400123456' }],
        ['phone.valid', given],
      ]),
      CATALOG_TABLE,
      '2025-11-20',
    ).get('phone.valid');

  test('as a value is read like any other', () => {
    expect(valid({ value: false })).toEqual({ value: false });
    expect(valid({ value: 'no' })).toEqual({ missing: 'invalid', raw: 'no' });
  });
  test('as null is not given, and is not derived', () => {
    expect(valid({ value: null })).toEqual({ missing: 'notGiven' });
  });
  test('with a cause keeps it, and is not derived', () => {
    expect(valid({ missing: 'sourceFailed' })).toEqual({ missing: 'sourceFailed' });
  });
});
