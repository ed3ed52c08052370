/** A bar is as wide as the share of its outcome, and its words say the same. */

import { expect, test } from 'vitest';
import { writePage } from '../../../src/report/html/document.ts';
import { outcomeBars, scoreBars } from '../../../src/report/html/parts/outcome-bars.ts';
import { all, readPage, textOf } from '../../support/report/read-page.ts';

const BARS = [
  { name: 'old', outcomes: { accept: 50, review: 25, reject: 25 } },
  { name: 'new', outcomes: { accept: 0, review: 0, reject: 0 } },
];

const read = (content: ReturnType<typeof outcomeBars>) =>
  readPage(writePage({ title: 't', head: 'h', parts: [{ id: 'p', title: 'p', content }] }));

test('a score has the colour of its band, and the highest bar the whole height', () => {
  const bars = [10, 20, 30].map((from, i) => ({ from, applicants: [4, 8, 1][i] ?? 0 }));
  const page = read(scoreBars(bars, { review: 20, reject: 30 }));
  const rects = all(page, 'rect').map(({ attributes }) => attributes);
  // The ends of the axis, and where bands begin.
  expect(all(page, 'text').map(textOf)).toEqual(['10', '20', '30', '30']);
  expect(rects.map((each) => each['class'])).toEqual(['band accept', 'band review', 'band reject']);
  expect(rects.map((each) => [each['height'], each['y']])).toEqual([
    ['40', '40'],
    ['80', '0'],
    ['10', '70'],
  ]);
});

test('a part has its share in words if there is room', () => {
  const wide = { name: 'all', outcomes: { accept: 92, review: 4, reject: 4 } };
  expect(all(read(outcomeBars('Outcomes', [wide])), 'text').map(textOf)).toEqual(['92.0%']);
});

test('each part begins where the one before ends', () => {
  const page = read(outcomeBars('Outcomes', BARS));
  const parts = all(page, 'rect').map(({ attributes }) => [attributes['class'], attributes['x'], attributes['width']]);
  expect(parts.slice(0, 3)).toEqual([
    ['band accept', '0%', '50%'],
    ['band review', '50%', '25%'],
    ['band reject', '75%', '25%'],
  ]);
  // Of nobody there is no share.
  expect(parts.slice(3).map(([, , width]) => width)).toEqual(['0%', '0%', '0%']);
  expect(all(page, 'div', 'outcomes')[0]?.attributes['aria-label']).toBe(
    'Outcomes: old 50.0% accept, 25.0% review, 25.0% reject; new 0.0% accept, 0.0% review, 0.0% reject',
  );
});
