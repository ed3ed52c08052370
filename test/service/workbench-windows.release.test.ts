/** What a browser keeps of the pages: over a sleep of the machine, in a second window, and after signing out. */

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sampled } from '../support/sampled.ts';
import { give } from '../support/service/review.ts';
import { PEOPLE } from '../support/service/workbench/visitor.ts';
import { signIn, type Windows, withWindows } from '../support/service/workbench/windows.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WORDS = 'She showed her identity card in the branch.';
const LOST = /^You no longer hold this case\. What you wrote stays here: copy it\. Nothing was sent\.$/;

withWindows('issuer', (windows) => {
  const of: Windows['of'] = (who) => windows().of(who);
  const casesOf = () => {
    const { cases } = windows().service.records ?? {};
    if (!cases) throw new Error('the service has no cases');
    return cases;
  };

  /** A case that its reviewer holds. */
  async function hold(reference: string): Promise<string> {
    const id = await windows().review(reference);
    await give(casesOf(), id, PEOPLE.rita.name);
    return id;
  }

  const giveAway = (id: string) => give(casesOf(), id, PEOPLE.raj.name);

  /** Chooses, and writes why. */
  async function write(page: Page): Promise<void> {
    await page.bringToFront();
    for (const key of ['d', 'w']) await page.keyboard.press(key);
    await page.keyboard.type(WORDS);
  }

  /** The page says that the case is lost, sends nothing, and has the words. */
  async function expectLost(page: Page): Promise<void> {
    const posted: string[] = [];
    page.on('request', (request) => posted.push(request.url()));
    await expect.poll(() => page.locator('#lease').innerText()).toMatch(LOST);
    const sent = posted.length;
    await page.locator('#text').press('Enter');
    await page.locator('#resolve input[data-key=d]').press('Enter');
    expect(await page.locator('#resolve button').isDisabled()).toBe(true);
    expect(await page.locator('#text').inputValue()).toBe(WORDS);
    expect(posted.slice(sent)).toEqual([]);
    expect(posted.filter((url) => !url.endsWith('/renew'))).toEqual([]);
  }

  test('a case in two windows of one person is resolved once, and the other window keeps the words', async () => {
    const id = await hold('twice');
    const { page, context } = await of('rita');
    await page.goto(`/cases/${id}`);
    await write(page);
    const other = await context.newPage();
    await other.goto(`/cases/${id}`);
    for (const key of ['a', '1', 'Enter']) await other.keyboard.press(key);
    await other.waitForURL(/done=(approve|decline)/);
    await page.bringToFront();
    await page.locator('#text').press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.locator('body').innerText()).toContain('It is resolved: approved');
    expect(await page.getByLabel('What you wrote').inputValue()).toBe(WORDS);
    expect(await casesOf().get(id)).toMatchObject({ state: 'resolved', disposition: 'approve' });
    await other.close();
  });

  test('a page that a browser kept has the words that were written in it', async () => {
    const id = await hold('kept-words');
    const { page } = await of('rita');
    await page.goto(`/cases/${id}`);
    await write(page);
    expect(await comeBack(page)).toBe(false);
    await page.locator('#text').waitFor();
    expect(await page.locator('#text').inputValue()).toBe(WORDS);
    await page.goto('/reference/facts');
    await page.goBack();
    expect(await page.locator('#text').inputValue()).toBe(WORDS);
  });

  describe('a laptop that sleeps for an hour shows that the case is lost, and keeps the words,', () => {
    // Nothing runs meanwhile. The clock that counts from the start of a page stands still in some systems.
    const sleepWithClocks = (page: Page) => page.clock.fastForward(HOUR_MS);
    const sleep = async (page: Page) => page.clock.setSystemTime(await page.evaluate(`Date.now() + ${HOUR_MS}`));
    const WAKES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
      'if one of its clocks stood still': (page) => sleep(page).then(() => page.clock.runFor(5000)),
      'if its clocks went on': sleepWithClocks,
      'as soon as the page is looked at': async (page) => {
        await show(page, 'hidden');
        await sleep(page);
        expect(await page.locator('#lease').innerText()).toBe('You hold it while you look at this page.');
        await show(page, 'visible');
      },
    };

    test.each(Object.keys(WAKES).slice(0, sampled(1, 3)))('%s', async (how) => {
      const id = await hold(how);
      const { page, complaints, close } = await of('rita');
      await page.clock.install();
      await page.goto(`/cases/${id}`);
      await write(page);
      await giveAway(id);
      await WAKES[how]?.(page);
      await expectLost(page);
      expect(complaints.filter((each) => !each.includes('status of 409'))).toEqual([]);
      await close();
    });
  });

  test('after signing out, the way back shows nothing, and lets in who proves who they are', async () => {
    const id = await windows().review('signed-out');
    const { page, context } = await of('otto');
    await page.goto(`/decisions/${id}`);
    await page.goto('/queue');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    for (let i = 0; i < 3; i++) {
      await page.goBack();
      expect(await page.title()).toBe('Sign in');
      expect(await page.locator('body').innerText()).not.toMatch(/Otto|signed-out|Queue|PORTED/);
    }
    // The issuer knows Otto still, and asks.
    await page.goto('/queue');
    await signIn(page, 'otto');
    expect(new URL(page.url()).pathname).toBe('/queue');
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('__Host-verdict-signed-out');
  });

  test('a page that a browser kept is not seen by the next person of the browser', async () => {
    const id = await windows().review('kept-other');
    const { page, context, close } = await of('otto');
    await page.goto(`/decisions/${id}`);
    await context.clearCookies();
    const other = await context.newPage();
    await other.goto('/');
    await signIn(other, 'raj');
    expect(await comeBack(page)).toBe(false);
    await page.getByText('Raj Mehta').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('Otto');
    await close();
  });
});

/** What happens to a page that another one covers, or that is in front again; Chromium without a screen covers none. */
function show(page: Page, state: 'hidden' | 'visible'): Promise<unknown> {
  return page.evaluate(`(() => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${state}' });
    document.dispatchEvent(new Event('visibilitychange'));
  })()`);
}

/** Chromium keeps none of these, since nothing of them is to be stored; some browsers do. */
function comeBack(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    return document.body.checkVisibility();
  })()`);
}
