/** Real servers with certificates of the test's own. */

import https from 'node:https';
import tls from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';
import { certificates } from '../../support/signals/certificates.ts';
import { connect, failureOf, REQUEST, serve } from '../../support/signals/scripted-service.ts';

const made = await certificates();
const ONCE = { maxAttempts: 1 } as const;

async function failureWith(serverTls: https.ServerOptions, options: Partial<VerifyClientOptions>, host = '127.0.0.1') {
  const service = await serve({ tls: serverTls });
  const { code, carriedOut, cause } = await failureOf(
    connect(service.url.replace('127.0.0.1', host), { ...ONCE, ...options }).verify(REQUEST),
  );
  expect(service.signIns).toEqual([]);
  return { code, carriedOut, cause: (cause as { code?: string }).code };
}

function refused(cause: string) {
  return { code: 'UNREACHABLE', carriedOut: 'no', cause };
}

test('an authority of the caller is trusted, as text, as bytes, or among several', async () => {
  const service = await serve({ tls: made.service });
  for (const ca of [made.ca, Buffer.from(made.ca), [made.otherCa, made.ca], `# ours\n${made.otherCa}\n${made.ca}`]) {
    expect(await connect(service.url, { ca }).verify(REQUEST)).toMatchObject({ body: {} });
  }
});

test('an unknown authority is refused, with its code', async () => {
  const unknown = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  expect(await failureWith(made.service, {})).toEqual(refused(unknown));
  expect(await failureWith(made.service, { ca: made.otherCa })).toEqual(refused(unknown));
});

test('NODE_TLS_REJECT_UNAUTHORIZED=0 changes nothing, not even for an agent of the caller', async () => {
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  onTestFinished(() => {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  });
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  const agent = new https.Agent();
  onTestFinished(() => agent.destroy());
  for (const options of [{}, { agent }]) {
    expect(await failureWith(made.service, options)).toEqual(refused('UNABLE_TO_VERIFY_LEAF_SIGNATURE'));
  }
});

test('an expired certificate is refused, with its code', async () => {
  expect(await failureWith(made.expired, { ca: made.ca })).toEqual(refused('CERT_HAS_EXPIRED'));
});

test('a certificate for another host is refused, with its code', async () => {
  expect(await failureWith(made.service, { ca: made.ca }, 'localhost')).toEqual(
    refused('ERR_TLS_CERT_ALTNAME_INVALID'),
  );
});

test('TLS 1.1 is refused, even where Node is set to accept it', async () => {
  const { DEFAULT_MIN_VERSION } = tls;
  onTestFinished(() => {
    tls.DEFAULT_MIN_VERSION = DEFAULT_MIN_VERSION;
  });
  tls.DEFAULT_MIN_VERSION = 'TLSv1';
  const old = { ...made.service, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
  const agent = new https.Agent({ ca: made.ca, ciphers: old.ciphers });
  onTestFinished(() => agent.destroy());
  expect(await failureWith(old, { agent })).toEqual(refused(expect.stringMatching(/^EPROTO$|_PROTOCOL/)));
});

test.each([
  ['TLSv1.2', /^EPROTO$|_ALERT_HANDSHAKE_FAILURE$/],
  ['TLSv1.3', /_ALERT_CERTIFICATE_REQUIRED$/],
] as const)('mutual TLS by %s: without its certificate, the client is refused', async (maxVersion, cause) => {
  const serverTls = { ...made.service, ca: made.ca, requestCert: true, rejectUnauthorized: true, maxVersion };
  const service = await serve({ tls: serverTls });
  for (const clientCertificate of [made.client, made.locked]) {
    const client = connect(service.url, { ca: made.ca, clientCertificate });
    expect(await client.verify(REQUEST)).toMatchObject({ body: {} });
  }
  expect(await failureWith(serverTls, { ca: made.ca })).toEqual(refused(expect.stringMatching(cause)));
});

test('an agent of the caller makes the connections, and stays open', async () => {
  const service = await serve({ tls: made.service });
  const agent = new https.Agent({ ca: made.ca, keepAlive: true });
  onTestFinished(() => agent.destroy());
  const client = connect(service.url, { agent });
  await client.verify(REQUEST);
  await client.close();
  expect(Object.values(agent.freeSockets).map((sockets) => sockets?.map(({ destroyed }) => destroyed))).toEqual([
    [false],
  ]);
});
