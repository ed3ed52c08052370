/**
 * Pages in a browser: they load nothing, fit the window, are readable, can be used by keyboard and printed, and
 * need no script.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { backtestPage } from '../../../src/report/html/backtest-page.ts';
import { decisionPage } from '../../../src/report/html/decision-page.ts';
import { diffPage } from '../../../src/report/html/diff-page.ts';
import { recordPage } from '../../../src/report/html/record-page.ts';
import { chromiumPath, launchChromium, type OpenPage, openPage, withPage } from '../../support/report/chromium.ts';
import {
  backtestExample,
  deepExample,
  diffExample,
  ERASED,
  everythingExample,
  manyRulesExample,
  onboardingExample,
} from '../../support/report/example-pages.ts';
import { spoilPage } from '../../support/report/hostile.ts';
import {
  AXE,
  FAINT_TEXTS,
  FARTHEST,
  type FaintText,
  FOCUSED,
  HIDDEN,
  NARROWEST,
  NUMBER_STOPS,
  OPEN_ALL,
  OVERFLOW,
  violations,
} from '../../support/report/measure.ts';
import { IS_SOAK, sampled } from '../../support/sampled.ts';

const PAGES: Readonly<Record<string, () => string>> = {
  'the page of a decision of the shipped policy': () => decisionPage(onboardingExample()),
  'the page of a decision with every feature of a policy': () => decisionPage(everythingExample()),
  'the page of a decision by many rules': () => decisionPage(manyRulesExample(sampled(60, 300))),
  'the page of a decision by the deepest conditions': () => decisionPage(deepExample(27)),
  'the page of a decision with hostile texts': () => decisionPage(spoilPage(everythingExample())),
  'the page of a decision that was erased': () => recordPage(ERASED),
  'the page of a difference': () => diffPage(diffExample()),
  'the page of a backtest': () => backtestPage(backtestExample()),
};

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

const AXE_SCREENS = (
  [
    [DESKTOP, 'light'],
    [PHONE, 'dark'],
  ] as const
).slice(0, sampled(1, 2));

const path = chromiumPath();

if (path === undefined) {
  test.skip('NOT TESTED: no Chromium found; set CHROMIUM to its path');
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

  // One window a page, in which the tests follow each other: opening one takes longer than most measurements.
  describe.each(Object.keys(PAGES))('%s', (name) => {
    let window: OpenPage & { close(): Promise<void> };
    beforeAll(async () => {
      window = await openPage(browser, urlOf(name), { viewport: DESKTOP });
    });
    afterAll(() => window.close());

    it('fits the window, wide and narrow, as it is opened and with all parts open', async () => {
      const { page } = window;
      for (const viewport of [PHONE, DESKTOP]) {
        await page.setViewportSize(viewport);
        expect(await page.evaluate(OVERFLOW)).toBe(0);
      }
      await page.evaluate(OPEN_ALL);
      for (const viewport of [PHONE, DESKTOP]) {
        await page.setViewportSize(viewport);
        expect(await page.evaluate(OVERFLOW)).toBe(0);
        expect(await page.evaluate(FARTHEST)).toBeLessThanOrEqual(0);
        expect(await page.evaluate(NARROWEST)).toBeGreaterThan(120);
      }
    });

    it('has a contrast of 4.5:1 or more everywhere, in the light and the dark scheme', async () => {
      const { page } = window;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const { measured, faint } = await page.evaluate<{ measured: number; faint: FaintText[] }>(FAINT_TEXTS);
        expect(measured).toBeGreaterThan(10);
        expect(faint).toEqual([]);
        const ground = await page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
        expect(ground).toBe(colorScheme === 'light' ? 'rgb(244, 245, 247)' : 'rgb(18, 20, 23)');
      }
    });

    it('breaks no rule of axe-core, with all parts open', async () => {
      const { page } = window;
      await page.evaluate(AXE);
      for (const [viewport, colorScheme] of AXE_SCREENS) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate(violations({ contrast: IS_SOAK }))).toEqual([]);
      }
    });

    it('has no script, loads nothing and logs no error, whatever was done above', async () => {
      const { page, requests, complaints } = window;
      expect(requests).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await page.evaluate('document.querySelectorAll("script, img, iframe, link, form").length')).toBe(0);
    });
  });

  it.each(['the page of a decision with every feature of a policy', 'the page of a backtest'])(
    'the keyboard reaches all links, folds and regions of %s in order, with a visible focus',
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

  it('on a phone, a row of a table is laid out as a labelled list but remains a table row', async () => {
    const url = urlOf('the page of a decision with every feature of a policy');
    await withPage(browser, url, { viewport: PHONE }, async ({ page }) => {
      expect(await page.evaluate(HIDDEN)).toBe(0);
      const row = page.getByRole('table', { name: 'Calls to the service' }).getByRole('row').first();
      expect(await row.getByRole('rowheader').count()).toBe(1);
      // This browser recognises a row by its tag; others need the role.
      expect(await row.getAttribute('role')).toBe('row');
      const [asked, result] = await row.getByRole('cell').all();
      const [above, below] = [await asked?.boundingBox(), await result?.boundingBox()];
      expect(below?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
      expect(await row.ariaSnapshot()).toContain('Result answered');
    });
  });

  it.each(['the page of a decision with every feature of a policy', 'the page of a backtest'])(
    '%s, printed, fits the width of A4',
    async (name) => {
      // 182 mm at 96 pixels per inch.
      await withPage(browser, urlOf(name), { viewport: { width: 688, height: 900 } }, async ({ page }) => {
        await page.emulateMedia({ media: 'print' });
        expect(await page.evaluate(OVERFLOW)).toBe(0);
        expect(await page.evaluate(FARTHEST)).toBeLessThanOrEqual(0);
      });
    },
  );

  it('a phone shows the matrix and the bars of edits whole, a desktop all drawings, each rule in one line', async () => {
    await withPage(browser, urlOf('the page of a backtest'), { viewport: PHONE }, async ({ page }) => {
      const beyond = (selector: string) =>
        page.locator(selector).evaluateAll((each) =>
          each.map((one) => {
            const right = one.closest('.scroll')?.getBoundingClientRect().right ?? 0;
            return one.getBoundingClientRect().right <= right + 1 ? 'shown' : one.outerHTML.slice(0, 80);
          }),
        );
      for (const selector of ['.matrix', '#edits .track', '#groups .track', '#values .track']) {
        expect(new Set(await beyond(selector))).toEqual(new Set(['shown']));
      }
      await page.setViewportSize(DESKTOP);
      expect(new Set(await beyond('.track'))).toEqual(new Set(['shown']));
      for (const name of await page.locator('#each table').first().locator('tbody th').all()) {
        expect((await name.boundingBox())?.height).toBeLessThan(40);
      }
    });
  });

  it('folded parts are printed', async () => {
    const url = urlOf('the page of a decision with every feature of a policy');
    await withPage(browser, url, { viewport: DESKTOP }, async ({ page }) => {
      const tree = page.locator('#rules details:not([open]) .tree').first();
      expect(await tree.isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print' });
      expect(await tree.isVisible()).toBe(true);
    });
  });

  it('the check finds a contrast that is too low', async () => {
    await withPage(browser, urlOf('the page of a difference'), { viewport: DESKTOP }, async ({ page }) => {
      await page.evaluate(`document.querySelector('h1').style.color = '#888'`);
      const { faint } = await page.evaluate<{ faint: FaintText[] }>(FAINT_TEXTS);
      expect(faint.map(({ text }) => text)).toEqual([expect.stringContaining('decided differently')]);
      expect(faint[0]?.ratio).toBeCloseTo(3.25, 1);
    });
  });

  it('an injected script would not run', async () => {
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
