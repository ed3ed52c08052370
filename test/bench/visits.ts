/** The lines of serve.yaml -> a service that is measured, callers who decide, and people who open its pages. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SANDBOX_USERS } from '../../src/sandbox/server.ts';
import { addKey } from '../../src/service/auth/keys.ts';
import { personOf } from '../support/audit/decisions.ts';
import { type Contestant, openConnection, start } from './http-clients.ts';

/** Starts a service for people; `lines`: of serve.yaml, but for where it listens, its keys and its people. */
export async function startServed(
  root: string,
  lines: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Contestant> {
  const vendor = await start(root, 'test/bench/http-servers.ts', ['vendor']);
  const all = [
    ...['listen: { port: 0 }', 'admin: { port: 0 }', 'keysFile: keys.json', ...lines],
    // Nobody is sent there: the sessions are begun here.
    'people: { origin: "http://127.0.0.1:8080", issuer: "http://127.0.0.1:1", clientId: verdict,',
    '  clientSecretVariable: OIDC_SECRET, roles: { claim: groups, map: { reviewers: [review] } } }',
  ];
  writeFileSync(join(root, 'serve.yaml'), `${all.join('\n')}\n`);
  const authorization = await addKey(join(root, 'keys.json'), { name: 'bench', roles: ['decide'] });
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  const server = await start(root, 'src/cli/main.ts', ['serve', '--config', join(root, 'serve.yaml')], {
    ...{ OIDC_SECRET: 'x', VERDICT_BASE_URL: vendor.url.origin, VERDICT_ENVIRONMENT: 'sandbox' },
    ...{ VERDICT_USERNAME: username, VERDICT_PASSWORD: password, ...env },
  });
  return { ...server, authorization };
}

const CALLERS = 64;

export const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

export const csrfOf = (text: string) => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';

let references = 0;

/** 64 callers decide for so long; the latencies, ascending. */
export async function decide(service: Contestant, turnMs: number): Promise<readonly number[]> {
  const latencies: number[] = [];
  const began = performance.now();
  const call = async () => {
    const { ask, close } = openConnection(service);
    while (performance.now() - began < turnMs) {
      const n = references++;
      const at = performance.now();
      await ask(JSON.stringify({ policy: 'onboarding', reference: `bench-${n}`, applicant: personOf(n) }));
      latencies.push(performance.now() - at);
    }
    close();
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return latencies.sort((one, other) => one - other);
}

/** Does something while they decide. */
export async function beside<Result>(service: Contestant, turnMs: number, act: () => Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const deciding = (async () => {
    while (!ended.signal.aborted) await decide(service, turnMs);
  })();
  try {
    return await act();
  } finally {
    ended.abort();
    await deciding;
  }
}

/** A page, or what a form answers. Throws for a problem. */
export async function open({ url }: Contestant, cookie: string, path: string, form?: Record<string, string>) {
  const init = form && { method: 'POST', body: new URLSearchParams(form) };
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const at = performance.now();
  const answer = await fetch(new URL(path, url), { ...init, headers, redirect: 'manual' });
  const ms = performance.now() - at;
  const text = await answer.text();
  if (answer.status >= 400) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 300)}`);
  return { ms, text, to: answer.headers.get('location') ?? '' };
}
