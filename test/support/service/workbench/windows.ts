/** Chromium, a service over TLS, an issuer -> windows of people who signed in, and what their browsers complain of. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { ROLES } from '../../../../src/service/auth/roles.ts';
import { HANGS_MS } from '../../patience.ts';
import { freePort } from '../../ports.ts';
import { chromiumPath, launchChromium } from '../../report/chromium.ts';
import { certificates } from '../../signals/certificates.ts';
import { CLIENT, startIssuer } from '../issuer.ts';
import { LINKS, PEOPLE, startWorkbench, type TestWorkbench, type Who } from './visitor.ts';

/** A window of one person. */
export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Messages of the console, errors of scripts, reports of the policy, and requests to other origins. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export interface Windows extends TestWorkbench {
  readonly browser: Browser;
  /** The window of a person that is open, with no complaint yet; opened at the first call, and after it was closed. */
  of(who?: Who): Promise<Window>;
  /** Opens a further window, in which `who` is signed in and sees Home; without `who`, nobody is. It goes to paths. */
  open(who?: Who, options?: BrowserContextOptions): Promise<Window>;
  /** Decides the applicant who is reviewed; resolves with the id, once there is a case. */
  review(reference: string): Promise<string>;
  close(): Promise<void>;
}

/** How people come in: at the issuer, which is over TLS too, or by links that let in once. */
export type Entrance = 'issuer' | 'links';

/**
 * Tests in windows of one browser before one service. Without a browser they are skipped, which is said. `prepare`
 * gives further options of the service.
 */
export function withWindows(
  entrance: Entrance,
  define: (windows: () => Windows) => void,
  prepare: () => Promise<ServiceOptions> = async () => ({}),
): void {
  const executable = chromiumPath();
  if (executable === undefined) {
    test.skip('NOT TESTED: no Chromium found; set CHROMIUM to its path');
    return;
  }
  let windows: Windows;
  beforeAll(async () => {
    windows = await startWindows(executable, entrance, await prepare());
  });
  afterAll(() => windows?.close());
  define(() => windows);
}

type ServiceOptions = NonNullable<Parameters<typeof startWorkbench>[0]>;

async function startWindows(executable: string, entrance: Entrance, prepared: ServiceOptions): Promise<Windows> {
  const ends: (() => Promise<void>)[] = [];
  const atEnd = (end: () => Promise<void>) => void ends.push(end);
  const close = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    // Playwright would switch off that pages are kept for the way back, as browsers of people do.
    const browser = await launchChromium(executable, { ignoreDefaultArgs: ['--disable-back-forward-cache'] });
    atEnd(() => browser.close());
    const { ca, service: tls } = await certificates();
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, ca]);
    atEnd(async () => setDefaultCACertificates(trusted));
    const folder = mkdtempSync(join(tmpdir(), 'tls-'));
    writeFileSync(join(folder, 'tls.crt'), tls.cert);
    writeFileSync(join(folder, 'tls.key'), tls.key);
    const more = `tls: { certFile: ${folder}/tls.crt, keyFile: ${folder}/tls.key }`;
    const people = entrance === 'issuer' ? await startPeople(tls, atEnd) : undefined;
    const workbench = await startWorkbench({ atEnd, ...prepared, ...people, more: `${more}\n${people?.more ?? ''}` });
    const used = new Map<Who, number>();
    /** Each link lets in once; `enter` of the workbench takes the first ones, and this the last ones. */
    const linkOf = (who: Who): string => {
      const n = (used.get(who) ?? LINKS.length + 1) - 1;
      used.set(who, n);
      return `/invited/${who}-${n}`;
    };
    const open: Windows['open'] = async (who, options = {}) => {
      const context = await browser.newContext({ baseURL: workbench.url, ignoreHTTPSErrors: true, ...options });
      context.setDefaultTimeout(HANGS_MS);
      await context.addInitScript(
        `addEventListener('securitypolicyviolation', (event) => console.error('CSP report: ' + event.violatedDirective))`,
      );
      const page = await context.newPage();
      if (who !== undefined && people) {
        await page.goto('/');
        await signIn(page, who);
      }
      const complaints = complaintsOf(page, workbench.url);
      if (who !== undefined && !people) await page.goto(linkOf(who));
      return { page, context, complaints, close: () => context.close() };
    };
    // A window costs as much as ten pages.
    const kept = new Map<Who | undefined, Window>();
    const of: Windows['of'] = async (who) => {
      const window = kept.get(who) ?? (await open(who));
      window.complaints.length = 0;
      const close = () => {
        kept.delete(who);
        return window.context.close();
      };
      kept.set(who, { ...window, close });
      return { ...window, close };
    };
    const review = async (reference: string): Promise<string> => {
      const id = String((await workbench.decide(reference)).body['id']);
      await workbench.service.records?.follower.catchUp();
      await vi.waitUntil(() => workbench.service.records?.cases.get(id));
      return id;
    };
    return { ...workbench, browser, of, open, review, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An issuer with all people, and the configuration of a service at which they sign in. */
async function startPeople(
  tls: { readonly cert: string; readonly key: string },
  atEnd: (end: () => Promise<void>) => void,
) {
  const port = await freePort();
  const origin = `https://127.0.0.1:${port}`;
  const people = Object.values(PEOPLE).map(({ subject, display, roles }) => {
    return { sub: subject, name: display, groups: roles };
  });
  const issuer = await startIssuer({ people, redirectUri: `${origin}/sign-in/callback`, tls });
  atEnd(() => issuer.close());
  const map = ROLES.filter((role) => role !== 'decide').map((role) => `${role}: [${role}]`);
  const more = `people: { origin: "${origin}", issuer: "${issuer.url}", clientId: ${CLIENT.clientId},
  clientSecretVariable: OIDC_SECRET, roles: { claim: groups, map: { ${map.join(', ')} } } }`;
  return { port, more, env: { OIDC_SECRET: CLIENT.clientSecret } };
}

/** Signs somebody in who was sent to the issuer. */
export async function signIn(page: Page, who: Who): Promise<void> {
  await page.getByLabel('Who').selectOption(PEOPLE[who].subject);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

function complaintsOf(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`a request to ${request.url()}`);
  });
  return complaints;
}
