/** A service over TLS, an issuer, a browser -> windows of people who signed in, and what their browsers complain of. */

import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { ROLES } from '../../../src/service/auth/roles.ts';
import { decideOne } from '../../../src/service/handlers/decide.ts';
import { CLIENT, startIssuer } from '../service/issuer.ts';
import { APPLICANT, startTestService, type TestService, untilIndexed } from '../service/running.ts';
import { certificates } from '../signals/certificates.ts';
import { PEOPLE, type Who } from './visitor.ts';

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests to other origins, errors, warnings, and violations of the policy of the page. */
  readonly complaints: string[];
  /** Goes to a path of the service. */
  go(path: string): Promise<void>;
}

export interface Windows extends TestService {
  /** A window of somebody who signs in at the issuer. */
  open(who: Who, options?: BrowserContextOptions): Promise<Window>;
}

export async function startWindows(browser: Browser): Promise<Windows> {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const { cert, key } = (await certificates()).service;
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  const port = await freePort();
  const origin = `https://127.0.0.1:${port}`;
  const people = Object.values(PEOPLE).map(({ subject, display, roles }) => {
    return { sub: subject, name: display, groups: roles };
  });
  const issuer = await startIssuer({ people, redirectUri: `${origin}/sign-in/callback` });
  onTestFinished(() => issuer.close());
  const map = ROLES.filter((role) => role !== 'decide').map((role) => `${role}: [${role}]`);
  const more = `tls: { certFile: ${folder}/tls.crt, keyFile: ${folder}/tls.key }
people: { origin: "${origin}", issuer: "${issuer.url}", clientId: ${CLIENT.clientId},
  clientSecretVariable: OIDC_SECRET, roles: { claim: groups, map: { ${map.join(', ')} } } }`;
  const service = await startTestService({ audit: true, port, more, env: { OIDC_SECRET: CLIENT.clientSecret } });
  await untilIndexed(service);
  const open = async (who: Who, options: BrowserContextOptions = {}): Promise<Window> => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(`${origin}/`);
    await page.getByLabel('Who').selectOption(PEOPLE[who].subject);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${origin}/`);
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) complaints.push(`a request to ${request.url()}`);
    });
    return { page, context, complaints, go: async (path) => void (await page.goto(origin + path)) };
  };
  return { ...service, open };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Decides so many applicants who are reviewed; resolves once their cases wait. */
export async function fillQueue({ service }: TestService, count: number): Promise<readonly string[]> {
  const caller = { id: '00000000', name: 'app', roles: ['decide'], createdAt: '' } as const;
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const request = { policy: 'onboarding', reference: `ONB-${7000 + i}`, applicant: APPLICANT };
    const { decision } = await decideOne(request, { caller, language: 'en' }, service);
    ids.push(String(decision.id));
  }
  const { records } = service;
  for (let isThere = false; !isThere; ) {
    await records?.follower.catchUp();
    const counts = (await records?.cases.counts()) ?? [];
    isThere = counts.reduce((sum, each) => sum + each.count, 0) >= count;
  }
  return ids;
}
