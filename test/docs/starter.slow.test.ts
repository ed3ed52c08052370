/** The service that `verdict init` makes answers probes, keeps references apart, and ends in good order. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../support/docs/docs.ts';
import { freePort } from '../support/ports.ts';
import { environmentOf, serviceThat } from '../support/signals/service.ts';

test('a reference in use is 409, and on SIGTERM the request in flight is answered on a connection that ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-starter-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(ROOT, 'docs/examples/starter'), folder, { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/verdict-engine'));
  symlinkSync(join(ROOT, 'rules'), join(folder, 'rules'));
  const asked = Promise.withResolvers<() => void>();
  const vendor = await serviceThat((_request, response) => asked.resolve(() => response.end('{}')));
  const port = await freePort();
  const env = { ...process.env, ...environmentOf(vendor), PORT: String(port) };
  const child = spawn(process.execPath, ['service.js'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.stdout.resume();

  const url = `http://127.0.0.1:${port}`;
  const post = (phoneNo: string) =>
    fetch(`${url}/applications`, { method: 'POST', body: JSON.stringify({ reference: 'A-1', phoneNo }) });
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true });
  const answer = post('+12025550101');
  const release = await asked.promise;
  const other = await post('+12025550102');
  expect([other.status, await other.json()]).toEqual([409, { error: 'REFERENCE_IN_USE' }]);
  child.kill('SIGTERM');
  // It listens until it has read the signal.
  const isListening = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (await isListening());
  release();
  const { status, headers } = await answer;
  expect([status, headers.get('connection')]).toEqual([200, 'close']);
  expect(await ended).toEqual([0, null]);
});
