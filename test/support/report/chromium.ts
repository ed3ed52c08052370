/**
 * Debian's Chromium, or the one at the path CHROMIUM -> a browser that opens pages from files and reports their
 * requests and errors.
 */

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from 'playwright-core';
import { HANGS_MS } from '../patience.ts';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of the browser; undefined if none is installed. Throws if CHROMIUM is set to a path that does not exist. */
export function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM'];
  return named ? named : PLACES.find((path) => existsSync(path));
}

/** Starts the browser. Chromium's sandbox refuses to run as root. */
export function launchChromium(executablePath: string, options: LaunchOptions = {}): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: ['--disable-gpu', ...(isRoot ? ['--no-sandbox'] : [])], ...options });
}

/** A page that was opened. */
export interface OpenPage {
  readonly page: Page;
  /** The requests other than for the page itself, and all errors and warnings. */
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
}

/** Opens a file in a new window, which closes when `use` has finished. */
export async function withPage<Result>(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  use: (opened: OpenPage) => Promise<Result>,
): Promise<Result> {
  const opened = await openPage(browser, url, options);
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

/** Opens a file in a new window, which the caller closes. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(HANGS_MS);
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (request.url() !== url) requests.push(request.url());
  });
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, requests, complaints, close: () => context.close() };
}
