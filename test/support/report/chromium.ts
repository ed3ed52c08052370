/**
 * Debian's Chromium, or the one that CHROMIUM names -> a browser that opens pages as files, and tells what they
 * did.
 */

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where the browser is; undefined where there is none. What CHROMIUM names has to be there. */
export function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM'];
  return named ? named : PLACES.find((path) => existsSync(path));
}

/** Starts the browser. Its sandbox does not run for root. */
export function launchChromium(executablePath: string): Promise<Browser> {
  const isRoot = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: isRoot ? ['--no-sandbox'] : [] });
}

/** A page that was opened. */
export interface OpenPage {
  readonly page: Page;
  /** What it asked for beside itself, and what it, or the browser, complained of. */
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
}

/** Opens a file in a window of its own; `use` is done with it before it closes. */
export async function withPage<Result>(
  browser: Browser,
  url: string,
  options: BrowserContextOptions,
  use: (opened: OpenPage) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext(options);
  try {
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
    return await use({ page, requests, complaints });
  } finally {
    await context.close();
  }
}
