/** `verdict serve` -> what a test does with it while it runs; a policy of a trial, and what a trial answers. */

import { expect } from 'vitest';
import { runCli } from './cli.ts';

/** Runs the service until `use` is done with it. */
export async function serving(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  use: (url: string, stdout: () => string, stderr: () => string) => Promise<void>,
) {
  const ending = new AbortController();
  const listening = Promise.withResolvers<string>();
  let [output, errors] = ['', ''];
  const running = runCli(['serve', ...args], {
    env,
    signal: ending.signal,
    onErrors: (stderr) => {
      errors = stderr;
    },
    onOutput: (stdout) => {
      output = stdout;
      const [, url] = /^listening on (\S+)$/m.exec(stdout) ?? [];
      if (url !== undefined) listening.resolve(url);
    },
  });
  const url = await Promise.race([listening.promise, running.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  await use(
    url,
    () => output,
    () => errors,
  );
  ending.abort();
  return running;
}

export const OWN = `policy: harbour
version: "7"
default: accept
facts: { context.income: { type: number } }
velocity: { sameIp1h: { count: applications, by: ip, within: 1 hour } }
rules:
  - { id: poor, when: { context.income: { below: 1000 } }, then: reject }
  - { id: burst, when: { velocity.sameIp1h: { atLeast: 2 } }, then: review }
  - { id: voip, when: { phone.type: voip }, then: review }
`;

/** Asks a trial with the key that it printed, until its index is made. */
export async function askTrial(url: string, stdout: string, path: string) {
  const [, key = ''] = /KEY=(vk_\S+)/.exec(stdout) ?? [];
  const asked = () => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  await expect.poll(async () => (await asked()).status).toBe(200);
  return (await (await asked()).json()) as Readonly<Record<string, never>>;
}

/** Runs a trial: the request that it prints is answered, and its links lead in. */
export async function checkTrial(args: readonly string[]): Promise<void> {
  const { exitCode } = await serving(['--try', '--port', '0', ...args], {}, async (url, stdout) => {
    await expect.poll(stdout).toContain('auditor');
    const [, key = ''] = /KEY=(vk_\S+)/.exec(stdout()) ?? [];
    const [, body = ''] = /-d '(.*)'/.exec(stdout()) ?? [];
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const decided = await fetch(`${url}/v1/decisions`, { method: 'POST', headers, body });
    expect(await decided.json()).toMatchObject({ outcome: 'review', reference: 'A-1' });
    const links = [...stdout().matchAll(/^ {2}(http\S+\/invited\/\S+) {2}(.*)$/gm)];
    expect(links.map(([, , who]) => who)).toEqual([
      ...['Ana Ruiz, analyst: read, edit', 'Rita Okoye, reviewer: review'],
      ...['Ben Okafor, approver: read, approve', 'Lea Brandt, lead: read, review, approve'],
      'Otto Lindqvist, auditor: read, audit',
    ]);
    for (const _ of ['once', 'again'])
      expect((await fetch(links[0]?.[1] ?? '', { redirect: 'manual' })).status).toBe(303);
    const stranger = await fetch(url);
    expect([stranger.status, await stranger.text()]).toEqual([401, expect.stringContaining('verdict serve --try')]);
  });
  expect(exitCode).toBe(130);
}
