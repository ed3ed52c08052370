/** What a page of the service loads is as small as docs/workbench.md says. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decisionPage } from '../../../src/report/html/decision-page.ts';
import { STYLESHEET } from '../../../src/report/html/stylesheet.ts';
import { SERVED_STYLESHEET } from '../../../src/service/workbench/stylesheet.ts';
import { ROOT } from '../../support/docs/docs.ts';
import { everythingExample } from '../../support/report/example-pages.ts';
import { elementsOf, readPage } from '../../support/report/read-page.ts';

const KB = 1000;

/** `2.9 kB, 1.4 kB with gzip`, where the page says it. */
function saidOf(what: RegExp): readonly number[] {
  const text = readFileSync(join(ROOT, 'docs/workbench.md'), 'utf8').replaceAll('\n', ' ');
  const [, whole, zipped] = new RegExp(`${what.source} ([\\d.]+) kB, ([\\d.]+) kB with gzip`).exec(text) ?? [];
  return [Number(whole), Number(zipped)];
}

test.each([
  ['script', /The one script has/, () => readFileSync(join(ROOT, 'dist/service/workbench/browser.js'), 'utf8'), 8],
  ['stylesheet', /and the stylesheet/, () => SERVED_STYLESHEET, 14],
])('the %s has the size that the documentation says, and stays below its limit', (_name, what, read, mostKb) => {
  const text = read();
  const sizes = [Buffer.byteLength(text), gzipSync(text, { level: 9 }).length].map((bytes) => bytes / KB);
  const said = saidOf(what);
  for (const [i, size] of sizes.entries()) expect(Math.abs(size - (said[i] ?? 0))).toBeLessThan(0.1);
  expect(sizes[1]).toBeLessThan(mostKb);
});

test('what a decision shows looks the same here as in a file', () => {
  const page = readPage(decisionPage(everythingExample()));
  const classes = new Set(elementsOf(page).flatMap(({ attributes }) => attributes['class']?.split(' ') ?? []));
  const styledBy = (text: string) => [...classes].filter((each) => new RegExp(`\\.${each}(?![\\w-])`).test(text));
  expect(styledBy(STYLESHEET)).toContain('band');
  expect(styledBy(SERVED_STYLESHEET)).toEqual(styledBy(STYLESHEET));
});
