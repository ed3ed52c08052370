/** The pages of the service in a browser: read by all, at any width, in both schemes, on paper; nothing leaves them. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it, test } from 'vitest';
import { eraseSubject } from '../../src/audit/retain/erase.ts';
import { addEvidence, propose } from '../../src/release/acts.ts';
import { makeEvidenceElsewhere } from '../../src/release/evidence/make.ts';
import { readRules } from '../../src/release/files.ts';
import { releaseShipped } from '../support/release/shipped.ts';
import {
  AXE,
  FAINT_TEXTS,
  FARTHEST,
  type FaintText,
  FOCUSED,
  NUMBER_STOPS,
  OPEN_ALL,
  OVERFLOW,
  SMALL_TARGETS,
  violations,
} from '../support/report/measure.ts';
import { IS_SOAK, sampled } from '../support/sampled.ts';
import { give as giveTo } from '../support/service/review.ts';
import { PEOPLE, type Who } from '../support/service/workbench/visitor.ts';
import { type Window, withWindows } from '../support/service/workbench/windows.ts';

const HOUR_MS = 3_600_000;
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

/** What the pages show: a case that is held, one that is not, one that was resolved, and the person who reads. */
interface Setting {
  readonly held: string;
  readonly free: string;
  readonly resolved: string;
  readonly lost: string;
  readonly erased: string;
  /** Of release 1. */
  readonly draft: string;
  /** Gives a case to somebody. */
  readonly give: (id: string, to: Who) => Promise<unknown>;
  /** Erases the record of `erased`. */
  readonly erase: () => Promise<unknown>;
  /** Does something while no process reaches the state. */
  readonly whileLocked: (act: () => Promise<unknown>) => Promise<unknown>;
}

/** A page in a state: who reads it, and how they come there. */
interface State {
  readonly who?: Who;
  readonly path: (setting: Setting) => string;
  readonly act?: (page: Page, setting: Setting) => Promise<unknown>;
  /** Whether the session is over then. */
  readonly isLast?: boolean;
  /** The status that Chromium complains of. */
  readonly status?: number;
}

const WRITTEN = 'A text that is longer than the field in which it was written, and so has more than one line.';

