/** Pages in a browser: they load nothing, fit, can be read, reached, printed, and need no script. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { decisionPage } from '../../../src/report/html/decision-page.ts';
import { replayPage } from '../../../src/report/html/replay-page.ts';
import { searchPage } from '../../../src/report/html/search-page.ts';
import { unreadablePage } from '../../../src/report/html/unreadable-page.ts';
import { chromiumPath, launchChromium, withPage } from '../../support/report/chromium.ts';
import {
  deepExample,
  ERASED,
  everythingExample,
  manyRulesExample,
  onboardingExample,
  REPLAY,
  SEARCH,
} from '../../support/report/example-pages.ts';
import { spoilPage } from '../../support/report/hostile.ts';
import {
  FAINT_TEXTS,
  FARTHEST,
  type FaintText,
  FOCUSED,
  HIDDEN,
  NARROWEST,
  NUMBER_STOPS,
  OPEN_ALL,
  OVERFLOW,
  TEXT,
} from '../../support/report/measure.ts';

const PAGES: Readonly<Record<string, () => string>> = {
  'the page of a decision of the shipped policy': () => decisionPage(onboardingExample()),
  'the page of a decision with all that a policy can have': () => decisionPage(everythingExample()),
  'the page of a decision by 300 rules': () => decisionPage(manyRulesExample(300)),
  'the page of a decision by conditions as deep as can be': () => decisionPage(deepExample(27)),
  'the page of a decision of hostile texts': () => decisionPage(spoilPage(everythingExample())),
  'the page of a decision that was erased': () => unreadablePage(ERASED),
  'the page of a search': () => searchPage(SEARCH),
  'the page of a replay': () => replayPage(REPLAY),
};

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

const path = chromiumPath();

if (path === undefined) {
  test.skip('NOT TESTED: there is no Chromium; CHROMIUM may name one');
} else {
  let browser: Browser;
  let folder: string;
  const urls = new Map<string, string>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'verdict-pages-'));
    for (const [i, [name, write]] of Object.entries(PAGES).entries()) {
      const file = join(folder, `${i}.html`);
      writeFileSync(file, write());
      urls.set(name, pathToFileURL(file).href);
    }
    browser = await launchChromium(path);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const urlOf = (name: string) => urls.get(name) ?? '';

  describe.each(Object.keys(PAGES))('%s', (name) => {
    it.each([DESKTOP, PHONE])('loads nothing, complains of nothing and fits $width pixels', async (viewport) => {
      await withPage(browser, urlOf(name), { viewport }, async ({ page, requests, complaints }) => {
        expect(await page.evaluate(OVERFLOW)).toBe(0);
        await page.evaluate(OPEN_ALL);
        expect(await page.evaluate(OVERFLOW)).toBe(0);
        expect(await page.evaluate(FARTHEST)).toBeLessThanOrEqual(0);
        expect(await page.evaluate(NARROWEST)).toBeGreaterThan(120);
        expect(requests).toEqual([]);
        expect(complaints).toEqual([]);
        expect(await page.evaluate('document.querySelectorAll("script, img, iframe, link, form").length')).toBe(0);
      });
    });

    it('has a contrast of 4.5:1 or more everywhere, in light and in dark', async () => {
      await withPage(browser, urlOf(name), { viewport: DESKTOP }, async ({ page }) => {
        await page.evaluate(OPEN_ALL);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          const { measured, faint } = await page.evaluate<{ measured: number; faint: FaintText[] }>(FAINT_TEXTS);
          expect(measured).toBeGreaterThan(10);
          expect(faint).toEqual([]);
          const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
          expect(ground).toBe(colorScheme === 'light' ? 'rgb(244, 245, 247)' : 'rgb(18, 20, 23)');
        }
      });
    });

    it('reads the same without scripts', async () => {
      const read = (javaScriptEnabled: boolean) =>
        withPage(browser, urlOf(name), { viewport: DESKTOP, javaScriptEnabled }, ({ page }) =>
          page.evaluate<string>(TEXT),
        );
      const text = await read(false);
      expect(text.length).toBeGreaterThan(100);
      expect(text).toBe(await read(true));
    });

    it('prints', async () => {
      await withPage(browser, urlOf(name), { viewport: DESKTOP }, async ({ page }) => {
        const pdf = await page.pdf({ format: 'A4', preferCSSPageSize: true });
        expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
        expect(pdf.length).toBeGreaterThan(5_000);
      });
    });
  });

  it.each(['the page of a decision with all that a policy can have', 'the page of a search'])(
    'the keyboard reaches all links, folds and regions of %s in their order, and shows where it is',
    async (name) => {
      await withPage(browser, urlOf(name), { viewport: PHONE }, async ({ page }) => {
        await page.evaluate(OPEN_ALL);
        const count = await page.evaluate<number>(NUMBER_STOPS);
        expect(count).toBeGreaterThan(1);
        for (let stop = 0; stop < count; stop++) {
          await page.keyboard.press('Tab');
          expect(await page.evaluate(FOCUSED)).toEqual({ stop: `${stop}`, isSeen: true });
        }
      });
    },
  );

  it('on a phone a decision that was found is a list, with a name before each cell, and stays a row of a table', async () => {
    await withPage(browser, urlOf('the page of a search'), { viewport: PHONE }, async ({ page }) => {
      expect(await page.evaluate(HIDDEN)).toBe(0);
      const row = page.getByRole('table').getByRole('row').first();
      expect(await row.getByRole('rowheader').count()).toBe(1);
      // This browser knows a row by its tag all the same; others go by the role.
      expect(await row.getAttribute('role')).toBe('row');
      const [outcome, rules] = await row.getByRole('cell').all();
      const [above, below] = [await outcome?.boundingBox(), await rules?.boundingBox()];
      expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
      expect(await row.ariaSnapshot()).toContain('Outcome reject');
    });
  });

  it('on paper a search is no wider than A4', async () => {
    // 182 mm, at 96 dots an inch.
    await withPage(
      browser,
      urlOf('the page of a search'),
      { viewport: { width: 688, height: 900 } },
      async ({ page }) => {
        await page.emulateMedia({ media: 'print' });
        expect(await page.evaluate(OVERFLOW)).toBe(0);
      },
    );
  });

  it('a fold opens by the keyboard', async () => {
    const url = urlOf('the page of a decision with all that a policy can have');
    await withPage(browser, url, { viewport: PHONE }, async ({ page }) => {
      const fold = page.locator('details.rule:not([open])').first();
      const id = await fold.getAttribute('id');
      await fold.locator('summary').focus();
      await page.keyboard.press('Enter');
      expect(await page.locator(`#${id}`).getAttribute('open')).toBe('');
    });
  });

  it('what is folded is printed', async () => {
    const url = urlOf('the page of a decision with all that a policy can have');
    await withPage(browser, url, { viewport: DESKTOP }, async ({ page }) => {
      const tree = page.locator('#rules details:not([open]) .tree').first();
      expect(await tree.isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print' });
      expect(await tree.isVisible()).toBe(true);
    });
  });

  it('a contrast that is too low is found', async () => {
    await withPage(browser, urlOf('the page of a replay'), { viewport: DESKTOP }, async ({ page }) => {
      await page.evaluate(`document.querySelector('h1').style.color = '#888'`);
      const { faint } = await page.evaluate<{ faint: FaintText[] }>(FAINT_TEXTS);
      expect(faint.map(({ text }) => text)).toEqual([expect.stringContaining('outcomes differ')]);
      expect(faint[0]?.ratio).toBeCloseTo(3.25, 1);
    });
  });

  it('a script that came in with the data would not run', async () => {
    const html = decisionPage(everythingExample()).replace(
      '<main',
      '<script>document.title = "ran"</script><img src="x"><main',
    );
    const file = join(folder, 'injected.html');
    writeFileSync(file, html);
    await withPage(browser, pathToFileURL(file).href, { viewport: DESKTOP }, async ({ page, complaints }) => {
      expect(await page.title()).toMatch(/^Decision/);
      for (const kind of ['script', 'image']) {
        expect(
          complaints.filter((text) => text.includes('Content Security Policy') && text.includes(kind)),
        ).toHaveLength(1);
      }
      expect(await page.evaluate('document.querySelector("img").naturalWidth')).toBe(0);
    });
  });
}
