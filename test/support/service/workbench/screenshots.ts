/**
 * `node test/support/service/workbench/screenshots.ts FOLDER`: starts a trial, as `verdict serve --try` does, and
 * writes pictures of eight pages in both schemes, for a person to look at. Those of the documentation are among them.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromiumPath, launchChromium } from '../../report/chromium.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const DESKTOP = { width: 1100, height: 860 };

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
  { name: 'queue', who: 'Rita Okoye', path: '/queue' },
  { name: 'case', who: 'Rita Okoye', path: '/queue', act: click('button', 'Next case') },
  { name: 'decisions', who: 'Otto Lindqvist', path: '/decisions?outcome=review' },
  { name: 'decision', who: 'Otto Lindqvist', path: '/decisions?outcome=review', act: openFirst },
  { name: 'facts', who: 'Ben Okafor', path: '/reference/facts' },
];

const executable = chromiumPath();
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder for the pictures');
if (executable === undefined) throw new Error('no Chromium found; set CHROMIUM to its path');
mkdirSync(folder, { recursive: true });
const trial = spawn(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'serve', '--try', '--port', '0'], {
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
    const context = contexts.get(who) ?? (await within.newContext({ viewport: DESKTOP }));
    contexts.set(who, context);
    const page = await context.newPage();
    if (isNew) await page.goto(link);
    await page.goto(new URL(path, link).href);
    await act?.(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(into, `workbench-${name}-${colorScheme}.png`) });
    }
    await page.close();
  }
}
