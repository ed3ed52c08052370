/** The page of a backtest says first what is decided by, and its pictures are as long as its numbers. */

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/policy/language.ts';
import { backtestText } from '../../../src/report/applicants/backtest.ts';
import type { Chart } from '../../../src/report/charts.ts';
import { backtestPage } from '../../../src/report/html/backtest-page.ts';
import { writePage } from '../../../src/report/html/document.ts';
import { htmlOf } from '../../../src/report/html/html.ts';
import { textOf as textReport } from '../../../src/report/plain-text.ts';
import { backtestExample } from '../../support/report/example-pages.ts';
import { all, type ReadElement, readPage, textOf } from '../../support/report/read-page.ts';

const EXAMPLE = backtestExample();
const PAGE = readPage(backtestPage(EXAMPLE));

const partOf = (id: string) => all(PAGE, 'section').find(({ attributes }) => attributes['id'] === id) as ReadElement;
const rowsOf = (table: ReadElement | undefined) =>
  all(all(table as ReadElement, 'tbody')[0] as ReadElement, 'tr').map((row) =>
    row.children.map((cell) => cell as ReadElement),
  );
const attributesOf = (element: ReadElement, tag: string, ...names: string[]) =>
  all(element, tag).map(({ attributes }) => names.map((name) => attributes[name]));

/** A table with a drawn column, as a page. */
function drawn(chart: Chart, rows: readonly (readonly string[])[]): ReadElement {
  const page = { id: 't', caption: 'Caption', charts: [chart] };
  const block = { is: 'table', columns: ['thing', 'number'], rows, page } as const;
  return readPage(writePage({ title: 't', head: 'h', parts: [{ id: 'p', title: 'p', content: htmlOf([block]) }] }));
}

describe('the page of a backtest', () => {
  it('says what is decided by, then the edits, then the rules, then the rest', () => {
    const ids = all(PAGE, 'section').map(({ attributes }) => attributes['id']);
    expect(ids.slice(0, 5)).toEqual(['result', 'values', 'edits', 'each', 'known']);
    const [head] = all(PAGE, 'header');
    expect(textOf(head as ReadElement)).toContain('did you mean "applicant_ip"?');
    const figures = all(all(partOf('result'), 'dl', 'figures')[0] as ReadElement, 'div').map(textOf);
    expect(figures).toEqual([
      'Decided differently4020.0% of 200',
      'Reviews a day2.23.6 before, -1.4',
      'Frauds not accepted13of 18, as before',
      'Good applicants rejected35of 147; 0 before, +35 (+24 to +48)',
      'Change of the cost+1,940now 6,844 to 8,944',
    ]);
  });

  it('shades a change the more the more it is, in the colour of the outcome that it leads to', () => {
    const flow = (from: Outcome, to: Outcome, applicants: number) => ({ from, to, applicants, share: 0 });
    const flows = [
      ...[flow('accept', 'accept', 80), flow('review', 'review', 9)],
      ...[flow('accept', 'review', 21), flow('accept', 'reject', 40), flow('reject', 'accept', 10)],
      ...[flow('review', 'reject', 11), flow('reject', 'review', 0)],
    ];
    const page = readPage(backtestPage({ ...EXAMPLE, backtest: { ...EXAMPLE.backtest, flows } }));
    const shades = all(page, 'span', 'shade').map((each) => [each.attributes['class'], textOf(each)]);
    expect(shades).toEqual([
      ['shade review-3', '21 (12.3%)'],
      ['shade reject-4', '40 (23.4%)'],
      ['shade reject-2', '11 (6.4%)'],
      ['shade accept-1', '10 (5.8%)'],
    ]);
    const [matrix] = all(page, 'table', 'matrix');
    expect(textOf(all(matrix as ReadElement, 'tfoot')[0] as ReadElement)).toBe(
      'after90 (52.6%) -29.8 pp30 (17.5%) +5.8 pp51 (29.8%) +24.0 pp171',
    );
  });

  it('says of nobody that they are decided differently, and of one policy what it does', () => {
    const { before: _, flows: _flows, ...alone } = EXAMPLE.backtest;
    const page = readPage(backtestPage({ backtest: alone, titles: ['now', 'sign-up 60'] }));
    expect(all(page, 'h1').map(textOf)).toEqual(['200 decisions, 2026-11-01 to 2026-11-28']);
    expect(all(page, 'dt').map(textOf).slice(0, 3)).toEqual(['Accepted', 'Rejected', 'Reviews a day']);
    expect(all(page, 'table', 'matrix')).toEqual([]);
  });

  it('has the rules by whom they decide alone, those that are only observed last, and in a text as in the policy', () => {
    const names = rowsOf(all(partOf('each'), 'table')[0]).map(([name]) => textOf(name as ReadElement));
    expect(names).toEqual(['risky-score', 'some', 'more', 'porting', 'watched (shadow)']);
    const text = textReport(backtestText(EXAMPLE), (_, words) => words);
    expect(text).toMatch(/\n {2}risky-score .*\n {2}porting .*\n {2}some .*\n {2}more .*\n {2}watched \(shadow\) /);
    const [first, more] = all(partOf('each'), 'table').map((table) =>
      all(table, 'thead').flatMap((of) => all(of, 'th')),
    );
    expect(rowsOf(all(partOf('each'), 'table')[1]).map(([name]) => textOf(name as ReadElement))).toEqual(names);
    const titles = [first, more].map((row = []) => row.map(textOf));
    // No number stands twice.
    expect(titles).toEqual([
      [
        ...['Rule', 'Fired before', 'Fired', 'Alone', 'By outcome', 'Frauds among those it fired for'],
        'Share of frauds0152550%',
      ],
      ['Rule', 'Without it', 'Fires most with', 'Without a label', 'Undetermined', 'Because of'],
    ]);
  });

  it('has the edits by whom they change, to which side, and what all of them do', () => {
    const [table] = all(partOf('edits'), 'table');
    expect(rowsOf(table).map((cells) => cells.map(textOf).slice(0, 3))).toEqual([
      ['parameter limit 80 is now 60', '+40', '0'],
      ['rule porting: when phone.porting.riskLevel is at …', '-8+2', '8'],
      ['rule broken is new', 'unreadable', '–'],
    ]);
    expect(textOf(all(table as ReadElement, 'tfoot')[0] as ReadElement)).toMatch(/^all together-6\+40/);
  });
});

