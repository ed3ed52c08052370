import { describe, expect, test } from 'vitest';
import { readRetryAfter } from '../../../src/signals/http/retry-after.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

describe('Retry-After is read', () => {
  test.each([
    ['as seconds', '120', 120_000],
    ['as zero seconds', '0', 0],
    ['as seconds with spaces around', ' 7 ', 7_000],
    ['as parts of a second', '1.5', 1_500],
    ['as a date', 'Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['as a date in the form of RFC 850', 'Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['as a date in the form of asctime', 'Fri Nov 20 12:00:30 2026', 30_000],
    ['as a date in the form of asctime, of a day with one digit', 'Tue Dec  1 12:00:00 2026', 11 * 86_400_000],
    ['as a date in January', 'Fri, 01 Jan 2027 12:00:00 GMT', 42 * 86_400_000],
    ['as a date in December', 'Thu, 31 Dec 2026 12:00:00 GMT', 41 * 86_400_000],
    ['as 0 for a date in the past', 'Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['as 0 for a two-digit year that would be more than 50 years ahead', 'Friday, 20-Nov-94 12:00:30 GMT', 0],
  ])('%s', (_, header, expected) => {
    expect(readRetryAfter(header, undefined, NOW)).toBe(expected);
  });

  test("by the service's clock, if the answer has its time", () => {
    const date = 'Fri, 20 Nov 2026 15:00:00 GMT';
    expect(readRetryAfter('Fri, 20 Nov 2026 15:00:10 GMT', date, NOW)).toBe(10_000);
    expect(readRetryAfter('Fri, 20 Nov 2026 12:00:10 GMT', 'today', NOW)).toBe(10_000);
  });

  test('as a time after any deadline', () => {
    expect(readRetryAfter('9'.repeat(400), undefined, NOW)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('Retry-After is ignored', () => {
  test.each([
    ['if it is absent', undefined],
    ['if it is empty', ''],
    ['if it is negative', '-5'],
    ['if it is a word', 'soon'],
    ['if it is a number in another notation', '1e3'],
    ['if it is a date in another format', '2026-11-20T12:00:30Z'],
    ['if its month does not exist', 'Fri, 20 Nom 2026 12:00:30 GMT'],
    ['if it is sent twice', ['1', '2']],
  ])('%s', (_, header) => {
    expect(readRetryAfter(header, undefined, NOW)).toBeUndefined();
  });
});
