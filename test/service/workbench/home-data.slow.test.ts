/** What Home counts, of decisions at chosen times: before and after a change, to its instant; and what was missing. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { homeData } from '../../../src/service/workbench/data/home-data.ts';
import { homePage } from '../../../src/service/workbench/pages/home-page.ts';
import { writeServed } from '../../../src/service/workbench/parts/frame.ts';
import { policyOf } from '../../support/policy/policy.ts';
import { textOf } from '../../support/report/read-page.ts';
import { type Given, recordedService } from '../../support/service/workbench/recorded.ts';
import { readServed } from '../../support/service/workbench/served-page.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-11-28T23:30:00Z');
const CHANGED = Date.parse('2026-11-28T22:52:00Z');

const POLICY = 'policy: onboarding\nversion: "2"\ndefault: accept\nrules: []\n';

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const dataOf = (given: readonly Given[]) => homeData(recordedService(given, [policyOf(POLICY)]));

const pageOf = async (given: readonly Given[]) => {
  const assets = { styles: '/assets/0.css', script: '/assets/0.js', editor: '/assets/1.js' };
  const page = homePage(await dataOf(given), ['/decisions', '/policies']);
  return textOf(readServed(writeServed(page, { sections: [], at: '/', assets, reader: { display: 'A', csrf: 't' } })));
};

describe('a change of a policy', () => {
  const ofDay: readonly Given[] = [
    { at: CHANGED - 40 * DAY_MS, count: 500, outcome: 'review' },
    { at: CHANGED - 2 * DAY_MS, count: 100, rules: ['old'] },
    { at: CHANGED - 10 * HOUR_MS, count: 800, rules: ['old'] },
    { at: CHANGED - 9 * HOUR_MS, count: 100, outcome: 'review' },
    { at: CHANGED, count: 100, outcome: 'review', version: '2', rules: ['old', 'new'] },
    { at: CHANGED + 600_000, count: 100, version: '2', rules: ['old'] },
  ];

  test('divides its own day at the instant of its first decision', async () => {
    const { changed, changes } = await dataOf(ofDay);
    expect(changed).toEqual({
      ...{ name: 'onboarding', version: '2', at: CHANGED },
      now: { decisions: 200, reviews: 100 },
      before: { decisions: 1000, reviews: 100 },
      risen: { rule: 'new', by: 0.5 },
    });
    expect(changes).toEqual([{ name: 'onboarding', version: '2', at: CHANGED }]);
  });

  test('is told with both rates, and how sure their difference is', async () => {
    const text = await pageOf(ofDay);
    expect(text).toContain('Since the first decision of onboarding 2, 2026-11-28 22:52 UTC: 200 decisions.');
    expect(text).toContain(
      '50.0 %, in the 30 days before it 10.0 %: +40.0 points (+32.8 to +47.1 with 95 % confidence)',
    );
    expect(text).toContain('more often than before: new, +50.0 points.');
  });

  test('days after it count as a whole', async () => {
    const at = CHANGED - 3 * DAY_MS;
    const { changed } = await dataOf([
      { at: at - HOUR_MS, count: 3 },
      { at, count: 4, version: '2' },
      { at: at + DAY_MS, count: 5, version: '2', outcome: 'review' },
      { at: NOW - HOUR_MS, count: 6, version: '2' },
    ]);
    expect(changed).toMatchObject({ before: { decisions: 3 }, now: { decisions: 15, reviews: 5 } });
  });

  test('is none where a log begins, nor where a version was taken back', async () => {
    expect(await dataOf([{ at: CHANGED, count: 9, version: '2' }])).toMatchObject({ changes: [], changed: undefined });
    const back = [
      { at: CHANGED - 9 * DAY_MS, count: 1, version: '2' },
      { at: CHANGED, count: 1, version: '3' },
    ];
    const { changes, changed } = await dataOf(back);
    expect(changes.map(({ version }) => version)).toEqual(['3']);
    expect(changed).toBeUndefined();
  });

  test.each([
    [99, 'Too few to tell: 99 and 200 decisions.'],
    [100, 'so it may be chance'],
  ])('after %d decisions: %s', async (count, words) => {
    const half = { count: count / 2, version: '2' };
    const given: readonly Given[] = [
      { at: CHANGED - HOUR_MS, count: 200 },
      { ...half, at: CHANGED, count: Math.ceil(count / 2) },
      { ...half, at: CHANGED + 600_000, count: Math.floor(count / 2) },
    ];
    expect(await pageOf(given)).toContain(words);
  });
});

describe('what was missing', () => {
  const context = { missing: { notGiven: ['context.channel'], notRequested: ['email.domain.age'] } };

  test('has neither a share nor an arrow of days without a decision', async () => {
    const given = [{ at: NOW - HOUR_MS, count: 100, ...context }];
    expect(await dataOf(given)).toMatchObject({
      unknown: [{ source: 'context', share: 1, shareBefore: undefined, isRising: false }],
    });
    const text = await pageOf(given);
    expect(text).toContain('no decision then');
    expect(text).not.toContain('▲');
  });

  test('rises beside days that had less of it', async () => {
    const given = [
      { at: NOW - 8 * DAY_MS, count: 100 },
      { at: NOW - HOUR_MS, count: 100, ...context },
    ];
    const { unknown } = await dataOf(given);
    expect(unknown).toEqual([{ source: 'context', cause: 'notGiven', share: 1, shareBefore: 0, isRising: true }]);
    expect(await pageOf(given)).toContain('▲ rising');
  });

  test('leaves out what was not asked, since the decision needed no more', async () => {
    const text = await pageOf([{ at: NOW - HOUR_MS, count: 4, missing: { notRequested: ['email.domain.age'] } }]);
    expect(text).toContain('Nothing was missing.');
    expect(text).toContain('Not asked, since the decision needed no more: Email domain 100.0 %.');
  });
});