describe('bars of changes', () => {
  it('go to the left for those who are decided more mildly, by one scale for all', () => {
    const page = drawn(
      {
        ...{ is: 'bars', at: 1, title: 'changed', hasNumbers: true },
        rows: [
          [
            { to: 'accept', size: -10 },
            { to: 'review', size: 10 },
            { to: 'reject', size: 20 },
          ],
          [
            { to: 'review', size: -5 },
            { to: 'accept', size: -5 },
          ],
          undefined,
        ],
      },
      [
        ['one', '40'],
        ['two', '10'],
        ['three', 'unreadable'],
      ],
    );
    const rows = rowsOf(all(page, 'table')[0]);
    expect(rows.map((cells) => cells.map(textOf))).toEqual([
      ['one', '-10+30'],
      ['two', '-10'],
      ['three', 'unreadable'],
    ]);
    // A fifth of the width at each end is for the sums.
    const barsOf = (row: number) => attributesOf(rows[row]?.[1] as ReadElement, 'rect', 'class', 'x', 'width');
    expect(barsOf(0)).toEqual([
      ['band accept', '20%', '15%'],
      ['band review', '35%', '15%'],
      ['band reject', '50%', '30%'],
    ]);
    expect(barsOf(1)).toEqual([
      ['band accept', '27.5%', '7.5%'],
      ['band review', '20%', '7.5%'],
    ]);
    expect(attributesOf(rows[0]?.[1] as ReadElement, 'line', 'x1')).toEqual([['35%']]);
    expect(textOf(all(page, 'caption')[0] as ReadElement)).toBe('Caption accept review reject');
  });
});

describe('dots of shares', () => {
  const chart = (most: number) =>
    drawn({ is: 'shares', at: 2, title: 'share', all: 0.01, rows: [{ share: 0.04, least: 0.01, most }, undefined] }, [
      ['strict', '4.0%'],
      ['idle', ''],
    ]);

  it('stand in their interval on an axis that all rows have', () => {
    const page = chart(0.25);
    const rows = rowsOf(all(page, 'table')[0]);
    expect(rows.map((cells) => cells.map(textOf))).toEqual([
      ['strict', '4.0%', ''],
      ['idle', '–', '–'],
    ]);
    const cell = rows[0]?.[2] as ReadElement;
    // Square roots of 4 %, 1 % and 25 %, where the axis ends at 25 %.
    expect(attributesOf(cell, 'circle', 'cx')).toEqual([['40%']]);
    expect(attributesOf(cell, 'rect', 'x', 'width')).toEqual([['20%', '80%']]);
    expect(all(cell, 'line', 'all').map(({ attributes }) => attributes['x1'])).toEqual(['20%']);
    const head = all(page, 'thead')[0] as ReadElement;
    expect(all(head, 'text').map(textOf)).toEqual(['0', '1', '5', '25%']);
  });

  it('have a longer axis if an interval needs one', () => {
    const head = all(chart(0.26), 'thead')[0] as ReadElement;
    expect(all(head, 'text').map(textOf).at(-1)).toBe('50%');
  });
});
