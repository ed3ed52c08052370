/** The keys of a signal -> the effect of each on an answer. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mappingOf } from '../../support/facts/mapping-file.ts';
import { factsOf, give } from '../../support/facts/shape-1.ts';

const SCORE = 'phone.score';
const DAY = 'email.domain.firstSeen';
const COUNT = 'phone.porting.portCount';
const LATITUDE = 'ip.location.latitude';

/** The fact that `{ at: a, … }` reads from an answer `{ a: … }`. */
function one(path: string, keys: string, a: unknown, more = '') {
  return give({ a }, mappingOf(`signals: { ${path}: { at: a, ${keys} } }\n${more}`)).get(path);
}

const NOTHING = { missing: 'notReturned' };
const invalid = (raw: string) => ({ missing: 'invalid', raw });

describe('split', () => {
  test.each([
    ['split: ";", take: max', '7; 9;8', { value: 9 }],
    ['split: ";", take: min', ' 7 ', { value: 7 }],
    ['split: ";", take: max', 7, { value: 7 }],
    ['split: ";", take: max', true, invalid('true')],
    ['split: " ", take: max', '7  9\t8 ', { value: 9 }],
    ['split: "||", take: first', '7||9', { value: 7 }],
    ['split: ";", take: max', '7;9;', { value: 9 }],
    ['split: ";", take: max', '7;;9', invalid('["7","","9"]')],
    ['split: ";", take: max', ';7', invalid('["","7"]')],
    ['split: ";", take: max', '7;x', invalid('x')],
    ['split: ";", take: max', ';', NOTHING],
    ['split: ";", take: max', '', NOTHING],
    ['split: ";", take: max', null, NOTHING],
    ['split: ";", take: max', { b: 1 }, invalid('{"b":1}')],
    ['split: ";", take: max', ['7;8', '9'], { value: 9 }],
    ['split: ";", take: max', [['7']], invalid('["7"]')],
  ])('%s of %j', (keys, a, expected) => {
    expect(one(SCORE, keys, a)).toEqual(expected);
  });

  test.each([
    ['02/06/2015; 14/03/2019', { value: 2 }],
    ['02/06/2015', { value: 1 }],
    ['02/06/2015;', { value: 1 }],
    ['a;N/A', invalid('["a","N/A"]')],
    ['N/A', NOTHING],
    ['N/A;N/A', NOTHING],
    ['', NOTHING],
    [3, invalid('3')],
    [true, invalid('true')],
    [{}, invalid('{}')],
    [[], { value: 0 }],
  ])('and count: %j', (a, expected) => {
    expect(one(COUNT, 'split: ";", take: count', a, 'placeholders: [N/A]')).toEqual(expected);
  });

  test('a text of a million values is invalid', () => {
    expect(one(COUNT, 'split: ";", take: count', '1;'.repeat(1_000_000))).toMatchObject({ missing: 'invalid' });
    expect(one(COUNT, 'split: ";", take: count', '1;'.repeat(10_000))).toEqual({ value: 10_000 });
  });
});

describe('part', () => {
  test.each([
    [1, '51.5,-0.12', { value: 51.5 }],
    [1, '51.5', { value: 51.5 }],
    [2, '51.5,', invalid('51.5,')],
    [2, '51.5', invalid('51.5')],
    [1, ',3', NOTHING],
    [1, 51.5, { value: 51.5 }],
    [2, 51.5, invalid('51.5')],
    [3, '1,2,3,4', { value: 3 }],
  ])('%d of %j', (part, a, expected) => {
    const signals = `ip.location.latitude: { at: a, split: ",", part: ${part} }, ip.location.longitude: b`;
    expect(give({ a, b: 5 }, mappingOf(`signals: { ${signals} }`)).get(LATITUDE)).toEqual(expected);
  });
  test('works on several texts, of which one is taken', () => {
    expect(one(SCORE, 'split: "/", part: 2, take: max', ['a/7', 'b/9'])).toEqual({ value: 9 });
    expect(one(SCORE, 'split: "/", part: 2, take: max', ['a/7', 'b'])).toEqual(invalid('b'));
  });
  test('reads a whole location from one text', () => {
    const mapping = mappingOf(`signals:
  ip.location.latitude: { at: geo, split: ",", part: 1, form: hemisphere }
  ip.location.longitude: { at: geo, split: ",", part: 2, form: hemisphere }`);
    const location = (geo: unknown) => {
      const facts = factsOf({ geo }, mapping);
      return ['ip.location.latitude', 'ip.location.longitude', 'ip.country'].map((path) => facts.get(path));
    };
    expect(location('36.8485 S, 174.7633 E')).toEqual([
      { value: -36.8485 },
      { value: 174.7633 },
      { value: 'nz', text: 'NZ' },
    ]);
    expect(location('0 N, 0 E')).toEqual([NOTHING, NOTHING, NOTHING]);
  });
});

