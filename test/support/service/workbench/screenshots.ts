/**
 * `node test/support/service/workbench/screenshots.ts FOLDER [OPTION OF serve --try ...]`: starts a trial, and writes
 * pictures of its pages in both schemes at three widths, whole ones beside those of the first screen, for a person to
 * look at. Those of the documentation are among them.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromiumPath, launchChromium } from '../../report/chromium.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const SCREENS = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

/** A page: who opens it, and how. */
interface Picture {
  readonly name: string;
  readonly who: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<void>;
}

const click = (role: 'button' | 'link', name: string) => async (page: Page) => {
  await page.getByRole(role, { name }).first().click();
  await page.waitForLoadState();
};

const openFirst = async (page: Page) => {
  await page.locator('#decisions tbody th a').first().click();
  await page.waitForLoadState();
};

const PICTURES: readonly Picture[] = [
  { name: 'home', who: 'Ana Ruiz', path: '/' },
  { name: 'policies', who: 'Ana Ruiz', path: '/policies' },
  { name: 'policy', who: 'Ana Ruiz', path: '/policies/onboarding?then=reject' },
  { name: 'rule', who: 'Ana Ruiz', path: '/policies/onboarding/rules/ip-abroad' },
  { name: 'queue', who: 'Rita Okoye', path: '/queue' },
  { name: 'case', who: 'Rita Okoye', path: '/queue', act: click('button', 'Next case') },
  { name: 'decisions', who: 'Otto Lindqvist', path: '/decisions?outcome=review' },
  { name: 'decision', who: 'Otto Lindqvist', path: '/decisions?outcome=review', act: openFirst },
  { name: 'facts', who: 'Ben Okafor', path: '/reference/facts' },
];

const executable = chromiumPath();
const [folder, ...more] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder for the pictures');
if (executable === undefined) throw new Error('no Chromium found; set CHROMIUM to its path');
mkdirSync(folder, { recursive: true });
const trial = spawn(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'serve', '--try', '--port', '0', ...more], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
const browser = await launchChromium(executable);
try {
  await takePictures(browser, await linksOf(trial), folder);
} finally {
  await browser.close();
  trial.kill('SIGINT');
  await once(trial, 'exit');
}

/** The link of each person, which the trial prints once it listens. */
async function linksOf({ stdout }: ChildProcess): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  if (!stdout) return links;
  for await (const line of createInterface({ input: stdout })) {
    const [, url, who] = /^ +(http\S+\/invited\/\S+) +([^,]+),/.exec(line) ?? [];
    if (url !== undefined && who !== undefined) links.set(who, url);
    if (links.size === new Set(PICTURES.map((each) => each.who)).size) break;
  }
  return links;
}

async function takePictures(within: Browser, links: ReadonlyMap<string, string>, into: string): Promise<void> {
  const contexts = new Map<string, BrowserContext>();
  for (const { name, who, path, act } of PICTURES) {
    const link = links.get(who);
    if (link === undefined) throw new Error(`the trial has no link for ${who}`);
    const isNew = !contexts.has(who);
    const context = contexts.get(who) ?? (await within.newContext());
    contexts.set(who, context);
    const page = await context.newPage();
    if (isNew) await page.goto(link);
    await page.goto(new URL(path, link).href);
    await act?.(page);
    for (const screen of SCREENS) {
      await page.setViewportSize(screen);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const file = `workbench-${name}-${screen.width}-${colorScheme}`;
        await page.screenshot({ path: join(into, `${file}.png`) });
        if (colorScheme === 'light') await page.screenshot({ path: join(into, `${file}-whole.png`), fullPage: true });
      }
    }
    await page.close();
  }
}
