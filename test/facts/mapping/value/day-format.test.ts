import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayNumber, dayOfNumber } from '../../../../src/facts/day.ts';
import {
  DAY_FORMATS,
  type DayFormat,
  type PartialDay,
  readDayAs,
  USUAL_DAY_FORMATS,
} from '../../../../src/facts/mapping/value/day-format.ts';

const TODAY = '2025-11-20';

function read(found: unknown, formats: readonly DayFormat[] = USUAL_DAY_FORMATS, partial?: PartialDay, past = true) {
  return readDayAs(found, { formats, partial, past, today: TODAY });
}

const WRITTEN: readonly (readonly [DayFormat, unknown, string])[] = [
  ['yyyy-MM-dd', '2019-03-04', '2019-03-04'],
  ['isoDateTime', '2019-03-04T11:59:59.999-12:00', '2019-03-04'],
  ['isoDateTime', '2019-03-04T12:00:00.000-12:00', '2019-03-05'],
  ['isoDateTime', '2019-03-04t20:00-0500', '2019-03-05'],
  ['isoDateTime', '2019-03-05 00:30:00+01', '2019-03-04'],
  ['isoDateTime', '2019-03-05T05:44:59+05:45', '2019-03-04'],
  ['isoDateTime', '2019-12-31T23:00:00-03:00', '2020-01-01'],
  ['isoDateTime', '2019-03-04T23:59:60Z', '2019-03-04'],
  ['isoDateTime', '2019-03-03T24:00:00Z', '2019-03-04'],
  ['isoDateTime', '2019-03-04T23:59:59', '2019-03-04'],
  ['isoDateTime', '1900-01-01T00:00:00+01:00', '1900-01-01'],
  ['isoDateTime', '0001-01-01T00:00:00+02:00', '0001-01-01'],
  ['yyyy/MM/dd', '2019/03/04', '2019-03-04'],
  ['yyyyMMdd', '20190304', '2019-03-04'],
  ['yyyyMMdd', 20190304, '2019-03-04'],
  ['dd/MM/yyyy', '04/03/2019', '2019-03-04'],
  ['d/M/yyyy', '4/3/2019', '2019-03-04'],
  ['d/M/yyyy', '04/03/2019', '2019-03-04'],
  ['MM/dd/yyyy', '03/04/2019', '2019-03-04'],
  ['M/d/yyyy', '3/14/2019', '2019-03-14'],
  ['dd.MM.yyyy', '04.03.2019', '2019-03-04'],
  ['d.M.yyyy', '4.3.2019', '2019-03-04'],
  ['dd-MM-yyyy', '04-03-2019', '2019-03-04'],
  ['d MMM yyyy', '4 Mar 2019', '2019-03-04'],
  ['d MMM yyyy', '04-MAR-2019', '2019-03-04'],
  ['d MMM yyyy', '4 september 2019', '2019-09-04'],
  ['d MMM yyyy', '4 Sept. 2019', '2019-09-04'],
  ['MMM d yyyy', 'Mar 4, 2019', '2019-03-04'],
  ['MMM d yyyy', 'December 31 2019', '2019-12-31'],
  ['epochMillis', 1_552_521_600_000, '2019-03-14'],
  ['epochMillis', '1552607999999', '2019-03-14'],
  ['epochSeconds', 1_552_521_599, '2019-03-13'],
  ['epochSeconds', '1552521600.5', '2019-03-14'],
  ['daysAgo', 0, '2025-11-20'],
  ['daysAgo', '20', '2025-10-31'],
  ['daysAgo', 636, '2024-02-23'],
];

test.each(WRITTEN)('%s reads %j as %s', (format, found, day) => {
  expect(read(found, [format])).toBe(day);
  expect(read(` ${found} `, [format])).toBe(day);
});

test('each format has an example here, and every other format reads nothing or the same day', () => {
  expect(new Set(WRITTEN.map(([format]) => format))).toEqual(new Set(DAY_FORMATS));
  const isSwapped = (one: DayFormat, other: DayFormat) => /^M+\/d/.test(one) !== /^M+\/d/.test(other);
  for (const [format, found, day] of WRITTEN) {
    for (const other of DAY_FORMATS) {
      if (other.includes('/') && format.includes('/') && isSwapped(format, other)) continue;
      expect([undefined, day], `${found} as ${other}`).toContain(read(found, [other]));
    }
  }
});

test.each<readonly [DayFormat, unknown]>([
  ['yyyy-MM-dd', '2024-02-30'],
  ['yyyy-MM-dd', '2019-3-4'],
  ['yyyy-MM-dd', '0000-00-00'],
  ['yyyy-MM-dd', '10000-01-01'],
  ['yyyyMMdd', '20240230'],
  ['yyyyMMdd', 2019_03],
  ['yyyyMMdd', 20_190_304.5],
  ['dd/MM/yyyy', '29/02/2023'],
  ['dd/MM/yyyy', '4/3/2019'],
  ['dd/MM/yyyy', '04/03/19'],
  ['dd/MM/yyyy', '04/13/2019'],
  ['dd/MM/yyyy', '04-03-2019'],
  ['dd.MM.yyyy', '04x03x2019'],
  ['MM/dd/yyyy', '13/04/2019'],
  ['d MMM yyyy', '31 Apr 2019'],
  ['d MMM yyyy', '4 Foo 2019'],
  ['d MMM yyyy', '4 Marc 2019'],
  ['d MMM yyyy', '4 constructor 2019'],
  ['epochMillis', 1_552_521_600],
  ['epochMillis', 0],
  ['epochMillis', -1],
  ['epochMillis', Number.POSITIVE_INFINITY],
  ['epochMillis', Number.NaN],
  ['epochMillis', 1e15],
  ['epochMillis', '1.5e12'],
  ['epochMillis', '1,552,521,600,000'],
  ['epochSeconds', 1_552_521_600_000],
  ['epochSeconds', 20_190_304],
  ['epochSeconds', '0x5c8991c0'],
  ['daysAgo', -1],
  ['daysAgo', 1.5],
  ['daysAgo', 100_000],
  ['daysAgo', 'NaN'],
  ['daysAgo', ''],
  ['yyyy-MM-dd', true],
  ['yyyy-MM-dd', ['2019-03-04']],
  ['yyyy-MM-dd', `2019-03-04${' '.repeat(200)}`],
])('%s cannot read %j', (format, found) => {
  expect(read(found, [format])).toBeUndefined();
  // No other format turns an impossible day into a possible one.
  expect(read(found, [format], 'latest')).toBe(format === 'yyyyMMdd' && found === 2019_03 ? '2019-03-31' : undefined);
});

