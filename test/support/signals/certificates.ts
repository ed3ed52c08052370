/** Names and dates -> certificates and keys for tests of TLS, made anew for each run. */

import { generate } from 'selfsigned';

/** A certificate and its key, in PEM. */
interface Pair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;
const EC = { keyType: 'ec', algorithm: 'sha256' } as const;

async function issue(name: string, options: Parameters<typeof generate>[1]): Promise<Pair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { ...EC, ...options });
  return { cert, key };
}

function authority(name: string): Promise<Pair> {
  return issue(name, {
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
}

async function make() {
  const ca = await authority('Test authority');
  const server = {
    ca,
    extensions: [{ name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] }],
  };
  const past = { notBeforeDate: new Date(Date.now() - 2 * DAY_MS), notAfterDate: new Date(Date.now() - DAY_MS) };
  const [otherCa, service, expired, client, locked] = await Promise.all([
    authority('Other authority'),
    issue('service', server),
    issue('service', { ...server, ...past }),
    issue('client', { ca }),
    issue('client', { ca, passphrase: 'canary-passphrase' }),
  ]);
  return {
    ca: ca.cert,
    otherCa: otherCa.cert,
    /** For 127.0.0.1. */
    service,
    /** For 127.0.0.1, until yesterday. */
    expired,
    client,
    /** With an encrypted key. */
    locked: { ...locked, passphrase: 'canary-passphrase' },
  };
}

let made: ReturnType<typeof make> | undefined;

/** The certificates of this process. */
export function certificates(): ReturnType<typeof make> {
  made ??= make();
  return made;
}
