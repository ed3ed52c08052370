/** The option for the signing key -> the private key. */

import type { KeyObject } from 'node:crypto';
import type { Command } from 'commander';
import { addKeys, type KeysOptions } from './log-place.ts';

/** The key folder, and the key to sign with. */
export interface SigningOptions extends KeysOptions {
  readonly signingKey?: string;
}

/** Adds `--keys` and `--signing-key`. */
export function addSigning(command: Command): Command {
  return addKeys(command).option(
    '--signing-key <file>',
    'the private key to sign with (default: the current one in the key folder)',
  );
}
