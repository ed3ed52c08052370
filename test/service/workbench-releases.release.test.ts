/** Two people change a rule in their browsers: one writes and cannot approve, the other signs in again and does. */

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { homeOfLog, type OpenAuditLog } from '../../src/audit/log.ts';
import { listEvents } from '../../src/audit/query/list-events.ts';
import { formatBundle, readBundle } from '../../src/release/bundle.ts';
import { openReleases } from '../../src/release/store.ts';
import { verifyReleases } from '../../src/release/verify.ts';
import { createCookie } from '../../src/service/auth/sessions.ts';
import { readTrust } from '../../src/service/config/trust.ts';
import { releaseShipped, type ShippedRelease } from '../support/release/shipped.ts';
import { PEOPLE, Visitor } from '../support/service/workbench/visitor.ts';
import { type Windows, withWindows } from '../support/service/workbench/windows.ts';

const MAKING = 'Its evidence is being made';

let shipped: ShippedRelease;

withWindows(
  'issuer',
  (windows) => {
    const of: Windows['of'] = (who) => windows().of(who);
    const text = (page: Page) => page.locator('#content').innerText();

    /** Opens a file of the draft at hand. */
    const open = async (page: Page, file: string) => {
      const [draft] = page.url().split('?');
      await page.goto(`${draft}?file=${encodeURIComponent(file)}`);
      await page.locator('.cm-content').click();
    };

    /** Searches a text, selects it, and writes another in its place, as a person does. */
    const rewrite = async (page: Page, from: string, to: string) => {
      await page.locator('.cm-content').focus();
      await page.keyboard.press('Control+f');
      await page.locator('input[name=search]').selectText();
      await page.keyboard.type(from);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');
      await page.keyboard.type(to);
    };

    const found = (page: Page, part: string, words: string) =>
      page.locator(`#${part}`).getByText(words).first().waitFor();

    /** Presses a button, and waits for the page that it leads to. */
    const press = async (page: Page, name: string, to: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.waitForURL(to);
    };

    /** Waits until the page, which loads itself again, has the evidence. */
    const withEvidence = async (page: Page) => {
      await expect.poll(() => text(page)).not.toContain(MAKING);
    };

    test('an author moves a threshold, another person approves it, and the next decision names the release', async () => {
      const ana = (await of('editor')).page;
      await ana.goto('/releases');
      await press(ana, 'Change it', '**/changes/*');
      await open(ana, 'rule-sets/email.yaml');
      await rewrite(ana, 'firstSeen: { withinLast: 30 days', 'firstSeen: { withinLast: 7 dayz');
      await found(ana, 'findings', 'found "7 dayz"');
      const why = ana.locator('#findings').getByRole('link', { name: 'Why?' });
      expect(await why.getAttribute('href')).toMatch(/^\/reference\/checks#check-[a-z-]+$/);
      await rewrite(ana, '7 dayz', '7 days');
      await found(ana, 'findings', 'Nothing.');
      await found(ana, 'tests', 'failed.');
      await ana.getByRole('button', { name: 'Whose decisions change' }).click();
      await found(ana, 'compared', 'review to accept: ');
      await ana.getByText('Saved.', { exact: true }).waitFor();
      // The tests that expect the old border expect the new one, and those that are missing are added.
      await press(ana, 'Let failing tests expect what is decided now', '**/changes/*?file=onboarding.test.yaml');
      await found(ana, 'tests', '193 tests passed, 0 failed.');
      await press(ana, 'Add the tests that are missing', '**/changes/*?file=onboarding.test.yaml');
      await ana.getByRole('button', { name: 'Propose' }).click();
      await ana.getByRole('alert').getByText('Say what it is for.').waitFor();
      await ana.locator('#title').fill('Addresses of the last week alone');
      await press(ana, 'Propose', '**/releases/2?done=proposed');
      await withEvidence(ana);
      const shown = await text(ana);
      expect(shown).toContain('milder: onboarding, onboarding-kyc review to accept: ');
      expect(shown).toContain('test changed: ');
      expect(shown).not.toContain('Approve');

      // Her form, sent all the same, signs nothing.
      const refused = await ana.evaluate(
        `fetch('/releases/2/say', { method: 'POST', body: new URLSearchParams({ verdict: 'approve', read: 'yes',
          csrf: document.querySelector('input[name=csrf]').value }) }).then(({ status }) => status)`,
      );
      expect(refused).toBe(403);

      const ben = (await of('approver')).page;
      await ben.goto('/releases/2');
      await ben.getByLabel('I have read').check();
      await press(ben, 'Approve', '**/releases/2?done=said');
      expect(await text(ben)).toContain('It has its approvals.');
      expect((await windows().decide('before')).body['policy']).toMatchObject({ release: 1 });
      await press(ben, 'Put in force', '**/releases/2?done=activated');
      await expect.poll(() => windows().service.released?.inForce().number).toBe(2);
      expect((await windows().decide('after')).body['policy']).toMatchObject({ release: 2 });
    });

    test('who signed in some time ago is asked to sign in again, and signs nothing until then', async () => {
      const { service, url } = windows();
      const lead = new Visitor(url);
      // The issuer did not say when it asked for a password.
      const value = await service.access?.sessions.begin(PEOPLE.lead);
      lead.cookie =
        createCookie('verdict', true)
          .write(value ?? '')
          .split(';', 1)[0] ?? '';
      await lead.get('/releases/2');
      const said = await lead.post('/releases/2/say', { verdict: 'approve', read: 'yes' });
      expect([said.status, said.text]).toEqual([
        403,
        expect.stringContaining('Sign in again first: nothing was recorded'),
      ]);
    });

    test('an auditor shows offline who approved what, on which evidence, and the log says the same', async () => {
      const { service } = windows();
      const store = openReleases(homeOfLog(service.audit as OpenAuditLog));
      const release = await store.read(2);
      const bundle = readBundle(formatBundle(release as NonNullable<typeof release>));
      const [verified] = await verifyReleases([bundle], readTrust(shipped.trust));
      expect(verified?.problem).toBeUndefined();
      expect(bundle.notes.map(({ by, verdict }) => [by, verdict])).toEqual([['ben', 'approve']]);
      const events = await listEvents({ dir: shipped.dir }, { types: ['release.said', 'release.activated'] });
      expect(events.slice(-2).map(({ type, by }) => [type, by])).toEqual([
        ['release.said', 'ben'],
        ['release.activated', 'ben'],
      ]);
    });
  },
  async () => {
    shipped = await releaseShipped();
    return shipped.options;
  },
);
