/** The options of commands that sign -> the key folder, the signing key and an earlier checkpoint. */

import type { Command, OptionValues } from 'commander';
import type { Io } from '../io.ts';
import type { NoOptions, OptionsOf } from './arguments.ts';
import { addKeys, checkIsLog, logPlaceOf, readInputFile } from './log-place.ts';

/** Adds `--keys` and `--signing-key`. */
export function addSigning<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return addKeys(command).option(
    '--signing-key <file>',
    'the private key to sign with (default: the current one in the key folder)',
  );
}

type SigningOptions = OptionsOf<typeof addSigning<[], NoOptions>>;

/** Reads the signing key of a log and the file of a checkpoint. */
export async function readSigning(dir: string, options: SigningOptions, io: Io, checkpoint?: string) {
  const { readSigningKey } = await import('../../audit/keys/key-folder.ts');
  const { homeOf } = await import('../../audit/home.ts');
  const place = logPlaceOf(dir, options, io);
  checkIsLog(dir);
  const note = checkpoint === undefined ? undefined : readInputFile(checkpoint, 'checkpoint');
  const { keys } = await homeOf(place);
  return { place, signingKey: await readSigningKey(keys, options.signingKey), checkpoint: note };
}
