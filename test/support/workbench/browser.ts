/** A service with pages, and Chromium -> windows of its people, each signed in, with what went wrong in them. */

import { request } from 'node:https';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { APPLICANT } from '../service/running.ts';
import { LINKS, type TestWorkbench, type Who } from './visitor.ts';

/** A window of one person. */
export interface Window {
  readonly page: Page;
  /** Messages of the console, errors of scripts, reports of the policy, and requests to other origins. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

const links = new WeakMap<TestWorkbench, Map<Who, number>>();

/** Opens a window, in which `who` is signed in and sees Home; without `who`, nobody is. */
export async function openWindow(
  browser: Browser,
  workbench: TestWorkbench,
  who?: Who,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const { url } = workbench;
  const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('CSP report: ' + event.violatedDirective))`,
  );
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (sent) => {
    if (new URL(sent.url()).origin !== new URL(url).origin) complaints.push(`a request to ${sent.url()}`);
  });
  if (who !== undefined) await page.goto(`${url}/invited/${who}-${nextLink(workbench, who)}`);
  return { page, complaints, close: () => context.close() };
}

/** Each link lets in once; `enter` of the workbench takes the first ones, and this the last ones. */
function nextLink(workbench: TestWorkbench, who: Who): number {
  const used = links.get(workbench) ?? new Map<Who, number>();
  links.set(workbench, used);
  const n = (used.get(who) ?? LINKS.length + 1) - 1;
  used.set(who, n);
  return n;
}

/** Decides the applicant who is reviewed, over HTTPS; resolves with the id, once there is a case. */
export async function reviewOverTls(
  { url, service }: TestWorkbench,
  { key, ca, reference }: { readonly key: string; readonly ca: string; readonly reference: string },
): Promise<string> {
  const text = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(`${url}/v1/decisions`, { method: 'POST', ca, headers, agent: false }, async (answer) => {
      resolve((await answer.setEncoding('utf8').toArray()).join(''));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ policy: 'onboarding', reference, applicant: APPLICANT }));
  });
  const { id } = JSON.parse(text) as { readonly id: string };
  await expect.poll(async () => service.records?.cases.get(id), { timeout: 20_000 }).toBeDefined();
  return id;
}
