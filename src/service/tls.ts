/** Files of `tls` -> what a server of HTTPS takes, read again when they change. */

import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createSecureContext, type SecureContextOptions, type TlsOptions, Server as TlsServer } from 'node:tls';
import { foreignCode, VerdictError } from '../errors.ts';
import { fingerprintOf } from '../platform/files/disk-file.ts';
import { FileWatch } from '../policy/watch/watch-files.ts';
import type { ServeConfig } from './config.ts';
import type { Report } from './service.ts';

type Tls = NonNullable<ServeConfig['tls']>;

/** The certificate and its key, if they belong together. Throws CONFIGURATION_INVALID. */
export function readTls({ certFile, keyFile, clientCaFile }: Tls): SecureContextOptions & TlsOptions {
  try {
    const files = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
    const ca = clientCaFile === undefined ? undefined : readFileSync(clientCaFile);
    createSecureContext({ ...files, ...(ca ? { ca } : {}) });
    return { ...files, ...(ca ? { ca, requestCert: true, rejectUnauthorized: true } : {}) };
  } catch (error) {
    const expected = 'expected PEM files that this user can read, with the key of the certificate';
    throw new VerdictError('CONFIGURATION_INVALID', `\`tls\` cannot be used (${foreignCode(error)}); ${expected}`);
  }
}

/** Follows the files, so that a renewed certificate needs no restart; one that cannot be used changes nothing. */
export function watchTls(tls: Tls, server: Server, report: Report): FileWatch {
  const paths = Object.values(tls);
  const stamps = () => new Map(paths.map((path) => [path, fingerprintOf(path)]));
  const renew = () => {
    try {
      if (server instanceof TlsServer) server.setSecureContext(readTls(tls));
      report({ event: 'tls.changed' });
    } catch (error) {
      if (!VerdictError.is(error)) throw error;
      report({ event: 'tls.broken', problem: error.message });
    }
    watch.watch(stamps());
  };
  const watch: FileWatch = new FileWatch(stamps(), renew, { persistent: false });
  return watch;
}
