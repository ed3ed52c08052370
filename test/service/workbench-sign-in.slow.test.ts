/** The workbench in a real browser: what people do in it by keyboard, at the same time, and without scripts. */

import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { chromiumPath, launchChromium } from '../support/report/chromium.ts';
import { AXE, FAINT_TEXTS, FARTHEST, type FaintText, OVERFLOW, violations } from '../support/report/measure.ts';
import { IS_SOAK, sampled } from '../support/sampled.ts';
import { fillQueue, PEOPLE, startWindows, type Window } from '../support/workbench/windows.ts';

const path = chromiumPath();

if (path === undefined) test.skip('NOT TESTED: no Chromium found; set CHROMIUM to its path');
else describe('in a browser', () => journeys(path));

function journeys(executable: string): void {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(executable);
  });
  afterAll(() => browser.close());

  const caseIn = ({ page }: Window) => /\/cases\/([\da-f-]+)/.exec(page.url())?.[1] ?? '';

  test('a reviewer decides cases by keyboard alone, and what they said is on record', async () => {
    const windows = await startWindows(browser);
    const [first] = await fillQueue(windows, 2);
    const rita = await windows.open('rita');
    const { page } = rita;
    await rita.go('/');
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.waitForURL('**/queue');
    await page.keyboard.press('n');
    await page.waitForURL('**/cases/*');
    expect(caseIn(rita)).toBe(first);

    // One key chooses, and sends nothing; without a reason nothing is sent either.
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    expect(caseIn(rita)).toBe(first);
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/cases/*done=resolved');
    expect(await page.getByRole('status').first().textContent()).toContain('The case is resolved');

    // In a field a key is a letter; Enter sends it.
    await page.keyboard.press('d');
    await page.keyboard.press('w');
    await page.keyboard.type('guad: seen by q and s');
    expect(await page.locator('#text').inputValue()).toBe('guad: seen by q and s');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/queue?done=resolved');
    const { follower, cases } = windows.service.records ?? {};
    await follower?.catchUp();
    const resolved = (await cases?.list({ limit: 10 })) ?? [];
    expect(resolved.map(({ state, disposition }) => [state, disposition])).toEqual([
      ['resolved', 'approve'],
      ['resolved', 'decline'],
    ]);
    expect(rita.complaints).toEqual([]);
  });

  test('two reviewers who ask at the same moment never get the same case', async () => {
    const windows = await startWindows(browser);
    await fillQueue(windows, 2);
    const people = [await windows.open('rita'), await windows.open('raj')];
    for (let i = 0; i < sampled(3, 50); i++) {
      await Promise.all(people.map((each) => each.go('/queue')));
      await Promise.all(people.map(({ page }) => page.getByRole('button', { name: 'Next case' }).click()));
      await Promise.all(people.map(({ page }) => page.waitForURL('**/cases/*')));
      expect(new Set(people.map(caseIn)).size).toBe(2);
      for (const { page } of people) {
        await page.keyboard.press('u');
        await page.waitForURL('**/queue?done=released');
      }
    }
  });

  test('whose case went to somebody else keeps their words, and records nothing', async () => {
    const windows = await startWindows(browser);
    const [id = ''] = await fillQueue(windows, 1);
    const rita = await windows.open('rita');
    await rita.go('/queue');
    await rita.page.getByRole('button', { name: 'Next case' }).click();
    await rita.page.waitForURL('**/cases/*');
    await rita.page.keyboard.press('d');
    await rita.page.keyboard.press('w');
    await rita.page.keyboard.type('Two calls, no answer.');
    await windows.service.records?.cases.reassign({ id, to: PEOPLE.raj.name, leaseMs: 60_000 });
    await rita.page.keyboard.press('Enter');
    const alert = rita.page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('Raj Mehta has it now');
    expect(await rita.page.getByLabel('What you wrote').inputValue()).toBe('Two calls, no answer.');
    expect((await windows.service.records?.cases.get(id))?.state).toBe('open');
    const raj = await windows.open('raj');
    await raj.go('/queue');
    await raj.page
      .getByRole('link', { name: id.slice(-12) })
      .first()
      .click();
    await raj.page.waitForURL(`**/cases/${id}`);
    expect(await raj.page.locator('#resolve').count()).toBe(1);
  });

  test('a case is held while its page is looked at, and its end stops what is being written', async () => {
    const windows = await startWindows(browser);
    const [id = ''] = await fillQueue(windows, 1);
    const rita = await windows.open('rita');
    const { page } = rita;
    await page.clock.install();
    await rita.go('/queue');
    await page.getByRole('button', { name: 'Next case' }).click();
    await page.waitForURL('**/cases/*');
    const { cases } = windows.service.records ?? {};
    const before = (await cases?.get(id))?.until ?? 0;
    const renewed = page.waitForResponse('**/renew');
    await page.clock.fastForward('05:00');
    expect((await renewed).status()).toBe(200);
    expect((await cases?.get(id))?.until).toBeGreaterThan(before);

    await page.locator('#text').fill('Half a sentence');
    await cases?.reassign({ id, to: PEOPLE.raj.name, leaseMs: 60_000 });
    const refused = page.waitForResponse('**/renew');
    await page.clock.fastForward('10:00');
    expect((await refused).status()).toBe(409);
    await expect.poll(() => page.locator('#lease').textContent(), { timeout: 20_000 }).toContain('no longer hold');
    expect(await page.getByRole('button', { name: 'Record the decision' }).isDisabled()).toBe(true);
    expect(await page.locator('#text').inputValue()).toBe('Half a sentence');
  });

  test('an auditor finds a person, reveals, decides again, and takes the evidence along', async () => {
    const windows = await startWindows(browser);
    const [id = ''] = await fillQueue(windows, 1);
    const otto = await windows.open('otto', { acceptDownloads: true });
    const { page } = otto;
    await otto.go('/decisions');
    await page.keyboard.press('/');
    await page.keyboard.type('+1 202 555 0102');
    await page.getByLabel('by', { exact: true }).selectOption('phoneNo');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.waitForURL(`**/decisions/${id}`);
    expect(page.url()).not.toContain('202');
    expect(await page.locator('body').textContent()).not.toContain('2025550102');
    await page.getByLabel('Why do you need to see them?').fill('The applicant asks what we know.');
    await page.getByRole('button', { name: 'Reveal' }).click();
    await page.waitForURL('**/reveal');
    expect(await page.locator('#personal').textContent()).toContain('12025550102');
    await otto.go(`/decisions/${id}`);
    expect(await page.locator('#personal').textContent()).not.toContain('2025550102');
    await page.getByRole('button', { name: 'Decide again' }).click();
    await page.waitForURL('**/replay');
    expect(await page.getByRole('status').textContent()).toContain('the same decision');

    await otto.go(`/decisions/${id}`);
    const download = page.waitForEvent('download');
    const lead = await windows.open('lead');
    await page.getByRole('link', { name: 'Evidence pack' }).click();
    const file = await (await download).path();
    const offline = await browser.newContext({ offline: true });
    const pack = await offline.newPage();
    const requests: string[] = [];
    pack.on('request', (request) => requests.push(request.url()));
    await pack.setContent(readFileSync(file, 'utf8'));
    expect(await pack.locator('#line').textContent()).toContain(id);
    expect(await pack.locator('body').textContent()).toMatch(/✓\s*sound/);
    expect(requests).toEqual([]);
    await offline.close();

    await lead.go(`/decisions/${id}`);
    const noted = await lead.page.locator('#notes').textContent();
    expect(noted).toContain('data.revealed');
    expect(noted).toContain(PEOPLE.otto.name);
    expect((await verifyLog({ dir: windows.service.records?.place.dir ?? '' })).findings).toEqual([]);
    expect([...otto.complaints, ...lead.complaints]).toEqual([]);
  });

  test('every page works without scripts: enter, search, decide a case', async () => {
    const windows = await startWindows(browser);
    const [id = ''] = await fillQueue(windows, 1);
    const lead = await windows.open('lead', { javaScriptEnabled: false });
    const { page } = lead;
    await lead.go('/decisions');
    await page.getByLabel('Find').fill('ONB-7000');
    await page.getByRole('button', { name: 'Find' }).click();
    expect(page.url()).toContain(`/decisions/${id}`);
    await page.getByRole('link', { name: 'its case' }).click();
    await lead.go('/queue');
    await page.getByRole('button', { name: 'Next case' }).click();
    await page.getByLabel('Approve').check();
    await page.getByLabel('Reached by phone').check();
    await page.getByRole('button', { name: 'Record the decision' }).click();
    expect(page.url()).toContain('/queue?done=resolved');
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.locator('h1').textContent()).toBe('You are signed out');
  });

  const SCREENS = [
    [{ width: 1280, height: 900 }, 'light'],
    [{ width: 360, height: 740 }, 'dark'],
    ...(IS_SOAK
      ? ([
          [{ width: 360, height: 740 }, 'light'],
          [{ width: 1280, height: 900 }, 'dark'],
        ] as const)
      : []),
  ] as const;

  test.each(SCREENS)(
    'pages fit, can be read and used, and complain of nothing: %o, %s',
    async (viewport, colorScheme) => {
      const windows = await startWindows(browser);
      const [id = ''] = await fillQueue(windows, 2);
      const window = await windows.open('lead', { viewport, colorScheme });
      const { page } = window;
      await window.go('/queue');
      await page.getByRole('button', { name: 'Next case' }).click();
      await page.waitForURL('**/cases/*');
      const paths = [`/cases/${id}`, '/', '/queue', '/decisions', '/decisions?outcome=reject', `/decisions/${id}`];
      const others = [
        '/policies',
        '/policies/onboarding',
        '/reference/facts',
        '/reference/operators',
        '/reference/checks',
      ];
      const broken: unknown[] = [];
      for (const each of [...paths, ...others, '/cases/none']) {
        await window.go(each);
        const wide = [await page.evaluate(OVERFLOW), await page.evaluate(FARTHEST)] as number[];
        const { faint } = (await page.evaluate(FAINT_TEXTS)) as { readonly faint: readonly FaintText[] };
        await page.evaluate(AXE);
        const found = (await page.evaluate(violations({ contrast: IS_SOAK }))) as readonly string[];
        if (wide.some((pixels) => pixels > 0)) broken.push([each, wide]);
        broken.push(...faint.map((text) => [each, text]), ...found.map((text) => [each, text]));
      }
      expect(broken).toEqual([]);
      expect(window.complaints.filter((text) => !text.includes('404'))).toEqual([]);

      await window.go('/');
      await page.emulateMedia({ media: 'print' });
      expect(
        await page.locator('nav, form').evaluateAll((all) => all.filter((one) => one.checkVisibility()).length),
      ).toBe(0);
      expect(await page.locator('svg.bars').isVisible()).toBe(true);
    },
  );
}
