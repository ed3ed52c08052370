/** A reviewer of a bank, in a real browser over TLS: signs in at the issuer, and decides by keyboard alone. */

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../support/report/chromium.ts';
import { fillQueue, startWindows, type Window } from '../support/workbench/windows.ts';

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
    expect(await page.getByRole('status').first().textContent()).toContain('The case before is resolved');

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
}