const STATES: Readonly<Record<string, State>> = {
  Home: { who: 'lead', path: () => '/' },
  'the queue': { who: 'rita', path: () => '/queue' },
  'the releases': { who: 'lead', path: () => '/releases' },
  'a release in force': { who: 'lead', path: () => '/releases/1' },
  'a release to be approved': { who: 'lead', path: () => '/releases/2' },
  'a draft of a release': { who: 'lead', path: ({ draft }) => `/changes/${draft}?file=rule-sets%2Femail.yaml` },
  'a draft with what the checker finds': {
    who: 'lead',
    path: ({ draft }) => `/changes/${draft}?file=rule-sets%2Fip.yaml`,
    act: async (page) => {
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.keyboard.insertText('rules: [{ id: x, when: { ip.riskLevl: high }, then: reviw }]\n');
      await page.getByText('did you mean').first().waitFor();
      await page.getByText('Saved.').waitFor();
    },
  },
  'a case that is held': { who: 'rita', path: ({ held }) => `/cases/${held}` },
  'a case that somebody else holds': { who: 'lead', path: ({ held }) => `/cases/${held}` },
  'a case that nobody holds': { who: 'raj', path: ({ free }) => `/cases/${free}` },
  'a case that is resolved': { who: 'rita', path: ({ resolved }) => `/cases/${resolved}` },
  'a case that was lost': {
    who: 'rita',
    path: ({ lost }) => `/cases/${lost}`,
    status: 409,
    act: async (page, { lost, give }) => {
      await give(lost, 'raj');
      for (const key of ['d', 'w']) await page.keyboard.press(key);
      await page.keyboard.type(WRITTEN);
      await page.keyboard.press('Enter');
      await page.getByText('Raj Mehta has it now').waitFor();
    },
  },
  'a case that was lost and taken again': {
    who: 'rita',
    path: ({ held }) => `/cases/${held}`,
    status: 409,
    act: async (page) => {
      await page.locator('#resolve [name=token]').evaluate((field) => field.setAttribute('value', '99'));
      for (const key of ['d', 'w']) await page.keyboard.press(key);
      await page.keyboard.type(WRITTEN);
      await page.keyboard.press('Enter');
      await page.getByRole('alert').waitFor();
    },
  },
  'a case, revealed': {
    who: 'rita',
    path: ({ held }) => `/cases/${held}`,
    act: async (page) => {
      await page.locator('#reveal-why').fill(WRITTEN);
      await page.locator('#reveal button').click();
      await page.getByText('That you see them is on record').waitFor();
    },
  },
  'a case whose reason is lacking': {
    who: 'rita',
    path: ({ held }) => `/cases/${held}`,
    status: 400,
    act: async (page) => {
      for (const key of ['d', 'w', 'Enter']) await page.keyboard.press(key);
      await page.getByRole('alert').waitFor();
    },
  },
  'a case whose record was erased while it was held': {
    who: 'rita',
    path: ({ erased }) => `/cases/${erased}`,
    act: async (page, { erased, give, erase }) => {
      await give(erased, 'rita');
      await page.reload();
      await page.locator('#resolve').waitFor();
      await erase();
      await page.reload();
      await page.getByText('Its facts were erased').first().waitFor();
      await page.locator('#resolve').waitFor();
    },
  },
  'the queue without a case that is held': { who: 'raj', path: () => '/queue?done=empty' },
  'the queue of those who take none': { who: 'approver', path: () => '/queue' },
  'a case of those who see no decision': { who: 'approver', path: ({ held }) => `/cases/${held}` },
  'all decisions': { who: 'lead', path: () => '/decisions' },
  'a search without a result': { who: 'otto', path: () => '/decisions?code=SCORE&to=2026-01-01' },
  'a search for a misspelt name': { who: 'otto', path: () => '/decisions?code=PORTED_AND_RISKY', status: 400 },
  'what is seen most today': { who: 'lead', path: () => '/today' },
  'the decisions about a person': {
    who: 'otto',
    path: () => '/decisions',
    act: async (page) => {
      await page.locator('#text').fill('+1 202 555 0102');
      await page.locator('#by').selectOption('phoneNo');
      await page.locator('#find button').click();
      await page.getByText('this person').first().waitFor();
    },
  },
  'a decision with a note': { who: 'lead', path: ({ resolved }) => `/decisions/${resolved}` },
  'a decision, revealed': {
    who: 'otto',
    path: ({ resolved }) => `/decisions/${resolved}`,
    act: async (page) => {
      await page.locator('#reveal-why').fill(WRITTEN);
      await page.locator('#reveal button').click();
      await page.getByText('That you see them is on record').waitFor();
    },
  },
  'a decision, replayed': {
    who: 'otto',
    path: ({ free }) => `/decisions/${free}`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Decide again' }).click();
      await page.locator('.done').waitFor();
    },
  },
  'the policies': { who: 'reader', path: () => '/policies' },
  'a policy with its text': { who: 'editor', path: () => '/policies/onboarding' },
  'a rule': { who: 'lead', path: () => '/policies/onboarding/rules/port-and-email' },
  'two versions of a policy': { who: 'editor', path: () => '/policies/onboarding/compare?old=2026.11&now=2026.11' },
  'a policy with a filter': { who: 'lead', path: () => '/policies/onboarding?then=reject' },
  facts: { who: 'rita', path: () => '/reference/facts' },
  operators: { who: 'rita', path: () => '/reference/operators' },
  checks: { who: 'rita', path: () => '/reference/checks' },
  'a page that a role does not open': { who: 'editor', path: () => '/queue', status: 403 },
  'a page that is not there': { who: 'editor', path: () => '/nowhere', status: 404 },
  'a page while the state cannot be reached': {
    who: 'reader',
    path: () => '/',
    status: 503,
    act: async (page, { whileLocked }) => {
      await whileLocked(() => page.goto('/decisions'));
      await page.getByText('The service does not reach its state').first().waitFor();
    },
  },
  'a form that is refused': {
    who: 'otto',
    path: () => '/decisions',
    status: 400,
    act: async (page) => {
      await page.locator('#text').fill('a@b@c');
      await page.locator('#by').selectOption('email');
      await page.locator('#find button').click();
      await page.locator('#kept-0').waitFor();
    },
  },
  'a page for which nobody is signed in': { path: () => '/queue', status: 401 },
  'the end of a session': {
    who: 'reader',
    isLast: true,
    path: () => '/',
    act: async (page) => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You are signed out').waitFor();
    },
  },
};

