/** A service with pages and a browser -> windows of people who are signed in, and what their browser complains of. */

import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { PEOPLE, startWorkbench, type TestWorkbench, type Who } from './visitor.ts';

export { PEOPLE };

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other origins, errors, warnings, and violations of the policy of the page. */
  readonly complaints: readonly string[];
  /** Goes to a path of the service. */
  go(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface Windows extends TestWorkbench {
  /** A window of somebody who is signed in. */
  open(who: Who, options?: BrowserContextOptions): Promise<Window>;
}

export async function startWindows(
  browser: Browser,
  options: Parameters<typeof startWorkbench>[0] = {},
): Promise<Windows> {
  const service = await startWorkbench(options);
  const origin = new URL(service.url).origin;
  return {
    ...service,
    open: async (who, contextOptions = {}) => {
      const { cookie } = await service.enter(who);
      const context = await browser.newContext(contextOptions);
      const [name = '', value = ''] = cookie.split('=');
      await context.addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Lax' }]);
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== origin) complaints.push(`a request to ${request.url()}`);
      });
      return {
        ...{ page, context, complaints },
        go: async (path) => void (await page.goto(service.url + path)),
        close: () => context.close(),
      };
    },
  };
}

/** Decides so many applicants who are reviewed; resolves once their cases wait. */
export async function fillQueue({ decide, service }: TestWorkbench, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(String((await decide(`ONB-${7000 + i}`)).body['id']));
  const { records } = service;
  for (let isThere = false; !isThere; ) {
    await records?.follower.catchUp();
    const counts = (await records?.cases.counts()) ?? [];
    isThere = counts.reduce((sum, each) => sum + each.count, 0) >= count;
  }
  return ids;
}