describe('form', () => {
  test.each([
    ['fraction', '62/100', { value: 62 }],
    ['fraction', ' 7 / 10 ', { value: 70 }],
    ['fraction', '1/3', { value: 33.3333333333 }],
    ['fraction', '0.29/1', { value: 29 }],
    ['fraction', '0/5', { value: 0 }],
    ['fraction', '6/5', invalid('6/5')],
    // Rounding to ten places would hide it.
    ['fraction', '1.0000000000001/1', invalid('1.0000000000001/1')],
    ['fraction', '-1/5', invalid('-1/5')],
    ['fraction', '0/0', invalid('0/0')],
    ['fraction', '1/2/3', invalid('1/2/3')],
    ['fraction', '62', invalid('62')],
    ['fraction', 62, invalid('62')],
    ['fraction', '1/', invalid('1/')],
    ['fraction', '1e1/100', invalid('1e1/100')],
    ['percent', '70%', { value: 70 }],
    ['percent', '0.29 %', { value: 0.29 }],
    ['percent', '101%', invalid('101%')],
    ['percent', '70', invalid('70')],
    ['percent', 0.7, invalid('0.7')],
    ['percent', '%', invalid('%')],
    ['percent', '70%%', invalid('70%%')],
    ['percent', '1,0%', invalid('1,0%')],
  ])('%s of %j', (form, a, expected) => {
    expect(one(SCORE, `form: ${form}`, a)).toEqual(expected);
  });

  test.each([
    ['36.8485 S', -36.8485],
    ['36.8485S', -36.8485],
    ['s 36.8485', -36.8485],
    ['36.8485°N', 36.8485],
    ['36.8485° n', 36.8485],
    ['0 S', 0],
    ['36.84851234567 S', -36.8485123457],
  ])('hemisphere of %j', (a, value) => {
    expect(
      give(
        { a, b: 1 },
        mappingOf(`signals: { ${LATITUDE}: { at: a, form: hemisphere }, ip.location.longitude: b }`),
      ).get(LATITUDE),
    ).toEqual({ value });
  });
  test.each(['36.8', '36.8 E', '-36.8 S', 'N 36.8 S', '91 N', 'S', '36,8 S', 36.8])(
    'is not read as a hemisphere: %j',
    (a) => {
      expect(one(LATITUDE, 'form: hemisphere', a)).toEqual(invalid(String(a)));
    },
  );

  test('is applied after values', () => {
    const keys = 'form: fraction, values: { none: 0, "9/10": 1 }';
    expect(one(SCORE, keys, 'None')).toEqual({ value: 0 });
    expect(one(SCORE, keys, '9/10')).toEqual({ value: 1 });
    expect(one(SCORE, keys, '8/10')).toEqual({ value: 80 });
  });
});

describe('invert', () => {
  test.each([
    ['invert: true', 100, { value: 0 }],
    ['invert: true', '0.1', { value: 99.9 }],
    ['invert: true', 101, invalid('101')],
    ['invert: false', 30, { value: 30 }],
    ['range: [0, 1], invert: true', 0.29, { value: 71 }],
    ['range: [1, 5], invert: true', 1, { value: 100 }],
    ['range: [0, 3], invert: true', 1, { value: 66.6666666667 }],
    ['form: fraction, invert: true', '62/100', { value: 38 }],
    ['form: percent, invert: true', '0.1%', { value: 99.9 }],
    ['invert: true, values: { trusted: 100 }', 'trusted', { value: 0 }],
    ['range: [0, 10], invert: true, values: { trusted: 10 }', 'trusted', { value: 0 }],
    ['invert: true, take: max', [10, 30], { value: 90 }],
    ['invert: true', Number.NaN, invalid('NaN')],
    ['invert: true', true, invalid('true')],
  ])('%s of %j', (keys, a, expected) => {
    expect(one(SCORE, keys, a)).toEqual(expected);
  });
  test('applies to a latitude on another scale', () => {
    const mapping = mappingOf(
      `signals: { ${LATITUDE}: { at: a, range: [0, 180], invert: true }, ip.location.longitude: b }`,
    );
    expect(give({ a: 10, b: 1 }, mapping).get(LATITUDE)).toEqual({ value: 80 });
  });
});