const SCHEMES = (['dark', 'light'] as const).slice(0, sampled(1, 2));

const AXE_SCREENS = (
  [
    [PHONE, 'dark'],
    [DESKTOP, 'light'],
    [DESKTOP, 'dark'],
    [PHONE, 'light'],
  ] as const
).slice(0, sampled(1, 4));

withWindows(
  'links',
  (windows) => {
    let setting: Setting;

    beforeAll(async () => {
      const { service, review, enter, folder } = windows();
      const { cases, log } = service.records ?? {};
      if (!cases || !log) throw new Error('the service has no cases');
      const ids: string[] = [];
      for (let i = 0; i < 6; i++) ids.push(await review(`looks-${i}`));
      const rita = await enter('rita');
      const take = async () =>
        /\/cases\/([\w-]+)/.exec((await rita.post('/queue/take')).headers.get('location') ?? '')?.[1];
      const resolved = (await take()) ?? '';
      const token = String((await cases.get(resolved))?.token);
      const form = { token, disposition: 'decline', why: `${WRITTEN} `.repeat(5) };
      await rita.post(`/cases/${resolved}/resolve`, form);
      const held = (await take()) ?? '';
      const [lost = '', free = '', erased = ''] = ids.filter((id) => id !== resolved && id !== held);
      const give = (id: string, to: Who) => giveTo(cases, id, PEOPLE[to].name, HOUR_MS);
      await give(lost, 'rita');
      const erase = () => eraseSubject({ log, reference: `looks-${ids.indexOf(erased)}` });
      const whileLocked: Setting['whileLocked'] = async (act) => {
        using lock = new DatabaseSync(join(folder, 'state/state.sqlite'));
        lock.exec('begin exclusive');
        return await act();
      };
      const lead = await enter('lead');
      await lead.get('/releases');
      const begun = (await lead.post('/releases/1/change')).headers.get('location') ?? '';
      const draft = begun.replace('/changes/', '');
      setting = { resolved, held, free, lost, erased, draft, give, erase, whileLocked };
      const means = { log, make: makeEvidenceElsewhere };
      const files = readRules(join(import.meta.dirname, '../../rules'));
      const email = 'rule-sets/email.yaml';
      const edited = { ...files, [email]: (files[email] ?? '').replaceAll('30 days', '7 days') };
      const asked = { mapping: 'signals.yaml', title: 'Domains of the last week alone', authors: ['ana'] };
      const { number } = (await propose(means, { files: edited, ...asked })).manifest;
      await addEvidence(means, number, { day: new Date().toISOString().slice(0, 10) });
    });

    /** The window of a person, at a state, as it is opened on a desktop. */
    async function show({ who, path, act }: State): Promise<Window> {
      const window = await windows().of(who);
      await window.page.setViewportSize(DESKTOP);
      await window.page.emulateMedia({ media: 'screen', colorScheme: 'light', forcedColors: 'none' });
      await window.page.goto(path(setting));
      await act?.(window.page, setting);
      return window;
    }

    it.each(Object.keys(STATES))(
      '%s: fits, can be read and pressed, breaks no rule of axe-core, and complains of nothing',
      async (name) => {
        const state = STATES[name] as State;
        const window = await show(state);
        const { page } = window;
        for (const viewport of [PHONE, DESKTOP]) {
          await page.setViewportSize(viewport);
          expect(await page.evaluate(OVERFLOW)).toBe(0);
        }
        await page.evaluate(OPEN_ALL);
        for (const viewport of [DESKTOP, PHONE]) {
          await page.setViewportSize(viewport);
          expect(await page.evaluate(OVERFLOW)).toBe(0);
          expect(await page.evaluate(FARTHEST)).toBeLessThanOrEqual(0);
          expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
        }
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme });
          const { measured, faint } = await page.evaluate<{ measured: number; faint: FaintText[] }>(FAINT_TEXTS);
          expect(measured).toBeGreaterThan(1);
          expect(faint).toEqual([]);
        }
        await page.evaluate(AXE);
        for (const [viewport, colorScheme] of AXE_SCREENS) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme });
          expect(await page.evaluate(violations({ contrast: IS_SOAK }))).toEqual([]);
        }
        // Chromium says the status of a page that was refused, and that it cleared what it kept.
        const isNews = (each: string) =>
          !each.includes(`status of ${state.status}`) && !each.includes('Cleared data types');
        const said = window.complaints.filter(isNews);
        expect(said).toEqual([]);
        if (state.isLast) await window.close();
      },
    );

    test('a page prints as a document: no navigation and no form, the charts and what was folded', async () => {
      const seen = async (page: Page, selector: string) => page.locator(selector).filter({ visible: true }).count();
      const { page } = await show(STATES['Home'] as State);
      expect(await seen(page, '#outcomes-by-day')).toBe(0);
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await seen(page, 'nav, form, button, #keys')).toBe(0);
      expect(await seen(page, 'svg.chart')).toBe(1);
      expect(await seen(page, '#outcomes-by-day')).toBe(1);
      expect(await page.evaluate<string>('getComputedStyle(document.querySelector(".chart")).printColorAdjust')).toBe(
        'exact',
      );
      const held = await show(STATES['a case that is held'] as State);
      await held.page.emulateMedia({ media: 'print' });
      expect(await seen(held.page, 'nav, form, button, textarea, #keys, #lease')).toBe(0);
      expect(await seen(held.page, 'h1, .why')).toBeGreaterThan(1);
      const pdf = await held.page.pdf({ format: 'A4', preferCSSPageSize: true });
      expect(pdf.length).toBeGreaterThan(5000);
    });

    test('with forced colours, bars, borders and the chosen page can still be told apart', async () => {
      const { page } = await show(STATES['Home'] as State);
      await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
      const colours = await page.evaluate<readonly string[]>(`[
      getComputedStyle(document.querySelector('.chart .accept')).fill,
      getComputedStyle(document.querySelector('.chart .review')).fill,
      getComputedStyle(document.querySelector('section')).backgroundColor,
    ]`);
      expect(new Set(colours).size).toBe(3);
      const { page: held } = await show(STATES['a case that is held'] as State);
      await held.emulateMedia({ forcedColors: 'active' });
      const style = (of: string) => `getComputedStyle(document.querySelector('#resolve button.main')).${of}`;
      expect(await held.evaluate(style('borderTopStyle'))).toBe('solid');
      expect(await held.evaluate<string>(style('color'))).not.toBe(await held.evaluate(style('backgroundColor')));
    });

    test('the keyboard reaches all that can be pressed, in the order of the page, with a visible focus', async () => {
      const { page } = await show(STATES['the queue'] as State);
      await page.setViewportSize(PHONE);
      await page.evaluate(OPEN_ALL);
      const count = await page.evaluate<number>(NUMBER_STOPS);
      expect(count).toBeGreaterThan(5);
      for (let stop = 0; stop < count; stop++) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate(FOCUSED)).toEqual({ stop: `${stop}`, isSeen: true });
      }
    });
  },
  async () => (await releaseShipped()).options,
);
