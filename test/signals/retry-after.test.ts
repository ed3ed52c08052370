import { describe, expect, test } from 'vitest';
import { readRetryAfter } from '../../src/signals/retry-after.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

describe('Retry-After is read', () => {
  test.each([
    ['as seconds', '120', 120_000],
    ['as no seconds', '0', 0],
    ['as seconds with spaces around', ' 7 ', 7_000],
    ['as parts of a second', '1.5', 1_500],
    ['as a date', 'Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['as a date in the form of RFC 850', 'Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['as a date in the form of asctime', 'Fri Nov 20 12:00:30 2026', 30_000],
    ['as a date in the form of asctime, of a day with one digit', 'Tue Dec  1 12:00:00 2026', 11 * 86_400_000],
    ['as no time for a date that has passed', 'Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['as no time for two digits of a year more than 50 years ahead', 'Friday, 20-Nov-94 12:00:30 GMT', 0],
  ])('%s', (_, header, expected) => {
    expect(readRetryAfter(header, undefined, NOW)).toBe(expected);
  });

  test("by the service's clock, where the answer tells it", () => {
    const date = 'Fri, 20 Nov 2026 15:00:00 GMT';
    expect(readRetryAfter('Fri, 20 Nov 2026 15:00:10 GMT', date, NOW)).toBe(10_000);
    expect(readRetryAfter('Fri, 20 Nov 2026 12:00:10 GMT', 'today', NOW)).toBe(10_000);
  });

  test('as a time beyond all deadlines', () => {
    expect(readRetryAfter('9'.repeat(400), undefined, NOW)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('Retry-After says nothing', () => {
  test.each([
    ['where it is not there', undefined],
    ['where it is empty', ''],
    ['where it is negative', '-5'],
    ['where it is a word', 'soon'],
    ['where it is a number in another notation', '1e3'],
    ['where it is a date of another form', '2026-11-20T12:00:30Z'],
    ['where it is a date of a month that is none', 'Fri, 20 Nom 2026 12:00:30 GMT'],
    ['where it came twice', ['1', '2']],
  ])('%s', (_, header) => {
    expect(readRetryAfter(header, undefined, NOW)).toBeUndefined();
  });
});
