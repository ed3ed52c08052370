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

const EMAIL = '/edit?file=rule-sets%2Femail.yaml';
const TESTS = '/edit?file=onboarding.test.yaml';
const MAKING = 'Its evidence is being made';

let shipped: ShippedRelease;

withWindows(
  'issuer',
  (windows) => {
    const of: Windows['of'] = (who) => windows().of(who);
    const text = (page: Page) => page.locator('#content').innerText();

    /** Replaces a part of the text. */
    async function edit(page: Page, from: RegExp, to: string): Promise<void> {
      const before = await page.locator('#text').inputValue();
      expect(before).toMatch(from);
      await page.locator('#text').fill(before.replace(from, to));
    }

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
      await ana.goto(`/releases/1${EMAIL}`);
      const young = /(id: email-domain-young[\s\S]*?withinLast: )30 days/;
      await edit(ana, young, '$17 dayz');
      await press(ana, 'Check', '**/releases/1/edit');
      expect(await text(ana)).toContain('found "7 dayz"');
      await edit(ana, /7 dayz/, '7 days');
      await ana.getByRole('button', { name: 'Propose' }).click();
      await ana.getByRole('alert').getByText('Say what it is for.').waitFor();
      await ana.locator('#title').fill('Domains of the last week alone');
      await press(ana, 'Propose', '**/releases/2?done=proposed');
      await withEvidence(ana);
      const first = await text(ana);
      expect(first).toContain(
        'milder: onboarding, onboarding-kyc review to accept: email.domain.firstSeen is 8 to 30 days old',
      );
      expect(first).toMatch(/Not yet: \d+ of its tests fail/);
      expect(first).not.toContain('Approve');

      // The tests that expect the old border are mended in the proposal, which makes another one.
      await ana.goto(`/releases/2${TESTS}`);
      await edit(ana, /- \[30 days ago, 31 days ago, review, /, '- [7 days ago, 31 days ago, review, ');
      await edit(ana, /- \[active, 10 days ago, reject, 100\]/, '- [active, 7 days ago, reject, 100]');
      await ana.locator('#title').fill('Domains of the last week alone');
      await press(ana, 'Propose', '**/releases/3?done=proposed');
      await withEvidence(ana);
      expect(await text(ana)).toContain('test changed: ');

      // Her form, sent all the same, signs nothing.
      const refused = await ana.evaluate(
        `fetch('/releases/3/say', { method: 'POST', body: new URLSearchParams({ verdict: 'approve', read: 'yes',
          csrf: document.querySelector('input[name=csrf]').value }) }).then(({ status }) => status)`,
      );
      expect(refused).toBe(403);

      const ben = (await of('approver')).page;
      await ben.goto('/releases/3');
      await ben.getByLabel('I have read').check();
      await press(ben, 'Approve', '**/releases/3?done=said');
      expect(await text(ben)).toContain('It has its approvals.');
      expect((await windows().decide('before')).body['policy']).toMatchObject({ release: 1 });
      await press(ben, 'Put in force', '**/releases/3?done=activated');
      await expect.poll(() => windows().service.released?.inForce().number).toBe(3);
      expect((await windows().decide('after')).body['policy']).toMatchObject({ release: 3 });
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
      const { text: page } = await lead.get('/releases/2');
      expect(page).toContain('another release replaced what it replaces');
      const { text: shown } = await lead.get('/releases/1');
      expect(shown).not.toContain('Approve');
      const said = await lead.post('/releases/2/say', { verdict: 'approve', read: 'yes' });
      expect([said.status, said.text]).toEqual([
        403,
        expect.stringContaining('Sign in again first: nothing was recorded'),
      ]);
    });

    test('an auditor shows offline who approved what, on which evidence, and the log says the same', async () => {
      const { service } = windows();
      const store = openReleases(homeOfLog(service.audit as OpenAuditLog));
      const release = await store.read(3);
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
