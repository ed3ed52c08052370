/** A service that is measured -> callers who decide, and people who open its pages. */

import { personOf } from '../support/audit/decisions.ts';
import { type Contestant, openConnection } from './http-clients.ts';

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
