/**
 * People at work, in a browser over TLS, who signed in at the issuer: reviewers, an auditor, by keys alone, without
 * scripts.
 */

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { give } from '../support/service/review.ts';
import { PEOPLE, type Who } from '../support/service/workbench/visitor.ts';
import { type Windows, withWindows } from '../support/service/workbench/windows.ts';

const MINUTE_MS = 60_000;

const WORDS = 'She showed her identity card in the branch.';

withWindows('issuer', (windows) => {
  const open: Windows['open'] = (who, options) => windows().open(who, options);
  const of = (who: Who) => windows().of(who);
  const decide = (reference: string) => windows().review(reference);
  const casesOf = () => {
    const { cases } = windows().service.records ?? {};
    if (!cases) throw new Error('the service has no cases');
    return cases;
  };

  /** Resolves all cases, so that the next test has its own alone. */
  async function emptyQueue(): Promise<void> {
    const lead = PEOPLE.lead.name;
    for (const { id, decision } of await casesOf().list({ states: ['open', 'resolving'], limit: 200 })) {
      const { token = 0 } = (await give(casesOf(), id, lead)) ?? {};
      const [note, disposition] = [id, 'approve'];
      await casesOf().beginResolve({ id, person: lead, token, note, disposition, leastMs: 0 });
      await casesOf().finishResolve({ id, decision, note, disposition, at: Date.now() });
    }
  }

  const idIn = (page: Page) => /\/cases\/([\w-]+)/.exec(page.url())?.[1] ?? '';
  /** Presses the button, and waits until the page that comes has its keys. */
  const pressNext = async (page: Page) => {
    await page.getByRole('button', { name: 'Next case' }).click();
    await page.waitForURL(/\/cases\/|done=empty/);
  };
  const next = async (page: Page) => {
    await page.goto('/queue');
    await pressNext(page);
  };
  /** Keys go to the window in front. */
  const press = async (page: Page, ...keys: readonly string[]) => {
    await page.bringToFront();
    for (const key of keys) await page.keyboard.press(key);
  };
  /** The texts of a page's regions that say what was done. */
  const said = (page: Page) => page.locator('.done').first().innerText();

  test('a case is decided by keys alone, which are off in fields and once they are switched off', async () => {
    await emptyQueue();
    const ids = [await decide('keys-0'), await decide('keys-1')];
    const { page, complaints } = await of('rita');
    await page.goto('/');
    await press(page, 'g', 'q');
    await page.waitForURL('**/queue');
    await press(page, 'n');
    await page.waitForURL('**/cases/*');
    const first = idIn(page);
    expect(ids).toContain(first);
    // One key chooses, and sends nothing; without a reason nothing is recorded.
    await press(page, 'a', 'Enter');
    await page.getByRole('alert').waitFor();
    expect(idIn(page)).toBe(first);
    expect(await page.locator('.of-decline').isVisible()).toBe(false);
    await press(page, '1');
    expect((await casesOf().get(first))?.state).toBe('open');
    await press(page, 'Enter');
    await page.waitForURL('**/cases/*?done=approve&about=*');
    expect(await said(page)).toBe('The case before is approved. It is on record. Look at it');
    const second = idIn(page);
    expect(ids).toEqual(expect.arrayContaining([first, second]));
    expect(await casesOf().get(first)).toMatchObject({ state: 'resolved', disposition: 'approve' });

    await press(page, 'd', 'w');
    await page.keyboard.type('gq a1 /?');
    const words = page.locator('#text');
    expect(await words.inputValue()).toBe('gq a1 /?');
    expect(await page.locator('[data-key=d]:checked').count()).toBe(1);
    await press(page, 'Escape');
    expect(await focusedText(page)).toBe('BODY');
    await press(page, '1');
    expect(await page.locator('.of-decline [data-key="1"]').isChecked()).toBe(true);
    await press(page, 'v');
    expect(await page.locator('#reveal-why:focus').count()).toBe(1);
    await press(page, 'Tab');
    expect(await focusedText(page)).toBe('Reveal (v)');

    await press(page, '?');
    await page.getByLabel('Use these keys').uncheck();
    await press(page, 'a', 'g', 'h');
    expect(await page.locator('input[data-key=a]').isChecked()).toBe(false);
    await page.reload();
    expect(await page.getByLabel('Use these keys').isChecked()).toBe(false);
    await press(page, 'a', 'u');
    expect(idIn(page)).toBe(second);
    expect(await page.locator('input[data-key=a]').isChecked()).toBe(false);
    await page.getByLabel('Decline').check();
    await words.fill(WORDS);
    await words.press('Enter');
    await page.waitForURL('**/queue?done=decline&about=*');
    expect(await casesOf().get(second)).toMatchObject({ state: 'resolved', disposition: 'decline' });
    // Of the decision without a reason.
    expect(complaints).toEqual([expect.stringContaining('status of 400')]);
    // The choice is kept.
    await page.getByText('Keys', { exact: true }).click();
    await page.getByLabel('Use these keys').check();
  });

  test('a case is held while its page is looked at; once it is lost, nothing is sent and the words stay', async () => {
    await emptyQueue();
    const id = await decide('lease');
    const { page } = await of('rita');
    await page.clock.install();
    await next(page);
    const lease = page.locator('#lease');
    expect(await lease.innerText()).toBe('You hold it while you look at this page.');
    const until = async () => (await casesOf().get(id))?.until ?? 0;
    const begun = await until();
    const renewed = page.waitForResponse('**/renew');
    await page.clock.fastForward(2 * MINUTE_MS);
    await page.clock.fastForward(2 * MINUTE_MS);
    await (await renewed).finished();
    await expect.poll(until).toBeGreaterThan(begun);

    await page.route('**/renew', (route) => route.abort());
    await page.clock.fastForward(13.5 * MINUTE_MS);
    await expect.poll(() => lease.innerText()).toMatch(/^Less than 2 minutes are left/);
    await page.unroute('**/renew');
    await page.clock.fastForward(6000);
    await expect.poll(() => lease.innerText()).toBe('You hold it while you look at this page.');

    await press(page, 'a', 'w');
    await page.keyboard.type(WORDS);
    await give(casesOf(), id, PEOPLE.raj.name);
    await page.clock.fastForward(4 * MINUTE_MS);
    await expect.poll(() => lease.innerText()).toMatch(/^You no longer hold this case\. What you wrote stays here/);
    const posted: string[] = [];
    page.on('request', (sent) => posted.push(sent.url()));
    await page.keyboard.press('Enter');
    await page.locator('#resolve input[data-key=a]').press('Enter');
    expect(await page.locator('#resolve button').isDisabled()).toBe(true);
    expect(await page.locator('#text').inputValue()).toBe(WORDS);
    await page.clock.fastForward(MINUTE_MS);
    expect(posted).toEqual([]);
    expect(page.url()).toContain(id);
  });

  test('without scripts, a reviewer signs in, searches and decides', async () => {
    await emptyQueue();
    const id = await decide('plain');
    const { page, close } = await open('rita', { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Decisions' }).click();
    await page.getByLabel('Find', { exact: true }).fill(' plain ');
    await page.getByRole('button', { name: 'Find' }).click();
    expect(page.url()).toBe(`${windows().url}/decisions/${id}`);
    await page.getByRole('link', { name: 'Queue' }).first().click();
    await page.getByRole('button', { name: 'Next case' }).click();
    expect(await page.getByText(/^You hold it until \d\d:\d\d UTC\.$/).count()).toBe(1);
    expect(await page.getByText('Use these keys').isVisible()).toBe(false);
    await page.getByLabel('Decline').check();
    await page.getByLabel('Signs of fraud').check();
    await page.getByRole('button', { name: 'Record the decision' }).click();
    expect(await said(page)).toBe('The case before is declined. It is on record. Look at it');
    expect(await casesOf().get(id)).toMatchObject({ state: 'resolved', disposition: 'decline' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.locator('h1').innerText()).toBe('You are signed out');
    await page.goto(`/cases/${id}`);
    expect(await page.title()).toBe('Sign in');
    await close();
  });
});

/** The text of what has the focus, or the name of its element. */
function focusedText(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const { activeElement: focused } = document;
    return focused.tagName === 'BODY' ? 'BODY' : (focused.innerText ?? '').trim() || focused.tagName;
  })()`);
}
