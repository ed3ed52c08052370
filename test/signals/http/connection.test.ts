/** Options for connections that cannot be used are refused when the client is created. */

import http from 'node:http';
import https from 'node:https';
import { expect, test, vi } from 'vitest';
import { VerdictError } from '../../../src/errors.ts';
import { createVerifyClient } from '../../../src/signals/client.ts';
import type { VerifyClientOptions } from '../../../src/signals/options.ts';
import { certificates } from '../../support/signals/certificates.ts';

const made = await certificates();
const SERVICE = { baseUrl: 'https://service.example', environment: 'sandbox' } as const;
const ACCOUNT = { username: 'user', password: 'canary-secret' } as const;
const BROKEN = made.ca.replace('\n', '\ncanary-secret');

function problemOf(options: object): string {
  try {
    void createVerifyClient({ ...SERVICE, ...ACCOUNT, ...options } as VerifyClientOptions).close();
  } catch (error) {
    if (!(error instanceof VerdictError) || error.code !== 'CONFIGURATION_INVALID') throw error;
    expect(error.message).not.toContain('canary');
    return error.message.replace('the options of the verify client cannot be used: ', '');
  }
  return 'it was taken';
}

const PROXY = 'proxy has to be an http or https URL without path, such as http://proxy.bank.example:3128';
const CA = 'ca has to be one or several certificates in PEM';
const CERTIFICATE =
  'clientCertificate has to be an object with cert and key in PEM, and the passphrase if the key has one';
const HEADERS = 'headers has to be an object of texts, or a function that returns one';
const AGENT = 'agent has to be an http.Agent or https.Agent';

test.each([
  [{ proxy: 5 }, PROXY],
  [{ proxy: 'proxy.example:3128' }, PROXY],
  [{ proxy: 'socks5://proxy.example' }, PROXY],
  [{ proxy: 'http://proxy.example/canary' }, PROXY],
  [{ proxy: 'http://user:canary%@proxy.example' }, PROXY],
  [{ ca: '' }, CA],
  [{ ca: [] }, CA],
  [{ ca: BROKEN }, CA],
  [{ ca: `${made.ca}${BROKEN}` }, CA],
  [{ ca: made.ca.slice(0, -40) }, CA],
  [{ ca: [made.ca, 'canary'] }, CA],
  [{ ca: { pem: made.ca } }, CA],
  [{ clientCertificate: 'canary' }, CERTIFICATE],
  [{ clientCertificate: { cert: made.client.cert } }, CERTIFICATE],
  [{ clientCertificate: { ...made.client, pass: 'canary' } }, CERTIFICATE],
  [{ clientCertificate: { ...made.client, passphrase: 5 } }, CERTIFICATE],
  [{ headers: 'canary' }, HEADERS],
  [{ headers: ['canary'] }, HEADERS],
  [{ headers: { 'Content-Type': 'canary' } }, 'headers must not have content-type, which the client sets'],
  [{ headers: { 'x-one': '1', 'X-One': '2' } }, 'headers has a name twice'],
  [{ headers: { 'x-one': 1 } }, 'headers has a name or a value that a header cannot carry'],
  [{ headers: { 'x one': 'canary' } }, 'headers has a name or a value that a header cannot carry'],
  [{ agent: {} }, AGENT],
  [{ agent: 'canary' }, AGENT],
  [{ agent: new https.Agent(), ca: made.ca }, 'agent cannot be combined with ca'],
  [{ agent: new https.Agent(), proxy: 'http://proxy.example' }, 'agent cannot be combined with proxy'],
  [{ agent: new https.Agent(), idleMs: 1 }, 'agent cannot be combined with idleMs'],
  [{ idleMs: 0 }, 'idleMs has to be a whole number from 1 to 2147483647: milliseconds'],
  [{ agent: new http.Agent() }, 'agent is for http, and the baseUrl is https'],
  [
    { agent: new https.Agent({ rejectUnauthorized: false }) },
    'agent accepts any certificate: trust your own authority with ca instead of rejectUnauthorized: false',
  ],
  [{ baseUrl: 'http://localhost', ca: made.ca }, 'ca needs a baseUrl of https'],
  [{ baseUrl: 'http://localhost', proxy: 'http://proxy.example' }, 'proxy needs a baseUrl of https'],
  [
    { credentials: () => ACCOUNT },
    'username cannot be combined with credentials; password cannot be combined with credentials',
  ],
  [{ username: undefined, password: undefined, credentials: ACCOUNT }, 'credentials has to be a function'],
])('connections cannot be made with wrong options (%#)', (options, problem) => {
  expect(problemOf(options)).toBe(problem);
});

test.each([
  [{ ...made.client, key: made.service.key }],
  [{ ...made.locked, passphrase: 'canary' }],
  [{ cert: made.locked.cert, key: made.locked.key }],
  [{ cert: 'canary', key: made.client.key }],
])('a certificate, a key and a passphrase that do not belong together are refused (%#)', (clientCertificate) => {
  expect(problemOf({ clientCertificate })).toMatch(
    /^clientCertificate cannot be used \(ERR_[A-Z0-9_]+\): its certificate, key and passphrase have to belong together$/,
  );
});

test('an option that throws when it is read again is named by no word of its error', () => {
  let reads = 0;
  const ca = new Proxy([made.ca], {
    get: (of, key) => {
      if (key === '0' && ++reads > 1) throw new Error('canary');
      return Reflect.get(of, key);
    },
  });
  expect(problemOf({ ca })).toMatch(/cannot be read: malformed, or code of the caller threw an error$/);
});

test('a proxy of the environment that cannot be used is refused', () => {
  for (const name of ['HTTPS_PROXY', 'https_proxy']) vi.stubEnv(name, 'socks5://canary:canary@proxy.example');
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '');
  expect(problemOf({ proxy: 'environment' })).toBe(
    'proxy is `environment`, but the proxy named there is not an http or https URL',
  );
  vi.unstubAllEnvs();
});
