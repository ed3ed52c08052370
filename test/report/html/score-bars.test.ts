/** The distribution of scores is drawn in the colours of its bands. */

import { expect, test } from 'vitest';
import { writePage } from '../../../src/report/html/document.ts';
import { scoreBars } from '../../../src/report/html/parts/score-bars.ts';
import { all, readPage, textOf } from '../../support/report/read-page.ts';

test('a score has the colour of its band, and the highest bar the whole height', () => {
  const values = [19, 20, 30].map((points, i) => ({ points, applicants: [4, 8, 1][i] ?? 0 }));
  const content = scoreBars({ values, open: 0, review: 20, reject: 30 });
  const page = readPage(writePage({ title: 't', head: 'h', parts: [{ id: 'p', title: 'p', content }] }));
  const rects = all(page, 'rect')
    .map(({ attributes }) => attributes)
    .filter((each) => each['height'] !== '0');
  // The ends of the axis, and where bands begin.
  expect(all(page, 'text').map(textOf)).toEqual(['19', '20', '30', '30']);
  expect(rects.map((each) => each['class'])).toEqual(['band accept', 'band review', 'band reject']);
  expect(rects.map((each) => [each['height'], each['y']])).toEqual([
    ['40', '40'],
    ['80', '0'],
    ['10', '70'],
  ]);
});