test.each(['NaN', 'Infinity', '1e400', '1,234.5', '0x10', '', ' ', '١', Number.POSITIVE_INFINITY, Number.NaN])(
  'is not read as a number, whatever the keys: %j',
  (a) => {
    for (const keys of ['range: [0, 10]', 'invert: true', 'form: fraction', 'form: percent', 'take: max'])
      expect(one(SCORE, keys, a)).toHaveProperty('missing');
  },
);

test.each([30.123456789012, '30.123456789012'])('a number that no key rescales keeps all of its digits: %j', (a) => {
  expect(one(SCORE, 'invert: false', a)).toEqual({ value: 30.123456789012 });
});

test('a rescaled number is exact to ten places, whatever the scale', () => {
  const tenths = fc.integer({ min: 0, max: 1000 });
  const scores = new Map(
    [1, 10, 1000].map((most) => [most, mappingOf(`signals: { ${SCORE}: { at: a, range: [0, ${most}] } }`)]),
  );
  const inverted = mappingOf(`signals: { ${SCORE}: { at: a, invert: true } }`);
  fc.assert(
    fc.property(tenths, fc.constantFrom(1, 10, 1000), (n, most) => {
      // n thousandths of the scale, written with all digits.
      const text = (BigInt(n) * BigInt(most))
        .toString()
        .padStart(4, '0')
        .replace(/(\d{3})$/, '.$1');
      const expected = { value: n / 10 };
      for (const a of [text, Number(text)]) {
        const mapping = scores.get(most);
        expect(mapping && give({ a }, mapping).get(SCORE)).toEqual(expected);
      }
      expect(give({ a: n / 10 }, inverted).get(SCORE)).toEqual({ value: (1000 - n) / 10 });
    }),
  );
});

describe('formats and partial', () => {
  test('a day is read by the formats that the mapping names, and no other', () => {
    const keys = 'formats: [dd/MM/yyyy, epochMillis, d MMM yyyy]';
    expect(one(DAY, keys, '04/03/2019')).toEqual({ value: '2019-03-04' });
    expect(one(DAY, keys, 1_552_521_600_000)).toEqual({ value: '2019-03-14' });
    expect(one(DAY, keys, '4 Mar 2019')).toEqual({ value: '2019-03-04' });
    expect(one(DAY, keys, '2019-03-04')).toEqual(invalid('2019-03-04'));
    expect(one(DAY, keys, 1_552_521_600)).toEqual(invalid('1552521600'));
  });
  test('daysAgo counts back from the day of the decision', () => {
    expect(one(DAY, 'formats: [daysAgo]', 20)).toEqual({ value: '2025-10-31' });
    expect(one(DAY, 'formats: [daysAgo]', '0')).toEqual({ value: '2025-11-20' });
  });
  test('a month is read as the day that the mapping says, in its order among whole days', () => {
    expect(one(DAY, 'partial: latest', '2019-03')).toEqual({ value: '2019-03-31' });
    expect(one(DAY, 'partial: earliest', '2019')).toEqual({ value: '2019-01-01' });
    expect(one(DAY, 'partial: earliest, take: latest, split: ";"', '2019-03;2018-12-31')).toEqual({
      value: '2019-03-01',
    });
    expect(one(DAY, 'values: { before 2000: 1999-12-31 }, partial: latest', 'Before 2000')).toEqual({
      value: '1999-12-31',
    });
  });
  test('a month that is not over yet does not become a later day', () => {
    const facts = factsOf({ a: '2025' }, mappingOf(`signals: { ${DAY}: { at: a, partial: latest } }`));
    expect(facts.get(DAY)).toEqual({ value: '2025-11-20' });
  });
});

test('the order is placeholder, split and part, values, form, range and invert, take', () => {
  const keys = `split: ";", values: { none: 0 }, range: [0, 10], invert: true, take: max, placeholders: ["7;8", x]`;
  expect(one(SCORE, keys, '7;8')).toEqual(NOTHING);
  expect(one(SCORE, keys, '7;9')).toEqual({ value: 30 });
  expect(one(SCORE, keys, '7;none')).toEqual({ value: 100 });
  expect(one(SCORE, keys, '7;x')).toEqual(invalid('["7","x"]'));
  expect(one(SCORE, keys, '7;11')).toEqual(invalid('11'));
});

test('if a source failed, none of its signals is read', () => {
  const mapping = mappingOf(`
signals: { ${SCORE}: { at: a, form: percent }, ${DAY}: { at: b, formats: [daysAgo] } }
sources: { phone: { at: s, answered: [ok], signals: [phone.*] } }`);
  const given = give({ a: '70%', b: 1, s: 'timeout' }, mapping);
  expect([given.get(SCORE), given.get(DAY)]).toEqual([{ missing: 'sourceFailed' }, { value: '2025-11-19' }]);
});
