/** The page of a backtest says first what is decided by, and its pictures are as long as its numbers. */

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/policy/language.ts';
import { backtestText } from '../../../src/report/applicants/backtest.ts';
import { backtestPage } from '../../../src/report/html/backtest-page.ts';
import { writePage } from '../../../src/report/html/document.ts';
import { htmlOf } from '../../../src/report/html/html.ts';
import type { Table } from '../../../src/report/outline.ts';
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

/** A table with a picture, as a page. */
function drawn(chart: Table['page']['chart'], names: readonly string[]): ReadElement {
  const page = { id: 't', caption: 'Caption', chart };
  const block = { is: 'table', columns: ['thing'], rows: names.map((name) => [name]), page } as const;
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
  });

  it('says of nobody that they are decided differently, and of one policy what it does', () => {
    const { before: _, flows: _flows, ...alone } = EXAMPLE.backtest;
    const page = readPage(backtestPage({ backtest: alone, titles: ['now', 'sign-up 60'] }));
    expect(all(page, 'h1').map(textOf)).toEqual(['200 decisions, 2026-11-01 to 2026-11-28']);
    expect(all(page, 'dt').map(textOf).slice(0, 3)).toEqual(['Accepted', 'Rejected', 'Reviews a day']);
    expect(all(page, 'table', 'matrix')).toEqual([]);
  });

  it('has the rules by whom they decide alone, those that are only observed last, and in a text as in the policy', () => {
    const names = rowsOf(all(partOf('each'), 'table', 'rules')[0]).map(([name]) => textOf(name as ReadElement));
    expect(names).toEqual(['risky-score', 'some', 'more', 'porting', 'watched (shadow)']);
    const text = textReport(backtestText(EXAMPLE), (_, words) => words);
    expect(text).toMatch(/\n {2}risky-score .*\n {2}porting .*\n {2}some .*\n {2}more .*\n {2}watched \(shadow\) /);
    const table = rowsOf(all(partOf('each'), 'table', 'line')[0]).map(([name]) => textOf(name as ReadElement));
    expect(table).toEqual(names);
  });

  it('has the edits by whom they change, to which side, and what all of them do', () => {
    const rows = rowsOf(all(partOf('edits'), 'table', 'changes')[0]).map((cells) => cells.map(textOf));
    expect(rows).toEqual([
      ['parameter limit 80 is now 60', '–', '', '+40'],
      ['rule porting: when phone.porting.riskLevel is at …', '-8', '', '+2'],
      ['rule broken is new', '–', 'unreadable', '–'],
      ['all together', '-6', '', '+40'],
    ]);
  });

  it('has the names of policies as they are written', () => {
    const heads = all(partOf('result'), 'th').map(textOf);
    expect(heads).toEqual(expect.arrayContaining(['sign-up 80', 'sign-up 60', 'Outcome']));
  });

  it('has a table beside each picture', () => {
    for (const chart of all(PAGE, 'table', 'chart')) {
      const captions = all(PAGE, 'caption').map(({ attributes }) => attributes['id']);
      const id = all(chart, 'caption')[0]?.attributes['id'] ?? '';
      expect(captions).toContain(id.replace(/-chart$/, ''));
    }
    expect(all(PAGE, 'details').map((each) => textOf(all(each, 'summary')[0] as ReadElement))).toEqual([
      'As a table',
      'All numbers, as a table',
    ]);
  });
});

describe('bars of changes', () => {
  it('go to the left for those who are decided more mildly, by one scale for all', () => {
    const page = drawn(
      {
        is: 'changes',
        further: ['cost'],
        rows: [
          {
            ...{ milder: [{ to: 'accept', applicants: 10 }], more: ['-5'] },
            stricter: [
              { to: 'review', applicants: 10 },
              { to: 'reject', applicants: 20 },
            ],
          },
          { milder: [{ to: 'review', applicants: 5 }], stricter: [], more: ['0'] },
          undefined,
        ],
      },
      ['one', 'two', 'three'],
    );
    const rows = rowsOf(all(page, 'table', 'chart')[0]);
    expect(rows.map((cells) => cells.map(textOf))).toEqual([
      ['one', '-10', '', '+30', '-5'],
      ['two', '-5', '', '–', '0'],
      ['three', '–', 'unreadable', '–', '–'],
    ]);
    const barsOf = (row: number) => attributesOf(rows[row]?.[2] as ReadElement, 'rect', 'class', 'x', 'width');
    expect(barsOf(0)).toEqual([
      ['band accept', '0%', '25%'],
      ['band review', '25%', '25%'],
      ['band reject', '50%', '50%'],
    ]);
    expect(barsOf(1)).toEqual([['band review', '12.5%', '12.5%']]);
    expect(attributesOf(rows[0]?.[2] as ReadElement, 'line', 'x1')).toEqual([['25%']]);
    expect(textOf(all(page, 'caption')[0] as ReadElement)).toBe('Caption.to acceptto reviewto reject');
  });
});

describe('dots of rules', () => {
  const chart = (most: number) =>
    drawn(
      {
        is: 'rules',
        frauds: 0.01,
        rows: [
          {
            ...{ fired: 1200, before: 900, alone: [{ to: 'reject', applicants: 400 }] },
            frauds: { share: 0.04, least: 0.01, most },
          },
          { fired: 7, alone: [], frauds: undefined },
        ],
      },
      ['strict', 'idle'],
    );

  it('stand in their interval on an axis that all rules have', () => {
    const page = chart(0.25);
    const rows = rowsOf(all(page, 'table', 'chart')[0]);
    expect(rows.map((cells) => cells.map(textOf))).toEqual([
      ['strict', '900 → 1,200', '400', '4.0% 1.0 to 25.0'],
      ['idle', '7', '0', '–'],
    ]);
    const cell = rows[0]?.[3] as ReadElement;
    // Square roots of 4 %, 1 % and 25 %, where the axis ends at 25 %.
    expect(attributesOf(cell, 'circle', 'cx')).toEqual([['40%']]);
    expect(attributesOf(cell, 'rect', 'x', 'width')).toEqual([['20%', '80%']]);
    expect(all(cell, 'line', 'all').map(({ attributes }) => attributes['x1'])).toEqual(['20%']);
    const head = all(page, 'thead')[0] as ReadElement;
    expect(all(head, 'text').map(textOf)).toEqual(['0', '1', '5', '10', '25%']);
    expect(textOf(all(page, 'caption')[0] as ReadElement)).toContain('Dashed: 1.0%, the share of frauds');
  });

  it('have a longer axis if an interval needs one', () => {
    expect(
      all(all(chart(0.26), 'thead')[0] as ReadElement, 'text')
        .map(textOf)
        .at(-1),
    ).toBe('50%');
  });
});
