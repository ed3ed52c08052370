/** `verdict audit checkpoint`: a log, and an earlier checkpoint of it -> a signed note of how long it is, to be kept elsewhere. */

import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Finish } from '../../io.ts';
import { CouldNotRunError, EXIT, type Io, say, write } from '../../io.ts';
import { checkIsLog, logPlaceOf, readInputFile } from '../../options/log-place.ts';
import { addSigning, type SigningOptions } from '../../options/signing.ts';
import { formatFinding } from '../../terminal/format-finding.ts';

interface Options extends SigningOptions {
  readonly out?: string;
  readonly previous?: string;
}

/** Adds the command. */
export function addCheckpoint(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('checkpoint <dir>')
    .description('verify the log, and print a signed note of how long each of its chains is, to be kept elsewhere')
    .option('--previous <file>', 'sign only a log that continues this earlier note, kept elsewhere')
    .option('--out <file>', 'write the note into a new file');
  addSigning(command).action(async (dir: string, options: Options) => {
    const { takeCheckpoint } = await import('../../../audit/checkpoint/take.ts');
    const { readSigningKey } = await import('../../../audit/keys/signing-key.ts');
    const { keys } = logPlaceOf(dir, options, io);
    checkIsLog(dir);
    const previous = options.previous === undefined ? {} : { previous: readInputFile(options.previous, 'checkpoint') };
    const signingKey = await readSigningKey(keys, options.signingKey);
    const { note, against } = await takeCheckpoint(dir, { signingKey, ...previous });
    if (note === undefined) {
      const found = against.map((finding) => `${formatFinding(finding)}\n`).join('');
      await say(io.stderr, `${found}verdict: nobody should vouch for this log: no checkpoint was signed\n`);
      finish(EXIT.found);
      return;
    }
    if (options.out === undefined) await write(io.stdout, note);
    else writeNew(options.out, note);
    finish(EXIT.done);
  });
}

/** An earlier checkpoint is not lost for a later one. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', flush: true });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CouldNotRunError(
      isThere ? `${file} is there already, and is left as it is` : `${file} cannot be written`,
    );
  }
}
