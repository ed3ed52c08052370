/** HTTPS: who is let in, files that cannot be used, and a renewed certificate without a restart. */

import { once } from 'node:events';
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { readTls } from '../../src/service/tls.ts';
import { IS_SOAK } from '../support/sampled.ts';
import { startTestService } from '../support/service/running.ts';
import { certificates } from '../support/signals/certificates.ts';

const { ca, service, expired, client, otherCa } = await certificates();

function filesOf(more: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'tls-'));
  const files = { 'tls.crt': service.cert, 'tls.key': service.key, 'ca.pem': ca, ...more };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const tls = (folder: string, more = '') =>
  `tls: { certFile: ${folder}/tls.crt, keyFile: ${folder}/tls.key${more === '' ? '' : `, ${more}`} }`;

/** The status of `/openapi.json`, and the certificate of the server. */
function ask(url: string, options: object = {}): Promise<{ status: number | undefined; peer: PeerCertificate }> {
  return new Promise((resolve, reject) => {
    get(`${url}/openapi.json`, { ca: ca, agent: false, ...options }, (answer) => {
      const peer = (answer.socket as TLSSocket).getPeerCertificate();
      answer.resume().on('end', () => resolve({ status: answer.statusCode, peer }));
    }).on('error', reject);
  });
}

test('it answers over TLS, and takes a renewed certificate without a restart', async () => {
  const folder = filesOf();
  const { url, lines } = await startTestService({ more: tls(folder) });
  expect(url).toMatch(/^https:/);
  const { status, peer } = await ask(url);
  expect(status).toBe(200);
  writeFileSync(join(folder, 'tls.key'), 'no key');
  await expect.poll(() => lines.map(({ event }) => event)).toContain('tls.broken');
  expect((await ask(url)).peer.serialNumber).toBe(peer.serialNumber);
  writeFileSync(join(folder, 'tls.crt'), expired.cert);
  writeFileSync(join(folder, 'tls.key'), expired.key);
  await expect.poll(() => lines.map(({ event }) => event)).toContain('tls.changed');
  expect((await ask(url, { rejectUnauthorized: false })).peer.serialNumber).not.toBe(peer.serialNumber);
});

test('with clientCaFile it asks callers for a certificate of that authority', async () => {
  const folder = filesOf();
  const { url } = await startTestService({ more: tls(folder, `clientCaFile: ${folder}/ca.pem`) });
  expect((await ask(url, { cert: client.cert, key: client.key })).status).toBe(200);
  await expect(ask(url)).rejects.toThrow();
  const stranger = filesOf({ 'ca.pem': otherCa });
  const other = await startTestService({ more: tls(folder, `clientCaFile: ${stranger}/ca.pem`) });
  await expect(ask(other.url, { cert: client.cert, key: client.key })).rejects.toThrow();
});

test.each([
  ['a file that is not there', (folder: string) => folder.replace('tls-', 'none-')],
  [
    'the key of another certificate',
    (folder: string) => {
      writeFileSync(join(folder, 'tls.key'), client.key);
      return folder;
    },
  ],
  [
    'a file that is no PEM',
    (folder: string) => {
      copyFileSync('/dev/null', join(folder, 'tls.crt'));
      return folder;
    },
  ],
])('%s is said at the start', (_what, spoil) => {
  const folder = spoil(filesOf());
  const read = () => readTls({ certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') });
  expect(read).toThrow(/^`tls` cannot be used \(\w+\); expected PEM files/);
});

test.runIf(IS_SOAK)('a handshake that does not begin is given up, and does not hold up the end', async () => {
  const { url, drain } = await startTestService({ more: tls(filesOf()) });
  const silent = () => connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  // Node waits for two minutes by default.
  await once(silent(), 'close');
  await once(silent(), 'connect');
  await drain();
});
