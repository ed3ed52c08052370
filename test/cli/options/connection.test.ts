/** Proxy and certificates of the command line, against a service that asks for a client certificate. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connect } from '../../../src/cli/options/service.ts';
import { silentIo } from '../../support/cli/cli.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { certificates } from '../../support/signals/certificates.ts';
import { startProxy } from '../../support/signals/connect-proxy.ts';
import { REQUEST, serve } from '../../support/signals/scripted-service.ts';

const made = await certificates();

const FILES = {
  'ca.pem': made.ca,
  'other.pem': made.otherCa,
  'client.pem': made.locked.cert,
  'client.key': made.locked.key,
};

async function ask(options: Parameters<typeof connect>[0], env: Readonly<Record<string, string>>): Promise<void> {
  const { client, close } = await connect(options, silentIo(env), { maxAttempts: 1 });
  try {
    await client.verify(REQUEST);
  } finally {
    await close();
  }
}

async function mutual() {
  const service = await serve({ tls: { ...made.service, ca: made.ca, requestCert: true, rejectUnauthorized: true } });
  return { service, proxy: await startProxy() };
}

test('the environment names proxy, authority, certificate and key', async () => {
  const { service, proxy } = await mutual();
  const folder = temporaryFolder(FILES);
  const env = {
    ...{ VERDICT_BASE_URL: service.url, VERDICT_ENVIRONMENT: 'sandbox' },
    ...{ VERDICT_USERNAME: 'user', VERDICT_PASSWORD: 'secret', VERDICT_PROXY: proxy.url },
    VERDICT_CA_FILE: join(folder, 'ca.pem'),
    VERDICT_CERT_FILE: join(folder, 'client.pem'),
    VERDICT_KEY_FILE: join(folder, 'client.key'),
    VERDICT_KEY_PASSPHRASE: made.locked.passphrase,
  };
  await ask({}, env);
  expect([proxy.asked.length, service.verifies.length]).toEqual([1, 1]);

  await expect(ask({}, { ...env, VERDICT_KEY_FILE: '' })).rejects.toThrow(
    'VERDICT_CERT_FILE is set, and VERDICT_KEY_FILE is not: a client certificate needs both',
  );
  await expect(ask({}, { ...env, VERDICT_CERT_FILE: '' })).rejects.toThrow('VERDICT_KEY_FILE is set, and VERDICT_CERT');
  await expect(ask({}, { ...env, VERDICT_CA_FILE: 'canary' })).rejects.toThrow(
    /^the file of VERDICT_CA_FILE cannot be read$/,
  );
  await expect(ask({}, { ...env, VERDICT_PROXY: 'proxy.example:3128' })).rejects.toThrow('proxy has to be');
  await expect(ask({}, { VERDICT_CERT_FILE: 'x', VERDICT_KEY_FILE: 'y' })).rejects.toThrow('VERDICT_BASE_URL');
});

test('a profile has its own, with paths from its file; the network of the environment fills in', async () => {
  const { service, proxy } = await mutual();
  const profile = (...lines: readonly string[]) => {
    const entries = [`baseUrl: ${service.url}`, 'environment: sandbox', 'usernameVariable: U', ...lines];
    const keys = ['passwordVariable: P', 'certFile: client.pem', 'keyFile: ./client.key', 'passphraseVariable: S'];
    const yaml = `default: bank\nprofiles:\n  bank:\n${[...entries, ...keys].map((line) => `    ${line}\n`).join('')}`;
    return { config: join(temporaryFolder({ ...FILES, 'verdict.config.yaml': yaml }), 'verdict.config.yaml') };
  };
  const env = { U: 'user', P: 'secret', S: made.locked.passphrase };
  const otherCa = join(temporaryFolder(FILES), 'other.pem');
  await ask(profile('caFile: ca.pem', `proxy: ${proxy.url}`), { ...env, VERDICT_CA_FILE: otherCa });
  await ask(profile('caFile: ca.pem'), { ...env, VERDICT_PROXY: proxy.url });
  expect([proxy.asked.length, service.verifies.length]).toEqual([2, 2]);

  await expect(ask(profile('caFile: missing.pem'), env)).rejects.toThrow(
    'the file of caFile of the profile cannot be read',
  );
  await expect(ask(profile('caFile: ca.pem'), { ...env, S: '' })).rejects.toThrow(
    'environment variable named here is not',
  );
  await expect(ask(profile('caFile: [ca.pem]'), env)).rejects.toThrow('caFile has to be the path of a file in PEM');
  await expect(ask(profile('proxy: http://canary:canary@proxy.example'), env)).rejects.toThrow(
    /proxy must not have a user name or password here: set VERDICT_PROXY instead$/,
  );
});
