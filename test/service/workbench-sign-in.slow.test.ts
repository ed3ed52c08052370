/** A reviewer of a bank, in a real browser over TLS: signs in at the issuer, and decides by keyboard alone. */

import { expect, test } from 'vitest';
import { withWindows } from '../support/workbench/windows.ts';

withWindows('issuer', (windows) => {
  test('a reviewer decides cases by keyboard alone, and what they said is on record', async () => {
    const { open, review, service } = windows();
    const first = await review('first');
    await review('second');
    const { page, complaints } = await open('rita');
    const idIn = () => /\/cases\/([\da-f-]+)/.exec(page.url())?.[1] ?? '';
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.waitForURL('**/queue');
    await page.keyboard.press('n');
    await page.waitForURL('**/cases/*');
    expect(idIn()).toBe(first);

    // One key chooses, and sends nothing; without a reason nothing is sent either.
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    expect(idIn()).toBe(first);
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
    const { follower, cases } = service.records ?? {};
    await follower?.catchUp();
    const resolved = (await cases?.list({ limit: 10 })) ?? [];
    expect(resolved.map(({ state, disposition }) => [state, disposition])).toEqual([
      ['resolved', 'approve'],
      ['resolved', 'decline'],
    ]);
    expect(complaints).toEqual([]);
  });
});
