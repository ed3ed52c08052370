/** What a page of the service loads is as small as docs/workbench.md promises. */

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

/** `12 kB, and 5 kB with gzip`, where the page says it. */
function saidOf(what: RegExp): readonly number[] {
  const text = readFileSync(join(ROOT, 'docs/workbench.md'), 'utf8').replaceAll('\n', ' ');
  const [, whole, zipped] = new RegExp(`${what.source} ([\\d.]+) kB, and ([\\d.]+) kB with gzip`).exec(text) ?? [];
  return [Number(whole), Number(zipped)];
}

test.each([
  ['script', /The one script has at most/, () => readFileSync(join(ROOT, 'dist/service/workbench/browser.js'), 'utf8')],
  ['stylesheet', /and the stylesheet at most/, () => SERVED_STYLESHEET],
])('the %s is no larger than the documentation says', (_name, what, read) => {
  const text = read();
  const sizes = [Buffer.byteLength(text), gzipSync(text, { level: 9 }).length].map((bytes) => bytes / KB);
  const most = saidOf(what);
  for (const [i, size] of sizes.entries()) expect(size).toBeLessThan(most[i] ?? 0);
});

test('what a decision shows looks the same here as in a file', () => {
  const page = readPage(decisionPage(everythingExample()));
  const classes = new Set(elementsOf(page).flatMap(({ attributes }) => attributes['class']?.split(' ') ?? []));
  const styledBy = (text: string) => [...classes].filter((each) => new RegExp(`\\.${each}(?![\\w-])`).test(text));
  expect(styledBy(STYLESHEET)).toContain('band');
  expect(styledBy(SERVED_STYLESHEET)).toEqual(styledBy(STYLESHEET));
});
