/** The files and variables of an operator -> the client options for connections. */

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from '../../signals/options.ts';
import { CouldNotRunError, UsageError } from '../io.ts';

/** Where the certificates are. */
export interface CertificateFiles {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Of the key. */
  readonly passphrase?: string | undefined;
}

/**
 * Reads the files. Throws `CouldNotRunError` for one that cannot be read, and `UsageError` if a certificate has no key
 * or a key no certificate.
 *
 * @param nameOf what the caller calls a file
 */
export function readCertificates(
  { caFile, certFile, keyFile, passphrase }: CertificateFiles,
  nameOf: (file: keyof CertificateFiles) => string,
): Pick<ConnectionOptions, 'ca' | 'clientCertificate'> {
  if (Boolean(certFile) !== Boolean(keyFile)) {
    const [set, unset] = certFile ? (['certFile', 'keyFile'] as const) : (['keyFile', 'certFile'] as const);
    throw new UsageError(`${nameOf(set)} is set, and ${nameOf(unset)} is not: a client certificate needs both`);
  }
  const read = (name: keyof CertificateFiles, file: string) => {
    try {
      return readFileSync(file, 'utf8');
    } catch {
      // Without its path, which may be a misplaced secret.
      throw new CouldNotRunError(`the file of ${nameOf(name)} cannot be read`);
    }
  };
  return {
    ...(caFile ? { ca: read('caFile', caFile) } : {}),
    ...(certFile && keyFile
      ? {
          clientCertificate: {
            cert: read('certFile', certFile),
            key: read('keyFile', keyFile),
            ...(passphrase ? { passphrase } : {}),
          },
        }
      : {}),
  };
}
