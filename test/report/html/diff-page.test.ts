/** The difference of two policies -> its page. */

import { expect, it } from 'vitest';
import { diffPage } from '../../../src/report/html/diff-page.ts';
import { backtestOfNobody, diffExample } from '../../support/report/example-pages.ts';
import { all, readPage, textOf } from '../../support/report/read-page.ts';

const textsOf = (html: string, element: string, look?: string) => all(readPage(html), element, look).map(textOf);

it('the page of a difference shows edits with their places, changes, regions and what is known of all others', () => {
  const page = diffPage(diffExample());
  expect(textsOf(page, 'h1')).toEqual(['2 regions of applicants are decided differently, and more is undecided']);
  expect(textsOf(page, 'p', 'lead')).toEqual([
    'All other applicants for whom phone.country is GB are decided the same from 2026-11-20 on: proved.',
  ]);
  expect(textsOf(page, 'li')).toEqual(
    expect.arrayContaining([
      'rule voip is removed: review if phone.type is voip',
      'rule ported: points 15 is now 25 rules/rule-sets/porting.yaml:31',
      'Number last ported is 21 to 30 days old',
    ]),
  );
  expect(textsOf(page, 'td')).toEqual(['■ reject', '1', '◆ review', '1']);
  expect(textsOf(page, 'strong')).toEqual(['Region 1', 'Region 2']);
  expect(page).toContain('every applicant');
  expect(page).toContain('no example was found: not proved');
});

it('the page of a difference shows no text of an example that may identify somebody', () => {
  const page = diffPage(diffExample());
  expect(page).toContain('(not shown)');
  expect(page).not.toContain('ada@');
});

it('the page of policies that are the same says so', () => {
  const { diff, ...shown } = diffExample();
  const page = diffPage({ ...shown, diff: { days: [], edits: [], regions: [], elsewhere: 'same' } });
  expect(textsOf(page, 'h1')).toEqual(['Every applicant is decided the same']);
  expect(page).toContain('The policies say the same, apart from comments.');
});

it('the page of a difference leads with the counted applicants, and folds the regions without any', () => {
  const { diff, ...shown } = diffExample();
  const backtest = { ...backtestOfNobody(), decided: 10, changed: 3 };
  const counted = { backtest, titles: ['before', 'after'], placing: { outsideRegions: 0 } } as const;
  const regions = diff.regions.map((region, i) => ({ ...region, applicants: i === 0 ? 0 : 3 }));
  const page = diffPage({ ...shown, impact: counted, diff: { ...diff, regions } });
  expect(textsOf(page, 'h1')).toEqual(['3 of 10 applicants are decided differently']);
  expect(textsOf(page, 'summary')).toContain('1 region without real applicants');
});
