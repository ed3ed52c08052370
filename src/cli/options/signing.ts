/** The key that a command signs with: an option of the command line -> the private key. */

import type { Command } from 'commander';
import { addKeys, type KeysOptions } from './log-place.ts';

/** Where the keys are, and the one to sign with. */
export interface SigningOptions extends KeysOptions {
  readonly signingKey?: string;
}

/** Adds `--keys` and `--signing-key`. */
export function addSigning(command: Command): Command {
  return addKeys(command).option(
    '--signing-key <file>',
    'the private key to sign with (default: the current one of the key folder)',
  );
}