test('daysAgo counts from the day of the decision, back to 0001-01-01 at most', () => {
  expect(readDayAs(1, { formats: ['daysAgo'], partial: undefined, past: true, today: '2024-03-01' })).toBe(
    '2024-02-29',
  );
  expect(readDayAs(9, { formats: ['daysAgo'], partial: undefined, past: true, today: '0001-01-09' })).toBeUndefined();
});

describe('a month or a year without a day', () => {
  test.each<readonly [found: string, earliest: string, latest: string, format: DayFormat]>([
    ['2019-03', '2019-03-01', '2019-03-31', 'yyyy-MM-dd'],
    ['2024-02', '2024-02-01', '2024-02-29', 'yyyy-MM-dd'],
    ['2023-02', '2023-02-01', '2023-02-28', 'yyyy-MM-dd'],
    ['2019', '2019-01-01', '2019-12-31', 'yyyy-MM-dd'],
    ['04/2019', '2019-04-01', '2019-04-30', 'dd/MM/yyyy'],
    ['04/2019', '2019-04-01', '2019-04-30', 'MM/dd/yyyy'],
    ['201904', '2019-04-01', '2019-04-30', 'yyyyMMdd'],
    ['Apr 2019', '2019-04-01', '2019-04-30', 'd MMM yyyy'],
    ['April 2019', '2019-04-01', '2019-04-30', 'MMM d yyyy'],
    ['2019', '2019-01-01', '2019-12-31', 'MMM d yyyy'],
  ])('%s is the earliest day, %s, or the latest, %s, or none', (found, earliest, latest, format) => {
    expect(read(found, [format], 'earliest')).toBe(earliest);
    expect(read(found, [format], 'latest')).toBe(latest);
    expect(read(found, [format])).toBeUndefined();
  });
  test('that is not over yet means today at the latest, for dates in the past', () => {
    expect(read('2025-11', undefined, 'latest')).toBe(TODAY);
    expect(read('2025', undefined, 'latest')).toBe(TODAY);
    expect(read('2025', undefined, 'latest', false)).toBe('2025-12-31');
    expect(read('2025-12', undefined, 'latest')).toBe('2025-12-31');
    expect(read('2025', undefined, 'earliest')).toBe('2025-01-01');
  });
  test.each(['2019-13', '2019-00', '0000', '201', '2019-3', '03/2019', '-2019'])('%s is not read', (found) => {
    expect(read(found, undefined, 'latest')).toBeUndefined();
  });
  test('is not read as a whole day', () => {
    expect(read('2019-03-04', undefined, 'latest')).toBe('2019-03-04');
  });
});

describe('every calendar day', () => {
  const days = fc.integer({ min: dayNumber('0001-01-01'), max: dayNumber('9999-12-31') }).map(dayOfNumber);
  const writers: readonly (readonly [DayFormat, (y: string, m: string, d: string) => string])[] = [
    ['yyyy-MM-dd', (y, m, d) => `${y}-${m}-${d}`],
    ['yyyy/MM/dd', (y, m, d) => `${y}/${m}/${d}`],
    ['yyyyMMdd', (y, m, d) => `${y}${m}${d}`],
    ['dd/MM/yyyy', (y, m, d) => `${d}/${m}/${y}`],
    ['d/M/yyyy', (y, m, d) => `${Number(d)}/${Number(m)}/${y}`],
    ['MM/dd/yyyy', (y, m, d) => `${m}/${d}/${y}`],
    ['M/d/yyyy', (y, m, d) => `${Number(m)}/${Number(d)}/${y}`],
    ['dd.MM.yyyy', (y, m, d) => `${d}.${m}.${y}`],
    ['d.M.yyyy', (y, m, d) => `${Number(d)}.${Number(m)}.${y}`],
    ['dd-MM-yyyy', (y, m, d) => `${d}-${m}-${y}`],
    ['isoDateTime', (y, m, d) => `${y}-${m}-${d}T23:30:00+09:30`],
  ];
  test.each(writers)('is read in %s as it was written', (format, write) => {
    fc.assert(
      fc.property(days, (day) => {
        const [y = '', m = '', d = ''] = day.split('-');
        expect(read(write(y, m, d), [format])).toBe(day);
      }),
    );
  });
  test('is read as the day that is written, or not at all, whatever the numbers', () => {
    // From the year 100 on, because `Date.UTC` reads earlier years as the twentieth century.
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 9999 }), fc.nat(13), fc.nat(32), (y, m, d) => {
        const text = `${String(y).padStart(4, '0')}-${String(m).padStart(2, '0')}-${String(d).padStart(2, '0')}`;
        const isReal = new Date(Date.UTC(y, m - 1, d)).toISOString().startsWith(text);
        expect(read(text)).toBe(isReal ? text : undefined);
      }),
      { numRuns: 1000 },
    );
  });
});
